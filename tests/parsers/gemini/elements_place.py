"""UK GEMINI 2.3, elements of place and time, links and coupled datasets."""

from __future__ import annotations

from collections.abc import Callable

from ckanext.ukharvest.core.records import DatasetRecord
from tests.parsers.gemini.elements import Element, code

_NO_PROPERTY = "GML holds its text directly"
_EXTENT = "<gmd:extent><gmd:EX_Extent>{}</gmd:EX_Extent></gmd:extent>"
_PERIOD = _EXTENT.format(
    "<gmd:temporalElement><gmd:EX_TemporalExtent><gmd:extent><gml:TimePeriod>"
    "{}</gml:TimePeriod></gmd:extent></gmd:EX_TemporalExtent></gmd:temporalElement>"
)
_SYSTEM = (
    "<gmd:referenceSystemInfo><gmd:MD_ReferenceSystem><gmd:referenceSystemIdentifier>"
    "<gmd:RS_Identifier>{}</gmd:RS_Identifier></gmd:referenceSystemIdentifier>"
    "</gmd:MD_ReferenceSystem></gmd:referenceSystemInfo>"
)
_LINK = (
    "<gmd:transferOptions><gmd:MD_DigitalTransferOptions><gmd:onLine><gmd:CI_OnlineResource>"
    "{}</gmd:CI_OnlineResource></gmd:onLine></gmd:MD_DigitalTransferOptions></gmd:transferOptions>"
)
_URL = "<gmd:linkage><gmd:URL>https://council.example/rivers</gmd:URL></gmd:linkage>"
_URLS = ("https://council.example/a", "https://council.example/b")


def _side(value: str, name: str = "westBoundLongitude") -> str:
    return f"<gmd:{name}><gco:Decimal>{value}</gco:Decimal></gmd:{name}>"


_BOX = _EXTENT.format(
    "<gmd:geographicElement><gmd:EX_GeographicBoundingBox>{}"
    + _side("-1.5", "eastBoundLongitude")
    + _side("53.5", "southBoundLatitude")
    + _side("54.5", "northBoundLatitude")
    + "</gmd:EX_GeographicBoundingBox></gmd:geographicElement>"
)


def _resource(name: str) -> Callable[[DatasetRecord], list[str]]:
    return lambda record: [getattr(each, name) for each in record.resources]


def _resource_extra(name: str) -> Callable[[DatasetRecord], list[str]]:
    return lambda record: [each.extras.get(name, "") for each in record.resources]


def _period(record: DatasetRecord) -> tuple[str, str]:
    return (record.temporal.start, record.temporal.end) if record.temporal else ("", "")


ELEMENTS = (
    Element(
        "7 temporal extent",
        "gml:beginPosition",
        _period,
        values=("2019-04", "2020-03"),
        one=("2019-04", ""),
        none=("", ""),
        around=_PERIOD,
        own="{}",
        without={"text": _NO_PROPERTY, "anchor": _NO_PROPERTY},
    ),
    Element(
        "15 extent",
        "code",
        "spatial-coverage",
        both="Rivers; Lakes",
        around=_EXTENT.format(
            "<gmd:geographicElement><gmd:EX_GeographicDescription><gmd:geographicIdentifier>"
            "<gmd:MD_Identifier>{}</gmd:MD_Identifier></gmd:geographicIdentifier>"
            "</gmd:EX_GeographicDescription></gmd:geographicElement>"
        ),
    ),
    Element(
        "16 vertical extent",
        "minimumValue",
        "vertical-extent",
        values=("-5", "5"),
        one="-5 to 100",
        none="? to 100",
        around=_EXTENT.format(
            "<gmd:verticalElement><gmd:EX_VerticalExtent>{}<gmd:maximumValue>"
            "<gco:Real>100</gco:Real></gmd:maximumValue></gmd:EX_VerticalExtent>"
            "</gmd:verticalElement>"
        ),
        own="<gco:Real>{}</gco:Real>",
    ),
    Element(
        "17 spatial reference system",
        "root/code",
        "spatial-reference-system",
        values=("EPSG:27700", "EPSG:4258"),
        around=_SYSTEM,
    ),
    Element(
        "44 bounding box",
        "westBoundLongitude",
        "bbox-west-long",
        values=("-2.5", "-3.5"),
        around=_BOX,
        own="<gco:Decimal>{}</gco:Decimal>",
    ),
    Element(
        "19 resource locator",
        "distribution/linkage",
        _resource("url"),
        values=_URLS,
        one=[_URLS[0]],
        none=[],
        around=_LINK,
        own="<gmd:URL>{}</gmd:URL>",
    ),
    Element(
        "19 resource locator's name",
        "distribution/name",
        _resource("name"),
        one=["Rivers"],
        none=[""],
        around=_LINK.format(_URL + "{}"),
    ),
    Element(
        "19 resource locator's description",
        "distribution/description",
        _resource("description"),
        one=["Rivers"],
        none=[""],
        around=_LINK.format(_URL + "{}"),
    ),
    Element(
        "19 resource locator's protocol",
        "distribution/protocol",
        _resource_extra("resource_locator_protocol"),
        values=("OGC:WMS", "OGC:WFS"),
        one=["OGC:WMS"],
        none=[""],
        around=_LINK.format(_URL + "{}"),
    ),
    Element(
        "19 resource locator's function",
        "distribution/function",
        _resource_extra("resource_locator_function"),
        values=("download", "order"),
        one=["download"],
        none=[""],
        around=_LINK.format(_URL + "{}"),
        own=code("CI_OnLineFunctionCode"),
    ),
    Element(
        "38 coupled resource",
        "srv:operatesOn",
        "coupled",
        values=("rivers-1", "lakes-1"),
        one=("rivers-1",),
        both=("rivers-1", "lakes-1"),
        none=(),
        own="",
        whole='<srv:operatesOn xlink:href="{}"/>',
        without={
            "text": "it holds an address in xlink:href",
            "anchor": "it holds an address in xlink:href",
        },
    ),
)
