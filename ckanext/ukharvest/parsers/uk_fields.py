"""Fields of UK local government, identified and ordered the same way for every format.

Values are stored as on data.gov.uk's portals: identifiers separated by blanks (``la_function``,
``la_service``), JSON lists of URLs (``schema``, ``codelist``, ``mandate``). Other values are kept
elsewhere and reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values import local_government_lists, multivalue
from ckanext.ukharvest.core.values.local_government_lists import FUNCTION, SERVICE
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.parsers.reporting import Report

# Prefix for the remote site's own field when its name is taken here.
PREFIX = "original_"

# DataShare's own description of a file's columns, given where no standard is linked.
_DEFINITION = re.compile(r"/api/.+/definition/?$", re.IGNORECASE)

# The fields' own names, in formats that have names of their own for other fields.
THEMES = ("theme-primary", "theme-secondary")
AUTHORITY = {"la_function": FUNCTION, "la_service": SERVICE}
_NO_SCHEMA = re.compile(r"/def/crs/|//mlcommons\.org/croissant/", re.IGNORECASE)
_KEYS = {FUNCTION: "la_function", SERVICE: "la_service"}
_EXAMPLES = {
    FUNCTION: "http://id.esd.org.uk/function/40",
    SERVICE: "http://id.esd.org.uk/service/579",
}
_LISTS = {"schema": "schemas", "codelist": "codelists"}


class FieldTexts(NamedTuple):
    """Texts of one field.

    Attributes:
        kind: FUNCTION or SERVICE if the field is for these alone; "" if they may be among others,
            such as a dataset's themes.
        report: takes problems with the field.
    """

    kind: str
    texts: Sequence[str]
    report: Report


def authority(*fields: FieldTexts) -> dict[str, Any]:
    """Read functions and services of local government.

    They are identified by URL, not by field: publishers confuse the two, as did data.gov.uk's own
    example. Other values become themes: other vocabularies are allowed there.
    """
    uris: dict[str, dict[str, None]] = {FUNCTION: {}, SERVICE: {}}
    themes: dict[str, None] = {}
    for field in fields:
        identifiers = local_government_lists.find(field.texts, field.kind)
        uris[FUNCTION].update(dict.fromkeys(identifiers.functions))
        uris[SERVICE].update(dict.fromkeys(identifiers.services))
        themes.update(dict.fromkeys(identifiers.others))
        _report(field, identifiers)
    extras = {_KEYS[kind]: " ".join(members) for kind, members in uris.items()}
    return {"themes": tuple(themes), "extras": extras}


def _report(field: FieldTexts, identifiers: local_government_lists.Identifiers) -> None:
    for kind, uris in ((FUNCTION, identifiers.functions), (SERVICE, identifiers.services)):
        strange = [uri for uri in uris if not local_government_lists.label(uri)]
        strange += identifiers.others if kind == field.kind else ()
        if strange:
            code = "unknown-la-function" if kind == FUNCTION else "unknown-la-service"
            near = local_government_lists.nearest(strange[0], kind)
            example = f"{near} ({local_government_lists.label(near)})" if near else _EXAMPLES[kind]
            words = Message(
                "{strange} is not in the LGA's list of {kind}s; expected an identifier such as"
                " {example}",
                strange=_some(strange),
                kind=kind,
                example=example,
            )
            field.report(code, words)


def addresses(name: str, value: object, report: Report) -> dict[str, Any]:
    """Read ``schema``, ``codelist`` or ``mandate``: URLs, or titles of known ones.

    Other values of ``schema`` become ``conforms_to`` (text); those of the other fields are kept as
    given.
    """
    values = multivalue.addresses(value, _LISTS.get(name, ""))
    if name == "schema":
        urls = schemas(values.urls)
        others = (*(url for url in values.urls if url not in urls), *values.others)
        return {"schema_urls": urls, "extras": {"conforms_to": ", ".join(others)}}
    if values.others:
        report(
            "bad-url",
            Message(
                "{others} is not a web address; expected {expected}",
                others=_some(values.others),
                expected=_EXPECTED[name],
            ),
        )
    text = multivalue.as_text(values.urls)
    return {"extras": {name: text, PREFIX + name: multivalue.as_text(values.others)}}


_EXPECTED = {
    "codelist": "that of a code list, such as http://id.esd.org.uk/list/services",
    "mandate": "that of a law, such as https://www.legislation.gov.uk/ukpga/1972/70",
}


def unpublished(text: str, report: Report) -> dict[str, Any]:
    """Read whether a dataset's data is not yet available; keep a text that does not say so."""
    try:
        return {"extras": {"unpublished": multivalue.parse_flag(text)}}
    except ValueError as exc:
        report("unexpected-value", str(exc))
        return {"extras": {f"{PREFIX}unpublished": text}}


def schemas(urls: Iterable[str]) -> tuple[str, ...]:
    """Return the URLs of schemas among the standards that data conforms to.

    Reference systems, formats of metadata and definitions known only to their own site are left
    out.
    """
    standards = (url for url in filter(is_web_url, urls) if not _NO_SCHEMA.search(url))
    return tuple(dict.fromkeys(url for url in standards if not is_definition(url)))


def is_definition(url: str) -> bool:
    """Tell whether a URL is a site's own definition of a file, not a shared standard."""
    try:
        return _DEFINITION.search(urlsplit(url).path) is not None
    except ValueError:
        return False


def _some(values: Sequence[str]) -> str:
    """Return the first of some values for a message, and how many more there are."""
    more = f" (and {len(values) - 1:,} more)" if len(values) > 1 else ""
    return f"'{shorten(values[0], 80)}'{more}"
