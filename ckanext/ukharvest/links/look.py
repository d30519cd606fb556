"""What a link is: a service with its version and layers, a file's format, or why it is unknown.

Order of evidence:

1. The address (``service=WMS``, ``…/FeatureServer/0``), or else the format that the metadata name,
   says which service to ask for its capabilities: in its usual version, then in older ones.
2. Else, and when no capabilities came, the address is read as it is, its first bytes only:
   services' own descriptions are known wherever they come from, then what ``content`` tells.
3. Only an answer that looks like a service's (an exception report; nothing or an error where
   services live, such as ``…/ows``) leads to requests for the capabilities of a few of them.

At most ``MOST_REQUESTS`` requests are made for an address, redirects not counted. A server that
cannot be reached, is too slow or wants a login is not asked again.
"""

from __future__ import annotations

import logging
from urllib.parse import urljoin

from ckanext.ukharvest.core import formats
from ckanext.ukharvest.core.address import normal, origin, shown
from ckanext.ukharvest.core.errors import Blocked, FetchError, Unreachable
from ckanext.ukharvest.core.exchange import MIB, HttpLimits
from ckanext.ukharvest.core.http import HttpClient
from ckanext.ukharvest.core.text import shorten
from ckanext.ukharvest.links import addresses, api, content, services
from ckanext.ukharvest.links.answers import Answer, answer, in_words, what_to_do
from ckanext.ukharvest.links.found import Layer, Look
from ckanext.ukharvest.links.questions import Question, can_be_service, likely, questions
from ckanext.ukharvest.links.services import Service

__all__ = ["LIMITS", "MOST_REQUESTS", "Layer", "Look", "look"]

log = logging.getLogger(__name__)

# What one request may take: the limits of data.gov.uk's first probe of map services, and a second
# between two requests to one server.
LIMITS = HttpLimits(
    connect=10, read=10, total=10, max_bytes=10 * MIB, max_redirects=5, retries=0, delay=1.0
)
MOST_REQUESTS = 5

_NO_SERVICE = frozenset(("TXT", "XML", "JSON"))
_MAPSERVER = b"No query information to decode"  # MapServer's answer to an address without a query


def look(url: str, http: HttpClient, *, expected: str = "") -> Look:
    """Find out what is at an address; never raises.

    Args:
        url: a web address as the metadata give it.
        http: with ``LIMITS``; its guard also judges addresses that capabilities name.
        expected: the format that the metadata name, "" if they name none.
    """
    search = _Search(url, http, formats.label(expected) or shorten(expected))
    try:
        return search.run()
    except FetchError as exc:
        return search.fault(exc)
    except Exception:  # noqa: BLE001  # one link must not end the job that looks at thousands
        log.exception("Looking at %s failed", shown(url))
        why = f"{shown(url)} could not be looked at: a fault of the portal, which its log explains."
        return Look(url, why=why, is_lasting=False)


class _Search:
    """The requests for one address; ``expected`` is a label, or what the metadata say."""

    def __init__(self, url: str, http: HttpClient, expected: str) -> None:
        self.url = url
        self.http = http
        self.expected = expected
        self.asked: list[Question] = []

    def run(self) -> Look:
        """Raise FetchError when no answer came at all."""
        address = normal(self.url)
        service = likely(address, self.expected)
        self.expected = service or self.expected or formats.of_url(address)
        refused = None
        for question in questions(service, address):
            found = self._ask(question)
            if look := self._service(found):
                return look
            if found.is_refusal:
                return self._unknown(found)
            refused = refused or (found if found.said is not None else None)
            # Older versions will not be there either; a WMTS may know plain addresses only.
            if found.status in (404, 405, 410) and service != "WMTS":
                break
        plain = self._ask(Question(address), content.HEAD)
        return self._service(plain) or self._suspected(plain) or self._file(plain, refused)

    def _ask(self, question: Question, wanted: int = 0) -> Answer:
        """Put a question, for all that may be read or ``wanted`` bytes; raise FetchError."""
        self.asked.append(question)
        wanted = wanted or self.http.limits.max_bytes
        with self.http.get(
            question.url, accept=question.accept, allow_status=range(400, 600), first=wanted
        ) as reply:
            return answer(question, reply, wanted)

    def _may_ask(self) -> bool:
        return len(self.asked) < MOST_REQUESTS

    def _service(self, found: Answer) -> Look | None:
        """Return the service that describes itself in an answer, None if none does."""
        service = _described(found)
        begins = service is not None or api.may_begin(found.content)
        if begins and found.is_cut and len(found.content) <= content.HEAD and self._may_ask():
            found = self._ask(found.question)
            service = _described(found) or service
        if service is None:
            return None
        if service.label in (api.OGC_API, api.OGC_FEATURES) and not service.layers:
            service = self._with_collections(service, found)
        return Look(
            self.url,
            format=service.label,
            version=service.version,
            layers=service.layers,
            base_url=self._base(service, found),
            media_type=found.media_type,
            title=service.title,
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
        """Add what a landing page's list of collections says, if it can be read on its server."""
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

    def _suspected(self, plain: Answer) -> Look | None:
        """Ask for capabilities where an address that says nothing answered as a service might."""
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

    def _file(self, plain: Answer, refused: Answer | None) -> Look:
        if plain.is_error or plain.said is not None:
            return self._unknown(refused or plain)
        typed = formats.label(plain.media_type)
        label = content.label_of(plain.content, is_cut=plain.is_cut, named=plain.names, typed=typed)
        # A page to sign in, or to say that something is gone, is not what was promised; a service
        # that answers with words, or with a list of errors, is none.
        is_page = label == "HTML" and (refused or self.expected not in ("", "HTML"))
        was_asked = any(question.words for question in self.asked)
        if not label or is_page or (was_asked and label in _NO_SERVICE):
            return self._unknown(refused or plain)
        return Look(self.url, format=label, media_type=plain.media_type)

    def _unknown(self, found: Answer) -> Look:
        return Look(
            self.url,
            media_type=found.media_type,
            why=self._why(found),
            is_lasting=found.is_lasting,
        )

    def fault(self, exc: FetchError) -> Look:
        """Say why no answer came."""
        if isinstance(exc, Unreachable):
            todo = "It is tried again; check that the server can be reached from outside."
        elif isinstance(exc, Blocked):
            todo = "Give an address on the public internet that begins with https://."
        else:
            todo = "Give the address of the data or the service itself."
        why = f"{exc.message.rstrip('.')}{self._context()}. {todo}"
        return Look(self.url, why=why, is_lasting=not isinstance(exc, Unreachable))

    def _why(self, found: Answer) -> str:
        return f"{shown(self.url)} {in_words(found)}{self._context()}. {what_to_do(found)}"

    def _context(self) -> str:
        """Say what was asked for and what was expected, as the end of a sentence."""
        words = list(dict.fromkeys(each.words for each in self.asked if each.words))
        asked = f" (asked for {', '.join(words)})" if words else ""
        return asked + (f"; expected {self.expected}" if self.expected else "")


def _is_like_service(plain: Answer) -> bool:
    """Tell whether an address answered as services do that miss their parameters."""
    if plain.root is not None and plain.said is not None:
        return True
    if plain.content.lstrip().startswith(_MAPSERVER):
        return True
    is_dumb = not plain.content.strip() or plain.status in (400, 500, 501)
    return is_dumb and can_be_service(plain.question.url)


def _described(found: Answer) -> Service | None:
    """Return the service that an answer describes, None if it describes none."""
    if found.is_error or found.said is not None:
        return None
    if found.root is not None:
        return services.read(found.root)
    return api.read(found.members, found.url) if found.members is not None else None
