"""What a first run would change in datasets that are here: by field, with examples, and files.

A trial of a source whose datasets another harvester made adds them up; it saves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypedDict

from ckanext.ukharvest.core.dataset_changes import DATASET, FieldChange
from ckanext.ukharvest.core.records import extra_values
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.reading.preview_result import EXAMPLES, LONGEST, PreviewResult

MOST_FILES = 5000  # that are listed
OF_FILES = "file"  # what a changed field belongs to, beside DATASET

# Why a file goes.
IS_NO_DATA = _("It is a link that is no data, such as that of a contact or a thesaurus.")
IS_REPEATED = _("Another file of the dataset has the same URL.")
IS_NOT_LISTED = _("The record has no such file.")


class RemovedFile(TypedDict):
    """A file that a first run would remove; ``name``: of its dataset; ``reason``: English."""

    name: str
    id: str
    title: str
    url: str
    reason: str


class ChangedExample(TypedDict):
    """A change of one dataset, whose name this is; texts as in ``FieldChange``."""

    name: str
    old: str
    new: str


class ChangedField(TypedDict):
    """A field that would change; ``of``: DATASET or OF_FILES; ``records``: number of datasets."""

    field: str
    of: str
    records: int
    examples: list[ChangedExample]


class AdoptionChanges(TypedDict):
    """What a first run would change in the datasets that it adopts.

    unchanged, changed: numbers of datasets. missing: of those that the source does not list; None
    if not all records were read. fields: those of most datasets first. files: the first 5,000 that
    go; files_count: number of all.
    """

    unchanged: int
    changed: int
    missing: int | None
    fields: list[ChangedField]
    files: list[RemovedFile]
    files_count: int


class DatasetChanges:
    """Adds up the changes of datasets: call ``add`` for each that is updated, then ``result``."""

    def __init__(self) -> None:
        self._unchanged = self._changed = self._files_count = 0
        self._fields: dict[tuple[str, str], ChangedField] = {}
        self._files: list[RemovedFile] = []

    def add(self, name: str, changed: Sequence[FieldChange], files: Sequence[RemovedFile]) -> None:
        """Add a dataset: its name, changed fields, and files that go."""
        self._changed += bool(changed)
        self._unchanged += not changed
        self._files_count += len(files)
        self._files += files[: MOST_FILES - len(self._files)]
        seen = set()
        for change in changed:
            key = change.field, DATASET if change.of == DATASET else OF_FILES
            new: ChangedField = {"field": key[0], "of": key[1], "records": 0, "examples": []}
            field = self._fields.setdefault(key, new)
            field["records"] += key not in seen
            if key not in seen and len(field["examples"]) < EXAMPLES:
                old, now = shorten(change.old, LONGEST), shorten(change.new, LONGEST)
                field["examples"].append({"name": name, "old": old, "new": now})
            seen.add(key)

    def result(self, missing: int | None) -> AdoptionChanges:
        """Return the sum."""
        fields = sorted(
            self._fields.values(), key=lambda field: (-field["records"], field["field"])
        )
        return {
            "unchanged": self._unchanged,
            "changed": self._changed,
            "missing": missing,
            "fields": fields,
            "files": self._files,
            "files_count": self._files_count,
        }


def list_removed_files(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[RemovedFile]:
    """Yield the files of a dataset that an update removed, with the reasons.

    Args:
        before, after: as package_show gives them.
    """
    files = after.get("resources") or ()
    ids, urls = ({file[key] for file in files} for key in ("id", "url"))
    extras = extra_values(after)
    links = str({**extras, **after}.get("unlinked-resource-locators") or "")
    for file in before.get("resources") or ():
        if file["id"] in ids:
            continue
        url = str(file.get("url") or "")
        reason = IS_NO_DATA if url and url in links else IS_NOT_LISTED
        yield {
            "name": str(before["name"]),
            "id": file["id"],
            "title": shorten(str(file.get("name") or ""), LONGEST),
            "url": shorten(url, LONGEST),
            "reason": IS_REPEATED if url in urls else reason,
        }


# Of the CSV.
CHANGE_COLUMNS = ("source", "what", "field", "number", "dataset", "old", "new", "reason")


def change_rows(result: PreviewResult) -> Iterator[dict[str, Any]]:
    """Yield the rows of the CSV: numbers, then changed fields, refused fields, files that go."""
    adopted, refused = result["adopted"], result["refused"]
    numbers = {"new": result["changes"].get("added", 0)}
    if refused:
        numbers["refused"] = refused["records"]
    if adopted:
        numbers |= {key: adopted[key] for key in ("unchanged", "changed")}
        numbers |= {} if adopted["missing"] is None else {"missing": adopted["missing"]}
    yield from ({"what": what, "number": number} for what, number in numbers.items())
    for field in adopted["fields"] if adopted else ():
        of_files = "" if field["of"] == DATASET else " (of files)"
        name = field["field"] + of_files
        for change in field["examples"]:
            texts = {"dataset": change["name"], "old": change["old"], "new": change["new"]}
            yield {"what": "changed", "field": name, "number": field["records"], **texts}
    for row in refused["fields"] if refused else ():
        for reason in row["reasons"]:
            told = {"number": reason["records"], "reason": reason["text"]}
            yield {"what": "refused", "field": row["field"], **told}
    for file in adopted["files"] if adopted else ():
        place = {"dataset": file["name"], "old": file["url"]}
        yield {"what": "file goes", **place, "reason": file["reason"]}
