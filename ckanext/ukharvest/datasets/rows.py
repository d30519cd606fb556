"""Template helpers of a dataset's additional information, and of what stands beside titles."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from ckan.plugins import toolkit as tk
from markupsafe import Markup, escape

from ckanext.ukharvest.core import relations
from ckanext.ukharvest.core.values import licences
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.datasets.facts import PART_OF, ukharvest_dataset
from ckanext.ukharvest.datasets.provenance import (
    DATASET_KEYS,
    fact,
    facts_of,
    once_per_page,
    portal,
    search_url,
    ukharvest_is_harvested,
)
from ckanext.ukharvest.lib import texts
from ckanext.ukharvest.lib.actions import context
from ckanext.ukharvest.lib.permissions import may
from ckanext.ukharvest.lib.slots import facts_of as facts_of_features
from ckanext.ukharvest.rendering import extent_map, inspire, values
from ckanext.ukharvest.rendering import fields as field_rows
from ckanext.ukharvest.rendering.fields import TECHNICAL, Row, Rows, is_location_data


def ukharvest_may_edit(package: dict[str, Any]) -> bool:
    """Tell whether the user may edit the dataset; no query for anonymous users."""
    return not tk.current_user.is_anonymous and may(context(), "package_update", id=package["id"])


def ukharvest_supplied_labels(origin: dict[str, Any], resource_id: str = "") -> list[str]:
    """Return the labels of the fields that come from the source, [] if they are not known.

    Without technical fields, and those that imports do not change.

    Args:
        origin: as ``ukharvest_provenance`` returns it.
        resource_id: of a resource, "" for the dataset's fields.
    """
    supplied = origin["supplied_fields"] or {"dataset": [], "resources": {}}
    fields = supplied["resources"].get(resource_id, []) if resource_id else supplied["dataset"]
    hidden = TECHNICAL | {field["field"] for field in origin["kept_fields"]}
    labels = [field["label"] for field in fields if resource_id or field["field"] not in hidden]
    return list(dict.fromkeys(labels))


def ukharvest_web_url(url: str | None) -> str:
    """Return the URL if it is one that a page may link to, else ""."""
    return url if url and is_web_url(url) else ""


def ukharvest_contacts(package: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a dataset's contacts: dicts with ``heading`` and ``lines`` (markup).

    Contacts come from extras; for harvested datasets without these, from the maintainer.
    """
    facts = facts_of(package)
    if ukharvest_is_harvested(package) and not any(
        facts.get(f"contact-{part}") for part in ("name", "email")
    ):
        for key, part in (("maintainer", "name"), ("maintainer_email", "email")):
            facts[f"contact-{part}"] = str(package.get(key) or "")
    headings = {"contact": tk._("Contact"), "foi": tk._("Freedom of information")}
    contacts = []
    for prefix, heading in headings.items():
        name, email, phone, web = (
            facts.get(f"{prefix}-{part}", "") for part in ("name", "email", "phone", "web")
        )
        render = values.render_extra
        lines = (render(name), inspire.mail_to(email), render(phone), render(web))
        if any(lines):
            contacts.append({"heading": heading, "lines": list(filter(None, dict.fromkeys(lines)))})
    return contacts


def ukharvest_licence(package: dict[str, Any]) -> Markup | None:
    """Return a licence that is only given as text by the source; None if CKAN knows the licence."""
    if package.get("license_id") or not ukharvest_is_harvested(package):
        return None
    facts = facts_of(package)
    words = facts.get("licence") or facts.get("rights") or ""
    url = next((facts[key] for key in ("licence_url", "license_url") if facts.get(key)), "")
    if url and is_web_url(url):
        return values.render_link(url, words) if words else values.render_licence(url, portal())
    return values.render_extra(words) or None


def ukharvest_dataset_head(package: dict[str, Any]) -> dict[str, Any]:
    """Return what stands under a dataset's title besides the facts of features.

    Returns:
        ``is_location`` (whether it is UK location data) and ``people``: label → markup of
        publisher and, for location data, provider and responsible party.
    """
    facts = facts_of(package)
    is_location = is_location_data(facts)
    people = {
        tk._("Publisher"): _publisher(package, facts),
        tk._("Provider"): facts.get("provider", "") if is_location else "",
        tk._("Responsible party"): _parties(facts) if is_location else "",
    }
    return {
        "is_location": is_location,
        "people": {label: value for label, value in people.items() if value},
    }


