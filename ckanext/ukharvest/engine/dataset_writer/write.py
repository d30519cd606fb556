"""A record to write, and CKAN's actions that write it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model

from ckanext.ukharvest import config, fields
from ckanext.ukharvest.core.outcomes import RecordOutcome
from ckanext.ukharvest.core.records import DatasetRecord
from ckanext.ukharvest.engine import dataset_hooks
from ckanext.ukharvest.interfaces import SourceFacts
from ckanext.ukharvest.mapping import package_mapper
from ckanext.ukharvest.model import record_rows
from ckanext.ukharvest.model.refusals import Rejected

UNCHANGED = "not modified"  # ckanext-harvest's report_status; no outcome of a record row
ERRORED = RecordOutcome.ERRORED


@dataclass(frozen=True, slots=True)
class Write:
    """One record to write.

    Attributes:
        object_id: its harvest object; becomes the current one. "" if it has none (``leave``).
        key: source id and guid of that object.
        record: the parsed record.
        stamp: its fingerprint, import rules and HTTP validators; stored with it.
        profile_fields: dataset dict of ckanext-dcat's profiles; adds fields that ours lacks.
        forced: also restore a dataset that a person deleted.
        again: its object was imported before; the figures of its run stay (``ckan harvester
            import``).
        schema: names of the dataset type's own fields.
        source: what plugins are told about the source.
    """

    object_id: str
    record: DatasetRecord
    stamp: record_rows.Stamp
    defaults: package_mapper.Defaults
    source: SourceFacts
    key: record_rows.Key = ("", "")
    profile_fields: Mapping[str, Any] = field(default_factory=dict)
    forced: bool = False
    again: bool = False
    schema: frozenset[str] = field(default_factory=frozenset)


def package_hash(write: Write) -> str:
    """Return a hash of what a record comes out as, whatever dataset exists.

    Of its package dict without ids and without formats found at links, of the dataset type's
    fields, of the options that act on the merge, and of the versions of other extensions' hooks. If
    it is that of the last import, writing the dataset again would change nothing but what a person
    has edited.
    """
    mapped = package_mapper.to_package_dict(write.record, None, None, write.schema, write.defaults)
    package = mapped.package
    package_mapper.add_missing_fields(package, write.profile_fields, write.schema)
    for resource in package["resources"]:
        resource.pop("id", None)
    facts: list[Any] = [package, sorted(write.schema), sorted(write.defaults.not_overwrite)]
    if hooks := dataset_hooks.hook_versions():  # without any, the hash is that of earlier releases
        facts.append(hooks)
    text = json.dumps(facts, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()


def harvest_user() -> dict[str, Any]:
    """Return the harvest user for the context of actions, each of which would load it again."""
    name = tk.config.get("ckanext.harvest.user_name") or tk.config.get("ckan.site_id")
    user = model.User.get(name)
    return {"user": user.name if user else config.harvest_user(), "auth_user_obj": user}


def call(action: str, package: dict[str, Any], user: Mapping[str, Any], **more: Any) -> str:
    """Call package_create or package_update without commit and index; return the dataset's id.

    Args:
        user: of ``harvest_user``.
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
    except tk.ValidationError as exc:
        raise Rejected(exc.error_dict) from exc


def show(package_id: str, **more: Any) -> dict[str, Any]:
    """Return a dataset as package_show does."""
    context = {"ignore_auth": True, "use_cache": False, **more}
    return dict(tk.get_action("package_show")(context, {"id": package_id}))
