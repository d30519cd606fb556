"""Dry runs: find what a run of a saved source would do, or what is at another URL of it.

They write nothing: what a run would do with a record, portal's form included, is tried and rolled
back.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from ckan import model
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config
from ckanext.ukharvest.core.base_urls import find_moves
from ckanext.ukharvest.core.records import Source
from ckanext.ukharvest.harvest.background import Interruption
from ckanext.ukharvest.harvest.gather.trial import open_trial
from ckanext.ukharvest.harvest.http_client import open_client
from ckanext.ukharvest.harvest.records.record_rows import known_records
from ckanext.ukharvest.harvest.sources import (
    dataset_adoption,
    source_config,
    source_moves,
    value_tables,
)
from ckanext.ukharvest.harvest.sources.source_config import read_options, setting_of
from ckanext.ukharvest.reading.budget import Budget, Watched
from ckanext.ukharvest.reading.preview_result import PreviewResult
from ckanext.ukharvest.reading.record_classifier import RecordClassifier
from ckanext.ukharvest.reading.source_move import MovePreview
from ckanext.ukharvest.reading.source_preview import SourcePreview, Tell
from ckanext.ukharvest.source_types.source_type import PACKAGE_SCHEMA, STOCK, SourceType

BUDGET = Budget(records=0, seconds=600.0, megabytes=0, request=120.0)
UNLIMITED = Budget(records=0, seconds=math.inf, megabytes=0, request=120.0)


def dry_run_source(
    kind: SourceType,
    source: HarvestSource,
    tell: Tell,
    text: str | None = None,
    budget: Budget = BUDGET,
) -> PreviewResult:
    """Read a source and compare it with its last import; see ``UkHarvester.dry_run``.

    Args:
        text: the options that it will have once it is adopted; None for those that it has.
        budget: how many records are read, and how long it may take.

    Uses the saved sync state like a run, except for the validators of the source as a whole:
    "not modified" would leave nothing to show.
    """
    setting = setting_of(kind, source, text)
    # What failed at its last import is read, so that its error is shown.
    known = {
        guid: record._replace(fails_alike=False)
        for guid, record in known_records(source.id).items()
    }
    outdated = value_tables.find_outdated(source.id, setting.options)
    known |= {
        guid: record._replace(fingerprint="", import_rules_hash="")
        for guid, record in known.items()
        if record.id in outdated
    }
    # Datasets for which a first run creates record rows.
    to_adopt = (
        {
            dataset.guid: dataset.as_known_record()
            for dataset in dataset_adoption.find_adoptable(source)
        }
        if dataset_adoption.does_run_adopt(source.id, known)
        else {}
    )
    if to_adopt and source_config.keeps_stock_schema(kind, setting.options):
        setting = replace(setting, options={**setting.options, PACKAGE_SCHEMA: STOCK})
    classifier = RecordClassifier({**known, **to_adopt}, setting, setting.old_guids)
    saved_state = source_config.SyncState(
        interface=source_config.load_interface(setting),
        copies=source_config.find_copies(setting, known.values()),
    )
    adoptable = {guid: known.package_id for guid, known in to_adopt.items()}
    found: set[str | None] = set()
    model.Session.commit()  # no transaction stays open while waiting for the source
    with (
        open_client(setting.options["credential"]) as http,
        open_trial(kind, source, setting, adoptable, found) as trial,
    ):
        watched: Any = Watched(http, budget)
        preview = SourcePreview(
            kind, saved_state.source(setting, watched), watched, classifier, tell, trial=trial
        )
        result = preview.run()
    result["datasets"] = len(known)
    result["takes_over"] = len(to_adopt)
    listing = classifier.listing
    # A record without an identifier may be any record that seems to be missing.
    if result["complete"] and not listing.has_nameless and not to_adopt:
        result["changes"]["missing"] = sum(
            record.can_go_missing and guid not in listing.seen
            for guid, record in classifier.known.items()
        )
    if adoptable:
        missing = None
        is_whole = result["complete"] and result["read"] == result["count"]
        if is_whole and not listing.has_nameless:
            rest = {id_ for guid, id_ in adoptable.items() if guid not in listing.seen}
            missing = len(rest - found)
        result["adopted"] = preview.dataset_changes.result(missing)
    return result


def dry_run_move(  # noqa: PLR0913
    source: HarvestSource,
    kind: SourceType,
    url: str,
    text: str,
    tell: Tell,
    budget: Budget,
    interruption: Interruption,
) -> PreviewResult:
    """Return what is at a source's new URL, with ``move``.

    Args:
        kind: the source's type there.
        text: its options there.
        tell: called with the progress.
        budget: how long it may take.
        interruption: ends it.

    Raises:
        ConfigError: the options cannot be used.
        Aborted: it was interrupted.
    """
    options = read_options(kind, text)
    source_config.check_privileged_options(kind, source.id, options)
    moves = find_moves(source.url, url)
    classifier = RecordClassifier(known_records(source.id), None, kind.old_guids)
    keys = source_moves.some_resource_keys(source.id)
    declared = {option.name for option in kind.for_options(options).all_options}
    dropped = source_moves.stored_option_names(source.config) - declared
    model.Session.commit()  # no transaction stays open while waiting for the source
    with open_client(options["credential"]) as http:
        interruption.then(http.abort)
        watched = Watched(http, budget)
        read = Source(url, options, http, limits=config.record_limits(), own_site=config.own_site())
        result = MovePreview(kind, read, watched, classifier, tell, moves=moves, keys=keys).run()
    if move := result["move"]:
        move["config"], move["dropped"] = text, sorted(dropped)
    return result