def _publisher(package: Mapping[str, Any], facts: Mapping[str, str]) -> Markup:
    """Return the publisher as markup, "" if it is the organisation that the page shows anyway."""
    name, url = facts.get("dcat_publisher_name", ""), facts.get("dcat_publisher_uri", "")
    organisation = package.get("organization") or {}
    if not name or name.casefold() == str(organisation.get("title") or "").casefold():
        return Markup("")
    return values.render_link(url, name) if is_web_url(url) else values.render_extra(name)


def _parties(facts: Mapping[str, str]) -> Markup:
    for key in ("responsible-organisation", "responsible-party"):
        if facts.get(key) and (value := inspire.render_parties(facts[key], portal())):
            return value
    return Markup("")


# harvest_extras of its plugin adds them to what package_show returns.
_SHOWN_BY_HARVEST = ("harvest_object_id", "harvest_source_id", "harvest_source_title")


@once_per_page
def ukharvest_facts(package: Mapping[str, Any]) -> Rows | None:
    """Return the rows of a dataset's additional information, with labels and values.

    None if it was not harvested and has none of this extension's fields: then CKAN's own table is
    shown. Leaves out the fields in ``package_hide_extras``.
    """
    facts, harvested = facts_of(package), ukharvest_is_harvested(package)
    if not harvested and not facts.keys() & DATASET_KEYS:
        return None
    if harvested:
        return _rows(package, facts, {**_of_ckan(package), **_relations(package)}, facts)
    own = {key: text for key, text in facts.items() if key in DATASET_KEYS}
    shown = _rows(package, own, _of_ckan(package))
    # Unknown extras are shown as CKAN does.
    others = (Row(key, key, escape(facts[key])) for key in sorted(facts.keys() - own.keys()))
    return Rows((*shown.known, *others), ())


@once_per_page
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
    rows = _rows(package, left, _relations(package) if harvested else {}, facts)
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


def ukharvest_harvested_rows(package: Mapping[str, Any], others: Collection[str]) -> list[Row]:
    """Return the rows of a dataset's extras for its form, labelled as on its page.

    Args:
        others: keys of extras with a field of their own in the form.
    """
    facts = facts_of({"extras": package.get("extras") or ()})
    rows = _rows(package, {key: facts[key] for key in facts if key not in others}, {})
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
    render = field_rows.find_field(key).render
    if render is None:
        return values.render_extra(value if isinstance(value, str) else json.dumps(value))
    shown = render(value, portal())
    for note in facts_of_features("field", key, package) if package else ():
        shown += Markup(' <span class="small text-muted">({})</span>').format(note)
    return shown


def _rows(
    package: Mapping[str, Any],
    facts: dict[str, str],
    more: dict[str, Markup],
    on_page: Mapping[str, str] | None = None,
) -> Rows:
    """Return rows of facts, without those that other parts of a page show.

    Args:
        on_page: all facts of the dataset, if it is its page; None for a form.
    """
    own = {
        key: ukharvest_field_value(key, facts[key], package) for key in DATASET_KEYS & facts.keys()
    }
    spatial = facts.get("spatial", "")
    own["spatial"] = escape(extent_map.describe_extent(spatial, tk._) or spatial)
    is_harvested = ukharvest_is_harvested(package)
    return field_rows.field_rows(
        facts,
        portal(),
        {**own, **more},
        elsewhere=_shown_elsewhere(package, on_page) if on_page and is_harvested else (),
        is_harvested=is_harvested,
    )


def _shown_elsewhere(package: Mapping[str, Any], facts: Mapping[str, str]) -> set[str]:
    """Return the keys of facts that the page of a harvested dataset shows outside its table."""
    always = (field_rows.HARVEST_BOX, field_rows.CONTACT)
    keys = {key for key, field in field_rows.FIELDS.items() if field.place in always}
    if facts.get("contact-email"):  # the box of contacts names no maintainer then
        keys.discard(field_rows.MAINTAINER)
    keys.add("dcat_publisher_name")
    if facts.get("dcat_publisher_name") and is_web_url(facts.get("dcat_publisher_uri", "")):
        keys.add("dcat_publisher_uri")
    if is_location_data(facts):
        keys |= {"provider", "responsible-organisation", "responsible-party"}
    if extent_map.describe_extent(facts.get("spatial", "")):
        keys.add("spatial")
    if place := find_place(facts):
        keys |= {place, "spatial_uri"} if is_web_url(facts.get("spatial_uri", "")) else {place}
    link = licences.find(facts.get("licence_url") or facts.get("license_url") or "")
    if not package.get("license_id"):
        keys |= {"licence", "licence_url", "license_url"}
        keys |= set() if facts.get("licence") else {"rights"}
    elif link and link.id == package["license_id"]:
        keys |= {"licence_url", "license_url"}
    return keys


