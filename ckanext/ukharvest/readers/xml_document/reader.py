"""Sources that are one XML document with many records in it, cut element by element."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, replace

from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Ending, RawRecord, Source
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.readers.xml_document.records import ACCEPT, XmlRecords, XmlShape

VALIDATION = Option(
    "validation",
    "text",
    "strict",
    "strict: a document that does not follow the schema, or has a date, licence address or type "
    "that is none, is refused. lenient: its readable datasets are harvested and the faults are "
    "reported.",
    choices={
        "strict": _("Refuse the whole document"),
        "lenient": _("Import what can be read and show the problems"),
    },
    label=_("Records that do not follow the standard"),
    form_help=_("What happens to a record or document with faults."),
)


@dataclass(frozen=True)
class XmlDocument:
    """Reads an XML document and cuts it into records."""

    shape: XmlShape

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield every record; complete if there is one, since the document was read to its end.

        Raises:
            SourceError: no answer, not XML, another document, or one that breaks its schema while
                the option ``validation`` is strict.
        """
        old = source.validators.get(source.url)
        with closing(source.http.get(source.url, accept=ACCEPT, validators=old)) as reply:
            if reply.not_modified:
                kept = {source.url: old} if old else {}
                return Ending(complete=True, unchanged=True, validators=kept)
            strict = source.options.get("validation", "strict") == "strict"
            document, outline = XmlRecords.checked(
                self.shape, reply.body, source.url, strict=strict
            )
            yield from document.cut(outline)
            ending = Ending(
                complete=True, problems=outline.problems, validators={source.url: reply.validators}
            )
        if not outline.count:
            plural = self.shape.singular + "s"
            reason = f"{source.url} has no {plural}; the list is empty, so nothing was deleted"
            return replace(ending, complete=False, reason=reason, validators={})
        if rest := self.shape.rest(outline.head, outline.count):
            total = outline.count + rest
            reason = f"{source.url} holds {outline.count:,} of {total:,} {self.shape.singular}s"
            return replace(ending, complete=False, reason=reason, validators={})
        if self.shape.alone and outline.name == self.shape.paths[0][-1]:
            reason = f"{source.url} {self.shape.alone}"
            return replace(ending, complete=False, reason=reason, validators={})
        return ending

    def fetch(self, source: Source, raw: RawRecord) -> RawRecord:
        """Return the record unchanged: the document had all of it."""
        return raw
