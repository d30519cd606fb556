"""Tables that drive a parser: fields of the source, their target, and the reader of such values.

``row("dc:publisher", "publisher", agent)`` reads the element ``publisher`` by the reader ``agent``
and writes the documentation; what several formats have in common is a reader here. A ``Field``
stands beside rows where a value needs more of the record than some of its fields.

A reader is called with an element or object (``xml_fields.Node``, ``json_fields.Fields``) and the
names of its fields. It returns the value of the row's target, or ``Several``. Fields that no row
reads are kept as extras under their own names; one that means something else here gets the prefix
"original_", as fields of other CKANs do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Protocol

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import (
    HARVEST_EXTRAS,
    Agent,
    DatasetRecord,
    Licence,
    Problem,
    RawRecord,
    ResourceRecord,
)
from ckanext.ukharvest.core.values import parties
from ckanext.ukharvest.core.values.file_facts import read_checksums, read_size
from ckanext.ukharvest.core.values.formats import without_registry
from ckanext.ukharvest.core.values.frequencies import read_frequency
from ckanext.ukharvest.core.values.languages import read_languages
from ckanext.ukharvest.core.values.licences import read_licence
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.multivalue import as_list, as_text, text_or_list
from ckanext.ukharvest.core.values.places import geometry_text
from ckanext.ukharvest.parsers import uk_fields
from ckanext.ukharvest.parsers.reporting import BaseNode as Node
from ckanext.ukharvest.parsers.reporting import is_of_field
from ckanext.ukharvest.parsers.uk_fields import PREFIX

Names = tuple[str, ...]
FieldValues = dict[str, Any]  # some of DatasetRecord's fields by name, "extras" among them
_EXTRA = "extra "  # before the name of an extra in a target


class Several(FieldValues):
    """Values of several targets."""


class Entry(Protocol):
    """A record as its rows get it."""

    def part(self, prefix: str) -> Any:
        """Return the node of the fields with a prefix, such as "metas.dcat."; "" without one."""


@dataclass(frozen=True, slots=True)
class Field:
    """A row whose values are read from the whole record.

    Attributes:
        source: names of the fields to read, in the format's own spelling.
        target: fields of DatasetRecord, and extras, that they become; texts for the documentation.
        reader: returns the values; None if they are read before or after the table.
    """

    source: Names
    target: str
    reader: Callable[[Any], FieldValues] | None = None

    def read(self, entry: Any) -> FieldValues:
        """Return the values of a record, by target."""
        return self.reader(entry) if self.reader else {}


@dataclass(frozen=True, slots=True)
class Row:
    """A row that reads fields one by one.

    Attributes:
        source: names of the fields to read, in the format's own spelling.
        target: the field of DatasetRecord that they become, or "extra NAME".
        reader: reads them.
        prefix: what these names begin with, if the entry has several nodes: "metas.dcat.".
        names: the same without prefix and namespaces, for ``reader``.
        extra: the extra's name in ``target``, "" for a field.
    """

    source: Names
    target: str
    reader: Callable[[Any, Names], Any]
    prefix: str
    names: Names
    extra: str

    def read(self, entry: Entry) -> FieldValues:
        """Return the values of a record, by target."""
        value = self.reader(entry.part(self.prefix), self.names)
        if isinstance(value, Several):
            return value
        if self.extra:
            return {"extras": {self.extra: value}} if value else {}
        return {self.target: value}


def row(source: str, target: str, reader: Callable[[Any, Names], Any], prefix: str = "") -> Row:
    """Return a row; ``source`` has names without the prefix, separated by blanks."""
    names = source.split()
    bare = tuple(dict.fromkeys(_NAMESPACE.sub("", name) for name in names))
    return named_row(tuple(prefix + name for name in names), target, reader, bare, prefix)


_NAMESPACE = re.compile(r"\w+:")


def named_row(
    source: Names,
    target: str,
    reader: Callable[[Any, Names], Any],
    names: Names,
    prefix: str = "",
) -> Row:
    """Return a row whose reader gets other names than the documentation has."""
    is_extra = target.startswith(_EXTRA)
    extra = target.removeprefix(_EXTRA).removesuffix(" (list)") if is_extra else ""
    return Row(source, target, reader, prefix, names, extra)


def collect(
    mapping: Iterable[Field | Row], entry: Any, barren: set[str] | None = None
) -> tuple[FieldValues, dict[str, str]]:
    """Read the rows of a table: fields of DatasetRecord, and extras that are not empty.

    Where two rows give the same field or extra, the first that is not empty counts.

    Args:
        barren: gets the fields of which no row made anything: if the source has them, it is in a
            shape that nobody expects, and they are kept like those that no row reads.
    """
    values: FieldValues = {}
    extras: dict[str, str] = {}
    fruitful: set[str] = set()
    for item in mapping:
        read = item.read(entry)
        own = read.pop("extras", None)
        if own := own and {name: text for name, text in own.items() if text}:
            extras = own | extras
        has_value = bool(own)
        for field, value in read.items():
            values[field] = values.get(field) or value
            has_value = has_value or bool(value)
        if has_value or item.reader is None:
            fruitful.update(item.source)
        elif barren is not None:
            barren.update(item.source)
    if barren is not None:
        barren -= fruitful
    return values, extras


def read_record(  # noqa: PLR0913
    raw: RawRecord,
    title: str,
    mapping: Iterable[Field | Row],
    entry: Entry,
    problems: list[Problem],
    *,
    needed: Mapping[str, tuple[str, str]],
    unread: Callable[[set[str]], Iterable[tuple[str, str]]] = lambda _barren: (),
) -> DatasetRecord:
    """Return the record that a table makes of an entry.

    Args:
        problems: list that the entry's nodes add to; each is reported once.
        needed: fields of the record that portals show first → the name and the meaning of what is
            expected, for the report of a missing one.
        unread: returns names and texts of fields that no row reads; they become extras. Called with
            the fields of which no row made anything, and which are not reported.
    """
    barren: set[str] = set()
    values, extras = collect(mapping, entry, barren)
    bare = {_NAMESPACE.sub("", name) for name in barren}
    fields = {_NAMESPACE.sub("", problem.field) for problem in problems}
    reported = {name for name in bare for field in fields if is_of_field(field, name)}
    extras = add_unread(extras, unread(bare - reported))
    for field, (name, meaning) in needed.items():
        if not values.get(field):
            message = Message("{name}: missing; expected {meaning}", name=name, meaning=meaning)
            problems.append(Problem("missing-field", name, message))
    unique = tuple(dict.fromkeys(problems))
    return DatasetRecord(raw.guid, title, extras=extras, problems=unique, **values)


def report_missing(
    node: Any, values: Mapping[str, Any], needed: Mapping[str, tuple[str, str]]
) -> None:
    """Report fields without which a dataset's page looks empty: portals show them first.

    Args:
        node: its ``is_settled`` tells whether a field without a value needs no report: its value
            was rejected and reported, or is missing on purpose.
        needed: as in ``read_record``.
    """
    for field, (name, meaning) in needed.items():
        if not values.get(field) and not node.is_settled(name):
            message = Message("missing; expected {meaning}", meaning=meaning)
            node.report("missing-field", name, message)


def require(raw: RawRecord, text: str, name: str, code: str) -> str:
    """Return a text without which there is no dataset.

    Args:
        code: of the problem: "missing-title" or "missing-identifier".

    Raises:
        ParseError: it is missing.
    """
    if not text:
        title = Message("this record has no title; expected {name}", name=name)
        identifier = Message(
            "{record}: {name} is missing; expected an identifier that never changes",
            record=raw.display_name,
            name=name,
        )
        message = title if code == "missing-title" else identifier
        raise ParseError(message, code=code, url=raw.url)
    return text


# Readers. Texts stay in the order of the names.


def texts(node: Node, names: Names) -> list[str]:
    """Return all values."""
    return list(node.values(*names))


def line(node: Node, names: Names) -> str:
    """Return the text of a field that has one, in one line."""
    return plain_line(node.text(*names))


def lines(node: Node, names: Names) -> str:
    """Return all texts in one line."""
    return ", ".join(map(plain_line, texts(node, names)))


def words(node: Node, names: Names) -> str:
    """Return all texts in one line, as written."""
    return ", ".join(texts(node, names))


def paragraphs(node: Node, names: Names) -> str:
    """Return all texts, each once."""
    return "\n\n".join(dict.fromkeys(map(plain_text, texts(node, names))))


def first_text(node: Node, names: Names) -> str:
    """Return the first text, as written."""
    return next(iter(texts(node, names)), "")


def first_words(node: Node, names: Names) -> str:
    """Return all texts of the first field that has any, in one line, as written."""
    return next(filter(None, (words(node, (name,)) for name in names)), "")


def text(node: Node, names: Names) -> str:
    """Return the text of a field that has one, as written."""
    return node.text(*names)


def paragraph(node: Node, names: Names) -> str:
    """Return the text of a field that has one."""
    return plain_text(node.text(*names))


def one_per_line(node: Node, names: Names) -> str:
    """Return all texts, each on a line of its own, as written."""
    return "\n".join(texts(node, names))


def plain_lines(node: Node, names: Names) -> str:
    """Return all texts without markup, each once and on a line of its own."""
    return "\n".join(dict.fromkeys(map(plain_text, node.texts(*names))))


def plain_texts(node: Node, names: Names) -> str:
    """Return one text without markup, several as JSON."""
    return text_or_list(map(plain_text, texts(node, names)))


def unique_list(node: Node, names: Names) -> str:
    """Return all texts as JSON, each once."""
    return as_text(texts(node, names))


def types(node: Node, names: Names) -> str:
    """Return all texts in one line, media types without the address of their registry."""
    return ", ".join(map(without_registry, texts(node, names)))


def references(node: Node, names: Names) -> str:
    """Return the identifiers of other datasets and things in one line."""
    return ", ".join(node.identifiers(*names))


def reference_list(node: Node, names: Names) -> str:
    """Return the same as JSON, each once."""
    return as_text(node.identifiers(*names))


def checksums(node: Node, names: Names) -> Several:
    """Return the checksums of a file."""
    return Several(extras=read_checksums(node.checksums(*names)))


def json_list(node: Node, names: Names) -> str:
    """Return all texts as JSON."""
    return as_list(texts(node, names))


def date(node: Node, names: Names) -> str:
    """Return the first date of the first field that has any; later fields are not read."""
    return node.date(*names)


def last_date(node: Node, names: Names) -> str:
    """Return the last date in time of the same field."""
    return max(node.dates(*names), default="")


def period(node: Node, names: Names) -> Several:
    """Return the time span around all given."""
    periods = node.periods(*names)
    return Several(temporal=periods.whole, extras=periods.extras)


def place_of_file(node: Node, names: Names) -> Several:
    """Return the places of a file: CKAN has no field for them."""
    places = node.places(*names)
    facts = {"spatial": geometry_text(places.geometry), "spatial-text": places.names}
    return Several(extras=facts | places.extras)


def size(node: Node, names: Names) -> Several:
    """Return a file's size in bytes; a text that is none becomes an extra."""
    name, text = next(((name, text) for name in names if (text := node.size_text(name))), ("", ""))
    number, unread = read_size(text, node.reporter(name))
    return Several(size=number, extras=unread)


