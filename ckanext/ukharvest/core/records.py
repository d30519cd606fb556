"""The data that flows from a source to CKAN: RawRecord, then DatasetRecord, both frozen.

Absent is ``""``, ``()`` or ``None``, never a placeholder. Text is stripped; dates are ISO 8601
text with the source's precision (``2019``, ``2019-05``, ``2019-05-01T10:00:00Z``).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from dataclasses import field as field_  # a Problem has an attribute of this name
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from ckanext.ukharvest.core.errors import FetchError
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values.languages import language_code

if TYPE_CHECKING:
    from ckanext.ukharvest.core.errors import RecordError
    from ckanext.ukharvest.core.http.client import HttpClient


# The end of an ``Ending.reason`` of a list that is really empty.
EMPTY_LIST = "the list is empty, so nothing was deleted"


# The extras of udata that CKAN's API shows with a harvested dataset: the host of the source's URL,
# the record's identity in its source, the source's id, and when a run last imported or confirmed
# the record (ISO 8601). They are computed when a dataset is shown and never stored (decision 0016):
# the names are reserved.
HARVEST_EXTRAS = tuple(
    f"harvest:{name}" for name in ("domain", "remote_id", "source_id", "last_update")
)


def without_harvest_extras(extras: Iterable[Any]) -> list[Any]:
    """Return a dataset's extras ({"key", "value"}) without these; anything else unchanged."""
    return [
        extra
        for extra in extras
        if not (isinstance(extra, dict) and extra.get("key") in HARVEST_EXTRAS)
    ]


def extra_values(package: Mapping[str, Any]) -> dict[str, Any]:
    """Return a dataset's extras, or those of a resource, as key → value."""
    return {extra["key"]: extra["value"] for extra in package.get("extras") or ()}


@dataclass(frozen=True, slots=True)
class Validators:
    """A document's HTTP validators, sent back as If-None-Match and If-Modified-Since."""

    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True)
class RecordLimits:
    """The most that is imported of one record; beyond it a value is cut or left out, and reported.

    Three are settings of a portal: ``ckanext.ukharvest.limits.…``. They keep a record within what
    CKAN's pages, forms and search index can handle; real records stay far below.

    Attributes:
        resources, tags: number of them.
        values: number of values of any other list, and of extras.
        text: characters of a description or another long text, an extra's value included.
        line: characters of a title, a name or another value of one line.
        url: characters of a URL or an identifier; a longer one is left out, since half of it is
            another.
        points: points of an extent; with more, the box around it is used.
    """

    resources: int = 5_000
    tags: int = 500
    values: int = 1_000
    text: int = 100_000
    line: int = 1_000
    url: int = 8_000
    points: int = 5_000


@dataclass(frozen=True, slots=True)
class Copy:
    """A record as its last import read it, for sources with a document per record.

    Attributes:
        guid: the record's identity.
        etag, modified: those of its RawRecord.
    """

    guid: str
    etag: str = ""
    modified: str = ""


@dataclass(frozen=True, slots=True)
class OwnSite:
    """The portal itself, which is no source of its own.

    Attributes:
        url: its URL, without a slash at the end.
        key: its answer to ``status_show`` has it, under whatever host name it is asked.
    """

    url: str
    key: str


@dataclass(frozen=True, slots=True)
class Source:
    """A harvest source, as far as a reader needs it.

    Attributes:
        url: the source's URL as stored.
        options: the source's validated options.
        http: the client for all requests.
        validators: URL → validators of documents from the last complete run; empty when every
            document must be read again.
        interface: the interface that the last good run found; "" if none was found yet.
        since: ``Ending.mark`` of an earlier run: read only what changed since then; "" reads
            everything.
        resume: the resume point of the last record that an interrupted read of this run stored:
            continue after it; "" starts from the beginning.
        copies: URL → the record that was read there. If a copy's stamps match the document's, the
            record is yielded with ``unchanged`` and nothing is read; a copy without stamps only
            gives the record's identity.
        tell_total: called with the number of records that the source reports (for a folder, of
            files), if its protocol does; a source preview shows it.
        limits: the most that is imported of one record.
        own_site: the portal that reads; a reader refuses to read it. None without a portal.
    """

    url: str
    options: Mapping[str, Any]
    http: HttpClient
    validators: Mapping[str, Validators] = field(default_factory=dict)
    interface: str = ""
    since: str = ""
    resume: str = ""
    copies: Mapping[str, Copy] = field(default_factory=dict)
    tell_total: Callable[[int], None] = lambda _total: None
    limits: RecordLimits = field(default_factory=RecordLimits)
    own_site: OwnSite | None = None


