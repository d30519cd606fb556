"""Adoption of a harvest source: translate its type and options to ours, or undo that.

Only commands and the API adopt: the texts are English, like all that commands print.
The type and options that another harvester stored are kept in ``SourceState.adopted_from``.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config, source_types, stock_options
from ckanext.ukharvest.adoption import restore
from ckanext.ukharvest.core.options import comparable_config, parse_options
from ckanext.ukharvest.harvest.database import any_text, ensure_source_state, execute
from ckanext.ukharvest.harvest.model import DatasetBefore, Record, SourceState, utcnow
from ckanext.ukharvest.harvest.records import pending
from ckanext.ukharvest.harvest.sources import dataset_adoption, decision_log, source_config
from ckanext.ukharvest.lib.lookups import find_unended_run
from ckanext.ukharvest.lib.schema import invalid
from ckanext.ukharvest.source_types.source_type import BESIDE, OWN_TYPE, PACKAGE_SCHEMA, STOCK
from ckanext.ukharvest.sources import rules as source_rules

Session = model.Session

TYPE, CONFIG = "source_type", "config"  # extras of the source's package
NON_PUBLIC = "include_non_public"
VISIBILITY, PRIVATE = "visibility", "private"
_OWN_PRIVATE = "all datasets that its harvester made are private"
_OWN_RECORDS = "its harvester imported records that are not public too"
_OWN_VALIDATION = "its harvester did not use the validators of this portal's form"


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes that adopting a source, or undoing that, makes.

    Attributes:
        old_type, old_config: as stored now.
        new_type, new_config: as stored afterwards.
        options: the change of each stored option.
        refusal: why it cannot be done now, "" if it can.
    """

    old_type: str
    old_config: str | None
    new_type: str
    new_config: str | None
    options: tuple[stock_options.OptionTranslation, ...] = ()
    refusal: str = ""

    @property
    def is_change(self) -> bool:
        """Whether the type or the options change."""
        new, old = (comparable_config(c) for c in (self.new_config, self.old_config))
        return self.new_type != self.old_type or new != old


def sources_to_adopt(*, with_unchanged: bool = False) -> list[HarvestSource]:
    """Return the active sources whose type or options are those of another harvester.

    Options are considered until a run of ours has read the whole source.

    Args:
        with_unchanged: also those of which only the datasets are another harvester's.
    """
    query = (
        Session.query(HarvestSource)
        .join(model.Package, model.Package.id == HarvestSource.id)
        .filter(HarvestSource.active.is_(True), HarvestSource.type.in_(_readable_types()))
        .order_by(model.Package.name)
    )
    return [
        source
        for source in query
        if source.type not in config.our_type_names()
        or (
            dataset_adoption.is_adoption_due(source.id)
            and (
                plan(source).is_change
                or (with_unchanged and dataset_adoption.find_adoptable(source))
            )
        )
    ]


