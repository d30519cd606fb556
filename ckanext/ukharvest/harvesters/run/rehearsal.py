"""What a run over a saved source would do, without doing any of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckan import model
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config
from ckanext.ukharvest.check.trial import Tell, Trial
from ckanext.ukharvest.check.watch import Budget, Watched
from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.harvesters.run import memory
from ckanext.ukharvest.harvesters.run.rules import is_unchanged
from ckanext.ukharvest.harvesters.run.setting import Setting, setting_of
from ckanext.ukharvest.model import adoption
from ckanext.ukharvest.model.known import ADOPTED, ADOPTED_BY_GUID, Known, known_records
from ckanext.ukharvest.types import SourceType

BUDGET = Budget(records=0, seconds=600.0, megabytes=0, request=120.0)


def rehearse(kind: SourceType, source: HarvestSource, tell: Tell) -> dict[str, Any]:
    """Read a source and compare it with what its last imports left; see ``UkHarvester.rehearse``.

    What the last run need not ask for again is not asked for here either, except "not modified"
    of the source as a whole, which would show nothing.
    """
    setting = setting_of(kind, source)
    known = known_records(source.id)
    taken = [] if known else adoption.find(source)  # a first run makes rows of these
    judge = _Judge(setting, known, {each.guid for each in taken})
    told = memory.Recalled(
        interface=memory.interface(setting), copies=memory.copies(setting, known.values())
    )
    model.Session.commit()  # no transaction stays open while the source is waited for
    with config.http_client(setting.options["credential"]) as http:
        door: Any = Watched(http, BUDGET)
        trial = Trial(kind, told.source(setting, door), door, judge, tell)
        result = trial.run()
    result["takes_over"] = len(taken)
    # A record without an identifier may be any of those that seem to be missing.
    if result["complete"] and "" not in trial.seen and not taken:
        missing = {guid for guid, row in known.items() if row.can_go_missing}
        result["changes"]["missing"] = len(missing - trial.seen - judge.found)
    return result


class _Judge:
    """Tells what a run would make of a record, as the intake of a run does.

    Attributes:
        found: guids, in an earlier harvester's form, of datasets that records were found for.
    """

    def __init__(self, setting: Setting, known: Mapping[str, Known], taken: set[str]) -> None:
        self.setting = setting
        self.known = known
        unconfirmed = (ADOPTED, ADOPTED_BY_GUID)
        self.adopted = taken | {g for g, each in known.items() if each.outcome in unconfirmed}
        self.found: set[str] = set()

    def __call__(self, raw: RawRecord) -> str:
        row = self.known.get(raw.guid)
        if row and is_unchanged(raw, row, self.setting):
            return "unchanged"
        if row and row.package_id:
            return "updated"
        if not self.adopted:
            return "added"
        forms = (raw.guid, *self.setting.kind.old_guids(raw))
        found = next((each for each in forms if each in self.adopted), "")
        if not found:
            return "added"
        self.found.add(found)
        return "updated"
