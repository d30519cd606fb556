"""Records for the rules on the resource: title to keyword, time, place, constraints, services."""

from __future__ import annotations

from tests.iso_spelling import code, el, nil, text
from tests.parsers.gemini.rules.documents import ABSTRACT, INSPIRE, TITLE, dataset, service, swapped

GOOD = dataset()
_LANGUAGE = el("gmd:LanguageCode", "eng", codeList="#", codeListValue="eng")
_INSTANT = el("gml:TimeInstant", el("gml:timePosition", "2025-06-01"), gml__id="i1")


def _begin(value: str, vague: str = "") -> str:
    more = {"indeterminatePosition": vague} if vague else {}
    return el("gml:beginPosition", value, **more)


def _end(value: str, vague: str = "") -> str:
    return _begin(value, vague).replace("beginPosition", "endPosition")


def _south(value: str) -> str:
    return el("gmd:southBoundLatitude/gco:Decimal", value)


_GRID = text("gmd:code", "OSGB36", "http://www.opengis.net/def/crs/EPSG/0/27700")
_NOT_SAID = el("gmd:pass", gco__nilReason="unknown")
_LIST = f"{INSPIRE}/metadata-codelist/LimitationsOnPublicAccess"
_TEXT = text("gmd:otherConstraints", "no limitations to public access")
_SECURITY = text(
    "gmd:otherConstraints", "national defence", f"{_LIST}/INSPIRE_Directive_Article13_1b"
)
_SECURE = _LIST.replace("http:", "https:")
_NO_CODE = code("gmd:accessConstraints", "MD_RestrictionCode", "")


def _type(word: str) -> str:
    return code("gmd:hierarchyLevel", "MD_ScopeCode", word)


def _name(word: str) -> str:
    return text("gmd:hierarchyLevelName", word)


def _serves(word: str) -> str:
    return el("srv:serviceType/gco:LocalName", word)


