"""What a dataset's extras are called on its page, in which order, and how a value is shown.

Lists and objects are stored as JSON, because an extra is one text; people see neither brackets nor
quotes. Every text comes from a stranger: it is escaped, and only web addresses become links.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from ckanext.ukharvest import fields
from ckanext.ukharvest.core.web import is_web_url


def _own(*keys: str) -> dict[str, str]:
    return {field.key: field.label for key in keys for field in fields.FIELDS if field.key == key}


# In the order of the page: the resource, where and when, how good, who, on what terms, the record.
LABELS = {
    **_own("theme-primary", "theme-secondary", "la_function", "la_service", "unpublished"),
    "resource-type": "Kind of resource",
    "hierarchy-level-name": "Kind, in the publisher's words",
    "UKLP": "UK Location Programme",
    "alternative-title": "Also known as",
    "resource-identifier": "Identifier of the resource",
    "parent-identifier": "Part of (identifier)",
    "topic-category": "Topic category",
    "inspire-themes": "INSPIRE theme",
    "dcat_subject": "Themes in the publisher's words",
    "theme": "Themes in the publisher's words",
    "subject": "Subjects in the publisher's words",
    "keywords": "Keywords by vocabulary",
    "purpose": "Purpose",
    "additional-information": "Additional information",
    "language": "Language",
    "spatial-data-service-type": "Kind of service",
    "service-type-version": "Version of the service",
    "coupled-resource": "Operates on",
    "spatial-text": "Place",
    "spatial-coverage": "Places",
    "spatial_uri": "Place (address)",
    "spatial": "Extent",
    "bbox-west-long": "Western limit (longitude)",
    "bbox-east-long": "Eastern limit (longitude)",
    "bbox-south-lat": "Southern limit (latitude)",
    "bbox-north-lat": "Northern limit (latitude)",
    "bbox-original": "Extent as given",
    "vertical-extent": "Vertical extent",
    "spatial-reference-system": "Spatial reference system",
    "spatial-reference-systems": "Spatial reference systems",
    "spatial-resolution": "Spatial resolution",
    "equivalent-scale": "Scale, 1 to",
    "spatial-representation-type": "Spatial representation",
    **_own("temporal_coverage-from", "temporal_coverage-to"),
    "temporal-extents": "Periods covered",
    "dataset-reference-date": "Reference dates",
    "data_issued": "Data published",
    "data_modified": "Data last changed",
    "frequency-of-update": "Updated",
    **_own("update_frequency"),
    "maintenance-note": "Note on maintenance",
    "progress": "State",
    "lineage": "Lineage",
    "quality-scope": "Quality is stated for",
    "conformity": "Conformity",
    "data-format": "Data formats",
    "character-set": "Character set",
    "provider": "Provider",
    "responsible-party": "Responsible party",
    "responsible-organisation": "Responsible organisations",
    "distributor": "Distributor",
    "credit": "Credit",
    "dcat_publisher_name": "Publisher",
    "dcat_publisher_email": "E-mail of the publisher",
    "dcat_publisher_uri": "Address of the publisher",
    "contact-name": "Contact",
    "contact-email": "E-mail of the contact",
    "licence": "Licence and conditions of use",
    "licence_url": "Licence (address)",
    "license_url": "Licence (address)",
    "rights": "Rights",
    "access_constraints": "Constraints on access and use",
    "limitations-on-public-access": "Limitations on public access",
    "access-restrictions": "Access is restricted by",
    "use-restrictions": "Use is restricted by",
    "security-classification": "Security classification",
    "aggregation-info": "Related resources",
    **_own("schema", "codelist", "mandate"),
    "graphic-preview-file": "Preview picture",
    "graphic-preview-description": "Description of the preview",
    "guid": "Identifier of the record",
    "metadata-date": "Date of the record",
    "metadata-language": "Language of the record",
    "metadata-contact": "Contact for the record",
    "metadata-contact-email": "E-mail of the contact for the record",
    "metadata-standard-name": "Standard of the record",
    "metadata-standard-version": "Version of the standard",
    "harvest_source_reference": "Harvested as",
    "harvest_source_title": "Harvest source",
}

# Means something to programs alone.
HIDDEN = frozenset(
    ("import_source", "harvest_object_id", "harvest_source_id", "spatial_harvester")
    + ("graphic-preview-type", "spatial-resolution-units", "spatial-original")
)
# Extras that say less than another one that is there.
SAID_BETTER = {
    **dict.fromkeys(
        ("bbox-west-long", "bbox-east-long", "bbox-south-lat", "bbox-north-lat"), "spatial"
    ),
    "spatial-reference-system": "spatial-reference-systems",
    "responsible-party": "responsible-organisation",
    "license_url": "licence_url",
    # Of DCAT, as ckanext-dcat keeps them; what they say is in ours.
    "theme": "dcat_subject",
    "subject": "dcat_subject",
}

MOST = 100  # items of one list that are shown
DEEPEST = 4  # objects within objects; real ones have two levels

_HEADS = ("title", "name", "text", "code", "identifier", "value")
_LINKS = ("href", "url")
# The unit by its register's name, as GEMINI wants it: 9001 is the metre.
_METRE = ("urn:ogc:def:uom:EPSG::9001", "EPSG::9001")


def rows(
    facts: Mapping[str, str], said: Mapping[str, Markup] | None = None
) -> list[tuple[str, Markup]]:
    """Return label and value of each extra that people can read, in the order of LABELS.

    Args:
        facts: a dataset's extras, all of them; those without a label come last, by name.
        said: values that are markup already, for some of the keys.
    """
    said = said or {}
    facts = {**facts, "spatial-resolution": _resolution(facts)}
    order = {key: number for number, key in enumerate(LABELS)}
    found = []
    for key in sorted(facts, key=lambda key: (order.get(key, len(order)), key)):
        if key in HIDDEN or facts.get(SAID_BETTER.get(key, "")):
            continue
        value = said[key] if key in said else shown(facts[key])
        if value:
            found.append((LABELS.get(key) or _words(key), value))
    return found


def shown(text: str) -> Markup:
    """Return an extra's value as markup; "" where it says nothing, such as "[]"."""
    if text[:1] not in ("[", "{"):
        return _text({"True": "yes", "False": "no"}.get(text, text))
    try:
        value = from_json(text)
    except (ValueError, RecursionError):
        return _text(text)
    return _shown(value, DEEPEST)


