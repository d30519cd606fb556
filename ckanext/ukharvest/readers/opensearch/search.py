"""Choose the template of a search, and check the values that a source's options give it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ckanext.ukharvest.core.errors import ConfigError, ProtocolError
from ckanext.ukharvest.core.http.urls import safe_url
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.readers.opensearch.response import ATOM, GEOJSON, Description
from ckanext.ukharvest.readers.opensearch.template import (
    COUNT,
    PAGING,
    START_INDEX,
    START_PAGE,
    Template,
)

TERMS, BOX, GEOMETRY = "searchTerms", "geo:box", "geo:geometry"
# Option → parameter of the template.
_PARAMETERS = {
    "search_terms": TERMS,
    "box": BOX,
    "time_start": "time:start",
    "time_end": "time:end",
}
# Media types of answers, in the order of preference. Atom is what OGC 13-026r9 requires of every
# service; "application/json" may be GeoJSON or anything else.
_TYPES = {
    "atom": (ATOM,),
    "geojson": (GEOJSON, "application/vnd.geo+json", "application/json"),
}
_RELATIONS = ("collection", "results")
_NUMBER = r"\s*-?\d+(?:\.\d+)?\s*"
_BOX = re.compile(rf"{_NUMBER}(?:,{_NUMBER}){{3}}", re.ASCII)
_TIME = re.compile(
    r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?", re.ASCII
)
_PAIR = re.compile(r"[^\s={}]+=.*\S")


@dataclass(frozen=True, slots=True)
class Search:
    """A search that can be sent: a template, and the values of its parameters but paging's."""

    template: Template
    values: Mapping[str, str]

    def url(self, **paging: int) -> str:
        """Return the URL of a page."""
        numbers = {name: str(number) for name, number in paging.items()}
        return self.template.url({**self.values, **numbers})

    def first_url(self) -> str:
        """Return the URL of the first page: without its number, if that is optional."""
        starts = {
            START_INDEX: self.template.index_offset,
            START_PAGE: self.template.page_offset,
        }
        required = self.template.required
        return self.url(**{name: start for name, start in starts.items() if name in required})


def check_box(value: str) -> str:
    """Return what is wrong with the option box, "" if nothing."""
    expected = "expected west,south,east,north in degrees, such as -6.4,49.9,1.8,55.8"
    if not _BOX.fullmatch(value):
        return expected
    west, south, east, north = map(float, value.split(","))
    fits = -180 <= west <= 180 and -180 <= east <= 180 and -90 <= south <= north <= 90
    return "" if fits else expected


def check_time(value: str) -> str:
    """Return what is wrong with the option time_start or time_end, "" if nothing."""
    return "" if _TIME.fullmatch(value) else "expected 2026-05-01 or 2026-05-01T10:00:00Z"


def check_parameters(values: Iterable[str]) -> str:
    """Return what is wrong with the option parameters, "" if nothing."""
    for pair in values:
        name = pair.partition("=")[0].strip()
        if not _PAIR.fullmatch(pair):
            return f"'{shorten(pair, 60)}' is not allowed; expected name=value, as eo:platform=X"
        if name in PAGING:
            return f"{name} is set by the harvester itself; the option page_size changes count"
    return ""


