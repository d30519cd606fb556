"""What a server answered, and how that is said to a publisher."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from functools import cached_property
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote

from lxml import etree

from ckanext.ukharvest.core import formats, xml
from ckanext.ukharvest.core.address import shown
from ckanext.ukharvest.core.exchange import Reply
from ckanext.ukharvest.core.sniff import html_title
from ckanext.ukharvest.core.text import clean_text, shorten
from ckanext.ukharvest.links import api, services, texts
from ckanext.ukharvest.links.addresses import file_url
from ckanext.ukharvest.links.questions import Question

_LOGIN = frozenset((401, 403, 407, 511))
_GONE = frozenset((404, 410))
_QUOTED = 2000  # bytes of a text of which the beginning is quoted


@dataclass(frozen=True)
class Answer:
    """What came, at most as many bytes as were wanted.

    Attributes:
        url: the address that answered.
        is_cut: whether there may be more bytes.
    """

    question: Question
    url: str
    status: int
    media_type: str
    file_name: str
    content: bytes
    is_cut: bool

    @cached_property
    def root(self) -> etree._Element | None:
        """The root of an XML document, as far as it came; None if it is none."""
        is_xml = b"<" in self.content[:1000] and html_title(self.content) is None
        return xml.begun(self.content) if is_xml else None

    @cached_property
    def members(self) -> Mapping[str, Any] | None:
        """A JSON object's members; None if it is none, or did not come whole."""
        return api.members(self.content) if self.content.lstrip()[:1] == b"{" else None

    @cached_property
    def said(self) -> str | None:
        """What a service said in an exception report, None if it is none."""
        if self.root is not None:
            return services.said(self.root)
        return api.said(self.members) if self.members is not None else None

    @property
    def is_error(self) -> bool:
        return self.status >= 400

    @property
    def is_refusal(self) -> bool:
        """Whether other requests to this server are bound to fail too."""
        return self.status in _LOGIN or self.status in (429, 502, 503, 504)

    @property
    def is_lasting(self) -> bool:
        return self.status < 500 and self.status != HTTPStatus.TOO_MANY_REQUESTS

    @property
    def names(self) -> list[str]:
        """Labels of the formats that the file's name and the addresses give away."""
        places = (file_url(self.file_name), self.url, self.question.url)
        return [formats.of_url(place) for place in places]


def answer(question: Question, reply: Reply, wanted: int) -> Answer:
    """Take over what an HTTP reply says; ``wanted`` bytes of the body were asked for."""
    content = reply.content
    return Answer(
        question,
        reply.url,
        reply.status,
        shorten(clean_text(reply.media_type), 100),
        _file_name(reply),
        content,
        is_cut=len(content) >= wanted,
    )


def _file_name(reply: Reply) -> str:
    """Return the name in Content-Disposition (RFC 6266), which is a name and no path."""
    message = Message()
    message["Content-Disposition"] = reply.headers.get("Content-Disposition", "")
    return unquote(message.get_filename("") or "")


def in_words(found: Answer) -> str:
    """Say what came, as the end of "<address> …"."""
    came = _status(found) if found.is_error else _body(found)
    if _place(found.url) != _place(found.question.url):
        return f"redirects to {shown(found.url)}, which {came}"
    return came


def _place(url: str) -> str:
    """Return an address without what redirects add or take away and mean the same by."""
    return url.partition("://")[2].partition("?")[0].rstrip("/").removeprefix("www.").lower()


def what_to_do(found: Answer) -> str:
    """Return the sentence that tells the publisher how to mend it."""
    if found.status in _GONE:
        return "Give the address that it has now, or take the link out of the record."
    if found.status in _LOGIN:
        return "Let the server answer without a login, and also to programs, or link to the page."
    if not found.is_lasting:
        return "It is tried again; if it stays so, ask those who run the server."
    if found.said is not None:
        return "Ask those who run the service, or give the address that its guide names."
    if html_title(found.content) is not None:
        return "Give the address of the data or the service itself, readable without a login."
    return "Check the address, or write the format into the metadata, such as CSV."


def _status(found: Answer) -> str:
    try:
        phrase = f" {HTTPStatus(found.status).phrase}"
    except ValueError:
        phrase = ""
    tells = found.status not in _GONE and found.content.strip()
    return f"answered {found.status}{phrase}" + (f" {_body(found, 'with')}" if tells else "")


def _body(found: Answer, verb: str = "answered with") -> str:
    if found.said is not None:
        return f"{verb} a service's error, {_quoted(found.said or 'without a word')}"
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
