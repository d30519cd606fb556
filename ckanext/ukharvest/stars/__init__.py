"""Five stars of openness: what CKAN knows of a dataset, through the rules, for the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckan import model
from ckan.model import license

from ckanext.ukharvest.core import licences
from ckanext.ukharvest.core import stars as rules
from ckanext.ukharvest.core.stars import DatasetStars, Stars, Terms
from ckanext.ukharvest.core.text import clean_text
from ckanext.ukharvest.model import datasets, quality
from ckanext.ukharvest.stars import hooks
from ckanext.ukharvest.stars.words import caption, in_words, out_of_five, reason, short

__all__ = ["Rules", "as_columns", "caption", "columns", "from_columns", "in_words"] + [
    "out_of_five",
    "reason",
    "short",
]

_LICENCE_FIELDS = ("licence", "license", "license_url", "licence_url")
_RESOURCE_LICENCE = ("license_id", "licence_id", *_LICENCE_FIELDS)


def columns(package: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of ``Assessment`` for a package dict: stars, stars_code, …

    Costs no query as long as the dict has its resources with their ids, as harvests write them.
    """
    resources = package.get("resources")
    if resources is None or not all(each.get("id") for each in resources):
        (package,) = datasets.by_id([package["id"]])
    judged = quality.of([package["id"]]) if quality.is_there() else {}
    return as_columns(Rules().score(package, judged))


def as_columns(found: DatasetStars) -> dict[str, Any]:
    """Return stars as the table has them."""
    return {
        "stars": found.best.stars,
        "stars_code": clean_text(found.best.code),
        "stars_detail": clean_text(found.best.detail),
        "resources": {
            clean_text(id_): [each.stars, clean_text(each.code), clean_text(each.detail)]
            for id_, each in found.resources.items()
        },
    }


def from_columns(row: Any) -> DatasetStars:
    """Return the stars that a row of the table has."""
    return DatasetStars(
        Stars(row.stars, row.stars_code, row.stars_detail),
        {id_: Stars(*each) for id_, each in row.resources.items()},
    )


class Rules:
    """The rules as they are on this portal: its licences, and what plugins change.

    Made once for many datasets.
    """

    def __init__(self) -> None:
        self._formats = {**rules.by_format(), **hooks.formats()}
        self._register = _register()

    def score(
        self, package: Mapping[str, Any], judged: Mapping[str, Stars] | None = None
    ) -> DatasetStars:
        """Return the stars of a dataset.

        Args:
            package: as ``IUkHarvestStars`` says.
            judged: what ckanext-qa found of resources, by their ids.
        """
        facts = fields_of(package)
        data = [each for each in package.get("resources", ()) if _is_data(each)]
        # A licence is looked up once a dataset, links too.
        terms = self._terms(facts.get("license_id", ""), facts, facts.get("rights", ""))
        own = [facts.get(key, "") for key in ("uri", "guid", "url")]
        is_linked = rules.is_linked(facts, (*own, *(str(each.get("url") or "") for each in data)))
        found = {}
        for resource in data:
            seen = (judged or {}).get(resource["id"])
            stars = self._of_resource(resource, terms, seen, is_linked=is_linked)
            found[resource["id"]] = hooks.of_resource(package, resource, stars)
        is_unpublished = facts.get("unpublished", "").lower() in ("true", "yes", "1")
        dataset = rules.of_dataset(found, is_unpublished=is_unpublished)
        return hooks.of_dataset(package, dataset)

    def _of_resource(
        self, resource: Mapping[str, Any], terms: Terms, seen: Stars | None, *, is_linked: bool
    ) -> Stars:
        facts = {key: clean_text(value) for key, value in resource.items()}
        # "Not specified" and the like are none; nothing long is one of them.
        if any(licences.find(facts[key][:100]) for key in _RESOURCE_LICENCE if facts.get(key)):
            id_ = facts.get("license_id") or facts.get("licence_id") or ""
            terms = self._terms(id_, facts, facts.get("rights", ""))
        if seen:
            return rules.under(terms, seen)
        return rules.of_resource(
            url=facts.get("url", ""),
            format_=facts.get("format", ""),
            mimetype=facts.get("mimetype", ""),
            terms=terms,
            is_linked=is_linked,
            rules=self._formats,
        )

    def _terms(self, licence_id: str, facts: Mapping[str, str], rights: str) -> Terms:
        texts = [text for key in _LICENCE_FIELDS for text in rules.texts_in(facts.get(key))]
        return rules.terms_of(licence_id, texts, self._register, rights)


def fields_of(package: Mapping[str, Any]) -> dict[str, str]:
    """Return a dataset's texts by name, extras and fields of the portal's schema alike."""
    facts = {key: value for key, value in package.items() if isinstance(value, str)}
    for extra in package.get("extras") or ():
        if isinstance(extra.get("value"), str) and not extra.get("deleted"):
            facts.setdefault(extra["key"], extra["value"])
    return facts


def _is_data(resource: Mapping[str, Any]) -> bool:
    kind = str(resource.get("resource_type") or "").strip().lower()
    is_there = resource.get("url") and resource.get("state") != "deleted"
    return bool(is_there) and kind not in rules.NOT_DATA


def _register() -> dict[str, bool]:
    """Which licences are open: the portal's, and CKAN's own, by whose ids texts are recognised."""
    default = license.DefaultLicense.__subclasses__()
    found = {kind.id: kind.od_conformance == "approved" for kind in default}
    own = model.Package.get_license_register()
    return found | {kind.id: bool(kind.isopen()) for kind in own.values()}
