"""Tables of datasets: CSV or the first sheet of an XLSX, a row for each dataset or each file.

The first row names the columns as data.json's fields, in any case and with any spaces ("Download
URL"). `title` is required; any other column is kept as an extra field.

- `downloadURL`, `accessURL`, `format` and `mediaType` are about a file, as are names that begin
  with `distribution.`, such as `distribution.title`. Further files have further rows, with the same
  identifier and the rest empty.
- Without `identifier`, title and publisher identify a dataset: if one of them changes, it is added
  again.
- A cell can have several keywords or languages (separated by a comma, a semicolon or a line), or
  several themes and references (by a semicolon or a line).
- A sheet of Google Sheets is read from its usual URL, if everyone can open it.
- At most 100,000 rows, 500 columns and 50 MB of text, and an XLSX of 10 MB. An empty table deletes
  nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from ckanext.ukharvest.core.document_kind import sent_as
from ckanext.ukharvest.core.errors import ParseError, ProtocolError
from ckanext.ukharvest.core.fingerprint import ordered_json
from ckanext.ukharvest.core.records import Ending, Problem, RawRecord, Reader, Source
from ckanext.ukharvest.core.values.identifiers import parse_identifier
from ckanext.ukharvest.core.values.text import fold_name, shorten
from ckanext.ukharvest.readers import spreadsheet
from ckanext.ukharvest.readers.walk import MOST_PROBLEMS, describe_empty_list, request, unchanged

ACCEPT = "text/csv, application/vnd.openxmlformats-officedocument.spreadsheetml.sheet, */*;q=0.1"
OF_FILE = "distribution."  # what the names of a file's columns begin with, but for these:
FILE_COLUMNS = ("downloadURL", "accessURL", "format", "mediaType")
# Columns of which a cell can have several values → what separates them; labels have commas.
_SEPARATORS = {"keyword": "[,;\n]", "theme": "[;\n]", "language": "[,;\n]", "references": "[;\n]"}
_GOOGLE = re.compile(
    r"(https://docs\.google\.com/spreadsheets/d/(e/)?[\w-]+)/(?:edit|view|htmlview|pubhtml)\b"
)


def sheet_url(url: str) -> str:
    """Return the URL that a Google sheet's page has as CSV, any other URL as it is."""
    page = _GOOGLE.match(url)
    if not page:
        return url
    sheet = re.search(r"[?#&]gid=(\d+)", url)
    query = "/pub?single=true&output=csv" if page[2] else "/export?format=csv"
    return page[1] + query + (f"&gid={sheet[1]}" if sheet else "")


@dataclass
class _Dataset:
    """What the rows of one dataset say; ``row`` is the number of the first."""

    guid: str
    row: int
    values: dict[str, str]
    files: list[dict[str, str]]


