"""Write one dataset by CKAN's actions: create, update or delete it; and index what was written."""

from __future__ import annotations

import datetime as dt
import functools
import hashlib
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckan.logic.schema import default_show_package_schema
from ckan.plugins import toolkit as tk

from ckanext.ukharvest import compat, config, fields, write_batch
from ckanext.ukharvest.core.dataset_changes import FieldChange, is_changed
from ckanext.ukharvest.core.errors import RejectedByCkan
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values.text import one_line
from ckanext.ukharvest.dataset_schema import stock_fields, stock_schema
from ckanext.ukharvest.harvest import lists
from ckanext.ukharvest.harvest.batch import dataset_rows, new_files
from ckanext.ukharvest.harvest.batch.items import Item, Parsed, Written
from ckanext.ukharvest.harvest.consumers import held_jobs
from ckanext.ukharvest.harvest.hooks import plugin_hooks
from ckanext.ukharvest.harvest.hooks.stock_hooks import StockDataset
from ckanext.ukharvest.harvest.index import pending_index, search_index
from ckanext.ukharvest.harvest.model import Record
from ckanext.ukharvest.harvest.records import links as link_results
from ckanext.ukharvest.harvest.records import record_rows
from ckanext.ukharvest.harvest.records.changes import find_changed_fields
from ckanext.ukharvest.harvest.records.conflicts import Rejected, rejection_error
from ckanext.ukharvest.harvest.records.record_rows import NameChooser
from ckanext.ukharvest.harvest.sources import dataset_adoption
from ckanext.ukharvest.mapping import package_mapper
from ckanext.ukharvest.source_types.source_type import STOCK

log = logging.getLogger(__name__)
Session = model.Session


