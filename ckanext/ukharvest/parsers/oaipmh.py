"""Records of an OAI-PMH repository: DCAT, ISO 19139 (GEMINI) or Dublin Core.

A repository has one record in several formats, under prefixes of its own choice. So the record
itself decides, not the prefix: its root element, or that it is N-Triples, as the reader makes of
DCAT in RDF/XML. The fields below are those of Dublin Core; the pages of the types dcat_rdf and
gemini-csw have those of the other two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckanext.ukharvest.core.fingerprint import is_triples
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import DatasetRecord, RawRecord
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers import oai_dc as oai_dc
from ckanext.ukharvest.parsers.dcat import parser as dcat
from ckanext.ukharvest.parsers.gemini import document as gemini_document
from ckanext.ukharvest.parsers.gemini import parser as gemini
from ckanext.ukharvest.parsers.xml_fields import wrong_root

# It grows with each of them: a change of one imports records again.
VERSION = dcat.VERSION + gemini.VERSION
FORM = "xml_or_rdf"
OPTIONS = (*dcat.OPTIONS, *(option for option in gemini.OPTIONS if option not in dcat.OPTIONS))
MAPPING = oai_dc.MAPPING


def parse(raw: RawRecord, options: Mapping[str, Any]) -> DatasetRecord:
    """Read one record.

    Raises:
        ParseError: of a format that is not supported, or without title or identity.
        NotValid, SkipRecord: as the parser of GEMINI.
    """
    content = raw.content or ""
    if is_triples(content):
        return dcat.parse(raw, options)
    root = xml.parse(content, url=raw.url)
    if xml.local_name(root) in gemini_document.RECORDS:
        return gemini.parse(raw, options)
    if oai_dc.is_record(root):
        return oai_dc.parse(raw, options)
    namespace = xml.namespace(root)
    expected = (
        "DCAT in RDF/XML (rdf:RDF), ISO 19139 (gmd:MD_Metadata) or Dublin Core (oai_dc:dc); the"
        " option metadata_prefix chooses the format"
    )
    space = (
        Message(" of the namespace {namespace}", namespace=shorten(namespace, 100))
        if namespace
        else ""
    )
    raise wrong_root(raw, root, expected, space)
