"""Local government's functions and services, by the identifiers of the esd-toolkit's lists.

Two lists of the Local Government Association: what a council does (functions, which stand in each
other) and what it offers (services, each of which stands in one function). An identifier is an
address such as ``http://id.esd.org.uk/service/579``; publishers write it in many ways.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import unquote

from ckanext.ukharvest.core import vocabulary
from ckanext.ukharvest.core.text import clean_text
from ckanext.ukharvest.core.vocabulary import Vocabulary

FUNCTION, SERVICE = "function", "service"

_LISTS = {FUNCTION: "functions", SERVICE: "services"}

# The list's name in front of a number; LGSL is what the list of services was called.
_NAMED = r"(function|service|lgsl)s?"
_NUMBER = r"0*([0-9]{1,9})(?![0-9])"
# http://id.esd.org.uk/service/579, or a page that shows it
# (http://standards.esd.org.uk/?uri=service%2F579).
_ADDRESS = re.compile(
    rf"(?:(?:https?:)?//)?(?:[\w-]+\.)*esd\.org\.uk[/?][^\s,;]*?{_NAMED}/{_NUMBER}(?:[/?&#.][^\s,;]*)?",
    re.I,
)
_PREFIXED = re.compile(rf"esd:{_NAMED}[/:]{_NUMBER}", re.I)
# Says enough only where functions or services are expected.
_SHORT = re.compile(rf"/?{_NAMED}(?:\s*[/:#]\s*|\s+|(?<=lgsl)){_NUMBER}/?", re.I)
_BARE = re.compile(rf"{_NUMBER}(?:\.0)?")  # spreadsheets make 579.0 of numbers among blanks

_BEFORE_ADDRESS = re.compile(r"(?<![\s,;])[\s,;]+(?=https?://)", re.I)
# Between values; addresses may stand with nothing between them.
_LINES = re.compile(r"[\n;|]+|(?<=[0-9])(?=https?://)", re.I)
_AROUND = "<>()[]{}\"'.,; \u200b\ufeff"
# What people and programs write where there is none.
_NOTHING = ("none", "n/a", "na", "nan", "nil", "null", "not applicable", "unknown", "tbc")
_MOST_COMMAS = 5  # parts of a label, such as "Archive loans, donations, bequests and sales"


@dataclass(frozen=True, slots=True)
class Found:
    """What texts name.

    Attributes:
        functions, services: identifiers as ``http://id.esd.org.uk/function/40``, in the order in
            which they were met, each once; also those that no list has.
        others: texts that are none.
    """

    functions: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def find(texts: Iterable[str], kind: str = "") -> Found:
    """Tell functions from services by their addresses, whatever field they stand in.

    Args:
        texts: one or more identifiers each: with blanks, commas, semicolons or line ends between
            them, or as a JSON list.
        kind: FUNCTION or SERVICE, what the field is for: then its numbers ("579", "LGSL 579") and
            labels ("Public toilets") count too. "" takes only what names the esd-toolkit.
    """
    found = _Finding(kind)
    for text in _each(texts):
        found.read(text)
    return Found(tuple(found.uris[FUNCTION]), tuple(found.uris[SERVICE]), tuple(found.others))


def label(uri: str) -> str:
    """Return what an identifier of ``find`` stands for, "" if no list has it."""
    return _index().labels.get(uri, "")


def path(uri: str) -> tuple[str, ...]:
    """Return the labels from the top of the lists down to an identifier's own; () if unknown."""
    above = [label(each) for each in reversed(_above(uri))]
    return (*above, label(uri)) if label(uri) else ()


def parent_functions(uris: Iterable[str]) -> tuple[str, ...]:
    """Return the functions above these functions and services, the nearest first, each once.

    A function that was given is among them only where it stands above another one.
    """
    return tuple(dict.fromkeys(each for uri in uris for each in _above(uri)))


def _above(uri: str) -> list[str]:
    parents = _index().parents
    found = [uri]
    while (uri := parents.get(uri, "")) and uri not in found:  # a portal's own list may go round
        found.append(uri)
    return found[1:]


def _each(texts: Iterable[str]) -> Iterator[str]:
    """Yield the texts without blanks around them, of a JSON list its items."""
    for text in texts:
        text = text.strip()
        if text[:1] in ("[", '"'):
            with contextlib.suppress(ValueError, RecursionError):
                given = json.loads(text)
                items = given if isinstance(given, list) else [given]
                yield from filter(
                    None, (clean_text(str(item)) for item in items if item is not None)
                )
                continue
        if text:
            yield text


