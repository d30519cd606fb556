"""Check a link: recognise a service with version and layers, or a file's format, or say why not."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote, urljoin

from lxml import etree

from ckanext.ukharvest.core.document_kind import html_title
from ckanext.ukharvest.core.errors import Aborted, BadStatus, Blocked, FetchError, Unreachable
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.error_answers import refusal_code
from ckanext.ukharvest.core.http.request import MIB, HttpLimits, Reply, parameter
from ckanext.ukharvest.core.http.urls import normalise, origin, safe_url
from ckanext.ukharvest.core.link_states import LinkFault, LinkResult, fault_of_status
from ckanext.ukharvest.core.values import formats
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.links import content, services
from ckanext.ukharvest.links.services import (
    Question,
    Service,
    can_be_service,
    file_url,
    likely,
    questions,
)

log = logging.getLogger(__name__)

# Faults of answers that further requests to the server will have too, and what to do.
_REFUSALS = {
    LinkFault.LOGIN: (
        "The server must answer without a login, to programs too; otherwise link to the page."
    ),
    LinkFault.BOT_FILTER: (
        "Let this portal pass the bot filter: by the portal's address, or by its User-Agent, which"
        " begins with ckanext-ukharvest/."
    ),
    LinkFault.FORBIDDEN: (
        "Allow requests of this portal in the settings of the server or its firewall; otherwise"
        " link to the page."
    ),
}
_GONE = frozenset((404, 410))
_QUOTED = 2000  # bytes of a text that are read for its quoted beginning


@dataclass(frozen=True)
class Answer:
    """An answer, with at most the wanted number of bytes.

    Attributes:
        url: the URL that answered.
        is_cut: whether there may be more bytes.
        refusal: code of ``refusal_code``.
        declared: the size that the server gives, None if it gives none.
    """

    question: Question
    url: str
    status: int
    media_type: str
    file_name: str
    content: bytes
    is_cut: bool
    refusal: str
    declared: int | None = None

    @property
    def size(self) -> int | None:
        """Bytes of the whole file, None if that is not known."""
        return self.declared if self.is_cut else len(self.content)

    @property
    def checksum(self) -> str:
        """SHA-256 of the whole file, "" if it was not read whole."""
        return "" if self.is_cut else hashlib.sha256(self.content).hexdigest()

    @cached_property
    def root(self) -> etree._Element | None:
        """The root of an XML document, as far as it was read; None if it is not XML."""
        is_xml = b"<" in self.content[:1000] and html_title(self.content) is None
        return xml.parse_beginning(self.content) if is_xml else None

    @cached_property
    def members(self) -> Mapping[str, Any] | None:
        """A JSON object's members; None if it is not one, or is truncated."""
        return services.members(self.content) if self.content.lstrip()[:1] == b"{" else None

    @cached_property
    def error_text(self) -> str | None:
        """The text of a service's exception report, None if it is not one."""
        if self.root is not None:
            return services.exception_text(self.root)
        return services.error_text(self.members) if self.members is not None else None

    @property
    def is_error(self) -> bool:
        return self.status >= 400

    @property
    def is_refusal(self) -> bool:
        """Whether other requests to this server will fail too."""
        return self.fault in _REFUSALS or self.status in (429, 502, 503, 504)

    @property
    def fault(self) -> LinkFault:
        return fault_of_status(self.status, self.refusal)

    @property
    def is_lasting(self) -> bool:
        return self.status < 500 and self.status != HTTPStatus.TOO_MANY_REQUESTS

    @property
    def label(self) -> str:
        """Label of the file's format, "" if it is not known."""
        names = (file_url(self.file_name), self.url, self.question.url)
        return content.format_label(
            self.content,
            is_cut=self.is_cut,
            named=list(map(formats.of_url, names)),
            typed=formats.label(self.media_type),
        )


