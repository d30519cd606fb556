"""The whole catalogue as files: all public datasets in several formats, and a manifest.

``ckan ukharvest export`` writes them, web/pages/export.py serves them.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from ckanext.ukharvest import config
from ckanext.ukharvest import model as tables
from ckanext.ukharvest.model import datasets as counted
from ckanext.ukharvest.model import locks
from ckanext.ukharvest.operations.export import datasets, manifest
from ckanext.ukharvest.operations.export.catalogue import describe_catalogue
from ckanext.ukharvest.operations.export.files import (
    ExportError,
    ExportFile,
    disk_errors,
    sync_folder,
)
from ckanext.ukharvest.operations.export.formats import (
    FORMATS,
    ExportedDataset,
    Format,
    unavailable,
)
from ckanext.ukharvest.operations.export.manifest import Manifest

log = logging.getLogger(__name__)

Progress = Callable[[int, int], None]  # datasets done, and how many there are


def export_catalogue(folder: Path, names: Sequence[str], progress: Progress) -> Manifest:
    """Export the catalogue; return the new manifest.

    Each file takes its place when all are whole, and the manifest last. Formats that this portal
    cannot write are left out, and named in the manifest.

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
            files: dict[str, ExportFile] = {}
            missing = unavailable(names)
            for name in dict.fromkeys(name for name in names if name not in missing):
                files[name] = ExportFile(folder / f"{FORMATS[name].file}.gz")
                stack.callback(files[name].discard)
            return _publish(folder, files, _write(files, progress), missing)


def _write(files: dict[str, ExportFile], progress: Progress) -> Counter[str]:
    """Write all datasets; return how many, of these those without a contact, and those left out."""
    catalogue, total = describe_catalogue(), counted.count_exported()
    formats = [FORMATS[name] for name in files]
    counts: Counter[str] = Counter()
    for name, file in files.items():
        file.write(FORMATS[name].begin(catalogue))
    for package in datasets.read_all():
        exported = ExportedDataset(package or {}, catalogue)
        texts = _render(exported, formats) if package else None
        if texts is None:
            counts["left_out"] += 1
            continue
        for form, file, text in zip(formats, files.values(), texts, strict=True):
            file.write((form.between if counts["datasets"] else "") + text)
        counts["datasets"] += 1
        counts["without_contact"] += not exported.dataset.contact.is_reachable
        progress(counts["datasets"], max(counts["datasets"], total))
    for name, file in files.items():
        file.write(FORMATS[name].end)
        file.finish()
    return counts


def _render(dataset: ExportedDataset, formats: Sequence[Format]) -> list[str] | None:
    """Return a dataset in each format; None if one of them cannot hold it, so that all agree."""
    try:
        dataset.dataset  # noqa: B018 - the contact is counted in any format
        return [form.render(dataset) for form in formats]
    except Exception:  # noqa: BLE001 - one odd dataset must not cost the export
        log.exception("Export: dataset %s could not be written", dataset.package.get("id"))
        return None


def _publish(
    folder: Path, files: dict[str, ExportFile], counts: Counter[str], missing: list[str]
) -> Manifest:
    last = manifest.load(folder)
    checksums = {file["name"]: file["sha256"] for file in last["files"]} if last else {}
    date = tables.utcnow().strftime("%Y-%m-%dT%H:%M:%S+00:00")
    new: Manifest = {
        "catalogue": config.site_url(),
        "date": date,
        "datasets": counts["datasets"],
        "left_out": counts["left_out"],
        "without_contact": counts["without_contact"],
        "unavailable": missing,
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
                "datasets": counts["datasets"],
                "bytes": file.bytes,
                "sha256": file.sha256,
                "date": date,
            }
        )
    sync_folder(folder)
    manifest.save(folder, new)
    # Files of formats that are no longer exported.
    ours = {f"{form.file}.gz" for form in FORMATS.values()}
    for name in ours & checksums.keys() - {exported["name"] for exported in new["files"]}:
        with disk_errors(folder / name):
            (folder / name).unlink(missing_ok=True)
    return new
