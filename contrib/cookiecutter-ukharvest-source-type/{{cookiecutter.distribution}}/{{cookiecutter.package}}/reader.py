"""Reads a JSON API page by page: ``{"total": 2, "items": [{"id": …}], "next": "?page=2"}``."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from urllib.parse import urljoin

from ckanext.ukharvest.source_type_api import (
    Ending,
    Option,
    Pages,
    Point,
    RawRecord,
    Reader,
    SeenPages,
    Source,
    Walk,
    json_record,
    not_an_object,
    read_json,
    text,
    wrong_shape,
)

OPTIONS = (
    Option(
        "list_key",
        "text",
        "items",
        "Name of the list in the answer.",
        label="Name of the list in the answer",
    ),
)


class _Items(Pages):
    """The pages of one source; the place of a page is its URL."""

    noun = "dataset"

    def __init__(self, source: Source) -> None:
        self.where = source.url
        self.seen = SeenPages()
        self._http = source.http
        self._key: str = source.options["list_key"]

    def page(
        self, point: Point, walk: Walk
    ) -> Generator[RawRecord, None, tuple[str | int, ...] | None]:
        url = str(point.place[0])
        answer = read_json(self._http, url, problems=walk.problems)
        if not isinstance(answer, Mapping) or not isinstance(answer.get(self._key), list):
            raise wrong_shape(url, answer, f"an object with total and {self._key}")
        walk.note_total(text.parse_count(answer.get("total")))
        for number, item in enumerate(answer[self._key], self.seen.count + 1):
            position = f"dataset {number}"
            if not isinstance(item, Mapping):
                yield not_an_object(item, position, url)
                continue
            guid = text.clean_text(item.get("id"))
            yield json_record(item, position, url, guid, title=item.get("title"))
        following = text.clean_text(answer.get("next"))
        return (urljoin(url, following),) if following else None


class ItemList(Reader):
    """Reads one list. Keeps nothing between runs: one instance serves all of them."""

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield a record for each item; complete if as many came as the list announces.

        Raises:
            SourceError: no answer, or another document.
        """
        walk = Walk(_Items(source), source.tell_total)
        yield from walk.read(Point((source.url,)))
        return walk.ending()


def is_list(head: bytes) -> bool:
    """Tell whether a response's first bytes are such a list."""
    return all(name in head for name in (b'"total"', b'"items"', b'"id"'))
