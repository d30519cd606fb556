"""Resources of an inventory's dataset: each rendition of each resource is one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from ckanext.ukharvest.core.records import ResourceRecord
from ckanext.ukharvest.core.values import formats, schema_types
from ckanext.ukharvest.core.values.languages import read_languages
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.periods import Periods, join_periods, read_periods
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.parsers import uk_fields, unread_fields
from ckanext.ukharvest.parsers.inventory.document import is_active
from ckanext.ukharvest.parsers.xml_fields import NO_DATE, Node

AVAILABILITY = ("download", "service", "on application")
_KINDS = {"data": "data", "document": "documentation"}
# Children that are read.
_OF_RESOURCE = frozenset(
    ("Identifier", "Title", "Description", "Coverage", "Renditions", "Modified", "TemporalFrom")
    + ("TemporalTo", "Active", "Language", "Type")
)
_OF_RENDITION = frozenset(
    ("Identifier", "MimeType", "Title", "Description", "Availability", "ConformsTo", "Modified")
    + ("Active",)
)


def resources(dataset: Node, modified: str) -> tuple[ResourceRecord, ...]:
    """Return the active renditions of a dataset's active resources.

    Args:
        dataset: the Dataset.
        modified: the dataset's modification date, inherited by its resources.
    """
    records = [
        resource
        for part in dataset.find_all("Resources", "Resource")
        if active(part)
        for resource in _renditions(part, part.date("Modified") or modified)
    ]
    # Older DataShare versions give several files one identifier: then the URL tells them apart.
    counts = Counter(resource.id for resource in records)
    return tuple(r if counts[r.id] == 1 else replace(r, id="") for r in records)


def active(part: Node) -> bool:
    """Tell whether a dataset, resource or rendition is active; report other values."""
    text = part.attribute("Active")
    state = is_active(text)
    if state is None:
        part.report("bad-active", "@Active", f"'{shorten(text, 40)}'; expected Yes or No")
    return state is not False


def languages(part: Node) -> tuple[str, ...]:
    """Return the languages of a resource or an inventory as tags."""
    return read_languages([part.attribute("Language")], part.reporter("@Language"))


def periods(part: Node) -> Periods:
    """Return the time span of a resource."""
    return join_periods(map(_period, part.find_all("Coverage")))


def _period(part: Node) -> Periods:
    ends = _moment(part, "TemporalFrom"), _moment(part, "TemporalTo")
    names = {"start": "@TemporalFrom", "end": "@TemporalTo"}
    return read_periods([ends], lambda code, words, end: part.report(code, names[end], words))


def _moment(part: Node, name: str) -> str:
    text = part.attribute(name) or part.text(name)
    return "" if text.startswith(NO_DATE) else text


def places(part: Node) -> tuple[str, ...]:
    """Return a resource's places."""
    areas = part.find_all("Coverage")
    names = (text for area in areas for text in area.texts("Spatial"))
    return tuple(dict.fromkeys(names))


def _renditions(part: Node, modified: str) -> Iterator[ResourceRecord]:
    kind = _kind(part)
    covered, areas = periods(part), places(part)
    spoken = ", ".join(languages(part))
    title, about = plain_line(part.text("Title")), plain_text(part.text("Description"))
    for rendition in part.find_all("Renditions", "Rendition"):
        url = _url(rendition)
        if not active(rendition) or not url:
            continue
        mimetype = formats.without_registry(rendition.text("MimeType"))
        label = formats.label(mimetype) or formats.of_url(url)
        if mimetype and not label:
            words = f"'{shorten(mimetype, 40)}' is not a known type; expected one such as text/csv"
            rendition.report("unknown-format", "MimeType", words)
        schema_url, extras = _schema(rendition)
        extras["language"] = spoken
        extras["schema_type"] = schema_types.guess(schema_url, label)
        extras["spatial_uri"] = " ".join(areas)
        extras.update(covered.extras)
        extras["availability"] = availability = rendition.text("Availability")
        if availability and availability.lower() not in AVAILABILITY:
            expected = "expected Download, Service or On application"
            shown = shorten(availability, 40)
            rendition.report("unexpected-value", "Availability", f"'{shown}'; {expected}")
        name = plain_line(rendition.text("Title")) or title
        description = plain_text(rendition.text("Description")) or about
        extras["resource_title"] = title if title != name else ""
        extras["resource_description"] = about if about != description else ""
        yield ResourceRecord(
            url=url,
            id=_id(part, mimetype),
            name=name,
            description=description,
            format=label,
            mimetype=mimetype,
            kind="service" if kind == "data" and availability.lower() == "service" else kind,
            modified=rendition.date("Modified") or modified,
            temporal=covered.whole,
            schema_url=schema_url,
            extras=unread_fields.added_to(
                {key: value for key, value in extras.items() if value},
                (*rendition.unread(_OF_RENDITION), *part.unread(_OF_RESOURCE)),
                of_file=True,
            ),
        )


def _kind(part: Node) -> str:
    text = part.attribute("Type")
    kind = _KINDS.get(text.lower(), "")
    if not kind:
        words = f"'{shorten(text, 40)}'" if text else "missing"
        part.report("bad-type", "@Type", f"{words}; expected Data or Document")
    return kind or "data"


def _id(part: Node, mimetype: str) -> str:
    # Without the URL: DataShare's contain the day of the request.
    identifier = part.text("Identifier")
    return f"{identifier} {mimetype}".strip() if identifier else ""


def _url(rendition: Node) -> str:
    name = "Identifier"
    text = rendition.text(name)
    if not text:
        rendition.report("missing-url", name, "missing; expected the address of the file")
        return ""
    return rendition.link(name, text)


def _schema(rendition: Node) -> tuple[str, dict[str, str]]:
    """Return the URL of the standard that a file follows, and other facts about its structure."""
    texts = dict.fromkeys(rendition.texts("ConformsTo"))
    own = [text for text in texts if uk_fields.is_definition(text)]
    standards = [text for text in texts if text not in own]
    urls = [text for text in standards if is_web_url(text)]
    others = [text for text in standards if text not in urls[:1]]
    extras = {"conforms_to": ", ".join(others), "described_by": ", ".join(own)}
    return next(iter(urls), ""), extras
