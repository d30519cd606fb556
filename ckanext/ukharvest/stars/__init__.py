"""Five stars of openness: score CKAN's package dicts by the rules, as columns of the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Not the module: stars.model is a module of this package.
from ckan.model import Package, license

from ckanext.ukharvest.core.link_states import NOTHING, Evidence
from ckanext.ukharvest.core.values import licences
from ckanext.ukharvest.core.values.stars import NOT_DATA, DatasetStars, Stars
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.harvest.records import links as link_results
from ckanext.ukharvest.stars import plugins, rules
from ckanext.ukharvest.stars.rules import Terms

_LICENCE_FIELDS = ("licence", "license", "license_url", "licence_url")
_RESOURCE_LICENCE = ("license_id", "licence_id", *_LICENCE_FIELDS)


def columns(_context: Mapping[str, Any], package: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of ``StarRating`` for a package dict: stars, stars_code, …

    Needs no query but that of its links (``find_link_evidence``) if the dict has its resources
    with their ids, as harvests write them.
    """
    resources = package.get("resources")
    if resources is None or not all(resource.get("id") for resource in resources):
        (package,) = dataset_rows.load_datasets([package["id"]])
    return as_columns(Rules().score(package))


def as_columns(dataset: DatasetStars) -> dict[str, Any]:
    """Return stars as columns of the table."""
    return {
        "stars": dataset.best.stars,
        "stars_code": clean_text(dataset.best.code),
        "stars_detail": clean_text(dataset.best.detail),
        "resources": {
            clean_text(id_): [stars.stars, clean_text(stars.code), clean_text(stars.detail)]
            for id_, stars in dataset.resources.items()
        },
    }


def from_columns(row: Any) -> DatasetStars:
    """Return the stars of a table row."""
    return DatasetStars(
        Stars(row.stars, row.stars_code, row.stars_detail),
        {id_: Stars(*values) for id_, values in row.resources.items()},
    )


class Rules:
    """The rules of this portal: its licences, and the changes of plugins.

    Made once for many datasets.
    """

    def __init__(self) -> None:
        self._formats = {**rules.stars_by_format(), **plugins.formats()}
        # Licences that are open: the portal's, and CKAN's own, whose ids texts may name.
        default = license.DefaultLicense.__subclasses__()
        own = Package.get_license_register().values()
        self._register = {kind.id: kind.od_conformance == "approved" for kind in default}
        self._register |= {kind.id: bool(kind.isopen()) for kind in own}

    def score(
        self, package: Mapping[str, Any], links: Mapping[str, Evidence] | None = None
    ) -> DatasetStars:
        """Return the stars of a dataset, a package dict as ``IUkHarvestStars`` says.

        Args:
            links: URL → evidence of its links; None: they are looked up.
        """
        facts = fields_of(package)
        data = [resource for resource in package.get("resources", ()) if _is_data(resource)]
        # A licence is looked up once per dataset, and so are links.
        terms = self._terms(facts.get("license_id", ""), facts, facts.get("rights", ""))
        own = [facts.get(key, "") for key in ("uri", "guid", "url")]
        is_linked = rules.is_linked(
            facts, (*own, *(str(resource.get("url") or "") for resource in data))
        )
        if links is None:
            links = link_results.find_link_evidence([url_of(resource) for resource in data])
        scores = {}
        for resource in data:
            link = links.get(url_of(resource), NOTHING)
            stars = self._of_resource(resource, terms, link, is_linked=is_linked)
            scores[resource["id"]] = plugins.apply_to_resource(package, resource, stars)
        is_unpublished = facts.get("unpublished", "").lower() in ("true", "yes", "1")
        return plugins.apply_to_dataset(
            package, rules.score_dataset(scores, is_unpublished=is_unpublished)
        )

    def _of_resource(
        self, resource: Mapping[str, Any], terms: Terms, link: Evidence, *, is_linked: bool
    ) -> Stars:
        facts = {key: clean_text(value) for key, value in resource.items()}
        # "Not specified" and the like are no licence; long texts cannot be one of them.
        if any(licences.find(facts[key][:100]) for key in _RESOURCE_LICENCE if facts.get(key)):
            id_ = facts.get("license_id") or facts.get("licence_id") or ""
            terms = self._terms(id_, facts, facts.get("rights", ""))
        return rules.score_resource(
            url=facts.get("url", ""),
            format_=facts.get("format", ""),
            mimetype=facts.get("mimetype", ""),
            terms=terms,
            is_linked=is_linked,
            rules=self._formats,
            link=link,
        )

    def _terms(self, licence_id: str, facts: Mapping[str, str], rights: str) -> Terms:
        texts = [text for key in _LICENCE_FIELDS for text in rules.texts_in(facts.get(key))]
        return rules.terms_of(licence_id, texts, self._register, rights)


def fields_of(package: Mapping[str, Any]) -> dict[str, str]:
    """Return a dataset's texts by name, from extras and the portal's schema fields."""
    facts = {key: value for key, value in package.items() if isinstance(value, str)}
    for extra in package.get("extras") or ():
        if isinstance(extra.get("value"), str) and not extra.get("deleted"):
            facts.setdefault(extra["key"], extra["value"])
    return facts


def url_of(resource: Mapping[str, Any]) -> str:
    """Return the URL of a resource as link checks have it, "" if it is no web address."""
    url = str(resource.get("url") or "")
    return url if url[:8].lower().startswith(("http://", "https://")) else ""


def _is_data(resource: Mapping[str, Any]) -> bool:
    kind = str(resource.get("resource_type") or "").strip().lower()
    is_there = resource.get("url") and resource.get("state") != "deleted"
    return bool(is_there) and kind not in NOT_DATA
