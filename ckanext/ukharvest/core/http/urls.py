"""URLs as the connection sees them: split, normalise, make printable."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NoReturn
from urllib.parse import quote, unquote, urlencode, urljoin, urlsplit, urlunsplit

from urllib3.exceptions import LocationParseError
from urllib3.util import Url, parse_url

from ckanext.ukharvest.core.errors import Blocked
from ckanext.ukharvest.core.messages import Message

Origin = tuple[str, str, int]  # scheme, host, port

SHOWN = 300  # characters of a URL in a message

# A parameter with the name of a secret that is not a paging token. Each is tried once, and only if
# it has a value: a link may be as long as a document.
_SECRET = re.compile(
    r"(?i)([?&;#](?=[^=?&;#]*=)(?!\$?(?:resumption|continuation|skip|page|next))"
    r"(?:[^=?&;#]*(?:token|secret|passw|apikey|signature|credential)[^=?&;#]*"
    r"|(?:[^=?&;#]*[_.-])?(?:key|auth|sig|pwd|accesskey|subscriptionkey))=)[^&;#]*"
)
# The same without a URL, as code and JSON have it: ``key=…``, ``"key": "…"``.
_NAMED_SECRET = re.compile(
    r"(?i)((?:(?<!resumption)(?<!continuation)(?<!skip)(?<!page)(?<!page_)(?<!next)(?<!next_)token"
    r"|secret|password|passwd|signature|credential|apikey|accesskey|(?<![a-z])(?:key|auth|sig|pwd))"
    r"(?:[\"']?=|[\"']:\s?)[\"']?)[^\s\"'&;,<>…]+"
)
_SECRET_HEADER = re.compile(
    r"(?i)((?:authorization|cookie|x-api-key)[\"']?(?:=|:)\s?[\"']?)[^\s\"'][^\"'<>]*"
)
_USERINFO = re.compile(r"((?:\A|:)//)[^/?#]*@")
# ASCII and Unicode controls, spaces and invisible marks that make one URL look like another;
# browsers and HTTP libraries disagree about each of them.
_HIDDEN = re.compile(r"[\x00-\x20\x7f-\xa0\\\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\ufeff]")


def hide_secrets(text: str) -> str:
    """Return a text without the secrets in its URLs, behind a parameter's or a header's name."""
    text = re.sub(r"\S+", lambda word: without_secrets(word[0]), text)
    return _SECRET_HEADER.sub(r"\1…", _NAMED_SECRET.sub(r"\1…", text))


def without_secrets(url: str) -> str:
    """Return a URL without login and with "…" as the value of a parameter that is a secret."""
    return _SECRET.sub(r"\1…", _USERINFO.sub(r"\1", url))


def is_secret_name(name: str) -> bool:
    """Tell whether a parameter, header or option of this name has a secret as its value."""
    return bool(_SECRET.match(f"?{name}=") or _SECRET_HEADER.match(f"{name}: x"))


def safe_url(url: str) -> str:
    """Return a URL for a message or a log: printable, without secrets, shortened."""
    text = without_secrets(url)
    text = "".join(sign if sign.isprintable() else "\ufffd" for sign in text)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def parse(url: str) -> Url:
    """Split a URL as the connection will; raise Blocked when it is not plain http(s).

    Uses urllib3's own parser, because urllib3 connects: two parsers that disagree about where the
    host ends would be a way round the guard. The result's ``url`` is the normal form.
    """
    scheme, colon, _ = url.partition(":")
    if colon and scheme.isalnum() and scheme.lower() not in ("http", "https"):
        refuse(
            url,
            Message(
                "cannot be read: only http and https addresses are, not {scheme}",
                scheme=scheme[:20].lower(),
            ),
        )
    if _HIDDEN.search(url):
        refuse(
            url,
            Message("holds a space, a backslash or a hidden character, which has to be encoded"),
        )
    try:
        parts = parse_url(url)
    except LocationParseError:
        refuse(url, Message("is not a web address: its host name or port cannot be understood"))
    if parts.scheme not in ("http", "https"):
        refuse(url, Message("is not a web address: it has to begin with http:// or https://"))
    if re.match(r"[^/?#]*//[^/?#]*@", url):
        refuse(
            url, Message("holds a user name or password, which a sysadmin has to set up instead")
        )
    if not parts.host:
        refuse(url, Message("is not a web address: it names no host"))
    if parts.port == 0:
        refuse(url, Message("is not a web address: port 0 does not exist"))
    return parts


def normalise(url: str) -> str:
    """Return a URL in normal form without fragment; spaces are encoded."""
    return parse(url.strip().replace(" ", "%20"))._replace(fragment=None).url


def join(url: str, location: str) -> str:
    """Return the target of a redirect in normal form; raise Blocked when it is not a URL.

    Raw bytes and spaces are encoded, as browsers do; http.client gives bytes as Latin-1.
    """
    printable = "".join(map(chr, range(0x21, 0x7F)))
    encoded = quote(location.strip().encode("latin-1", "replace"), safe=printable)
    try:
        return normalise(urljoin(url, encoded))
    except ValueError:
        refuse(encoded, Message("is not a web address: its host name or port cannot be understood"))


def with_query(url: str, params: Mapping[str, str | int]) -> str:
    """Return a URL with parameters added to its query, without fragment."""
    base, _, _ = url.partition("#")
    return base + ("&" if "?" in base else "?") + urlencode(params)


def without_parameters(url: str, names: re.Pattern[str]) -> str:
    """Return a URL without the query parameters of these names, and without fragment."""
    parts = urlsplit(url)
    pairs = [
        piece
        for piece in parts.query.split("&")
        if piece and not names.fullmatch(unquote(piece.partition("=")[0]))
    ]
    return urlunsplit((parts.scheme, parts.netloc, parts.path, "&".join(pairs), ""))


def origin(url: str) -> Origin:
    """Return the server of a URL: secrets and pacing belong to it."""
    parts = parse(url)
    scheme = parts.scheme or ""
    return scheme, (parts.host or "").strip("[]"), parts.port or (443 if scheme == "https" else 80)


def is_same_server(url: str, other: str) -> bool:
    """Tell whether two URLs are of one host and port, where 80 and 443 count as one.

    Not if one of them is no URL.
    """
    try:
        (_scheme, host, port), (_other, other_host, other_port) = origin(url), origin(other)
    except Blocked:
        return False
    return host == other_host and (port == other_port or {port, other_port} == {80, 443})


def refuse(url: str, why: str) -> NoReturn:
    """Raise Blocked with a sentence that begins with the URL."""
    raise Blocked(Message("{url} {why}.", url=safe_url(url), why=why), url=safe_url(url))
