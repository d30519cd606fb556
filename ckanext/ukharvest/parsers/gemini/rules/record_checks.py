"""Checks of the record itself, and of what it says about conformity and quality.

GEMINI 30, 33, 35, 37 to 39, 41 (with the former 42), 45, 47, 48, 52, 54 and 55, and the encoding of
the record (A1 to A7). INSPIRE finds a statement of conformity by the title of its regulation, so
the standard requires the exact title.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from datetime import datetime, timedelta, timezone

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers.gemini.document import IsoNode
from ckanext.ukharvest.parsers.gemini.rules import checks, report
from ckanext.ukharvest.parsers.gemini.rules.checks import (
    is_class,
    nil_fault,
    quoted,
    text_of,
    written_name,
)
from ckanext.ukharvest.parsers.gemini.rules.rule import (
    DATA,
    SERVICE,
    SERVICES,
    Failure,
    Metadata,
    each,
)

_GMD = "http://www.isotc211.org/2005/gmd"
_OLD_GML = "http://www.opengis.net/gml"
# The GML classes that a record may have at the top: times, outlines, systems of heights.
_GML = ("TimePeriod", "TimeInstant", "Polygon", "Surface", "LineString", "Point", "VerticalCRS")
# RFC 3986, 2.2 and 2.3, and the percent sign.
_NOT_OF_A_URI = re.compile(r"[^A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]")
# Tolerance for different clocks and time zones.
_SLACK = timedelta(days=1)
_LEVEL_NAMES = "hierarchyLevelName/*"


def root(metadata: Metadata) -> Iterator[Failure]:
    """Require the root element of ISO 19139."""
    element = metadata.record.element
    namespace = xml.namespace(element)
    if namespace != _GMD:
        name = Message(
            "{element} of {namespace}",
            element=written_name(element),
            namespace=namespace or Message("no namespace"),
        )
        yield Failure(Message("is {name}", name=name), metadata.record)


@each(named=_GML)
def old_gml(node: IsoNode) -> str:
    """Require GML of 3.2."""
    is_old = xml.namespace(node.element) == _OLD_GML
    return Message("is of the old namespace {old_gml}", old_gml=_OLD_GML) if is_old else ""


@each("fileIdentifier")
def braces(node: IsoNode) -> str:
    """Require a file identifier without braces."""
    text = text_of(node)
    return Message("is '{text}'", text=shorten(text)) if "{" in text or "}" in text else ""


def characters(metadata: Metadata) -> Iterator[Failure]:
    """Require a file identifier of characters that a URI can have."""
    for node in metadata.at("fileIdentifier"):
        text = clean_text(text_of(node))
        if match := _NOT_OF_A_URI.search(text):
            what = (
                Message("a blank")
                if match[0].isspace()
                else Message("'{match}'", match=shorten(match[0]))
            )
            yield Failure(
                Message("holds {what}: '{text}'", what=what, text=shorten(text, 60)), node
            )


@each("dateStamp")
def future_date(node: IsoNode) -> str:
    """Require that the record's date is not in the future."""
    try:
        day = parse_date(text_of(node))[:10]
    except ValueError:
        return ""  # the parser reports it as bad-date
    is_ahead = day > (datetime.now(timezone.utc) + _SLACK).date().isoformat()
    return Message("is in the future: {day}", day=day) if is_ahead else ""


def no_edition(metadata: Metadata) -> Iterator[Failure]:
    """Require that the record shows its edition of GEMINI."""
    if report.detect_edition(metadata) == report.NOT_STATED:
        node = metadata.first("metadataStandardName") or metadata.record
        yield Failure(
            Message("does not name an edition of GEMINI, so the record is checked against 2.3"),
            node,
        )


def contact_role(metadata: Metadata) -> Iterator[Failure]:
    """Require a contact of the record with the role pointOfContact."""
    contacts = metadata.at("contact")
    roles = [contact.code("*/role") for contact in contacts]
    if contacts and "pointOfContact" not in roles:
        words = quoted(roles, " or ")
        yield Failure(
            Message("is {words}", words=words) if words else Message("is missing"), contacts[0]
        )


def identification_class(metadata: Metadata, name: str) -> Iterator[Failure]:
    """Require that the first identification is of a class."""
    node = metadata.first("identificationInfo/*")
    if node is not None and not is_class(node, name):
        yield Failure(Message("holds {element}", element=written_name(node.element)), node)


@each(named=("CharacterString", "Anchor"))
def blank_text(node: IsoNode) -> str:
    """Require text in each element of text."""
    parent, text = node.element.getparent(), text_of(node).strip()
    return (
        ""
        if text or parent is None
        else Message("is empty in {parent}", parent=written_name(parent))
    )


