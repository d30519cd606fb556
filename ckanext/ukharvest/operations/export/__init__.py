"""The whole catalogue as files: all public datasets in several formats, and a manifest.

``ckan ukharvest export`` writes them, web/pages/export.py serves them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import ckan.plugins.toolkit as tk

from ckanext.ukharvest import config
from ckanext.ukharvest import model as tables
from ckanext.ukharvest.model import datasets as counted
from ckanext.ukharvest.model import locks
from ckanext.ukharvest.operations.export import datasets, manifest
from ckanext.ukharvest.operations.export.dataset import Catalogue, read
from ckanext.ukharvest.operations.export.files import (
    ExportError,
    ExportFile,
    disk_errors,
    sync_folder,
)
from ckanext.ukharvest.operations.export.formats import FORMATS, Format, Package
from ckanext.ukharvest.operations.export.manifest import Manifest

log = logging.getLogger(__name__)

Progress = Callable[[int, int], None]  # datasets done, and how many there are


def export_catalogue(folder: Path, names: Sequence[str], progress: Progress) -> Manifest:
    """Export the catalogue; return the new manifest.

    Each file takes its place when all are whole, and the manifest last.

    Args:
        folder: made if it does not exist.
        names: of formats, some of ``FORMATS``.
        progress: called after each dataset.

    Raises:
        ExportError: another export is running, or the folder cannot be written; the last export
            was left as it is.
    """
    with locks.alone(locks.EXPORT) as is_alone:
        if not is_alone:
            raise ExportError("another export is running")
        with disk_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            files = {}
            for name in dict.fromkeys(names):
                files[name] = ExportFile(folder / f"{FORMATS[name].file}.gz")
                stack.callback(files[name].discard)
            done, left_out = _write(files, progress)
            return _publish(folder, files, done, left_out)


def _write(files: dict[str, ExportFile], progress: Progress) -> tuple[int, int]:
    """Write all datasets; return how many, and how many could not be exported."""
    catalogue, total = describe_catalogue(), counted.count_exported()
    formats = [FORMATS[name] for name in files]
    done = left_out = 0
    for name, file in files.items():
        file.write(FORMATS[name].begin(catalogue))
    for package in datasets.read_all():
        texts = _render(package, formats, catalogue) if package else None
        if texts is None:
            left_out += 1
            continue
        for form, file, text in zip(formats, files.values(), texts, strict=True):
            file.write((form.between if done else "") + text)
        done += 1
        progress(done, max(done, total))
    for name, file in files.items():
        file.write(FORMATS[name].end)
        file.finish()
    return done, left_out


def _render(package: Package, formats: Sequence[Format], catalogue: Catalogue) -> list[str] | None:
    """Return a dataset in each format; None if one of them cannot hold it, so that all agree."""
    try:
        dataset = read(package, catalogue)
        return [each.render(dataset, package, catalogue) for each in formats]
    except Exception:  # noqa: BLE001 - one odd dataset must not cost the export
        log.exception("Export: dataset %s could not be written", package.get("id"))
        return None


def _publish(folder: Path, files: dict[str, ExportFile], done: int, left_out: int) -> Manifest:
    last = manifest.load(folder)
    checksums = {each["name"]: each["sha256"] for each in last["files"]} if last else {}
    date = tables.utcnow().strftime("%Y-%m-%dT%H:%M:%S+00:00")
    new: Manifest = {
        "catalogue": config.site_url(),
        "date": date,
        "datasets": done,
        "left_out": left_out,
        "files": [],
    }
    for name, file in files.items():
        form = FORMATS[name]
        # An equal file stays, and with it the time by which clients know that they have it.
        if checksums.get(file.path.name) != file.sha256 or not file.path.is_file():
            file.publish()
        new["files"].append(
            {
                "name": file.path.name,
                "title": form.title,
                "format": name,
                "media_type": form.media_type,
                "url": f"{config.site_url()}{manifest.ROUTE}/{file.path.name}",
                "datasets": done,
                "bytes": file.bytes,
                "sha256": file.sha256,
                "date": date,
            }
        )
    sync_folder(folder)
    manifest.save(folder, new)
    _remove_old(folder, checksums.keys() - {each["name"] for each in new["files"]})
    return new


def _remove_old(folder: Path, names: set[str]) -> None:
    """Remove the files of formats that are no longer exported."""
    known = {f"{each.file}.gz" for each in FORMATS.values()}
    for name in names & known:
        with disk_errors(folder / name):
            (folder / name).unlink(missing_ok=True)


def describe_catalogue() -> Catalogue:
    """Return the portal's URL and what its settings say about it."""
    url = config.site_url()
    title = str(tk.config.get("ckan.site_title") or "CKAN")
    description = str(tk.config.get("ckan.site_description") or "")
    # The portal's emails come from it, so it is public already.
    email = str(tk.config.get("smtp.mail_from") or f"noreply@{urlsplit(url).hostname}")
    return Catalogue(url, title, description or title, email)
