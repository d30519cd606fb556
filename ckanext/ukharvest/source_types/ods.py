"""The source type ``ods``: Opendatasoft portals."""

from __future__ import annotations

import re

from ckanext.ukharvest.core.document_head import read_head
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.parsers.ods import parser as ods
from ckanext.ukharvest.parsers.record_checks import field_names_in
from ckanext.ukharvest.readers.ods import reader as ods_portal
from ckanext.ukharvest.source_types.source_type import SourceType

# The portal's own program, and the files that each of its pages loads.
_PAGE = re.compile(
    r"\bng-app\s*=\s*[\"']ods\.|(?:src|href)\s*=\s*[\"'](?:https?:)?//[\w.-]*\bopendatasoft\.com/"
)
# Where an answer of version 2.1 or 1.0, of 2.0, an export, or that of one dataset has its datasets.
_PLACES = ("results.item", "datasets.item", "datasets.item.dataset", "item", "", "dataset")
_TOTALS = frozenset(("total_count", "nhits"))


def recognise(content: bytes) -> bool:
    """Tell whether this is a page of an Opendatasoft portal, or an answer of its catalogue."""
    head = read_head(content)
    if head.page_title is not None:
        return bool(_PAGE.search(head.text))
    names = head.keys()
    if names == {"total_count", "results"} and "results.item" not in head.values:
        return True  # an empty list
    for place in _PLACES:
        inside = head.keys(place)
        if {"dataset_id", "datasetid"} & inside and (names & _TOTALS or "metas" in inside):
            return True
    return False


ODS = SourceType(
    name="ods",
    title="Opendatasoft",
    description="Datasets of an Opendatasoft portal: all, or those with certain publishers, themes "
    "or keywords",
    reader=ods_portal.Ods(),
    parser=ods,
    options=(*ods_portal.OPTIONS, *ods.OPTIONS),
    volatile=ods.VOLATILE,
    # Names of version 2.1.
    field_names=field_names_in(ods.MAPPING, resources="has_records, attachments and references"),
    recognise=recognise,
    usual_urls=("",),
    probe="/api/explore/v2.1/catalog/datasets?limit=1",
    group="portals",
    summary=_("An Opendatasoft (Huwise) portal. Enter its home page."),
    url_hint=_("The URL of the site's home page."),
    url_example="https://opendata.example.gov.uk",
)
