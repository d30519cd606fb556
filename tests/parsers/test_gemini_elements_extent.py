"""Elements 7, 15, 16, 17 and 44 of UK GEMINI 2.3, in each way that a property may be filled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from ckanext.ukharvest.core.records import DatasetRecord
from tests.parsers.gemini_part import anchor, parsed, text

NIL = ' gco:nilReason="missing"'


@dataclass(frozen=True)
class Element:
    """One element of the standard.

    Attributes:
        number, name: the standard's.
        property: the property that is filled, of which ``around`` makes an extent or, if
            ``is_reference``, a reference system.
        own: the content that ISO 19139 gives the property.
        value, twice: what a record with one of them and one with two different ones says.
        other: the words of the second.
    """

    number: int
    name: str
    property: str
    around: Callable[[str], str]
    read: Callable[[DatasetRecord], str]
    words: str
    own: Callable[[str], str]
    value: str
    other: str
    twice: str
    is_reference: bool = False

    def record(self, *properties: str) -> DatasetRecord:
        parts = [self.around(each) for each in properties]
        return parsed(references="".join(parts)) if self.is_reference else parsed(*parts)

    def filled(self, content: str, attributes: str = "") -> str:
        return f"<{self.property}{attributes}>{content}</{self.property}>"


def _path(*names: str) -> Callable[[str], str]:
    opening = "".join(f"<gmd:{name}>" for name in names)
    closing = "".join(f"</gmd:{name}>" for name in reversed(names))
    return lambda inside: f"{opening}{inside}{closing}"


def _extra(name: str) -> Callable[[DatasetRecord], str]:
    return lambda record: record.extras.get(name, "")


def _period(inside: str) -> str:
    end = "<gml:endPosition>2021</gml:endPosition>"
    return _path("temporalElement", "EX_TemporalExtent", "extent")(
        f"<gml:TimePeriod>{inside}{end}</gml:TimePeriod>"
    )


def _box(inside: str) -> str:
    sides = {"eastBoundLongitude": -1, "southBoundLatitude": 53, "northBoundLatitude": 54}
    rest = "".join(f"<gmd:{n}><gco:Decimal>{v}</gco:Decimal></gmd:{n}>" for n, v in sides.items())
    return _path("geographicElement", "EX_GeographicBoundingBox")(inside + rest)


def _number(name: str) -> Callable[[str], str]:
    return lambda words: f"<gco:{name}>{words}</gco:{name}>"


ELEMENTS = (
    Element(
        number=7,
        name="temporal extent",
        property="gml:beginPosition",
        around=_period,
        read=lambda record: record.temporal.start if record.temporal else "",
        own=str,
        words="2019-04",
        value="2019-04",
        other="2018",
        twice="2018",
    ),
    Element(
        number=15,
        name="extent",
        property="gmd:code",
        around=_path(
            "geographicElement", "EX_GeographicDescription", "geographicIdentifier", "MD_Identifier"
        ),
        read=_extra("spatial-coverage"),
        own=text,
        words="Kent",
        value="Kent",
        other="Essex",
        twice="Kent; Essex",
    ),
    Element(
        number=16,
        name="vertical extent",
        property="gmd:minimumValue",
        around=_path("verticalElement", "EX_VerticalExtent"),
        read=_extra("vertical-extent"),
        own=_number("Real"),
        words="-5.5",
        value="-5.5 to ?",
        other="0",
        twice="-5.5 to ?; 0 to ?",
    ),
    Element(
        number=17,
        name="spatial reference system",
        property="gmd:code",
        around=_path(
            "referenceSystemInfo",
            "MD_ReferenceSystem",
            "referenceSystemIdentifier",
            "RS_Identifier",
        ),
        read=_extra("spatial-reference-system"),
        own=text,
        words="EPSG:27700",
        value="EPSG:27700",
        other="EPSG:4326",
        twice="EPSG:27700",
        is_reference=True,
    ),
    Element(
        number=44,
        name="bounding box",
        property="gmd:westBoundLongitude",
        around=_box,
        read=_extra("bbox-west-long"),
        own=_number("Decimal"),
        words="-2.4",
        value="-2.4",
        other="-3",
        twice="-3",
    ),
)


@pytest.fixture(params=ELEMENTS, ids=lambda each: f"{each.number} {each.name}")
def element(request: pytest.FixtureRequest) -> Element:
    found: Element = request.param
    return found


@pytest.mark.parametrize("kind", ["own", "CharacterString", "Anchor"])
def test_once(element: Element, kind: str) -> None:
    forms = {
        "own": element.own,
        "CharacterString": text,
        "Anchor": lambda words: anchor(words, "https://example.org/x"),
    }
    record = element.record(element.filled(forms[kind](element.words)))
    assert element.read(record) == element.value
    assert not record.problems


def test_missing(element: Element) -> None:
    record = element.record()
    assert element.read(record) == ""
    assert not record.problems


@pytest.mark.parametrize("content", ["", text(""), "<gmx:Anchor/>"])
@pytest.mark.parametrize("nil", ["", NIL])
def test_nothing_in_it(element: Element, content: str, nil: str) -> None:
    """A box that lacks one of its four sides is reported; nothing else is amiss."""
    record = element.record(element.filled(content, nil))
    assert element.read(record) == ""
    expected = ["bad-extent"] if element.number == 44 else []
    assert [problem.code for problem in record.problems] == expected


def test_text_wins_over_its_nil_reason(element: Element) -> None:
    record = element.record(element.filled(element.own(element.words), NIL))
    assert element.read(record) == element.value


def test_twice(element: Element) -> None:
    one, other = (element.filled(element.own(each)) for each in (element.words, element.other))
    record = element.record(one, other)
    assert element.read(record) == element.twice
    assert element.read(element.record(one, one)) == element.value
    assert not record.problems
