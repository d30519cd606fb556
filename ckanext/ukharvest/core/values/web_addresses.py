"""Web URLs and email addresses as publishers write them."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from ckanext.ukharvest.core.values.text import shorten

_SCHEMES = ("http", "https", "ftp")
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)*\.?|[0-9a-f:.]+(?:%[\w.-]+)?", re.IGNORECASE)
# RFC 3986 excludes braces, bars, carets and backquotes too, but services use them unencoded in
# queries, and they work.
_NEVER = re.compile(r"[\s\x00-\x1f\x7f-\x9f<>\"\\]")
_EMAIL = re.compile(
    r"[^\s\x00-\x1f\x7f-\x9f@<>()\[\],;:\"\\]{1,64}@"
    r"(?=.{4,253}$)[\w](?:[\w-]*\w)?(?:\.\w(?:[\w-]*\w)?)+"
)


def parse_email(value: str) -> str:
    """Return an email address without ``mailto:``, its query, a name or angle brackets.

    Raises:
        ValueError: not the form of one email address.
    """
    text = value.strip()
    if match := re.search(r"<([^<>]*)>\s*$", text):
        text = match[1].strip()
    if text[:7].lower() == "mailto:":
        # RFC 6068: ?subject=… may follow, and the address is percent-encoded.
        text = unquote(text[7:].partition("?")[0]).strip()
    if not _EMAIL.fullmatch(text) or ".." in text or text[0] == ".":
        raise ValueError(
            f"'{shorten(value, 60)}' is not an email address; "
            "expected one such as data@example.gov.uk"
        )
    return text


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


def parse_url(value: str) -> str:
    """Return a web URL, trimmed; spaces within become ``%20`` if that alone makes it valid.

    Raises:
        ValueError: not a full web URL; the message says what is missing.
    """
    text = value.strip()
    if is_web_url(text):
        return text
    shown = shorten(text, 100)
    if is_web_url(encoded := text.replace(" ", "%20")):
        return encoded
    if text.startswith("//") and is_web_url("https:" + text):
        raise ValueError(f"'{shown}' has no scheme; expected https:{shown}")
    if re.match(r"www\.\S+\.\S+", text, re.IGNORECASE):
        raise ValueError(f"'{shown}' has no scheme; expected https://{shown}")
    if re.search(r"\s", text) and re.match(r"(?:https?|ftp)://", text, re.IGNORECASE):
        raise ValueError(f"'{shown}' has a blank in it; expected one web address")
    raise ValueError(f"'{shown}' is not a web address; expected one that begins with https://")
