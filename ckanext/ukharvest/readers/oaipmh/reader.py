"""OAI-PMH 2.0 repositories, or one saved response of a repository."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass

from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Ending, Problem, RawRecord, Reader, Source
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.readers.date_range import date_range
from ckanext.ukharvest.readers.endings import saved_ending
from ckanext.ukharvest.readers.oaipmh import response as responses
from ckanext.ukharvest.readers.oaipmh.records import Cutter
from ckanext.ukharvest.readers.oaipmh.repository import Repository
from ckanext.ukharvest.readers.oaipmh.request import check_date
from ckanext.ukharvest.readers.oaipmh.response import ElementReading, Refused
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
class OaiPmh(Reader):
    """Reads a repository with ListRecords; a record's identity is that of its header."""

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield the records that the options select; see ``Ending`` for what is proven.

        Raises:
            SourceError: no answer, not OAI-PMH, or a list that ends too early.
        """
        if "://" not in source.url:
            return (yield from self._saved(source))
        return (yield from Repository(source).records())

    def _saved(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield the records of one saved response."""
        cutter = Cutter(source.http, url=source.url)
        count = 0
        problems: list[Problem] = []
        with closing(source.http.get(source.url, accept=ACCEPT)) as reply:
            elements = ElementReading(responses.read(reply, problems))
            try:
                for element in elements:
                    count += 1
                    yield cutter.record(element, f"record {count}")
            except Refused as exc:
                if "noRecordsMatch" not in exc.codes:
                    raise
        facts, url = elements.facts, source.url
        if not facts.is_list:
            reason = f"{url} is an answer of GetRecord, which does not name other records"
            return Ending(complete=False, reason=reason, problems=tuple(problems))
        more = f"the next page has the resumptionToken {facts.token}" if facts.token else ""
        return saved_ending(url, "record", count, facts.total, more=more, problems=problems)
