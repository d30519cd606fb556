"""URL templates of an OpenSearch description document, and how they are filled in.

Specifications: OpenSearch 1.1 draft 6, "OpenSearch URL template syntax"; the Parameter extension
1.0; the extensions Geo 1.0 and Time 1.0 (OGC 10-032r8) and EO (OGC 13-026r9).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, urljoin

COUNT, START_INDEX, START_PAGE = "count", "startIndex", "startPage"
PAGING = (COUNT, START_INDEX, START_PAGE)
# Values of parameters that say nothing about the records (OpenSearch 1.1, "core parameters").
_NEUTRAL = {"language": "*", "inputEncoding": "UTF-8", "outputEncoding": "UTF-8"}

_SLOT = re.compile(r"\{([^{}?\s]+)(\?)?\}")


@dataclass(frozen=True, slots=True)
class Limits:
    """The values that a server accepts for a parameter; what it does not say is None or ()."""

    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()

    def fault(self, value: str) -> str:
        """Return what is wrong with a value, as the end of a sentence; "" if nothing."""
        if self.choices and value not in self.choices:
            return f"'{value}' is not allowed; expected one of: {', '.join(self.choices[:20])}"
        if self.minimum is None and self.maximum is None:
            return ""
        try:
            number = float(value)
        except ValueError:
            return ""  # limits of dates: the server checks them
        if self.minimum is not None and number < self.minimum:
            return f"{value} is too small; expected {self.minimum:g} or more"
        if self.maximum is not None and number > self.maximum:
            return f"{value} is too large; expected {self.maximum:g} or less"
        return ""


@dataclass(frozen=True, slots=True)
class Template:
    """One ``Url`` element with a template for GET.

    Attributes:
        text: the template with parameters under their usual prefixes: ``{geo:box?}``.
        base: the document's URL, for a relative template.
        media_type: of the answer, in lower case, without parameters.
        rel: its relations: "results", "collection" and others.
        index_offset, page_offset: number of the first record and of the first page.
        limits: parameter → accepted values.
    """

    text: str
    base: str
    media_type: str = ""
    rel: tuple[str, ...] = ("results",)
    index_offset: int = 1
    page_offset: int = 1
    limits: Mapping[str, Limits] = field(default_factory=dict)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of all parameters, in order."""
        return tuple(dict.fromkeys(name for name, _ in _SLOT.findall(self.text)))

    @property
    def required(self) -> tuple[str, ...]:
        """Names of the parameters without which the server gives no answer."""
        return tuple(dict.fromkeys(name for name, mark in _SLOT.findall(self.text) if not mark))

    def missing(self, values: Mapping[str, str]) -> tuple[str, ...]:
        """Return the required parameters without a value, but those of paging."""
        given = {*values, *_NEUTRAL, *PAGING}
        return tuple(name for name in self.required if name not in given)

    def url(self, values: Mapping[str, str]) -> str:
        """Return the URL of a request.

        A part of the query whose parameters are all optional and without a value is left out.
        """
        path, query = _split_query(self.text.partition("#")[0])
        parts = [part for part in query.split("&") if not _is_empty(part, values)]
        url = _fill(path, values)
        if any(parts):
            url += "?" + "&".join(_fill(part, values) for part in parts if part)
        return absolute(self.base, url)


def absolute(base: str, url: str) -> str:
    """Return a URL relative to another one; one that is no URL at all as it is."""
    try:
        return urljoin(base, url)
    except ValueError:
        return url


def _split_query(text: str) -> tuple[str, str]:
    """Split at the first "?" that is no mark of an optional parameter."""
    plain = _SLOT.sub(lambda found: "_" * len(found[0]), text)
    place = plain.find("?")
    return (text, "") if place < 0 else (text[:place], text[place + 1 :])


def _is_empty(part: str, values: Mapping[str, str]) -> bool:
    slots = _SLOT.findall(part)
    return bool(slots) and all(mark and name not in values for name, mark in slots)


def _fill(text: str, values: Mapping[str, str]) -> str:
    def value(found: re.Match[str]) -> str:
        default = "" if found[2] else _NEUTRAL.get(found[1], "")
        return quote(values.get(found[1], default), safe=",:")

    return _SLOT.sub(value, text)


def rename(text: str, names: Mapping[str, str]) -> str:
    """Return a template with the prefixes of its parameters replaced (``names``: old → new)."""

    def renamed(found: re.Match[str]) -> str:
        prefix, colon, local = found[1].partition(":")
        if colon and prefix in names:
            local = ":".join(filter(None, (names[prefix], local)))
            return "{" + local + (found[2] or "") + "}"
        return found[0]

    return _SLOT.sub(renamed, text)


def slots(text: str) -> Iterator[str]:
    """Yield the names of the parameters in a text."""
    return (name for name, _ in _SLOT.findall(text))