@dataclass(frozen=True, slots=True)
class RawRecord:
    """One record as the source serves it: identity and text, not interpreted.

    Attributes:
        guid: the record's identity in the source; "" only together with ``error``.
        content: the record's text; None when the listing has none and ``fetch`` has to read it.
        url: where it was read, or its page for people.
        modified: the source's own stamp, only compared for equality.
        deleted: the source itself says that the record is deleted.
        position: its place in the source as a text for people, such as "dataset 17".
        error: set when the reader can tell that the record fails (no identity).
        resume: point from which an interrupted read continues after this record; "" if it cannot.
        etag: validator of the record's own document, if it has one.
        unchanged: it matches its entry in ``Source.copies``; it was not read and has no content.
        left_out: it is of a kind that is no dataset: it is skipped, and a dataset that was imported
            from it earlier waits for a decision.
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
    left_out: bool = False

    @property
    def display_name(self) -> str:
        """The record's name in messages."""
        return f"dataset '{self.guid}'" if self.guid else self.position or "dataset"


@dataclass(frozen=True, slots=True)
class Ending:
    """The outcome of a read; returned by a reader's generator.

    Attributes:
        complete: the protocol proved that every record of the source was seen.
        reason: one sentence: why it is not, when ``complete`` is False.
        unchanged: the source answered "not modified" as a whole; no record was yielded.
        validators: URL → validators for the next run.
        problems: problems of the document as a whole (its encoding), for the publisher.
        interface: which of several interfaces answered; saved for the next run.
        changes_only: only changes since ``Source.since`` were requested: records that were not
            seen are not missing.
        mark: ``Source.since`` of the next run; "" where changes cannot be requested.
    """

    complete: bool
    reason: str = ""
    unchanged: bool = False
    validators: Mapping[str, Validators] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    interface: str = ""
    changes_only: bool = False
    mark: str = ""


T = TypeVar("T")
R = TypeVar("R")


class Iteration(Generic[T, R]):
    """Iterate over a generator; ``result`` is what it returns, once it has ended."""

    result: R

    def __init__(self, items: Generator[T, None, R]) -> None:
        self._items = items

    def __iter__(self) -> Iterator[T]:
        self.result = yield from self._items


class Reading:
    """Iterate over a reader's records and keep the outcome of the read.

    ``ending`` is None until the iteration ends.
    """

    def __init__(self, records: Generator[RawRecord, None, Ending]) -> None:
        self._records = records
        self.ending: Ending | None = None

    def __iter__(self) -> Iterator[RawRecord]:
        self.ending = yield from self._records


class Reader(Protocol):
    """Reads sources of one protocol. Immutable: one instance serves every run."""

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield every record of the source.

        Raises:
            SourceError: the read must stop.
            ConfigError: the source does not accept an option, or needs one.
        """

    def fetch(self, source: Source, raw: RawRecord) -> RawRecord:
        """Return the record with its content; by default the list had all of it.

        Raises:
            FetchError: no answer, or a list that only names the record.
            RecordError: the record is not there any more, or cannot be read.
        """
        if raw.content is None:
            message = Message(
                "{url} only names {guid}; expected an answer with whole records",
                url=raw.url,
                guid=raw.guid,
            )
            raise FetchError(message, url=raw.url)
        return raw


class Parser(Protocol):
    """A module that parses one format."""

    VERSION: int  # increase it when the meaning of a field changes: records are imported again
    FORM: str  # form of the content: a key of core.fingerprint.CANONICAL

    def parse(self, raw: RawRecord, options: Mapping[str, Any]) -> DatasetRecord:
        """Return the dataset; raise ParseError without identity or title, or SkipRecord."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A defect in a record that was still imported, for the publisher to fix.

    Attributes:
        code: stable kebab-case identifier, such as "bad-date".
        field: the field's name in the source format.
        message: one sentence that names the field and what was expected; ours are a ``Message``.
        line: line in the document, if known.
        text: a value that was refused, or read in another way, as written.
    """

    code: str
    field: str
    message: str
    line: int | None = None
    text: str = field_(default="", compare=False, repr=False)


# Code of the problem of a document that was read although its syntax is broken.
REPAIRED = "repaired-syntax"


@dataclass(frozen=True, slots=True)
class Agent:
    """A person or organisation: publisher, contact, owner. ``role`` is the format's own term."""

    name: str = ""
    email: str = ""
    url: str = ""
    role: str = ""