def package_hash(parsed: Parsed) -> str:
    """Return a hash of what a record comes out as, whatever dataset exists.

    Of its package dict without ids and without formats found at links, of the dataset type's
    fields, of the options that act on the merge, and of the versions and options of other
    extensions' hooks. If it is that of the last import, writing the dataset again would change
    nothing but what a person has edited.
    """
    mapped = package_mapper.to_package_dict(
        parsed.record, None, None, parsed.schema, parsed.defaults
    )
    package = mapped.package
    package_mapper.add_missing_fields(package, parsed.profile_fields, parsed.schema)
    for resource in package["resources"]:
        resource.pop("id", None)
    package["private"] = False  # decided when a dataset is new; what people set then stays
    facts: list[Any] = [package, sorted(parsed.schema), sorted(parsed.defaults.not_overwrite)]
    source = parsed.source
    # Without any, the hash is that of earlier releases.
    if versions := plugin_hooks.hook_versions(source.type, source.own_type):
        facts.append(versions)
    if parsed.hook_options:
        facts.append(parsed.hook_options)
    if parsed.is_stock:
        facts.append(STOCK)
    text = json.dumps(facts, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()


def harvest_user_object() -> dict[str, Any]:
    """Return the harvest user for the context of actions, each of which would load it again."""
    name = tk.config.get("ckanext.harvest.user_name") or tk.config.get("ckan.site_id")
    user = model.User.get(name)
    return {"user": user.name if user else config.harvest_user(), "auth_user_obj": user}


def call_without_commit(
    action: str, package: dict[str, Any], user: Mapping[str, Any], **more: Any
) -> str:
    """Call package_create or package_update without commit and index; return the dataset's id.

    In a trial it is only validated, and has no id.

    Args:
        user: of ``harvest_user_object``.
        more: more of the context.

    Raises:
        Rejected: CKAN's validation refused the dataset.
    """
    context = {
        "ignore_auth": True,
        # With both, the action neither commits nor indexes. defer_commit alone loses the change
        # on CKAN 2.12 (package_update rolls its savepoint back).
        "defer_commit": True,
        "return_id_only": True,
        fields.BY_HARVEST: True,
        **user,
        **more,
    }
    try:
        return str(tk.get_action(action)(context, package))
    except write_batch.Validated:
        return ""
    except tk.ValidationError as exc:
        raise Rejected(exc.error_dict) from exc


def show_dataset(package_id: str, **more: Any) -> dict[str, Any]:
    """Return a dataset as package_show does."""
    context = {"ignore_auth": True, "use_cache": False, **more}
    return dict(tk.get_action("package_show")(context, {"id": package_id}))


class DatasetWriter:
    """Writes the datasets of one transaction.

    Args:
        formats: URL → format found at links.
        names: chooses the names of new datasets.
    """

    def __init__(self, formats: Mapping[str, str], names: NameChooser) -> None:
        self._user = harvest_user_object()
        self._formats, self.names = formats, names

    def write(self, item: Item, row: Record, parsed: Parsed, hashed: str, state: str) -> Written:
        """Create or update an item's dataset; the caller commits and indexes.

        Args:
            hashed: its ``package_hash``.
            state: of its dataset before; "" if there is none.

        Raises:
            Rejected, RecordError, SkipRecord, Emptied: nothing must stay of what was written.
        """
        is_new = state != "active"
        action = "package_update" if state else "package_create"
        more: dict[str, Any] = {}
        shown: dict[str, Any] = {}
        if parsed.is_stock and (own := stock_schema(parsed.source.type, action)):
            # Without the form's validators its fields are extras: here, and in what is there.
            more["schema"], shown["schema"] = own, default_show_package_schema()
            parsed = replace(parsed, schema=stock_fields())
        existing = show_dataset(row.package_id, **shown) if state else None
        known = row.resources
        if known is None and existing:
            known = dataset_adoption.resources_written(existing["id"], existing["resources"])
        by_hook: set[str] = set()
        stock = StockDataset(parsed.source, existing, job_id=item.job_id, object_id=item.object_id)
        mapped = package_mapper.to_package_dict(
            link_results.with_formats(parsed.record, self._formats),
            existing,
            known,
            parsed.schema,
            parsed.defaults,
            supplied=row.supplied_fields,
            found_formats=self._formats,
            change=functools.partial(_complete, parsed, by_hook, stock),
        )
        problems = parsed.record.problems
        for prepare in lists.BEFORE_WRITE:
            facts = {"forced": item.forced, "by_hook": by_hook}
            more |= _prepare(prepare, mapped.package, existing, parsed, **facts)
            problems += tuple(more.pop(lists.PROBLEMS, ()))
        more |= stock.context()
        is_quiet = False
        both: tuple[Mapping[str, Any], Mapping[str, Any]] | None = None
        # Most imports of a full run change nothing and need no second read of the dataset.
        differs = existing is not None and _differs(existing, mapped.package)
        if existing is None:
            wanted = mapped.package.get("name") or parsed.record.name  # by a hook
            mapped.package["name"] = self.names.choose(parsed.record.title, wanted)
            package_id = call_without_commit(action, mapped.package, self._user, **more)
            # Resources that another plugin adds come after ours.
            batch = write_batch.written()
            ids = batch.resource_ids.get(package_id, ()) if batch else ()
            pairs = zip(ids, mapped.resources or (), strict=False)
            mapped = replace(mapped, resources=[(id_, key) for id_, (_no_id, key) in pairs])
        else:
            package_id = existing["id"]
            more["original_package"] = existing
            # A row that is not saved yet has no fingerprint.
            is_other = (row.fingerprint or "") not in ("", item.stamp.fingerprint)
            is_quiet = is_other and not (differs or item.forced or is_new)
            if differs and _has_source_changed(item, row):
                # CKAN 2.12's activity stream asks for it, and the action returns before it sets it.
                more["changed_entities"] = {"packages": {package_id}}
            call_without_commit(action, mapped.package, self._user, **more)
        batch = write_batch.written()
        is_trial = bool(batch and batch.is_trial)
        if existing and not (differs or is_new or is_trial):
            _keep_times(existing)
        if batch and is_trial:
            reads_again = batch.compares
        else:
            plugin_hooks.end_dataset(parsed.record, mapped.package, stock, package_id)
            # What CKAN and plugins write when it is saved is ours to undo, whatever differs.
            reads_again = differs or item.keeps
        changed: Sequence[FieldChange] = ()
        if existing:
            after = show_dataset(package_id, **shown) if reads_again else existing
            changed = find_changed_fields(existing, after) if reads_again else ()
            if differs and batch and not is_trial:
                problems += new_files.finish_new_files(existing, after, self._user, batch)
            both = (existing, after)
        return Written(
            parsed,
            package_id,
            hashed,
            mapped,
            is_created=existing is None,
            is_new=is_new,
            is_quiet=is_quiet,
            changed=changed,
            problems=problems,
            shown=both,
            is_stock=bool(shown),
        )

    def delete(self, package_id: str) -> None:
        """Delete a dataset; the caller commits and indexes.

        Raises:
            Exception: CKAN or a plugin refused.
        """
        context = {"ignore_auth": True, **self._user}
        tk.get_action("package_delete")(context, {"id": package_id})


def restore_version(package: dict[str, Any], source_type: str, *, is_stock: bool) -> None:
    """Write a dataset back as it was before our first write; the caller commits and indexes.

    Args:
        package: as package_show gave it.
        source_type: our name of the type of the source that adopted it.
        is_stock: it was shown by CKAN's own schema.

    Raises:
        Rejected: CKAN does not accept it.
    """
    own = stock_schema(source_type, "package_update") if is_stock else None
    more = {"schema": own} if own else {}
    call_without_commit("package_update", package, harvest_user_object(), **more)


def _differs(existing: Mapping[str, Any], package: Mapping[str, Any]) -> bool:
    """Tell whether a dataset will say something else than it does, or be another body's."""
    owners = (existing.get("owner_org") or "", package.get("owner_org") or "")
    return owners[0] != owners[1] or is_changed(existing, package)


def _has_source_changed(item: Item, row: Record) -> bool:
    """Tell whether a dataset is written because its source changed the record, or has it again.

    Not in a forced run, nor after an adoption or a change of the import rules: what such runs write
    is no news to people who follow the dataset.
    """
    if item.forced:
        return False
    before, now = row.fingerprint, item.stamp
    is_other = before != now.fingerprint and row.import_rules_hash == now.import_rules_hash
    return row.removed or (bool(before) and is_other)


def _keep_times(existing: Mapping[str, Any]) -> None:
    """Leave the times of the last change of a dataset and its files as they were before a write."""
    of_files = {file["id"]: file.get("metadata_modified") for file in existing["resources"]}
    package = Session.get(model.Package, existing["id"])
    for row, text in (
        (package, existing["metadata_modified"]),
        *((file, of_files.get(file.id)) for file in package.resources),
    ):
        time = dt.datetime.fromisoformat(text) if text else None
        if time and row.metadata_modified != time:
            row.metadata_modified = time


def _prepare(
    prepare: Callable[..., dict[str, Any]],
    package: dict[str, Any],
    existing: Mapping[str, Any] | None,
    parsed: Parsed,
    **facts: Any,
) -> dict[str, Any]:
    """Call a function of ``BEFORE_WRITE``; one that fails costs no record."""
    try:
        return prepare(package, existing, parsed.schema, parsed.defaults, **facts)
    except sa.exc.SQLAlchemyError:  # the transaction fails anyway
        raise
    except Exception:
        log.exception("%s.%s failed", prepare.__module__, prepare.__name__)
        return {}


def _complete(
    parsed: Parsed, by_hook: set[str], stock: StockDataset, package: dict[str, Any]
) -> None:
    """Let ckanext-dcat's profiles and other extensions' hooks change a mapped package dict.

    Args:
        by_hook: gets the names of the fields that the hooks change.
    """
    package_mapper.add_missing_fields(package, parsed.profile_fields, parsed.schema)
    by_hook |= plugin_hooks.change_dataset(parsed.record, parsed.raw, parsed.source, package, stock)


def index_written(pending: Mapping[str, dt.datetime]) -> dict[str, RejectedByCkan]:
    """Index committed datasets; return package id → error of those that Solr refused.

    If the index or database is down, the records do not fail: the sweeper indexes them later.
    """
    if not pending:
        return {}
    try:
        refused = search_index.index_committed(pending)
        if refused:
            record_rows.forget_stamps(sorted(refused))
            model.Session.commit()
    except compat.IndexFailed as exc:
        log.warning("%d datasets wait for the search index: %s", len(pending), exc)
        return {}
    except sa.exc.DBAPIError:
        log.warning("%d datasets wait for the search index", len(pending), exc_info=True)
        compat.rollback()
        return {}
    return {
        id_: RejectedByCkan(
            Message(
                "the dataset is stored but the search index does not accept it: {reason}",
                reason=one_line(reason),
            ),
            code="index-failed",
        )
        for id_, reason in refused.items()
    }


def fill_formats(package_id: str) -> list[str]:
    """Set missing formats of a dataset's resources from its link checks; commit.

    Locks its records, so that no import runs at the same time. Returns the ids of the resources
    that got a format.

    Raises:
        RecordError: CKAN or its index refused the dataset.
    """
    compat.rollback()  # data read before the locks may be outdated
    record_rows.lock_all_of(package_id)
    before = show_dataset(package_id, for_update=True)
    resources, filled = link_results.add_link_formats(before["resources"])
    if not filled or before["state"] != "active":
        Session.commit()
        return []
    after = {**before, "resources": resources}
    del after["metadata_modified"]  # CKAN 2.12 would keep it
    try:
        with write_batch.collect() as collected:
            call_without_commit(
                "package_update", after, harvest_user_object(), original_package=before
            )
            record_rows.note_written(package_id, before["metadata_modified"])
            # What they are was found at these links, so they need no further check.
            link_results.skip_rechecks([file["url"] for file in resources if file["id"] in filled])
            pending_index.mark_pending(package_id)
            dataset_rows.save_collected(collected.own_rows)
            jobs = held_jobs.store_held_jobs(collected)
            Session.commit()
    except (Rejected, sa.exc.IntegrityError) as exc:
        compat.rollback()
        raise rejection_error(exc) from exc
    held_jobs.send_held_jobs(jobs)
    for error in index_written(collected.pending).values():
        raise error
    return filled
