"""Recognise that a source lists its records under new identifiers, before any is imported.

The matching new records of such a run wait, with the datasets that seem to be missing, until a
person decides (``model.changed_identifiers``).
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ckan import model
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest.core.base_urls import BaseMove
from ckanext.ukharvest.core.errors import UkharvestError
from ckanext.ukharvest.core.records import Ending
from ckanext.ukharvest.core.values.text import name_unseen
from ckanext.ukharvest.engine.gather.signs_of_life import show_life
from ckanext.ukharvest.engine.gather.state import GatherState
from ckanext.ukharvest.engine.import_stage import SourceImport
from ckanext.ukharvest.mapping.kept_fields import match_key
from ckanext.ukharvest.model import changed_identifiers, staged_objects
from ckanext.ukharvest.model.changed_identifiers import Change
from ckanext.ukharvest.model.service_faults import failing_service
from ckanext.ukharvest.reading import changed_identifiers as rules
from ckanext.ukharvest.reading.changed_identifiers import RecordFacts
from ckanext.ukharvest.reading.source_move import MOST_MOVES, infer_moves

log = logging.getLogger(__name__)
Session = model.Session

CHUNK = 100  # records whose contents are in memory at the same time


def find(state: GatherState, ending: Ending) -> None:
    """Set ``state.changed`` if a complete read lists its missing records under new identifiers.

    Costs nothing unless two or more records are missing for the first time. Where the listing has
    no content, the new records are fetched here; their import does not fetch them again.

    Raises:
        Stopped: a person asked to stop the run.
    """
    if not ending.complete or ending.changes_only or ending.unchanged:
        return
    if state.listing.has_nameless:  # it may be any of those that seem to be missing
        return
    missing = [
        known.id
        for guid, known in state.known.items()
        if known.can_go_missing and not known.missed_runs and guid not in state.listing.seen
    ]
    if not rules.enough(len(missing), len(missing)):
        return
    new = staged_objects.new_ones(state.job_id)
    if not rules.enough(len(new), len(missing)):
        return
    found = list(_read(state, new))
    pairs = rules.match(changed_identifiers.load_facts(missing), found)
    if rules.enough(len(pairs), len(missing)):
        guids = {pair.old.guid: pair.new.guid for pair in pairs}
        state.changed = Change(guids, _moves(pairs), missing=len(missing))


def _read(state: GatherState, ids: Sequence[str]) -> Iterator[RecordFacts]:
    """Yield the facts of staged records that can be read."""
    with SourceImport(state.kind, state.source) as source:
        for start in range(0, len(ids), CHUNK):
            chunk = ids[start : start + CHUNK]
            query = Session.query(HarvestObject).filter(HarvestObject.id.in_(chunk))
            objects, extras = query.all(), staged_objects.extras_of_all(chunk)
            source.ask_ahead({obj: extras[obj.id] for obj in objects})
            for obj in objects:
                show_life(state)
                facts = _facts(source, obj, extras[obj.id])
                if facts is not None:
                    yield facts
            Session.commit()


def _facts(
    source: SourceImport, obj: HarvestObject, extras: Mapping[str, str]
) -> RecordFacts | None:
    """Return the facts of a record; None if its import will fail or skip it."""
    guid = obj.guid
    try:
        record = source.parse(obj, source.fetch(obj, extras))
    except UkharvestError:
        return None
    except Exception as exc:
        if failing_service(exc):
            raise
        log.exception("Record %s could not be compared", name_unseen(guid))
        return None
    urls = tuple(each.url for each in record.resources)
    return RecordFacts(guid, record.title, urls, tuple(map(match_key, record.resources)))


def _moves(pairs: Iterable[rules.Pair]) -> list[BaseMove]:
    """Return how the URLs of resources changed, those that match most first."""
    found: Counter[BaseMove] = Counter()
    for pair in pairs:
        found.update(infer_moves(pair.old.keys, pair.new.keys))
    return [move for move, _number in found.most_common(MOST_MOVES)]


def hold_back(state: GatherState, guids: Collection[str]) -> int:
    """Remove staged objects of records that wait for a decision; return their number; no commit."""
    if not guids or not state.ids:
        return 0
    removed = staged_objects.discard_guids(state.job_id, guids)
    state.ids[:] = [id_ for id_ in state.ids if id_ not in removed]
    return len(removed)
