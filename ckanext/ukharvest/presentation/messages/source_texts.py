"""Texts about source types for publishers; frequencies and days."""

from __future__ import annotations

from dataclasses import dataclass

from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.source_types import TYPES, SourceType

PORTALS, LOCATION, FILES, OTHERS = "portals", "location", "files", "others"
GROUPS = {
    PORTALS: _("Open data portals"),
    LOCATION: _("Location data (GEMINI)"),
    FILES: _("Lists and linked data"),
    OTHERS: _("Other kinds of source"),
}


@dataclass(frozen=True, slots=True)
class Kind:
    """Texts of a source type in the form: English, for ``_()``, except the example.

    Attributes:
        group: key of GROUPS.
        label: its name.
        line: which sources have this type, and which URL to enter.
        hint: what the URL leads to.
        example: such a URL.
        docs_url: page of a type that another distribution adds.
    """

    group: str
    label: str
    line: str
    hint: str
    example: str
    docs_url: str = ""


_HOME = _("The URL of the site's home page.")
KINDS = {
    "ckan": Kind(
        PORTALS,
        _("CKAN"),
        _("Another CKAN site. Enter its home page."),
        _HOME,
        "https://data.example.gov.uk",
    ),
    "dkan": Kind(
        PORTALS,
        _("DKAN"),
        _("A DKAN site, version 7 or 2. Enter its home page."),
        _HOME,
        "https://opendata.example.gov.uk",
    ),
    "ods": Kind(
        PORTALS,
        _("Opendatasoft"),
        _("An Opendatasoft (Huwise) portal. Enter its home page."),
        _HOME,
        "https://opendata.example.gov.uk",
    ),
    "data_json": Kind(
        PORTALS,
        _("data.json"),
        _(
            "One JSON file listing datasets, from Socrata, ArcGIS Hub, DKAN 2 or your own "
            "system. Enter the file's URL."
        ),
        _("The URL of the file."),
        "https://data.example.gov.uk/data.json",
    ),
    "gemini-csw": Kind(
        LOCATION,
        _("GEMINI from a CSW server"),
        _(
            "Location data from GeoNetwork, ArcGIS or another CSW 2.0.2 server. Enter the "
            "service URL without request=."
        ),
        _("The URL of the service, without the question mark and what follows it."),
        "https://maps.example.gov.uk/geonetwork/srv/eng/csw",
    ),
    "gemini-waf": Kind(
        LOCATION,
        _("Web accessible folder (GEMINI)"),
        _("A web page with links to GEMINI XML files. Enter the page's URL."),
        _("The URL of the page with the links."),
        "https://maps.example.gov.uk/metadata/",
    ),
    "gemini-single": Kind(
        LOCATION,
        _("Single GEMINI file"),
        _("One XML file, for trying out. Enter the file's URL."),
        _("The URL of the file."),
        "https://maps.example.gov.uk/metadata/parks.xml",
    ),
    "inventory": Kind(
        FILES,
        _("Inventory XML"),
        _("A local authority's inventory, for example from DataShare. Enter the file's URL."),
        _("The URL of the XML file."),
        "https://www.example.gov.uk/inventory.xml",
    ),
    "dcat_rdf": Kind(
        FILES,
        _("DCAT"),
        _(
            "RDF (XML, Turtle, JSON-LD and others) that lists datasets. Enter the URL of the "
            "catalogue."
        ),
        _("The URL of the catalogue, not of its web page."),
        "https://data.example.gov.uk/catalog.ttl",
    ),
    "oaipmh": Kind(
        FILES,
        _("OAI-PMH"),
        _(
            "A repository with OAI-PMH 2.0, such as DSpace, pycsw or a research archive. Enter its "
            "base URL without verb=."
        ),
        _("The base URL of the repository, without verb= and what follows it."),
        "https://repository.example.ac.uk/oai/request",
    ),
    "sparql": Kind(
        FILES,
        _("SPARQL"),
        _(
            "A SPARQL endpoint that describes datasets with DCAT, such as Virtuoso or Fuseki. "
            "Enter its URL without query=."
        ),
        _("The URL of the SPARQL endpoint, without query= and what follows it."),
        "https://data.example.gov.uk/sparql",
    ),
    "opensearch": Kind(
        FILES,
        _("OpenSearch"),
        _(
            "A search service with a description document, such as a catalogue of satellite "
            "images. Enter the URL of that document."
        ),
        _("The URL of the OpenSearch description document."),
        "https://catalogue.example.gov.uk/opensearch/description.xml",
    ),
}
OTHER = Kind(OTHERS, "", "", _("The URL that this type of source is read from."), "")


def find_texts(kind: SourceType) -> Kind:
    """Return the texts of a source type: ours, or those that its distribution declares."""
    if kind.name in KINDS:
        return KINDS[kind.name]
    line = kind.description.rstrip(".") + "."
    hint = kind.url_hint or OTHER.hint
    return Kind(kind.group, kind.title, line, hint, kind.url_example, kind.docs_url)


def all_texts() -> dict[str, Kind]:
    """Return the texts of all source types in the form's order, other distributions' last."""
    others = {name: find_texts(kind) for name, kind in TYPES.items() if name not in KINDS}
    return {**KINDS, **others}


FREQUENCIES = {
    "MANUAL": _("Manual"),
    "DAILY": _("Every day"),
    "WEEKLY": _("Every week"),
    "BIWEEKLY": _("Every two weeks"),
    "MONTHLY": _("Every month"),
    "ALWAYS": _("Always: each time the site starts runs"),
}
USUAL_FREQUENCY = "DAILY"

DAYS = {
    "mon": _("Monday"),
    "tue": _("Tuesday"),
    "wed": _("Wednesday"),
    "thu": _("Thursday"),
    "fri": _("Friday"),
    "sat": _("Saturday"),
    "sun": _("Sunday"),
}
