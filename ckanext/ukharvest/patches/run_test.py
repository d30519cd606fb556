"""``ckan harvester run-test``: run a source of ours as ``ckan ukharvest run`` does.

ckanext-harvest's own command sends its job to the gather queue too, so that a live consumer reads
the source at the same time; has no heartbeat, by which the sweeper could tell that it works; and
needs factory_boy, which it takes from its tests.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable

from ckan import model
from ckanext.harvest import utils
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config
from ckanext.ukharvest.cli.run import run_in_foreground
from ckanext.ukharvest.compat import Patch
from ckanext.ukharvest.core.outcomes import RunMode

RunTest = Callable[[str, str | None], None]


def _alone(stock: RunTest) -> RunTest:
    @functools.wraps(stock)
    def run_test_harvester(source_id_or_name: str, force_import: str | None) -> None:
        """Run a source; with the identifier of a record, only this record."""
        package = model.Package.get(source_id_or_name)
        source = HarvestSource.get(package.id) if package else None
        if source is None or source.type not in config.our_type_names():
            stock(source_id_or_name, force_import)
            return
        sys.exit(run_in_foreground(source, RunMode.NORMAL, force_import or ""))

    return run_test_harvester


def _patch() -> None:
    utils.run_test_harvester = _alone(utils.run_test_harvester)


HOOKS = (
    Patch(
        "run-test-alone (for the sweeper)",
        {"ckanext.harvest.utils:run_test_harvester": "8d2cde791d77"},
        _patch,
    ),
)
