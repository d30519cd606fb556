"""Make raw records of packages, and read sources that are a single saved answer."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any

from ckanext.ukharvest.core import harvest_extras
from ckanext.ukharvest.core.errors import ParseError, ProtocolError
from ckanext.ukharvest.core.fingerprint import ordered_json
from ckanext.ukharvest.core.records import Ending, RawRecord, Source
from ckanext.ukharvest.core.values.text import clean_text, counted, parse_count, shorten
from ckanext.ukharvest.readers.ckan_api import own_site
from ckanext.ukharvest.readers.json_api import read_json, result_of, wrong_shape

EXPECTED = "an answer of package_search or package_show"


def raw_record(
    item: Any, position: str, url: str, *, page: str = "", resume: str = ""
) -> RawRecord:
    """Return one package as the site serves it.

    Args:
        item: the package.
        position: its place in the source, as a text for people.
        url: where it was read.
        page: URL of the site, to link to the dataset's page; "" if not known.
        resume: point from which an interrupted read continues after it.
    """
    if not isinstance(item, Mapping):
        message = f"{position} is {shorten(repr(item), 40)}; expected an object in {{ }}"
        return RawRecord("", url=url, position=position, error=ParseError(message), resume=resume)
    guid, name = clean_text(item.get("id")), clean_text(item.get("name"))
    return RawRecord(
        guid=guid,
        content=ordered_json(_steady(item)),
        url=f"{page}/dataset/{name or guid}" if page else url,
        modified=clean_text(item.get("metadata_modified")),
        position=position,
        error=None if guid else _no_identity(item, position),
        resume=resume,
    )


def _no_identity(item: Mapping[str, Any], position: str) -> ParseError:
    title = shorten(clean_text(item.get("title")), 60)
    named = f" '{title}'" if title else ""
    return ParseError(
        f"{position}{named}: id is missing; expected the package's id", code="missing-identifier"
    )


_GROUP = ("id", "name", "title", "display_name", "state")


def _steady(item: Mapping[str, Any]) -> dict[str, Any]:
    """Remove values that change without the dataset.

    Visits, texts of its organisation, and what the site computes about its own harvest.
    """
    found = {key: value for key, value in item.items() if key != "tracking_summary"}
    if isinstance(found.get("extras"), list):
        found["extras"] = harvest_extras.leave_out(found["extras"])
    for key in ("organization", "groups"):
        found[key] = _brief(found[key]) if key in found else None
    resources = found.get("resources")
    if isinstance(resources, list):
        found["resources"] = [
            {key: value for key, value in each.items() if key != "tracking_summary"}
            if isinstance(each, Mapping)
            else each
            for each in resources
        ]
    return found


def _brief(value: Any) -> Any:
    if isinstance(value, list):
        return [_brief(item) for item in value]
    if isinstance(value, Mapping):
        return {key: value[key] for key in _GROUP if key in value}
    return value


@dataclass(frozen=True, slots=True)
class Document:
    """The packages of one response; ``count`` is the total that the site reports."""

    items: list[Any]
    count: int


def records(source: Source) -> Generator[RawRecord, None, Ending]:
    """Yield the datasets of one document: a response of package_show, package_search, or a list.

    Raises:
        SourceError: no answer, not JSON, a refusal, no datasets, or those of the portal that reads.
    """
    url = source.url
    answer = read_json(source.http, url)
    own_site.refuse(source, answer, url.partition("/api/")[0])
    document = _document(answer, url)
    for number, item in enumerate(document.items, 1):
        position = f"dataset {number}"
        if isinstance(item, str):
            yield RawRecord(item, url=url, position=position)
        else:
            yield raw_record(_whole(item), position, url)
    found = len(document.items)
    if not found or found < document.count:
        total = counted(document.count, "dataset") if document.count else "no datasets"
        held = f"{url} is one page of {total} and has {found:,}"
        return Ending(complete=False, reason=f"{held}; the site's own address reads them all")
    if any(isinstance(item, str) for item in document.items):
        return Ending(complete=False, reason=f"{url} only names datasets; expected {EXPECTED}")
    return Ending(complete=True)


def _document(answer: Any, url: str) -> Document:
    """Return the packages, whichever action gave the response.

    Raises:
        ProtocolError: there are none.
    """
    value = answer
    is_result = isinstance(answer, Mapping) and ("success" in answer or "result" in answer)
    if is_result:
        value = result_of(answer, url)
    if isinstance(value, Mapping) and isinstance(value.get("results"), list):
        document = Document(value["results"], count_of(value))
    elif isinstance(value, Mapping):
        document = Document([value], 1)
    elif isinstance(value, list):
        # DKAN wraps its lists in another list.
        inner = value[0] if len(value) == 1 and isinstance(value[0], list) else value
        document = Document(inner, len(inner))
    else:
        raise wrong_shape(url, value, EXPECTED)
    help_text = clean_text(answer.get("help")) if isinstance(answer, Mapping) else ""
    _check(document, url, help_text, value)
    return document


def count_of(value: Mapping[str, Any]) -> int:
    """Return the number of datasets that a search reports; -1 if it reports none."""
    return parse_count(value.get("count"))


_SIGNS = ("title", "resources", "notes", "license_id", "data_dict", "metadata_modified")
_OTHERS = ("organization_", "group_", "tag_", "user_", "license_", "vocabulary_", "status_")


def _check(document: Document, url: str, help_text: str, value: Any) -> None:
    """Refuse organisations, groups, tags and other lists that are not datasets."""
    action = help_text.rpartition("name=")[2] if "help_show" in help_text else ""
    if action.startswith(_OTHERS):
        raise ProtocolError(
            f"{url} is an answer of {action}, not datasets; expected {EXPECTED}",
            code="wrong-shape",
            url=url,
        )
    items = document.items
    if items and not any(isinstance(item, str) or _is_package(item) for item in items):
        raise wrong_shape(url, value, f"datasets: {EXPECTED}")


def _is_package(item: Any) -> bool:
    if not isinstance(item, Mapping) or item.get("is_organization") is not None:
        return False
    return any(sign in item for sign in _SIGNS)


def _whole(item: Any) -> Any:
    """Unwrap a package that CKAN's old search (``/api/search/dataset``) returns as text."""
    if isinstance(item, Mapping) and isinstance(item.get("data_dict"), str):
        with contextlib.suppress(ValueError, RecursionError):
            found = json.loads(item["data_dict"])
            if isinstance(found, Mapping) and found.get("id"):
                return found
    return item
