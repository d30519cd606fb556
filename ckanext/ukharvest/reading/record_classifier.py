"""Classify the records that a source lists, for runs and previews: added, updated, unchanged …"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.outcomes import AdoptedBy, RecordOutcome
from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.core.values.text import StrEnum


class KnownRecord(NamedTuple):
    """One record row, with the state of its dataset; it decides whether to import the record again.

    Attributes:
        adopted: by what adoption found the dataset, as ``AdoptedBy``, until an import confirms it.
        kept: a person kept the dataset although the record was gone.
        package_state: "active", "deleted" …, "" if there is no dataset.
        has_current: a current harvest object of this source names the dataset.
        owner_org: the organisation that the last import gave the dataset to, "" if unknown.
        has_lost_same: it was skipped because its dataset is here already, and that one is gone, or
            goes over to this record now.
        fails_alike: its last import failed for its content. Fingerprint, import rules, URL and HTTP
            validators are those of that content: with them it would fail again.
        has_own_organisation: its values, not its source, decided its organisation.
    """

    id: int
    guid: str
    package_id: str | None
    fingerprint: str
    import_rules_hash: str
    url: str
    etag: str
    last_modified: str
    outcome: str
    adopted: str
    kept: bool
    missed_runs: int
    removed: bool
    package_state: str
    has_current: bool
    owner_org: str = ""
    has_lost_same: bool = False
    fails_alike: bool = False
    has_own_organisation: bool = False

    @property
    def is_active(self) -> bool:
        """Tell whether there is an active dataset."""
        return self.package_state == "active"

    @property
    def can_go_missing(self) -> bool:
        """Tell whether the record's absence from the source may delete its dataset.

        Not so for datasets adopted by their guid alone, and those that a person kept.
        """
        return self.is_active and self.adopted != AdoptedBy.GUID and not self.kept

    @property
    def is_newly_adopted(self) -> bool:
        """Tell whether no complete run has looked for it yet: the first one must not delete it."""
        return self.is_active and self.adopted == AdoptedBy.SOURCE and not self.missed_runs

    @property
    def is_skipped(self) -> bool:
        """Tell whether the options left the record out at the last import."""
        return self.outcome == RecordOutcome.SKIPPED

    @property
    def deleted_by_hand(self) -> bool:
        """Tell whether a person deleted the dataset; it stays deleted until a full run."""
        return self.package_state == "deleted" and not self.removed

    @property
    def is_sound(self) -> bool:
        """Tell whether the last import succeeded and its dataset is still there."""
        if self.has_lost_same:
            return False
        if self.is_skipped or self.deleted_by_hand:
            return True
        is_written = self.outcome in (RecordOutcome.ADDED, RecordOutcome.UPDATED)
        # Without a fingerprint it is to be imported again.
        return is_written and self.is_active and self.has_current and bool(self.fingerprint)

    @property
    def is_settled(self) -> bool:
        """Tell whether there is nothing to do unless the source changes the record."""
        if self.kept:
            return True
        if self.outcome == RecordOutcome.ERRORED:
            return self.fails_alike
        return self.is_sound or self.removed


# A unique index holds at most 2,704 bytes an entry; no real identifier comes near.
MAX_GUID = 2000


class RecordClass(StrEnum):
    """What a run does with a record."""

    LOST = "lost"  # failed: it cannot be read, or its guid cannot be stored
    DELETED = "deleted"  # the source itself marks it as deleted
    UNCHANGED = "unchanged"  # there is nothing to do
    UPDATED = "updated"  # it is imported into its existing dataset
    ADDED = "added"


class ImportRules(Protocol):
    """What besides its content decides a record's result, as ``Setting`` of source_config."""

    @property
    def import_rules_hash(self) -> str:
        """Return a short hash of the import rules."""

    def fingerprint(self, content: str) -> str:
        """Return a hash of the relevant content and the import rules."""

    def keeps_organisation(self, known: KnownRecord) -> bool:
        """Tell whether an import would give a record's dataset to the same organisation again."""


class Classified(NamedTuple):
    """A record and its class.

    Attributes:
        raw: with ``error`` if its class is LOST.
        known: the record as earlier runs stored it, None for a new one.
        old_guid: the older form of its guid under which an earlier harvester's dataset was found,
            "" if it was found under the guid itself, or not at all.
        is_same: its content is that of its last import; only the import rules changed since.
        fingerprint: of its content under the present import rules, if ``is_same``.
    """

    raw: RawRecord
    record_class: RecordClass
    known: KnownRecord | None = None
    old_guid: str = ""
    is_same: bool = False
    fingerprint: str = ""


