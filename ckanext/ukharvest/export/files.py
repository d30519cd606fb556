"""The export: its formats, and its files, which take their place once they are whole."""

from __future__ import annotations

import functools
import hashlib
import json
import logging
import os
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ckan import model
from ckan.plugins import toolkit as tk

from ckanext.ukharvest import config
from ckanext.ukharvest.core.errors import UkharvestError
from ckanext.ukharvest.core.values.web_addresses import parse_email, parse_url
from ckanext.ukharvest.export import data_json, rdf
from ckanext.ukharvest.export.dataset import (
    Agent,
    Catalogue,
    Dataset,
    Fields,
    name_relations,
    parse_or_empty,
    read,
    uri_of,
)
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.harvest.batch import dataset_rows

log = logging.getLogger(__name__)


class ExportError(UkharvestError):
    """The catalogue was not exported; the files of the last export are as they were."""

    code = "export"


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn errors of the disk into ExportError.

    Raises:
        ExportError: names the file, and what the system says: "No space left on device".
    """
    try:
        yield
    except OSError as exc:
        message = f"{path}: {exc.strerror or exc}; the last export was left as it is"
        raise ExportError(message) from exc


class ExportFile:
    """A new version of a file; ``publish`` or ``discard`` it.

    Its name while it is written is always the same, so that one that a killed process left is
    written over. Equal contents give equal files: gzip's header has neither a time nor a name.

    Attributes:
        path: its place, in a folder that exists.
        bytes: of what was written so far, compressed.

    Raises:
        ExportError: here and in all methods but ``discard``: the disk is full, or refuses.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.bytes = 0
        self._sum = hashlib.sha256()
        self._gzip = zlib.compressobj(wbits=31)  # 16 for gzip, 15 for a window of 32 kB
        self._part = path.with_name(f".{path.name}.part")
        with disk_errors(path):
            self._file = self._part.open("wb")

    @property
    def sha256(self) -> str:
        """Return the checksum in hex."""
        return self._sum.hexdigest()

    def write(self, text: str) -> None:
        self._put(self._gzip.compress(text.encode("utf-8", "replace")))

    def _put(self, data: bytes) -> None:
        with disk_errors(self.path):
            self._file.write(data)
        self.bytes += len(data)
        self._sum.update(data)

    def finish(self) -> None:
        """Write all that is buffered to the disk; the file still has its temporary name."""
        self._put(self._gzip.flush())
        with disk_errors(self.path):
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()

    def publish(self) -> None:
        """Put the finished file into its place."""
        with disk_errors(self.path):
            os.replace(self._part, self.path)

    def discard(self) -> None:
        """Remove the file unless it is published. Never raises."""
        with suppress(OSError, ValueError):
            self._file.close()
        with suppress(OSError):
            self._part.unlink()


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a small file.

    Raises:
        ExportError: the disk is full, or refuses.
    """
    part = path.with_name(f".{path.name}.part")
    with disk_errors(path):
        try:
            with part.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Write new names of files to the disk, where the file system can."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


# Fields in which portals keep an organisation's contact: of data.gov.uk, of ckanext-dcat.
_EMAILS = ("contact-email", "contact_email", "email")
_NAMES = ("contact-name", "contact_name")


def describe_catalogue() -> Catalogue:
    """Return the portal's URL and what its settings say about it.

    Each organisation is read once, when a dataset asks for its contact.
    """
    url = config.site_url()
    title = str(tk.config.get("ckan.site_title") or "CKAN")
    # By an email address or the URL of a page; nobody for any other text.
    text = config.own_http_contact()
    email, page = parse_or_empty(parse_email, text), parse_or_empty(parse_url, text)
    return Catalogue(
        url,
        title,
        description=str(tk.config.get("ckan.site_description") or title),
        # The portal's emails come from it, so it is public already.
        email=str(tk.config.get("smtp.mail_from") or f"noreply@{urlsplit(url).hostname}"),
        contact=Agent(title, email, "" if email else page) if email or page else Agent(),
        contact_of=functools.cache(_contact_of_organization),
        language=config.portal_language(),
    )


def _contact_of_organization(id_: str) -> Agent:
    """Return the contact that an anonymous visitor sees of an organisation, nobody for none."""
    context = {"model": model, "session": model.Session, "user": "", "ignore_auth": False}
    names = ("datasets", "dataset_count", "users", "groups", "tags", "followers")
    few = {f"include_{name}": False for name in names}
    try:
        organisation = tk.get_action("organization_show")(context, {"id": id_, **few})
    except (tk.NotAuthorized, tk.ObjectNotFound):
        return Agent()
    fields = Fields(organisation)
    email = fields.valid(parse_email, *_EMAILS)
    return Agent(fields.text(*_NAMES, "title", "name"), email) if email else Agent()


PAGE = 200


def read_all() -> Iterator[tuple[dict[str, Any] | None, Mapping[str, str]]]:
    """Yield each public active dataset as ``package_show`` gives it to an anonymous visitor.

    With it, by reference, the ids of exported datasets that it names as its whole or its parts.

    In the order of their ids, which is a keyset: a dataset that is added or removed meanwhile
    neither repeats nor hides another. Memory and transaction last for one page.

    Not by package_search or from the index, which would be faster: only package_show has all that
    portals add to it to hide datasets or fields (auth functions, chained actions, hooks), and
    notices that the index is out of date.

    Yields:
        None in place of one that could not be read; the log says why.
    """
    last = ""
    while ids := dataset_rows.exported_ids(last, PAGE):
        relations = dataset_rows.exported_relations(ids)
        for id_ in ids:
            try:
                yield _show(id_), relations.get(id_, {})
            except (tk.NotAuthorized, tk.ObjectNotFound):
                continue  # hidden by another plugin, or deleted just now
            except Exception:  # noqa: BLE001 - other plugins' code; one dataset must not cost all
                log.exception("Export: dataset %s could not be read", id_)
                model.Session.rollback()
                yield None, {}
        last = ids[-1]
        model.Session.rollback()
        model.Session.expunge_all()


def _show(id_: str) -> dict[str, Any]:
    context = {"model": model, "session": model.Session, "user": "", "ignore_auth": False}
    return dict(tk.get_action("package_show")(context, {"id": id_}))


NAME = "manifest.json"
ROUTE = "/catalogue/export"

# ``catalogue`` (the portal's URL), ``date`` (ISO 8601, UTC), ``datasets`` (their number),
# ``left_out`` (public datasets that could not be exported; the log says why), ``without_contact``
# (exported ones for which nobody can be asked), ``unavailable`` (formats of the settings that need
# ckanext-dcat, which is not installed) and ``files``: dicts with ``name`` (ends in .gz), ``title``,
# ``format``, ``media_type``, ``url``, ``datasets``, ``date``, and ``bytes`` and ``sha256`` of the
# compressed file.
Manifest = dict[str, Any]


def load_manifest(folder: Path | None) -> Manifest | None:
    """Return the manifest of the last export, None if there is none that can be read."""
    if folder is None:
        return None
    try:
        stored: Any = json.loads((folder / NAME).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        log.exception("The manifest of the export could not be read: %s", folder / NAME)
        return None
    is_whole = isinstance(stored, dict) and isinstance(stored.get("files"), list)
    return stored if is_whole else None


def save_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest.

    Raises:
        ExportError: the disk is full, or refuses.
    """
    text = json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"
    write_atomically(folder / NAME, text.encode("utf-8"))