@dataclass(frozen=True)
class DatasetTable(Reader):
    """Reads a table and makes a record of the rows of each dataset.

    Args:
        columns: names of data.json's fields, which are found in any case and with any spaces.
    """

    columns: Collection[str]

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield a record for each dataset; the table is read to its end before the first.

        Raises:
            SourceError: no answer, neither CSV nor XLSX, or no column ``title``.
        """
        with closing(request(source, ACCEPT, sheet_url(source.url))) as reply:
            if reply.not_modified:
                return unchanged(source)
            problems: list[Problem] = []
            folded = {fold_name(name) for name in self.columns}
            rows = spreadsheet.read_rows(reply.body, source.url, folded, problems, reply.media_type)
            names = self._header(next(rows, (1, []))[1], source.url, reply.media_type)
            datasets = _datasets(rows, names, problems)
            validators = {source.url: reply.validators}
        for dataset in datasets:
            yield _record(dataset, source.url)
        shown = tuple(problems[:MOST_PROBLEMS])
        if not datasets:
            reason = describe_empty_list(source.url, "dataset")
            return Ending(complete=False, reason=reason, problems=shown)
        # The client has compared the length with the declared one, so no row is missing.
        return Ending(complete=True, validators=validators, problems=shown)

    def _header(self, cells: Sequence[str], url: str, media_type: str) -> list[str]:
        """Return the names of the columns, those of data.json in its spelling."""
        names = {fold_name(name): name for name in self.columns}
        names |= {fold_name(name): OF_FILE + name for name in FILE_COLUMNS} | {"licence": "license"}
        header = [names.get(fold_name(cell), cell) for cell in cells]
        for number, name in enumerate(header):
            if name and name in header[:number]:
                columns = f"columns {header.index(name) + 1} and {number + 1}"
                message = f"{url}: row 1, {columns}: both are '{shorten(cells[number], 40)}'"
                raise ProtocolError(f"{message}; expected each name once", url=url)
        if "title" not in header:
            row = f"'{shorten(', '.join(filter(None, cells)), 100)}'" if cells else "nothing"
            raise ProtocolError(
                f"{url} is not a table with a column title: row 1 has {row}"
                f"{sent_as(media_type, 'csv', 'sheet')}; expected CSV or XLSX whose first row names"
                " the columns, such as identifier, title, description and downloadURL",
                url=url,
            )
        return header


def _datasets(
    rows: Iterator[tuple[int, list[str]]], header: Sequence[str], problems: list[Problem]
) -> list[_Dataset]:
    """Return the datasets in the order of their first rows."""
    datasets: list[_Dataset] = []
    by_guid: dict[str, _Dataset] = {}
    for number, cells in rows:
        values = {name: cell for name, cell in zip(header, cells, strict=False) if name and cell}
        if len(values) < sum(map(bool, cells)):
            message = f"row {number}: a value in a column without a name in row 1 is not used"
            problems.append(Problem("unused-cell", "", message))
        file = {name: values.pop(name) for name in [*values] if name.startswith(OF_FILE)}
        title = values.get("title", "")
        key = (title, values.get("publisher", "")) if title else ()
        identity = " | ".join(" ".join(text.casefold().split()) for text in key if text)
        guid = parse_identifier(values.get("identifier") or identity)
        dataset = by_guid.get(guid)
        first_title = dataset.values.get("title", "") if dataset else ""
        is_other = "identifier" in values and title not in ("", first_title)
        # Another title is refused by numbered_pages.unique.
        if not guid or dataset is None or is_other:
            dataset = _Dataset(guid, number, values, [])
            datasets.append(dataset)
            by_guid.setdefault(guid, dataset)
        for name, value in values.items():
            if value != dataset.values.get(name):
                message = f"not as in row {dataset.row} of the same dataset, whose value is used"
                message = f"row {number}, column {name}: {message}"
                problems.append(Problem("unused-cell", name, message))
        if file := {name.removeprefix(OF_FILE): file[name] for name in file}:
            if "downloadURL" in file and not file.keys() & {"mediaType", "accessURL"}:
                # data.json expects a media type with a download, which few people know.
                file["accessURL"] = file.pop("downloadURL")
            dataset.files.append(file)
    return datasets


def _record(dataset: _Dataset, url: str) -> RawRecord:
    place = f"row {dataset.row}"
    error = None
    if "title" not in dataset.values:
        name = "title" if dataset.guid else "identifier"
        message = f"{place}, column {name}: empty; expected a title, and an identifier that stays"
        error = ParseError(f"{message} the same", code=f"missing-{name}")
    entry: dict[str, Any] = {
        name: [part.strip() for part in re.split(_SEPARATORS[name], value) if part.strip()]
        if name in _SEPARATORS
        else value
        for name, value in dataset.values.items()
    }
    if dataset.files:
        entry["distribution"] = dataset.files
    modified = dataset.values.get("modified", "")
    return RawRecord(dataset.guid, ordered_json(entry), url, modified, position=place, error=error)
