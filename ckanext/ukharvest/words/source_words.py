"""What kinds of source there are, in the words of people who publish; frequencies and days."""

from __future__ import annotations

from dataclasses import dataclass

from ckanext.ukharvest.core.text import marked as _

PORTALS, LOCATION, FILES, OTHERS = "portals", "location", "files", "others"
GROUPS = {
    PORTALS: _("Open data portals"),
    LOCATION: _("Location data (GEMINI)"),
    FILES: _("Lists and linked data"),
    OTHERS: _("Other kinds of source"),
}


@dataclass(frozen=True, slots=True)
class Kind:
    """A source type in the form: all but the example in English, for ``_()``.

    Attributes:
        group: key of GROUPS.
        label: its name.
        line: which sources are of this kind, and which address to give.
        hint: what the address is the address of.
        example: such an address.
    """

    group: str
    label: str
    line: str
    hint: str
    example: str


_HOME = _("The address of the site's home page.")
KINDS = {
    "ckan": Kind(
        PORTALS,
        _("CKAN"),
        _("Another CKAN site. Give its home page."),
        _HOME,
        "https://data.example.gov.uk",
    ),
    "dkan": Kind(
        PORTALS,
        _("DKAN"),
        _("A DKAN site, version 7 or 2. Give its home page."),
        _HOME,
        "https://opendata.example.gov.uk",
    ),
    "data_json": Kind(
        PORTALS,
        _("data.json"),
        _(
            "One JSON file listing datasets, from Socrata, ArcGIS Hub, DKAN 2 or your own system."
            " Give the file's address."
        ),
        _("The address of the file."),
        "https://data.example.gov.uk/data.json",
    ),
    "gemini-csw": Kind(
        LOCATION,
        _("GEMINI from a CSW server"),
        _(
            "Location data from GeoNetwork, ArcGIS or another CSW 2.0.2 server. Give the service"
            " address without request=."
        ),
        _("The address of the service, without what stands after the question mark."),
        "https://maps.example.gov.uk/geonetwork/srv/eng/csw",
    ),
    "gemini-waf": Kind(
        LOCATION,
        _("Web accessible folder (GEMINI)"),
        _("A web page with links to GEMINI XML files. Give the page's address."),
        _("The address of the page with the links."),
        "https://maps.example.gov.uk/metadata/",
    ),
    "gemini-single": Kind(
        LOCATION,
        _("Single GEMINI file"),
        _("One XML file, for trying out. Give the file's address."),
        _("The address of the file."),
        "https://maps.example.gov.uk/metadata/parks.xml",
    ),
    "inventory": Kind(
        FILES,
        _("Inventory XML"),
        _("A local authority's inventory, for example from DataShare. Give the file's address."),
        _("The address of the XML file."),
        "https://www.example.gov.uk/inventory.xml",
    ),
    "dcat_rdf": Kind(
        FILES,
        _("DCAT"),
        _(
            "RDF (XML, Turtle, JSON-LD and others) that lists datasets. Give the address of the"
            " catalogue."
        ),
        _("The address of the catalogue, not of its web page."),
        "https://data.example.gov.uk/catalog.ttl",
    ),
}
OTHER = Kind(OTHERS, "", "", _("The address that this kind of source is read from."), "")

FREQUENCIES = {
    "MANUAL": _("Only when somebody starts it"),
    "DAILY": _("Every day"),
    "WEEKLY": _("Every week"),
    "BIWEEKLY": _("Every two weeks"),
    "MONTHLY": _("Every month"),
    "ALWAYS": _("Again and again, as often as the site starts runs"),
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
