"""UK GEMINI 2.3, elements of place and time, links and coupled datasets."""

from __future__ import annotations

from collections.abc import Callable

from ckanext.ukharvest.core.records import DatasetRecord
from tests.parsers.gemini.elements import Element, code, extra

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
        "identification",
        _period,
        one=("2019-04", ""),
        both=("2019-04", ""),
        none=("", ""),
        around=_PERIOD,
        own="{}",
        values=("2019-04", "2020-03"),
        without={"text": _NO_PROPERTY, "anchor": _NO_PROPERTY},
    ),
    Element(
        "15 extent",
        "gmd:code",
        "identification",
        extra("spatial-coverage"),
        one="Rivers",
        both="Rivers; Lakes",
        around=_EXTENT.format(
            "<gmd:geographicElement><gmd:EX_GeographicDescription><gmd:geographicIdentifier>"
            "<gmd:MD_Identifier>{}</gmd:MD_Identifier></gmd:geographicIdentifier>"
            "</gmd:EX_GeographicDescription></gmd:geographicElement>"
        ),
    ),
    Element(
        "16 vertical extent",
        "gmd:minimumValue",
        "identification",
        extra("vertical-extent"),
        one="-5 to 100",
        both="-5 to 100",
        none="? to 100",
        around=_EXTENT.format(
            "<gmd:verticalElement><gmd:EX_VerticalExtent>{}<gmd:maximumValue>"
            "<gco:Real>100</gco:Real></gmd:maximumValue></gmd:EX_VerticalExtent>"
            "</gmd:verticalElement>"
        ),
        own="<gco:Real>{}</gco:Real>",
        values=("-5", "5"),
    ),
    Element(
        "17 spatial reference system",
        "gmd:code",
        "root",
        extra("spatial-reference-system"),
        one="EPSG:27700",
        both="EPSG:27700",
        around=_SYSTEM,
        values=("EPSG:27700", "EPSG:4258"),
    ),
    Element(
        "44 bounding box",
        "gmd:westBoundLongitude",
        "identification",
        extra("bbox-west-long"),
        one="-2.5",
        both="-2.5",
        around=_BOX,
        own="<gco:Decimal>{}</gco:Decimal>",
        values=("-2.5", "-3.5"),
    ),
    Element(
        "19 resource locator",
        "gmd:linkage",
        "distribution",
        _resource("url"),
        one=[_URLS[0]],
        both=[_URLS[0]],
        none=[],
        around=_LINK,
        own="<gmd:URL>{}</gmd:URL>",
        values=_URLS,
    ),
    Element(
        "19 resource locator's name",
        "gmd:name",
        "distribution",
        _resource("name"),
        one=["Rivers"],
        both=["Rivers"],
        none=[""],
        around=_LINK.format(_URL + "{}"),
    ),
    Element(
        "19 resource locator's description",
        "gmd:description",
        "distribution",
        _resource("description"),
        one=["Rivers"],
        both=["Rivers"],
        none=[""],
        around=_LINK.format(_URL + "{}"),
    ),
    Element(
        "19 resource locator's protocol",
        "gmd:protocol",
        "distribution",
        _resource_extra("resource_locator_protocol"),
        one=["OGC:WMS"],
        both=["OGC:WMS"],
        none=[""],
        around=_LINK.format(_URL + "{}"),
        values=("OGC:WMS", "OGC:WFS"),
    ),
    Element(
        "19 resource locator's function",
        "gmd:function",
        "distribution",
        _resource_extra("resource_locator_function"),
        one=["download"],
        both=["download"],
        none=[""],
        around=_LINK.format(_URL + "{}"),
        own=code("CI_OnLineFunctionCode"),
        values=("download", "order"),
    ),
    Element(
        "38 coupled resource",
        "srv:operatesOn",
        "identification",
        lambda record: record.coupled,
        one=("rivers-1",),
        both=("rivers-1", "lakes-1"),
        none=(),
        own="",
        whole='<srv:operatesOn xlink:href="{}"/>',
        values=("rivers-1", "lakes-1"),
        without={
            "text": "it holds an address in xlink:href",
            "anchor": "it holds an address in xlink:href",
        },
    ),
)
