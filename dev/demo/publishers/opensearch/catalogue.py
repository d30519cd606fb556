"""The aerial photographs of a fictional survey, as entries of Atom."""

from __future__ import annotations

from dataclasses import dataclass
from xml.sax.saxutils import escape

DC = "http://purl.org/dc/elements/1.1/"
BOX = (-1.4, 54.3, -1.2, 54.4)
LICENCE = "Open Government Licence v3.0"

# Place → what there is to see.
PLACES = {
    "Harrier Edge": "the escarpment and its screes",
    "Broadmire": "the flood meadows along the river",
    "Cold Sike": "field walls and sheepfolds",
    "Thornley": "the village and its common",
    "Redhow": "spoil heaps of the old lead mine",
}
YEARS = range(2011, 2024)


@dataclass
class Photograph:
    """One record as the survey wrote it."""

    number: int
    place: str
    year: int
    title: str


def photographs() -> list[Photograph]:
    """Return all records, always in the same order."""
    pairs = [(place, year) for place in PLACES for year in YEARS]
    return [
        Photograph(number, place, year, f"{place} from the air, {year}")
        for number, (place, year) in enumerate(pairs, 1)
    ]


def entry(found: Photograph) -> str:
    """Return a record as an entry."""
    west, south, east, north = BOX
    site = f"https://photographs.harrier.example/{found.number}"
    about = f"Aerial photographs taken in {found.year}: {PLACES[found.place]}."
    return (
        f"<entry><id>{site}</id><title>{escape(found.title)}</title>"
        f"<dc:identifier>HAS-{found.number:04}</dc:identifier>"
        f"<dc:date>{found.year}-05-01/{found.year}-05-31</dc:date>"
        f"<published>{found.year}-09-01T09:00:00Z</published>"
        f"<updated>{found.year}-09-01T09:00:00Z</updated>"
        "<dc:publisher>Harrier Aerial Survey</dc:publisher>"
        f'<category term="{escape(found.place)}"/><category term="aerial photography"/>'
        f"<summary>{escape(about)}</summary><rights>{LICENCE}</rights>"
        f"<georss:box>{south} {west} {north} {east}</georss:box>"
        f'<link rel="alternate" type="text/html" href="{site}"/>'
        f'<link rel="enclosure" type="image/tiff" href="{site}/mosaic.tif"/></entry>'
    )


def feed(entries: list[str], start: int, total: int) -> str:
    """Return a page of results."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom"'
        f' xmlns:os="http://a9.com/-/spec/opensearch/1.1/" xmlns:dc="{DC}"'
        ' xmlns:georss="http://www.georss.org/georss"><title>Photographs</title>'
        f"<os:totalResults>{total}</os:totalResults><os:startIndex>{start + 1}</os:startIndex>"
        f"{''.join(entries)}</feed>\n"
    )


def description(base: str) -> str:
    """Return the description document."""
    template = (
        f"{base}/opensearch/search?n={{count}}&amp;start={{startIndex?}}&amp;q={{searchTerms?}}"
        "&amp;box={geo:box?}&amp;from={time:start?}&amp;to={time:end?}"
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/"'
        ' xmlns:geo="http://a9.com/-/opensearch/extensions/geo/1.0/"'
        ' xmlns:time="http://a9.com/-/opensearch/extensions/time/1.0/">'
        "<ShortName>Photographs</ShortName><Description>Aerial photographs</Description>"
        f'<Url type="application/atom+xml" template="{template}"/></OpenSearchDescription>\n'
    )
