"""What the doctor checks of the exported catalogue."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from ckanext.ukharvest import config
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.export import files as export_files
from ckanext.ukharvest.export.files import FORMATS
from ckanext.ukharvest.harvest.model import utcnow
from ckanext.ukharvest.lib.checks import WARNING, Finding, check

EXPORT_AGE = datetime.timedelta(days=2)  # cron exports each night


@check("export", "No export of the catalogue is out of date.")
def old_export() -> Iterator[Finding]:
    """Find out whether exports have stopped, or leave datasets out; nothing without an export."""
    export = export_files.load_manifest(config.export_folder())
    if export is None:
        return
    made = datetime.datetime.fromisoformat(export["date"]).replace(tzinfo=None)
    if utcnow() - made > EXPORT_AGE:
        yield Finding(
            WARNING,
            "export",
            f"The last export of the catalogue is of {export['date'][:10]}.",
            "Run 'ckan ukharvest export', and see why cron does not. If it is no longer wanted, "
            f"remove {config.export_folder()}.",
        )
    if export["left_out"]:
        yield Finding(
            WARNING,
            "export",
            f"{counted(export['left_out'], 'dataset')} could not be exported.",
            "Run 'ckan ukharvest export': the log says why.",
        )
    if missing := export.get("unavailable"):
        yield Finding(
            WARNING,
            "export",
            f"The export has no {' and no '.join(FORMATS[name].title for name in missing)}: "
            "ckanext-dcat is not installed.",
            "Run \"pip install 'ckanext-ukharvest[dcat]'\", or take "
            f"{' and '.join(missing)} out of ckanext.ukharvest.export.formats.",
        )


DOCTOR = (old_export,)
