"""Tables of datasets: CSV or the first sheet of an XLSX, a row for each dataset or each file.

A row names the columns as data.json's fields, in any case and with any spaces ("Download URL"), or
as people do: "Dataset title", "Summary", "Tags", "File URL", "Last updated". Lines above it are
ignored, such as a heading. A title is required; any other column is kept as an extra field.

- `downloadURL`, `accessURL`, `format`, `mediaType` and `byteSize` are about a file, as are names
  that begin with `distribution.`, such as `distribution.title`. Further files have further rows,
  with the same identifier and the rest empty.
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
from itertools import islice
from typing import Any

from ckanext.ukharvest.core.document_kind import sent_as
from ckanext.ukharvest.core.errors import ParseError, ProtocolError
from ckanext.ukharvest.core.fingerprint import ordered_json
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Ending, Problem, RawRecord, Reader, Source
from ckanext.ukharvest.core.values.identifiers import parse_identifier
from ckanext.ukharvest.core.values.text import fold_name, shorten
from ckanext.ukharvest.readers import spreadsheet
from ckanext.ukharvest.readers.walk import MOST_PROBLEMS, describe_empty_list, request, unchanged

ACCEPT = "text/csv, application/vnd.openxmlformats-officedocument.spreadsheetml.sheet, */*;q=0.1"
OF_FILE = "distribution."  # what the names of a file's columns begin with, but for these:
FILE_COLUMNS = ("downloadURL", "accessURL", "format", "mediaType", "byteSize")
# Field of data.json → how people head its column, folded; used where the field's own name is not.
_HEADINGS = {
    "title": "datasettitle datasetname titleofdataset nameofdataset name dataset",
    "description": "summary abstract notes about datasetdescription",
    "keyword": "keywords tags tag",
    "identifier": "id datasetid uniqueid datasetidentifier uniqueidentifier",
    "publisher": "organisation organization publishedby publishername council",
    "contactPoint": "contact contactname contactpointfn",
    "contactEmail": "email emailaddress publisheremail contactemailaddress contactpointhasemail",
    "license": "licencetype licencename datalicence",
    "issued": "published datepublished publicationdate publisheddate firstpublished releasedate",
    "modified": "updated lastupdated lastupdate dateupdated lastmodified datemodified",
    "accrualPeriodicity": "updatefrequency frequencyofupdate frequencyofupdates",
    "la_function": "lgafunction lgafunctions lafunctions",
    "la_service": "lgaservice lgaservices laservices lgsl",
    "theme": "themes topic topics category categories",
    "spatial": "spatialcoverage geographiccoverage geographicarea location",
    "temporal": "temporalcoverage timeperiod periodcovered",
    "temporal.startDate": "temporalstartdate",
    "temporal.endDate": "temporalenddate",
    "language": "languages",
    "landingPage": "webpage datasetpage moreinformation",
    "distribution.downloadURL": "url link fileurl filelink downloadlink datalink dataurl file",
    "distribution.schema_url": "schemaurl",
    "distribution.format": "fileformat filetype dataformat",
    "distribution.title": "filetitle filename resourcetitle resourcename",
}
_FIELDS = {heading: field for field, words in _HEADINGS.items() for heading in words.split()}
# A table of other things has a title, too.
_USUAL = frozenset(("description", "keyword", "license", "modified", "distribution.downloadURL"))
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


Row = tuple[int, list[str]]  # its number, from 1, and its cells


@dataclass(frozen=True)
class Header:
    """The names of a table's columns.

    Attributes:
        identifying: those by which datasets may be identified.
    """

    names: Sequence[str]
    identifying: frozenset[str]


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
            SourceError: no answer, neither CSV nor XLSX, or no title.
        """
        with closing(request(source, ACCEPT, sheet_url(source.url))) as reply:
            if reply.not_modified:
                return unchanged(source)
            problems: list[Problem] = []
            folded = {fold_name(name) for name in self.columns} | _FIELDS.keys()
            rows = spreadsheet.read_rows(reply.body, source.url, folded, problems, reply.media_type)
            datasets = _datasets(*self._read_header(rows, source.url, reply.media_type), problems)
            validators = {source.url: reply.validators}
        for dataset in datasets:
            yield _record(dataset, source.url)
        shown = tuple(problems[:MOST_PROBLEMS])
        if not datasets:
            reason = describe_empty_list(source.url, "dataset")
            return Ending(complete=False, reason=reason, problems=shown)
        # The client has compared the length with the declared one, so no row is missing.
        return Ending(complete=True, validators=validators, problems=shown)

    def _read_header(
        self, rows: Iterator[Row], url: str, media_type: str
    ) -> tuple[Iterator[Row], Header]:
        """Return the rows below the header, and the header.

        Raises:
            ProtocolError: there is none, or a column is there twice.
        """
        first: list[Row] = []
        for row in islice(rows, spreadsheet.HEADER_ROWS):
            first.append(row)
            if header := self.header(row[1]):
                _refuse_twins(header.names, row, url)
                return rows, header
        cells = first[0][1] if first else []
        found = f"'{shorten(', '.join(filter(None, cells)), 100)}'" if cells else "nothing"
        raise ProtocolError(
            Message(
                "{url} is not a table with a column title: row 1 has {found}{sent}; expected"
                " CSV or XLSX in which a row names the columns, such as identifier, title,"
                " description and downloadURL",
                url=url,
                found=found,
                sent=sent_as(media_type, "csv", "sheet"),
            ),
            url=url,
        )

    def header(self, cells: Sequence[str]) -> Header | None:
        """Return the names of a row's columns, those of data.json in its spelling.

        Where they have a ``title``, columns headed otherwise identify nothing: what identified the
        datasets before they were known stays.

        Returns:
            None if this is no header: it names no title, or nothing else.
        """
        fields = {fold_name(name): name for name in self.columns}
        fields |= {fold_name(name): OF_FILE + name for name in FILE_COLUMNS}
        fields |= {"licence": "license"}
        names = [fields.get(fold_name(cell), cell) for cell in cells]
        is_usual = "title" in names
        own = frozenset(names)
        for number, cell in enumerate(cells):
            field = _FIELDS.get(fold_name(cell), "")
            is_free = names[number] in (cell, "@id") and field and field not in names
            if is_free and not (is_usual and field == "identifier"):
                names[number] = field
        is_known = "title" in names and len(frozenset(fields.values()).intersection(names)) > 1
        if not (is_usual or is_known):
            return None
        return Header(names, own if is_usual else frozenset(names))

    def recognise(self, text: str) -> bool:
        """Tell whether CSV begins as a table of datasets."""
        lines = (re.split("[,;\t|]", line) for line in text.splitlines()[: spreadsheet.HEADER_ROWS])
        headers = filter(None, (self.header([c.strip(' "') for c in cells]) for cells in lines))
        names = frozenset(header.names) if (header := next(headers, None)) else frozenset()
        return (
            "identifier" in names
            or f"{OF_FILE}accessURL" in names
            or {"description", "modified"} <= names
            or len(names & _USUAL) > 2
        )


