"""The demo's publishers: one package for each source type, named like the type (``-`` as ``_``).

Such a package is all that a new source type adds to the demo. Its docstring describes the
harvest source, and it has:

``TITLE``
    The harvest source's title.
``ORGANISATION``
    The title of the organisation that publishes it.
``PATH``
    What follows the server's address in the harvest source's URL.
``CONFIG``
    Options of the harvest source, ``{}`` for none.
``FAULTS``
    Those of the FAULTS below that it can show; a type that is one record cannot lose two.
``routes(base, fault)``
    What it serves, as ``tests.publisher`` wants it. ``base`` is its own address without a slash
    at the end, ``fault`` is "" when all is well.
``count(read, url)``
    The records that it serves, read over HTTP as any client would, by other code than the
    extension's: this is what the harvest is held against. ``read`` returns the bytes of an
    address and raises OSError where the server answers with an error.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, cast

from tests.publisher import Response, Route

from stack.console import StackError

# Faults of a publisher, one at a time: name at the control route → text for the table. The bad
# record comes last, because the run after it imports that record again, changed or not.
FAULTS = {
    "page2-500": "500 on page 2",
    "two-gone": "two records gone",
    "bad-record": "one bad record",
}
CONTROL = "/_control"

Read = Callable[[str], bytes]
Box = tuple[float, float, float, float]  # west, south, east, north


@dataclass(frozen=True)
class Served:
    """One record in a publisher's document.

    Attributes:
        raw: the record's whole text; a changed text means a changed record.
        is_readable: False for a record that no portal could import.
        licence: CKAN's id of the document's licence.
        extras: some of the extras that the dataset must have.
    """

    guid: str
    title: str
    urls: frozenset[str]
    raw: str
    licence: str = ""
    extras: Mapping[str, str] = field(default_factory=dict)
    box: Box | None = None
    is_readable: bool = True


class Publisher(Protocol):
    """The interface of a publisher's package; see above."""

    TITLE: str
    ORGANISATION: str
    PATH: str
    CONFIG: Mapping[str, Any]
    FAULTS: Iterable[str]

    def routes(self, base: str, fault: str) -> Mapping[str, Route]: ...

    def count(self, read: Read, url: str) -> list[Served]: ...


def load(kind: str) -> Publisher:
    """Return the publisher of a source type.

    Raises:
        StackError: there is none.
    """
    name = kind.replace("-", "_")
    place = Path(__file__).parent / name
    if not (place / "__init__.py").is_file():
        raise StackError(
            f"the source type {kind} has no demo publisher; add dev/demo/publishers/{name}"
            " with what dev/demo/publishers/__init__.py lists"
        )
    return cast(Publisher, importlib.import_module(f"{__name__}.{name}"))


def document(text: str, media_type: str) -> Response:
    """Return a document with an ETag that changes with the text."""
    body = text.encode()
    tag = hashlib.sha256(body).hexdigest()[:16]
    return Response(body, headers={"Content-Type": media_type}, etag=f'"{tag}"')


def failure() -> Response:
    """Return a web server's error page for a crashed program."""
    page = "<html><head><title>500 Internal Server Error</title></head><body></body></html>"
    return Response(page.encode(), 500, {"Content-Type": "text/html"})
