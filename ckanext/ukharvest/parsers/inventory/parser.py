"""Datasets of Inventory XML, the format of the LGA's ESD and of the DataShare software.

Specification: schemas.esd.org.uk/inventory (versions 0.1 to 0.3) and its guidance of 2014.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

from lxml import etree

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import DatasetRecord, Problem, RawRecord, ResourceRecord
from ckanext.ukharvest.core.values import (
    formats,
    licences,
    local_government_lists,
    parties,
)
from ckanext.ukharvest.core.values.languages import read_languages
from ckanext.ukharvest.core.values.licences import read_licence
from ckanext.ukharvest.core.values.markup import plain_line
from ckanext.ukharvest.core.values.periods import Periods, join_periods
from ckanext.ukharvest.core.values.places import read_places
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.values.web_addresses import is_web_url, parse_url
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers import table, uk_fields
from ckanext.ukharvest.parsers.inventory.document import is_active
from ckanext.ukharvest.parsers.table import Field, FieldValues, row
from ckanext.ukharvest.parsers.xml_fields import Node, words_in, wrong_root

AVAILABILITY = ("download", "service", "on application")
_KINDS = {"data": "data", "document": "documentation"}
# Children that are read.
_OF_RESOURCE = frozenset(
    ("Identifier", "Title", "Description", "Coverage", "Renditions", "Modified", "Active")
)
_OF_COVERAGE = ("Spatial", "TemporalFrom", "TemporalTo")
_OF_RENDITION = frozenset(
    ("Identifier", "MimeType", "Title", "Description", "Availability", "ConformsTo", "Modified")
    + ("Active",)
)


def _files(dataset: Node, modified: str) -> tuple[ResourceRecord, ...]:
    """Return the active renditions of a dataset's active resources.

    Args:
        dataset: the Dataset.
        modified: the dataset's modification date, inherited by its resources.
    """
    records = [
        resource
        for part in dataset.find_all("Resources", "Resource")
        if _is_active(part)
        for resource in _renditions(part, part.date("Modified") or modified)
    ]
    # Older DataShare versions give several files one identifier: then the URL tells them apart.
    counts = Counter(resource.id for resource in records)
    return tuple(r if counts[r.id] == 1 else replace(r, id="") for r in records)


def _is_active(part: Node) -> bool:
    """Tell whether a dataset, resource or rendition is active; report other values."""
    text = part.attribute("Active")
    state = is_active(text)
    if state is None:
        part.report(
            "bad-active", "@Active", Message("'{text}'; expected Yes or No", text=shorten(text, 40))
        )
    return state is not False


def _languages(part: Node) -> tuple[str, ...]:
    """Return the languages of a resource or an inventory as tags."""
    return read_languages([part.attribute("Language")], part.reporter("@Language"))


def _periods(part: Node) -> Periods:
    """Return the time span of a resource."""
    return join_periods(map(_period, part.find_all("Coverage")))


def _period(part: Node) -> Periods:
    start, end = (next(iter(part.date_texts(name)), "") for name in ("TemporalFrom", "TemporalTo"))
    return part.read_periods([(start, end)], "", "@TemporalFrom", "@TemporalTo")


def _places(part: Node) -> tuple[str, ...]:
    """Return a resource's places."""
    own = (coverage.own_text() for coverage in part.find_all("Coverage"))
    return tuple(dict.fromkeys([*part.texts("Coverage/Spatial"), *filter(None, own)]))