CASES = {
    "gemini-01-value": (dataset(title=nil("gmd:title")), GOOD),
    "gemini-02-value": (
        dataset(alternate=nil("gmd:alternateTitle", "no")),
        dataset(alternate=nil("gmd:alternateTitle", "other:none")),
    ),
    "gemini-03-lang": (
        dataset(resource_language=code("gmd:language", "LanguageCode", "en")),
        dataset(resource_language=code("gmd:language", "LanguageCode", "zxx")),
    ),
    "gemini-04-value": (dataset(abstract=text("gmd:abstract", " ")), GOOD),
    "gemini-04-text": (dataset(abstract=el("gmd:abstract", ABSTRACT)), GOOD),
    "gemini-04-title": (
        dataset(abstract=text("gmd:abstract", f"  {TITLE}\n")),
        dataset(abstract=text("gmd:abstract", f"{TITLE}: what it holds")),
    ),
    "gemini-04-short": (
        dataset(abstract=text("gmd:abstract", "x" * 99)),
        dataset(abstract=text("gmd:abstract", "x" * 100)),
    ),
    "gemini-05-needed": (dataset(topic=""), service()),
    "gemini-05-nil": (dataset(topic=nil("gmd:topicCategory", "unknown")), GOOD),
    "gemini-06-needed": (dataset(keywords=""), GOOD),
    "gemini-06-value": (
        dataset(keyword="{keyword}" + text("gmd:keyword", "")),
        dataset(keyword="{keyword}" + nil("gmd:keyword", "unknown")),
    ),
    "gemini-06-thes-title": (dataset(thesaurus_title=text("gmd:title", "")), GOOD),
    "gemini-06-thes-date": (
        dataset(thesaurus_date_type=code("gmd:dateType", "CI_DateTypeCode", "")),
        GOOD,
    ),
    "gemini-w03-language-name": (
        dataset(resource_language=el("gmd:language", _LANGUAGE)),
        dataset(resource_language=el("gmd:language", _LANGUAGE.replace(">eng<", ">English<"))),
    ),
    "gemini-07-shape": (
        dataset(in_period="{in_period}" + _INSTANT * 2).replace("gml:TimePeriod", "gml:Time"),
        dataset(in_period=_INSTANT),
    ),
    "gemini-07-begin-text": (dataset(begin=_begin("2025", "unknown")), dataset(begin=_begin(""))),
    "gemini-07-begin-form": (
        dataset(begin=_begin("25/01/2010")),
        dataset(begin=_begin("2025-06-01T10:00:00")),
    ),
    "gemini-07-end-text": (service(end=_end("2025", "now")), service(end=_end("", "now"))),
    "gemini-07-end-form": (
        service(end=_end("2010-01-25T12:00:00Z")),
        service(end=_end("2025-09")),
    ),
    "gemini-44-needed": (dataset(box=""), service(box="")),
    "gemini-44-range": (dataset(south=_south("-90.5")), dataset(south=_south("-90"))),
    "gemini-44-value": (dataset(south=nil("gmd:southBoundLatitude")), GOOD),
    "gemini-15-value": (
        dataset(place_code=text("gmd:code", "")),
        dataset(place_code=nil("gmd:code", "unknown")),
    ),
    "gemini-16-value": (
        dataset(height=el("gco:Real", " ")),
        dataset(vertical=""),
    ),
    "gemini-17-needed": (
        dataset(crs_identifier=el("gmd:MD_Identifier", "{crs}")),
        GOOD,
    ),
    "gemini-17-value": (dataset(crs=nil("gmd:code")), GOOD),
    "gemini-17-space": (
        dataset(crs="{crs}" + text("gmd:codeSpace", "EPSG")),
        dataset(crs=_GRID + text("gmd:codeSpace", "EPSG")),
    ),
    "gemini-w17-urn": (
        dataset(crs=text("gmd:code", "urn:ogc:def:crs:EPSG::4258")),
        dataset(crs=text("gmd:code", "urn:ogc:def:crs:EPSG::27700")),
    ),
    "gemini-w17-default": (dataset(crs=_GRID), dataset(**{"crs": _GRID, "pass": _NOT_SAID})),
    "gemini-a4-constraints": (dataset(constraints=""), dataset()),
    "gemini-25-value": (
        dataset(use_text=nil("gmd:otherConstraints", "")),
        dataset(use_text=nil("gmd:otherConstraints")),
    ),
    # Two limitations, and the current URL of the register, are as good.
    "gemini-25-one": (
        dataset(access_text=_TEXT),
        swapped(dataset(access_text="{access_text}" + _SECURITY), _LIST, _SECURE),
    ),
    "gemini-a8-two-legal": (
        dataset(use=""),
        swapped(dataset(), "gmd:MD_LegalConstraints", "gmi:MI_MD_LegalConstraints"),
    ),
    "gemini-25-access-code": (dataset(access_code=_NO_CODE), dataset()),
    "gemini-26-use-code": (
        dataset(use_code=_NO_CODE.replace("access", "use")),
        dataset(use_code=nil("gmd:useConstraints")),
    ),
    "gemini-27-value": (dataset(supplemental=text("gmd:supplementalInformation", " ")), dataset()),
    "gemini-39-one": (dataset(type=_type("dataset") + _type("service")), dataset()),
    "gemini-39-code": (dataset(type=_type("")), dataset()),
    "gemini-39-list": (dataset(type=_type("Dataset")), dataset(type=_type("series"))),
    "gemini-47-needed": (service(level_name=""), dataset()),
    "gemini-47-value": (service(level_name=_name(" ")), dataset(level_name=_name("Land"))),
    "gemini-47-word": (service(level_name=_name("Service")), dataset(level_name=_name("Land"))),
    "gemini-37-needed": (service(service_type=""), service()),
    "gemini-37-value": (service(service_type=el("srv:serviceType")), service()),
    "gemini-37-list": (service(service_type=_serves("OGC:WMS")), service()),
    "gemini-38-href": (service(operates_on=nil("srv:operatesOn")), service(operates_on="")),
}
