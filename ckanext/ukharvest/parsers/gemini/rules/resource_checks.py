"""Checks of a resource's description: abstract, dates, terms, time, place, lineage and links.

GEMINI 3, 4, 7, 8, 10, 17 to 19, 21, 25, 26 and 44. Services have the same elements of time and
place below ``srv:extent``; AGI's Schematron requires the box and the heights of data only.

Checks of what no Schematron tests are at the end. The parser, not these checks, reports for every
record: west and east or south and north swapped (swapped-extent), an unknown reference system
(unknown-reference-system), a link without a URL (missing-url). The run reports an identifier that
another record of the source has (duplicate-guid).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values.multivalue import is_yes
from ckanext.ukharvest.core.values.text import counted, shorten
from ckanext.ukharvest.core.values.theme_names import theme_of_address, theme_of_label
from ckanext.ukharvest.parsers.gemini import people
from ckanext.ukharvest.parsers.gemini.document import IsoNode
from ckanext.ukharvest.parsers.gemini.rules import checks
from ckanext.ukharvest.parsers.gemini.rules.checks import (
    DEFAULT_CRS,
    is_class,
    nil_fault,
    text_of,
    written_name,
)
from ckanext.ukharvest.parsers.gemini.rules.rule import Failure, Metadata, each

_ABSTRACT = "identificationInfo/*/abstract"
_BLOCK = "identificationInfo/*/resourceConstraints"
_SYSTEM = "referenceSystemInfo/*/referenceSystemIdentifier/*"
_QUALITY = "dataQualityInfo/*"
_RESOLUTION = "identificationInfo/*/spatialResolution/*"
_FORMAT = "distributionInfo/*/distributionFormat/*"
# AGI's Schematron reads only transferOptions; a distributor's links are links as well.
_ONLINE = (
    "distributionInfo/*/transferOptions/*/onLine/*",
    "distributionInfo/*/distributor/*/distributorTransferOptions/*/onLine/*",
)

_SHORTEST = 100  # characters of an abstract
_GML = "http://www.opengis.net/gml/3.2"
_TIMES = ("TimePeriod", "TimeInstant")
_DATE = re.compile(
    r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01])"
    r"(T([01]\d|2[0-4]):[0-5]\d:[0-5]\d)?)?)?",
    re.ASCII,
)
_SIDES = {
    "westBoundLongitude": 180,
    "eastBoundLongitude": 180,
    "southBoundLatitude": 90,
    "northBoundLatitude": 90,
}
# AGI's Schematron accepts only the http URL, exactly once; the standard allows several limitations,
# and the register answers at https as well. gemini-o25-code reports an unknown last part.
_LIMITATION = re.compile(
    checks.LIMITATIONS_ADDRESS.replace("http:", "https?:").replace(".", r"\.") + r"[^/]+"
)
# Other spellings of a default system's URL: OGC's URN, also with a missing colon, and https.
_SPELLING = re.compile(
    r"(?:urn:ogc:def:crs:EPSG:(?:0?:)?|https://www\.opengis\.net/def/crs/EPSG/0/)(\d{1,6})",
    re.ASCII | re.IGNORECASE,
)
_SCHEMES = ("http://", "https://", "ftp://")
# Words for "no version", without blanks and in lower case.
_NO_VERSION = frozenset(("notapplicable", "notentered", "missing", "unknown"))


def abstract_text(metadata: Metadata) -> Iterator[Failure]:
    """Require text; AGI leaves a missing abstract to the XSD."""
    nodes = metadata.at(_ABSTRACT)
    if not nodes:
        yield Failure(Message("is missing"), metadata.record)
    for node in nodes:
        if text_of(node).strip() and not node.first("*"):
            yield Failure(Message("has its words without gco:CharacterString around them"), node)


def abstract_title(metadata: Metadata) -> Iterator[Failure]:
    """Require an abstract that is not the title.

    Without a title AGI's rule (MI-4c) fires for any abstract: in every gmi:MI_Metadata.
    """
    nodes = metadata.at("identificationInfo/*/citation/*/title")
    titles = {title.text.casefold() for node in nodes if (title := node.own_text())}
    for node in metadata.at(_ABSTRACT):
        if (text := node.own_text().text) and text.casefold() in titles:
            yield Failure(Message("is the title again"), node)


@each(_ABSTRACT)
def abstract_short(node: IsoNode) -> str:
    """Require a minimum length, without the blanks around the text that AGI's rule counts."""
    length = len(node.own_text().text)
    return (
        Message("has {characters}", characters=counted(length, "character"))
        if 0 < length < _SHORTEST
        else ""
    )


