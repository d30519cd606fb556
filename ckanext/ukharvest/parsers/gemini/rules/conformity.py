"""GEMINI 41, with the former 42: the specifications that a resource follows, and their citation.

INSPIRE finds a statement by the title of its regulation, so the standard requires the exact title.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode
from ckanext.ukharvest.parsers.gemini.rules import lists
from ckanext.ukharvest.parsers.gemini.rules.checks import (
    code,
    needed,
    text_of,
    value,
    value_or_reason,
)
from ckanext.ukharvest.parsers.gemini.rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini.rules.rule import (
    DATA,
    GEMINI_23,
    SERVICES,
    Failure,
    Rule,
    Test,
)

_QUALITY = "dataQualityInfo/*"
_RESULT = "report/DQ_DomainConsistency/result/DQ_ConformanceResult"
_ANY_SPECIFICATION = f"{_QUALITY}/report/*/result/*/specification/*"
_TITLE = "specification/*/title/*"
_DATE = "specification/*/date/*"
_NAME = "Conformity"
_EXACT = "one in a gmd:DQ_DomainConsistency whose gmd:title is, word for word,"

# The Schematron accepts two spellings of this title, and nothing else.
_DATA_TITLES = (lists.INTEROPERABILITY, lists.INTEROPERABILITY_CAPITALS)
_NETWORK_TITLES = (lists.NETWORK_SERVICES,)
_SERVICE_TITLES = (*_NETWORK_TITLES, *_DATA_TITLES)
_NUMBERS = ("1089/2010", "976/2009")


def _title(result: IsoNode) -> str:
    """Return the title that a result cites, with single blanks."""
    node = result.first(_TITLE)
    return " ".join(text_of(node).split()) if node is not None else ""


def _on_the_whole(metadata: Metadata, scopes: Collection[str]) -> list[tuple[IsoNode, ...]]:
    """Return the results of each element about the whole resource; without a scope, of any."""
    quality = metadata.at(_QUALITY)
    scoped = [each for each in quality if each.code("scope/*/level") in scopes]
    return [tuple(each.find_all(_RESULT)) for each in scoped or quality]


def _uncited(scopes: Collection[str], titles: Collection[str]) -> Test:
    """Require that a statement about the whole resource cites one of the titles."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        results = [each for group in _on_the_whole(metadata, scopes) for each in group]
        cited = {_title(result): result for result in results}
        if cited.keys().isdisjoint(titles):
            near = [title for title in cited if any(number in title for number in _NUMBERS)]
            if near:
                yield Failure(f"cites '{shorten(near[0], 250)}'", cited[near[0]])
            else:
                found = "cites other specifications only" if results else "is missing"
                place = metadata.holder(f"{_QUALITY}/{_RESULT}")
                yield Failure(found, results[0] if results else place)

    return test


def _repeated(scopes: Collection[str]) -> Test:
    """Require that an element cites no regulation twice; gemini-48-one checks across elements."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        for results in _on_the_whole(metadata, scopes):
            cited: set[str] = set()  # not a list: a record may have thousands
            for result in results:
                title = _title(result)
                if title in _SERVICE_TITLES and title in cited:
                    yield Failure("is there again for the same regulation", result)
                cited.add(title)

    return test


def _not_once(metadata: Metadata) -> Iterator[Failure]:
    yield from _uncited(DATA, _DATA_TITLES)(metadata)
    yield from _repeated(DATA)(metadata)


Found = Callable[[IsoNode], str]


def _cited(titles: Collection[str], found: Found) -> Test:
    """Check each result that cites one of the titles; ``found`` returns what is wrong with it."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        for result in metadata.at(f"{_QUALITY}/{_RESULT}"):
            if _title(result) in titles and (words := found(result)):
                yield Failure(words, result)

    return test


def _bad_pass(result: IsoNode) -> str:
    verdicts = list(result.find_all("pass"))
    if any(each.first("Boolean") or each.nil == "unknown" for each in verdicts):
        return ""
    return "is empty" if verdicts else "is missing"


def _bad_date(result: IsoNode) -> str:
    dates = [text_of(each).strip() for each in result.find_all(f"{_DATE}/date/Date")]
    if lists.REGULATIONS_DATE in dates:
        return ""
    if not dates:
        return "has no gco:Date"
    return f"is '{shorten(dates[0])}'"


def _bad_date_type(result: IsoNode) -> str:
    types = list(result.find_all(f"{_DATE}/dateType/CI_DateTypeCode"))
    words = [each.attribute("codeListValue") for each in types]
    if "publication" in words:
        return ""
    return f"is '{shorten(words[0])}'" if any(words) else "is missing"


