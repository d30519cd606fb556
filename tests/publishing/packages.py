"""CKAN's and DKAN 7's packages, and the pages that list them."""

from __future__ import annotations

import json
import uuid
from datetime import datetime
from typing import Any

from tests.publisher import Request, Response
from tests.publishing.listing import Listing
from tests.publishing.records import (
    File,
    Item,
    Record,
    polygon,
    present,
    record_of,
    service_url,
)
from tests.publishing.service import Service, json_response, number, path_of

_ACTION = "/api/3/action/"
SEARCH = f"{_ACTION}package_search?rows=100&start={{}}&sort=id+asc"
DKAN_LIST = f"{_ACTION}current_package_list_with_resources?limit=100&offset={{}}"
DKAN_NAMES = f"{_ACTION}package_list"


def guid(record: Record) -> str:
    return record.guid or f"id-{record.number:03}"


def _name(record: Record) -> str:
    return record.name or f"name-{record.number}"


def package(item: Item) -> dict[str, Any]:
    """Return a record as CKAN shows it."""
    record = record_of(item)
    extras = present(
        la_service=record.service and service_url(record.service),
        spatial=record.box and json.dumps(polygon(record.box)),
    )
    found = {
        "id": guid(record),
        "name": _name(record),
        "title": record.title,
        "notes": record.description,
        "resources": [_resource(record, each) for each in record.distributions],
        **present(
            license_id="uk-ogl" if record.licence else "",
            metadata_modified=record.modified and f"{record.modified}T08:30:00.000000",
            maintainer_email=record.email,
            url=record.page,
            organization=record.publisher and {"id": "us", "name": "us", "title": record.publisher},
            tags=[{"name": tag} for tag in record.tags],
            extras=[{"key": key, "value": value} for key, value in extras.items()],
        ),
    }
    if record.nameless:
        del found["id"]
    return found


def _resource(record: Record, file: File) -> dict[str, Any]:
    own = record.files is not None
    return {
        "id": str(uuid.uuid5(uuid.NAMESPACE_URL, file.url)) if own else f"r-{record.number}",
        "url": file.url,
        **present(
            name=file.title, format=file.format, mimetype=file.media_type, schema_url=file.schema
        ),
    }


def dkan_package(item: Item) -> dict[str, Any]:
    """Return a record as DKAN 7 shows it: its dates are formatted for people, its notes HTML."""
    record = record_of(item)
    if not record.modified:
        return package(record)
    changed = datetime.fromisoformat(f"{record.modified}T08:30").strftime("%a, %d/%m/%Y - %H:%M")
    found = {
        **package(record),
        "notes": f"<p>{record.description}</p>\n",
        "metadata_modified": changed,
        "license_title": "UK Open Government Licence (OGL)",
        "state": "Active",
        "private": True,
        "type": "Dataset",
        "groups": [{"id": "us", "title": record.publisher, "name": "group/us"}],
    }
    for each in found["resources"]:
        each.update(size="12.5 KB", state="Active", last_modified=f"Date changed  {changed}")
    for key in ("organization", "extras", "license_id"):
        found.pop(key, None)
    return found


def _ckan(request: Request, listing: Listing) -> Response | None:
    """Answer as a site that returns fewer datasets a page than requested, as CKAN does from 2.8."""
    if path_of(request) != f"{_ACTION}package_search":
        return None
    start = number(request, "start")
    page = [package(each) for each in listing.page(start)]
    result = {"count": listing.total(start), "results": page}
    return json_response({"help": "", "success": True, "result": result})


def _ckan_addresses(listing: Listing) -> list[str]:
    """Return the pages of a reader that lets each overlap the one before it by a dataset."""
    step = max(1, listing.size - 1)
    starts = range(0, max(listing.total(0) - 1, step + 1), step)
    return [SEARCH.format(start) for start in starts]


def _dkan(request: Request, listing: Listing) -> Response | None:
    """Answer as DKAN 7, which chooses the size of its pages and ends with an empty one."""
    path = path_of(request)
    if path == DKAN_NAMES:
        names = [_name(each) for each in listing.records[: listing.total(0)]]
        return json_response({"success": True, "result": names})
    if path != DKAN_LIST.partition("?")[0]:
        return None
    page = [dkan_package(each) for each in listing.page(number(request, "offset"))]
    return json_response({"success": True, "result": page})


def _dkan_addresses(listing: Listing) -> list[str]:
    starts = dict.fromkeys((*listing.starts, listing.total(0)))
    return [*map(DKAN_LIST.format, starts), DKAN_NAMES]


CKAN = Service("/", _ckan, _ckan_addresses, guid=guid)
DKAN = Service("/", _dkan, _dkan_addresses, guid=guid)
