"""Recognise HTML pages in place of data: servers send error pages with status 200."""

from __future__ import annotations

import codecs
import html
import re

from ckanext.ukharvest.core.values.text import shorten

HEAD = 4096  # characters that are enough to recognise a record's format
# A page's first tags come early; scripts before its title can be long.
_LOOK_AT = 65536

_BEFORE = re.compile(r"(?:\s+|<\?xml[^>]*\?>|<\?[^>]*\?>|<!--.*?-->)+", re.DOTALL)
_PAGE = re.compile(r"<(?:!doctype\s+html|(?:html|head|body|title|meta|script)\b)", re.IGNORECASE)
# No pattern may look far ahead: a hostile page could open a title again and again.
_TITLE = re.compile(r"<title[^<>]*>", re.IGNORECASE)
_TITLE_ENDS = re.compile(r"</title", re.IGNORECASE)
_MEDIA_TYPE = re.compile(r"[\w.+-]{1,40}/[\w.+-]{1,80}", re.ASCII)
# As which servers send files of any kind.
_ANY_KIND = ("octet-stream", "text/plain")
_BINARY = re.compile(r"[\x00-\x08\ufffd]")


def is_binary(text: str) -> bool:
    """Tell whether decoded bytes were no text."""
    return _BINARY.search(text) is not None


def html_title(content: bytes) -> str | None:
    """Return the title of an HTML page, "" if it has none, None if this is no HTML page.

    The title is on one line, at most 100 characters.
    """
    text = decode_roughly(content[:_LOOK_AT])
    before = _BEFORE.match(text)
    if not _PAGE.match(text, before.end() if before else 0):
        return None
    title = _TITLE.search(text)
    end = _TITLE_ENDS.search(text, title.end()) if title else None
    words = html.unescape(text[title.end() : end.start()]).split() if title and end else []
    line = " ".join(words)
    return line if len(line) <= 100 else line[:99].rstrip() + "…"


def quote_beginning(content: bytes) -> str:
    """Return what a document begins with, in quotes, for a message."""
    return quote_text(decode_roughly(content[:200]).strip())


def quote_text(text: str) -> str:
    """Return the beginning of a text on one line, in quotes; of binary data as Python writes it."""
    line = " ".join(text[:200].split())
    is_plain = line.isprintable() and not is_binary(line)
    return f"'{shorten(line, 40)}'" if is_plain else repr(text[:20])


def sent_as(media_type: str, *fitting: str) -> str:
    """Return ", sent as application/pdf" for a message about a document of another kind.

    Args:
        media_type: the server's, "" if it names none.
        fitting: parts of the types that fit the document; naming such a type explains nothing.
    """
    is_usual = any(part in media_type for part in (*fitting, *_ANY_KIND))
    return "" if is_usual or not _MEDIA_TYPE.fullmatch(media_type) else f", sent as {media_type}"


def decode_roughly(content: bytes) -> str:
    """Decode well enough to find tags and a title."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", "replace").lstrip("\ufeff")
    try:
        # Not to the end: a cut may split a character.
        return codecs.getincrementaldecoder("utf-8-sig")().decode(content)
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def size_of(content: str) -> int:
    """Return a record's size in bytes of UTF-8."""
    return len(content.encode("utf-8", "replace"))
