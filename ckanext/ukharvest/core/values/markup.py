"""Convert HTML in titles, names and descriptions to clean text with Markdown links."""

from __future__ import annotations

import re

from ckanext.ukharvest.core.values.languages import choose_language
from ckanext.ukharvest.core.values.text import clean_text, decode_entities
from ckanext.ukharvest.core.values.web_addresses import is_web_url

_BLOCKS = frozenset(
    ("address", "article", "blockquote", "div", "dl", "fieldset", "footer", "form", "h1", "h2")
    + ("h3", "h4", "h5", "h6", "header", "hr", "ol", "p", "pre", "section", "table", "ul")
)
_LINES = frozenset(("br", "dd", "dt", "li", "tr"))
_UNSEEN = frozenset(("head", "script", "style", "template", "title"))
_NAMES = (
    frozenset(("a", "abbr", "b", "big", "body", "cite", "code", "em", "font", "html", "i", "img"))
    | frozenset(("q", "small", "span", "strong", "sub", "sup", "tbody", "td", "th", "thead", "u"))
    | _BLOCKS
    | _LINES
    | _UNSEEN
)
# Not html.parser: its time is quadratic in the number of unclosed tags.
_TAG = re.compile(rf"<(/?)({'|'.join(sorted(_NAMES))})\b([^<>]*)>", re.IGNORECASE)
# Within these a line end is a blank; other text, such as Markdown, has its own lines.
_LAYOUT = re.compile(
    rf"<(?:{'|'.join(sorted(_BLOCKS | (_LINES - {'br'}) | {'td', 'th'}))})\b", re.IGNORECASE
)
_EMPTY_LINE = re.compile(r"\n[^\S\n]*\n")
_BLANKS, _BLANKS_AND_LINES = re.compile(r"[^\S\n]+"), re.compile(r"\s+")
_HREF = re.compile(r"""\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))""", re.IGNORECASE)


def plain_text(value: object) -> str:
    """Return text without tags and entities; paragraphs, lists and links stay readable.

    Text outside HTML's paragraphs and lists, such as Markdown, keeps its line ends, and text
    without any HTML tag its "<". Tags that are escaped once more (``&lt;p&gt;``) count if one of
    them is an end tag. Of a language map English is read, else its first language.
    """
    chosen = choose_language(value)
    if isinstance(chosen, list):
        chosen = "\n".join(map(clean_text, chosen))
    text = clean_text(chosen)
    if "<" not in text and "&" not in text:  # as most are
        return clean_text(text)
    text = _without_comments(text)
    escaped = None if _TAG.search(text) else decode_entities(text)
    if escaped and any(tag[1] for tag in _TAG.finditer(escaped)):
        text = _without_comments(escaped)
    reader = _Reader(has_lines=_LAYOUT.search(text) is None)
    place = 0
    tags = list(_TAG.finditer(text))
    ends = {tag[2].lower(): tag.start() for tag in tags if tag[1]}
    for tag in tags:
        name, is_end = tag[2].lower(), bool(tag[1])
        # An element that never ends is one that the text is about: "each page's <title>".
        if name in _UNSEEN and not is_end and ends.get(name, -1) < tag.start():
            if not tag[3].endswith("/"):
                continue
            is_end = True
        reader.words(text[place : tag.start()])
        place = tag.end()
        reader.tag(name, is_end=is_end, attributes=tag[3])
    if not place:
        return clean_text(decode_entities(text))
    reader.words(text[place:])
    return reader.text()


def plain_line(value: object) -> str:
    """Return ``plain_text`` on one line, for names and titles."""
    return " ".join(plain_text(value).split())


def _without_comments(text: str) -> str:
    parts = []
    place = 0
    while (start := text.find("<!--", place)) >= 0 and (end := text.find("-->", start)) >= 0:
        parts.append(text[place:start])
        place = end + len("-->")
    return "".join((*parts, text[place:]))


class _Reader:
    """Collects the text that a browser would show.

    Args:
        has_lines: line ends are kept: there are no paragraphs and lists of HTML.
    """

    def __init__(self, *, has_lines: bool) -> None:
        self._has_lines = has_lines
        self._depth = 0
        self._parts: list[str] = []
        self._unseen = 0
        self._link: tuple[str, int] | None = None

    def words(self, text: str) -> None:
        """Add the text between two tags."""
        if not self._unseen:
            has_lines = self._has_lines or (not self._depth and _EMPTY_LINE.search(text.strip()))
            blanks = _BLANKS if has_lines else _BLANKS_AND_LINES
            if self._parts and self._parts[-1] == "\n":
                text = text.lstrip()  # "<br>" at the end of a line
            self._parts.append(blanks.sub(" ", decode_entities(text)))

    def tag(self, name: str, *, is_end: bool, attributes: str) -> None:
        """Add a tag."""
        if name in _UNSEEN:
            self._unseen = max(0, self._unseen + (-1 if is_end else 1))
        elif name == "a":
            self._close_link()
            match = None if is_end else _HREF.search(attributes)
            if match:
                target = decode_entities(match[1] or match[2] or match[3] or "").strip()
                self._link = (target, len(self._parts))
        elif name in _BLOCKS:
            self._parts.append("\n\n")
            if name != "hr":
                self._depth = max(0, self._depth + (-1 if is_end else 1))
        elif name in ("td", "th"):
            self._parts.append(" ")
        elif name in _LINES and not is_end:
            self._parts.append("\n- " if name == "li" else "\n")

    def text(self) -> str:
        """Return the collected text, with at most one empty line between paragraphs."""
        lines = (" ".join(line.split()) for line in "".join(self._parts).split("\n"))
        return clean_text(re.sub(r"\n{3,}", "\n\n", "\n".join(lines)))

    def _close_link(self) -> None:
        if self._link is None:
            return
        target, start = self._link
        self._link = None
        words = " ".join("".join(self._parts[start:]).split())
        if not is_web_url(target):
            return
        if words and words != target:
            # Brackets would end the link's text.
            words = words.replace("[", "(").replace("]", ")")
            self._parts[start:] = [f"[{words}]({target})"]
        else:
            self._parts[start:] = [target]