@each("identificationInfo/*/language/LanguageCode")
def language_name(node: IsoNode) -> str:
    """Require that a language has a name beside its code."""
    words = text_of(node)
    is_code = words and words == node.attribute("codeListValue")
    return (
        Message("has the text '{words}', which is its codeListValue", words=shorten(words))
        if is_code
        else ""
    )


def date_once(metadata: Metadata, word: str) -> Iterator[Failure]:
    """Require that no citation has more than one date of a type."""
    for node in metadata.classes("CI_Citation"):
        dates = [date for date in node.find_all("date/*/dateType") if date.own_code() == word]
        if len(dates) > 1:
            yield Failure(
                Message("is '{word}' {count} times in one citation", word=word, count=len(dates)),
                dates[1],
            )


def limitation(metadata: Metadata) -> Iterator[Failure]:
    """Require a link to one of INSPIRE's limitations on public access."""
    anchors = metadata.at(f"{_BLOCK}/*/otherConstraints/Anchor")
    if any(_LIMITATION.match(anchor.href) for anchor in anchors):
        return
    blocks = [block for block in metadata.at(f"{_BLOCK}/*") if block.codes("accessConstraints")]
    texts = [text for block in blocks for text in block.find_all("otherConstraints")]
    fault = (
        Message("has no link to a limitation in INSPIRE's list") if texts else Message("is missing")
    )
    yield Failure(fault, next(iter((*texts, *blocks)), metadata.holder(_BLOCK)))


def two_legal_blocks(metadata: Metadata) -> Iterator[Failure]:
    """Require blocks of their own for access and for use."""
    nodes = metadata.at(f"{_BLOCK}/*")
    blocks = [node for node in nodes if is_class(node, "MD_LegalConstraints")]
    if len(blocks) < 2:
        fault = Message("is there only once") if blocks else Message("is missing")
        yield Failure(fault, blocks[0] if blocks else metadata.holder(f"{_BLOCK}/*"))


@each(of_class="MD_LegalConstraints")
def access_of_21(node: IsoNode) -> str:
    """Require that each block of legal constraints is about access, as in GEMINI 2.1."""
    count = node.codes("accessConstraints").count("otherRestrictions")
    begin = Message("says more than once") if count else Message("has no")
    fault = Message("{begin} gmd:accessConstraints with the code otherRestrictions", begin=begin)
    return fault if count != 1 else ""


def time_shape(metadata: Metadata) -> Iterator[Failure]:
    """Require one period or one instant of GML 3.2."""
    for node in metadata.at("identificationInfo/*/extent/*/temporalElement/*/extent"):
        times = [child for child in node.find_all("*") if child.name in _TIMES]
        if not times:
            yield Failure(Message("has neither gml:TimePeriod nor gml:TimeInstant"), node)
        elif f"{{{_GML}}}" not in str(times[0].element.tag):
            namespace = str(times[0].element.tag).partition("}")[0].lstrip("{")
            called = (
                Message("the namespace {namespace}", namespace=namespace)
                if namespace
                else Message("no namespace")
            )
            yield Failure(
                Message("has its {name} in {called}", name=times[0].name, called=called), node
            )
        elif not any(sum(child.name == name for child in times) == 1 for name in _TIMES):
            yield Failure(
                Message("has {count} of gml:{name}", count=len(times), name=times[0].name), node
            )


@each()
def indeterminate_date(node: IsoNode, *words: str) -> str:
    """Require that no position has both a date and an indeterminatePosition against it."""
    word, text = node.attribute("indeterminatePosition"), text_of(node).strip()
    fault = Message(
        "has '{text}' and indeterminatePosition '{word}'", text=shorten(text, 40), word=word
    )
    return fault if text and word in words else ""


@each()
def date_form(node: IsoNode) -> str:
    """Require a date's form. AGI's Schematron checks only the length, including blanks.

    So it accepts 25/01/2010.
    """
    text = text_of(node).strip()
    return (
        Message("is '{text}'", text=shorten(text, 40)) if text and not _DATE.fullmatch(text) else ""
    )


def _boxes(metadata: Metadata) -> list[IsoNode]:
    return [
        node
        for node in metadata.at("identificationInfo/*/extent/*/geographicElement/*")
        if "EX_GeographicBoundingBox" in (node.name, node.attribute("isoType").rpartition(":")[2])
    ]


