"""Records of location data from a CSW server: UK GEMINI 2.1 to 2.3 and its kin, or DCAT.

Specification: UK GEMINI 2.3 of the Association for Geographic Information; ISO 19139, 19115-2
and 19115-3. Of a server without ISO 19139, or with the option schema, also GeoDCAT-AP and DCAT: the
page of the type dcat_rdf has their fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckanext.ukharvest.core.fingerprint import is_triples
from ckanext.ukharvest.core.records import DatasetRecord, RawRecord
from ckanext.ukharvest.parsers.dcat import parser as dcat
from ckanext.ukharvest.parsers.gemini import parser as gemini

VERSION = gemini.VERSION + dcat.VERSION  # it grows with each of them
FORM = gemini.FORM
OPTIONS = gemini.OPTIONS
MAPPING = gemini.MAPPING


def parse(raw: RawRecord, options: Mapping[str, Any]) -> DatasetRecord:
    """Read one record.

    Raises:
        ParseError, NotValid, SkipRecord: as the parser of GEMINI.
    """
    if is_triples(raw.content or ""):
        return dcat.parse(raw, options)
    return gemini.parse(raw, options)
