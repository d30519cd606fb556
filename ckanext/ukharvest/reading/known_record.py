"""A record as earlier runs stored it, and what follows from that for the next import."""

from __future__ import annotations

from typing import NamedTuple

from ckanext.ukharvest.core.outcomes import RecordOutcome

# Outcomes of rows that adoption created and no import has confirmed yet.
UNCONFIRMED = (RecordOutcome.ADOPTED, RecordOutcome.ADOPTED_BY_GUID)


class KnownRecord(NamedTuple):
    """One record row, with the state of its dataset; it decides whether to import the record again.

    Attributes:
        package_state: "active", "deleted" …, "" if there is no dataset.
        has_current: a current harvest object of this source names the dataset.
        owner_org: the organisation that the last import gave the dataset to, "" if unknown.
        has_lost_same: it was skipped because of another dataset, and that one is gone.
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
    missed_runs: int
    removed: bool
    package_state: str
    has_current: bool
    owner_org: str = ""
    has_lost_same: bool = False

    @property
    def is_active(self) -> bool:
        """Tell whether there is an active dataset."""
        return self.package_state == "active"

    @property
    def can_go_missing(self) -> bool:
        """Tell whether the record's absence from the source may delete its dataset.

        Not so for datasets adopted by their guid alone, and those that a person kept.
        """
        return self.is_active and self.outcome not in (
            RecordOutcome.ADOPTED_BY_GUID,
            RecordOutcome.KEPT,
        )

    @property
    def is_newly_adopted(self) -> bool:
        """Tell whether no complete run has looked for it yet: the first one must not delete it."""
        return self.is_active and self.outcome == RecordOutcome.ADOPTED and not self.missed_runs

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
        return is_written and self.is_active and self.has_current

    @property
    def is_settled(self) -> bool:
        """Tell whether there is nothing to do unless the source changes the record."""
        if self.outcome == RecordOutcome.KEPT:
            return True
        return self.outcome != RecordOutcome.ERRORED and (self.is_sound or self.removed)
