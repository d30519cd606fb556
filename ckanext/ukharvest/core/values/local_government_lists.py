"""Local government's functions and services, by the identifiers of the esd-toolkit's lists.

Two lists of the Local Government Association: what a council does (functions, nested) and what it
offers (services, each within one function). An identifier is a URI such as
``http://id.esd.org.uk/service/579``; publishers write it in many ways.
"""

from __future__ import annotations

import contextlib
import difflib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import unquote

from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.core.vocabularies.vocabulary import Vocabulary

FUNCTION, SERVICE = "function", "service"

_LISTS = {FUNCTION: "functions", SERVICE: "services"}

# The list's name before a number; LGSL is the former name of the list of services.
_NAMED = r"(function|service|lgsl)s?"
_NUMBER = r"0*([0-9]{1,9})(?![0-9])"
# http://id.esd.org.uk/service/579, or a page that shows it
# (http://standards.esd.org.uk/?uri=service%2F579).
_ADDRESS = re.compile(
    rf"(?:(?:https?:)?//)?(?:[\w-]+\.)*esd\.org\.uk[/?][^\s,;]*?{_NAMED}/{_NUMBER}(?:[/?&#.][^\s,;]*)?",
    re.I,
)
_PREFIXED = re.compile(rf"esd:{_NAMED}[/:]{_NUMBER}", re.I)
# Only clear where functions or services are expected.
_SHORT = re.compile(rf"/?{_NAMED}(?:\s*[/:#]\s*|\s+|(?<=lgsl)){_NUMBER}/?", re.I)
_BARE = re.compile(rf"{_NUMBER}(?:\.0)?")  # spreadsheets write 579.0 if a column has empty cells

_BEFORE_ADDRESS = re.compile(r"(?<![\s,;])[\s,;]+(?=https?://)", re.I)
# Between values; URLs may follow each other without a separator.
_LINES = re.compile(r"[\n;|]+|(?<=[0-9])(?=https?://)", re.I)
_AROUND = "<>()[]{}\"'.,; \u200b\ufeff"
# Placeholders for "none".
_NOTHING = ("none", "n/a", "na", "nan", "nil", "null", "not applicable", "unknown", "tbc")


@dataclass(frozen=True, slots=True)
class Identifiers:
    """The identifiers in some texts.

    Attributes:
        functions, services: identifiers as ``http://id.esd.org.uk/function/40``, in order of
            appearance, without repeats; also unknown ones.
        others: texts that are not identifiers.
    """

    functions: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def find(texts: Iterable[str], kind: str = "") -> Identifiers:
    """Find functions and services by their URIs, in whatever field they are.

    A label counts if it is a value of its own: between semicolons or line ends, or between commas
    if it has none itself.

    Args:
        texts: one or more identifiers each, separated by spaces, commas, semicolons or line ends,
            or as a JSON list.
        kind: FUNCTION or SERVICE, the field's purpose: then numbers ("579", "LGSL 579") and labels
            ("Public toilets") count too. With "" only references to the esd-toolkit count.
    """
    finding = _Finding(kind)
    for text in _each(texts):
        finding.read(text)
    return Identifiers(*map(tuple, (*finding.uris.values(), finding.others)))


def label(uri: str) -> str:
    """Return the label of an identifier of ``find``, "" if no list has it."""
    return _index().labels.get(uri, "")


def nearest(text: str, kind: str) -> str:
    """Return the identifier whose label is most like a text, "" if none is."""
    labels = _index().by_label.get(kind, {})
    near = difflib.get_close_matches(_folded(text[:100]), labels, n=1, cutoff=0.7)
    return labels[near[0]] if near else ""


def path(uri: str) -> tuple[str, ...]:
    """Return the labels from the top of the lists down to the identifier's own; () if unknown."""
    above = [label(parent) for parent in reversed(_above(uri))]
    return (*above, label(uri)) if label(uri) else ()


def parent_functions(uris: Iterable[str]) -> tuple[str, ...]:
    """Return the functions above these functions and services, nearest first, without repeats.

    A function in ``uris`` is included only if it is above another one.
    """
    return tuple(dict.fromkeys(parent for uri in uris for parent in _above(uri)))


def _above(uri: str) -> list[str]:
    parents = _index().parents
    chain = [uri]
    while (uri := parents.get(uri, "")) and uri not in chain:  # a portal's own list may have cycles
        chain.append(uri)
    return chain[1:]


def _each(texts: Iterable[str]) -> Iterator[str]:
    """Yield the texts, stripped; for a JSON list its items."""
    for text in texts:
        text = text.strip()
        if text[:1] in ("[", '"'):
            with contextlib.suppress(ValueError, RecursionError):
                value = json.loads(text)
                items = value if isinstance(value, list) else [value]
                yield from filter(None, (clean_text(str(one)) for one in items if one is not None))
                continue
        if text:
            yield text