def answer(question: Question, reply: Reply, wanted: int) -> Answer:
    """Make an answer of an HTTP reply; ``wanted`` is the requested number of bytes."""
    # The file's name is that of Content-Disposition (RFC 6266): UTF-8''n%C3%A4me.csv or "name.csv".
    disposition = reply.headers.get("Content-Disposition", "")
    name = parameter(disposition, "filename*").rpartition("'")[2]
    # Content-Length may be that of a packed answer, and PostgreSQL's bigint ends somewhere.
    length = reply.headers.get("Content-Length", "").strip()
    is_packed = reply.headers.get("Content-Encoding", "").strip().lower() not in ("", "identity")
    is_known = not is_packed and length.isdecimal() and len(length) <= 18
    return Answer(
        question,
        reply.url,
        reply.status,
        shorten(clean_text(reply.media_type), 100),
        unquote(name or parameter(disposition, "filename")),
        reply.content,
        is_cut=len(reply.content) >= wanted,
        refusal=refusal_code(reply),
        declared=int(length) if is_known else None,
    )


def describe_answer(found: Answer) -> str:
    """Return a description of the answer, as the end of "<URL> …"."""
    came = _status(found) if found.is_error else _body(found)
    if _place(found.url) != _place(found.question.url):
        return f"redirects to {safe_url(found.url)}, which {came}"
    return came


def _place(url: str) -> str:
    """Return a URL without the parts that redirects change without a change of meaning."""
    return url.partition("://")[2].partition("?")[0].rstrip("/").removeprefix("www.").lower()


def what_to_do(found: Answer) -> str:
    """Return the sentence that tells the publisher what to do."""
    if found.status in _GONE:
        return "Give the address that it has now, or take the link out of the record."
    if found.fault in _REFUSALS:
        return _REFUSALS[found.fault]
    if not found.is_lasting:
        return "It is tried again; if it stays so, ask those who run the server."
    if found.error_text is not None:
        return "Ask those who run the service, or give the address that its guide names."
    if html_title(found.content) is not None:
        return "Give the address of the data or the service itself, readable without a login."
    return "Check the address, or write the format into the metadata, such as CSV."


def _status(found: Answer) -> str:
    phrase = next((f" {known.phrase}" for known in HTTPStatus if known == found.status), "")
    tells = found.status not in _GONE and found.content.strip()
    return f"answered {found.status}{phrase}" + (f" {_body(found, 'with')}" if tells else "")


def _body(found: Answer, verb: str = "answered with") -> str:
    if found.error_text is not None:
        return f"{verb} a service's error, {_quoted(found.error_text or 'without a word')}"
    title = html_title(found.content)
    if title is not None:
        called = f" called {_quoted(title)}" if title else " without a title"
        return f"{verb} a web page{called}"
    if not found.content.strip():
        return f"{verb} nothing: the answer is empty"
    text = content.decode(found.content[:_QUOTED], is_cut=True)
    if text is not None:
        return f"{verb} a text that begins {_quoted(shorten(clean_text(text), 100))}"
    typed = f", which it calls {found.media_type}" if found.media_type else ""
    return f"{verb} something whose format its first bytes do not tell{typed}"


def _quoted(text: str) -> str:
    return f"“{shorten(clean_text(text), 200)}”"


# Limits of one request: those of data.gov.uk's first probe of map services, and a second between
# two requests to one server.
LIMITS = HttpLimits(
    connect=10, read=10, total=10, max_bytes=10 * MIB, max_redirects=5, retries=0, delay=1.0
)
MOST_REQUESTS = 5

_NO_SERVICE = frozenset(("TXT", "XML", "JSON"))
_MAPSERVER = b"No query information to decode"  # MapServer's answer to an address without a query


def check_link(
    url: str, http: HttpClient, *, expected: str = "", is_gemini: bool = False
) -> LinkResult:
    """Check a URL; raises nothing but Aborted, when the client's ``abort`` was called.

    Args:
        url: a web URL from the metadata.
        http: with ``LIMITS``; its guard also checks URLs in capabilities.
        expected: the format in the metadata, "" if none.
        is_gemini: the metadata are a GEMINI record, whose links often lead to a WMS.
    """
    search = _Search(url, http, formats.label(expected) or shorten(expected), is_gemini)
    try:
        return search.run()
    except FetchError as exc:
        return search.fault(exc)
    except Aborted:
        raise
    except Exception:  # noqa: BLE001  # one link must not end the job that looks at thousands
        log.exception("Looking at %s failed", safe_url(url))
        fault = "could not be checked: an error of this portal, which its log explains"
        why = f"{safe_url(url)} {fault}."
        return LinkResult(url, why=why, is_lasting=False, fault=LinkFault.INTERNAL)


