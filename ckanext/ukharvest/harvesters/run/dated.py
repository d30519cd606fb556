"""Whether a record's own date was changed together with the record.

data.gov.uk's harvester refused a record that differed under the same date. Here it is taken,
because else the portal goes on showing what its publisher does not say any more, and reported.
"""

from __future__ import annotations

from ckanext.ukharvest.core.errors import UkharvestError
from ckanext.ukharvest.core.fingerprint import fingerprint
from ckanext.ukharvest.core.records import DatasetRecord, Problem, RawRecord
from ckanext.ukharvest.harvesters.run.setting import Setting
from ckanext.ukharvest.model import versions

FIELD = "gmd:dateStamp"


def check(setting: Setting, raw: RawRecord, record: DatasetRecord) -> tuple[Problem, ...]:
    """Report a date that is not newer than that of the latest version with another content."""
    if not setting.kind.dated or not record.metadata_modified:
        return ()
    before = _date_before(setting, raw)
    if not before or not _is_as_old(record.metadata_modified, before):
        return ()
    message = (
        f"{FIELD}: the record has changed, but its date is {record.metadata_modified} and was"
        f" {before} before; expected the date of the change (or, if the identifier was copied"
        " from another record with the rest of it, an identifier of its own)"
    )
    return (Problem("date-not-changed", FIELD, message),)


def _date_before(setting: Setting, raw: RawRecord) -> str:
    """Return the date of the latest version that says something else, "" if there is none."""
    parser = setting.kind.parser
    now = fingerprint(raw.content or "", parser.FORM, ())
    for version in reversed(versions.versions_of(setting.id, raw.guid)):
        try:
            if fingerprint(version.content, parser.FORM, ()) == now:
                continue
            earlier = RawRecord(raw.guid, version.content, url=raw.url)
            return parser.parse(earlier, setting.options).metadata_modified
        except UkharvestError:  # kept by an earlier release of the parser
            return ""
    return ""


def _is_as_old(date: str, before: str) -> bool:
    """Compare as far as both are precise; publishers do not change their time zone in between."""
    length = min(len(date), len(before))
    return date == before or date[:length] < before[:length]
