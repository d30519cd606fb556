"""Faults of a publisher's answers: how each is played, and how a read must end.

A fault changes the answers of a publisher that serves ``tests.contract``'s records. It is played at
every address (nothing can be read), and at the last one only (the read has begun).
"""

from __future__ import annotations

import itertools
import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ckanext.ukharvest.core.http.request import HttpLimits
from tests.publisher import Publisher, Request, Response, Route

# By default a document may take 900 s and have 200 MB: here the same rules with numbers that a test
# has time for. Only where time is what must run out are there few seconds of it.
PATIENT = HttpLimits(connect=60.0, read=60.0, total=60.0, max_bytes=1 << 20, retries=1)
LIMITS = HttpLimits(connect=1.0, read=0.4, total=0.8, max_bytes=1 << 20, retries=1)
PAUSE = 0.1  # seconds between two bytes: the time limit comes first, as with 1 byte/s and 900 s
GIBIBYTE = 1 << 30

SAME = "{path}"  # in a header: the requested path

Change = Callable[[Response], Response]


@dataclass(frozen=True)
class Fault:
    """One fault of a publisher.

    Attributes:
        change: turns a good answer into the faulty one.
        causes: a message must contain one of these texts, in small letters; () for no message: the
            fault does no harm.
        sent: patterns of what the publisher sent; the message must have all of them.
        is_read: nothing is missing from the document, so that it may be read to its end.
        waits: the publisher makes the client wait.
    """

    name: str
    change: Change
    causes: tuple[str, ...]
    sent: tuple[str, ...] = ()
    is_read: bool = False
    waits: bool = False

    def is_named_in(self, message: str) -> bool:
        """Tell whether a message, in small letters, has a cause and all that was sent."""
        is_sent = all(re.search(pattern, message) for pattern in self.sent)
        return is_sent and any(cause in message for cause in self.causes)

    @property
    def limits(self) -> HttpLimits:
        return LIMITS if self.waits else PATIENT


def body_of(response: Response) -> bytes:
    assert isinstance(response.body, bytes)
    return response.body


def _with_headers(response: Response, **headers: str) -> Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return replace(response, headers={**response.headers, **named})


def _slow(response: Response) -> Response:
    return replace(response, pause=PAUSE)


def _slow_head(response: Response) -> Response:
    return replace(response, pause=PAUSE, slow_start=True)


def _silent(response: Response) -> Response:
    return replace(response, hang=True)


def _reset(response: Response) -> Response:
    return replace(response, cut=-1)


