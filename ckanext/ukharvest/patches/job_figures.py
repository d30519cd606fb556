"""Print a job's figures in the output of ``ckan harvester jobs``, which omits them."""

from __future__ import annotations

from typing import Any, TextIO

from ckanext.harvest import utils

from ckanext.ukharvest.compat import Patch

_stock_print = utils._print_harvest_job


def _print_job(job: dict[str, Any], output: TextIO) -> None:
    """Print a job as ``ckan harvester jobs`` does, then its figures."""
    _stock_print(job, output)
    for name, number in job.get("stats", {}).items():
        print(f"\t\t{name}: {number}", file=output)


def _patch_print() -> None:
    utils._print_harvest_job = _print_job


FAULTS = (
    Patch(
        "job-figures (ckan harvester jobs prints none)",
        {"ckanext.harvest.utils:_print_harvest_job": "ae58f30c6fb3"},
        _patch_print,
    ),
)