def box_needed(metadata: Metadata) -> Iterator[Failure]:
    """Require a bounding box."""
    if not _boxes(metadata):
        yield Failure(Message("is missing"), metadata.record)


def box_range(metadata: Metadata) -> Iterator[Failure]:
    """Require degrees, and a south that is not north of the north."""
    for box in _boxes(metadata):
        sides = {side.name: side for side in box.find_all(*_SIDES)}
        for name, most in _SIDES.items():
            text = text_of(sides[name]).strip() if name in sides else ""
            if text and not abs(_number(text)) <= most:
                yield Failure(
                    Message("has gmd:{name} {text}", name=name, text=shorten(text, 40)), sides[name]
                )
        south, north = (sides.get(name) for name in ("southBoundLatitude", "northBoundLatitude"))
        if south and north and _number(text_of(south)) > _number(text_of(north)):
            words = Message(
                "{south}, north of its north", south=shorten(text_of(south).strip(), 40)
            )
            yield Failure(Message("has gmd:southBoundLatitude {words}", words=words), south)


def box_value(metadata: Metadata) -> Iterator[Failure]:
    """Require numbers; if the element is missing, AGI's rules fire by chance (AP-6c, AP-6d)."""
    for box in _boxes(metadata):
        for name in _SIDES:
            side = box.first(name)
            if side is None:
                yield Failure(Message("has no gmd:{name}", name=name), box)
            elif side.nil or not text_of(side).strip():
                yield Failure(Message("has an empty gmd:{name}", name=name), side)


def _number(text: str) -> float:
    """Return NaN for text that is not a number: every comparison with it is false."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def system_needed(metadata: Metadata) -> Iterator[Failure]:
    """Require the class, as AGI's rule does: no other is valid there by the XSD."""
    nodes = metadata.at(_SYSTEM)
    if not nodes:
        yield Failure(Message("is missing"), metadata.record)
    elif not any(node.name == "RS_Identifier" for node in nodes):
        yield Failure(
            Message("has its code in a {element}", element=written_name(nodes[0].element)), nodes[0]
        )


def _system_names(node: IsoNode) -> list[str]:
    """Return names of a system in an identifier: the code's text and its Anchor's URL."""
    parts = [part for code in node.find_all("code") for part in code.find_all("*")]
    return [name for part in parts for name in (part.href, text_of(part).strip()) if name]


def system_space(metadata: Metadata) -> Iterator[Failure]:
    """Require that a default system, which is a complete URL, has no code space."""
    for node in metadata.at(_SYSTEM):
        space = node.first("codeSpace")
        if space and not DEFAULT_CRS.isdisjoint(_system_names(node)):
            words = shorten(text_of(space).strip(), 40)
            yield Failure(
                Message("is '{words}'", words=words) if words else Message("is empty"), space
            )


def system_spelling(metadata: Metadata) -> Iterator[Failure]:
    """Require INSPIRE's own spelling of a default system."""
    for node in metadata.at(_SYSTEM):
        names = _system_names(node)
        if not DEFAULT_CRS.isdisjoint(names):
            continue
        for name in names:
            match = _SPELLING.fullmatch(name)
            if match and int(match[1]) in checks.DEFAULT_CRS_NUMBERS:
                right = f"{checks.DEFAULT_CRS_ADDRESS}{match[1]}"
                yield Failure(
                    Message(
                        "is '{name}', which INSPIRE lists as '{right}'", name=name, right=right
                    ),
                    node,
                )
                break


def default_system(metadata: Metadata) -> Iterator[Failure]:
    """Require one of INSPIRE's default systems if the record claims to conform to INSPIRE.

    AGI's Schematron warns of every other system (SP-4a, SP-4b), so of all data in British National
    Grid, though INSPIRE requires this only of data that follow its regulation.
    """
    nodes = metadata.at(_SYSTEM)
    names = [name for node in nodes for name in _system_names(node)]
    if names and DEFAULT_CRS.isdisjoint(names) and follows_inspire(metadata):
        value = Message("is '{names}'", names=shorten(names[0], 60))
        yield Failure(
            Message(
                "{value}, although the record says that the data conform to INSPIRE", value=value
            ),
            nodes[0],
        )


def follows_inspire(metadata: Metadata) -> bool:
    """Tell whether a record says that its data follow INSPIRE's regulation."""
    return any(
        "1089/2010" in node.text("specification/*/title") and is_yes(node.text("pass"))
        for node in metadata.at(f"{_QUALITY}/report/*/result/*")
    )


