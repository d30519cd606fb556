"""Dry run: find what a run of a saved source would do, without writing anything."""

from __future__ import annotations

from typing import Any

from ckan import model
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest.engine import sync_state
from ckanext.ukharvest.engine.http_client import open_client
from ckanext.ukharvest.engine.source_config import setting_of
from ckanext.ukharvest.model import adoption
from ckanext.ukharvest.model.record_state import known_records
from ckanext.ukharvest.reading.budget import Budget, Watched
from ckanext.ukharvest.reading.preview_result import PreviewResult
from ckanext.ukharvest.reading.record_classifier import RecordClassifier
from ckanext.ukharvest.reading.source_preview import SourcePreview, Tell
from ckanext.ukharvest.source_types import SourceType

BUDGET = Budget(records=0, seconds=600.0, megabytes=0, request=120.0)


def dry_run(kind: SourceType, source: HarvestSource, tell: Tell) -> PreviewResult:
    """Read a source and compare it with its last import; see ``UkHarvester.dry_run``.

    Uses the saved sync state like a run, except for the validators of the source as a whole:
    "not modified" would leave nothing to show.
    """
    setting = setting_of(kind, source)
    known = known_records(source.id)
    is_due = not known or adoption.is_due(source.id)
    # Datasets for which a first run creates record rows.
    to_adopt = (
        {each.guid: each.as_known_record() for each in adoption.find(source)} if is_due else {}
    )
    classifier = RecordClassifier({**known, **to_adopt}, setting, kind.old_guids)
    saved_state = sync_state.SyncState(
        interface=sync_state.load_interface(setting),
        copies=sync_state.find_copies(setting, known.values()),
    )
    model.Session.commit()  # no transaction stays open while waiting for the source
    with open_client(setting.options["credential"]) as http:
        watched: Any = Watched(http, BUDGET)
        result = SourcePreview(
            kind, saved_state.source(setting, watched), watched, classifier, tell
        ).run()
    result["datasets"] = len(known)
    result["takes_over"] = len(to_adopt)
    listing = classifier.listing
    # A record without an identifier may be any record that seems to be missing.
    if result["complete"] and not listing.has_nameless and not to_adopt:
        result["changes"]["missing"] = sum(
            each.can_go_missing and guid not in listing.seen
            for guid, each in classifier.known.items()
        )
    return result
