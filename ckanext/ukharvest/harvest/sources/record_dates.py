"""Check whether a record's own date changed together with its content.

data.gov.uk's harvester refused a changed record with an unchanged date. We import it, because the
portal would otherwise show outdated content, and report a problem.
"""

from __future__ import annotations

from collections.abc import Iterable

from ckanext.ukharvest.core.errors import UkharvestError
from ckanext.ukharvest.core.fingerprint import fingerprint
from ckanext.ukharvest.core.records import DatasetRecord, Problem, RawRecord
from ckanext.ukharvest.harvest.sources.source_config import Setting

FIELD = "gmd:dateStamp"


def check_date(
    setting: Setting, raw: RawRecord, record: DatasetRecord, earlier: Iterable[str]
) -> tuple[Problem, ...]:
    """Return a problem if the date is not newer than that of the latest different version.

    Args:
        earlier: contents of the record's versions, the newest first.
    """
    if not record.metadata_modified:
        return ()
    before = _date_before(setting, raw, earlier)
    if not before or not _is_as_old(record.metadata_modified, before):
        return ()
    message = (
        f"{FIELD}: the record has changed, but its date is {record.metadata_modified} and was"
        f" {before} before; expected the date of the change (or, if the identifier was copied"
        " from another record with the rest of it, an identifier of its own)"
    )
    return (Problem("date-not-changed", FIELD, message),)


def _date_before(setting: Setting, raw: RawRecord, earlier: Iterable[str]) -> str:
    """Return the date of the latest version with different content, "" if there is none."""
    parser = setting.kind.parser
    for content in earlier:
        if content == raw.content:
            continue
        try:
            if fingerprint(content, parser.FORM, ()) == fingerprint(
                raw.content or "", parser.FORM, ()
            ):
                continue
            before = RawRecord(raw.guid, content, url=raw.url)
            return parser.parse(before, setting.options).metadata_modified
        except UkharvestError:  # saved by an earlier release of the parser
            return ""
    return ""


def _is_as_old(date: str, before: str) -> bool:
    """Compare at the lower precision; publishers do not change their time zone in between."""
    length = min(len(date), len(before))
    return date == before or date[:length] < before[:length]
