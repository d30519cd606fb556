"""Check a link: recognise a service with version and layers, or a file's format, or say why not.

Order of evidence:

1. The URL (``service=WMS``, ``…/FeatureServer/0``), or else the format in the metadata, decides
   which service's capabilities to request: in its usual version, then in older ones.
2. Otherwise, or without capabilities, the URL is requested unchanged, its first bytes only:
   a service's own description is recognised at any URL, then ``content`` decides.
3. Only an answer that looks like a service's (an exception report; nothing or an error at a
   typical URL of services, such as ``…/ows``) leads to capabilities requests for a few services.

At most ``MOST_REQUESTS`` requests are made for a URL, redirects not counted. A server that cannot
be reached, is too slow or requires a login is not requested again.
"""

from __future__ import annotations

import logging
from urllib.parse import urljoin

from ckanext.ukharvest.core.errors import Aborted, BadStatus, Blocked, FetchError, Unreachable
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.request import MIB, HttpLimits
from ckanext.ukharvest.core.http.urls import normalise, origin, safe_url
from ckanext.ukharvest.core.link_states import Layer, LinkFault, LinkResult, fault_of_status
from ckanext.ukharvest.core.values import formats
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.quality.link_check import addresses, api, content, services
from ckanext.ukharvest.quality.link_check.responses import (
    Answer,
    answer,
    describe_answer,
    what_to_do,
)
from ckanext.ukharvest.quality.link_check.service_requests import (
    Question,
    can_be_service,
    likely,
    questions,
)
from ckanext.ukharvest.quality.link_check.services import Service

__all__ = ["LIMITS", "MOST_REQUESTS", "Layer", "LinkResult", "check_link"]

log = logging.getLogger(__name__)

# Limits of one request: those of data.gov.uk's first probe of map services, and a second between
# two requests to one server.
LIMITS = HttpLimits(
    connect=10, read=10, total=10, max_bytes=10 * MIB, max_redirects=5, retries=0, delay=1.0
)
MOST_REQUESTS = 5

_NO_SERVICE = frozenset(("TXT", "XML", "JSON"))
_MAPSERVER = b"No query information to decode"  # MapServer's answer to an address without a query


