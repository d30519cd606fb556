"""A GEMINI record around its links."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape

from ckanext.ukharvest.core.records import DatasetRecord, RawRecord, ResourceRecord
from ckanext.ukharvest.parsers.gemini import parser as gemini
from tests.parsers.gemini.part import GMD, text

GUID = "00000000-0000-4000-8000-000000000001"
HOST = "https://example.org"


def link(url: str = "", function: str = "", **parts: str) -> str:
    """Return a CI_OnlineResource; parts are contents of properties, plain text or elements."""
    inside = f"<gmd:linkage><gmd:URL>{escape(url)}</gmd:URL></gmd:linkage>"
    for name, content in parts.items():
        content = content if content.startswith("<") else text(escape(content))
        inside += f"<gmd:{name}>{content}</gmd:{name}>"
    if function:
        inside += (
            f'<gmd:function><gmd:CI_OnLineFunctionCode codeListValue="{function}"/></gmd:function>'
        )
    return f"<gmd:CI_OnlineResource>{inside}</gmd:CI_OnlineResource>"


def options(*links: str) -> str:
    """Return the content of MD_DigitalTransferOptions: its class with links."""
    inside = "".join(f"<gmd:onLine>{each}</gmd:onLine>" for each in links)
    return f"<gmd:MD_DigitalTransferOptions>{inside}</gmd:MD_DigitalTransferOptions>"


def transfer(*links: str) -> str:
    return f"<gmd:transferOptions>{options(*links)}</gmd:transferOptions>"


def distributor(*links: str, contact: str = "") -> str:
    return (
        f"<gmd:distributor><gmd:MD_Distributor>{contact}<gmd:distributorTransferOptions>"
        f"{options(*links)}</gmd:distributorTransferOptions></gmd:MD_Distributor></gmd:distributor>"
    )


def data_format(name: str) -> str:
    return (
        f"<gmd:distributionFormat><gmd:MD_Format><gmd:name>{text(name)}</gmd:name>"
        "</gmd:MD_Format></gmd:distributionFormat>"
    )


def parsed(*parts: str, service: str = "", settings: dict[str, Any] | None = None) -> DatasetRecord:
    """Parse a record with this distribution; ``service`` is a service's further elements."""
    kind = "srv:SV_ServiceIdentification" if service else "gmd:MD_DataIdentification"
    document = f"""
<gmd:MD_Metadata xmlns:gmd="{GMD}" xmlns:gco="http://www.isotc211.org/2005/gco"
  xmlns:gmx="http://www.isotc211.org/2005/gmx" xmlns:srv="http://www.isotc211.org/2005/srv"
  xmlns:xlink="http://www.w3.org/1999/xlink">
  <gmd:fileIdentifier>{text(GUID)}</gmd:fileIdentifier>
  <gmd:identificationInfo><{kind}>
    <gmd:citation><gmd:CI_Citation><gmd:title>{text("Rivers")}</gmd:title></gmd:CI_Citation>
    </gmd:citation>{service}
  </{kind}></gmd:identificationInfo>
  <gmd:distributionInfo><gmd:MD_Distribution>{"".join(parts)}
  </gmd:MD_Distribution></gmd:distributionInfo>
</gmd:MD_Metadata>"""
    return gemini.parse(RawRecord(GUID, document.strip()), settings or {})


def resource_of_link(url: str, function: str = "", **parts: str) -> ResourceRecord:
    """Return the resource of a record with one link."""
    (found,) = parsed(transfer(link(url, function, **parts))).resources
    return found
