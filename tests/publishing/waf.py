"""A web-accessible folder of GEMINI records."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from tests.publisher import Request, Response
from tests.publishing.gemini import gemini
from tests.publishing.listing import Listing
from tests.publishing.service import Service, tagged, text_response

_PATH = "/waf/"


def dated_page(dates: Mapping[str, str]) -> Response:
    """Return a page of links with the dates of the files, by their names."""
    rows = "".join(
        f'<a href="{name}">{name}</a>  {date} 10:31  4.1K\n' for name, date in dates.items()
    )
    page = f"<html><head><title>Index of /</title></head><pre>{rows}</pre></html>"
    return text_response(page, "text/html")


def folder_page(links: list[str]) -> Response:
    """Return a page of links without dates."""
    items = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    page = f"<html><head><title>Records</title></head><body><ul>{items}</ul></body></html>"
    return text_response(page, "text/html")


def _answer(request: Request, listing: Listing) -> Response | None:
    """Answer as folders: each has a page's files, and a link to the next folder below it."""
    place, _, name = urlsplit(request.path).path.rpartition("/")
    if not f"{place}/".startswith(_PATH):
        return None
    if name:
        return tagged(text_response(gemini(listing.find(int(name.partition(".")[0])))))
    start = place.count("/next") * listing.size
    links = [f"{each.number}.xml" for each in listing.page(start)]
    has_more = listing.following(start) is not None or start == 0 < listing.total(0) - listing.size
    return folder_page(links + ["next/"] * has_more)


GEMINI_WAF = Service(
    _PATH,
    _answer,
    lambda listing: [_PATH, *(f"{_PATH}{each.number}.xml" for each in listing.records)],
    late=0,
    options={"depth": 10},
)
