"""Requests to an OAI-PMH 2.0 repository, and the metadata format to ask for.

Specification: www.openarchives.org/OAI/openarchivesprotocol.html (version 2.0 of 2015-01-08),
sections 2.7 (sets, dates), 3.1 (requests) and 4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ckanext.ukharvest.core.http.urls import with_query, without_parameters

DAY = "YYYY-MM-DD"
OAI_DC = "oai_dc"  # every repository has to offer it

# Arguments that requests set themselves; others in a source's URL belong to the server, such as
# pycsw's mode=oaipmh.
_OURS = re.compile(r"verb|metadataPrefix|from|until|set|resumptionToken|identifier", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?", re.ASCII)

# From the format that says most about a dataset to the one that says least: what is looked for in
# its prefix and namespace. "datacite" is none of them.
_FORMATS = (
    re.compile(r"dcat"),
    re.compile(r"iso_?191(?:39|15)|isotc211|gmd\b"),
    re.compile(r"oai_dc"),
    re.compile(r"csw-record|cat/csw/2\.0|\bq?dc\b|purl\.org/dc/"),
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The requested records.

    Attributes:
        prefix: metadata format.
        from_, until: first and last date of change, as the server wants them; "" for none.
        set: name of a set (setSpec), "" for all records.
    """

    prefix: str
    from_: str = ""
    until: str = ""
    set: str = ""

    def query(self, token: str = "", *, with_all: bool = False) -> dict[str, str | int]:
        """Return the arguments of ListRecords.

        A resumptionToken excludes all others (section 3.5); ``with_all`` sends them with it.
        """
        query: dict[str, str | int] = {"verb": "ListRecords"}
        if not token or with_all:
            selection = {"from": self.from_, "until": self.until, "set": self.set}
            query["metadataPrefix"] = self.prefix
            query |= {name: value for name, value in selection.items() if value}
        if token:
            query["resumptionToken"] = token
        return query


def best_format(formats: Iterable[tuple[str, str]]) -> str:
    """Return the prefix of the format, as prefix and namespace, that says most about datasets.

    It is oai_dc if none of them can be read, since every repository has to offer that.
    """
    best, best_rank = OAI_DC, len(_FORMATS)
    for prefix, namespace in formats:
        text = f"{prefix} {namespace}".lower()
        ranks = (rank for rank, pattern in enumerate(_FORMATS) if pattern.search(text))
        if (rank := next(ranks, best_rank)) < best_rank:
            best, best_rank = prefix, rank
    return best


def endpoint(url: str) -> str:
    """Return the URL for requests, without the arguments of a pasted request."""
    return without_parameters(url, _OURS)


def record_url(base: str, identifier: str, prefix: str) -> str:
    """Return the URL of one record, which people can open as well."""
    query = {"verb": "GetRecord", "identifier": identifier, "metadataPrefix": prefix}
    return with_query(base, query)


def check_date(value: str) -> str:
    """Return what is wrong with the option from or until, "" if nothing."""
    return "" if _DATE.fullmatch(value) else "expected 2026-05-01 or 2026-05-01T10:00:00Z"


def as_granularity(value: str, granularity: str, *, is_end: bool = False) -> str:
    """Return a date at the server's granularity: a day, or a second in UTC.

    Args:
        value: a day or a second, "" for none.
        granularity: as Identify says it.
        is_end: a day then means its last second.
    """
    if not value or granularity == DAY:
        return value[:10]
    return value if "T" in value else value + ("T23:59:59Z" if is_end else "T00:00:00Z")


def sets_of(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the sets to read one after another; ("",) reads all records."""
    return tuple(dict.fromkeys(options.get("sets", ()))) or ("",)