def link(node: Node, names: Names) -> str:
    """Return the first URL; a text that might be meant as one is kept."""
    return node.link(*names)


def languages(node: Node, names: Names) -> Names:
    """Return tags of languages."""
    tags = (read_languages(node.values(name), node.reporter(name)) for name in names)
    return tuple(dict.fromkeys(chain.from_iterable(tags)))


def language_line(node: Node, names: Names) -> str:
    """Return tags of languages in one line."""
    return ", ".join(languages(node, names))


def schemas(node: Node, names: Names) -> Names:
    """Return the URLs of schemas among the standards that data conforms to."""
    return uk_fields.schemas(texts(node, names))


def licence(node: Node, names: Names, terms: Names = ()) -> Licence | None:
    """Return the licence that the texts name; report texts that name none.

    Args:
        terms: fields with other texts on rights, access and use.
    """
    return read_licence(texts(node, names), node.reporter(names[-1]), texts(node, terms))


def frequency(node: Node, names: Names) -> Several:
    """Return the update frequency; a text that is not understood becomes an extra."""
    code, unread = read_frequency(first_text(node, names), node.reporter(names[0]))
    return Several(frequency=code, extras=unread)


def agent(node: Node, names: Names) -> Agent | None:
    """Return who is named: a URL beside a name is theirs, and several names are one text."""
    agents = list(map(parties.parse_agent, texts(node, names)))
    return (
        Agent(
            "; ".join(dict.fromkeys(party.name for party in agents if party.name)),
            next((party.email for party in agents if party.email), ""),
            next((party.url for party in agents if party.url), ""),
        )
        if agents
        else None
    )


