"""Template helpers of a dataset's additional information: its rows, and what they are made of."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Iterable, Iterator
from typing import Any

import ckan.plugins.toolkit as tk
from ckan.lib.search import SearchError
from markupsafe import Markup, escape

from ckanext.ukharvest.core import themes
from ckanext.ukharvest.core.web import is_web_url
from ckanext.ukharvest.extent import figure
from ckanext.ukharvest.helpers.dataset_head import assessment_of
from ckanext.ukharvest.helpers.facts import (
    DATASET_KEYS,
    fact,
    facts_of,
    once,
    portal,
    ukharvest_is_harvested,
)
from ckanext.ukharvest.helpers.provenance import ukharvest_provenance
from ckanext.ukharvest.shown import facts as shown_facts
from ckanext.ukharvest.shown import inspire, labels, rows
from ckanext.ukharvest.shown import values as shown_values
from ckanext.ukharvest.shown.rows import Row, Rows
from ckanext.ukharvest.words import times

log = logging.getLogger(__name__)


def ukharvest_facts(package: dict[str, Any]) -> Rows | None:
    """Return the rows of a dataset's additional information, labels and values.

    None if it was not harvested and has none of this extension's fields: its page stays CKAN's.
    What the portal hides (``package_hide_extras``) stays hidden.
    """
    return once("rows", package, lambda: _all_rows(package))


def _all_rows(package: dict[str, Any]) -> Rows | None:
    facts, harvested = facts_of(package), ukharvest_is_harvested(package)
    if not harvested and not facts.keys() & DATASET_KEYS:
        return None
    if harvested:
        return _rows(package, facts, {**_of_ckan(package), **_of_harvest(package)})
    own = {key: text for key, text in facts.items() if key in DATASET_KEYS}
    shown = _rows(package, own, _of_ckan(package))
    # As CKAN shows them; nobody knows what they mean.
    others = (Row(key, key, escape(facts[key])) for key in sorted(facts.keys() - own.keys()))
    return Rows((*shown.known, *others), ())


def ukharvest_further_facts(package: dict[str, Any]) -> Rows:
    """Return those rows that the page of a dataset type of ckanext-scheming leaves out.

    That page shows the fields of the type's own schema and no extras.
    """
    return once("further rows", package, lambda: _further_rows(package))


def _further_rows(package: dict[str, Any]) -> Rows:
    schema = tk.h.scheming_get_dataset_schema(package["type"]) or {"dataset_fields": []}
    facts, shown = facts_of(package), {each["field_name"] for each in schema["dataset_fields"]}
    harvested = ukharvest_is_harvested(package)
    if not harvested:
        facts = {key: text for key, text in facts.items() if key in DATASET_KEYS}
    left = {key: text for key, text in facts.items() if key not in shown}
    found = _rows(package, left, _of_harvest(package) if harvested else {})
    return Rows(
        tuple(row for row in found.known if row.key not in shown and (row.is_given or harvested)),
        found.others,
    )


def ukharvest_field_value(key: str, value: Any, package: dict[str, Any] | None = None) -> Markup:
    """Return a value of one of our fields for the page: labels with links.

    Args:
        key: of a field of ``fields.FIELDS``; other keys' texts are shown as extras are.
        value: as it is stored, or a list.
        package: the dataset of a theme, of which is said whether it is only suggested.
    """
    if value in (None, "", []):
        return Markup("")
    if key not in shown_values.KEYS:
        return shown_facts.shown(value if isinstance(value, str) else json.dumps(value))
    shown = shown_values.shown(key, value, portal())
    if key == "theme-primary" and package and _is_suggested(package):
        words = tk._("suggested by what the dataset says of itself")
        shown += Markup(' <span class="small text-muted">({})</span>').format(words)
    return shown


def ukharvest_coupled(package_id: str) -> dict[str, list[dict[str, Any]]]:
    """Return the coupled datasets and services that the reader of the page may see."""
    try:
        context = {"user": tk.current_user.name}
        return dict(tk.get_action("ukharvest_coupled_show")(context, {"id": package_id}))
    except SearchError:  # the page is of use without them
        log.exception("What is coupled with %s could not be looked up", package_id)
        return {"datasets": [], "services": []}


def _rows(package: dict[str, Any], facts: dict[str, str], more: dict[str, Markup]) -> Rows:
    said = {
        key: ukharvest_field_value(key, facts[key], package) for key in DATASET_KEYS & facts.keys()
    }
    if "spatial" in facts:
        said["spatial"] = escape(figure.in_words(facts["spatial"], tk._) or facts["spatial"])
    return rows.rows(
        facts, portal(), {**said, **more}, is_harvested=ukharvest_is_harvested(package)
    )


def _of_ckan(package: dict[str, Any]) -> dict[str, Markup]:
    """What CKAN's own rows say."""
    url, version = (str(package.get(key) or "") for key in ("url", "version"))
    return {
        labels.ADDED: times.when(package.get("metadata_created"), day_only=True),
        labels.CHANGED: times.when(package.get("metadata_modified"), day_only=True),
        labels.WEB_PAGE: shown_facts.link(url, url) if is_web_url(url) else escape(url),
        labels.AUTHOR: _person(package, "author"),
        labels.MAINTAINER: _person(package, "maintainer"),
        labels.VERSION: escape(version),
    }


