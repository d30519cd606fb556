"""What flows from a source to CKAN: RawRecord, then DatasetRecord, both frozen.

Absent is ``""``, ``()`` or ``None``, never a placeholder. Text is stripped, dates are ISO 8601
text as precise as the source gave them (``2019``, ``2019-05``, ``2019-05-01T10:00:00Z``).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ckanext.ukharvest.core.errors import RecordError
    from ckanext.ukharvest.core.http import HttpClient


@dataclass(frozen=True, slots=True)
class Validators:
    """A document's HTTP validators, sent back as If-None-Match and If-Modified-Since."""

    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True)
class Copy:
    """A record as its last import read it, where every record is a document of its own.

    Attributes:
        guid: the identity that was found in it.
        etag, modified: as that RawRecord had them.
    """

    guid: str
    etag: str = ""
    modified: str = ""


def _tell_nobody(_total: int) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Source:
    """What a reader needs to know about one harvest source.

    Attributes:
        url: address of the source as stored.
        options: the source's validated options.
        http: the one door to the network.
        validators: URL → validators of documents that the last complete run trusts; empty when
            every document has to be read again.
        interface: the interface that the last good run found ("" = not probed yet).
        since: the mark that an earlier run's Ending left: ask only for what changed since then;
            "" asks for everything.
        resume: the resume point of the last record that an interrupted read of this run stored:
            go on behind it; "" begins at the beginning.
        copies: address → the record that was read there. As long as a copy's stamps are those of
            the document there is nothing to do, and the record is yielded with ``unchanged``; a
            copy without stamps only tells which record it is.
        tell_total: is told how many records the source says it has (of a folder: how many files),
            by readers whose protocol says so; a trial that reads the first few shows it.
    """

    url: str
    options: Mapping[str, Any]
    http: HttpClient
    validators: Mapping[str, Validators] = field(default_factory=dict)
    interface: str = ""
    since: str = ""
    resume: str = ""
    copies: Mapping[str, Copy] = field(default_factory=dict)
    tell_total: Callable[[int], None] = _tell_nobody


@dataclass(frozen=True, slots=True)
class RawRecord:
    """One record as the source serves it: identity and text, nothing interpreted.

    Attributes:
        guid: the source's identity for it; "" only together with ``error``.
        content: the record's text; None when the listing has none and ``fetch`` brings it.
        url: where it was read, or where a person can look at it.
        modified: the source's own stamp, compared for equality only.
        deleted: the source itself says that it is gone.
        position: a person's words for where it stands, such as "dataset 17".
        error: set when the reader can tell that the record is lost (no identity).
        resume: where a read that breaks off behind this record can go on; "" where it cannot.
        etag: validator of the record's own document, where it has one.
        unchanged: the record is the one in ``Source.copies``; it was not read and has no content.
    """

    guid: str
    content: str | None = None
    url: str = ""
    modified: str = ""
    deleted: bool = False
    position: str = ""
    error: RecordError | None = None
    resume: str = ""
    etag: str = ""
    unchanged: bool = False

    @property
    def called(self) -> str:
        """What the record is called in messages."""
        return f"dataset '{self.guid}'" if self.guid else self.position or "dataset"


@dataclass(frozen=True, slots=True)
class Ending:
    """How a read ended; a reader's generator returns it.

    Attributes:
        complete: the protocol proved that every record of the source was seen.
        reason: why not, one sentence, when ``complete`` is False.
        unchanged: the source answered "not modified" as a whole; no record was yielded.
        validators: URL → validators to keep for the next run.
        problems: what the publisher should mend in the document as a whole (its encoding).
        interface: which of several interfaces answered; kept for the next run.
        changes_only: only what changed since ``Source.since`` was asked for: what was not seen
            is not missing, and that is no fault.
        mark: what the next run's ``Source.since`` is; "" where changes cannot be asked for.
    """

    complete: bool
    reason: str = ""
    unchanged: bool = False
    validators: Mapping[str, Validators] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    interface: str = ""
    changes_only: bool = False
    mark: str = ""


class Reading:
    """Iterates over a reader's records and keeps how the read ended.

    ``ending`` is None until the iteration has come to its end.
    """

    def __init__(self, records: Generator[RawRecord, None, Ending]) -> None:
        self._records = records
        self.ending: Ending | None = None

    def __iter__(self) -> Iterator[RawRecord]:
        self.ending = yield from self._records