def lineage(metadata: Metadata) -> Iterator[Failure]:
    """Require one statement; parts of the data may have more. AGI's rule reads only the first."""
    if not metadata.at(f"{_QUALITY}/lineage/*/statement"):
        node = metadata.first(f"{_QUALITY}/lineage/*")
        yield Failure(
            Message("is missing") if node is None else Message("has no gmd:statement"),
            node or metadata.record,
        )
    for part in metadata.at(_QUALITY):
        if len(statements := list(part.find_all("lineage/*/statement"))) > 1:
            yield Failure(
                Message("has {count} of gmd:statement", count=len(statements)), statements[1]
            )


def lineage_of_whole(metadata: Metadata, scope: str) -> Iterator[Failure]:
    """Require lineage in one of the parts about the whole resource."""
    parts = [node for node in metadata.at(_QUALITY) if node.code("scope/*/level") == scope]
    if parts and not any(node.first("lineage") for node in parts):
        yield Failure(
            Message("is in none of the parts about the whole {scope}", scope=scope), parts[0]
        )


def distance_or_scale(metadata: Metadata) -> Iterator[Failure]:
    """Require that a resolution is a distance or a scale, not both."""
    scales = _filled(metadata, f"{_RESOLUTION}/equivalentScale/*/denominator")
    if (distances := _filled(metadata, f"{_RESOLUTION}/distance")) and scales:
        distance, scale = (shorten(text_of(nodes[0]).strip(), 20) for nodes in (distances, scales))
        yield Failure(
            Message(
                "has a distance, {distance}, and a scale, 1:{scale}", distance=distance, scale=scale
            ),
            distances[0],
        )


def _filled(metadata: Metadata, path: str) -> list[IsoNode]:
    return [node for node in metadata.at(path) if text_of(node).strip()]


def link_url(metadata: Metadata) -> Iterator[Failure]:
    """Require a URL; an empty linkage without a nilReason is left to ``value_or_reason``."""
    for node in metadata.at(*(f"{path}/linkage" for path in _ONLINE)):
        text = text_of(node).strip()
        if text and not text.lower().startswith(_SCHEMES):
            yield Failure(Message("is '{text}'", text=shorten(text, 60)), node)
        elif not text and node.nil:
            yield Failure(nil_fault(node), node)


@each(*_ONLINE)
def link_part(node: IsoNode, name: str) -> str:
    """Require an element of each link that has a URL."""
    linkage = node.first("linkage")
    is_without = linkage and text_of(linkage).strip() and not node.first(name)
    return Message("is missing") if is_without else ""


def format_needed(metadata: Metadata) -> Iterator[Failure]:
    """Require a format, also in records without gmd:distributionInfo, which AGI's rule ignores."""
    if not metadata.at(_FORMAT):
        node = metadata.first("distributionInfo/*/distributor/*/distributorFormat")
        fault = Message("is given as gmd:distributorFormat only") if node else Message("is missing")
        yield Failure(fault, node or metadata.record)


@each(f"{_FORMAT}/version")
def version_word(node: IsoNode) -> str:
    """Require a nilReason instead of a word for "no version"."""
    text = text_of(node).strip()
    return (
        Message("is '{text}'", text=shorten(text))
        if "".join(text.split()).lower() in _NO_VERSION
        else ""
    )


_RESOURCE = "identificationInfo/*"
_KEYWORDS = f"{_RESOURCE}/descriptiveKeywords/*"
_DATE_TYPES = frozenset(("creation", "publication", "revision"))

_THEMES = re.compile(r"inspire[\s_]+themes", re.IGNORECASE)
# The code that GEMINI requires, and other spellings of it.
_METRES = re.compile(r"m|met(?:re|er)s?|.*epsg\W.*\b9001", re.IGNORECASE)


@each(f"{_RESOURCE}/citation/*")
def dated(node: IsoNode) -> str:
    """Require a reference date of a type that GEMINI has."""
    types = node.codes("date/*/dateType")
    fault = (
        Message("has the type '{types}'", types=shorten(types[0], 40))
        if types
        else Message("is missing")
    )
    return fault if _DATE_TYPES.isdisjoint(types) else ""


def distributor(metadata: Metadata) -> Iterator[Failure]:
    """Require a contact that distributes the data."""
    nodes = metadata.at(f"{_RESOURCE}/pointOfContact/*")
    if all(node.code("role") != "distributor" for node in nodes):
        node = nodes[0] if nodes else metadata.holder(f"{_RESOURCE}/pointOfContact")
        yield Failure(Message("is distributor for none of the contacts"), node)


