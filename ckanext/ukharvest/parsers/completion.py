"""What every record gets after its format's parser: refused values as extras, lists of links apart.

A parser reads field by field. This module sees the whole record, whatever its format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ckanext.ukharvest.core.records import DatasetRecord, ResourceRecord
from ckanext.ukharvest.core.values import formats
from ckanext.ukharvest.core.values.places import ORIGINAL
from ckanext.ukharvest.core.values.web_addresses import split_urls
from ckanext.ukharvest.parsers.record_checks import is_about_indian_ocean


def complete(record: DatasetRecord) -> DatasetRecord:
    """Return a record with a resource for each URL, and extras for values that were refused."""
    urls = split_urls(record.url) if " " in record.url else []
    turned = _turned_back(record)
    return replace(
        turned,
        url=urls[0] if urls else record.url,
        resources=tuple(part for file in record.resources for part in _apart(file)),
        extras={**turned.extras, **_refused(record)},
    )


def _turned_back(record: DatasetRecord) -> DatasetRecord:
    """Return a record with a point as it was written, if it is about the Indian Ocean.

    Two bare numbers that would lie there are turned into a point in the United Kingdom.
    """
    others = tuple(p for p in record.problems if p.code != "swapped-coordinates")
    is_turned = len(others) < len(record.problems) and (record.spatial or {}).get("type") == "Point"
    if not is_turned or not is_about_indian_ocean(record):
        return record
    point = {"type": "Point", "coordinates": (record.spatial or {})["coordinates"][::-1]}
    extras = {key: text for key, text in record.extras.items() if key != ORIGINAL}
    return replace(record, spatial=point, problems=others, extras=extras)


def _apart(file: ResourceRecord) -> Iterator[ResourceRecord]:
    """Yield the resource, or one for each URL of a list in its field; the first keeps its id."""
    urls = split_urls(file.url) if " " in file.url else []
    if len(urls) < 2:
        yield file
        return
    for number, url in enumerate(urls):
        label = formats.of_url(url) or file.format
        yield replace(file, url=url, format=label, id="" if number else file.id)


def _refused(record: DatasetRecord) -> dict[str, str]:
    """Return the texts of values that were refused, unless an extra has them."""
    texts: dict[str, str] = {}
    for problem in record.problems:
        is_text = problem.text.lower().removeprefix("mailto:")
        if problem.code in ("bad-date", "bad-email") and is_text:
            name = re.split(r"[^\w-]+", problem.field.rstrip("])"))[-1]
            name = "email" if problem.code == "bad-email" else name
            texts.setdefault(f"{name}-text", problem.text)
    known = "\n".join(record.extras.values()) if texts else ""
    return {name: text for name, text in texts.items() if text not in known}
