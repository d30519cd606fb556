"""The class ``SourceType``, and the options that all source types have."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any

from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.record_limits import RecordLimits
from ckanext.ukharvest.core.records import DatasetRecord, Parser, RawRecord, Reader
from ckanext.ukharvest.parsers import record_checks
from ckanext.ukharvest.parsers.record_checks import FieldNames
from ckanext.ukharvest.parsers.record_limits import limit_record

_LIMITS = RecordLimits()


def _no_old_guids(_raw: RawRecord) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class SourceType:
    """One kind of source: its reader, parser and options.

    Attributes:
        name: stored with each source in CKAN; never changes.
        title, description: texts of the form and the documentation.
        options: options of this type, in addition to COMMON_OPTIONS.
        aliases: names that other harvesters use for the same type.
        old_guids: returns other forms of a record's guid that earlier harvesters stored, most
            likely first; used when a source is adopted. Never raises.
        volatile: matches parts of a record's content to ignore; a record that differs only in them
            is unchanged.
        dated: records have a date that publishers must change with the content; a problem is
            reported if they do not.
        reference_is_address: each record is a document with its own URL:
            the dataset's ``harvest_source_reference`` is that URL, not the guid, and the reader
            gets the documents read before (``Source.copies``), to skip unchanged ones.
        field_names: the format's own names of the fields that ``parse`` checks.
    """

    name: str
    title: str
    description: str
    reader: Reader
    parser: Parser
    options: tuple[Option, ...] = ()
    aliases: tuple[str, ...] = ()
    old_guids: Callable[[RawRecord], tuple[str, ...]] = _no_old_guids
    volatile: re.Pattern[str] | None = None
    dated: bool = False
    reference_is_address: bool = False
    field_names: FieldNames = FieldNames()

    @property
    def plugin(self) -> str:
        """Return the name of the CKAN plugin that harvests sources of this type."""
        return f"ukharvest_{self.name.replace('-', '_')}"

    def parse(
        self, raw: RawRecord, options: Mapping[str, Any], limits: RecordLimits = _LIMITS
    ) -> DatasetRecord:
        """Return the parsed record within the limits, with the problems checked for every format.

        Raises:
            ParseError, NotValid, SkipRecord: as the parser.
        """
        names = self.field_names
        record = limit_record(
            self.parser.parse(raw, options),
            limits,
            resources=names.resources,
            tags=names.tags,
            spatial=names.spatial,
        )
        today = datetime.now(timezone.utc).date()
        found = record_checks.check(record, names, today)
        return replace(record, problems=(*record.problems, *found))


# Options of all source types; used by engine and mapping.
COMMON_OPTIONS = (
    Option(
        "credential",
        "text",
        "",
        "Name of a secret in the portal's ini, which is sent to the source's own server.",
    ),
    Option("default_tags", "list", (), "Tags that every dataset of this source gets."),
    Option(
        "default_extras",
        "list",
        (),
        'Extras that datasets get if they have none of that name, as "name=value".',
    ),
    Option(
        "not_overwrite",
        "list",
        (),
        "Fields of a dataset that the source does not change once they are filled.",
    ),
    Option(
        "default_groups",
        "list",
        (),
        "Groups, by name, that every dataset of this source is put into.",
        sysadmin_only=True,
    ),
)