def given_values(options: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Return parameter → (value, option that it comes from)."""
    values = {
        name: ("".join(options[option].split()) if name == BOX else options[option], option)
        for option, name in _PARAMETERS.items()
        if options.get(option)
    }
    for pair in options.get("parameters", ()):
        name, _, value = pair.partition("=")
        values[name.strip()] = (value.strip(), "parameters")
    return values


def choose(description: Description, options: Mapping[str, Any]) -> Search:
    """Return the search to send.

    Collections are preferred to their products, then a template that takes all values and misses
    none, then the answer that is preferred.

    Raises:
        ProtocolError: no template leads to an answer that can be read.
        ConfigError: a required parameter has no value, or a value is not accepted.
    """
    values = given_values(options)
    faults, template = min(
        (
            (_faults(template, values, description.url), template)
            for template in _candidates(description, options)
        ),
        key=lambda candidate: len(candidate[0]),
    )
    if faults:
        raise faults[0]
    texts = {name: value for name, (value, _) in _fitted(template, values).items()}
    if COUNT in template.parameters:
        texts[COUNT] = str(_count(template, options.get("page_size", 50)))
    return Search(template, texts)


def _candidates(description: Description, options: Mapping[str, Any]) -> list[Template]:
    """Return the templates with a readable answer, the preferred ones first."""
    url = safe_url(description.url)
    answer = options.get("answer")
    names = [answer] if answer else list(_TYPES)
    types = [media_type for name in names for media_type in _TYPES[name]]
    relation = options.get("search_for")
    relations = [relation] if relation else list(_RELATIONS)
    for name in relations:
        candidates = [
            template
            for template in description.templates
            if template.media_type in types and name in template.rel
        ]
        if candidates:
            return sorted(candidates, key=lambda template: types.index(template.media_type))
    offered = dict.fromkeys(
        f"{template.media_type or 'no type'} ({' '.join(template.rel)})"
        for template in description.templates
    )
    shown = shorten(", ".join(offered), 200) or "none"
    message = (
        f"the description document at {url} has no template for {' or '.join(types)} with the"
        f" relation {' or '.join(relations)}, sent by GET; found: {shown}"
    )
    if answer or relation:
        field = "answer" if answer else "search_for"
        raise ConfigError(f"{field}: {message}", field=field, code="bad-option", url=url)
    raise ProtocolError(message, code="no-template", url=url)


def _fitted(
    template: Template, values: Mapping[str, tuple[str, str]]
) -> Mapping[str, tuple[str, str]]:
    """Return the values with the box as a geometry, if the template only takes that."""
    names = template.parameters
    if BOX not in values or BOX in names or GEOMETRY not in names or GEOMETRY in values:
        return values
    value, option = values[BOX]
    west, south, east, north = value.split(",")
    ring = f"{west} {south},{east} {south},{east} {north},{west} {north},{west} {south}"
    others = {name: pair for name, pair in values.items() if name != BOX}
    return {**others, GEOMETRY: (f"POLYGON(({ring}))", option)}


def _faults(
    template: Template, values: Mapping[str, tuple[str, str]], url: str
) -> list[ConfigError]:
    """Return what keeps a template from being used with the values."""
    fitted = _fitted(template, values)
    place = f"the search of {safe_url(url)}"
    faults: list[tuple[str, str]] = []
    if missing := template.missing({name: value for name, (value, _) in fitted.items()}):
        names = ", ".join(missing)
        option = next((key for key, name in _PARAMETERS.items() if name in missing), "parameters")
        faults.append((option, f"{place} requires a value for {names}; add it to the options"))
    for name, (value, option) in fitted.items():
        if name not in template.parameters:
            taken = ", ".join(name for name in template.parameters if name not in PAGING)
            words = f"it takes: {taken}" if taken else "it takes no values"
            faults.append((option, f"{place} does not take {name}; {words}"))
        elif name in template.limits and (fault := template.limits[name].fault(value)):
            faults.append((option, f"{name} of {place}: {fault}"))
    return [
        ConfigError(f"{option}: {words}", field=option, code="bad-option", url=safe_url(url))
        for option, words in faults
    ]


def _count(template: Template, wanted: int) -> int:
    """Return how many records to request at a time, within what the server accepts."""
    limits = template.limits.get(COUNT)
    if limits is None:
        return wanted
    offered = [int(text) for text in limits.choices if text.isdecimal() and len(text) < 9]
    if offered:
        return max((number for number in offered if number <= wanted), default=min(offered))
    wanted = max(wanted, int(limits.minimum or 1))
    return min(wanted, max(int(limits.maximum), 1)) if limits.maximum else wanted
