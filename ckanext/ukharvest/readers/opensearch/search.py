"""OpenSearch description documents, and the search that a source's options make of them.

Specifications: OpenSearch 1.1 draft 6, "OpenSearch description document" and "OpenSearch URL
template syntax"; the Parameter extension 1.0; the extensions Geo 1.0 and Time 1.0 (OGC 10-032r8)
and EO (OGC 13-026r9). Elements are recognised by local names; parameters get their usual prefixes,
whatever prefix the document declares.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote, urljoin

from lxml import etree

from ckanext.ukharvest.core.errors import ConfigError, ProtocolError
from ckanext.ukharvest.core.http.urls import safe_url
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.core.xml import parser as xml

COUNT, START_INDEX, START_PAGE = "count", "startIndex", "startPage"
PAGING = (COUNT, START_INDEX, START_PAGE)
# Values of parameters that say nothing about the records (OpenSearch 1.1, "core parameters").
_NEUTRAL = {"language": "*", "inputEncoding": "UTF-8", "outputEncoding": "UTF-8"}

_SLOT = re.compile(r"\{([^{}?\s]+)(\?)?\}")

ROOT = "OpenSearchDescription"
MEDIA_TYPE = "application/opensearchdescription+xml"

ATOM, GEOJSON = "application/atom+xml", "application/geo+json"

_HEAD_SIZE = 1 << 16  # bytes of a page that hold its head

# Namespace → usual prefix of its parameters; the core has none.
_PREFIXES = {
    "http://a9.com/-/spec/opensearch/1.1/": "",
    "http://a9.com/-/opensearch/extensions/geo/1.0/": "geo",
    "http://a9.com/-/opensearch/extensions/time/1.0/": "time",
    "http://a9.com/-/opensearch/extensions/eo/1.0/": "eo",
    "http://a9.com/-/opensearch/extensions/sru/2.0/": "sru",
    "http://a9.com/-/opensearch/extensions/semantic/1.0/": "sem",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """The values that a server accepts for a parameter; what it does not say is None or ()."""

    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()

    def fault(self, value: str) -> str:
        """Return what is wrong with a value, as the end of a sentence; "" if nothing."""
        if self.choices and value not in self.choices:
            return Message(
                "'{value}' is not allowed; expected one of: {choices}",
                value=value,
                choices=", ".join(self.choices[:20]),
            )
        try:
            number = float(value)
        except ValueError:
            return ""  # limits of dates: the server checks them
        if self.minimum is not None and number < self.minimum:
            return Message(
                "{value} is too small; expected {minimum:g} or more",
                value=value,
                minimum=self.minimum,
            )
        if self.maximum is not None and number > self.maximum:
            return Message(
                "{value} is too large; expected {maximum:g} or less",
                value=value,
                maximum=self.maximum,
            )
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
        filled = {*values, *_NEUTRAL, *PAGING}
        return tuple(name for name in self.required if name not in filled)

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


@dataclass(frozen=True, slots=True)
class Description:
    """A description document: its templates."""

    url: str
    templates: tuple[Template, ...]


def absolute(base: str, url: str) -> str:
    """Return a URL relative to another one; one that is no URL at all as it is."""
    try:
        return urljoin(base, url)
    except ValueError:
        return url


def _split_query(text: str) -> tuple[str, str]:
    """Split at the first "?" that is no mark of an optional parameter."""
    plain = _SLOT.sub(lambda slot: "_" * len(slot[0]), text)
    place = plain.find("?")
    return (text, "") if place < 0 else (text[:place], text[place + 1 :])


def _is_empty(part: str, values: Mapping[str, str]) -> bool:
    slots = _SLOT.findall(part)
    return bool(slots) and all(mark and name not in values for name, mark in slots)


def _fill(text: str, values: Mapping[str, str]) -> str:
    def value(slot: re.Match[str]) -> str:
        default = "" if slot[2] else _NEUTRAL.get(slot[1], "")
        return quote(values.get(slot[1], default), safe=",:")

    return _SLOT.sub(value, text)


def rename(text: str, names: Mapping[str, str]) -> str:
    """Return a template with the prefixes of its parameters replaced (``names``: old → new)."""

    def renamed(slot: re.Match[str]) -> str:
        prefix, colon, local = slot[1].partition(":")
        if not colon or prefix not in names:
            return slot[0]
        local = ":".join(filter(None, (names[prefix], local)))
        return "{" + local + (slot[2] or "") + "}"

    return _SLOT.sub(renamed, text)


def templates(root: etree._Element, url: str) -> tuple[Template, ...]:
    """Return the templates of a description document that are sent by GET, in its order.

    Args:
        root: its root element.
        url: where it was read, for relative templates.
    """
    return tuple(
        _template(element, url)
        for element in root.iterchildren("{*}Url")
        if clean_text(element.get("template")) and _method(element) == "get"
    )


def _method(element: etree._Element) -> str:
    methods = (
        str(value).strip().lower()
        for name, value in element.attrib.items()
        if str(name).rpartition("}")[2] == "method"
    )
    return next(methods, "get")


def _template(element: etree._Element, url: str) -> Template:
    names = {str(k): _PREFIXES[uri] for k, uri in element.nsmap.items() if k and uri in _PREFIXES}
    offsets = (_number(element.get(name)) for name in ("indexOffset", "pageOffset"))
    index_offset, page_offset = (1 if offset is None else int(offset) for offset in offsets)
    template = Template(
        text=rename(clean_text(element.get("template")).replace(" ", "%20"), names),
        base=url,
        media_type=clean_text(element.get("type")).partition(";")[0].strip().lower(),
        rel=tuple(clean_text(element.get("rel")).lower().split()) or ("results",),
        index_offset=index_offset,
        page_offset=page_offset,
    )
    limits: dict[str, Limits] = {}
    for parameter in element.iterchildren("{*}Parameter"):
        value = rename(clean_text(parameter.get("value")), names)
        choices = (clean_text(item.get("value")) for item in parameter.iterchildren("{*}Option"))
        limit = Limits(
            _number(parameter.get("minInclusive")),
            _number(parameter.get("maxInclusive")),
            tuple(filter(None, choices)),
        )
        for name, _mark in _SLOT.findall(value):
            limits[name] = limit
            if name not in template.parameters:
                text = _with_parameter(template.text, parameter, value)
                template = replace(template, text=text)
    return replace(template, limits=limits)


def _with_parameter(text: str, element: etree._Element, value: str) -> str:
    """Return a template with a parameter that is declared by an element only."""
    name = clean_text(element.get("name"))
    if not name:
        return text
    if clean_text(element.get("minimum")) == "0":
        value = value.replace("}", "?}").replace("??}", "?}")
    return f"{text}{'&' if '?' in text.replace('?}', '') else '?'}{name}={value}"


def _number(text: str | None) -> float | None:
    number = clean_text(text)
    is_number = number.removeprefix("-").isdecimal() and len(number) < 12
    return float(number) if is_number else None


class _Head:
    """Collects the links of an HTML page to description documents."""

    def __init__(self) -> None:
        self.links: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        rels = attributes.get("rel", "").lower().split()
        kind = attributes.get("type", "").partition(";")[0].strip().lower()
        if tag.lower() == "link" and "search" in rels and kind == MEDIA_TYPE:
            self.links.append(attributes.get("href", "").strip())

    def close(self) -> None:
        pass


def linked(page: bytes) -> Iterator[str]:
    """Yield where an HTML page says that its description documents are (autodiscovery)."""
    head = _Head()
    with suppress(etree.XMLSyntaxError):
        xml.read_html(head, page[:_HEAD_SIZE])
    return filter(None, head.links)


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
            return Message(
                "'{pair}' is not allowed; expected name=value, as eo:platform=X",
                pair=shorten(pair, 60),
            )
        if name in PAGING:
            return Message(
                "{name} is set by the harvester itself; the option page_size changes count",
                name=name,
            )
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
    message = Message(
        "the description document at {url} has no template for {types} with the relation"
        " {relations}, sent by GET; found: {shown}",
        url=url,
        types=" or ".join(types),
        relations=" or ".join(relations),
        shown=shown,
    )
    if answer or relation:
        field = "answer" if answer else "search_for"
        raise ConfigError(
            Message("{field}: {message}", field=field, message=message),
            field=field,
            code="bad-option",
            url=url,
        )
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
    place = Message("the search of {url}", url=safe_url(url))
    faults: list[tuple[str, str]] = []
    if missing := template.missing({name: value for name, (value, _) in fitted.items()}):
        names = ", ".join(missing)
        option = next((key for key, name in _PARAMETERS.items() if name in missing), "parameters")
        faults.append(
            (
                option,
                Message(
                    "{place} requires a value for {names}; add it to the options",
                    place=place,
                    names=names,
                ),
            )
        )
    for name, (value, option) in fitted.items():
        if name not in template.parameters:
            taken = ", ".join(name for name in template.parameters if name not in PAGING)
            words = (
                Message("it takes: {taken}", taken=taken)
                if taken
                else Message("it takes no values")
            )
            faults.append(
                (
                    option,
                    Message(
                        "{place} does not take {name}; {words}", place=place, name=name, words=words
                    ),
                )
            )
        elif name in template.limits and (fault := template.limits[name].fault(value)):
            faults.append((option, f"{name} of {place}: {fault}"))
    return [
        ConfigError(
            Message("{option}: {words}", option=option, words=words),
            field=option,
            code="bad-option",
            url=safe_url(url),
        )
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