def _renditions(part: Node, modified: str) -> Iterator[ResourceRecord]:
    kind = _kind(part)
    covered, areas = _periods(part), _places(part)
    spoken = ", ".join(_languages(part))
    title, about = table.lines(part, ("Title",)), table.paragraphs(part, ("Description",))
    identifier = part.text("Identifier")
    for rendition in part.find_all("Renditions", "Rendition"):
        url = _url(rendition)
        if not _is_active(rendition) or not url:
            continue
        mimetype = formats.without_registry(rendition.text("MimeType"))
        label = formats.label(mimetype) or formats.of_url(url)
        if mimetype and not label:
            words = Message(
                "'{mimetype}' is not a known type; expected one such as text/csv",
                mimetype=shorten(mimetype, 40),
            )
            rendition.report("unknown-format", "MimeType", words)
        schema_url, extras = _schema(rendition)
        availability = rendition.text("Availability")
        expected = "Download, Service or On application"
        _report_unlisted(rendition, "Availability", availability, AVAILABILITY, expected)
        name = table.lines(rendition, ("Title",)) or title
        description = table.paragraphs(rendition, ("Description",)) or about
        extras |= {
            "language": spoken,
            "schema_type": formats.guess_schema_type(schema_url, label),
            "spatial_uri": " ".join(areas),
            **covered.extras,
            "availability": availability,
            "resource_title": title if title != name else "",
            "resource_description": about if about != description else "",
        }
        yield ResourceRecord(
            url=url,
            # Without the URL: DataShare's contain the day of the request.
            id=f"{identifier} {mimetype}".strip() if identifier else "",
            name=name,
            description=description,
            format=label,
            mimetype=mimetype,
            kind="service" if kind == "data" and availability.lower() == "service" else kind,
            modified=rendition.date("Modified") or modified,
            temporal=covered.whole,
            schema_url=schema_url,
            extras=table.add_unread(
                {key: value for key, value in extras.items() if value},
                chain(
                    rendition.unread(_OF_RENDITION),
                    part.unread(_OF_RESOURCE),
                    *(coverage.unread(_OF_COVERAGE) for coverage in part.find_all("Coverage")),
                ),
                of_file=True,
            ),
        )


def _report_unlisted(
    part: Node, name: str, text: str, known: Container[str], expected: str
) -> None:
    """Report a text that is not in the list of its field."""
    if text and text.lower() not in known:
        part.report(
            "unexpected-value",
            name,
            Message("'{text}'; expected {expected}", text=shorten(text, 40), expected=expected),
        )


def _kind(part: Node) -> str:
    text = part.attribute("Type")
    kind = _KINDS.get(text.lower(), "")
    if not kind:
        given = Message("'{text}'", text=shorten(text, 40)) if text else Message("missing")
        part.report("bad-type", "@Type", Message("{given}; expected Data or Document", given=given))
    return kind or "data"


def _url(rendition: Node) -> str:
    if not rendition.text("Identifier"):
        rendition.report(
            "missing-url", "Identifier", Message("missing; expected the address of the file")
        )
    return rendition.link("Identifier")


def _schema(rendition: Node) -> tuple[str, dict[str, str]]:
    """Return the URL of the standard that a file follows, and other facts about its structure."""
    texts = dict.fromkeys(rendition.texts("ConformsTo"))
    own = [text for text in texts if uk_fields.is_definition(text)]
    standards = [text for text in texts if text not in own]
    urls = [text for text in standards if is_web_url(text)]
    others = [text for text in standards if text not in urls[:1]]
    extras = {"conforms_to": ", ".join(others), "described_by": ", ".join(own)}
    return next(iter(urls), ""), extras


VERSION = 4
FORM = "xml"
OPTIONS = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """A dataset, and the inventory from which it inherits."""

    inventory: Node
    dataset: Node
    identifier: str

    def part(self, prefix: str) -> Node:
        """Return the element whose children have names with this prefix."""
        return self.inventory if prefix else self.dataset


def parse(raw: RawRecord, options: Mapping[str, Any]) -> DatasetRecord:
    """Read an inventory of one dataset, as the reader cuts them out, or a lone Dataset.

    Raises:
        ParseError: another document, or without title or identity.
    """
    problems: list[Problem] = []
    entry = _entry(raw, problems)
    table.require(raw, raw.guid, "Identifier", "missing-identifier")
    title = plain_line(entry.dataset.text("Title"))
    table.require(raw, title, "Title", "missing-title")
    _is_active(entry.dataset)
    # Fields that a dataset shares with its resources are read for each, but reported once.
    return table.read_record(
        raw,
        title,
        MAPPING,
        entry,
        problems,
        needed=_NEEDED,
        unread=lambda barren: entry.dataset.unread(_READ - barren),
    )


_NEEDED = {
    "notes": ("Description", Message("what the data is")),
    "licence": ("Rights", Message("the web address of a licence")),
}


