"""A table of datasets: one row a file, as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from tests.publisher import Request, Response
from tests.publishing.listing import Listing
from tests.publishing.records import File, Item, Record, record_of
from tests.publishing.service import Service, path_of, text_response

_PATH = "/datasets.csv"
COLUMNS = (
    *("identifier", "title", "description", "publisher", "contactPoint", "contactEmail", "license"),
    *("keyword", "modified", "landingPage", "spatial", "temporal", "relation"),
    *("downloadURL", "mediaType", "distribution.title", "distribution.describedBy"),
)


def rows(records: Iterable[Item]) -> list[list[str]]:
    """Return the header and a row for each file, or for a record without files."""
    return [list(COLUMNS), *(row for item in records for row in _rows(record_of(item)))]


def _rows(record: Record) -> Iterable[list[str]]:
    identity = "" if record.nameless else record.identity
    of_record = [identity, record.title, record.description, record.publisher]
    of_record += ["Data team" if record.email else "", record.email, record.licence]
    of_record += [", ".join(record.tags), record.modified, record.page]
    of_record += [",".join(map(str, record.box or ())), "/".join(record.period or ())]
    of_record += [record.relation]
    for file in record.distributions or (File(""),):
        yield [*of_record, file.url, file.media_type, file.title, file.schema]


def table(records: Iterable[Item]) -> str:
    """Return the records as CSV."""
    text = io.StringIO()
    csv.writer(text).writerows(rows(records))
    return text.getvalue()


def _answer(request: Request, listing: Listing) -> Response | None:
    if path_of(request) != _PATH:
        return None
    return text_response(table(listing.records), "text/csv")


def urls(record: Record) -> list[str]:
    """Return the URLs of the resources, of which the landing page is one."""
    return [*(file.url for file in record.distributions), *filter(None, (record.page,))]


DATASET_TABLE = Service(_PATH, _answer, lambda _listing: [_PATH], late=0, is_paged=False, urls=urls)
