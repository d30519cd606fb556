"""Fields of UK local government, told apart and put in order the same way for every format.

What is stored is what data.gov.uk's portals have: identifiers with blanks between them
(``la_function``, ``la_service``), JSON lists of web addresses (``schema``, ``codelist``,
``mandate``). What is none of these is kept elsewhere and reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from ckanext.ukharvest.core import lga, listed
from ckanext.ukharvest.core.lga import FUNCTION, SERVICE
from ckanext.ukharvest.core.mapping import Found
from ckanext.ukharvest.core.values import is_web_url, shorten

Report = Callable[[str, str], None]  # called with a problem's code and the words behind the field

# What another site's own field is kept under where it cannot have its name here.
PREFIX = "original_"

# DataShare's own description of a file's columns, which it names where no standard is linked.
_DEFINITION = re.compile(r"/api/.+/definition/?$", re.IGNORECASE)

_KEYS = {FUNCTION: "la_function", SERVICE: "la_service"}
_EXAMPLES = {
    FUNCTION: "http://id.esd.org.uk/function/40",
    SERVICE: "http://id.esd.org.uk/service/579",
}
_LISTS = {"schema": "schemas", "codelist": "codelists"}


class Given(NamedTuple):
    """Texts of one field.

    Attributes:
        kind: FUNCTION or SERVICE where the field is for such; "" where they may be among others,
            such as a dataset's themes.
        report: takes problems with the field.
    """

    kind: str
    texts: Sequence[str]
    report: Report


def authority(*fields: Given) -> Found:
    """Read functions and services of local government.

    They are told by their addresses: publishers put one for the other, as did data.gov.uk's own
    example. What is neither becomes a theme: other vocabularies are allowed there.
    """
    uris: dict[str, dict[str, None]] = {FUNCTION: {}, SERVICE: {}}
    themes: dict[str, None] = {}
    for field in fields:
        found = lga.find(field.texts, field.kind)
        uris[FUNCTION].update(dict.fromkeys(found.functions))
        uris[SERVICE].update(dict.fromkeys(found.services))
        themes.update(dict.fromkeys(found.others))
        _report(field, found)
    extras = {_KEYS[kind]: " ".join(each) for kind, each in uris.items()}
    return {"themes": tuple(themes), "extras": extras}


def _report(field: Given, found: lga.Found) -> None:
    strange = {FUNCTION: list(_unknown(found.functions)), SERVICE: list(_unknown(found.services))}
    if field.kind:
        strange[field.kind] += found.others
    if strange[FUNCTION]:
        field.report("unknown-la-function", _words(FUNCTION, strange[FUNCTION]))
    if strange[SERVICE]:
        field.report("unknown-la-service", _words(SERVICE, strange[SERVICE]))


def _unknown(uris: Iterable[str]) -> Iterable[str]:
    return (uri for uri in uris if not lga.label(uri))


def _words(kind: str, values: Sequence[str]) -> str:
    return (
        f"{_some(values)} is not in the LGA's list of {kind}s; expected an identifier such as"
        f" {_EXAMPLES[kind]}"
    )


def addresses(name: str, value: object, report: Report) -> Found:
    """Read ``schema``, ``codelist`` or ``mandate``: web addresses, or titles of the known ones.

    Of a schema what is no address is what the data conforms to in words (``conforms_to``); of the
    others it is kept as the source had it.
    """
    found = listed.addresses(value, _LISTS.get(name, ""))
    if name == "schema":
        urls = schemas(found.urls)
        others = (*(url for url in found.urls if url not in urls), *found.others)
        return {"schema_urls": urls, "extras": {"conforms_to": ", ".join(others)}}
    if found.others:
        report("bad-url", f"{_some(found.others)} is no web address; expected {_EXPECTED[name]}")
    text = listed.as_text(found.urls)
    return {"extras": {name: text, PREFIX + name: listed.as_text(found.others)}}


_EXPECTED = {
    "codelist": "that of a code list, such as http://id.esd.org.uk/list/services",
    "mandate": "that of a law, such as https://www.legislation.gov.uk/ukpga/1972/70",
}


def unpublished(text: str, report: Report) -> Found:
    """Read whether a dataset's data cannot be had yet; a text that does not say so is kept."""
    try:
        return {"extras": {"unpublished": listed.flag(text)}}
    except ValueError as exc:
        report("unexpected-value", str(exc))
        return {"extras": {f"{PREFIX}unpublished": text}}


def schemas(urls: Iterable[str]) -> tuple[str, ...]:
    """The addresses of schemas among those that data conforms to.

    Reference systems are none, nor is what only its own site knows.
    """
    found = (url for url in filter(is_web_url, urls) if "/def/crs/" not in url.lower())
    return tuple(dict.fromkeys(url for url in found if not is_definition(url)))


def is_definition(url: str) -> bool:
    """Whether an address is a site's own definition of a file, not a shared standard."""
    try:
        return _DEFINITION.search(urlsplit(url).path) is not None
    except ValueError:
        return False


def _some(values: Sequence[str]) -> str:
    """The first of some values for a message, and how many more there are."""
    more = f" (and {len(values) - 1:,} more)" if len(values) > 1 else ""
    return f"'{shorten(values[0], 80)}'{more}"