def _entry(raw: RawRecord, problems: list[Problem]) -> Entry:
    root = xml.parse(raw.content or "", url=raw.url)
    is_alone = xml.local_name(root) == "Dataset"
    dataset = root if is_alone else root.find("{*}Datasets/{*}Dataset")
    if dataset is None:
        raise wrong_root(raw, root, "an inventory with a Dataset")
    inventory = etree.Element("Inventory") if is_alone else root
    return Entry(
        Node(inventory, problems, "Inventory/", raw.url),
        Node(dataset, problems, base=raw.url),
        raw.guid,
    )


def _terms(entry: Entry) -> FieldValues:
    named: list[str] = []
    for rights in entry.dataset.texts("Rights"):
        entry.dataset.parse_value("Rights", rights, parse_url, "bad-url")
        named.append(rights)
    holder = table.paragraphs(entry.dataset, ("RightsHolder",))
    if is_web_url(holder):
        meant = licences.find(holder)
        if meant and meant.id:
            words = Message(
                "'{holder}' is a licence; expected who holds the rights", holder=shorten(holder)
            )
            entry.dataset.report("bad-rights-holder", "RightsHolder", words)
            named.append(holder)
            holder = ""
    terms = table.texts(entry.dataset, ("Protected", "ProtectedText"))
    licence = read_licence(named, entry.dataset.reporter("Rights"), terms)
    return {"licence": licence, "extras": {"rights_holder": holder}}


def _dates(entry: Entry) -> FieldValues:
    modified = _modified(entry)
    return {"modified": modified, "metadata_modified": modified}


def _modified(entry: Entry) -> str:
    return entry.dataset.date("Modified") or entry.inventory.date("Modified")


_SUBJECTS = {"Service": local_government_lists.SERVICE, "Function": local_government_lists.FUNCTION}


def _subjects(entry: Entry) -> FieldValues:
    """Return services and functions; of other vocabularies, the subjects' texts."""
    texts: dict[str, list[str]] = {"Service": [], "Function": [], "": []}
    for subject in entry.dataset.find_all("Subjects", "Subject"):
        scheme = subject.attribute("Scheme").casefold()
        # DataShare writes subject.service and subject.function; the guidance allows others, such
        # as the ICO's publication scheme.
        is_other = scheme and "service" not in scheme and "function" not in scheme
        for name in _SUBJECTS:
            texts["" if is_other else name] += subject.texts(name)
        texts[""] += filter(None, [words_in(subject.element, ("",), tuple(_SUBJECTS))])
    return uk_fields.authority(
        *(
            uk_fields.FieldTexts(
                _SUBJECTS.get(name, ""),
                words,
                entry.dataset.reporter(f"Subjects/Subject/{name}".rstrip("/")),
            )
            for name, words in texts.items()
        )
    )


def _language(entry: Entry) -> FieldValues:
    parts = entry.dataset.find_all("Resources", "Resource")
    tags = dict.fromkeys(tag for part in parts for tag in _languages(part))
    return {"language": tuple(tags) or _languages(entry.inventory)}


def _coverage(entry: Entry) -> FieldValues:
    """Return the time span and places of the resources, else those of the inventory."""
    parts = list(entry.dataset.find_all("Resources", "Resource"))
    periods = join_periods(map(_periods, parts))
    places = [text for part in parts for text in _places(part)]
    places = places or list(entry.inventory.texts("Metadata/Coverage/Spatial"))
    place = read_places(dict.fromkeys(places), entry.dataset.reporter("Coverage/Spatial"))
    extras = {**periods.extras, **place.extras}
    return place.values | {"temporal": periods.whole, "extras": extras}


def _publisher(inventory: Node, names: table.Names) -> table.Several:
    agents = list(map(parties.parse_agent, inventory.texts(*names)))
    others = parties.other_parties(parties.with_role(agents[1:], parties.PUBLISHER))
    return table.Several(publisher=next(iter(agents), None), extras=others)


# RelationType → CKAN's names of relationships.
_RELATIONS = {
    "depends on": "depends_on",
    "derived from": "derives_from",
    "links to": "links_to",
    "": "relation",
}


