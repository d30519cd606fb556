"""What is replaced in CKAN and ckanext-harvest when the plugin is loaded: two lists.

Hooks are what the engine needs; they are always applied. Faults are bugs of released versions
(``docs/upstream``); each is applied to all versions below the first that is mended, so far to all,
newer ones than were tested included. ``ckan ukharvest doctor`` lists them, and warns of a function
whose source is not one that was tested. Only ``plugin.py`` imports this package.
"""

from __future__ import annotations

import hashlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any

from packaging.version import Version

from ckanext.ukharvest import bulk_rows, compat
from ckanext.ukharvest.patches import (
    consumers,
    forms_and_commands,
    polling,
    queue_callbacks,
    validation,
    write_batches,
)
from ckanext.ukharvest.sources import rules as source_rules

_QUEUE = "ckanext.harvest.queue"
_UPDATE = "ckanext.harvest.logic.action.update"  # imported the functions by name
_SCHEMA = "ckanext.harvest.logic.schema"
_PLUGIN = "ckanext.harvest.plugin"
_NAVL = "ckan.lib.navl.dictization_functions"


@dataclass(frozen=True)
class Patch:
    """Functions that are replaced.

    Attributes:
        name: what doctor prints.
        replaces: dotted name of each function → hashes of its source in the versions tested, by
            blanks; "" for a method of SQLAlchemy, which has no source of its own.
        replacement: returns the new function, given the one that it replaces.
        page: of a fault, its page in ``docs/upstream``.
        mended_in: of a fault, the first version of ckanext-harvest without it; "" if there is none
            yet.
        relies_on: functions whose statements the new one answers, with hashes as of ``replaces``.
            With another source of one of them, or of one to replace, nothing is replaced.
    """

    name: str
    replaces: Mapping[str, str]
    replacement: Callable[[Any], Any]
    page: str = ""
    mended_in: str = ""
    relies_on: Mapping[str, str] = field(default_factory=dict)

    def is_needed(self) -> bool:
        """Tell whether the installed version has the fault; hooks are always needed."""
        return not self.mended_in or (
            Version(metadata.version("ckanext-harvest")) < Version(self.mended_in)
        )

    def untested(self) -> list[str]:
        """Return the functions whose source is not one that was tested."""
        return [
            function
            for function, tested in {**self.replaces, **self.relies_on}.items()
            if tested and source_hash(pkgutil.resolve_name(function)) not in tested.split()
        ]

    def apply(self) -> None:
        """Replace the functions."""
        for function in self.replaces:
            owner, _, name = function.rpartition(".")
            stock = pkgutil.resolve_name(function)
            setattr(pkgutil.resolve_name(owner), name, self.replacement(stock))


def source_hash(function: Any) -> str:
    """Return a short hash of a function's source without comments, "" if there is none."""
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        return ""
    # Versions of Python differ in whether a comment at the end belongs to the function.
    lines = (line for line in source.splitlines() if line.strip() and line.lstrip()[0] != "#")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