def find_place(facts: Mapping[str, str]) -> str:
    """Return the key of the place names that stand beside the map of a dataset, "" for none."""
    names = ("spatial-text", "geographic_coverage", "spatial-coverage")
    return next((key for key in names if facts.get(key)), "")


def _of_ckan(package: Mapping[str, Any]) -> dict[str, Markup]:
    """Return the values of CKAN's own rows."""
    url, version = (str(package.get(key) or "") for key in ("url", "version"))
    return {
        field_rows.ADDED: texts.when(package.get("metadata_created"), day_only=True),
        field_rows.CHANGED: texts.when(package.get("metadata_modified"), day_only=True),
        field_rows.WEB_PAGE: values.render_link_or_text(url),
        field_rows.AUTHOR: _person(package, "author"),
        field_rows.MAINTAINER: _person(package, "maintainer"),
        field_rows.VERSION: escape(version),
    }


def _person(package: Mapping[str, Any], key: str) -> Markup:
    name, mail = (str(package.get(name_) or "") for name_ in (key, f"{key}_email"))
    both = (escape(name), inspire.mail_to(mail))
    return Markup(", ").join(part for part in dict.fromkeys(both) if part)


def _relations(package: Mapping[str, Any]) -> dict[str, Markup]:
    """Return the rows of collections, and of services and their datasets, as links."""
    return {**_collections(package), **_couplings(package)}


def _collections(package: Mapping[str, Any]) -> dict[str, Markup]:
    """Return the rows about what a dataset is part of, and about its parts.

    Identifiers of the source are not shown beside the datasets that all of them name.
    """
    facts = ukharvest_dataset(package)["collections"]
    rows = {field_rows.WHOLES: _links(facts["part_of"]), field_rows.PARTS: Markup("")}
    if number := facts["parts_count"]:
        words = tk.ungettext("{n} dataset", "{n} datasets", number).format(n=f"{number:,}")
        url = search_url(values.INDEXED[PART_OF], package["id"])
        every = Markup('<a href="{}">{}</a>').format(url, words)
        rows[field_rows.PARTS] = values.render_list([every, _links(facts["parts"])])
    for key, relation in relations.EXTRAS.items():
        if relation == relations.IS_PART_OF and relations.are_known(
            fact(package, key), facts["references"]
        ):
            rows[key] = Markup("")
    return rows


def _couplings(package: Mapping[str, Any]) -> dict[str, Markup]:
    coupled = ukharvest_dataset(package)["coupled"]
    if coupled["is_unknown"]:
        is_service = fact(package, "resource-type") == "service"
        key = field_rows.COUPLED_DATASETS if is_service else field_rows.COUPLED_SERVICES
        return {
            field_rows.COUPLED_DATASETS: Markup(""),
            key: escape(tk._("Not shown: this site's search failed. Try again later.")),
        }
    return {
        field_rows.COUPLED_DATASETS: _links(coupled["datasets"], _elsewhere(package, coupled)),
        field_rows.COUPLED_SERVICES: _links(coupled["services"]),
    }


def _links(others: list[dict[str, Any]], elsewhere: Iterable[Markup] = ()) -> Markup:
    link = Markup('<a href="{}">{}</a>')
    links = [
        link.format(tk.h.url_for("dataset.read", id=other["name"]), other["title"] or other["name"])
        for other in others
    ]
    return values.render_list([*links, *elsewhere])


def _elsewhere(package: Mapping[str, Any], coupled: dict[str, Any]) -> Iterator[Markup]:
    """Yield the datasets that a service's record names and that are not on this site."""
    try:
        named = values.parse_json(fact(package, "coupled-resource") or "[]")
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
        if words := values.render_link_or_text(url, title):
            yield Markup("{} ({})").format(words, tk._("not on this site"))


def _is_known(named: dict[str, Any], references: Collection[str]) -> bool:
    href, uuid = str(named.get("href") or ""), str(named.get("uuid") or "")
    return any(
        reference in (href, uuid) or (len(reference) > 8 and reference in href)
        for reference in references
    )