def from_json(text: str) -> Any:
    """Return what a text says in JSON, which can spell half a character; no page can hold that.

    Raises:
        ValueError, RecursionError: it is no JSON, or too deep.
    """
    return json.loads(json.dumps(json.loads(text), ensure_ascii=False).encode("utf-8", "replace"))


def _resolution(facts: Mapping[str, str]) -> str:
    number, unit = facts.get("spatial-resolution", ""), facts.get("spatial-resolution-units", "")
    return f"{number} {'m' if unit in _METRE else unit}".strip() if number else ""


def _shown(value: Any, depth: int) -> Markup:
    if value is None:
        return Markup("")
    if isinstance(value, bool):
        return escape("yes" if value else "no")
    if isinstance(value, (list, dict)) and not depth:
        return _text(json.dumps(value, ensure_ascii=False))
    if isinstance(value, list):
        return _list(value, depth)
    if isinstance(value, dict):
        return _object({str(key): each for key, each in value.items()}, depth)
    return _text(str(value))


def _text(text: str) -> Markup:
    if is_web_url(text):
        return _link(text, escape(text))
    return escape(text)


def _link(url: str, words: Markup) -> Markup:
    return Markup('<a href="{}" rel="nofollow noopener">{}</a>').format(url, words)


def _list(values: list[Any], depth: int) -> Markup:
    items = [item for each in values[:MOST] if (item := _shown(each, depth - 1))]
    return listed(items, len(values) - MOST)


def listed(items: Sequence[Markup], more: int = 0) -> Markup:
    """Return one value as it is, several as a list; ``more`` are not among them."""
    if more > 0:
        items = [*items, escape(f"… {more:,} more")]
    if len(items) < 2:
        return Markup("").join(items)
    found = Markup("").join(Markup("<li>{}</li>").format(item) for item in items)
    return Markup('<ul class="list-unstyled mb-0">{}</ul>').format(found)


def _object(value: dict[str, Any], depth: int) -> Markup:
    """Show an object as its name, linked if it has an address, and the rest in brackets."""
    if isinstance(value.get("keywords"), list):
        return _vocabulary(value, depth)
    if value.keys() == {"type", "value"}:
        return Markup("{}: {}").format(
            *(_shown(value[key], depth - 1) for key in ("type", "value"))
        )
    if "from" in value or "to" in value:
        return _period(value)
    named = next((key for key in _HEADS if value.get(key)), "")
    linked = next((key for key in _LINKS if is_web_url(str(value.get(key, "")))), "")
    head = _shown(value.get(named or linked), depth - 1)
    if linked and named:
        head = _link(str(value[linked]), escape(str(value[named])))
    rest = [
        Markup("{}: {}").format(_words(key).lower(), said)
        for key, each in value.items()
        if key not in (named, linked) and each != value.get(named)
        if (said := _shown(each, depth - 1))
    ]
    return _with_rest(head, rest)


def _vocabulary(value: dict[str, Any], depth: int) -> Markup:
    words = Markup(", ").join(_shown(each, depth - 1) for each in value["keywords"][:MOST])
    name = str(value.get("vocabulary") or value.get("title") or "")
    return Markup("{}: {}").format(name, words) if name else words


def _period(value: dict[str, Any]) -> Markup:
    ends = [str(value.get(key) or value.get(f"{key}-position") or "…") for key in ("from", "to")]
    about = value.get("description")
    return _with_rest(escape(" – ".join(ends)), [escape(str(about))] if about else [])


def _with_rest(head: Markup, rest: Iterable[Markup]) -> Markup:
    joined = Markup(", ").join(rest)
    if not head or not joined:
        return head or joined
    return Markup("{} ({})").format(head, joined)


def _words(key: str) -> str:
    """Return a name for people of a key without a label."""
    words = " ".join(key.replace("_", " ").replace("-", " ").split())
    return words[:1].upper() + words[1:]
