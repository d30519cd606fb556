"""OAI-PMH 2.0 repositories, or one saved response of a repository."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass

from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Ending, Problem, RawRecord, Source
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.readers.date_range import date_range
from ckanext.ukharvest.readers.empty_lists import describe_empty_list
from ckanext.ukharvest.readers.oaipmh import response as responses
from ckanext.ukharvest.readers.oaipmh.records import Cutter
from ckanext.ukharvest.readers.oaipmh.request import check_date
from ckanext.ukharvest.readers.oaipmh.response import Facts, Refused
from ckanext.ukharvest.readers.oaipmh.walk import Walk
from ckanext.ukharvest.readers.xml_document.records import ACCEPT

OPTIONS = (
    Option(
        "metadata_prefix",
        "text",
        "",
        "Metadata format to request, by the server's name for it, such as dcat_ap, iso19139 or "
        "oai_dc. Empty takes the one that says most: DCAT, else ISO 19139, else Dublin Core.",
        label=_("Metadata format"),
    ),
    Option(
        "sets",
        "list",
        (),
        "Sets that are harvested, by their setSpec. Empty takes all records.",
        alias="set",
        label=_("Sets"),
    ),
    *date_range(check_date),
    Option(
        "full_check_days",
        "integer",
        0,
        "Days after which a run reads all records; runs in between read only changes, if the "
        "server keeps a record of every deletion. 0 reads all each time.",
        label=_("Days between full runs"),
    ),
)


@dataclass(frozen=True)
class OaiPmh:
    """Reads a repository with ListRecords; a record's identity is that of its header."""

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield the records that the options select; see ``Ending`` for what is proven.

        Raises:
            SourceError: no answer, not OAI-PMH, or a list that ends too early.
        """
        if "://" not in source.url:
            return (yield from self._saved(source))
        return (yield from Walk(source).records())

    def fetch(self, source: Source, raw: RawRecord) -> RawRecord:
        """Return the record unchanged: the list had all of it."""
        return raw

    def _saved(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield the records of one saved response."""
        cutter = Cutter(source.http, url=source.url)
        count = 0
        problems: list[Problem] = []
        with closing(source.http.get(source.url, accept=ACCEPT)) as reply:
            elements = responses.read(reply, problems)
            while True:
                try:
                    element = next(elements)
                except StopIteration as stop:
                    facts: Facts = stop.value
                    break
                except Refused as exc:
                    if "noRecordsMatch" not in exc.codes:
                        raise
                    facts = Facts()
                    break
                count += 1
                yield cutter.record(element, f"record {count}")
        reason = _doubt(facts, count, source.url)
        return Ending(complete=not reason, reason=reason, problems=tuple(problems))


def _doubt(facts: Facts, count: int, url: str) -> str:
    """Return why a saved response may not hold all records, "" if it does."""
    if not facts.is_list:
        return f"{url} is an answer of GetRecord, which does not name other records"
    if not count:
        return describe_empty_list(url, total=facts.total)
    if not facts.token and facts.total in (-1, count):
        return ""
    of = "an unknown number of" if facts.total < 0 else f"{facts.total:,}"
    more = f"; the next page has the resumptionToken {facts.token}" if facts.token else ""
    return f"{url} holds {count:,} of {of} {'record' if facts.total == 1 else 'records'}{more}"