@dataclass(frozen=True, slots=True)
class RemoteGroup:
    """An organisation or group of the CKAN site that a record came from; not all fields are ""."""

    id: str = ""
    name: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the portal that hands on a record got it.

    Attributes:
        guids: the record's identities at earlier stations, the first station first.
        url: its URL at the last of them, "" if that is not known.
    """

    guids: tuple[str, ...] = ()
    url: str = ""

    @property
    def guid(self) -> str:
        """The identity that all portals that hand it on can name, "" if none does."""
        return self.guids[0] if self.guids else ""


@dataclass(frozen=True, slots=True)
class Licence:
    """A licence as found: ``id`` is CKAN's licence id, "" when the licence is not known."""

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
        id: its identity in the source, "" if it has none.
        url: its URL, as given after trimming.
        format: CKAN's label (``CSV``), "" when unknown.
        mimetype: the media type as given.
        kind: "data", "documentation", "service" or "" (data).
        size: bytes.
        date, temporal: the time that the resource is about.
        extras: other values under their CKAN names; text only.
        translations: as those of the dataset.
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
    translations: Mapping[str, ResourceTranslation] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DatasetRecord:
    """One dataset, independent of its source format.

    Attributes:
        guid: the record's identity in the source.
        url: the publisher's page about it (landing page).
        themes: labels or URIs, as the source gives them.
        spatial: GeoJSON geometry in WGS 84, or None.
        spatial_text: the place in the source's words.
        metadata_modified: when the record itself was changed at the source.
        extras: values without a field of their own, under the names of their CKAN extras; text
            only.
        problems: what the publisher should fix.
        name: the source's own short name for it, in CKAN's alphabet: a new dataset's name is made
            from it instead of the title; "" if the source has none.
        organisation, groups: on the CKAN site that it came from. The options ``remote_orgs`` and
            ``remote_groups`` decide how they are used: "" ignores them (the source's own
            organisation, no groups), "only_local" uses those that exist here under the same id or
            name, "create" creates the others.
        coupled: identifiers and URLs of the records of the datasets that this service operates
            on, as the source gave them; any of them identifies its dataset.
        origin: of a record that another portal hands on; None in formats that cannot name one.
        text_language: code of the language of title and notes (``en``), "" if the source does not
            say it. ``language`` has those of the data.
        translations: language code → the texts in it, ``text_language`` among them; {} if the
            source has one language only. ``collect_translations`` makes it.
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
    origin: Origin | None = None
    text_language: str = ""
    translations: Mapping[str, Translation] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Translation:
    """A dataset's texts in one language; "" or () where there is none in it."""

    title: str = ""
    notes: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResourceTranslation:
    """A resource's texts in one language; "" where there is none in it."""

    name: str = ""
    description: str = ""


Texts = TypeVar("Texts", Translation, ResourceTranslation)
# A field's texts: language tag in any form (RFC 5646, ISO 639-2) and value.
Pairs = Iterable[tuple[str, Any]]


def collect_translations(
    kind: type[Texts], fields: Mapping[str, Pairs], least: int = 2
) -> dict[str, Texts]:
    """Return language code → the texts in it, by code; {} if there are too few languages.

    Of several texts of a field in one language the first stays, but one without a region wins over
    those with one: ``en`` over ``en-GB``. A text without a language is left out: it is in one of
    its own, beside those of the others.

    Args:
        kind: Translation or ResourceTranslation.
        fields: name of an attribute of ``kind`` → its texts.
        least: number of languages; 1 where the main text is not among these texts.
    """
    by_language: dict[str, dict[str, Any]] = {}
    for name, pairs in fields.items():
        texts = sorted(pairs, key=lambda pair: len(pair[0]) > 3)
        tagged = [bool(tag) for tag, value in texts if value]
        least = 1 if any(tagged) and not all(tagged) else least
        for tag, value in texts:
            if value and (code := language_code(tag)):
                by_language.setdefault(code, {}).setdefault(name, value)
    return (
        {code: kind(**by_language[code]) for code in sorted(by_language)}
        if len(by_language) >= least
        else {}
    )


# Key in CKAN → attribute of the record, and of its Translation.
OF_DATASET = {"title_translated": "title", "notes_translated": "notes", "tags_translated": "tags"}
OF_RESOURCE = {"name_translated": "name", "description_translated": "description"}
