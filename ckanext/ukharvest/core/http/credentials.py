"""Secrets for publishers' servers: parse them, send them, take them out of what comes back.

A secret belongs to one scheme, host and port. Publishers repeat keys in paging links, error pages
and URLs of files; nothing of that may reach a message, a log or the database.
"""

from __future__ import annotations

import base64
import binascii
import html
import json
import logging
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote_plus, urlsplit

from urllib3 import HTTPHeaderDict

from ckanext.ukharvest.core.http.urls import Origin, hide_secrets, origin, with_query
from ckanext.ukharvest.core.messages import Message

DEFAULT_PORTS = {"http": 80, "https": 443}
FORMS = (
    "https://host Header: value",
    "https://host basic user:password",
    "https://host query parameter=key",
)
# A shorter secret is removed only where it stands behind its parameter's name: as a word of its own
# it may be part of any record ("demo", "guest").
SHORTEST = 8
REMOVED = "***"

_urllib3_log = logging.getLogger("urllib3.connectionpool")

_FORM = re.compile(
    r"(?P<origin>\S+) +(?:basic +(?P<login>[^\s:]+:.+)|query +(?P<parameter>[^\s=&#]+)=(?P<key>\S+)"
    r"|(?P<header>[!#$%&'*+.^_`|~\w-]+):[ \t]*(?P<value>\S.*))",
    re.ASCII,
)
_AND = r"(?:&(?:amp;|\#38;)?|\\u0026)"  # an ampersand, as XML and JSON encode it
_LONGEST_AND = len(r"\u0026")


