"""``ckan ukharvest export``: write the whole catalogue to files."""

from __future__ import annotations

from pathlib import Path

import click

from ckanext.ukharvest import config
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.operations import export as exporting
from ckanext.ukharvest.operations.export.files import ExportError
from ckanext.ukharvest.operations.export.formats import unavailable
from ckanext.ukharvest.operations.export.manifest import Manifest
from ckanext.ukharvest.presentation.rendering.source_record.form import format_size

STEP = 1000  # datasets between two lines of progress
NEEDS_DCAT = "needs ckanext-dcat: pip install 'ckanext-ukharvest[dcat]'"


@click.command()
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the files go; default: ckanext.ukharvest.export.folder.",
)
@click.option(
    "--format",
    "formats",
    type=click.Choice(config.EXPORT_FORMATS),
    multiple=True,
    help="A format, more than once for several; default: ckanext.ukharvest.export.formats.",
)
@click.option("--quiet", is_flag=True, help="Print errors only: for cron.")
def export(folder: Path | None, formats: tuple[str, ...], quiet: bool) -> None:
    """Export the whole catalogue: all datasets that everybody may see.

    Writes gzip files and manifest.json, which has their number of datasets and checksums. The
    files of the last export stay until the new ones are complete.
    """
    folder = folder or config.export_folder()
    if folder is None:
        raise click.ClickException(
            "there is no folder for the export: set ckanext.ukharvest.export.folder or "
            "ckan.storage_path, or use --folder"
        )

    if missing := unavailable(formats):
        raise click.ClickException(f"{', '.join(missing)}: {NEEDS_DCAT}")

    def progress(done: int, total: int) -> None:
        if not quiet and done % STEP == 0:
            click.echo(f"{done:,} of {counted(total, 'dataset')}", err=True)

    try:
        made = exporting.export_catalogue(folder, formats or config.export_formats(), progress)
    except ExportError as exc:
        raise click.ClickException(exc.message) from exc
    if not quiet:
        _report(made, folder)
    if made["left_out"]:
        click.echo(
            f"{counted(made['left_out'], 'dataset')} could not be exported; the log says why",
            err=True,
        )


def _report(made: Manifest, folder: Path) -> None:
    click.echo(f"Exported {counted(made['datasets'], 'dataset')} to {folder}:")
    for file in made["files"]:
        click.echo(f"  {file['name']}  {format_size(file['bytes'])}  {file['sha256']}")
    if number := made["without_contact"]:
        click.echo(f"{counted(number, 'dataset')} without a contact")
    if made["unavailable"]:
        click.echo(f"Not written: {', '.join(made['unavailable'])}, which {NEEDS_DCAT}")
