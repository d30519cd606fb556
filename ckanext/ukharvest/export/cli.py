"""``ckan ukharvest export`` and ``csw``: the whole catalogue as files, and a database for pycsw."""

from __future__ import annotations

import configparser
import io
from pathlib import Path

import click

from ckanext.ukharvest import config
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.export import csw as export_csw
from ckanext.ukharvest.export import files as export_files
from ckanext.ukharvest.export.dataset import Catalogue
from ckanext.ukharvest.export.files import (
    ExportError,
    Manifest,
    describe_catalogue,
    unavailable,
    write_atomically,
)

STEP = 1000  # datasets between two lines of progress
SETTINGS = "pycsw.cfg"
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
        made = export_files.export_catalogue(folder, formats or config.export_formats(), progress)
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
        click.echo(f"  {file['name']}  {file['bytes']:,} bytes  {file['sha256']}")
    if number := made["without_contact"]:
        click.echo(f"{counted(number, 'dataset')} without a contact")
    if made["unavailable"]:
        click.echo(f"Not written: {', '.join(made['unavailable'])}, which {NEEDS_DCAT}")


@click.command()
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the export; default: ckanext.ukharvest.export.folder.",
)
@click.option("--url", help="URL at which pycsw will answer; default: the portal's, with /csw.")
@click.option("--quiet", is_flag=True, help="Print errors only: for cron.")
def csw(folder: Path | None, url: str | None, quiet: bool) -> None:
    """Make csw.db of the exported datasets, for a CSW endpoint by pycsw.

    Run it after "ckan ukharvest export". If the folder has no pycsw.cfg, settings for
    pycsw are written there, too.
    """
    folder = folder or config.export_folder()
    if folder is None:
        raise click.ClickException("there is no export: run 'ckan ukharvest export' first")

    def progress(done: int) -> None:
        if not quiet and done % STEP == 0:
            click.echo(counted(done, "dataset"), err=True)

    catalogue = describe_catalogue()
    try:
        done = export_csw.build(folder, catalogue, progress)
        if not (folder / SETTINGS).exists():
            settings = _pycsw_settings(folder, catalogue, url or f"{catalogue.url}/csw")
            write_atomically(folder / SETTINGS, settings.encode("utf-8"))
    except ExportError as exc:
        raise click.ClickException(exc.message) from exc
    if not quiet:
        click.echo(f"Wrote {counted(done, 'record')} to {folder / export_csw.NAME}.")


def _pycsw_settings(folder: Path, catalogue: Catalogue, url: str) -> str:
    """Return settings of pycsw 2.6; it needs all of these."""
    contact = "name position address city stateorprovince postalcode country phone fax hours"
    settings = configparser.RawConfigParser()
    settings.read_dict(
        {
            "server": {
                "url": _line(url),
                "mimetype": "application/xml; charset=UTF-8",
                "encoding": "UTF-8",
                "language": "en-GB",
                "maxrecords": "100",
                "profiles": "apiso",
            },
            "manager": {"transactions": "false"},
            "metadata:main": {
                "identification_title": _line(catalogue.title),
                "identification_abstract": _line(catalogue.description),
                "identification_keywords": "catalogue,discovery,metadata",
                "identification_keywords_type": "theme",
                "identification_fees": "None",
                "identification_accessconstraints": "None",
                "provider_name": _line(catalogue.title),
                "provider_url": _line(catalogue.url),
                **{f"contact_{key}": "" for key in (*contact.split(), "instructions")},
                "contact_email": _line(catalogue.email),
                "contact_url": _line(catalogue.url),
                "contact_role": "pointOfContact",
            },
            "metadata:inspire": {"enabled": "false"},
            "repository": {
                "database": _line(f"sqlite:///{(folder / export_csw.NAME).resolve()}"),
                "table": export_csw.TABLE,
            },
        }
    )
    text = io.StringIO()
    settings.write(text)
    return text.getvalue()


def _line(text: str) -> str:
    """Return a text for a line of settings, where % and $ would stand for other values."""
    return " ".join(text.split()).replace("%", "%%").replace("$", "")


COMMANDS = (csw, export)
