"""Web URLs and email addresses as publishers write them."""

from __future__ import annotations

import contextlib
import re
from urllib.parse import unquote, urljoin, urlsplit

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values.text import Repaired, clean_text, shorten

# Stores and servers that browsers do not open: their addresses are kept, and told by name.
_OTHER_SCHEMES = ("s3", "s3a", "gs", "sftp", "ftps")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_AMPERSAND = re.compile(r"&(?:(?:amp;)+|#0{0,4}38;|#x0{0,4}26;)", re.IGNORECASE)
_SCHEMES = ("http", "https", "ftp")
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)*\.?|[0-9a-f:.]+(?:%[\w.-]+)?", re.IGNORECASE)
# RFC 3986 excludes braces, bars, carets and backquotes too, but services use them unencoded in
# queries, and they work.
_NEVER = re.compile(r"[\s\x00-\x1f\x7f-\x9f<>\"\\]")
BETWEEN_URLS = re.compile(r"[\s,;|](?=https?://|www\.)|[\n|]", re.IGNORECASE)
# Not in a query, which may have URLs of its own.
_SEVERAL = re.compile(r"\s(?:https?://|www\.)|^[^?#]*?[|;,](?:https?://)", re.IGNORECASE)
_EMAIL = re.compile(
    r"[^\s\x00-\x1f\x7f-\x9f@<>()\[\],;:\"\\]{1,64}@"
    r"(?=.{4,253}$)[\w](?:[\w-]*\w)?(?:\.\w(?:[\w-]*\w)?)+"
)


_LONGEST_EMAILS = 2_000  # characters


def parse_email(value: str) -> str:
    """Return an email address without ``mailto:``, its query, a name or angle brackets.

    Raises:
        Repaired: there are several, of which the first is meant.
        ValueError: not the form of an email address.
    """
    text = value.strip()
    short = text[:_LONGEST_EMAILS]
    parts = list(filter(None, (part.strip() for part in re.split(r"[;,|\n]", short))))
    if len(parts) == 1 and all("@" in word for word in short.split()):
        parts = short.split()
    if len(parts) > 1 and all("@" in part for part in parts):
        words = Message(
            "'{text}' has {count} email addresses; expected one",
            text=shorten(text, 60),
            count=len(parts),
        )
        raise Repaired(words, parse_email(parts[0]), "bad-email")
    if match := re.search(r"<([^<>]*)>\s*$", text):
        text = match[1].strip()
    if text[:7].lower() == "mailto:":
        # RFC 6068: ?subject=… may follow, and the address is percent-encoded.
        text = unquote(text[7:].partition("?")[0]).strip()
    if not _EMAIL.fullmatch(text) or ".." in text or text[0] == ".":
        raise ValueError(
            Message(
                "'{value}' is not an email address; expected one such as data@example.gov.uk",
                value=shorten(value, 60),
            )
        )
    return text


def may_be_url(text: str) -> bool:
    """Tell whether a text may be shown as a URL, valid or not.

    "javascript:" and similar schemes must never become a link on a portal's page.
    """
    scheme = _SCHEME.match(text)
    return scheme is None or scheme[1].lower() in (*_SCHEMES, *_OTHER_SCHEMES)


def is_web_url(value: str) -> bool:
    """Tell whether a text is a full http, https or ftp URL with a host, RFC 3986.

    Non-ASCII letters are allowed (RFC 3987), whitespace and control characters are not.
    """
    if _NEVER.search(value):
        return False
    try:
        parts = urlsplit(value)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return False
    if parts.scheme.lower() not in _SCHEMES or not _HOST.fullmatch(host):
        return False
    # "http://https://example.org/" parses as the host "https" with an empty port.
    return not (host in _SCHEMES and parts.path.startswith("//"))


def read_phone(text: str) -> str:
    """Return a telephone number as people write it, given as text or as a URI (tel:)."""
    scheme, colon, number = text.partition(":")
    return clean_text(unquote(number)) if colon and scheme.lower() == "tel" else text


def split_urls(text: str) -> list[str]:
    """Return the URLs of a text that is a list of them, with anything that separates them; else [].

    A URL may contain a comma (RFC 3986).
    """
    parts = filter(None, (part.strip(" \t,;|<>") for part in BETWEEN_URLS.split(text)))
    urls = ["https://" + part if part[:4].lower() == "www." else part for part in parts]
    return urls if all(map(is_web_url, urls)) else []


def parse_url(value: str, base: str = "") -> str:
    """Return a web URL, trimmed; ``&amp;`` becomes ``&``.

    Spaces within become ``%20`` if that alone makes it valid.

    Args:
        base: URL of the document or page, to which a path such as ``/files/a.csv`` is relative.

    Raises:
        Repaired: only scheme or host are missing, or it is a list of URLs: then these with blanks.
        ValueError: not a full web URL; the message says what is missing.
    """
    text = _AMPERSAND.sub("&", value.strip())
    shown = shorten(text, 100)
    if _SEVERAL.search(text) and len(urls := split_urls(text)) > 1:
        words = Message(
            "'{shown}' has {count} web addresses; expected one", shown=shown, count=len(urls)
        )
        raise Repaired(words, " ".join(urls), "bad-url")
    if is_web_url(text):
        return text
    if base and re.match(r"(?:\.{0,2}/(?!/)|\?)\S+$", text):
        joined = ""
        with contextlib.suppress(ValueError):
            joined = urljoin(base, text)
        words = Message("'{shown}' has no host; expected a whole web address", shown=shown)
        raise Repaired(words, joined if is_web_url(joined) else "", code="relative-url")
    if is_web_url(encoded := text.replace(" ", "%20")):
        return encoded
    if text.startswith("//") and is_web_url("https:" + text):
        words = Message("'{shown}' has no scheme; expected https:{shown}", shown=shown)
        raise Repaired(words, "https:" + text, "bad-url")
    if re.match(r"www\.\S+\.\S+", text, re.IGNORECASE):
        words = Message("'{shown}' has no scheme; expected https://{shown}", shown=shown)
        if is_web_url("https://" + text):
            raise Repaired(words, "https://" + text, "bad-url")
        raise ValueError(words)
    if re.search(r"\s", text) and re.match(r"(?:https?|ftp)://", text, re.IGNORECASE):
        raise ValueError(
            Message("'{shown}' has a blank in it; expected one web address", shown=shown)
        )
    if (scheme := _SCHEME.match(text)) and scheme[1].lower() in _OTHER_SCHEMES:
        raise ValueError(
            Message(
                "'{shown}' begins with {scheme}:, which browsers cannot open; expected a web"
                " address that begins with https://",
                shown=shown,
                scheme=scheme[1].lower(),
            )
        )
    raise ValueError(
        Message(
            "'{shown}' is not a web address; expected one that begins with https://", shown=shown
        )
    )