@each(_LEVEL_NAMES)
def level_name(node: IsoNode) -> str:
    """Require the word service as the name of a service's type."""
    word = text_of(node)
    return Message("is '{word}'", word=shorten(word)) if word.strip() and word != SERVICE else ""


@each(_LEVEL_NAMES)
def blank_level_name(node: IsoNode) -> str:
    """Require text in the name of the resource's type."""
    return "" if text_of(node).strip() else Message("is empty")


@each("identificationInfo/*/serviceType")
def service_type(node: IsoNode, *types: str) -> str:
    """Require that the type of a service is in a list."""
    names = [text_of(name) for name in node.find_all("LocalName")]
    if not names:
        return Message("has no gco:LocalName")
    return "" if names[0] in types else Message("is '{names}'", names=shorten(names[0]))


@each("identificationInfo/*/operatesOn")
def coupled_url(node: IsoNode) -> str:
    """Require a URL of each coupled resource; AGI's Schematron accepts an empty one."""
    return "" if node.href else Message("has no xlink:href")


_QUALITY = "dataQualityInfo/*"
_RESULT = "report/DQ_DomainConsistency/result/DQ_ConformanceResult"
_DATE = "specification/*/date/*"
_LEVEL = f"{_QUALITY}/scope/*/level"
_TOPOLOGY = f"{_QUALITY}/report/DQ_TopologicalConsistency/result"

# The Schematron accepts two spellings of this title, and nothing else.
_DATA_TITLES = (checks.INTEROPERABILITY, checks.INTEROPERABILITY_CAPITALS)
_TITLES = {"1089/2010": _DATA_TITLES, "976/2009": (checks.NETWORK_SERVICES,)}
_SERVICE_TITLES = (checks.NETWORK_SERVICES, *_DATA_TITLES)


def _title(result: IsoNode) -> str:
    """Return the title that a result cites, with single blanks."""
    node = result.first("specification/*/title/*")
    return " ".join(text_of(node).split()) if node is not None else ""


def _on_the_whole(metadata: Metadata, scopes: Collection[str]) -> list[tuple[IsoNode, ...]]:
    """Return the results of each element about the whole resource; without a scope, of any."""
    quality = metadata.at(_QUALITY)
    scoped = [node for node in quality if node.code("scope/*/level") in scopes]
    return [tuple(node.find_all(_RESULT)) for node in scoped or quality]


def _uncited(
    metadata: Metadata, scopes: Collection[str], titles: Collection[str]
) -> Iterator[Failure]:
    """Require that a statement about the whole resource cites one of the titles."""
    results = [result for group in _on_the_whole(metadata, scopes) for result in group]
    cited = {_title(result): result for result in results}
    if cited.keys().isdisjoint(titles):
        near = [title for title in cited if any(number in title for number in _TITLES)]
        if near:
            yield Failure(Message("cites '{near}'", near=shorten(near[0], 250)), cited[near[0]])
        elif results:
            yield Failure(Message("cites other specifications only"), results[0])
        else:
            yield Failure(Message("is missing"), metadata.holder(f"{_QUALITY}/{_RESULT}"))


def _repeated(metadata: Metadata, scopes: Collection[str]) -> Iterator[Failure]:
    """Require that an element cites no regulation twice; gemini-48-one checks across elements."""
    for results in _on_the_whole(metadata, scopes):
        cited: set[str] = set()  # not a list: a record may have thousands
        for result in results:
            title = _title(result)
            if title in _SERVICE_TITLES and title in cited:
                yield Failure(Message("appears again for the same regulation"), result)
            cited.add(title)


def regulation_of_data(metadata: Metadata) -> Iterator[Failure]:
    """Require that data cite their regulation, and once."""
    yield from _uncited(metadata, DATA, _DATA_TITLES)
    yield from _repeated(metadata, DATA)


def regulation_of_service(metadata: Metadata) -> Iterator[Failure]:
    """Require that a service cites one of its regulations."""
    return _uncited(metadata, SERVICES, _SERVICE_TITLES)


def repeated_regulation(metadata: Metadata) -> Iterator[Failure]:
    """Require that a service cites no regulation twice."""
    return _repeated(metadata, SERVICES)


def _results(metadata: Metadata, *titles: str) -> Iterator[IsoNode]:
    nodes = metadata.at(f"{_QUALITY}/{_RESULT}")
    return (result for result in nodes if _title(result) in titles)


def regulation_pass(metadata: Metadata, number: str) -> Iterator[Failure]:
    """Require a verdict on a regulation, or that it is unknown."""
    for result in _results(metadata, *_TITLES[number]):
        verdicts = list(result.find_all("pass"))
        if not any(node.first("Boolean") or node.nil == "unknown" for node in verdicts):
            yield Failure(Message("is empty") if verdicts else Message("is missing"), result)


