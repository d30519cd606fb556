"""DKAN sites: 7 with an imitation of CKAN's API, 2 with data.json and a metastore.

The reader tries which interfaces a site has. All give the same identities (the UUID of DKAN 7 is
the ``identifier`` of DKAN 2), so that a site may change from one to another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from ckanext.ukharvest.core.errors import BadStatus, ProtocolError, SourceError
from ckanext.ukharvest.core.records import Ending, RawRecord, Source
from ckanext.ukharvest.readers.dkan_api.actions import INTERFACES as ACTIONS
from ckanext.ukharvest.readers.dkan_api.actions import Site, record
from ckanext.ukharvest.readers.document import ACCEPT, JsonDocument
from ckanext.ukharvest.readers.endings import saved_ending
from ckanext.ukharvest.readers.json_document.outline import Outline, Shape
from ckanext.ukharvest.readers.json_document.stream import JsonFile

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


@dataclass(frozen=True)
class Dkan:
    """Reads a DKAN site, given by its home page, or a saved response of one.

    Args:
        guid: returns a record's identity as text, "" if it has none.
        names: returns the names under which a site may list a record.
    """

    guid: Callable[[Mapping[str, Any]], str]
    names: Callable[[Mapping[str, Any]], tuple[str, ...]]

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
        for name in _order(source.interface):
            try:
                started = _start(self._interface(name, source, base))
            except SourceError as exc:
                # The interface that answered before exists: if it fails now, the run ends, since an
                # interface that was never used may never have worked.
                if not (_is_absent(exc) or (_is_broken(exc) and name != source.interface)):
                    raise
                wrong.append(exc.message.rstrip("."))
                continue
            if isinstance(started, Ending):
                if started.complete:
                    return replace(started, interface=name)
                empty = empty or started
                continue
            head, rest = started
            yield head
            ending = yield from rest
            return replace(ending, interface=name)
        if empty is not None:
            return empty
        raise ProtocolError(
            f"{base} has no interface of DKAN that can be read: {'; '.join(wrong)}",
            code="no-interface",
            url=base,
        )

    def fetch(self, source: Source, raw: RawRecord) -> RawRecord:
        """Return the record; a saved list of names has no content to fetch.

        Raises:
            FetchError: it is such a name.
        """
        if raw.content is None:
            source.http.get(raw.url).close()
        return raw

    def _interface(self, name: str, source: Source, base: str) -> Records:
        """Open one interface; nothing is requested before the first record is."""
        if name in ACTIONS:
            return ACTIONS[name](Site(source, base, self.guid, self.names))
        path, kind = _DOCUMENTS[name]
        reader = JsonDocument(_CATALOGUE, guid=self.guid, kind=kind)
        return reader.records(replace(source, url=base + path, options={"paging": "none"}))

    def _document(self, source: Source) -> Records:
        """Yield the records of one saved response of any interface."""
        with closing(source.http.get(source.url, accept=ACCEPT)) as reply:
            file = JsonFile(
                reply.body, url=source.url, charset=reply.charset, media_type=reply.media_type
            )
            if file.is_blank:
                message = f"the document at {source.url} is empty; expected an answer of DKAN"
                raise ProtocolError(message, code="empty-document", url=source.url)
            outline = Outline.read(file, _ANSWER, url=source.url, kind="an answer of DKAN")
            number = 0
            for prefix in outline.prefixes:
                for item in file.items(prefix):
                    # DKAN wraps some lists twice.
                    for dataset in item if isinstance(item, list) else [item]:
                        number += 1
                        yield record(dataset, source.url, f"dataset {number}", self.guid)
        encoding = () if file.problem is None else (file.problem,)
        problems = encoding + outline.problems
        return saved_ending(source.url, "dataset", number, problems=problems)


def home(url: str) -> str:
    """Return the site's URL without a slash at its end; "" if the source is a single document."""
    if "://" not in url:
        return ""
    parts = urlsplit(url)
    path = _ENDPOINT.sub("", parts.path.rstrip("/"))
    if path.endswith(".json") or "/api/" in path:
        return ""
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


def _order(known: str) -> list[str]:
    """Return all interfaces: the one that worked last time, then the most complete first."""
    return sorted((*ACTIONS, *_DOCUMENTS), key=lambda name: name != known)


def _start(records: Records) -> tuple[RawRecord, Records] | Ending:
    """Read up to the first record, or to the end if there is none."""
    try:
        return next(records), records
    except StopIteration as stop:
        ending: Ending = stop.value
        return ending


def _is_absent(error: SourceError) -> bool:
    """Tell whether an answer means that there is no such interface."""
    if isinstance(error, BadStatus):
        return 300 <= error.status < 500 and error.status != 429
    return isinstance(error, ProtocolError) or error.code == "redirect"


def _is_broken(error: SourceError) -> bool:
    return isinstance(error, BadStatus) and error.status >= 500
