"""Print a job's figures in the output of ``ckan harvester jobs``, which omits them."""

from __future__ import annotations

import io
from typing import Any, TextIO

from ckanext.harvest import utils


def _command_hides_figures() -> bool:
    output = io.StringIO()
    utils._print_harvest_job({"stats": {"added": 7351}}, output)
    return "7351" not in output.getvalue()


_stock_print = utils._print_harvest_job


def _print_job(job: dict[str, Any], output: TextIO) -> None:
    """Print a job as ``ckan harvester jobs`` does, then its figures."""
    _stock_print(job, output)
    for name, number in job.get("stats", {}).items():
        print(f"\t\t{name}: {number}", file=output)


def _patch_print() -> None:
    utils._print_harvest_job = _print_job


PATCHES = (("job-figures (ckan harvester jobs prints none)", _command_hides_figures, _patch_print),)