@each(_RESOURCE)
def coupled(node: IsoNode) -> str:
    """Require the data that a view or download service serves."""
    service_type = node.text("serviceType")
    is_without = service_type in ("view", "download") and node.first("operatesOn") is None
    return (
        Message("is missing in a service of the type {service_type}", service_type=service_type)
        if is_without
        else ""
    )


@each(f"{_RESOURCE}/extent/*/geographicElement/EX_GeographicBoundingBox")
def box_area(node: IsoNode) -> str:
    """Require a bounding box with an area; the parser reports sides that are no numbers."""
    sides = map(node.first, _SIDES)
    west, east, south, north = (_number(text_of(side) if side else "") for side in sides)
    if west == east:
        return Message("has no width: its west and east are both {west:g}", west=west)
    return (
        Message("has no height: its south and north are both {south:g}", south=south)
        if south == north
        else ""
    )


def _cites_themes(group: IsoNode) -> bool:
    titles = group.texts_at("thesaurusName/*/title")
    return any(_THEMES.search(f"{title.text} {title.href}") for title in titles)


def theme(metadata: Metadata) -> Iterator[Failure]:
    """Require that keywords of INSPIRE's themes are such themes."""
    for group in filter(_cites_themes, metadata.at(_KEYWORDS)):
        for node in group.find_all("keyword"):
            word = node.own_text()
            addressed = theme_of_address(word.href) or theme_of_address(word.text)
            if (word.text or word.href) and not addressed and not theme_of_label(word.text):
                fault = Message(
                    "is '{shorten}', which is not an INSPIRE theme",
                    shorten=shorten(word.text or word.href, 60),
                )
                yield Failure(fault, node)


def theme_needed(metadata: Metadata) -> Iterator[Failure]:
    """Require one of INSPIRE's themes for data that follow its regulation."""
    is_without = follows_inspire(metadata) and not (
        any(map(_cites_themes, metadata.at(_KEYWORDS)))
        or any(map(theme_of_address, _keywords(metadata)))
    )
    if is_without:
        node = metadata.holder(f"{_KEYWORDS}/keyword")
        yield Failure(Message("is missing, though the data follow INSPIRE's regulation"), node)


def category(metadata: Metadata) -> Iterator[Failure]:
    """Require one of INSPIRE's categories of services."""
    words = {text.rpartition("/")[2] for text in _keywords(metadata)}
    if words.isdisjoint(checks.SERVICE_CATEGORIES):
        yield Failure(
            Message("does not name a category of service"), metadata.holder(f"{_KEYWORDS}/keyword")
        )


def _keywords(metadata: Metadata) -> Iterator[str]:
    """Yield keywords, and the URLs of their Anchors; real records have up to 1,300."""
    for node in metadata.at(f"{_KEYWORDS}/keyword/*"):
        yield text_of(node).strip()
        if node.href:
            yield node.href


@each(f"{_RESOURCE}/resourceConstraints/*/otherConstraints/Anchor")
def limitation_code(node: IsoNode) -> str:
    """Require that a limitation on public access is in INSPIRE's list."""
    _, is_limitation, code = node.href.partition("/LimitationsOnPublicAccess/")
    is_unknown = is_limitation and code.strip("/") not in checks.LIMITATIONS
    return (
        Message("leads to '{code}', which INSPIRE does not have", code=shorten(code, 60))
        if is_unknown
        else ""
    )


def licence(metadata: Metadata) -> Iterator[Failure]:
    """Require a licence that is known, or a URL of one."""
    for node in metadata.at(_RESOURCE)[:1]:
        if not people.has_licence(node):
            block = node.first("resourceConstraints/*")
            yield Failure(
                Message("name no licence that we know, and no address of one"), block or node
            )


@each(f"{_RESOURCE}/spatialResolution/*/distance/*")
def unit(node: IsoNode) -> str:
    """Require a resolution in metres."""
    uom = node.attribute("uom")
    is_metre = not uom or _METRES.fullmatch(uom.lstrip("#"))
    return "" if is_metre else Message("is given in '{uom}'", uom=shorten(uom, 60))


@each("distributionInfo/*/distributionFormat/*")
def version(node: IsoNode) -> str:
    """Require the version of each format."""
    fault = Message("is missing in the format '{text}'", text=shorten(node.text("name"), 40))
    return fault if node.first("version") is None else ""