class _Search:
    """The requests for one URL; ``expected`` is a label, or the metadata's text."""

    def __init__(self, url: str, http: HttpClient, expected: str, is_gemini: bool) -> None:
        self.url = url
        self.http = http
        self.expected = expected
        self.may_guess = is_gemini and not expected
        self.asked: list[Question] = []

    def run(self) -> LinkResult:
        """Return the result; raise FetchError if there was no answer at all."""
        address = normalise(self.url)
        service = likely(address, self.expected)
        self.expected = service or self.expected or formats.of_url(address)
        refused = None
        for question in questions(service, address):
            reply = self._ask(question)
            if result := self._service(reply):
                return result
            if reply.is_refusal:
                return self._unknown(reply)
            refused = refused or (reply if reply.error_text is not None else None)
            # Older versions will not be there either; a WMTS may know plain URLs only.
            if reply.status in (404, 405, 410) and service != "WMTS":
                break
        plain = self._ask(Question(address), content.HEAD)
        return self._service(plain) or self._suspected(plain) or self._file(plain, refused)

    def _ask(self, question: Question, wanted: int = 0) -> Answer:
        """Send a request and read all of the answer or ``wanted`` bytes; raise FetchError."""
        self.asked.append(question)
        wanted = wanted or self.http.limits.max_bytes
        with self.http.get(
            question.url, accept=question.accept, allow_status=range(400, 600), first=wanted
        ) as reply:
            return answer(question, reply, wanted)

    def _may_ask(self) -> bool:
        return len(self.asked) < MOST_REQUESTS

    def _service(self, reply: Answer) -> LinkResult | None:
        """Return the service that an answer describes, None if it describes none."""
        service = _described(reply)
        begins = service is not None or services.may_begin(reply.content)
        if begins and reply.is_cut and len(reply.content) <= content.HEAD and self._may_ask():
            reply = self._ask(reply.question)
            service = _described(reply) or service
        if service is None:
            return None
        if service.label in (services.OGC_API, services.OGC_FEATURES) and not service.layers:
            service = self._with_collections(service, reply)
        return LinkResult(
            self.url,
            format=service.label,
            version=service.version,
            layers=service.layers,
            base_url=self._base(service, reply),
            media_type=reply.media_type,
            title=service.title,
            status=reply.status,
        )

    def _base(self, service: Service, found: Answer) -> str:
        if service.label == services.ESRI:
            return services.esri_base(found.url)
        if service.label in services.JSON_SERVICES:
            return services.landing_page(found.url)
        if service.label not in services.VERSIONS:
            return ""
        return services.usable_base(service.address, found.url, self.http.guard)

    def _with_collections(self, service: Service, found: Answer) -> Service:
        """Add the layers of a landing page's list of collections, if that can be read."""
        offered = services.data_link(found.members or {})
        try:
            link = urljoin(found.url, offered)
            if not offered or origin(link) != origin(found.url) or not self._may_ask():
                return service
            more = _described(self._ask(Question(link, "its collections", services.ACCEPT)))
        except (FetchError, ValueError):
            return service
        if more is None:
            return service
        has_features = services.OGC_FEATURES in (service.label, more.label)
        return service._replace(
            label=services.OGC_FEATURES if has_features else services.OGC_API, layers=more.layers
        )

    def _suspected(self, plain: Answer) -> LinkResult | None:
        """Request capabilities if an unspecific URL answered as a service might."""
        url, is_like_service = plain.question.url, _is_like_service(plain)
        is_open = self.may_guess and not (self.expected or is_like_service)
        self.may_guess = is_open and _says_nothing(plain)
        if formats.of_url(url) or not (is_like_service or self.may_guess):
            return None
        asked = {question.words for question in self.asked}
        for label in ["WMS"] if self.may_guess else services.suspects(plain.root):
            question = next(questions(label, url), None)
            if question is None or question.words in asked or not self._may_ask():
                continue
            try:
                reply = self._ask(question)
            except FetchError:
                return None
            if result := self._service(reply):
                return result
        return None

    def _file(self, plain: Answer, refused: Answer | None) -> LinkResult:
        if plain.is_error or plain.error_text is not None:
            # A service may answer only to what it knows, and then with an error of its own.
            reached = refused if refused is not None and not refused.is_error else plain
            return self._unknown(refused or plain, reached)
        label = plain.label
        # A login page, or a page saying that something is gone, is not what the metadata promise; a
        # service that answers with text, or a list of errors, is not a service.
        is_page = label == "HTML" and (refused or self.expected not in ("", "HTML"))
        was_asked = not self.may_guess and any(question.words for question in self.asked)
        if not label or is_page or (was_asked and label in _NO_SERVICE):
            return self._unknown(refused or plain, plain)
        return LinkResult(
            self.url,
            format=label,
            media_type=plain.media_type,
            status=plain.status,
            size=plain.size,
            checksum=plain.checksum,
        )

    def _unknown(self, found: Answer, reached: Answer | None = None) -> LinkResult:
        """Return the result of an answer without a format.

        Args:
            found: the answer to describe.
            reached: the one that says whether anything is there; the same if None.
        """
        reached = reached or found
        is_file = not reached.fault and reached.error_text is None
        text = f"{safe_url(self.url)} {describe_answer(found)}{self._context()}."
        return LinkResult(
            self.url,
            media_type=found.media_type,
            why=f"{text} {what_to_do(found)}",
            is_lasting=found.is_lasting,
            fault=reached.fault,
            status=reached.status,
            size=reached.size if is_file else None,
            checksum=reached.checksum if is_file else "",
        )

    def fault(self, exc: FetchError) -> LinkResult:
        """Return the result if there was no answer, with the reason."""
        if isinstance(exc, Unreachable):
            todo = "It is tried again; check that the server can be reached from outside."
        elif isinstance(exc, Blocked):
            todo = "Give an address on the public internet that begins with https://."
        else:
            todo = "Give the address of the data or the service itself."
        why = f"{exc.message.rstrip('.')}{self._context()}. {todo}"
        is_lasting = not isinstance(exc, Unreachable)
        return LinkResult(self.url, why=why, is_lasting=is_lasting, fault=_fault_of(exc))

    def _context(self) -> str:
        """Return what was requested and expected, as the end of a sentence."""
        words = list(dict.fromkeys(filter(None, (question.words for question in self.asked))))
        asked = f" (asked for {', '.join(words)})" if words else ""
        return asked + (f"; expected {self.expected}" if self.expected else "")


