"""Data.json (Project Open Data 1.1), whole or in pages of ?page=n."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.publisher import Request, Response
from tests.publishing.listing import Listing
from tests.publishing.records import File, Item, Record, present, record_of
from tests.publishing.service import Service, json_response, number, path_of

_PATH = "/data.json"


def catalogue(records: Iterable[Item]) -> dict[str, Any]:
    """Return a document of the records."""
    return {"dataset": [dataset(each) for each in records]}


def dataset(item: Item) -> dict[str, Any]:
    """Return a record as an entry."""
    record = record_of(item)
    found = {
        "identifier": record.identity,
        "title": record.title,
        "description": record.description,
        "distribution": [_distribution(each) for each in record.distributions],
        **present(
            keyword=list(record.tags),
            modified=record.modified,
            publisher=record.publisher and {"@type": "org:Organization", "name": record.publisher},
            contactPoint=record.email
            and {"@type": "vcard:Contact", "fn": "Data team", "hasEmail": f"mailto:{record.email}"},
            accessLevel=record.publisher and "public",
            license=record.licence,
            landingPage=record.page,
            spatial=record.box and ",".join(map(str, record.box)),
            temporal=record.period and "/".join(record.period),
            relation=record.relation and [record.relation],
        ),
    }
    if record.nameless:
        del found["identifier"]
    return found


def _distribution(file: File) -> dict[str, str]:
    return {
        "downloadURL": file.url,
        **present(
            title=file.title,
            format=file.format,
            mediaType=file.media_type,
            describedBy=file.schema,
            describedByType=file.schema and "application/json",
        ),
    }


def urls(record: Record) -> list[str]:
    """Return the URLs of the resources: data.gov.uk's mapping adds the landing page."""
    return [*(each.url for each in record.distributions), *filter(None, (record.page,))]


def _answer(request: Request, listing: Listing) -> Response | None:
    if path_of(request) != _PATH:
        return None
    return json_response(catalogue(listing.page((number(request, "page", 1) - 1) * listing.size)))


def _addresses(listing: Listing) -> list[str]:
    pages = range(2, len(listing.starts) + 1)
    return [_PATH, *(f"{_PATH}?page={each}" for each in pages)]


DATA_JSON = Service(_PATH, _answer, _addresses, urls=urls)