def _statement(
    number: str, titles: Collection[str], numbers: tuple[str, str, str]
) -> tuple[Rule, Rule, Rule]:
    """Return the rules for the elements that accompany a regulation's title."""
    passed, date, date_type = numbers
    key, _, _ = number.partition("/")
    return (
        Rule(
            f"gemini-41-{key}-pass",
            _NAME,
            "gmd:pass",
            _cited(titles, _bad_pass),
            f"true, false or, if it was not tested, nilReason 'unknown', for Regulation {number}",
            '<gmd:pass gco:nilReason="unknown"/>',
            number=passed,
            versions=GEMINI_23,
        ),
        Rule(
            f"gemini-41-{key}-date",
            _NAME,
            "gmd:date",
            _cited(titles, _bad_date),
            f"{lists.REGULATIONS_DATE}, the date that GEMINI wants for Regulation {number}",
            f"<gco:Date>{lists.REGULATIONS_DATE}</gco:Date>",
            number=date,
            versions=GEMINI_23,
        ),
        Rule(
            f"gemini-41-{key}-type",
            _NAME,
            "gmd:dateType",
            _cited(titles, _bad_date_type),
            f"publication, for Regulation {number}",
            '<gmd:CI_DateTypeCode … codeListValue="publication"/>',
            number=date_type,
            versions=GEMINI_23,
        ),
    )


def _capitals(metadata: Metadata) -> Iterator[Failure]:
    for result in metadata.at(f"{_QUALITY}/{_RESULT}"):
        if _title(result) == lists.INTEROPERABILITY_CAPITALS:
            yield Failure("begins with COMMISSION REGULATION", result)


RULES = (
    # The two rules on the cited title come first, and make the third unnecessary.
    Rule(
        "gemini-41-data-needed",
        _NAME,
        "gmd:DQ_ConformanceResult",
        _not_once,
        f"{_EXACT} {lists.INTEROPERABILITY}",
        number="MI-41a MI-41o",
        types=DATA,
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-41-sv-needed",
        _NAME,
        "gmd:DQ_ConformanceResult",
        _uncited(SERVICES, _SERVICE_TITLES),
        f"{_EXACT} {lists.NETWORK_SERVICES} (for services of type invoke or other that of"
        " Regulation (EU) No 1089/2010)",
        number="MI-41a M1-41n",
        types=SERVICES,
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-41-needed",
        _NAME,
        "gmd:DQ_ConformanceResult",
        needed(f"{_QUALITY}/{_RESULT}"),
        "one for each specification that the resource was or should be tested by",
        number="MI-41a",
        versions=GEMINI_23,
        unless=("gemini-41-data-needed", "gemini-41-sv-needed"),
    ),
    Rule(
        "gemini-41-sv-max",
        _NAME,
        "gmd:DQ_ConformanceResult",
        _repeated(SERVICES),
        "one for each regulation",
        number="M1-41k M1-41l M1-41m",
        types=SERVICES,
        versions=GEMINI_23,
    ),
    *_statement("1089/2010", _DATA_TITLES, ("MI-41b MI-41e", "MI-41c MI-41f", "MI-41d MI-41g")),
    *_statement("976/2009", _NETWORK_TITLES, ("MI-41h", "MI-41i", "MI-41j")),
    Rule(
        "gemini-41-expl",
        _NAME,
        "gmd:explanation",
        value_or_reason(f"{_QUALITY}/report/*/result/*/explanation"),
        "how or why the resource conforms or does not, or a nilReason",
        "See the regulation cited",
        number="AP-1a",
    ),
    Rule(
        "gemini-42-title",
        "Specification",
        "gmd:title",
        value(f"{_ANY_SPECIFICATION}/title"),
        "the title of the specification that the resource was tested by",
        shorten(lists.INTEROPERABILITY, 100),
        number="AP-2",
    ),
    Rule(
        "gemini-42-date",
        "Specification",
        "gmd:date",
        value_or_reason(f"{_ANY_SPECIFICATION}/date/*/date"),
        "the date of the specification",
        f"<gco:Date>{lists.REGULATIONS_DATE}</gco:Date>",
        number="AP-1a",
    ),
    # AGI's Schematron means this one too, but looks for it at a path that does not exist.
    Rule(
        "gemini-42-type",
        "Specification",
        "gmd:dateType",
        code(f"{_ANY_SPECIFICATION}/date/*/dateType"),
        "creation, publication or revision",
        '<gmd:CI_DateTypeCode … codeListValue="publication"/>',
    ),
    Rule(
        "gemini-w41-capitals",
        _NAME,
        "gmd:title",
        _capitals,
        "a title that begins with Commission Regulation",
        shorten(lists.INTEROPERABILITY, 100),
        number="SP-5",
        versions=GEMINI_23,
        is_error=False,
    ),
)