def check_link(url: str, http: HttpClient, *, expected: str = "") -> LinkResult:
    """Check a URL; raises nothing but Aborted, when the client's ``abort`` was called.

    Args:
        url: a web URL from the metadata.
        http: with ``LIMITS``; its guard also checks URLs in capabilities.
        expected: the format in the metadata, "" if none.
    """
    search = _Search(url, http, formats.label(expected) or shorten(expected))
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

    def __init__(self, url: str, http: HttpClient, expected: str) -> None:
        self.url = url
        self.http = http
        self.expected = expected
        self.asked: list[Question] = []

    def run(self) -> LinkResult:
        """Return the result; raise FetchError if there was no answer at all."""
        address = normalise(self.url)
        service = likely(address, self.expected)
        self.expected = service or self.expected or formats.of_url(address)
        refused = None
        for question in questions(service, address):
            found = self._ask(question)
            if look := self._service(found):
                return look
            if found.is_refusal:
                return self._unknown(found)
            refused = refused or (found if found.error_text is not None else None)
            # Older versions will not be there either; a WMTS may know plain URLs only.
            if found.status in (404, 405, 410) and service != "WMTS":
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

    def _service(self, found: Answer) -> LinkResult | None:
        """Return the service that an answer describes, None if it describes none."""
        service = _described(found)
        begins = service is not None or api.may_begin(found.content)
        if begins and found.is_cut and len(found.content) <= content.HEAD and self._may_ask():
            found = self._ask(found.question)
            service = _described(found) or service
        if service is None:
            return None
        if service.label in (api.OGC_API, api.OGC_FEATURES) and not service.layers:
            service = self._with_collections(service, found)
        return LinkResult(
            self.url,
            format=service.label,
            version=service.version,
            layers=service.layers,
            base_url=self._base(service, found),
            media_type=found.media_type,
            title=service.title,
            status=found.status,
        )

    def _base(self, service: Service, found: Answer) -> str:
        if service.label == api.ESRI:
            return addresses.esri_base(found.url)
        if service.label in api.JSON_SERVICES:
            return addresses.landing_page(found.url)
        if service.label not in services.VERSIONS:
            return ""
        return addresses.usable_base(service.address, found.url, self.http.guard)

    def _with_collections(self, service: Service, found: Answer) -> Service:
        """Add the layers of a landing page's list of collections, if that can be read."""
        offered = api.data_link(found.members or {})
        try:
            link = urljoin(found.url, offered)
            if not offered or origin(link) != origin(found.url) or not self._may_ask():
                return service
            more = _described(self._ask(Question(link, "its collections", api.ACCEPT)))
        except (FetchError, ValueError):
            return service
        if more is None:
            return service
        features = api.OGC_FEATURES in (service.label, more.label)
        label = api.OGC_FEATURES if features else api.OGC_API
        return service._replace(label=label, layers=more.layers)

    def _suspected(self, plain: Answer) -> LinkResult | None:
        """Request capabilities if an unspecific URL answered as a service might."""
        url = plain.question.url
        if formats.of_url(url) or not _is_like_service(plain):
            return None
        known = {question.words for question in self.asked}
        for label in services.suspects(plain.root):
            question = next(questions(label, url), None)
            if question is None or question.words in known or not self._may_ask():
                continue
            try:
                found = self._ask(question)
            except FetchError:
                return None
            if look := self._service(found):
                return look
        return None

    def _file(self, plain: Answer, refused: Answer | None) -> LinkResult:
        if plain.is_error or plain.error_text is not None:
            # A service may answer only to what it knows, and then with an error of its own.
            reached = refused if refused is not None and not refused.is_error else plain
            return self._unknown(refused or plain, reached)
        typed = formats.label(plain.media_type)
        label = content.label_of(plain.content, is_cut=plain.is_cut, named=plain.names, typed=typed)
        # A login page, or a page saying that something is gone, is not what the metadata promise; a
        # service that answers with text, or a list of errors, is not a service.
        is_page = label == "HTML" and (refused or self.expected not in ("", "HTML"))
        was_asked = any(question.words for question in self.asked)
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
        fault = fault_of_status(reached.status)
        is_file = not fault and reached.error_text is None
        return LinkResult(
            self.url,
            media_type=found.media_type,
            why=self._why(found),
            is_lasting=found.is_lasting,
            fault=fault,
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

    def _why(self, found: Answer) -> str:
        return (
            f"{safe_url(self.url)} {describe_answer(found)}{self._context()}. {what_to_do(found)}"
        )

    def _context(self) -> str:
        """Return what was requested and expected, as the end of a sentence."""
        words = list(dict.fromkeys(each.words for each in self.asked if each.words))
        asked = f" (asked for {', '.join(words)})" if words else ""
        return asked + (f"; expected {self.expected}" if self.expected else "")


def _fault_of(exc: FetchError) -> LinkFault:
    """Return the fault of a link without a usable answer."""
    if isinstance(exc, Unreachable):
        return LinkFault(exc.kind)
    if isinstance(exc, Blocked):
        return LinkFault.BLOCKED
    if isinstance(exc, BadStatus):
        return fault_of_status(exc.status)
    # What cannot be unpacked, or is too large to be read, is there.
    return LinkFault.REDIRECT if exc.code == "redirect" else LinkFault.NONE


def _is_like_service(plain: Answer) -> bool:
    """Tell whether a URL answered as services do whose parameters are missing."""
    if plain.root is not None and plain.error_text is not None:
        return True
    if plain.content.lstrip().startswith(_MAPSERVER):
        return True
    is_dumb = not plain.content.strip() or plain.status in (400, 500, 501)
    return is_dumb and can_be_service(plain.question.url)


def _described(found: Answer) -> Service | None:
    """Return the service that an answer describes, None if it describes none."""
    if found.is_error or found.error_text is not None:
        return None
    if found.root is not None:
        return services.read(found.root)
    return api.read(found.members, found.url) if found.members is not None else None
