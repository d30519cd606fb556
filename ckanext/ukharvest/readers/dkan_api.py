"""DKAN sites: 7 with an imitation of CKAN's API, 2 with data.json and a metastore.

The reader tries which interfaces a site has. All give the same identities (the UUID of DKAN 7 is
the ``identifier`` of DKAN 2), so that a site may change from one to another. The releases of DKAN 7
differ: lists of whole packages or of names; ``result`` as an object, a list of one, or a list in a
list; a package is found by ``?id=`` or by the last part of the path.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

from ckanext.ukharvest.core.errors import BadStatus, ParseError, ProtocolError, SourceError
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Ending, Problem, RawRecord, Reader, Source
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.readers.document import ACCEPT, JsonDocument
from ckanext.ukharvest.readers.json_api import (
    Refused,
    action,
    wrong_shape,
)
from ckanext.ukharvest.readers.json_document.outline import JsonList, Shape
from ckanext.ukharvest.readers.json_document.records import json_record, not_an_object, titled
from ckanext.ukharvest.readers.seen_records import SeenPages, failed_record
from ckanext.ukharvest.readers.walk import (
    Pages,
    Place,
    Point,
    Walk,
    describe_empty_list,
    saved_ending,
)

PAGE = 100
# Failed requests by name before package_show counts as missing.
_PATIENCE = 5

# Every dataset of DKAN 7 or 2 has some of these; groups and resources have none.
_OF_DATASETS = frozenset(
    ("resources", "notes", "metadata_created", "metadata_modified", "license_title", "tags")
    + ("distribution", "identifier", "accessLevel", "keyword", "modified")
)

_SIGNS = ("identifier", "title", "distribution", "accessLevel", "keyword", "landingPage")
_CATALOGUE = Shape(keys=("dataset",), signs=frozenset(_SIGNS))
# A saved response of any interface.
_ANSWER = Shape(
    keys=("dataset", "result"),
    signs=frozenset((*_SIGNS, "resources", "notes", "metadata_modified")),
)

_DOCUMENTS = {
    "data.json": ("/data.json", "data.json"),
    "metastore": ("/api/1/metastore/schemas/dataset/items", "a list of DKAN's metastore"),
}

# URLs that people may copy from a browser instead of the home page.
_ENDPOINT = re.compile(
    r"/(?:data\.json|api(?:/[123](?:/action(?:/(?:current_package_list_with_resources"
    r"|package_list))?|/metastore(?:/schemas(?:/dataset(?:/items)?)?)?)?)?)$"
)

Records = Generator[RawRecord, None, Ending]


def record(item: Any, url: str, position: str, reader: Dkan, source: Source) -> RawRecord:
    """Make a record of an item of a list: a dataset, or the name of one."""
    if isinstance(item, str) and clean_text(item):
        return RawRecord(clean_text(item), url=url, position=position)
    if not isinstance(item, Mapping):
        return not_an_object(item, position, url)
    title = item.get("title") or item.get("name")
    raw = json_record(
        item,
        position,
        url,
        reader.guid(item),
        title=title,
        modified=item.get("metadata_modified") or item.get("modified"),
        expected="a UUID that stays the same",
    )
    if _OF_DATASETS & item.keys():
        return replace(raw, left_out=reader.is_left_out(item, source.options))
    words = Message("is not a dataset; expected an object with resources, such as package_show's")
    error = ParseError(
        Message("{position} {words}", position=titled(position, title), words=words),
        code="not-a-dataset",
    )
    return replace(raw, guid="", error=error)


class Site(Pages):
    """One read of one site through its actions; the place of a page is its offset.

    Args:
        base: the site's URL without a slash at its end.
    """

    noun = "dataset"

    def __init__(self, source: Source, base: str, reader: Dkan) -> None:
        self._source = source
        self._http = source.http
        self._actions = f"{base}/api/3/action/"
        self.where = self._actions + "current_package_list_with_resources"
        self.seen = SeenPages()
        self._reader = reader
        self._by_path: bool | None = None  # not known before the first package was found
        self._guids: set[str] = set()
        self._keys: set[str] = set()  # all names of the packages of the pages
        self._is_proven = True  # the last page was not refused
        self._lost = 0
        self._problems: list[Problem] = []

    def list_packages(self) -> Records:
        """Yield all packages, from pages of ``current_package_list_with_resources``.

        The pages are sorted by the time of the last change, so that a dataset changed during the
        read moves from a later page to the first; ``package_list`` shows which ones were missed.
        """
        walk = Walk(self, self._source.tell_total)
        yield from walk.read(Point((0,)))
        return (yield from self._rest()) if self.seen.count else walk.ending()

    def page(self, point: Point, walk: Walk) -> Generator[RawRecord, None, Place | None]:
        offset = int(point.place[0])
        params = {"limit": PAGE, "offset": offset}
        try:
            answer = action(self._http, self.where, params, self._problems)
        except Refused as exc:
            if not offset or exc.status not in (200, 404, 410):
                raise
            self._is_proven = False
            return None
        packages = list(_flat(answer, self.where))
        for number, package in enumerate(packages, offset + 1):
            raw = record(package, self.where, f"dataset {number}", self._reader, self._source)
            if raw.content is None:
                raise ProtocolError(
                    Message("{where} answered names; expected packages", where=self.where),
                    code="wrong-shape",
                    url=self.where,
                )
            self._guids.add(raw.guid or raw.position)
            if isinstance(package, Mapping):
                self._keys.update((raw.guid, *self._reader.names(package)))
            yield raw
        return (offset + len(packages),)

    def show_packages(self) -> Records:
        """Yield all packages, one ``package_show`` for each name of ``package_list``."""
        names = self._package_list()
        if not names:
            reason = describe_empty_list(self._actions + "package_list", self.noun)
            return Ending(complete=False, reason=reason)
        self._source.tell_total(len(names))
        # The names are sorted, so that an interrupted read continues where it was.
        for name, raw in self._show_all([name for name in names if name > self._source.resume]):
            yield replace(raw, resume=name)
        return self._ending()

    def _rest(self) -> Records:
        """Yield the packages that the site lists, but the pages did not have."""
        try:
            names = self._package_list()
        except (ProtocolError, BadStatus) as exc:
            if self._is_proven:
                return self._ending()
            reason = f"the last page was refused, and there is no list to compare: {exc.message}"
            return Ending(complete=False, reason=reason)
        missing = [name for name in names if name not in self._keys]
        # If no name is known, the site lists other names ("node/17"): as many names as packages
        # mean that none is missing.
        if len(missing) < len(names) or len(names) > len(self._guids):
            for _name, raw in self._show_all(missing):
                yield raw
        return self._ending()

    def _package_list(self) -> list[str]:
        url = self._actions + "package_list"
        answer = action(self._http, url, problems=self._problems)
        names = {clean_text(item) for item in _flat(answer, url) if isinstance(item, (str, int))}
        if answer and not names - {""}:
            raise wrong_shape(url, answer, "a list of names")
        return sorted(names - {""})

    def _show_all(self, names: list[str]) -> Iterator[tuple[str, RawRecord]]:
        """Yield each name with its package.

        Raises:
            ProtocolError: no package was read, and more requests are pointless.
        """
        waiting: list[tuple[str, RawRecord]] = []
        for number, name in enumerate(names, 1):
            try:
                raw = self._show(name)
                if raw.guid not in self._guids:
                    waiting.append((name, raw))
                self._guids.add(raw.guid or name)
            except ProtocolError as exc:
                if not self._guids and number in (_PATIENCE, len(names)):
                    raise
                self._lost += 1
                place = Message("dataset '{name}'", name=name)
                words = Message("{place} is listed, but {reason}", place=place, reason=exc.message)
                lost = failed_record(place, words, code="not-shown", url=exc.url)
                waiting.append((name, lost))
            if self._guids:
                yield from waiting
                waiting.clear()

    def _show(self, name: str) -> RawRecord:
        """Read one package.

        Raises:
            ProtocolError: not a usable answer, or not a package.
        """
        url = self._actions + "package_show"
        forms = (False, True) if self._by_path is None else (self._by_path,)
        wrong: list[ProtocolError] = []
        for by_path in forms:
            if by_path:
                url = f"{url}/{quote(name, safe='')}"
            params = None if by_path else {"id": name}
            try:
                answer = action(self._http, url, params, self._problems)
            except ProtocolError as exc:
                wrong.append(exc)
                continue
            items = [part for part in _flat(answer, url) if isinstance(part, Mapping)]
            if items:
                self._by_path = by_path
                return record(items[0], url, f"dataset '{name}'", self._reader, self._source)
            wrong.append(wrong_shape(url, answer, "a package"))
        raise wrong[0]

    def _ending(self) -> Ending:
        reason = ""
        if self._lost:
            reason = (
                f"{self._lost} of the listed datasets could not be read, so any of them may have"
                " been deleted"
            )
        return Ending(complete=not reason, reason=reason, problems=tuple(self._problems))


ACTIONS: dict[str, Callable[[Site], Records]] = {
    "current_package_list_with_resources": Site.list_packages,
    "package_show": Site.show_packages,
}


def _flat(value: Any, url: str) -> Iterator[Any]:
    """Yield the items of a list, of lists in a list, or a lone object."""
    if isinstance(value, Mapping):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from item if isinstance(item, list) else [item]
    elif value is not None:
        raise wrong_shape(url, value, "a list")


@dataclass(frozen=True)
class Dkan(Reader):
    """Reads a DKAN site, given by its home page, or a saved response of one.

    Args:
        guid: returns a record's identity as text, "" if it has none.
        names: returns the names under which a site may list a record.
        is_left_out: tells whether the options leave out a dataset.
    """

    guid: Callable[[Mapping[str, Any]], str]
    names: Callable[[Mapping[str, Any]], tuple[str, ...]]
    is_left_out: Callable[[Mapping[str, Any], Mapping[str, Any]], bool]

    def records(self, source: Source) -> Records:
        """Yield every dataset; the ending names the interface that answered.

        Raises:
            SourceError: no interface answers, or the one that does ends too early.
        """
        base = home(source.url)
        if not base:
            return (yield from self._document(source))
        wrong: list[str] = []
        empty: Ending | None = None
        # The one that worked last time, then the most complete first.
        for name in sorted((*ACTIONS, *_DOCUMENTS), key=lambda name: name != source.interface):
            records = self._interface(name, source, base)
            try:
                first = next(records)
            except StopIteration as stop:
                ending: Ending = stop.value
                if ending.complete:
                    return replace(ending, interface=name)
                empty = empty or ending
                continue
            except SourceError as exc:
                # The interface that answered before exists: if it fails now, the run ends, since an
                # interface that was never used may never have worked.
                is_broken = isinstance(exc, BadStatus) and exc.status >= 500
                if not (_is_absent(exc) or (is_broken and name != source.interface)):
                    raise
                wrong.append(exc.message.rstrip("."))
                continue
            yield first
            return replace((yield from records), interface=name)
        if empty is not None:
            return empty
        raise ProtocolError(
            Message(
                "{base} has no DKAN interface that can be read: {wrong}",
                base=base,
                wrong="; ".join(wrong),
            ),
            code="no-interface",
            url=base,
        )

    def _interface(self, name: str, source: Source, base: str) -> Records:
        """Open one interface; nothing is requested before the first record is."""
        if name in ACTIONS:
            return ACTIONS[name](Site(source, base, self))
        path, kind = _DOCUMENTS[name]
        reader = JsonDocument(_CATALOGUE, guid=self.guid, kind=kind)
        return reader.records(replace(source, url=base + path, options={"paging": "none"}))

    def _document(self, source: Source) -> Records:
        """Yield the records of one saved response of any interface."""
        with closing(source.http.get(source.url, accept=ACCEPT)) as reply:
            document = JsonList(reply, source.url, _ANSWER, "an answer of DKAN")
            number = 0
            for item in document.items():
                # DKAN wraps some lists twice.
                for dataset in item if isinstance(item, list) else [item]:
                    number += 1
                    yield record(dataset, source.url, f"dataset {number}", self, source)
        return saved_ending(source.url, "dataset", number, problems=document.problems)


def home(url: str) -> str:
    """Return the site's URL without a slash at its end; "" if the source is a single document."""
    if "://" not in url:
        return ""
    parts = urlsplit(url)
    path = _ENDPOINT.sub("", parts.path.rstrip("/"))
    is_document = path.endswith(".json") or "/api/" in path
    return "" if is_document else urlunsplit((parts.scheme, parts.netloc, path, "", ""))


def _is_absent(error: SourceError) -> bool:
    """Tell whether an answer means that there is no such interface."""
    if isinstance(error, BadStatus):
        return 300 <= error.status < 500 and error.status != 429
    return isinstance(error, ProtocolError) or error.code == "redirect"
