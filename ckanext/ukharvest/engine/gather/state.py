"""The state of a gather while it runs: known records, batch and counts."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial

from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestSource

from ckanext.ukharvest.engine import sync_state
from ckanext.ukharvest.engine.source_config import Setting
from ckanext.ukharvest.model import JobReport, staged_objects
from ckanext.ukharvest.model.changed_identifiers import Change
from ckanext.ukharvest.model.record_state import known_records, mark_seen
from ckanext.ukharvest.reading.record_classifier import (
    Classified,
    KnownRecord,
    Listing,
    RecordClassifier,
)
from ckanext.ukharvest.source_types import SourceType


@dataclass
class GatherState:
    """The state of one gather of one job; each call creates its own.

    Attributes:
        only_guid: guid of the one record to import, "" for all.
        force: import records even if they are unchanged.
        known: guid → the record as earlier runs stored it.
        listing: what the source has listed so far.
        taken_before: guids that a killed gather of this job handled before its last resume point.
        since: read only changes since this date; "": everything.
        changed: records that the source lists under new identifiers; None: none were found.
        to_compare: records of which only the import rules changed (new_rules.py).
        batch: objects to stage with the next commit.
        ids: of the harvest objects to import.
        unchanged: ids of record rows that need no import.
        marked: number of them that are already marked as seen.
        taken: number of records since the last commit.
        counts: the run's figures, stored with its report.
        last_heartbeat: ``time.monotonic`` when the last heartbeat was saved.
        gathers_lost: number of gathers that the run lost before this one; None: not begun.
    """

    kind: SourceType
    job: HarvestJob
    only_guid: str = ""
    force: bool = False
    known: dict[str, KnownRecord] = field(default_factory=dict)
    listing: Listing = field(default_factory=Listing)
    taken_before: frozenset[str] = frozenset()
    since: str = ""
    changed: Change | None = None
    to_compare: list[Classified] = field(default_factory=list)
    batch: list[staged_objects.Staged] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    unchanged: list[int] = field(default_factory=list)
    marked: int = 0
    taken: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    last_heartbeat: float = field(default_factory=time.monotonic)
    gathers_lost: int | None = None

    def __post_init__(self) -> None:
        self.job_id: str = self.job.id
        self.source: HarvestSource = self.job.source
        self.force = self.force or bool(getattr(self.job, "force_import", False))

    def look_up(self) -> None:
        """Load the known records of the source."""
        self.known = known_records(self.source.id)

    def classifier(self, setting: Setting) -> RecordClassifier:
        """Return the classifier that decides for each record whether to import it."""
        rules = sync_state.load_former_rules(setting)
        return RecordClassifier(
            self.known,
            setting,
            self.kind.old_guids,
            force=self.force,
            listing=self.listing,
            former_fingerprint=partial(setting.fingerprint, rules=rules) if rules else None,
        )

    def report(self) -> JobReport:
        """Return the run's report row."""
        return model.Session.query(JobReport).filter_by(job_id=self.job_id).one()

    def mark_unchanged(self) -> None:
        """Mark the unchanged rows as seen; no commit."""
        mark_seen(self.unchanged[self.marked :], self.job_id)
        self.marked = len(self.unchanged)
