"""What a gather asks of one record."""

from __future__ import annotations

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.harvesters.run.setting import Setting
from ckanext.ukharvest.model.known import Known

# A unique index holds at most 2,704 bytes an entry; no real identifier comes near.
MAX_GUID = 2000


def sentences(*reasons: str) -> str:
    """Join the reasons of a run that there are."""
    return "; ".join(filter(None, reasons))


def guid_error(raw: RawRecord) -> ParseError | None:
    """Return the error of an identifier that cannot be stored, if it is one."""
    if len(raw.guid) > MAX_GUID:
        return ParseError(
            f"{raw.position or raw.url}: the identifier has {len(raw.guid):,} characters; "
            f"expected at most {MAX_GUID:,}",
            url=raw.url,
        )
    return None


def is_unchanged(raw: RawRecord, known: Known, setting: Setting) -> bool:
    """Tell whether there is nothing to do for a record (DESIGN 3.3)."""
    if not known.is_sound:
        return False
    if raw.content is not None:
        return setting.fingerprint(raw.content) == known.fingerprint
    # What was not read has no fingerprint to tell that it was imported under other rules.
    if known.salt != setting.salt_digest:
        return False
    if raw.unchanged:
        return True
    # Only listed: the source's own stamp decides whether it is fetched, by equality alone.
    return bool(raw.modified) and raw.modified == known.last_modified
