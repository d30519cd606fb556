"""Datasets of an Opendatasoft portal as records, and those of one saved answer."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import closing
from typing import Any

from ckanext.ukharvest.core.errors import ParseError, ProtocolError
from ckanext.ukharvest.core.fingerprint import ordered_json
from ckanext.ukharvest.core.http.client import Reply
from ckanext.ukharvest.core.records import Ending, Problem, RawRecord, Source
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.readers.document import ACCEPT
from ckanext.ukharvest.readers.json_document.outline import Outline, Shape
from ckanext.ukharvest.readers.json_document.stream import JsonFile
from ckanext.ukharvest.readers.ods.portal import Portal
from ckanext.ukharvest.readers.walk import saved_ending

_SIGNS = frozenset(("dataset_id", "datasetid", "metas", "has_records"))
# An answer of 2.1 or 1.0, an export (a list), or one dataset.
SHAPE = Shape(keys=("results", "datasets"), signs=_SIGNS)
_TOTALS = ("total_count", "nhits")
KIND = "an answer of Opendatasoft"


def unwrap(item: Any) -> Any:
    """Return a dataset of a list: version 2.0 wraps each together with links."""
    if isinstance(item, Mapping) and isinstance(item.get("dataset"), Mapping):
        return item["dataset"]
    return item


def identity(item: Mapping[str, Any]) -> str:
    """Return a dataset's id, the same in all interfaces; "" if it has none."""
    return clean_text(item.get("dataset_id") or item.get("datasetid") or "")


def record(item: Any, position: str, url: str, portal: Portal | None) -> RawRecord:
    """Make a record of an item of a list.

    Args:
        url: where it was read.
        portal: whose dataset it is, for the URL of its page; None if that is not known.
    """
    if not isinstance(item, Mapping):
        words = f"{position} is {shorten(repr(item), 40)}; expected an object in {{ }}"
        return RawRecord(
            "", ordered_json(item), url=url, position=position, error=ParseError(words)
        )
    guid, default = identity(item), metas(item)
    error = None
    if not guid:
        title = shorten(clean_text(default.get("title")), 60)
        words = f"{position} '{title}'" if title else position
        words = f"{words}: dataset_id is missing; expected a text that stays the same"
        error = ParseError(words, code="missing-identifier")
    return RawRecord(
        guid=guid,
        content=ordered_json(item),
        url=portal.page(guid) if portal and guid else url,
        modified=clean_text(default.get("modified")),
        position=position,
        error=error,
    )


def metas(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a dataset's standard metadata: ``metas.default`` of 2.1, ``metas`` of 1.0."""
    metadata = item.get("metas")
    if not isinstance(metadata, Mapping):
        return {}
    default = metadata.get("default")
    return default if isinstance(default, Mapping) else metadata


class Document:
    """One JSON document of datasets: checked to its end when made, then cut into records.

    Raises:
        ProtocolError: not JSON, truncated, or no list of datasets.
    """

    def __init__(self, reply: Reply, url: str) -> None:
        self._url = url
        self._file = JsonFile(
            reply.body, url=url, charset=reply.charset, media_type=reply.media_type
        )
        if self._file.is_blank:
            message = f"the document at {url} is empty; expected {KIND}"
            raise ProtocolError(message, code="empty-document", url=url)
        self._outline = Outline.read(self._file, SHAPE, url=url, kind=KIND)

    @property
    def problems(self) -> tuple[Problem, ...]:
        encoding = () if self._file.problem is None else (self._file.problem,)
        return encoding + self._outline.problems

    def items(self) -> Generator[Any, None, None]:
        """Yield the datasets, one in memory at a time."""
        for prefix in self._outline.prefixes:
            yield from map(unwrap, self._file.items(prefix))

    def total(self) -> int:
        """Return the number of all datasets as the answer announces it, -1 if it does not."""
        for name in _TOTALS:
            for value in self._file.items(name):
                if isinstance(value, int) and not isinstance(value, bool):
                    return value
        return -1


def saved(source: Source) -> Generator[RawRecord, None, Ending]:
    """Yield the datasets of one saved answer of any JSON interface."""
    with closing(source.http.get(source.url, accept=ACCEPT)) as reply:
        document = Document(reply, source.url)
        number = 0
        for number, item in enumerate(document.items(), 1):  # noqa: B007  # used after the loop
            yield record(item, f"dataset {number}", source.url, None)
        total = document.total()
    return saved_ending(source.url, "dataset", number, total, problems=document.problems)