def regulation_date(metadata: Metadata, number: str) -> Iterator[Failure]:
    """Require the date that the Schematron expects of a regulation."""
    for result in _results(metadata, *_TITLES[number]):
        dates = [text_of(node).strip() for node in result.find_all(f"{_DATE}/date/Date")]
        if checks.REGULATIONS_DATE not in dates:
            yield Failure(
                Message("is '{dates}'", dates=shorten(dates[0]))
                if dates
                else Message("has no gco:Date"),
                result,
            )


def regulation_date_type(metadata: Metadata, number: str) -> Iterator[Failure]:
    """Require that the date of a regulation is that of publication."""
    for result in _results(metadata, *_TITLES[number]):
        types = result.find_all(f"{_DATE}/dateType/CI_DateTypeCode")
        words = [node.attribute("codeListValue") for node in types]
        if "publication" not in words:
            yield Failure(
                Message("is '{words}'", words=shorten(words[0]))
                if any(words)
                else Message("is missing"),
                result,
            )


def regulation_capitals(metadata: Metadata) -> Iterator[Failure]:
    """Require the title of the regulation without capitals."""
    for result in _results(metadata, checks.INTEROPERABILITY_CAPITALS):
        yield Failure(Message("begins with COMMISSION REGULATION"), result)


def one_scope(metadata: Metadata) -> Iterator[Failure]:
    """Require exactly one quality element about the whole resource, with the type as its scope."""
    levels = metadata.at(_LEVEL)
    whole = [level for level in levels if level.own_code() == metadata.type]
    if len(whole) > 1:
        yield Failure(
            Message("is '{type}' {count} times", type=shorten(metadata.type), count=len(whole)),
            whole[1],
        )
    elif not whole:
        words = quoted((level.own_code() for level in levels), " and ")
        yield Failure(
            Message("is {words}", words=words) if words else Message("is missing"),
            next(iter(levels), metadata.holder(_LEVEL)),
        )


def _service_scopes(metadata: Metadata) -> Iterator[IsoNode]:
    nodes = metadata.at(f"{_QUALITY}/scope/*")
    return (scope for scope in nodes if scope.code("level") == SERVICE)


def scope_description(metadata: Metadata) -> Iterator[Failure]:
    """Require one description of the scope of a service."""
    for scope in _service_scopes(metadata):
        count = len(list(scope.find_all("levelDescription")))
        if count != 1:
            yield Failure(
                Message("is there {count} times", count=count) if count else Message("is missing"),
                scope,
            )


def scope_word(metadata: Metadata) -> Iterator[Failure]:
    """Require the word service in the description of the scope of a service."""
    for scope in _service_scopes(metadata):
        for node in scope.find_all("levelDescription/*/other/*"):
            word = text_of(node)
            if word.strip() and word != SERVICE:
                yield Failure(Message("is '{word}'", word=shorten(word)), node)


def topology_type(metadata: Metadata) -> Iterator[Failure]:
    """Require the type of a value of topological consistency."""
    for value in metadata.at(f"{_TOPOLOGY}/DQ_QuantitativeResult/value"):
        record = value.first("Record")
        if record is None or not record.attribute("type"):
            yield Failure(
                Message("has no xsi:type") if record else Message("is missing"), record or value
            )


def network_model(metadata: Metadata, part: str) -> Iterator[Failure]:
    """Require what GEMINI wants of a part of statements on INSPIRE's network model.

    AGI's Schematron searches the whole document, where other reports have their own dates.
    """
    for result in metadata.at(f"{_TOPOLOGY}/DQ_ConformanceResult"):
        if result.text("specification/*/title") == checks.NETWORK_MODEL:
            yield from _MODEL_PARTS[part](result)


def _model_date(result: IsoNode) -> Iterator[Failure]:
    for date in result.find_all(f"{_DATE}/date/Date"):
        if (text := text_of(date).strip()) != checks.NETWORK_MODEL_DATE:
            yield Failure(Message("is '{text}'", text=shorten(text)), date)


def _model_date_type(result: IsoNode) -> Iterator[Failure]:
    for date_type in result.find_all(f"{_DATE}/dateType"):
        if (word := date_type.own_code()) != "publication":
            yield Failure(Message("is '{word}'", word=shorten(word)), date_type)


def _model_explanation(result: IsoNode) -> Iterator[Failure]:
    nodes = result.find_all("explanation")
    return (Failure(fault, node) for node in nodes if (fault := nil_fault(node)))


def _model_pass(result: IsoNode) -> Iterator[Failure]:
    word = result.text("pass")
    if word != "false":
        yield Failure(
            Message("is '{word}'", word=word) if word else Message("is missing"),
            result.first("pass") or result,
        )


_MODEL_PARTS: dict[str, Callable[[IsoNode], Iterator[Failure]]] = {
    "date": _model_date,
    "dateType": _model_date_type,
    "explanation": _model_explanation,
    "pass": _model_pass,
}
