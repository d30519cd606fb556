"""The source types: what a reader and a parser make together. Knows no CKAN."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Parser, RawRecord, Reader
from ckanext.ukharvest.parsers import ckan as ckan_datasets
from ckanext.ukharvest.parsers import (
    datajson,
    dcat,
    dkan,
    gemini,
    gemini_document,
    inventory,
    inventory_document,
    inventory_schema,
)
from ckanext.ukharvest.readers import ckan as ckan_site
from ckanext.ukharvest.readers import csw, document, rdf, waf, xml_document
from ckanext.ukharvest.readers import dkan as dkan_site
from ckanext.ukharvest.readers.json_outline import Shape
from ckanext.ukharvest.readers.xml_records import XmlShape


def _no_old_guids(_raw: RawRecord) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class SourceType:
    """One kind of source.

    Attributes:
        name: stored in CKAN with each source; never changes.
        title, description: for the form and the documentation.
        options: what a source of this type can be told; COMMON_OPTIONS come on top.
        aliases: names that other portals gave to the same kind.
        old_guids: other forms of a record's guid that earlier harvesters of this kind stored, the
            likeliest first; asked when a source is taken over. Never raises.
        volatile: what changes in a record's content and means nothing; a record that differs in
            nothing else is not modified.
        dated: the publisher has to change a record's own date with its content; reported where
            that was forgotten.
        reference_is_address: a record is a document of its own, known by its address: datasets
            refer to it so (``harvest_source_reference``), and not by its guid; and a reader is
            told which documents it need not read again (``Source.copies``).
    """

    name: str
    title: str
    description: str
    reader: Reader
    parser: Parser
    options: tuple[Option, ...] = ()
    aliases: tuple[str, ...] = ()
    old_guids: Callable[[RawRecord], tuple[str, ...]] = _no_old_guids
    volatile: re.Pattern[str] | None = None
    dated: bool = False
    reference_is_address: bool = False


# What every source can be told, whatever its type; read by the CKAN side.
COMMON_OPTIONS = (
    Option(
        "credential",
        "text",
        "",
        "Name of a secret in the portal's ini that is sent to the source's own server.",
    ),
    Option("default_tags", "list", (), "Tags that every dataset of this source gets."),
    Option(
        "default_extras",
        "list",
        (),
        'Extras that datasets get where they have none of that name, as "name=value".',
    ),
    Option(
        "not_overwrite",
        "list",
        (),
        "Fields of a dataset that the source does not change once they are filled.",
    ),
    Option(
        "default_groups",
        "list",
        (),
        "Groups, by name, that every dataset of this source is put into.",
        sysadmin_only=True,
    ),
)

# "dataset" is Project Open Data's key, "datasets" the one that data.gov.uk's guide named.
_DATA_JSON_SHAPE = Shape(
    keys=("dataset", "datasets"),
    nested=("catalog",),
    embedded=(
        "datasetSeries.seriesMember",
        "datasetSeries.first",
        "datasetSeries.last",
        "service.servesDataset",
    ),
    left_out=(
        ("datasetSeries", "dataset series"),
        ("service", "data services"),
        ("record", "catalogue records"),
    ),
    schemas=("project-open-data.cio.gov/v1.1/schema", "project-open-data", "dcat-us"),
    signs=frozenset(
        ("identifier", "title", "uri", "distribution", "accessLevel", "keyword", "landingPage")
    ),
)

DATA_JSON = SourceType(
    name="data_json",
    title="data.json",
    description="Datasets listed in a data.json document"
    " (Project Open Data 1.0 and 1.1, DCAT-US 3), also in pages",
    reader=document.JsonDocument(_DATA_JSON_SHAPE, guid=datajson.identifier),
    parser=datajson,
    options=(*document.OPTIONS, *datajson.OPTIONS),
    aliases=("datajson", "dcat_json"),
)

CKAN = SourceType(
    name="ckan",
    title="CKAN",
    description="Datasets of another CKAN site, all or by organisation, group, tag, type or search",
    reader=ckan_site.CkanSite(),
    parser=ckan_datasets,
    options=(*ckan_site.OPTIONS, *ckan_datasets.OPTIONS),
)

DKAN = SourceType(
    name="dkan",
    title="DKAN",
    description="Datasets of a site that runs DKAN 7 or 2; a site may change from one to the other",
    reader=dkan_site.Dkan(guid=dkan.identifier, names=dkan.names),
    parser=dkan,
    options=dkan.OPTIONS,
    old_guids=dkan.old_guids,
)

_INVENTORY_SHAPE = XmlShape(
    kind=inventory_document.KIND,
    paths=inventory_document.PATHS,
    root=inventory_document.ROOT,
    guid=inventory_document.identifier,
    content=inventory_document.content,
    modified=inventory_document.modified,
    is_gone=inventory_document.is_gone,
    checker=inventory_schema.Checker,
    alone="is one Dataset without an Inventory around it, which does not tell of others",
)

INVENTORY = SourceType(
    name="inventory",
    title="Inventory XML",
    description="Datasets of an inventory in the LGA's format (versions 0.1 to 0.3),"
    " as the DataShare software of councils publishes it",
    reader=xml_document.XmlDocument(_INVENTORY_SHAPE),
    parser=inventory,
    options=(xml_document.VALIDATION, *inventory.OPTIONS),
    old_guids=inventory_document.old_guids,
    # DataShare ends its download addresses with the day on which the inventory was asked for:
    # without this every dataset of a council would be imported every night.
    volatile=re.compile(r"(?<=[?&;])version=\d{1,4}([/.-]|%2F)\d{1,2}\1\d{1,4}\b", re.IGNORECASE),
)

# Read by the CKAN side.
_PROFILES = Option(
    "profiles",
    "list",
    (),
    "ckanext-dcat's profiles, such as euro_dcat_ap_3, that are run over each dataset as well: what"
    " they find and this type does not is added.",
)

DCAT_RDF = SourceType(
    name="dcat_rdf",
    title="DCAT",
    description="Datasets described with DCAT in RDF/XML, Turtle, N-Triples, JSON-LD and others,"
    " also in pages (Hydra, Link headers, ?page=n)",
    reader=rdf.RdfReader(),
    parser=dcat,
    options=(*rdf.OPTIONS, *dcat.OPTIONS, _PROFILES),
    aliases=("dcat_xml",),
)

_GEMINI_SHAPE = XmlShape(
    kind=gemini_document.KIND,
    paths=gemini_document.PATHS,
    root=gemini_document.ROOT,
    guid=gemini_document.identifier,
    content=gemini_document.content,
    modified=gemini_document.modified,
    rest=gemini_document.rest,
    singular="record",
    identifier="gmd:fileIdentifier",
    called=gemini_document.called,
)

GEMINI_SINGLE = SourceType(
    name="gemini-single",
    title="Single GEMINI file",
    description="One GEMINI or ISO 19139 document, for trying out; also a saved answer of a"
    " catalogue with several records",
    reader=xml_document.XmlDocument(_GEMINI_SHAPE),
    parser=gemini,
    options=gemini.OPTIONS,
    aliases=("single-doc",),
    dated=True,
    reference_is_address=True,
)

GEMINI_WAF = SourceType(
    name="gemini-waf",
    title="Web accessible folder (GEMINI)",
    description="A web-accessible folder: a page with links to GEMINI or ISO 19139 files, as any"
    " web server lists them or made by hand, with or without sub-folders",
    reader=waf.Waf(_GEMINI_SHAPE, single=GEMINI_SINGLE.name),
    parser=gemini,
    options=(*waf.OPTIONS, *gemini.OPTIONS),
    aliases=("waf",),
    dated=True,
    reference_is_address=True,
)

GEMINI_CSW = SourceType(
    name="gemini-csw",
    title="GEMINI from a CSW server",
    description="A catalogue that speaks CSW 2.0.2 (GeoNetwork, pycsw, Esri and others), all of it"
    " or by kind of record or a condition in CQL",
    reader=csw.Csw(_GEMINI_SHAPE),
    parser=gemini,
    options=(*csw.OPTIONS, *gemini.OPTIONS),
    aliases=("csw",),
    dated=True,
)

TYPES = {
    kind.name: kind
    for kind in (
        CKAN,
        DATA_JSON,
        DCAT_RDF,
        DKAN,
        GEMINI_CSW,
        GEMINI_SINGLE,
        GEMINI_WAF,
        INVENTORY,
    )
}


def find(name: str) -> SourceType | None:
    """Return the type of this name or alias."""
    for kind in TYPES.values():
        if name == kind.name or name in kind.aliases:
            return kind
    return None


def reserved_options(kind: SourceType) -> frozenset[str]:
    """Return the names of the type's options that only a sysadmin can set."""
    declared = (*kind.options, *COMMON_OPTIONS)
    return frozenset(option.name for option in declared if option.sysadmin_only)
