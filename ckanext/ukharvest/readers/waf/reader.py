"""Sources that are a folder on a web server (web-accessible folder, WAF) with a file per record.

The folder's page is read as a browser would, whatever server wrote it, and each file that may be a
record is requested, a few at a time. If the page may be incomplete, or a file was not read, no
record counts as missing.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from email.utils import parsedate_to_datetime

from ckanext.ukharvest.core.errors import FetchError, ProtocolError, RecordError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import (
    Copy,
    Ending,
    Problem,
    RawRecord,
    Reader,
    Source,
    Validators,
)
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.readers.waf.folder import File, Folder, Patience, list_names
from ckanext.ukharvest.readers.waf.listing import Link
from ckanext.ukharvest.readers.xml_document import ACCEPT, OtherDocument, XmlRecords, XmlShape

OPTIONS = (
    Option(
        "depth",
        "integer",
        0,
        "How many levels of sub-folders are read too; 0 reads only the folder itself.",
        check=lambda depth: "" if depth <= 10 else "expected at most 10",
        label=_("Levels of sub-folders"),
    ),
    Option(
        "connections",
        "integer",
        4,
        "How many files are read at the same time.",
        minimum=1,
        check=lambda number: "" if number <= 8 else "expected at most 8",
    ),
)

AHEAD = 2  # files for each connection that are read before they are asked for
# Listings show minutes: a file may change again within the minute of its reading, and the listing
# would look the same. Until then the server is asked.
SETTLED = timedelta(minutes=2)

# A failing service may say so in XML with status 200: no proof that a record is gone.
_FAILED = re.compile(r"exception|error|fault", re.IGNORECASE)


Answer = Reply | FetchError | None  # None: nothing was asked, the listing shows the file unchanged


@dataclass(frozen=True)
class Waf(Reader):
    """Reads the files of a folder's page.

    Attributes:
        shape: how to read a file, alone or in an envelope.
        single: the source type that reads one such document.
    """

    shape: XmlShape
    single: str

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield the records of every file, in the order of the page, known ones first.

        Of two files with one identity the first is read; as a page may be sorted by date, the file
        that was read before comes first.

        Complete if every page, and every file that may be a record, was read to its end.

        Raises:
            SourceError: the page cannot be read or links to no file, or the server went down.
        """
        patience = Patience()
        hint = f"which the source type {self.single} reads"
        roots = {path[0]: hint for path in self.shape.paths}
        folder = Folder(source, roots)
        folder.read(patience)
        if not folder.files:
            raise folder.nothing()
        files = sorted(folder.files.values(), key=lambda file: file.link.url not in source.copies)
        source.tell_total(len(files))
        links = (file.link for file in files)
        results = _Results()
        with closing(_answers(source, links, source.options["connections"])) as answers:
            for link, answer in answers:
                if answer is not None:
                    patience.count(answer)
                file = folder.files[link.url]
                yield from self._file(file, answer, source.copies.get(link.url), results)
        if not results.files:
            raise folder.nothing()
        return results.ending(folder)

    def fetch(self, source: Source, raw: RawRecord) -> RawRecord:
        """Return the record as its file has it now.

        Raises:
            FetchError: no answer.
            RecordError: the file is another document, or holds another record.
        """
        with closing(source.http.get(raw.url, accept=ACCEPT)) as reply:
            try:
                document = XmlRecords(self.shape, reply, raw.url, raw.position)
            except ProtocolError as exc:
                raise _lost(exc) from exc
            for record in document.cut():
                if record.guid == raw.guid:
                    return _stamped(record, raw.modified, reply, alone=document.count == 1)
        raise RecordError(
            Message(
                "{url} has no record with the identifier '{guid}' any more; expected the one"
                " that was found there before",
                url=raw.url,
                guid=raw.guid,
            ),
            code="other-record",
            url=raw.url,
        )

    def _file(
        self, file: File, answer: Answer, copy: Copy | None, results: _Results
    ) -> Iterator[RawRecord]:
        """Yield the records of one file."""
        results.files += 1
        empty = RawRecord(copy.guid if copy else "", url=file.link.url, position=file.name)
        if isinstance(answer, FetchError):
            yield results.unread(replace(empty, error=_lost(answer)))
        elif copy is not None and (answer is None or answer.not_modified):
            results.records += 1
            yield _unchanged(empty, copy, file, answer)
        elif answer is not None:
            with closing(answer):
                try:
                    yield from self._cut(file, answer, copy, results)
                except ProtocolError as exc:
                    is_xml = exc.code != "html-page" and _begins_as_xml(answer)
                    yield from self._refused(file, empty, exc, results, is_xml=is_xml)

    def _cut(
        self, file: File, reply: Reply, copy: Copy | None, results: _Results
    ) -> Iterator[RawRecord]:
        url = file.link.url
        document = XmlRecords(self.shape, reply, url, file.name)
        results.problems += document.problems
        if not document.count:
            raise ProtocolError(
                Message(
                    "{url} has no {singular}; expected {kind}",
                    url=file.link.url,
                    singular=self.shape.singular,
                    kind=self.shape.kind,
                ),
                code="no-record",
                url=file.link.url,
            )
        alone = document.count == 1
        for raw in document.cut():
            results.records += 1
            if raw.error is not None and copy is not None and alone:
                raw = replace(raw, guid=copy.guid)
            yield _stamped(raw, file.link.stamp, reply, alone=alone)

    def _refused(
        self, file: File, empty: RawRecord, exc: ProtocolError, results: _Results, *, is_xml: bool
    ) -> Iterator[RawRecord]:
        lost = replace(empty, error=_lost(exc))
        if isinstance(exc, OtherDocument) and not _FAILED.search(exc.root):
            # It is not a record of this kind, so none is hidden behind it: it is reported under an
            # identity of its own, and the folder can still be proven complete.
            yield replace(lost, guid=empty.guid or empty.url)
        elif file.is_promised or empty.guid or is_xml:
            yield results.unread(lost)
        else:
            results.files -= 1
            (results.pages if file.is_further else results.others).append(file.name)


