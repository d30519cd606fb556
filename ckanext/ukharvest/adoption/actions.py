"""Actions: adopt a source of another harvester with its datasets; attach datasets to records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckan import model
from ckan.plugins import toolkit as tk
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config
from ckanext.ukharvest.adoption import pairs as dataset_pairs
from ckanext.ukharvest.adoption import restore
from ckanext.ukharvest.adoption import rules as source_adoption
from ckanext.ukharvest.adoption import schema as adoption_schema
from ckanext.ukharvest.adoption.pairs import Pair
from ckanext.ukharvest.core.errors import UkharvestError
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest.batch.dataset_writer import index_written
from ckanext.ukharvest.harvest.consumers import held_jobs
from ckanext.ukharvest.harvest.sources import dataset_adoption, source_config
from ckanext.ukharvest.lib import schema
from ckanext.ukharvest.lib.lookups import RUN_FIRST, find_unended_run, source_of
from ckanext.ukharvest.lib.schema import invalid
from ckanext.ukharvest.source_types import TYPES

Session = model.Session


def ukharvest_source_adopt(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Adopt a source and the datasets that another harvester made from it. Sysadmins only.

    The source gets our name of its type, and its options in our form. The old ones are stored, and
    its datasets as they were before our first write, so that ``undo`` can restore them until
    ``finish``.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param by_guid: adopt the datasets that the source lists, also those of its own organisation
        that only share a guid with it (optional, default: ``False``). Reads the whole source,
        which may take minutes; nothing is adopted if it cannot be read to its end.
    :type by_guid: bool
    :param undo: restore the type, the options and the datasets of before the adoption; fields that
        others changed since stay, and so do datasets that came since (optional, default: ``False``)
    :type undo: bool
    :param finish: end the move: give the source its usual type name, and forget what ``undo`` needs
        (optional, default: ``False``)
    :type finish: bool
    :param accept_losses: adopt the source even if an option is lost that keeps datasets closed or
        records out (optional, default: ``False``)
    :type accept_losses: bool
    :param as_type: name of the source type that reads the source, such as ``dcat_rdf``; the
        portal's own name is stored with it (optional, default: that which its type's name says)
    :type as_type: string
    :param dry_run: change nothing, only return what would change (optional, default: ``False``)
    :type dry_run: bool

    :returns: ``id``, ``name``, ``old_type``, ``new_type``, ``changes`` (whether type or options
        change), ``options``: dicts with ``name``, ``value``, ``change`` (``kept``,
        ``translated``, ``dropped``, ``added``), ``new_name``, ``new_value``, ``reason``;
        ``refusal`` (of a dry run: why it cannot be done now, or ""); ``datasets``: the adopted
        ones, dicts with ``guid``, ``package_id``, ``name`` and ``evidence``; ``released``: how many
        datasets are no longer adopted after ``undo``; ``restored``: how many it restored, and
        ``left``: those that are not as before, dicts with ``name`` and ``reason``
    :rtype: dictionary
    """
    tk.check_access("ukharvest_source_adopt", context, data_dict)
    data = schema.validate(data_dict, adoption_schema.source_adopt_schema())
    by_guid, undo, dry_run = data["by_guid"], data["undo"], data["dry_run"]
    how = {"as_type": data["as_type"], "accept_losses": data["accept_losses"]}
    if sum((by_guid, undo, data["finish"])) > 1:
        raise invalid("by_guid", "by_guid, undo and finish exclude each other")
    source_id = source_of(data_dict).id
    listed = _find_listed(source_id, how) if by_guid else None
    # The lock stops others from starting a run or saving the source until this is done.
    source = database.lock_source(source_id)
    try:
        user = str(context.get("user") or "")
        restored = None
        if undo:
            answer, restored = _undo(source, dry_run, user)
        elif data["finish"]:
            answer = _finish(source, dry_run)
        else:
            planned = source_adoption.plan(source, **how)
            answer = _adopt(source, planned, listed, dry_run, user)
        if dry_run:
            Session.rollback()
        else:
            Session.commit()
    except Exception:
        Session.rollback()
        raise
    if restored and not dry_run:
        held_jobs.send_held_jobs(restored.jobs)
        index_written(restored.batch.pending)
    if answer["changes"] and not dry_run:
        own = {"ignore_auth": True, "model": model, "session": Session}
        tk.get_action("harvest_source_reindex")(own, {"id": source_id})
    return answer