def _person(package: dict[str, Any], key: str) -> Markup:
    name, mail = (str(package.get(each) or "") for each in (key, f"{key}_email"))
    both = (escape(name), inspire.mail_to(mail))
    return Markup(", ").join(each for each in dict.fromkeys(both) if each)


def _of_harvest(package: dict[str, Any]) -> dict[str, Markup]:
    """What the harvest knows: its rows, and what is coupled with the dataset."""
    found = ukharvest_provenance(package) or {}
    url, coupled = str(found.get("harvest_url") or ""), ukharvest_coupled(package["id"])
    return {
        labels.HARVEST_URL: shown_facts.link(url, url) if is_web_url(url) else escape(url),
        labels.HARVEST_DATE: times.when(found.get("harvested")),
        "harvest_source_title": _source(found.get("source") or {}),
        labels.COUPLED_DATASETS: _coupled(coupled["datasets"], _elsewhere(package, coupled)),
        labels.COUPLED_SERVICES: _coupled(coupled["services"]),
    }


def _source(source: dict[str, Any]) -> Markup:
    link = Markup('<a href="{}">{}</a>')
    if not source.get("name"):
        return Markup("")
    return link.format(tk.h.url_for("harvest.read", id=source["name"]), source["title"])


def _coupled(others: list[dict[str, Any]], elsewhere: Iterable[Markup] = ()) -> Markup:
    link = Markup('<a href="{}">{}</a>')
    found = [
        link.format(tk.h.url_for("dataset.read", id=each["name"]), each["title"] or each["name"])
        for each in others
    ]
    return shown_facts.listed([*found, *elsewhere])


def _elsewhere(package: dict[str, Any], coupled: dict[str, Any]) -> Iterator[Markup]:
    """The datasets that a service's record names and that are not on this site."""
    try:
        named = shown_facts.from_json(fact(package, "coupled-resource") or "[]")
    except (ValueError, RecursionError):
        return
    known = coupled.get("references", ())
    for each in named if isinstance(named, list) else ():
        if not isinstance(each, dict) or _is_known(each, known):
            continue
        url, title = str(each.get("href") or ""), str(each.get("title") or each.get("uuid") or "")
        words = shown_facts.link(url, title or url) if is_web_url(url) else escape(title or url)
        if words:
            yield Markup("{} ({})").format(words, tk._("not on this site"))


def _is_known(named: dict[str, Any], references: Collection[str]) -> bool:
    href, uuid = str(named.get("href") or ""), str(named.get("uuid") or "")
    return any(each in (href, uuid) or (len(each) > 8 and each in href) for each in references)


def _is_suggested(package: dict[str, Any]) -> bool:
    """Tell whether words alone speak for a dataset's theme."""
    found = assessment_of(package)
    return found is not None and found.theme_origin == themes.WORDS