@dataclass
class _Results:
    """The results of reading the files.

    Attributes:
        files: number of files that may have been records.
        records: number of records found.
        failed: names of files that could not be read.
        others: names of files that are not metadata and did not claim to be XML.
        pages: names of files whose URLs look like further pages of the listing.
        problems: those of the files.
    """

    files: int = 0
    records: int = 0
    failed: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def unread(self, lost: RawRecord) -> RawRecord:
        if not lost.guid:
            self.failed.append(lost.position)
        return lost

    def ending(self, folder: Folder) -> Ending:
        problems = [*folder.problems(), *self.problems]
        if self.others:
            files = list_names(self.others, "file")
            message = Message(
                "not XML: {files} in the folder; expected metadata records", files=files
            )
            problems.append(Problem("not-xml-file", "href", message))
        reasons = folder.reasons()
        if self.pages:
            reasons.append(f"the page goes on at {list_names(self.pages, 'page')}, not read")
        if self.failed:
            reasons.append(f"{list_names(self.failed, 'file')} could not be read")
        elif not self.records:
            reasons.append(f"none of the {self.files:,} files is a record")
        return Ending(complete=not reasons, reason="; ".join(reasons), problems=tuple(problems))


def _begins_as_xml(reply: Reply) -> bool:
    """Tell whether it may be broken XML; an empty body may be a failed record."""
    reply.body.seek(0)
    start = reply.body.read(1024).removeprefix(b"\xef\xbb\xbf").lstrip()
    return not start or start.startswith((b"<", b"\xff\xfe<", b"\xfe\xff\x00<"))


def _unchanged(empty: RawRecord, copy: Copy, file: File, reply: Reply | None) -> RawRecord:
    if reply is None:
        return replace(empty, modified=copy.modified, etag=copy.etag, unchanged=True)
    reply.close()
    return replace(
        empty,
        modified=_modified(file.link.stamp, reply) or copy.modified,
        etag=reply.validators.etag or copy.etag,
        unchanged=True,
    )


def _stamped(raw: RawRecord, stamp: str, reply: Reply, *, alone: bool) -> RawRecord:
    """Set the file's own stamps on its only record; one of several has none of its own."""
    modified, etag = _modified(stamp, reply), reply.validators.etag
    return replace(raw, modified=modified, etag=etag) if alone else replace(raw, modified="")


def _modified(stamp: str, reply: Reply) -> str:
    """Return the listing's stamp, or the server's own if that is more precise."""
    own = reply.validators.last_modified
    if not stamp or stamp.endswith("GMT"):
        return own
    try:
        now = parsedate_to_datetime(reply.headers.get("Date", ""))
        return stamp if now - parsedate_to_datetime(own) >= SETTLED else own
    except (TypeError, ValueError):  # the server does not tell
        return stamp


def _lost(error: FetchError | ProtocolError) -> RecordError:
    return RecordError(error.message, code=error.code, url=error.url, line=error.line)


def _answers(
    source: Source, links: Iterable[Link], connections: int
) -> Generator[tuple[Link, Answer], None, None]:
    """Yield each link's response; the caller closes the replies.

    Closed early, it makes no more requests; those in progress end by themselves.
    """
    waiting: deque[tuple[Link, Future[Reply] | None]] = deque()
    pool = ThreadPoolExecutor(connections, thread_name_prefix="ukharvest-waf")
    try:
        for link in links:
            copy = source.copies.get(link.url)
            if copy is not None and link.stamp and link.stamp == copy.modified:
                waiting.append((link, None))
            else:
                waiting.append((link, pool.submit(_get, source.http, link.url, copy)))
            if len(waiting) > connections * AHEAD:
                yield _answer(*waiting.popleft())
        while waiting:
            yield _answer(*waiting.popleft())
    finally:
        # Before any wait: a hanging server must not block a caller that gave up.
        pool.shutdown(wait=False, cancel_futures=True)
        for _link, asked in waiting:
            if asked is not None:
                asked.add_done_callback(_discard)


def _get(http: HttpClient, url: str, copy: Copy | None) -> Reply:
    validators = None
    if copy is not None:
        # A stamp of the listing has the server's own format and zone; HTTP's dates end in GMT.
        stamp = copy.modified if copy.modified.endswith("GMT") else ""
        validators = Validators(copy.etag, stamp)
    return http.get(url, accept=ACCEPT, validators=validators)


def _answer(link: Link, asked: Future[Reply] | None) -> tuple[Link, Answer]:
    try:
        return link, None if asked is None else asked.result()
    except FetchError as exc:
        return link, exc


def _discard(asked: Future[Reply]) -> None:
    with suppress(FetchError, CancelledError):
        asked.result().close()