def _find_listed(source_id: str, how: Mapping[str, Any]) -> set[str]:
    """Return the ids of the datasets to adopt that the source lists.

    Args:
        how: arguments of ``plan``.

    Raises:
        ValidationError: its listing cannot be read to its end.
    """
    source = Session.get(HarvestSource, source_id)
    planned = source_adoption.plan(source, **how)
    candidates = dataset_adoption.find_adoptable(source, by_guid=True)
    if planned.refusal or not candidates:
        return set()
    kind = TYPES[planned.new_type]
    try:
        return source_config.find_listed(source, kind, planned.new_config, candidates)
    except UkharvestError as exc:
        text = (
            f"nothing was adopted, because the source's list was not read to its end: {exc.message}"
        )
        raise invalid("source_id", text) from exc


def _adopt(
    source: HarvestSource,
    planned: source_adoption.Plan,
    listed: set[str] | None,
    dry_run: bool,
    user: str,
) -> dict[str, Any]:
    """Adopt a source and its datasets.

    Args:
        listed: ids of the datasets that it lists, to adopt them by guid too; None: do not.
    """
    by_guid = listed is not None
    if dry_run:
        candidates = dataset_adoption.find_adoptable(source, by_guid=by_guid, listed=listed)
    else:
        source_adoption.adopt(source, planned, user)
        candidates = dataset_adoption.adopt_datasets(source, by_guid=by_guid, listed=listed)
    return {
        **_named(source, planned),
        "datasets": [candidate._asdict() for candidate in candidates],
    }


def _undo(
    source: HarvestSource, dry_run: bool, user: str
) -> tuple[dict[str, Any], restore.Restored | None]:
    planned = source_adoption.plan_undo(source)
    answer = {**_named(source, planned), "datasets": []}
    if planned.refusal and dry_run:
        return answer, None
    if planned.refusal or not restore.has_versions(source.id):
        answer["released"] = 0 if dry_run else source_adoption.undo(source, planned, user)
        return answer, None
    restored = restore.restore_datasets(source, dry_run=dry_run)
    answer["restored"] = restored.datasets
    answer["left"] = [dataset._asdict() for dataset in restored.left]
    if not dry_run:
        answer["released"] = source_adoption.undo(source, planned, user)
    return answer, restored


def _finish(source: HarvestSource, dry_run: bool) -> dict[str, Any]:
    planned = source_adoption.plan_finish(source)
    if not dry_run:
        source_adoption.finish(source, planned)
    return {**_named(source, planned), "datasets": []}


def _named(source: HarvestSource, planned: source_adoption.Plan) -> dict[str, Any]:
    package = Session.get(model.Package, source.id)
    name = package.name if package else source.id
    numbers = {"released": 0, "restored": 0, "left": []}
    return {"id": source.id, "name": name, **source_adoption.describe_plan(planned), **numbers}


def ukharvest_dataset_attach(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Attach existing datasets to records of a source, so that its runs update them.

    For users who may update the source and each dataset. The next complete run imports the records
    into the datasets, which keep id, name and URL; of a record that the source does not list, the
    dataset stays as it is. :py:func:`ukharvest_source_adopt` with ``undo`` goes back.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param pairs: dicts with ``dataset`` (name or id) and ``guid`` (of the record), at most 10,000.
        If one of them cannot be attached, none is
    :type pairs: list of dictionaries
    :param dry_run: change nothing, only check the pairs (optional, default: ``False``)
    :type dry_run: bool

    :returns: ``id`` and ``name`` of the source; ``attached``: the datasets that were not attached
        before, dicts with ``guid``, ``package_id`` and ``name``; ``unchanged``: the number of
        others
    :rtype: dictionary
    """
    tk.check_access("ukharvest_dataset_attach", context, data_dict)
    source_id = source_of(data_dict).id
    data = schema.validate(data_dict, adoption_schema.dataset_attach_schema())
    rows = schema.rows(data_dict, "pairs", Pair._fields)
    # The lock stops others from starting a run or attaching datasets until this is done.
    source = database.lock_source(source_id)
    try:
        if source.type not in config.our_type_names():
            raise invalid("source_id", tk._("The source type is not one of ckanext-ukharvest's."))
        if find_unended_run(source_id):
            raise invalid("source_id", tk._(RUN_FIRST))
        pairs = dataset_pairs.check_pairs(context, source_id, [Pair(*row) for row in rows])
        attached = [pair[:3] for pair in pairs if pair.is_new]
        if attached and not data["dry_run"]:
            dataset_adoption.attach_datasets(source_id, attached)
            Session.commit()
    finally:
        Session.rollback()
    names = ("guid", "package_id", "name")
    return {
        "id": source_id,
        "name": model.Package.get(source_id).name,
        "attached": [dict(zip(names, pair, strict=True)) for pair in attached],
        "unchanged": len(pairs) - len(attached),
    }
