"""GEMINI 43, 48 and 52: resolution and quality of the data, and the scope of each statement."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode
from ckanext.ukharvest.parsers.gemini.rules import lists
from ckanext.ukharvest.parsers.gemini.rules.checks import (
    needed,
    nil_failure,
    quoted,
    text_of,
    value_or_reason,
)
from ckanext.ukharvest.parsers.gemini.rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini.rules.rule import (
    DATA,
    GEMINI_23,
    SERVICE,
    SERVICES,
    Failure,
    Rule,
    Test,
)

_QUALITY = "dataQualityInfo"
_SCOPE = f"{_QUALITY}/*/scope/*"
_SCOPE_NAME = "Quality scope"
_TOPOLOGY = f"{_QUALITY}/*/report/DQ_TopologicalConsistency/result"
_TOPOLOGY_NAME = "Data quality"


def _not_one_scope(metadata: Metadata) -> Iterator[Failure]:
    """Require exactly one quality element about the whole resource, with the type as its scope."""
    levels = metadata.at(f"{_SCOPE}/level")
    whole = [level for level in levels if level.own_code() == metadata.type]
    if len(whole) > 1:
        yield Failure(f"is '{shorten(metadata.type)}' {len(whole)} times", whole[1])
    elif not whole:
        words = quoted((level.own_code() for level in levels), " and ")
        yield Failure(
            f"is {words}" if words else "is missing",
            next(iter(levels), metadata.holder(f"{_SCOPE}/level")),
        )


def _service_scopes(metadata: Metadata) -> Iterator[IsoNode]:
    return (each for each in metadata.at(_SCOPE) if each.code("level") == SERVICE)


def _undescribed(metadata: Metadata) -> Iterator[Failure]:
    for scope in _service_scopes(metadata):
        count = len(list(scope.find_all("levelDescription")))
        if count != 1:
            yield Failure(f"is there {count} times" if count else "is missing", scope)


def _not_the_word(metadata: Metadata) -> Iterator[Failure]:
    for scope in _service_scopes(metadata):
        for node in scope.find_all("levelDescription/*/other/*"):
            word = text_of(node)
            if word.strip() and word != SERVICE:
                yield Failure(f"is '{shorten(word)}'", node)


def _untyped(metadata: Metadata) -> Iterator[Failure]:
    for value in metadata.at(f"{_TOPOLOGY}/DQ_QuantitativeResult/value"):
        record = value.first("Record")
        if record is None or not record.attribute("type"):
            yield Failure("has no xsi:type" if record else "is missing", record or value)


def _network(found: Callable[[IsoNode], Iterator[Failure]]) -> Test:
    """Return a rule for statements on INSPIRE's network model.

    AGI's Schematron searches the whole document, where other reports have their own dates.
    """

    def test(metadata: Metadata) -> Iterator[Failure]:
        for result in metadata.at(f"{_TOPOLOGY}/DQ_ConformanceResult"):
            if result.text("specification/*/title") == lists.NETWORK_MODEL:
                yield from found(result)

    return test


def _model_date(result: IsoNode) -> Iterator[Failure]:
    for date in result.find_all("specification/*/date/*/date/Date"):
        if (text := text_of(date).strip()) != lists.NETWORK_MODEL_DATE:
            yield Failure(f"is '{shorten(text)}'", date)


def _model_date_type(result: IsoNode) -> Iterator[Failure]:
    for date_type in result.find_all("specification/*/date/*/dateType"):
        if (word := date_type.own_code()) != "publication":
            yield Failure(f"is '{shorten(word)}'", date_type)


def _model_explanation(result: IsoNode) -> Iterator[Failure]:
    for explanation in result.find_all("explanation"):
        if explanation.nil:
            yield nil_failure(explanation)


def _model_pass(result: IsoNode) -> Iterator[Failure]:
    word = result.text("pass")
    if word != "false":
        found = f"is '{shorten(word)}'" if word else "is missing"
        yield Failure(found, result.first("pass") or result)


RULES = (
    Rule(
        "gemini-43-value",
        "Equivalent scale",
        "gmd:denominator",
        value_or_reason("identificationInfo/*/spatialResolution/*/equivalentScale/*/denominator"),
        "the number below the line of the scale, or no such element",
        "<gco:Integer>10000</gco:Integer> for 1:10 000",
        number="AP-1a",
    ),
    Rule(
        "gemini-48-needed",
        _SCOPE_NAME,
        "gmd:dataQualityInfo",
        needed(_QUALITY),
        "one for the resource as a whole, with its scope and conformity",
        '<gmd:MD_ScopeCode … codeListValue="dataset"/> in its gmd:scope',
        number="MI-48a",
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-48-one",
        _SCOPE_NAME,
        "gmd:level",
        _not_one_scope,
        "exactly one gmd:dataQualityInfo for the resource as a whole, whose scope is the type in"
        " gmd:hierarchyLevel",
        '<gmd:MD_ScopeCode … codeListValue="dataset"/>',
        number="MI-48b MI-48c MI-48d",
        types=DATA | SERVICES,
        versions=GEMINI_23,
        unless=("gemini-48-needed",),
    ),
    Rule(
        "gemini-48-desc",
        _SCOPE_NAME,
        "gmd:levelDescription",
        _undescribed,
        "one beside the scope of a service, which holds the word service",
        "<gmd:other><gco:CharacterString>service</gco:CharacterString></gmd:other>",
        number="MI-48e",
        types=SERVICES,
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-48-desc-word",
        _SCOPE_NAME,
        "gmd:levelDescription",
        _not_the_word,
        "service, in lower case and without spaces around it",
        "<gmd:other><gco:CharacterString>service</gco:CharacterString></gmd:other>",
        number="MI-48f",
        types=SERVICES,
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-52-type",
        _TOPOLOGY_NAME,
        "gco:Record",
        _untyped,
        "the type of the value as its xsi:type",
        '<gco:Record xsi:type="xs:double">2.5</gco:Record>',
        number="MI-52a",
        types=DATA,
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-52-date",
        _TOPOLOGY_NAME,
        "gmd:date",
        _network(_model_date),
        f"{lists.NETWORK_MODEL_DATE}, the date of INSPIRE's Generic Network Model",
        f"<gco:Date>{lists.NETWORK_MODEL_DATE}</gco:Date>",
        number="MI-52b",
        types=DATA,
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-52-datetype",
        _TOPOLOGY_NAME,
        "gmd:dateType",
        _network(_model_date_type),
        "publication, as the date of INSPIRE's Generic Network Model is one",
        '<gmd:CI_DateTypeCode … codeListValue="publication"/>',
        number="MI-52c",
        types=DATA,
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-52-expl",
        _TOPOLOGY_NAME,
        "gmd:explanation",
        _network(_model_explanation),
        "a sentence on how the network's lines meet",
        "Centre lines are not joined across the borough's boundary",
        number="MI-52d",
        types=DATA,
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-52-pass",
        _TOPOLOGY_NAME,
        "gmd:pass",
        _network(_model_pass),
        "false: the data does not assure the topology of centre lines",
        "<gmd:pass><gco:Boolean>false</gco:Boolean></gmd:pass>",
        number="MI-52e",
        types=DATA,
        versions=GEMINI_23,
    ),
)