FAULTS = (
    Patch(
        "redis-timeout (ckanext-harvest#581)",
        {f"{_QUEUE}.get_connection_redis": "e56e78d37b8c"},
        consumers.with_timeouts,
        "idle-consumers",
    ),
    Patch(
        "one-sweeper (ckanext-harvest#420, #446)",
        {
            f"{module}.{function}": tested
            for module in (_QUEUE, _UPDATE)
            for function, tested in (
                ("resubmit_jobs", "3fadd3ff8336"),
                ("resubmit_objects", "5b78091e5e15"),
            )
        },
        lambda _stock: consumers.leave_to_the_sweeper,
        "running-imports-sent-again",
    ),
    Patch(
        "job-figures (ckan harvester jobs prints none)",
        {"ckanext.harvest.utils._print_harvest_job": "ae58f30c6fb3"},
        forms_and_commands.with_figures,
        "jobs-without-figures",
    ),
)
# Applied after the faults and in this order: some wrap what is in force by then. Those that name an
# issue stay when it is closed: batches begin in both callbacks, and our rules check what is saved.
# Of two hashes the first is CKAN 2.12's.
HOOKS = (
    Patch(
        "gather-survives (ckanext-harvest#112)",
        {f"{_QUEUE}.gather_callback": "c923103f48f8"},
        queue_callbacks.guarded_gather,
    ),
    Patch(
        "fetch-survives (ckanext-harvest#112)",
        {f"{_QUEUE}.fetch_callback": "d501ac4ad565"},
        queue_callbacks.guarded_fetch,
    ),
    Patch(
        "stages-end-their-objects (for our own imports)",
        {f"{_QUEUE}.fetch_and_import_stages": "1664550ffab8"},
        polling.stages_of_ours,
    ),
    Patch(
        "work-from-tables (and ckanext-harvest#581)",
        {f"{_QUEUE}.RedisConsumer.consume": "4c7161ad3a53"},
        lambda _stock: consumers.consume_redis,
    ),
    Patch(
        "work-from-tables-rabbitmq (for our own runs)",
        {f"{_QUEUE}.get_consumer": "b43ded10ffd4"},
        consumers.or_rabbitmq,
    ),
    Patch(
        "source-url (ckanext-harvest#449)",
        {f"{_SCHEMA}.harvest_source_url_validator": "88a628f10b95"},
        lambda _stock: source_rules.check_url,
    ),
    Patch(
        "source-options (who may save them is not checked)",
        {f"{_SCHEMA}.harvest_source_config_validator": "39668ad22a1c"},
        lambda _stock: source_rules.check_config,
    ),
    Patch(
        "reserved-options (which of them a sysadmin set)",
        {
            f"{_PLUGIN}._create_harvest_source_object": "bd2ff60fc2fa",
            f"{_PLUGIN}._update_harvest_source_object": "d88200983817",
        },
        forms_and_commands.with_reserved_options,
    ),
    Patch(
        "new-sources-wait (for a sysadmin)",
        {f"{_PLUGIN}._create_harvest_source_object": "bd2ff60fc2fa"},
        forms_and_commands.with_request,
    ),
    Patch(
        "changed-sources-wait (for a sysadmin)",
        {f"{_SCHEMA}.harvest_source_update_package_schema": "a7599ca603b6"},
        forms_and_commands.with_approval,
    ),
    Patch(
        "source-name (names of pages)",
        {f"{_SCHEMA}.package_name_validator": "4902419bd190 780dfc83d68f"},
        lambda _stock: source_rules.check_name,
    ),
    Patch(
        "source-texts (no commands to terminals)",
        {f"{_SCHEMA}.harvest_source_schema": "0d5254677026"},
        forms_and_commands.with_source_rules,
    ),
    Patch(
        "runs-end-themselves (for our own runs)",
        {f"{_UPDATE}.harvest_job_list": "afb80328c110"},
        forms_and_commands.without_ours,
    ),
    Patch(
        "run-test-alone (for the sweeper)",
        {"ckanext.harvest.utils.run_test_harvester": "8d2cde791d77"},
        forms_and_commands.run_test_of_ours,
    ),
    # CKAN 2.11 indexes by a listener of the session, CKAN 2.12 in package_delete.
    Patch(
        "index-after-commit (for our own writes)",
        {"ckan.logic.index_update_package": "cea3b933f577"}
        if compat.INDEXES_IN_ACTIONS
        else {"ckan.lib.search.SynchronousSearchPlugin.notify": "229b874b0e94"},
        write_batches.deferred_action
        if compat.INDEXES_IN_ACTIONS
        else write_batches.deferred_listener,
    ),
    Patch(
        "index-in-one-request (for our own writes)",
        {"ckan.lib.search.index.make_connection": "96a7d2bb47f5 6beb018f3fe1"},
        compat.collect_documents,
    ),
    Patch(
        bulk_rows.PATCH,
        {"ckan.lib.dictization.model_dictize._execute": "346ef44ca7f6 f38ef0748b01"},
        bulk_rows.execute_of,
        relies_on={
            "ckan.lib.dictization.model_dictize.package_dictize": "4281d80ffb8e 5358061a6071"
        },
    ),
    Patch(
        "rollback-to-savepoint (for our own writes)",
        {"ckan.model.Session.rollback": ""},
        write_batches.rollback_of,
    ),
    Patch(
        "commit-after-savepoint (for our own writes)",
        {"ckan.model.Session.commit": "", "ckan.model.repo.commit": ""},
        write_batches.commit_of,
    ),
    Patch(
        "validation-in-one-pass (for our own writes)",
        {f"{_NAVL}._validate": "7edf5dce22e9"},
        validation.in_one_pass,
        relies_on={
            f"{_NAVL}.augment_data": "ebc8b335dda9",
            f"{_NAVL}.flatten_schema": "0d3d70e2d7c0",
            f"{_NAVL}.get_all_key_combinations": "3086b8068bbf",
            f"{_NAVL}.make_full_schema": "c17ce150b843",
            f"{_NAVL}.validate": "790a471d656a 47d57c9ca832",
        },
    ),
    Patch(
        "names-asked-once (for our own writes)",
        {"ckan.logic.validators.package_name_validator": "4902419bd190 780dfc83d68f"},
        validation.name_once,
        relies_on={"ckan.logic.validators.package_name_validator": "4902419bd190 780dfc83d68f"},
    ),
    Patch(
        "owners-asked-once (for our own writes)",
        {"ckan.model.Group.get": "70a13c964265", "ckan.model.User.get": "3293ca02eb32"},
        validation.found_once,
        relies_on={"ckan.model.Group.get": "70a13c964265"},
    ),
    Patch(
        "end-at-validation (for our own trials)",
        {"ckan.lib.plugins.plugin_validate": "8dc580a980b4"},
        write_batches.validation_of,
    ),
    Patch(
        "end-at-saving (for our own trials)",
        {"ckan.lib.dictization.model_save.package_dict_save": "88649782347b 8f121ac3aae3"},
        write_batches.saving_of,
    ),
    Patch(
        "jobs-after-commit (for our own writes)",
        {"ckan.lib.jobs.get_queue": "aa2481c8d702 fa58ab2c0b5f"},
        write_batches.queue_of,
    ),
)


def apply_patches() -> None:
    """Apply the patches that this installation needs; safe to call more than once."""
    patches = [
        patch
        for patch in (*FAULTS, *HOOKS)
        if patch.name not in compat.applied_patches and patch.is_needed()
    ]
    # Before any is applied: a function may be replaced twice.
    for patch in patches:
        untested = patch.untested()
        is_omitted = patch.relies_on and untested
        (compat.omitted_patches if is_omitted else compat.applied_patches)[patch.name] = untested
    for patch in patches:
        if patch.name in compat.applied_patches:
            patch.apply()