def _refuse_twins(header: Sequence[str], row: Row, url: str) -> None:
    for number, name in enumerate(header):
        if name and name in header[:number]:
            columns = Message(
                "columns {first} and {second}", first=header.index(name) + 1, second=number + 1
            )
            message = Message(
                "{url}: row {row}, {columns}: both are '{name}'; expected each name once",
                url=url,
                row=row[0],
                columns=columns,
                name=shorten(row[1][number], 40),
            )
            raise ProtocolError(message, url=url)


def _datasets(rows: Iterator[Row], header: Header, problems: list[Problem]) -> list[_Dataset]:
    """Return the datasets in the order of their first rows."""
    datasets: list[_Dataset] = []
    by_guid: dict[str, _Dataset] = {}
    for number, cells in rows:
        values = {
            name: cell for name, cell in zip(header.names, cells, strict=False) if name and cell
        }
        if len(values) < sum(map(bool, cells)):
            message = Message(
                "row {number}: a value in a column without a name is not used", number=number
            )
            problems.append(Problem("unused-cell", "", message))
        file = {name: values.pop(name) for name in [*values] if name.startswith(OF_FILE)}
        title = values.get("title", "")
        publisher = values.get("publisher", "") if "publisher" in header.identifying else ""
        key = (title, publisher) if title else ()
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
                message = Message(
                    "not as in row {row} of the same dataset, whose value is used", row=dataset.row
                )
                message = Message(
                    "row {number}, column {name}: {message}",
                    number=number,
                    name=name,
                    message=message,
                )
                problems.append(Problem("unused-cell", name, message))
        if file := {name.removeprefix(OF_FILE): file[name] for name in file}:
            if "downloadURL" in file and not file.keys() & {"mediaType", "accessURL"}:
                # data.json expects a media type with a download, which few people know.
                file["accessURL"] = file.pop("downloadURL")
            dataset.files.append(file)
    return datasets


def _record(dataset: _Dataset, url: str) -> RawRecord:
    place = Message("row {row}", row=dataset.row)
    error = None
    if "title" not in dataset.values:
        name = "title" if dataset.guid else "identifier"
        message = Message(
            "{place}, column {name}: empty; expected a title, and an identifier that stays"
            " the same",
            place=place,
            name=name,
        )
        error = ParseError(message, code=f"missing-{name}")
    entry: dict[str, Any] = {
        name: [part.strip() for part in re.split(_SEPARATORS[name], value) if part.strip()]
        if name in _SEPARATORS
        else value
        for name, value in dataset.values.items()
    }
    ends = {name: entry.pop(f"temporal.{name}", "") for name in ("startDate", "endDate")}
    if any(ends.values()):
        entry["temporal"] = [*filter(None, [entry.get("temporal")]), ends]
    if dataset.files:
        entry["distribution"] = dataset.files
    modified = dataset.values.get("modified", "")
    return RawRecord(dataset.guid, ordered_json(entry), url, modified, position=place, error=error)