@dataclass
class Listing:
    """What a source has listed so far; deletions are planned from it.

    Attributes:
        seen: guids, including those of failed records, without those marked as deleted.
        said_deleted: guids that the source marks as deleted.
        left_out: guids of known records that are no datasets; their deletion waits for a person.
        has_nameless: a record had no identifier, so it may be any known one.
    """

    seen: set[str] = field(default_factory=set)
    said_deleted: set[str] = field(default_factory=set)
    left_out: set[str] = field(default_factory=set)
    has_nameless: bool = False


@dataclass
class RecordClassifier:
    """Classifies the records of one read of one source.

    Args:
        known: guid → the record as earlier runs stored it; ``classify`` moves a record found under
            an older form of its guid to its present guid.
        rules: the source's present import rules; None for a source that is not saved.
        old_guids: older forms of a record's guid (``SourceType.old_guids``).
        force: import records even if they are unchanged.
        former_fingerprint: returns the fingerprint that a content had under the import rules of the
            last run; None if they are not known.
    """

    known: dict[str, KnownRecord] = field(default_factory=dict)
    rules: ImportRules | None = None
    old_guids: Callable[[RawRecord], Iterable[str]] = lambda _raw: ()
    force: bool = False
    listing: Listing = field(default_factory=Listing)
    former_fingerprint: Callable[[str], str] | None = None

    def __post_init__(self) -> None:
        self._adopted = {g for g, record in self.known.items() if record.adopted}

    def classify(self, raw: RawRecord) -> Classified:
        """Return a record with its class, and add it to ``listing``."""
        if error := raw.error or _guid_error(raw):
            self._see(raw.guid)
            return Classified(replace(raw, error=error), RecordClass.LOST)
        if raw.deleted:
            self.listing.said_deleted.add(raw.guid)
            return Classified(raw, RecordClass.DELETED)
        known, old_guid = self._find(raw)
        if raw.left_out and known and known.is_active:
            self.listing.left_out.add(raw.guid)
            skipped = known._replace(outcome=RecordOutcome.SKIPPED)
            return Classified(raw, RecordClass.UNCHANGED, skipped, old_guid)
        record_class = RecordClass.UPDATED if known and known.package_id else RecordClass.ADDED
        if known and not self.force and self.is_unchanged(raw, known):
            record_class = RecordClass.UNCHANGED
        # A skipped record does not count as seen, so that a dataset imported earlier goes missing.
        if not (record_class is RecordClass.UNCHANGED and known and known.is_skipped):
            self._see(raw.guid)
        is_same = record_class is RecordClass.UPDATED and self._is_same(raw, known)
        fingerprint = self.rules.fingerprint(raw.content or "") if is_same and self.rules else ""
        return Classified(raw, record_class, known, old_guid, is_same, fingerprint)

    def is_unchanged(self, raw: RawRecord, known: KnownRecord) -> bool:
        """Tell whether there is nothing to do for a record (decision 0009)."""
        if self.rules is None:
            return False
        if known.fails_alike:  # wherever its dataset would go
            if raw.url != known.url:
                return False
        elif not (known.is_sound and self.rules.keeps_organisation(known)):
            return False
        if raw.content is not None:
            return self.rules.fingerprint(raw.content) == known.fingerprint
        # Unread content has no fingerprint that would show other import rules.
        if known.import_rules_hash != self.rules.import_rules_hash:
            return False
        if raw.unchanged:
            return True
        # Only listed: fetch it unless the source gives exactly the same modification date.
        return bool(raw.modified) and raw.modified == known.last_modified

    def _is_same(self, raw: RawRecord, known: KnownRecord | None) -> bool:
        """Tell whether only the import rules changed since a record's last import."""
        if known is None or self.force or not known.is_sound or raw.content is None:
            return False
        if self.rules is None or known.import_rules_hash == self.rules.import_rules_hash:
            return False
        former = self.former_fingerprint
        return former is not None and former(raw.content) == known.fingerprint

    def _see(self, guid: str) -> None:
        if guid:
            self.listing.seen.add(guid)
        else:
            self.listing.has_nameless = True

    def _find(self, raw: RawRecord) -> tuple[KnownRecord | None, str]:
        """Return the known record, and the older guid under which it was found or ""."""
        known = self.known.get(raw.guid)
        if (known and known.package_id) or not self._adopted:
            return known, ""
        for old in self.old_guids(raw):
            if old in self._adopted and old != raw.guid:
                self._adopted.discard(old)
                self.known[raw.guid] = self.known.pop(old)._replace(guid=raw.guid)
                return self.known[raw.guid], old
        return known, ""


def _guid_error(raw: RawRecord) -> ParseError | None:
    """Return an error if the identifier is too long to be stored, else None."""
    if len(raw.guid) > MAX_GUID:
        return ParseError(
            Message(
                "{position}: the identifier has {count:,} characters; expected at most {most:,}",
                position=raw.position or raw.url,
                count=len(raw.guid),
                most=MAX_GUID,
            ),
            url=raw.url,
        )
    return None
