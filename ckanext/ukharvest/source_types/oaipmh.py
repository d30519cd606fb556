"""The source type ``oaipmh``: OAI-PMH repositories with records of several formats."""

from __future__ import annotations

from ckanext.ukharvest.core.document_head import read_head
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.parsers import oaipmh as oaipmh
from ckanext.ukharvest.readers.oaipmh import reader as oai_pmh
from ckanext.ukharvest.source_types.source_type import SourceType

OAIPMH = SourceType(
    name="oaipmh",
    title="OAI-PMH",
    description=(
        "An OAI-PMH 2.0 repository (pycsw, GeoNetwork, DSpace and others): all records or sets, "
        "described in DCAT, ISO 19139 (GEMINI) or Dublin Core"
    ),
    reader=oai_pmh.OaiPmh(),
    parser=oaipmh,
    options=(*oai_pmh.OPTIONS, *oaipmh.OPTIONS),
    # "OAI-PMH" is openresearchdata's ckanext-oaipmh.
    aliases=("OAI-PMH", "oai_pmh", "oai-pmh"),
    recognise=lambda content: read_head(content).root_name == "OAI-PMH",
    usual_urls=("/oai/request", "/oai", "/oai2", "/server/oai/request", "/oaipmh"),
    probe="?verb=Identify",
    group="files",
    summary=_(
        "A repository with OAI-PMH 2.0, such as DSpace, pycsw or a research archive. Enter its "
        "base URL without verb=."
    ),
    url_hint=_("The base URL of the repository, without verb= and what follows it."),
    url_example="https://repository.example.ac.uk/oai/request",
)