@dataclass(frozen=True, slots=True)
class Credential:
    """A secret for exactly one scheme, host and port, and for no other server.

    Attributes:
        header: name of the header that it is sent in, "" if ``parameter`` is set.
        value: of the header or the parameter.
        parameter: name of the query parameter that it is sent in.
    """

    scheme: str
    host: str
    port: int
    header: str
    value: str = field(repr=False)
    parameter: str = ""

    @property
    def origin(self) -> Origin:
        """The server that it is for."""
        return self.scheme.lower(), self.host.lower(), self.port

    @property
    def texts(self) -> set[str]:
        """The texts that must not be stored: the value, and a token or password in it."""
        # "Bearer" and the token; other headers have no scheme before their value.
        has_scheme = self.header.lower() == "authorization"
        token = self.value.rpartition(" ")[2] if has_scheme else self.value
        if self.value[:6].lower() != "basic ":
            return {self.value, token}
        try:
            login = base64.b64decode(token, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            login = ""
        return {self.value, token, login, login.partition(":")[2]}

    def add_to(self, url: str) -> str:
        """Return a URL with the secret in its query, instead of a parameter of the same name."""
        if not self.parameter:
            return url
        base, mark, query = url.partition("?")
        name = re.compile(re.escape(quote_plus(self.parameter)) + r"(=|\Z)", re.IGNORECASE)
        others = "&".join(part for part in query.split("&") if part and not name.match(part))
        return with_query(base + (mark + others if others else ""), {self.parameter: self.value})


def parse_credential(text: str) -> Credential:
    """Parse a secret as the ini has it, in one of ``FORMS``.

    Raises:
        ValueError: it has none of them. The message does not contain the secret.
    """
    parts = _FORM.fullmatch(text.strip())
    server = _server(parts["origin"]) if parts and text.strip().isprintable() else None
    if not parts or not server:
        raise ValueError(Message("expected one of: {forms}", forms="; ".join(FORMS)))
    if parts["login"]:
        login = base64.b64encode(parts["login"].encode()).decode()
        return Credential(*server, "Authorization", f"Basic {login}")
    if parts["parameter"]:
        return Credential(*server, "", parts["key"], parts["parameter"])
    return Credential(*server, parts["header"], parts["value"])


def _server(url: str) -> Origin | None:
    """Return scheme, host and port of a URL that is no more than a server, else None."""
    try:
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORTS[parts.scheme]
    except (ValueError, KeyError):
        return None
    if not parts.hostname or "@" in parts.netloc or parts.query or parts.fragment:
        return None
    return (parts.scheme, parts.hostname, port) if parts.scheme in DEFAULT_PORTS else None


def _encodings(sign: str) -> set[str]:
    """Return a character as itself and as URLs, JSON and HTML encode it; in mixes, too."""
    if sign.isascii() and sign.isalnum():
        return {sign}
    in_url = "".join(f"%{byte:02x}" for byte in sign.encode())
    number = ord(sign)
    forms = {sign, in_url, in_url.replace("%", "%25"), json.dumps(sign)[1:-1], html.escape(sign)}
    forms |= {f"\\u{number:04x}", f"&#{number};", f"&#x{number:x};"}
    return forms | {"/": {r"\/"}, " ": {"+"}}.get(sign, set())


def _any_of(texts: Iterable[str]) -> str:
    return "(?:" + "|".join(sorted(map(re.escape, texts), key=len, reverse=True)) + ")"


def _encoded(text: str) -> str:
    """Return a pattern of a text in any encoding."""
    return "".join(_any_of(_encodings(sign)) for sign in text)


def _longest(text: str) -> int:
    """Return the most bytes that ``_encoded`` matches."""
    return sum(max(len(form.encode()) for form in _encodings(sign)) for sign in text)


class Secrets(logging.Filter):
    """The secrets of a client: adds them to requests, takes them out of all that comes back.

    They are found as they are, and as URLs, JSON and HTML encode them: many servers write "/" in
    JSON as "\\/". A parameter is removed from the query of a URL; elsewhere ``REMOVED`` replaces a
    secret.

    Args:
        hidden: texts that are removed likewise, such as those of a proxy's login.
    """

    def __init__(self, credentials: Iterable[Credential], hidden: Iterable[str] = ()) -> None:
        super().__init__()
        self._credentials = tuple(credentials)
        in_query = {(one.parameter, one.value) for one in self._credentials if one.parameter}
        texts = {text for one in self._credentials for text in one.texts} | set(hidden)
        texts = {text for text in texts if len(text) >= SHORTEST}
        pattern = _pattern(in_query, texts)
        self._text = re.compile(pattern, re.IGNORECASE) if pattern else None
        self._bytes = re.compile(pattern.encode(), re.IGNORECASE) if pattern else None
        longest = max(map(_longest, (*map("=".join, in_query), *texts)), default=0)
        self._most = longest + 2 * _LONGEST_AND + 1  # bytes of a match and of what it looks at

    def open(self) -> None:
        """Take secrets out of urllib3's log: URLs with their query, some of them as warnings."""
        _urllib3_log.addFilter(self)

    def close(self) -> None:
        """Leave the log alone."""
        _urllib3_log.removeFilter(self)

    def of_server(self, url: str) -> list[Credential]:
        """Return the secrets for the server of a URL."""
        server = origin(url)
        return [one for one in self._credentials if one.origin == server]

    def headers(self, url: str) -> dict[str, str]:
        """Return the headers for a request."""
        return {one.header: one.value for one in self.of_server(url) if one.header}

    def add_to(self, url: str) -> str:
        """Return the URL as it is requested: only here does a secret stand in one."""
        for credential in self.of_server(url):
            url = credential.add_to(url)
        return url

    def clean_headers(self, headers: HTTPHeaderDict) -> HTTPHeaderDict:
        """Return the headers of an answer without secrets."""
        return HTTPHeaderDict((name, self.clean(text)) for name, text in headers.items())

    def clean(self, text: str) -> str:
        """Return a text without secrets; a message that has none stays one."""
        return (
            self._text.sub(_replacement, text) if self._text and self._text.search(text) else text
        )

    def clean_pieces(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Return pieces of a body without secrets, also those that two pieces share."""
        if self._bytes is None:
            yield from pieces
            return
        rest = b""
        for piece in pieces:
            rest += piece
            done, rest = self._clean_start(rest, len(rest) - self._most)
            yield done
        yield self._clean_start(rest, len(rest))[0]

    def _clean_start(self, data: bytes, end: int) -> tuple[bytes, bytes]:
        """Clean what begins before ``end``; return it and the rest."""
        assert self._bytes is not None
        done, at = [], 0
        for match in self._bytes.finditer(data):
            if match.start() >= end:
                break
            done += [data[at : match.start()], _replacement(match)]
            at = match.end()
        end = max(at, end)
        return b"".join((*done, data[at:end])), data[end:]

    def filter(self, record: logging.LogRecord) -> bool:
        """Clean a log line, also of what only looks like a secret."""
        record.msg, record.args = hide_secrets(self.clean(record.getMessage())), ()
        return True


def _pattern(in_query: set[tuple[str, str]], texts: set[str]) -> str:
    """Return a pattern with the groups ``first``, ``later`` (parameters) and ``alone``."""
    parts = []
    # The longest first: a password before its beginning, a login before the password in it.
    alone = [_encoded(text) for text in sorted(texts, key=len, reverse=True)]
    if in_query:
        pairs = "|".join(f"{_encoded(name)}={_encoded(value)}" for name, value in in_query)
        pair = rf"(?:{pairs})(?![\w.~%-])"
        parts = [rf"(?P<first>\?){pair}(?P<more>{_AND})?", rf"(?P<later>{_AND}){pair}"]
        alone = [pair, *alone]
    if alone:
        parts.append(f"(?P<alone>{'|'.join(alone)})")
    return "|".join(parts)


def _replacement(match: re.Match[Any]) -> Any:
    groups = match.groupdict()
    is_alone = groups.get("alone") is not None
    text = REMOVED if is_alone else "?" if groups.get("more") is not None else ""
    return text.encode() if isinstance(match.string, bytes) else text
