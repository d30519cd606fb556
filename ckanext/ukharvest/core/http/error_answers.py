"""The reason that a server gives in an answer with an error, quoted on one line for a message.

Plain text, HTML pages, JSON (CKAN, RFC 9457, Esri …) and XML (exception reports of OGC services,
errors of OAI-PMH, SOAP faults). Without markup, control characters and secrets in URLs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from itertools import islice
from typing import Any

from lxml import etree

from ckanext.ukharvest.core.document_kind import decode_roughly, html_title, is_binary
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.http.urls import hide_secrets, safe_url
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.text import clean_text, one_line, shorten
from ckanext.ukharvest.core.xml import parser as xml

HEAD = 16 << 10  # bytes of an answer that are looked at
LONGEST = 200  # characters of a quotation

# Where JSON says why; the first that says more than the status counts.
_REASONS = ("error_description", "error", "message", "errors", "detail", "msg", "reason", "title")
_EXCEPTIONS = ("{*}Exception", "{*}ServiceException", "{*}error")
# In a page's title, or an answer without markup, in lower case: of Cloudflare, Imperva and others …
_BOT_FILTER = (
    *("just a moment", "attention required", "checking your browser", "are human", "captcha"),
    *("incapsula", "ddos-guard", "ddos protection", "pardon our interruption", "bot detect"),
)
# … and of a server that expects a password or a key.
_LOGIN = (
    *("log in", "login", "sign in", "password", "credential", "api key", "apikey", "api_key"),
    *("token", "authenticat", "authorization error", "not authorized", "unauthorized"),
)
_MOST = 20  # elements of XML that are quoted
_SENTENCE = 4  # words; a shorter line of a page is a heading, or the server's name
_WORDS = re.compile(r"[^\W\d_]+")
_EMPTY_WORDS = frozenset(("error", "http", "status", "code", "page", "the", "message", "detail"))


def describe_status(reply: Reply, url: str = "") -> str:
    """Return an answer's status and reason: ``<url> answered 503 Service Unavailable: too busy``.

    Args:
        reply: the answer, with the beginning of its body.
        url: for the message, instead of that which answered.
    """
    phrase = _phrase(reply.status)
    reason = quote_reason(reply.content[:HEAD], status=reply.status)
    head = Message(
        "{url} answered {status}{blank}{phrase}",
        url=url or safe_url(reply.url),
        status=reply.status,
        blank=" " if phrase else "",
        phrase=phrase,
    )
    return Message("{head}: {reason}", head=head, reason=reason) if reason else head


def refusal_code(reply: Reply) -> str:
    """Return the code of an answer that refuses access: "" if it fails for another reason.

    A filter against bots, a login, or a refusal of whoever sent the request.
    """
    title = html_title(reply.content[:HEAD])
    words = (decode_roughly(reply.content[:HEAD]) if title is None else title).lower()
    is_refused = reply.status == HTTPStatus.FORBIDDEN
    code = "access-refused" if is_refused else ""
    asks = "WWW-Authenticate" in reply.headers or any(sign in words for sign in _LOGIN)
    if reply.status == HTTPStatus.UNAUTHORIZED or (is_refused and asks):
        code = "needs-login"
    may_be_filter = is_refused or reply.status in (429, 503)
    if "cf-mitigated" in reply.headers or (may_be_filter and any(s in words for s in _BOT_FILTER)):
        code = "bot-filter"
    return code


def quote_reason(content: bytes, *, status: int = 200) -> str:
    """Return the reason in an answer, at most ``LONGEST`` characters; "" if it gives none.

    Args:
        content: the answer's body, or its beginning.
        status: the answer's; what only repeats it is no reason.
    """
    title = html_title(content)
    text = decode_roughly(content).strip()
    if title is not None:
        lines = (line for line in plain_text(text).split("\n") if len(line.split()) >= _SENTENCE)
        reasons: Iterable[str] = (title, *lines)
    elif text[:1] in ("{", "[", '"'):
        reasons = _reasons_in_json(text)
    elif text[:1] == "<":
        root = xml.parse_beginning(content)
        reasons = () if root is None else (quote_xml(root),)
    else:
        reasons = () if is_binary(text) else (text,)
    return next(filter(None, (_cleaned(reason, status) for reason in reasons)), "")


def quote_json(value: Any) -> str:
    """Return the reason in a parsed answer of JSON, "" if it gives none."""
    return next(filter(None, (_cleaned(reason) for reason in _reasons_of(value))), "")


def quote_xml(root: etree._Element) -> str:
    """Return the reason in an answer of XML, as ``code (locator): text`` of each exception in it.

    Without an exception, the document's first texts.
    """
    reports = "; ".join(islice(map(_exception, root.iter(*_EXCEPTIONS)), _MOST))
    return _cleaned(reports or " ".join(islice(_texts(root), _MOST)))


def _exception(element: etree._Element) -> str:
    """Return one reason: ``InvalidParameterValue (sortby): no such property``."""
    code = clean_text(element.get("exceptionCode") or element.get("code"))
    locator = clean_text(element.get("locator"))
    head = f"{code} ({locator})" if locator else code
    return ": ".join(filter(None, (head, " ".join(_texts(element)))))


def _texts(root: etree._Element) -> Iterator[str]:
    """Yield the texts of an element and those below it, each on one line."""
    return filter(None, (" ".join(text.split()) for text in xml.texts(root)))


def _reasons_in_json(text: str) -> Iterator[str]:
    try:
        yield from _reasons_of(json.loads(text))
    except (ValueError, RecursionError):
        return  # cut off, or no JSON


def _reasons_of(value: Any) -> Iterator[str]:
    """Yield what may be the reason in JSON, the likeliest first."""
    if not isinstance(value, Mapping):
        yield one_line(value)
        return
    for key in _REASONS:
        inner = value.get(key)
        if isinstance(inner, list):
            inner = next(filter(None, inner), None)
        if not isinstance(inner, Mapping):
            yield one_line(inner or "")
            continue
        own = [inner[name] for name in ("message", "detail") if isinstance(inner.get(name), str)]
        if own:
            yield own[0]
            continue
        # CKAN: the faulty fields, beside the kind of the error.
        yield one_line({name: fault for name, fault in inner.items() if name != "__type"})
        yield str(inner.get("__type") or "")


def _cleaned(reason: str, status: int = 200) -> str:
    """Return a reason without markup and secrets; "" if it says no more than the status."""
    text = hide_secrets(plain_line(reason)).rstrip(".")
    empty = {*_EMPTY_WORDS, *_WORDS.findall(_phrase(status).lower())}
    return shorten(text, LONGEST) if set(_WORDS.findall(text.lower())) - empty else ""


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
