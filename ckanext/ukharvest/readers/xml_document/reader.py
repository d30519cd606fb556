"""Sources that are one XML document with many records in it, cut element by element."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, replace

from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Ending, RawRecord, Reader, Source
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.readers.endings import saved_ending, unchanged
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
class XmlDocument(Reader):
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
                return unchanged(source)
            strict = source.options.get("validation", "strict") == "strict"
            document, outline = XmlRecords.checked(self.shape, reply, source.url, strict=strict)
            yield from document.cut(outline)
        total = outline.count + self.shape.rest(outline.head, outline.count)
        ending = saved_ending(
            source.url, self.shape.singular, outline.count, total, problems=outline.problems
        )
        if ending.complete and self.shape.alone and outline.name == self.shape.paths[0][-1]:
            return replace(ending, complete=False, reason=f"{source.url} {self.shape.alone}")
        if ending.complete:
            return replace(ending, validators={source.url: reply.validators})
        return ending