def _readable_types() -> set[str]:
    """Return the names of types that one of ours that is on can read, under any name."""
    ours = config.our_type_names()
    on = {kind.name for kind in source_types.TYPES.values() if config.type_name(kind) in ours}
    return {*ours, *on, *source_types.aliases()}


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A source that cannot be adopted as it is.

    Attributes:
        reason: one sentence, with what to do.
        is_harvested: a plugin of another harvester harvests it.
    """

    name: str
    reason: str
    is_harvested: bool


def sources_left_out() -> list[LeftOut]:
    """Return the active sources that no source type of ours that is on can read."""
    query = (
        Session.query(HarvestSource.type, model.Package.name)
        .join(model.Package, model.Package.id == HarvestSource.id)
        .filter(
            HarvestSource.active.is_(True),
            HarvestSource.type.notin_(_readable_types()),
        )
        .order_by(model.Package.name)
    )
    return [_left_out(name, type_name) for type_name, name in query]


def _left_out(name: str, type_name: str) -> LeftOut:
    is_harvested = source_rules.is_harvested(type_name)
    if is_harvested:
        reason = f"another harvester's plugin harvests its type “{type_name}”"
    elif kind := source_types.find(type_name):
        reason = _plugin_is_off(kind)
    else:
        reason = _no_reader(name, type_name)
    return LeftOut(name, reason, is_harvested)


def _plugin_is_off(kind: source_types.SourceType) -> str:
    return f"the plugin of the type “{kind.name}” is off: add {kind.plugin} to ckan.plugins"


def _no_reader(name: str, type_name: str) -> str:
    names = ", ".join(sorted({*source_types.TYPES, *source_types.aliases()}))
    return (
        f"no source type of ckanext-ukharvest is called “{type_name}”. If one of them reads this "
        f"source, run: ckan ukharvest adopt {name} --as TYPE, with one of: {names}. If none does, "
        "keep its harvester, or write a source type (docs/developing/source-types.md)"
    )


def plan(source: HarvestSource, *, as_type: str = "", accept_losses: bool = False) -> Plan:
    """Return the changes that adopting the source makes; write nothing.

    Args:
        as_type: name of the type that reads it, whose own name is stored beside; "" for that which
            its type's name says.
        accept_losses: adopt it even if options are lost that keep datasets closed or records out.
    """
    package = Session.get(model.Package, source.id)
    name = package.name if package else source.id
    kind = source_types.find(as_type or source.type)
    refusal = ""
    if kind is None:
        refusal = _no_reader(name, as_type or source.type)
    elif source.type in source_types.TYPES and source.type not in (
        config.type_name(kind),
        *config.foreign_types(),
    ):
        refusal = f"it already has the type “{source.type}” of ckanext-ukharvest"
    if kind is None or refusal:
        return Plan(source.type, source.config, source.type, source.config, refusal=refusal)
    title = (package.title if package else "") or source.title
    kind = kind.for_options({OWN_TYPE: source.type, **parse_options(source.config)})
    facts = stock_options.Facts(source.id, source.url, title)
    options, changes = stock_options.translate(kind, source.config, facts, source_rules.is_group)
    stored = config.type_name(kind)
    for option, (value, reason) in _added(source, kind, options).items():
        options[option] = value
        changes.append(
            stock_options.OptionTranslation(
                option, None, stock_options.ADDED, option, value, ((reason, {}),)
            )
        )
    config_ = source.config
    if source.type not in (stored, kind.name, *kind.aliases):
        options = {OWN_TYPE: source.type, **options}
    if any(change.change != stock_options.KEPT for change in changes) or OWN_TYPE in options:
        config_ = json.dumps(options, indent=2) if options else ""
    planned = Plan(source.type, source.config, stored, config_, tuple(changes))
    refusal = _refusal(source)
    if not accept_losses and not refusal:
        refusal = _opened_by(changes, name)
    if planned.is_change and not refusal:
        refusal = _cannot_be_saved(source, kind, config_)
    return replace(planned, refusal=refusal)


def _added(
    source: HarvestSource, kind: source_types.SourceType, options: dict[str, Any]
) -> dict[str, tuple[Any, str]]:
    """Return name → value and reason of the options without which ours would do less."""
    is_theirs = source.type != config.type_name(kind)
    added: dict[str, tuple[Any, str]] = {}
    datasets = dataset_adoption.find_adoptable(source)
    if (is_theirs or datasets) and source_config.keeps_stock_schema(kind, options):
        added[PACKAGE_SCHEMA] = STOCK, _OWN_VALIDATION
    names = {option.name for option in kind.options}
    if is_theirs and NON_PUBLIC in names - options.keys():
        added[NON_PUBLIC] = True, _OWN_RECORDS
    if VISIBILITY not in options and _are_all_private(datasets):
        added[VISIBILITY] = PRIVATE, _OWN_PRIVATE
    return added


def _are_all_private(datasets: Iterable[dataset_adoption.FoundDataset]) -> bool:
    """Tell whether there are active datasets, none of them public."""
    is_theirs = model.Package.id == any_text(dataset.package_id for dataset in datasets)
    query = Session.query(model.Package.private).filter(is_theirs, model.Package.state == "active")
    return set(query.distinct()) == {(True,)}


def _refusal(source: HarvestSource) -> str:
    """Return why a source cannot be changed now, "" if it can."""
    job_id = find_unended_run(source.id)
    text = (
        f"the run {job_id} of this source has not finished; wait for it, or stop it with: ckan "
        f"harvester job-abort {job_id}"
    )
    return text if job_id else ""


def _opened_by(changes: Iterable[stock_options.OptionTranslation], name: str) -> str:
    """Return which options keep datasets closed or records out and would be lost, "" for none."""
    lost = [change.name for change in changes if change.is_opening]
    if not lost:
        return ""
    return (
        f"{', '.join(lost)}: without this, datasets could become visible or records could come in "
        "that did not before. Let a plugin declare it in IUkHarvest.source_options, or set what "
        f"replaces it and adopt the source with --accept-losses {name}"
    )


def _cannot_be_saved(source: HarvestSource, kind: source_types.SourceType, text: str | None) -> str:
    """Return why the source cannot be saved with its new type, "" if it can."""
    name = config.type_name(kind)
    if name not in config.our_type_names():
        return _plugin_is_off(kind)
    place = {"url": source.url or "", TYPE: name, CONFIG: text or ""}
    faults = source_rules.find_faults(source, place)
    return f"url: {faults['url']}" if "url" in faults else faults.get(CONFIG, "")


def adopt(source: HarvestSource, planned: Plan, user: str) -> None:
    """Set our type and options on the source, as a sysadmin decides; the caller commits.

    Raises:
        ValidationError: the source cannot be adopted now.
    """
    _refuse(planned)
    if not planned.is_change:
        return
    state = ensure_source_state(source.id, lock=True)
    old: dict[str, Any] = {
        "type": planned.old_type,
        "config": planned.old_config,
        "adopted": utcnow().isoformat(),
    }
    if confirmed := decision_log.confirmed_options(source.id):
        old["confirmed"] = confirmed
    pending.save_request(source.id, None)  # a sysadmin accepts it so
    _write(source, planned)
    options = parse_options(planned.new_config)
    confirmed = source_types.reserved_values(source_types.TYPES[planned.new_type], options)
    decision_log.confirm_options(source.id, user, confirmed)
    state.adopted_from = old
    Session.flush()


def plan_undo(source: HarvestSource) -> Plan:
    """Return the changes that undoing the adoption makes; write nothing.

    Type and options stay if they were not adopted: then only its datasets are restored, or
    released if no run has imported them.
    """
    state = Session.get(SourceState, source.id)
    old = state.adopted_from if state else None
    refusal = _refusal(source)
    lost = _written_without_version(source.id, old["adopted"]) if old else ""
    if old and not lost:
        return Plan(source.type, source.config, old["type"], old["config"], refusal=refusal)
    has_unconfirmed = dataset_adoption.has_unconfirmed(source.id)
    has_versions = restore.has_versions(source.id)
    if lost and (has_versions or not has_unconfirmed):
        refusal = lost
    elif not (has_versions or has_unconfirmed):
        refusal = "this source has not been adopted, so there is nothing to undo"
    return Plan(source.type, source.config, source.type, source.config, refusal=refusal)


def _written_without_version(source_id: str, adopted: str) -> str:
    """Return why datasets of before an adoption cannot be restored, "" if they can."""
    was_there = model.Package.metadata_created < dt.datetime.fromisoformat(adopted)
    names = restore.unkept_names(source_id, was_there)
    if not names:
        return ""
    more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
    return (
        f"a run changed datasets ({names[0]}{more}) whose earlier version is not kept any more. To "
        "go back, restore the backup of the database from before that run"
    )


def undo(source: HarvestSource, planned: Plan, user: str) -> int:
    """Restore type and options as they were; return how many datasets are no longer adopted.

    The datasets were restored before. The caller commits.

    Raises:
        ValidationError: the adoption cannot be undone now.
    """
    _refuse(planned)
    state = ensure_source_state(source.id, lock=True)
    state.sync_state = state.resume = None  # of records that are not known any more
    old = state.adopted_from or {}
    if (old.get("type"), old.get("config")) != (planned.new_type, planned.new_config):
        return dataset_adoption.undo_adoption(source.id)
    before = old.get("confirmed") or {}
    pending.save_request(source.id, None)  # a sysadmin accepts it so
    _write(source, planned)
    decision_log.confirm_options(source.id, user, before)
    state.adopted_from = None
    Session.flush()
    released = dataset_adoption.undo_adoption(source.id)
    unwritten = (
        Record.source_id == source.id,
        Record.resources.is_(None),
        Record.written.is_(None),
    )
    with_dataset = Session.query(sa.func.count(Record.package_id)).filter(*unwritten).scalar()
    execute(sa.delete(Record).where(*unwritten))
    return released + int(with_dataset)


def plan_finish(source: HarvestSource) -> Plan:
    """Return the change of a source's type when the move is over; write nothing."""
    kind = source_types.find(source.type)
    name = kind.name if kind and source.type.startswith(BESIDE) else source.type
    refusal = ""
    if name != source.type and (plugin := config.foreign_types().get(name)):
        refusal = (
            f"the plugin {plugin} still harvests the type “{name}”: take it out of ckan.plugins"
        )
    return Plan(source.type, source.config, name, source.config, refusal=refusal)


