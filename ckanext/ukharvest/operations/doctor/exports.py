"""Check of the exported catalogue."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from ckanext.ukharvest import config
from ckanext.ukharvest import model as tables
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.operations.doctor.finding import WARNING, Finding
from ckanext.ukharvest.operations.export import manifest
from ckanext.ukharvest.operations.export.formats import FORMATS

OLD = datetime.timedelta(days=2)  # cron exports each night


def old_export() -> Iterator[Finding]:
    """Find out whether exports have stopped, or leave datasets out; nothing without an export."""
    found = manifest.load(config.export_folder())
    if found is None:
        return
    made = datetime.datetime.fromisoformat(found["date"]).replace(tzinfo=None)
    if tables.utcnow() - made > OLD:
        yield Finding(
            WARNING,
            "export",
            f"The last export of the catalogue is of {found['date'][:10]}.",
            "Run 'ckan ukharvest export', and see why cron does not. If it is no longer wanted, "
            f"remove {config.export_folder()}.",
        )
    if found["left_out"]:
        yield Finding(
            WARNING,
            "export",
            f"{counted(found['left_out'], 'dataset')} could not be exported.",
            "Run 'ckan ukharvest export': the log says why.",
        )
    if missing := found.get("unavailable"):
        yield Finding(
            WARNING,
            "export",
            f"The export has no {' and no '.join(FORMATS[name].title for name in missing)}: "
            "ckanext-dcat is not installed.",
            "Run \"pip install 'ckanext-ukharvest[dcat]'\", or take "
            f"{' and '.join(missing)} out of ckanext.ukharvest.export.formats.",
        )
