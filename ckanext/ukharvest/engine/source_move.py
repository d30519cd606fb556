"""Dry run of a move: read a source at its new URL, and compare it with the source's records."""

from __future__ import annotations

import math

from ckan import model
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config
from ckanext.ukharvest.core.base_urls import find_moves
from ckanext.ukharvest.core.records import Source
from ckanext.ukharvest.engine.http_client import open_client
from ckanext.ukharvest.engine.source_config import read_options
from ckanext.ukharvest.model import privileged_options, source_moves
from ckanext.ukharvest.model.record_state import known_records
from ckanext.ukharvest.reading.budget import Budget, Watched
from ckanext.ukharvest.reading.preview_result import PreviewResult
from ckanext.ukharvest.reading.record_classifier import RecordClassifier
from ckanext.ukharvest.reading.source_move import MovePreview
from ckanext.ukharvest.reading.source_preview import Tell
from ckanext.ukharvest.source_types import COMMON_OPTIONS, SourceType

UNLIMITED = Budget(records=0, seconds=math.inf, megabytes=0, request=120.0)


def dry_run_move(  # noqa: PLR0913
    source: HarvestSource, kind: SourceType, url: str, text: str, tell: Tell, budget: Budget
) -> PreviewResult:
    """Return what is at a source's new URL, with ``move``.

    Args:
        kind: the source's type there.
        text: its options there.
        tell: called with the progress.
        budget: how long it may take.

    Raises:
        ConfigError: the options cannot be used.
    """
    options = read_options(kind, text)
    privileged_options.check(kind, source.id, options)
    moves = find_moves(source.url, url)
    classifier = RecordClassifier(known_records(source.id), None, kind.old_guids)
    keys = source_moves.some_resource_keys(source.id)
    before = (source.url, source.type)
    declared = {each.name for each in (*kind.options, *COMMON_OPTIONS)}
    dropped = source_moves.option_names(source.config) - declared
    model.Session.commit()  # no transaction stays open while waiting for the source
    with open_client(options["credential"]) as http:
        watched = Watched(http, budget)
        own = config.own_site()
        read = Source(url, options, http, limits=config.record_limits(), own_site=own)
        result = MovePreview(kind, read, watched, classifier, tell, moves=moves, keys=keys).run()
    if move := result["move"]:
        move["from_url"], move["from_type"] = before
        move["config"], move["dropped"] = text, sorted(dropped)
    return result
