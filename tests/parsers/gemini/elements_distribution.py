"""A GEMINI record around its links."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape

from ckanext.ukharvest.core.records import DatasetRecord, ResourceRecord
from tests.iso_spelling import el
from tests.parsers.gemini import elements
from tests.parsers.gemini.part import text

GUID = "00000000-0000-4000-8000-000000000001"
HOST = "https://example.org"


def link(url: str = "", function: str = "", **parts: str) -> str:
    """Return a CI_OnlineResource; parts are contents of properties, plain text or elements."""
    inside = el("gmd:linkage/gmd:URL", escape(url))
    for name, content in parts.items():
        inside += el(f"gmd:{name}", content if content.startswith("<") else text(escape(content)))
    if function:
        inside += el("gmd:function/gmd:CI_OnLineFunctionCode", codeListValue=function)
    return el("gmd:CI_OnlineResource", inside)


def options(*links: str) -> str:
    """Return the content of MD_DigitalTransferOptions: its class with links."""
    return el("gmd:MD_DigitalTransferOptions", *(el("gmd:onLine", each) for each in links))


def transfer(*links: str) -> str:
    return el("gmd:transferOptions", options(*links))


def distributor(*links: str, contact: str = "") -> str:
    offered = el("gmd:distributorTransferOptions", options(*links))
    return el("gmd:distributor/gmd:MD_Distributor", contact, offered)


def data_format(name: str) -> str:
    return el("gmd:distributionFormat/gmd:MD_Format/gmd:name", text(name))


def parsed(*parts: str, service: str = "", settings: dict[str, Any] | None = None) -> DatasetRecord:
    """Parse a record with this distribution; ``service`` is a service's further elements."""
    kind = "srv:SV_ServiceIdentification" if service else "gmd:MD_DataIdentification"
    text = elements.document(
        identification=service, distribution="".join(parts), guid=GUID, kind=kind
    )
    return elements.parsed(text, **(settings or {}))


def resource_of_link(url: str, function: str = "", **parts: str) -> ResourceRecord:
    """Return the resource of a record with one link."""
    (found,) = parsed(transfer(link(url, function, **parts))).resources
    return found