Package = Mapping[str, Any]


class ExportedDataset:
    """A dataset as the formats need it; each of them is made once, however many formats.

    Args:
        relations: reference to another exported dataset → that one's id.
    """

    def __init__(
        self, package: Package, catalogue: Catalogue, relations: Mapping[str, str] | None = None
    ) -> None:
        self.package = package
        self._catalogue = catalogue
        uris = {name: uri_of(id_, catalogue) for name, id_ in (relations or {}).items()}
        # In the files a dataset has that identifier, and its parts have to name it by that.
        self._linked = name_relations(package, uris) if uris else package

    @cached_property
    def dataset(self) -> Dataset:
        """Return what the package dict says."""
        return read(self._linked, self._catalogue)

    @cached_property
    def n_triples(self) -> str:
        """Return the dataset as N-Triples."""
        return rdf.triples(self.dataset, self._linked, self._catalogue)


@dataclass(frozen=True, slots=True)
class Format:
    """A format of the export.

    Attributes:
        title: for the manifest and the link; a name, which is not translated.
        file: name of the file without ".gz".
        begin: the text before the first dataset.
        render: a dataset's text.
        between, end: texts between two datasets and after the last.
        needs_dcat: whether ckanext-dcat has to be installed.
    """

    title: str
    file: str
    media_type: str
    begin: Callable[[Catalogue], str]
    render: Callable[[ExportedDataset], str]
    between: str = ""
    end: str = ""
    needs_dcat: bool = False


FORMATS = {
    "data_json": Format(
        "data.json (DCAT-US)",
        "data.json",
        "application/json",
        data_json.begin,
        lambda one: data_json.render(one.dataset),
        between=",\n",
        end="\n]}\n",
    ),
    "jsonl": Format(
        "JSON Lines (package_show)",
        "datasets.jsonl",
        "application/jsonl",
        lambda _catalogue: "",
        lambda one: json.dumps(one.package, ensure_ascii=False) + "\n",
    ),
    "turtle": Format(
        "Turtle (DCAT-AP)",
        "catalogue.ttl",
        "text/turtle",
        rdf.begin_turtle,
        lambda one: rdf.turtle(one.n_triples),
        needs_dcat=True,
    ),
    "ntriples": Format(
        "N-Triples (DCAT-AP)",
        "catalogue.nt",
        "application/n-triples",
        rdf.begin_n_triples,
        lambda one: one.n_triples,
        needs_dcat=True,
    ),
}


def unavailable(names: Iterable[str]) -> list[str]:
    """Return those formats that this portal cannot write: ckanext-dcat is not installed."""
    return [name for name in names if FORMATS[name].needs_dcat and not rdf.is_available()]


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
    with database.hold_alone(database.EXPORT) as is_alone:
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
    catalogue, total = describe_catalogue(), dataset_rows.count_exported()
    formats = [FORMATS[name] for name in files]
    counts: Counter[str] = Counter()
    for name, file in files.items():
        file.write(FORMATS[name].begin(catalogue))
    for package, relations in read_all():
        exported = ExportedDataset(package or {}, catalogue, relations)
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
    last = load_manifest(folder)
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
                "url": f"{config.site_url()}{ROUTE}/{file.path.name}",
                "datasets": counts["datasets"],
                "bytes": file.bytes,
                "sha256": file.sha256,
                "date": date,
            }
        )
    sync_folder(folder)
    save_manifest(folder, new)
    # Files of formats that are no longer exported.
    ours = {f"{form.file}.gz" for form in FORMATS.values()}
    for name in ours & checksums.keys() - {exported["name"] for exported in new["files"]}:
        with disk_errors(folder / name):
            (folder / name).unlink(missing_ok=True)
    return new