def sources_to_finish() -> list[HarvestSource]:
    """Return the sources of a move: adopted ones, and those whose type has another name."""
    moved = sa.or_(
        HarvestSource.type.startswith(BESIDE, autoescape=True),
        HarvestSource.id.in_(
            sa.select(SourceState.source_id).where(SourceState.adopted_from.isnot(None))
        ),
        HarvestSource.id.in_(sa.select(DatasetBefore.source_id)),
    )
    return list(Session.query(HarvestSource).filter(moved).order_by(HarvestSource.created))


def finish(source: HarvestSource, planned: Plan) -> None:
    """Give a source its usual type name; no undo after this. The caller commits.

    Raises:
        ValidationError: another plugin still has that name.
    """
    _refuse(planned)
    if planned.is_change:
        _write(source, planned)
        request = pending.load_request(source.id)
        if request and request.source_type == planned.old_type:
            pending.save_request(source.id, replace(request, source_type=planned.new_type))
    ensure_source_state(source.id, lock=True).adopted_from = None
    execute(sa.delete(DatasetBefore).where(DatasetBefore.source_id == source.id))
    Session.flush()


def _refuse(planned: Plan) -> None:
    if planned.refusal:
        raise invalid("source_id", planned.refusal)


def _write(source: HarvestSource, planned: Plan) -> None:
    """Set type and options in the two places where CKAN reads them."""
    source.type, source.config = planned.new_type, planned.new_config
    package = Session.get(model.Package, source.id)
    if package is None:
        return
    package.extras[TYPE] = planned.new_type
    if planned.new_config is None:
        package.extras.pop(CONFIG, None)
    else:
        package.extras[CONFIG] = planned.new_config


def describe_plan(planned: Plan) -> dict[str, Any]:
    """Return a plan as ``ukharvest_source_adopt`` returns it."""
    return {
        "old_type": planned.old_type,
        "new_type": planned.new_type,
        "changes": planned.is_change,
        "options": [_option(change) for change in planned.options],
        "refusal": planned.refusal,
    }


def _option(change: stock_options.OptionTranslation) -> dict[str, Any]:
    row = asdict(change)
    reasons = row.pop("reasons")
    return {**row, "reason": "; ".join(text.format(**values) for text, values in reasons)}
