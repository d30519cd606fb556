"""HTML that publishers put into descriptions, as clean text with Markdown links."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

from ckanext.ukharvest.core.text import clean_text
from ckanext.ukharvest.core.web import is_web_url

_BLOCKS = frozenset(
    ("address", "article", "blockquote", "div", "dl", "fieldset", "footer", "form", "h1", "h2")
    + ("h3", "h4", "h5", "h6", "header", "hr", "ol", "p", "pre", "section", "table", "ul")
)
_LINES = frozenset(("br", "dd", "dt", "li", "tr"))
_UNSEEN = frozenset(("head", "script", "style", "template", "title"))
_TAG = re.compile(
    r"</?(?:a|abbr|b|big|cite|code|em|font|i|img|q|small|span|strong|sub|sup|td|th|u|tbody|thead"
    rf"|body|html|{'|'.join(sorted(_BLOCKS | _LINES | _UNSEEN))})\b[^<>]*>",
    re.IGNORECASE,
)


def plain_text(value: str) -> str:
    """Return text without tags and entities; paragraphs, lists and links stay readable.

    Text without any tag of HTML keeps its line ends and its "<" as they are.
    """
    text = clean_text(value)
    if not _TAG.search(text):
        return clean_text(html.unescape(text))
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return reader.text()


class _Reader(HTMLParser):
    """Collects what a browser would show."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._unseen = 0
        self._links: list[tuple[str, int]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNSEEN:
            self._unseen += 1
        elif tag == "a":
            self._links.append((dict(attrs).get("href") or "", len(self._parts)))
        else:
            self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN:
            self._unseen = max(0, self._unseen - 1)
        elif tag == "a" and self._links:
            self._link(*self._links.pop())
        elif tag in _BLOCKS:
            self._parts.append("\n\n")

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self._parts.append(re.sub(r"\s+", " ", data))

    def text(self) -> str:
        """What was collected, at most one blank line between paragraphs."""
        joined = re.sub(r" *\n *", "\n", re.sub(r"[ \u00a0]+", " ", "".join(self._parts)))
        return clean_text(re.sub(r"\n{3,}", "\n\n", joined))

    def _break(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._parts.append("\n\n")
        elif tag in _LINES:
            self._parts.append("\n- " if tag == "li" else "\n")
        elif tag in ("td", "th"):
            self._parts.append(" ")

    def _link(self, target: str, start: int) -> None:
        words = " ".join("".join(self._parts[start:]).split())
        target = target.strip()
        if is_web_url(target) and words and words != target:
            # Brackets would end the link's words.
            words = words.replace("[", "(").replace("]", ")")
            self._parts[start:] = [f"[{words}]({target})"]
        elif is_web_url(target):
            self._parts[start:] = [target]