class _Finding:
    """Takes texts apart."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.index = _index()
        self.uris: dict[str, dict[str, None]] = {FUNCTION: {}, SERVICE: {}}
        self.others: dict[str, None] = {}

    def read(self, text: str) -> None:
        """Keep what a text names; what it names nothing of stays in one piece.

        "Parks, woods" is not ours to take apart.
        """
        uris, rest = self._lines(text)
        for uri in uris:
            self.uris[FUNCTION if "/function/" in uri else SERVICE][uri] = None
        others = rest if uris else _BEFORE_ADDRESS.split(text)
        self.others.update(dict.fromkeys(filter(self._says_something, others)))

    def _says_something(self, text: str) -> bool:
        is_nothing = self.kind and text.strip(_AROUND).casefold() in _NOTHING
        return not is_nothing and any(map(str.isalnum, text))

    def _lines(self, text: str) -> tuple[list[str], list[str]]:
        """Return the identifiers, and what is none."""
        uris: list[str] = []
        rest: list[str] = []
        for line in filter(None, map(str.strip, _LINES.split(text))):
            if uri := self._whole(line):
                uris.append(uri)
                continue
            parts = [part for each in line.split(",") if (part := each.strip())]
            start = 0
            while start < len(parts):
                size, uri = self._label(parts[start : start + _MOST_COMMAS])
                more, others = ([uri], []) if uri else self._words(parts[start])
                uris += more
                rest += others
                start += size
        return uris, rest

    def _whole(self, text: str) -> str:
        """The identifier that a text is, as such or as a label."""
        found = _address(text)
        if not found and self.kind:
            found = self._short(text) or self.index.named(text, self.kind)
        return found

    def _label(self, parts: list[str]) -> tuple[int, str]:
        """How many of some parts are one label, and whose: some have commas in them."""
        if self.kind and _folded(parts[0]) in self.index.before_comma:
            for size in range(len(parts), 1, -1):
                if uri := self.index.named(", ".join(parts[:size]), self.kind):
                    return size, uri
        return 1, self._whole(parts[0])

    def _words(self, part: str) -> tuple[list[str], list[str]]:
        """The identifiers between blanks, and the rest unless it is the label of one."""
        words = part.split()
        uris = [_address(word) for word in words]
        if self.kind:
            more = [uri or self._short(word) for word, uri in zip(words, uris, strict=True)]
            # "24 hour care" has a number that is none of ours.
            if self._is_caption(words, more):
                uris = more
        rest = [] if self._is_caption(words, uris) else _apart(words, uris)
        return list(filter(None, uris)), rest

    def _is_caption(self, words: list[str], uris: list[str]) -> bool:
        rest = " ".join(word for word, uri in zip(words, uris, strict=True) if not uri)
        labels = {_folded(self.index.labels.get(uri, "")) for uri in uris if uri}
        return any(uris) and _folded(rest.strip(_AROUND + " -–")) in labels | {""}

    def _short(self, text: str) -> str:
        if match := _SHORT.fullmatch(text):
            return _uri(match[1], match[2])
        match = _BARE.fullmatch(text.strip(_AROUND))
        return _uri(self.kind, match[1]) if match else ""


def _apart(words: list[str], uris: list[str]) -> list[str]:
    """Words that are no identifiers: web addresses one by one, the rest as it stood."""
    left = [word for word, uri in zip(words, uris, strict=True) if not uri]
    found: list[str] = []
    for is_address, group in groupby(left, lambda word: "://" in word):
        near = list(group)
        found += near if is_address else [" ".join(near)]
    return found


def _address(word: str) -> str:
    bare = unquote(unquote(word)).strip(_AROUND) if "esd" in word.lower() else ""
    match = _PREFIXED.fullmatch(bare) or _ADDRESS.fullmatch(bare)
    return _uri(match[1], match[2]) if match else ""


def _uri(name: str, number: str) -> str:
    kind = FUNCTION if name.lower().startswith(FUNCTION) else SERVICE
    return f"http://id.esd.org.uk/{kind}/{int(number)}"


def _folded(text: str) -> str:
    """A label as it is compared: capitals, blanks, dashes and "&" make no difference."""
    text = text.casefold().replace("–", "-").replace("—", "-").replace("&", " and ")
    return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class _Index:
    lists: tuple[Vocabulary, Vocabulary]
    labels: Mapping[str, str]
    parents: Mapping[str, str]
    by_label: Mapping[str, Mapping[str, str]]  # kind → folded label → identifier
    before_comma: frozenset[str]  # how labels with commas begin, folded

    def named(self, text: str, kind: str) -> str:
        """The identifier with a label, of the field's own kind first; "" if none or several."""
        other = SERVICE if kind == FUNCTION else FUNCTION
        folded = _folded(text)
        return self.by_label[kind].get(folded) or self.by_label[other].get(folded, "")


_last: _Index | None = None


def _index() -> _Index:
    """What the lists say, anew where a list was replaced."""
    global _last
    lists = (vocabulary.load("functions"), vocabulary.load("services"))
    if _last is None or any(a is not b for a, b in zip(_last.lists, lists, strict=True)):
        rows = [row for each in lists for row in each.rows]
        _last = _Index(
            lists,
            {row["uri"]: row["label"] for row in rows},
            {row["uri"]: row["parent"] for row in rows if row["parent"]},
            {FUNCTION: _by_label(lists[0]), SERVICE: _by_label(lists[1])},
            frozenset(
                _folded(row["label"].partition(",")[0]) for row in rows if "," in row["label"]
            ),
        )
    return _last


def _by_label(given: Vocabulary) -> dict[str, str]:
    # Two functions are called "Utilites" (sic): such a label tells nothing.
    times = Counter(_folded(row["label"]) for row in given.rows)
    found = ((_folded(row["label"]), row["uri"]) for row in given.rows)
    return {folded: uri for folded, uri in found if times[folded] == 1}
