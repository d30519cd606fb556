"""Make raw records of packages, and read sources that are a single saved answer."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Generator, Mapping
from dataclasses import replace
from typing import Any

from ckanext.ukharvest.core.errors import ProtocolError, SourceError
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.options import is_left_out
from ckanext.ukharvest.core.records import Ending, RawRecord, Source, without_harvest_extras
from ckanext.ukharvest.core.values.text import clean_text, counted, parse_count
from ckanext.ukharvest.readers.json_api import (
    action,
    read_json,
    result_of,
    wrong_shape,
)
from ckanext.ukharvest.readers.json_document.records import json_record, not_an_object

EXPECTED = Message("an answer of package_search or package_show")
_SIGNS = ("title", "resources", "notes", "license_id", "data_dict", "metadata_modified")
_OTHERS = ("organization_", "group_", "tag_", "user_", "license_", "vocabulary_", "status_")
STATUS = "/api/3/action/status_show"
_GROUP = ("id", "name", "title", "display_name", "state")
KEY = "ukharvest_portal"  # member of the answer of status_show


def raw_record(
    item: Any, position: str, url: str, options: Mapping[str, Any], *, page: str = ""
) -> RawRecord:
    """Return one package as the site serves it.

    Args:
        item: the package.
        position: its place in the source, as a text for people.
        url: where it was read.
        options: of the source.
        page: URL of the site, to link to the dataset's page; "" if not known.
    """
    if not isinstance(item, Mapping):
        return not_an_object(item, position, url)
    guid, name = clean_text(item.get("id")), clean_text(item.get("name"))
    raw = json_record(
        _steady(item),
        position,
        f"{page}/dataset/{name or guid}" if page else url,
        guid,
        title=item.get("title"),
        modified=item.get("metadata_modified"),
        expected="the package's id",
    )
    return replace(raw, left_out=is_left_out(clean_text(item.get("type")), options))


def _steady(item: Mapping[str, Any]) -> dict[str, Any]:
    """Remove values that change without the dataset.

    Visits, texts of its organisation, and what the site computes about its own harvest.
    """
    steady = _untracked(item)
    if isinstance(steady.get("extras"), list):
        steady["extras"] = without_harvest_extras(steady["extras"])
    for key in ("organization", "groups"):
        steady[key] = _brief(steady.get(key))
    if isinstance(resources := steady.get("resources"), list):
        steady["resources"] = [
            _untracked(resource) if isinstance(resource, Mapping) else resource
            for resource in resources
        ]
    return steady


def _untracked(item: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in item.items() if key != "tracking_summary"}


def _brief(value: Any) -> Any:
    if isinstance(value, list):
        return [_brief(item) for item in value]
    if isinstance(value, Mapping):
        return {key: value[key] for key in _GROUP if key in value}
    return value


def records(source: Source) -> Generator[RawRecord, None, Ending]:
    """Yield the datasets of one document: a response of package_show, package_search, or a list.

    Raises:
        SourceError: no answer, not JSON, a refusal, no datasets, or those of the portal that reads.
    """
    url = source.url
    answer = read_json(source.http, url)
    refuse_own_site(source, answer, url.partition("/api/")[0])
    items, count = _packages(answer, url)
    for number, item in enumerate(items, 1):
        position = f"dataset {number}"
        if isinstance(item, str):
            yield RawRecord(item, url=url, position=position)
        else:
            yield raw_record(_whole(item), position, url, source.options)
    if not items or len(items) < count:
        total = counted(count, "dataset") if count else Message("no datasets")
        reason = Message(
            "{url} is one page of {total} and has {count:,}; the site's own address reads them all",
            url=url,
            total=total,
            count=len(items),
        )
        return Ending(complete=False, reason=reason)
    if any(isinstance(item, str) for item in items):
        return Ending(
            complete=False,
            reason=Message(
                "{url} only names datasets; expected {expected}", url=url, expected=EXPECTED
            ),
        )
    return Ending(complete=True)


def _packages(answer: Any, url: str) -> tuple[list[Any], int]:
    """Return the packages, whichever action gave the response, and the total that it reports.

    Raises:
        ProtocolError: there are none; or they are organisations, groups, tags and the like.
    """
    value = answer
    if isinstance(answer, Mapping) and ("success" in answer or "result" in answer):
        value = result_of(answer, url)
    if isinstance(value, Mapping):
        is_search = isinstance(value.get("results"), list)
        items, count = (value["results"], count_of(value)) if is_search else ([value], 1)
    elif isinstance(value, list):
        # DKAN wraps its lists in another list.
        items = value[0] if len(value) == 1 and isinstance(value[0], list) else value
        count = len(items)
    else:
        raise wrong_shape(url, value, EXPECTED)
    help_text = clean_text(answer.get("help")) if isinstance(answer, Mapping) else ""
    name = help_text.rpartition("name=")[2] if "help_show" in help_text else ""
    if name.startswith(_OTHERS):
        raise ProtocolError(
            Message(
                "{url} is an answer of {name}, not datasets; expected {expected}",
                url=url,
                name=name,
                expected=EXPECTED,
            ),
            code="wrong-shape",
            url=url,
        )
    if items and not any(isinstance(item, str) or _is_package(item) for item in items):
        raise wrong_shape(url, value, f"datasets: {EXPECTED}")
    return items, count


def count_of(value: Mapping[str, Any]) -> int:
    """Return the number of datasets that a search reports; -1 if it reports none."""
    return parse_count(value.get("count"))


def _is_package(item: Any) -> bool:
    is_other = not isinstance(item, Mapping) or item.get("is_organization") is not None
    return not is_other and any(sign in item for sign in _SIGNS)


def _whole(item: Any) -> Any:
    """Unwrap a package that CKAN's old search (``/api/search/dataset``) returns as text."""
    if isinstance(item, Mapping) and isinstance(item.get("data_dict"), str):
        with contextlib.suppress(ValueError, RecursionError):
            package = json.loads(item["data_dict"])
            if isinstance(package, Mapping) and package.get("id"):
                return package
    return item


def refuse_own_site(source: Source, answer: Any, base: str) -> None:
    """Refuse an answer of the portal that reads, whatever host name it was asked under.

    Each run would import all its datasets once more.

    CKAN's answers have its own URL in ``help``. Several portals may have been set up with the same
    one, such as http://localhost:5000, so such a site is asked for its key too.

    Args:
        answer: of one of its actions.
        base: URL of the site.

    Raises:
        SourceError: the answer is the portal's own.
    """
    own = source.own_site
    own_help = clean_text(answer.get("help")) if isinstance(answer, Mapping) else ""
    if own is None or not own_help.startswith(f"{own.url}/"):
        return
    try:
        status = action(source.http, base + STATUS)
    except SourceError:
        return
    if isinstance(status, Mapping) and status.get(KEY) == own.key:
        raise SourceError(
            Message(
                "{base} is this portal itself, which has these datasets already; expected the"
                " URL of another site",
                base=base,
            ),
            code="own-site",
            url=base,
        )