def _relations(dataset: Node, _names: table.Names) -> table.Several:
    # Version 0.3 has a type per relation, older versions one for all relations of a dataset.
    shared = dataset.text("RelationType")
    targets: dict[str, list[str]] = {}
    for part in dataset.find_all("Relations", "Relation"):
        kind = part.text("RelationType") or shared
        target = table.words(part, ("DatasetIdentifier",)) or part.own_text()
        expected = "depends on, derived from or links to"
        _report_unlisted(part, "RelationType", kind, _RELATIONS, expected)
        if target:
            targets.setdefault(_RELATIONS.get(kind.lower(), "relation"), []).append(target)
    return table.Several(
        extras={name: ", ".join(dict.fromkeys(texts)) for name, texts in targets.items()}
    )


# Fields with a list of values, in any version; other values are kept and reported.
_LISTS = {
    "Protected": ("protected personal", "protected foi exempt")
    + ("protected intellectual property", "charge applies", "other"),
    "Context": ("reference", "operational", "aggregated", "strategic", "operational / raw")
    + ("statistical / processed", "analytical - tba", "political - tba"),
}


def _listed(dataset: Node, names: table.Names) -> str:
    """Return a text; report one that is not in the list of its field."""
    (name,) = names
    text, known = dataset.text(name), _LISTS[name]
    _report_unlisted(
        dataset, name, text, known, Message("one of: {known}", known=", ".join(known[:5]))
    )
    return text


def _charge(dataset: Node, names: table.Names) -> str:
    """Return the URL as given; report what is no URL."""
    text = dataset.text(names[0])
    dataset.parse_value(names[0], text, parse_url, "bad-url")
    return text


def _resources(entry: Entry) -> FieldValues:
    resources = _files(entry.dataset, _modified(entry))
    pages = (r.url for r in resources if r.kind == "documentation" and r.format == "HTML")
    is_published = any(r.kind in ("data", "service") for r in resources)
    return {
        "resources": resources,
        "url": next(filter(is_web_url, pages), ""),
        "schema_urls": tuple(dict.fromkeys(r.schema_url for r in resources if r.schema_url)),
        # The guidance: a dataset is published when it has a rendition of data.
        "extras": {"unpublished": "" if is_published else "true"},
    }


def _identifier(entry: Entry) -> FieldValues:
    return {"extras": {"inventory_identifier": entry.identifier}}


_RENDITION = ("Identifier", "MimeType", "Title", "Description", "Availability", "ConformsTo")

_inventory_row = partial(row, prefix="Inventory/")

MAPPING: tuple[Field | table.Row, ...] = (
    Field(("Identifier",), "guid, extra inventory_identifier", _identifier),
    Field(("Title",), "title"),
    row("Description", "notes", table.paragraphs),
    Field(("Rights", "RightsHolder"), "licence; extra rights_holder", _terms),
    Field(("@Modified",), "modified, metadata_modified", _dates),
    Field(
        ("Subjects/Subject/Service", "Subjects/Subject/Function"),
        "extras la_service, la_function; themes",
        _subjects,
    ),
    Field(("Inventory/@Language", "Resource/@Language"), "language", _language),
    Field(
        ("Resource/Coverage", "Inventory/Metadata/Coverage"),
        "temporal, spatial, spatial_text; extra spatial_uri",
        _coverage,
    ),
    _inventory_row("Metadata/Publisher", "publisher; extra responsible-organisation", _publisher),
    _inventory_row("Identifier", "extra inventory_document", table.text),
    _inventory_row("Creator", "extra inventory_creator", table.words),
    _inventory_row("Metadata/Title Title", "extra inventory_title", table.paragraphs),
    _inventory_row(
        "Metadata/Description Description", "extra inventory_description", table.paragraphs
    ),
    row(
        "Relations RelationType", "extras depends_on, derives_from, links_to, relation", _relations
    ),
    row("Protected", "extra protected", _listed),
    row("ProtectedText", "extra protected_text", table.paragraphs),
    row("Context", "extra context", _listed),
    row("ChargeURL", "extra charge_url", _charge),
    row("CommittmentDate", "extra publish-date", table.date),
    Field(
        ("Resource", "Resource/@Type", "Resource/@Active")
        + tuple(f"Rendition/{name}" for name in _RENDITION),
        "resources, url, schema_urls; extra unpublished",
        _resources,
    ),
    Field(("every other element",), "extras"),
)
# Children of a Dataset; a Resource is one only inside Resources.
_READ = table.names_read(MAPPING) - {"Resource"} | {"Resources", "Subjects", "Modified", "Active"}