def _fault_of(exc: FetchError) -> LinkFault:
    """Return the fault of a link without a usable answer."""
    if isinstance(exc, Unreachable):
        return LinkFault(exc.kind)
    if isinstance(exc, Blocked):
        return LinkFault.BLOCKED
    if isinstance(exc, BadStatus):
        return fault_of_status(exc.status, exc.code)
    # What cannot be unpacked, or is too large to be read, is there.
    return LinkFault.REDIRECT if exc.code == "redirect" else LinkFault.NONE


def _is_like_service(plain: Answer) -> bool:
    """Tell whether a URL answered as services do whose parameters are missing."""
    text = plain.content.strip()
    is_report = plain.root is not None and plain.error_text is not None
    is_dumb = not text or plain.status in (400, 500, 501)
    is_likely = is_dumb and can_be_service(plain.question.url)
    return is_report or text.startswith(_MAPSERVER) or is_likely


def _says_nothing(plain: Answer) -> bool:
    """Tell whether an answer shows neither what is at a URL nor that there is nothing."""
    if plain.is_error:
        is_clear = plain.status in _GONE or plain.fault in (LinkFault.LOGIN, LinkFault.TOO_MANY)
        return plain.status < HTTPStatus.INTERNAL_SERVER_ERROR and not is_clear
    return plain.label in ("", "HTML", "XML")


def _described(found: Answer) -> Service | None:
    """Return the service that an answer describes, None if it describes none."""
    if found.is_error or found.error_text is not None:
        return None
    if found.root is not None:
        return services.read_services(found.root)
    return services.read_api(found.members, found.url) if found.members is not None else None