def _reset_halfway(response: Response) -> Response:
    return replace(response, cut=len(body_of(response)) // 2)


def _longer_than_sent(response: Response) -> Response:
    length = str(len(body_of(response)) + 1000)
    return _with_headers(response, Content_Length=length, Connection="close")


def _longer_than_sent_and_waits(response: Response) -> Response:
    return _with_headers(response, Content_Length=str(len(body_of(response)) + 1000))


def _shorter_than_sent(response: Response) -> Response:
    return _with_headers(response, Content_Length=str(len(body_of(response)) // 2))


def _half(response: Response) -> Response:
    body = body_of(response)
    return replace(response, body=body[: len(body) // 2])


def _error_page(_response: Response) -> Response:
    body = b"<html><head><title>Back soon</title></head><body><p>Sorry.</p></body></html>"
    return Response(body, headers={"Content-Type": "text/html"})


def _broken(_response: Response) -> Response:
    body = b"<html><head><title>Back soon</title><style>p {}</style></head><p>Sorry.</p></html>"
    return Response(body, 500, headers={"Content-Type": "text/html"})


def _refused(_response: Response) -> Response:
    error = {"success": False, "error": {"__type": "Forbidden", "message": "Give a <b>key</b>."}}
    body = json.dumps(error).encode()
    return Response(body, 403, headers={"Content-Type": "application/json"})


def _refused_in_words(_response: Response) -> Response:
    return Response(b"\x1b[31mToo many  requests today.\nAsk again tomorrow.", 401)


def _report(_response: Response) -> Response:
    body = (
        b'<ows:ExceptionReport xmlns:ows="http://www.opengis.net/ows" version="1.0.0">'
        b'<ows:Exception exceptionCode="NoApplicableCode" locator="index"><ows:ExceptionText>'
        b"The index is locked</ows:ExceptionText></ows:Exception></ows:ExceptionReport>"
    )
    return Response(body, 400, headers={"Content-Type": "application/xml"})


def _pdf(_response: Response) -> Response:
    return Response(b"%PDF-1.7\n1 0 obj\n", headers={"Content-Type": "application/pdf"})


def _image(_response: Response) -> Response:
    return Response(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", headers={"Content-Type": "image/png"})


def _page_sent_as_json(_response: Response) -> Response:
    body = b"<!DOCTYPE html><title>Log in</title><form><input name=user></form></html>"
    return Response(body, headers={"Content-Type": "application/json"})


def _wrong_charset(response: Response) -> Response:
    body = body_of(response).replace(b"description.", "Köln, Łódź".encode("cp1250"))
    return replace(_with_headers(response, Content_Type="text/plain; charset=utf-8"), body=body)


def _unknown_charset(response: Response) -> Response:
    kind = response.headers.get("Content-Type", "application/json")
    return _with_headers(response, Content_Type=f"{kind}; charset=klingon")


def _zeros() -> Iterator[bytes]:
    packer = zlib.compressobj(wbits=31)
    while True:
        yield packer.compress(bytes(1 << 20)) or packer.flush(zlib.Z_SYNC_FLUSH)


def _endless_gzip(_response: Response) -> Response:
    return Response(_zeros(), headers={"Content-Encoding": "gzip"})


def _not_gzip(response: Response) -> Response:
    return _with_headers(response, Content_Encoding="gzip")


def _huge(_response: Response) -> Response:
    """Send 5 GB without saying so before."""
    return Response(itertools.repeat(b" " * (1 << 16), 5 * GIBIBYTE >> 16))


def _huge_declared(_response: Response) -> Response:
    return Response(b"", headers={"Content-Length": str(5 * GIBIBYTE)})


def _not_http(_response: Response) -> Response:
    return Response(raw=(b"220 ftp.publisher.test ready\r\n" * 3,))


def _endless_head(_response: Response) -> Response:
    lines = (b"X-%d: more\r\n" % number for number in range(1_000_000))
    return Response(raw=itertools.chain((b"HTTP/1.1 200 OK\r\n",), lines))


def _broken_chunks(_response: Response) -> Response:
    return Response(raw=(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"zz\r\n{}\r\n"))


def _to_itself(_response: Response) -> Response:
    """Redirect to the same address, as servers do that wait for a cookie."""
    return Response(status=302, headers={"Location": SAME})


_UNFINISHED = ("not valid", "well-formed", "cut off", "ends", "no link", "not rdf", "read to its")
_WAITED = ("was not finished after", "sent nothing for", "no answer")
# A folder and a search service may be an HTML page, whatever it was sent as.
_SENT_AS_JSON = (r"log in", r"sent as application/json|links")
_OTHER = ("not", "instead", "no html")
_CUT = ("connection", "closed", "broke", "ended", "stopped", "incomplete")
_COUNTED = (r"[\d,]+ of [\d,]+ bytes came",)
_PLACE = (r"\bline \d+|no </html>|read to its end|no links?\b|0 links",)

FAULTS = (
    Fault("slow", _slow, _WAITED, waits=True),
    Fault("slow-head", _slow_head, _WAITED, waits=True),
    Fault("never-answers", _silent, _WAITED, waits=True),
    Fault("resets", _reset, _CUT),
    Fault("resets-halfway", _reset_halfway, _CUT, _COUNTED),
    Fault("redirects-for-ever", _to_itself, ("redirect",), ("circle",)),
    Fault("length-too-large", _longer_than_sent, _CUT, _COUNTED),
    Fault(*("length-too-large-and-waits", _longer_than_sent_and_waits, _WAITED), waits=True),
    Fault("length-too-small", _shorter_than_sent, (*_UNFINISHED, *_CUT), _PLACE),
    Fault("half-a-document", _half, _UNFINISHED, _PLACE),
    Fault("error-page-with-200", _error_page, ("html", "web page", "links"), ("back soon",)),
    Fault("error-page-with-500", _broken, ("answered 500 internal server error: back soon",)),
    Fault("refusal-in-json", _refused, ("answered 403 forbidden: give a key",)),
    Fault("refusal-in-words", _refused_in_words, ("answered 401 unauthorized: ",), ("today. ask",)),
    Fault("report-with-400", _report, ("400", "refused"), (r"code \(index\): the index is lock",)),
    Fault("pdf", _pdf, _OTHER, (r"%pdf-1\.7", r"sent as application/pdf")),
    Fault("image", _image, _OTHER, (r"png", r"sent as image/png")),
    Fault("page-sent-as-json", _page_sent_as_json, (*_OTHER, "links"), _SENT_AS_JSON),
    Fault("wrong-charset", _wrong_charset, ("utf-8", "encod", "characters"), is_read=True),
    Fault("unknown-charset", _unknown_charset, (), is_read=True),
    Fault("endless-gzip", _endless_gzip, ("larger than",)),
    Fault("not-gzip", _not_gzip, ("unpacked",), ("gzip",)),
    Fault("five-gigabytes", _huge, ("larger than",)),
    Fault("five-gigabytes-declared", _huge_declared, ("larger than",), ("5368709120",)),
    Fault("not-http", _not_http, ("http", *_CUT), (r"220 ftp\.publisher\.test ready",)),
    Fault("endless-head", _endless_head, ("header", "http", *_CUT)),
    Fault("broken-chunks", _broken_chunks, ("http", *_CUT)),
)


def play(fault: Fault, publisher: Publisher, path: str = "") -> None:
    """Change the answers of a publisher.

    Args:
        path: the only address that is changed; "" for all of them, those without a route as well.
    """
    good = dict(publisher.routes)

    def changed(request: Request, route: Route) -> Response:
        answer = route(request) if callable(route) else route
        faulty = fault.change(answer)
        headers = {name: text.replace(SAME, request.path) for name, text in faulty.headers.items()}
        return replace(faulty, headers=headers)

    if path:
        publisher.routes[path] = lambda request: changed(request, good[path])
        return
    publisher.routes = Everywhere(good, changed, is_read=fault.is_read)


class Everywhere(dict[str, Route]):
    """Routes that answer every address with a fault."""

    def __init__(
        self,
        good: dict[str, Route],
        changed: Callable[[Request, Route], Response],
        *,
        is_read: bool,
    ) -> None:
        super().__init__(good)
        self._changed = changed
        self._is_read = is_read

    def get(self, key: str, default: Route | None = None) -> Route | None:  # type: ignore[override]
        route = super().get(key)
        if route is None and (self._is_read or key.partition(" ")[0].isupper()):
            return default  # of "POST /csw", the plain path is asked next
        any_of_them = route or next(iter(self.values()))
        return lambda request: self._changed(request, any_of_them)