# Fields of CKAN that describe a portal, not its data: no parser reads them. They are internal, or
# CKAN computes them, and the same names mean something else here.
PORTAL_FIELDS = frozenset(
    ("id", "type", "state", "private", "title", "resources", "dgu_harvest_me", "isopen")
    + ("revision_id", "revision_timestamp", "creator_user_id", "num_tags", "num_resources")
    + ("relationships_as_object", "relationships_as_subject", "relationships", "tracking_summary")
    + ("metadata_created", "license_title", "harvest", "harvest_object_id", "harvest_source_id")
    + ("harvest_source_title", "import_source", "ratings_average", "ratings_count", "ckan_url")
    + ("download_url", "notes_rendered", "display_name", "capacity", "total", "data_dict")
    + ("validated_data_dict",)
)
PORTAL_FIELDS_OF_RESOURCE = frozenset(
    ("package_id", "revision_id", "revision_timestamp", "state", "position", "url_type")
    + ("cache_url", "cache_last_updated", "webstore_url", "webstore_last_updated", "on_same_domain")
    + ("datastore_active", "datastore_contains_all_records_of_source_file", "tracking_summary")
    + ("resource_group_id", "mimetype_inner", "metadata_modified", "has_views", "ckan_url")
    + ("total_record_count", "_size", "original_url", "set_url_type", "task_created")
)

