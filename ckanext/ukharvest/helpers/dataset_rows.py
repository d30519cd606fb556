"""Template helpers of a dataset's additional information: its rows and their values."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import ckan.plugins.toolkit as tk
from markupsafe import Markup, escape

from ckanext.ukharvest.helpers.dataset_head import load_assessment
from ckanext.ukharvest.helpers.facts import (
    DATASET_KEYS,
    fact,
    facts_of,
    once_per_request,
    portal,
    ukharvest_is_harvested,
)
from ckanext.ukharvest.helpers.provenance import ukharvest_provenance
from ckanext.ukharvest.logic.action.coupled import find_coupled
from ckanext.ukharvest.presentation.messages import times
from ckanext.ukharvest.presentation.rendering import dataset_fields, inspire
from ckanext.ukharvest.presentation.rendering import facts as shown_facts
from ckanext.ukharvest.presentation.rendering import values as shown_values
from ckanext.ukharvest.presentation.rendering.dataset_fields import Row, Rows
from ckanext.ukharvest.presentation.rendering.extent import svg_map
from ckanext.ukharvest.themes import choice as themes

# harvest_extras of its plugin adds them to what package_show returns.
_SHOWN_BY_HARVEST = ("harvest_object_id", "harvest_source_id", "harvest_source_title")


@once_per_request
def ukharvest_facts(package: Mapping[str, Any]) -> Rows | None:
    """Return the rows of a dataset's additional information, with labels and values.

    None if it was not harvested and has none of this extension's fields: then CKAN's own table is
    shown. Leaves out the fields in ``package_hide_extras``.
    """
    facts, harvested = facts_of(package), ukharvest_is_harvested(package)
    if not harvested and not facts.keys() & DATASET_KEYS:
        return None
    if harvested:
        return _rows(package, facts, {**_of_ckan(package), **_of_harvest(package)})
    own = {key: text for key, text in facts.items() if key in DATASET_KEYS}
    shown = _rows(package, own, _of_ckan(package))
    # Unknown extras are shown as CKAN does.
    others = (Row(key, key, escape(facts[key])) for key in sorted(facts.keys() - own.keys()))
    return Rows((*shown.known, *others), ())


@once_per_request
def ukharvest_further_facts(package: Mapping[str, Any]) -> Rows:
    """Return the rows that ckanext-scheming's page of a dataset type does not show.

    That page shows only the fields of the type's schema, no extras.
    """
    schema = tk.h.scheming_get_dataset_schema(package["type"]) or {"dataset_fields": []}
    facts, shown = facts_of(package), {field["field_name"] for field in schema["dataset_fields"]}
    harvested = ukharvest_is_harvested(package)
    if not harvested:
        facts = {key: text for key, text in facts.items() if key in DATASET_KEYS}
    left = {key: text for key, text in facts.items() if key not in shown}
    rows = _rows(package, left, _of_harvest(package) if harvested else {})
    return Rows(
        tuple(row for row in rows.known if row.key not in shown and (row.is_given or harvested)),
        rows.others,
    )


def ukharvest_harvested_extras(package: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the extras that a form sends along, without those that ckanext-harvest only shows."""
    return [extra for extra in package.get("extras") or () if extra["key"] not in _SHOWN_BY_HARVEST]