class _Finding:
    """Collects the identifiers in texts."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.index = _index()
        self.uris: dict[str, dict[str, None]] = {FUNCTION: {}, SERVICE: {}}
        self.others: dict[str, None] = {}

    def read(self, text: str) -> None:
        """Add the identifiers in a text; a text without any is kept whole ("Parks, woods")."""
        uris: list[str] = []
        rest: list[str] = []
        for line in filter(None, map(str.strip, _LINES.split(text))):
            parts = [line] if self._whole(line) else map(str.strip, line.split(","))
            for part in filter(None, parts):
                more, others = self._words(part)
                uris += more
                rest += others
        for uri in uris:
            self.uris[FUNCTION if "/function/" in uri else SERVICE][uri] = None
        others = rest if uris else _BEFORE_ADDRESS.split(text)
        self.others.update(dict.fromkeys(filter(self._says_something, others)))

    def _says_something(self, text: str) -> bool:
        is_nothing = self.kind and text.strip(_AROUND).casefold() in _NOTHING
        return not is_nothing and any(map(str.isalnum, text))

    def _whole(self, text: str) -> str:
        """Return the identifier that the whole text is, directly or as a label."""
        uri = _address(text)
        if not uri and self.kind:
            uri = self._short(text) or self.index.find_by_label(text, self.kind)
        return uri

    def _words(self, part: str) -> tuple[list[str], list[str]]:
        """Return the identifiers in a part of a line, and the rest of it."""
        if uri := self._whole(part):
            return [uri], []
        words = part.split()
        uris = [_address(word) for word in words]
        if self.kind:
            numbers = [self._short(word) for word in words]
            # "24 hour care" contains a number that is not an identifier.
            uris = numbers if all(numbers) else uris
        return list(filter(None, uris)), _apart(words, uris)

    def _short(self, text: str) -> str:
        if match := _SHORT.fullmatch(text):
            return _uri(match[1], match[2])
        match = _BARE.fullmatch(text.strip(_AROUND))
        return _uri(self.kind, match[1]) if match else ""


def _apart(words: list[str], uris: list[str]) -> list[str]:
    """Return words that are not identifiers: URLs separately, the rest unchanged."""
    others = (word for word, uri in zip(words, uris, strict=True) if not uri)
    groups = [(is_url, list(near)) for is_url, near in groupby(others, lambda word: "://" in word)]
    return [text for is_url, near in groups for text in (near if is_url else [" ".join(near)])]


def _address(word: str) -> str:
    bare = unquote(unquote(word)).strip(_AROUND) if "esd" in word.lower() else ""
    match = _PREFIXED.fullmatch(bare) or _ADDRESS.fullmatch(bare)
    return _uri(match[1], match[2]) if match else ""


def _uri(name: str, number: str) -> str:
    kind = FUNCTION if name.lower().startswith(FUNCTION) else SERVICE
    return f"http://id.esd.org.uk/{kind}/{int(number)}"


def _folded(text: str) -> str:
    """Return a label for comparison: case, spaces, dashes and "&" make no difference."""
    text = text.casefold().replace("–", "-").replace("—", "-").replace("&", " and ")
    return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class _Index:
    labels: Mapping[str, str]
    parents: Mapping[str, str]
    by_label: Mapping[str, Mapping[str, str]]  # kind → folded label → identifier

    def find_by_label(self, text: str, kind: str) -> str:
        """Return the identifier with a label, own kind first; "" if none or several."""
        other = SERVICE if kind == FUNCTION else FUNCTION
        label = _folded(text)
        return self.by_label[kind].get(label) or self.by_label[other].get(label, "")


@vocabulary.derived("functions")
def _index(functions: Vocabulary) -> _Index:
    services = vocabulary.load("services")
    rows = [*functions.rows, *services.rows]
    return _Index(
        {row["uri"]: row["label"] for row in rows},
        {row["uri"]: row["parent"] for row in rows if row["parent"]},
        {FUNCTION: _by_label(functions), SERVICE: _by_label(services)},
    )


def _by_label(vocabulary: Vocabulary) -> dict[str, str]:
    # Two functions are called "Utilities" (the esd-toolkit writes "Utilites"): it is ambiguous.
    times = Counter(_folded(row["label"]) for row in vocabulary.rows)
    labels = ((_folded(row["label"]), row["uri"]) for row in vocabulary.rows)
    return {label: uri for label, uri in labels if times[label] == 1}
