"""What ckanext-harvest's form of a source saves, and what its commands run and print."""

from __future__ import annotations

import datetime as dt
import functools
import sys
from collections.abc import Callable
from typing import Any, TextIO

from ckan import model
from ckan.plugins import toolkit as tk
from ckanext.harvest.model import HarvestJob, HarvestSource

from ckanext.ukharvest import config, source_types
from ckanext.ukharvest.core.options import parse_options
from ckanext.ukharvest.core.outcomes import RunMode
from ckanext.ukharvest.harvest.model import utcnow
from ckanext.ukharvest.harvest.sources import decision_log
from ckanext.ukharvest.lib.output import RefusedError
from ckanext.ukharvest.sources import approvals
from ckanext.ukharvest.sources import rules as source_rules
from ckanext.ukharvest.sources.foreground import run_in_foreground


def with_source_rules(stock: Callable[[], dict[str, Any]]) -> Callable[[], dict[str, Any]]:
    """Remove what commands a terminal from title and description of a source, saved or shown.

    A type name of the portal's own becomes ours before anything else is validated. Frequencies
    that only sysadmins can choose are refused.
    """

    def schema() -> dict[str, Any]:
        made = stock()
        for name in ("title", "notes"):
            made[name] = [source_rules.clean, *made[name]]
        *checks, to_extras = made["frequency"]
        made["frequency"] = [*checks, source_rules.check_frequency, to_extras]
        made["__before"] = [source_rules.translate_type, *made.get("__before", ())]
        return made

    return schema


def with_reserved_options(stock: Callable[..., Any]) -> Callable[..., Any]:
    """Store also the reserved options that a sysadmin set when a source is saved."""

    def save(context: Any, data_dict: dict[str, Any]) -> Any:
        source = stock(context, data_dict)
        kind = source_types.find(source.type or "")
        if kind and source_rules.is_trusted(context):
            confirmed = source_types.reserved_values(kind, parse_options(source.config))
            model.Session.flush()
            user = str(context.get("user") or "")
            decision_log.confirm_options(source.id, user, confirmed)
        return source

    return save


def with_approval(stock: Callable[[], dict[str, Any]]) -> Callable[[], dict[str, Any]]:
    """Hold URL and type of a saved source back if a sysadmin has to accept them."""

    def schema() -> dict[str, Any]:
        made = stock()
        made["__after"] = [*made.get("__after", ()), approvals.hold_back]
        return made

    return schema


def with_request(stock: Callable[..., Any]) -> Callable[..., Any]:
    """Let a new source wait until a sysadmin accepts it, where the portal wants that."""

    def create(context: Any, data_dict: dict[str, Any]) -> Any:
        source = stock(context, data_dict)
        approvals.ask_for_new(context, source)
        return source

    return create


def with_figures(stock: Callable[..., None]) -> Callable[..., None]:
    """Print a job as ``ckan harvester jobs`` does, then its figures, which it leaves out."""

    def print_job(job: dict[str, Any], output: TextIO) -> None:
        stock(job, output)
        for name, number in job.get("stats", {}).items():
            print(f"\t\t{name}: {number}", file=output)

    return print_job


def without_ours(stock: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    """List the running jobs that ``ckan harvester run`` is to look at: those of other harvesters.

    Ours end themselves (``run_end``); if it closed one at the same time there would be two emails.
    One that ``ckan.harvest.timeout`` ends stays in the list.
    """

    def harvest_job_list(context: Any, data_dict: dict[str, Any]) -> list[Any]:
        query = model.Session.query(HarvestSource.id)
        ours = {id_ for (id_,) in query.filter(HarvestSource.type.in_(config.our_type_names()))}
        return [
            job
            for job in stock(context, data_dict)
            if job["source_id"] not in ours or _is_overdue(job["id"])
        ]

    return harvest_job_list


def _is_overdue(job_id: str) -> bool:
    """Tell whether nothing has happened in a job for longer than the portal allows."""
    minutes = tk.config.get("ckan.harvest.timeout")
    if not minutes:
        return False
    last = HarvestJob.get(job_id).get_last_action_time()
    return bool(utcnow() - last > dt.timedelta(minutes=int(minutes)))


def run_test_of_ours(
    stock: Callable[[str, str | None], None],
) -> Callable[[str, str | None], None]:
    """Run a source of ours by ``ckan harvester run-test`` as ``ckan ukharvest run`` does.

    ckanext-harvest's own command sends its job to the gather queue too, so that a live consumer
    reads the source at the same time; has no heartbeat, by which the sweeper could tell that it
    works; and needs factory-boy, which it takes from its tests.
    """

    @functools.wraps(stock)
    def run_test_harvester(source_id_or_name: str, force_import: str | None) -> None:
        """Run a source; with the identifier of a record, only this record."""
        package = model.Package.get(source_id_or_name)
        source = HarvestSource.get(package.id) if package else None
        if refusal := approvals.start_refusal(source):
            raise RefusedError(refusal)
        if source is None or source.type not in config.our_type_names():
            stock(source_id_or_name, force_import)
            return
        sys.exit(run_in_foreground(source, RunMode.NORMAL, force_import or ""))

    return run_test_harvester
