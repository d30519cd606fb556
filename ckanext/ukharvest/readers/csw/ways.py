"""The ways to request a catalogue's records, and their order."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ckanext.ukharvest.readers.csw.names import DUBLIN_CORE, ISO, ISO_3, SCHEMAS, Model

SOAP_12 = "SOAP 1.2"
SOAP_11 = "SOAP 1.1"
# The option method → methods, in their order.
METHODS = {
    "auto": ("POST", "GET"),
    "post": ("POST",),
    "get": ("GET",),
    "soap-1.1": (SOAP_11,),
    "soap-1.2": (SOAP_12,),
}
_KNOWN = re.compile(r"(POST|GET|SOAP 1\.[12])(?: at (\S+))? \S+:\S+ ")
# ISO 19139 before Dublin Core, sorted before unsorted, whole records before a list of them.
_CONTENTS = (
    (ISO, True, True),
    (DUBLIN_CORE, True, True),
    (ISO, False, True),
    (DUBLIN_CORE, False, True),
    (DUBLIN_CORE, True, False),
    (DUBLIN_CORE, False, False),
)


@dataclass(frozen=True, slots=True)
class Binding:
    """How a server takes requests.

    Attributes:
        method: POST, GET, SOAP 1.1 or SOAP 1.2.
        url: the URL that the server declares for it; "" for the source's own.
    """

    method: str
    url: str = ""

    @property
    def is_soap(self) -> bool:
        """Tell whether requests are sent in an envelope."""
        return self.method in (SOAP_11, SOAP_12)

    def __str__(self) -> str:
        return f"{self.method} at {self.url}" if self.url else self.method


@dataclass(frozen=True, slots=True)
class Way:
    """One way to request records; servers differ in those they support.

    Attributes:
        method, url: as of a Binding.
        is_sorted: requests the records in the order of identifiers, so that pages neither
            overlap nor leave anything out.
        is_full: whole records; else summaries in Dublin Core, for their identifiers and stamps.
        schema: of whole records, a key of SCHEMAS.
    """

    method: str
    model: Model
    is_sorted: bool = True
    is_full: bool = True
    url: str = ""
    schema: str = "gmd"

    @property
    def binding(self) -> Binding:
        """Return its binding."""
        return Binding(self.method, self.url)

    def __str__(self) -> str:
        sort = f"sorted by {self.model.identifier}" if self.is_sorted else "unsorted"
        content = "full" if self.is_full else "summary"
        content += "" if self.schema == "gmd" else f"-{self.schema}"
        return f"{self.binding} {self.model.type_name} {sort} {content}"


def ways(method: str, known: str = "", schema: str = "auto") -> list[Way]:
    """Return the ways at the source's own URL, but before them the one that worked last time.

    Args:
        method: the option, a key of METHODS.
        known: the text of a way.
        schema: the option, a key of SCHEMAS or auto.
    """
    usual = [Binding(each) for each in METHODS[method]]
    saved = find_binding(known)
    if saved is not None and saved not in usual and allows(method, saved):
        usual.insert(0, saved)
    return sorted(ways_by(usual, known, schema), key=lambda way: str(way) != known)


def ways_by(bindings: Iterable[Binding], known: str = "", schema: str = "auto") -> list[Way]:
    """Return all ways by some bindings, the best first.

    A catalogue that returned whole records is never asked for a list, nor the reverse, and never
    for another schema by itself: its records may have other identifiers there, and every dataset
    would be imported twice.
    """
    content = known.rpartition(" ")[2]
    if schema == "auto":
        schema = schema_of(known)
    found = [
        Way(each.method, model, is_sorted, is_full, each.url, schema)
        for each in bindings
        for model, is_sorted, is_full in _contents(schema)
    ]
    return [way for way in found if str(way).endswith(f" {content}")] or found


def _contents(schema: str) -> tuple[tuple[Model, bool, bool], ...]:
    if schema == "gmd":
        return _CONTENTS
    model = ISO_3 if schema == "iso19115-3" else ISO
    return tuple((m, is_sorted, True) for is_sorted in (True, False) for m in (model, DUBLIN_CORE))


def schema_of(known: str) -> str:
    """Return the schema of whole records in the text of a way."""
    schema = known.rpartition(" ")[2].partition("-")[2]
    return schema if schema in SCHEMAS else "gmd"


def find_binding(known: str) -> Binding | None:
    """Return the binding in the text of a way, None if it is another text."""
    found = _KNOWN.match(known)
    return Binding(found[1], found[2] or "") if found else None


def allows(method: str, binding: Binding) -> bool:
    """Tell whether the option method allows a binding; auto allows all."""
    return method == "auto" or binding.method in METHODS[method]