def ukharvest_own_extras(
    package: Mapping[str, Any], origin: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return the extras that people added to a harvested dataset; [] if that is not known.

    Args:
        package: as package_show returns it, or as its form sent it.
        origin: as ``ukharvest_provenance`` returns it.
    """
    if origin["supplied_fields"] is None:
        return []
    fields = (*origin["supplied_fields"]["dataset"], *origin["kept_fields"])
    others = {field["field"] for field in fields} | {"theme-primary", "theme-secondary"}
    return [
        extra
        for extra in ukharvest_harvested_extras(package)
        if extra.get("key") and extra["key"] not in others
    ]


def ukharvest_harvested_rows(package: Mapping[str, Any]) -> list[Row]:
    """Return the rows of a dataset's extras for its form, labelled as on its page."""
    facts = facts_of({"extras": package.get("extras") or ()})
    rows = _rows(package, facts, {})
    return [row for row in (*rows.known, *rows.others) if row.is_given]


def ukharvest_field_value(key: str, value: Any, package: Mapping[str, Any] | None = None) -> Markup:
    """Render the value of one of our fields: labels with links.

    Args:
        key: key of a field in ``fields.FIELDS``; values of other keys are rendered as extras.
        value: as stored, or a list.
        package: the dataset, to mark a theme that is only suggested.
    """
    if value in (None, "", []):
        return Markup("")
    if key not in shown_values.KEYS:
        return shown_facts.render_extra(value if isinstance(value, str) else json.dumps(value))
    shown = shown_values.render_value(key, value, portal())
    assessment = load_assessment(package) if key == "theme-primary" and package else None
    if assessment is not None and assessment.theme_origin == themes.WORDS:
        words = tk._("suggested from the dataset's own words")
        shown += Markup(' <span class="small text-muted">({})</span>').format(words)
    return shown


def _rows(package: Mapping[str, Any], facts: dict[str, str], more: dict[str, Markup]) -> Rows:
    values = {
        key: ukharvest_field_value(key, facts[key], package) for key in DATASET_KEYS & facts.keys()
    }
    if "spatial" in facts:
        # The map on the page shows it with its coordinates.
        is_drawn = svg_map.describe_extent(facts["spatial"], tk._)
        values["spatial"] = Markup("") if is_drawn else escape(facts["spatial"])
    return dataset_fields.rows(
        facts, portal(), {**values, **more}, is_harvested=ukharvest_is_harvested(package)
    )


def _of_ckan(package: Mapping[str, Any]) -> dict[str, Markup]:
    """Return the values of CKAN's own rows."""
    url, version = (str(package.get(key) or "") for key in ("url", "version"))
    return {
        dataset_fields.ADDED: times.when(package.get("metadata_created"), day_only=True),
        dataset_fields.CHANGED: times.when(package.get("metadata_modified"), day_only=True),
        dataset_fields.WEB_PAGE: shown_facts.render_link_or_text(url),
        dataset_fields.AUTHOR: _person(package, "author"),
        dataset_fields.MAINTAINER: _person(package, "maintainer"),
        dataset_fields.VERSION: escape(version),
    }


def _person(package: Mapping[str, Any], key: str) -> Markup:
    name, mail = (str(package.get(name_) or "") for name_ in (key, f"{key}_email"))
    both = (escape(name), inspire.mail_to(mail))
    return Markup(", ").join(part for part in dict.fromkeys(both) if part)


def _of_harvest(package: Mapping[str, Any]) -> dict[str, Markup]:
    """Return the values of the rows about the harvest, and the couplings."""
    origin = ukharvest_provenance(package) or {}
    url = str(origin.get("harvest_url") or "")
    return {
        dataset_fields.HARVEST_URL: shown_facts.render_link_or_text(url),
        dataset_fields.HARVEST_DATE: times.when(origin.get("harvested")),
        "guid": _identifier(str(origin.get("guid") or fact(package, "guid") or "")),
        "harvest_source_title": _source(origin.get("source") or {}),
        **_couplings(package),
    }


def _couplings(package: Mapping[str, Any]) -> dict[str, Markup]:
    coupled = find_coupled({"user": tk.current_user.name}, package["id"])
    if coupled["is_unknown"]:
        is_service = fact(package, "resource-type") == "service"
        key = dataset_fields.COUPLED_DATASETS if is_service else dataset_fields.COUPLED_SERVICES
        return {
            dataset_fields.COUPLED_DATASETS: Markup(""),
            key: escape(tk._("Not shown: this site's search failed. Try again later.")),
        }
    return {
        dataset_fields.COUPLED_DATASETS: _coupled(
            coupled["datasets"], _elsewhere(package, coupled)
        ),
        dataset_fields.COUPLED_SERVICES: _coupled(coupled["services"]),
    }


def _identifier(guid: str) -> Markup:
    """Return an identifier in full, which people compare with the publisher's, and copy."""
    if not guid:
        return Markup("")
    whole = shown_facts.render_link_or_text(guid)
    return Markup(
        '<span class="ukharvest-identifier">{}</span> <button type="button"'
        ' class="btn btn-sm btn-light border" data-ukharvest-copy="{}" data-ukharvest-copied="{}"'
        ' hidden><i class="fa fa-copy" aria-hidden="true"></i>'
        ' <span role="status">{}</span></button>'
    ).format(whole, guid, tk._("Copied"), tk._("Copy the identifier"))


def _source(source: dict[str, Any]) -> Markup:
    link = Markup('<a href="{}">{}</a>')
    if not source.get("name"):
        return Markup("")
    return link.format(tk.h.url_for("harvest.read", id=source["name"]), source["title"])


def _coupled(others: list[dict[str, Any]], elsewhere: Iterable[Markup] = ()) -> Markup:
    link = Markup('<a href="{}">{}</a>')
    links = [
        link.format(tk.h.url_for("dataset.read", id=other["name"]), other["title"] or other["name"])
        for other in others
    ]
    return shown_facts.render_list([*links, *elsewhere])


def _elsewhere(package: Mapping[str, Any], coupled: dict[str, Any]) -> Iterator[Markup]:
    """Yield the datasets that a service's record names and that are not on this site."""
    try:
        named = shown_facts.parse_json(fact(package, "coupled-resource") or "[]")
    except (ValueError, RecursionError):
        return
    known = coupled.get("references", ())
    for dataset in named if isinstance(named, list) else ():
        if not isinstance(dataset, dict) or _is_known(dataset, known):
            continue
        url, title = (
            str(dataset.get("href") or ""),
            str(dataset.get("title") or dataset.get("uuid") or ""),
        )
        if words := shown_facts.render_link_or_text(url, title):
            yield Markup("{} ({})").format(words, tk._("not on this site"))


def _is_known(named: dict[str, Any], references: Collection[str]) -> bool:
    href, uuid = str(named.get("href") or ""), str(named.get("uuid") or "")
    return any(
        reference in (href, uuid) or (len(reference) > 8 and reference in href)
        for reference in references
    )