class Reader(Protocol):
    """Speaks one protocol. Immutable: one instance serves every run."""

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield every record of the source; raise SourceError when the read cannot go on."""

    def fetch(self, source: Source, raw: RawRecord) -> RawRecord:
        """Return the record with its content; raise FetchError or RecordError."""


class Parser(Protocol):
    """A module that understands one format."""

    VERSION: int  # raise it when the meaning of a field changes: records are imported again
    FORM: str  # what content is: "json", "xml" or "rdf"; decides the fingerprint

    def parse(self, raw: RawRecord, options: Mapping[str, Any]) -> DatasetRecord:
        """Return the dataset; raise ParseError without identity or title, or SkipRecord."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A defect that did not stop the record: what to mend, for the publisher.

    Attributes:
        code: stable kebab-case identifier, such as "bad-date".
        field: the source format's own name of the field.
        message: one sentence that names the field and what was expected.
        line: line in the document, if known.
    """

    code: str
    field: str
    message: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Agent:
    """A person or body: publisher, contact, owner. ``role`` is the format's own word."""

    name: str = ""
    email: str = ""
    url: str = ""
    role: str = ""


@dataclass(frozen=True, slots=True)
class RemoteGroup:
    """An organisation or group of the CKAN that a record came from; any field but one may be ""."""

    id: str = ""
    name: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Licence:
    """A licence as found: ``id`` is CKAN's licence id, "" when the text is not known."""

    id: str = ""
    title: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Period:
    """A span of time, each end an ISO 8601 text or "" where it is open."""

    start: str = ""
    end: str = ""


@dataclass(frozen=True, slots=True)
class ResourceRecord:
    """A file or service of a dataset.

    Attributes:
        id: the source's own identity of it, "" if none.
        url: where it is; kept exactly as given after trimming.
        format: CKAN's label (``CSV``), "" when unknown.
        mimetype: the media type as given.
        kind: "data", "documentation", "service" or "" (data).
        size: bytes.
        date, temporal: what the resource is about in time.
        extras: further facts under their CKAN names; text only.
    """

    url: str
    id: str = ""
    name: str = ""
    description: str = ""
    format: str = ""
    mimetype: str = ""
    kind: str = ""
    size: int | None = None
    issued: str = ""
    modified: str = ""
    temporal: Period | None = None
    licence: Licence | None = None
    schema_url: str = ""
    extras: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DatasetRecord:
    """One dataset in our own words, whatever format it came in.

    Attributes:
        guid: the source's identity for it.
        url: the publisher's page about it (landing page).
        themes: as the source names them: labels or URIs.
        spatial: GeoJSON geometry in WGS 84, or None.
        spatial_text: the source's words for the place.
        metadata_modified: when the record itself was changed at the source.
        extras: facts with no field of their own, under their CKAN extra's name; text only.
        problems: what the publisher should mend.
        name: the source's own short name for it, in CKAN's alphabet: what a new dataset's name is
            made of in place of the title; "" where a source has none.
        organisation, groups: of the CKAN that it came from. What becomes of them the options
            ``remote_orgs`` and ``remote_groups`` say, which the CKAN side reads: "" leaves them
            aside (the source's own organisation, no groups), "only_local" takes those that are
            here under the same id or name, "create" makes the others.
        coupled: identifiers and addresses of the records of the datasets that this service
            operates on, as the source gave them; a dataset is found by any of them.
    """

    guid: str
    title: str
    notes: str = ""
    url: str = ""
    version: str = ""
    publisher: Agent | None = None
    contact: Agent | None = None
    author: Agent | None = None
    licence: Licence | None = None
    rights: str = ""
    tags: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()
    language: tuple[str, ...] = ()
    frequency: str = ""
    issued: str = ""
    modified: str = ""
    metadata_modified: str = ""
    temporal: Period | None = None
    spatial: Mapping[str, Any] | None = None
    spatial_text: str = ""
    schema_urls: tuple[str, ...] = ()
    resources: tuple[ResourceRecord, ...] = ()
    extras: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    name: str = ""
    organisation: RemoteGroup | None = None
    groups: tuple[RemoteGroup, ...] = ()
    coupled: tuple[str, ...] = ()
