"""An Opendatasoft portal (Explore API 2.1), without exports of its catalogue."""

from __future__ import annotations

from typing import Any

from tests.publisher import Request, Response
from tests.publishing.listing import Listing
from tests.publishing.packages import guid
from tests.publishing.records import Item, polygon, present, record_of
from tests.publishing.service import Service, json_response, number, path_of

_API = "/api/explore/v2.1/catalog/datasets"
ODS_LIST = f"{_API}?limit=100&offset={{}}&order_by=dataset_id"


def ods_dataset(item: Item) -> dict[str, Any]:
    """Return a record as Explore API 2.1 shows it; one with files has its own rows instead."""
    record = record_of(item)
    attachments = [
        {"id": "file", "title": "File", "url": each.url} for each in record.distributions
    ]
    modified = record.modified and f"{record.modified}T08:00:00+00:00"
    default = {
        "title": record.title,
        "description": record.description,
        **present(
            keyword=list(record.tags),
            license=record.licence and "Open Government Licence v3.0",
            license_url=record.licence,
            publisher=record.publisher,
            modified=modified,
            data_processed=modified,
            metadata_processed=modified,
            bbox=record.box
            and {"type": "Feature", "geometry": polygon(record.box), "properties": {}},
        ),
    }
    metas: dict[str, Any] = {"default": default}
    if record.email:
        metas["dcat"] = {"contact_name": "Data team", "contact_email": record.email}
    found = {
        "dataset_id": guid(record),
        "has_records": record.files is not None,
        "attachments": attachments if record.files is None else [],
        "metas": metas,
    }
    if record.nameless:
        del found["dataset_id"]
    return found


def export_path(identity: str, form: str) -> str:
    """Return the path of a dataset's rows, as a reader makes it."""
    return f"{_API}/{identity}/exports/{form}"


def _answer(request: Request, listing: Listing) -> Response | None:
    """Answer as a portal that returns fewer datasets a page than requested."""
    if path_of(request) != _API:
        return None
    start = number(request, "offset")
    page = [ods_dataset(each) for each in listing.page(start)]
    return json_response({"total_count": listing.total(start), "results": page})


ODS = Service(
    "/", _answer, lambda listing: [ODS_LIST.format(each) for each in listing.starts], guid=guid
)
