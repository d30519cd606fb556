"""Parts of a GEMINI 2.3 record that the park's other records lack, each as XML."""

from __future__ import annotations

_LISTS = (
    "https://standards.iso.org/ittf/PubliclyAvailableStandards/ISO_19139_Schemas/resources/codelist"
    "/gmxCodelists.xml"
)
_REGULATION = (
    "Commission Regulation (EU) No 1089/2010 of 23 November 2010 implementing Directive 2007/2/EC "
    "of the European Parliament and of the Council as regards interoperability of spatial data sets"
    " and services"
)


def _text(element: str, words: str) -> str:
    return f"<gmd:{element}><gco:CharacterString>{words}</gco:CharacterString></gmd:{element}>"


def _coded(element: str, kind: str, value: str) -> str:
    code = f'<gmd:{kind} codeList="{_LISTS}#{kind}" codeListValue="{value}">{value}</gmd:{kind}>'
    return f"<gmd:{element}>{code}</gmd:{element}>"


REFERENCE_SYSTEM = (
    "<gmd:referenceSystemInfo><gmd:MD_ReferenceSystem><gmd:referenceSystemIdentifier>"
    "<gmd:RS_Identifier><gmd:code>"
    '<gmx:Anchor xlink:href="http://www.opengis.net/def/crs/EPSG/0/27700">OSGB36</gmx:Anchor>'
    "</gmd:code></gmd:RS_Identifier></gmd:referenceSystemIdentifier></gmd:MD_ReferenceSystem>"
    "</gmd:referenceSystemInfo>\n"
)
FORMAT = (
    "<gmd:distributionFormat><gmd:MD_Format>"
    f"{_text('name', 'CSV')}{_text('version', 'RFC 4180')}"
    "</gmd:MD_Format></gmd:distributionFormat>\n"
)
LINK = _text("description", "All signs of otters since 2009, one row each, 2 MB") + _coded(
    "function", "CI_OnLineFunctionCode", "download"
)
PERIOD = (
    "<gmd:temporalElement><gmd:EX_TemporalExtent><gmd:extent>"
    '<gml:TimePeriod gml:id="survey"><gml:beginPosition>2009-03-01</gml:beginPosition>'
    "<gml:endPosition>2026-05-31</gml:endPosition></gml:TimePeriod>"
    "</gmd:extent></gmd:EX_TemporalExtent></gmd:temporalElement>"
)
_SCOPE = (
    "<gmd:scope><gmd:DQ_Scope>"
    f"{_coded('level', 'MD_ScopeCode', 'dataset')}</gmd:DQ_Scope></gmd:scope>"
)
_DATE = (
    "<gmd:date><gmd:CI_Date><gmd:date><gco:Date>2010-12-08</gco:Date></gmd:date>"
    f"{_coded('dateType', 'CI_DateTypeCode', 'publication')}</gmd:CI_Date></gmd:date>"
)
_RESULT = (
    "<gmd:DQ_ConformanceResult><gmd:specification><gmd:CI_Citation>"
    f"{_text('title', _REGULATION)}{_DATE}</gmd:CI_Citation></gmd:specification>"
    f"{_text('explanation', 'Not tested against the data specification')}"
    "<gmd:pass><gco:Boolean>false</gco:Boolean></gmd:pass></gmd:DQ_ConformanceResult>"
)
_LINEAGE = (
    "<gmd:lineage><gmd:LI_Lineage>"
    f"{_text('statement', 'Found on foot by trained surveyors, and checked by a second one.')}"
    "</gmd:LI_Lineage></gmd:lineage>"
)
QUALITY = (
    f"<gmd:dataQualityInfo><gmd:DQ_DataQuality>{_SCOPE}<gmd:report><gmd:DQ_DomainConsistency>"
    f"<gmd:result>{_RESULT}</gmd:result></gmd:DQ_DomainConsistency></gmd:report>{_LINEAGE}"
    "</gmd:DQ_DataQuality></gmd:dataQualityInfo>\n"
)
