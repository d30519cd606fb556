"""Make raw records of a CSW response: whole, or only listed, to be fetched by identifier."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lxml import etree

from ckanext.ukharvest.core.errors import RecordError
from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.xml.parser import local_name
from ckanext.ukharvest.readers.csw.request import record_url
from ckanext.ukharvest.readers.csw.response import Answer, first_text
from ckanext.ukharvest.readers.xml_document.records import XmlShape

# Dublin Core, returned by catalogues that know no other schema.
_LISTED = ("Record", "SummaryRecord", "BriefRecord")


@dataclass(frozen=True)
class Cutter:
    """Makes raw records of elements.

    shape: how to read a whole record.
        shape: what a whole record is.
        base: the catalogue's URL; "" for a saved response, from which nothing can be fetched.
        url: URL of a saved response.
    """

    shape: XmlShape
    base: str = ""
    url: str = ""

    def records(self, answer: Answer, start: int = 1) -> list[RawRecord]:
        """Return all records of a response; ``start`` is the first one's catalogue position."""
        return [
            self._record(element, answer, f"{self.shape.singular} {position}")
            for position, element in enumerate(answer.records, start)
        ]

    def content(self, answer: Answer) -> str | None:
        """Return the first whole record's text, None if there is none."""
        found = (each for each in answer.records if self._is_whole(each))
        element = next(found, None)
        return None if element is None else self.shape.text(element, element)

    def _record(self, element: etree._Element, answer: Answer, position: str) -> RawRecord:
        if self._is_whole(element):
            raw = RawRecord(
                guid=self.shape.guid(element),
                # A saved response has no more than their brief records.
                content=self.shape.text(element, element)
                if answer.is_full or not self.base
                else None,
                modified=self.shape.modified(element, element),
                position=position,
            )
        elif local_name(element) in _LISTED:
            title = shorten(first_text(element, "title"))
            raw = RawRecord(
                guid=first_text(element, "identifier"),
                modified=first_text(element, "modified"),
                position=f"{position} '{title}'" if title else position,
            )
        else:
            return self._other(element, position)
        if raw.guid:
            url = record_url(self.base, raw.guid) if self.base else self.url
            return replace(raw, url=url)
        url = self.base or self.url
        return replace(raw, url=url, error=self.shape.nameless(raw.position, url))

    def _is_whole(self, element: etree._Element) -> bool:
        return local_name(element) in {path[-1] for path in self.shape.paths}

    def _other(self, element: etree._Element, position: str) -> RawRecord:
        url = self.base or self.url
        found = f"{position} is a {local_name(element)}, not {self.shape.kind}"
        message = f"{found}; the option types can leave such records out"
        error = RecordError(message, code="other-kind", url=url)
        return RawRecord("", url=url, position=position, error=error)
