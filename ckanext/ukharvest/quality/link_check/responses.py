"""A server's answer, and its description for a publisher."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from functools import cached_property
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote

from lxml import etree

from ckanext.ukharvest.core.document_kind import html_title
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.http.urls import safe_url
from ckanext.ukharvest.core.values import formats
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.quality.link_check import api, services, texts
from ckanext.ukharvest.quality.link_check.addresses import file_url
from ckanext.ukharvest.quality.link_check.service_requests import Question

_LOGIN = frozenset((401, 403, 407, 511))
_GONE = frozenset((404, 410))
_QUOTED = 2000  # bytes of a text that are read for its quoted beginning


@dataclass(frozen=True)
class Answer:
    """An answer, with at most the wanted number of bytes.

    Attributes:
        url: the URL that answered.
        is_cut: whether there may be more bytes.
        declared: the size that the server gives, None if it gives none.
    """

    question: Question
    url: str
    status: int
    media_type: str
    file_name: str
    content: bytes
    is_cut: bool
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
        return api.members(self.content) if self.content.lstrip()[:1] == b"{" else None

    @cached_property
    def error_text(self) -> str | None:
        """The text of a service's exception report, None if it is not one."""
        if self.root is not None:
            return services.exception_text(self.root)
        return api.error_text(self.members) if self.members is not None else None

    @property
    def is_error(self) -> bool:
        return self.status >= 400

    @property
    def is_refusal(self) -> bool:
        """Whether other requests to this server will fail too."""
        return self.status in _LOGIN or self.status in (429, 502, 503, 504)

    @property
    def is_lasting(self) -> bool:
        return self.status < 500 and self.status != HTTPStatus.TOO_MANY_REQUESTS

    @property
    def names(self) -> list[str]:
        """Labels of the formats in the file's name and URLs."""
        return list(map(formats.of_url, (file_url(self.file_name), self.url, self.question.url)))


def answer(question: Question, reply: Reply, wanted: int) -> Answer:
    """Make an answer of an HTTP reply; ``wanted`` is the requested number of bytes."""
    # The file's name is that of Content-Disposition (RFC 6266), without a path.
    message = Message()
    message["Content-Disposition"] = reply.headers.get("Content-Disposition", "")
    # Content-Length may be that of a packed answer, and PostgreSQL's bigint ends somewhere.
    length = reply.headers.get("Content-Length", "").strip()
    is_packed = reply.headers.get("Content-Encoding", "").strip().lower() not in ("", "identity")
    is_known = not is_packed and length.isdecimal() and len(length) <= 18
    return Answer(
        question,
        reply.url,
        reply.status,
        shorten(clean_text(reply.media_type), 100),
        unquote(message.get_filename("") or ""),
        reply.content,
        is_cut=len(reply.content) >= wanted,
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
    if found.status in _LOGIN:
        return (
            "The server must answer without a login, to programs too; otherwise link to the page."
        )
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
    text = texts.decode(found.content[:_QUOTED], is_cut=True)
    if text is not None:
        return f"{verb} a text that begins {_quoted(shorten(clean_text(text), 100))}"
    typed = f", which it calls {found.media_type}" if found.media_type else ""
    return f"{verb} something whose format its first bytes do not tell{typed}"


def _quoted(text: str) -> str:
    return f"“{shorten(clean_text(text), 200)}”"