# Never an extra of a record: what a portal has for itself, and what a dataset has in other fields.
TAKEN_OF_DATASET = frozenset(
    (*PORTAL_FIELDS, *HARVEST_EXTRAS, "guid", "harvest_source_reference")
    + ("name", "notes", "url", "version", "tags", "groups", "organization", "owner_org")
    + ("author", "author_email", "maintainer", "maintainer_email", "license_id")
    + ("metadata_modified", "extras", "la_function", "la_service", "schema", "codelist")
    + ("mandate", "unpublished", "theme-primary", "theme-secondary")
)
TAKEN_OF_RESOURCE = frozenset(
    (*PORTAL_FIELDS_OF_RESOURCE, "id", "url", "name", "description", "mimetype", "size")
    + ("created", "last_modified", "extras")
)


# Made from other fields, whether a source has them or not.
_OF_DATASET = TAKEN_OF_DATASET | frozenset(
    ("metadata-date", "data_issued", "data_modified", "update_frequency", "dcat_subject")
    + ("temporal_coverage-from", "temporal_coverage-to", "spatial", "spatial-text", "language")
    + ("dcat_publisher_name", "dcat_publisher_email", "dcat_publisher_uri", "contact-name")
    + ("contact-email", "license_url", "licence", "rights")
)
_OF_RESOURCE = TAKEN_OF_RESOURCE | frozenset(
    ("data_issued", "data_modified", "temporal_coverage-from", "temporal_coverage-to", "date")
    + ("format", "resource_type", "schema_url", "licence")
)


def names_read(mapping: Iterable[Any], prefix: str = "") -> frozenset[str]:
    """Return the fields that a mapping reads: those with a prefix in its table, without it."""
    names = (name for row in mapping for name in row.source)
    return frozenset(name[len(prefix) :] for name in names if name.startswith(prefix))


def add_unread(
    extras: Mapping[str, str], fields: Iterable[tuple[str, str]], *, of_file: bool = False
) -> dict[str, str]:
    """Return extras with such fields beside those that are there.

    Args:
        of_file: they are those of a resource.
    """
    taken = _OF_RESOURCE if of_file else _OF_DATASET
    values = dict(extras)
    for name, text in fields:
        while name in taken or values.get(name, text) != text:
            name = PREFIX + name
        values[name] = text
    return values


def without_repeats(
    files: Sequence[ResourceRecord], pages: Iterable[ResourceRecord]
) -> tuple[ResourceRecord, ...]:
    """Return the files, and those pages and links whose URL is not already listed.

    A record may tell one link in two fields; files are its own list, which keeps what it repeats.
    """
    resources = list(files)
    seen = {file.url for file in files}
    for page in pages:
        if page.url not in seen:
            resources.append(page)
        seen.add(page.url)
    return tuple(resources)
