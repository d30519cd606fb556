"""Tables of datasets: rows become records, and what is wrong is named by row and column."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import SourceError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import Agent
from ckanext.ukharvest.reading.type_detection import source_type as detect_type
from tests.publisher import Publisher
from tests.readers.read_tables import KIND, entries, read

HEADER = "identifier,title,publisher,downloadURL,format,distribution.title\n"


def test_rows_of_one_identifier_are_files_of_one_dataset(
    publisher: Publisher, http: HttpClient
) -> None:
    rows = "p1,Parks,Council,https://a.example/1.csv,CSV,Old\np2,Fords,,,,\n"
    rows += "p1,,,https://a.example/2.csv,CSV,New\n"
    records, ending = read(publisher, http, HEADER + rows)
    assert ending.complete
    assert [(raw.guid, raw.position) for raw in records] == [("p1", "row 2"), ("p2", "row 3")]
    parks = KIND.parse(records[0], options.validate({}, KIND.options))
    assert [(file.name, file.url, file.format) for file in parks.resources] == [
        ("Old", "https://a.example/1.csv", "CSV"),
        ("New", "https://a.example/2.csv", "CSV"),
    ]


def test_identity_without_identifier_is_title_and_publisher(
    publisher: Publisher, http: HttpClient
) -> None:
    rows = ",Car  Parks,Council,https://a.example/1.csv,,\n,car parks,council,,,\n,Car parks,,,,\n"
    records, _ending = read(publisher, http, HEADER + rows)
    assert [raw.guid for raw in records] == ["car parks | council", "car parks"]


def test_identifier_of_two_titles_is_refused_by_row(publisher: Publisher, http: HttpClient) -> None:
    records, _ending = read(publisher, http, HEADER + "p1,Parks,,,,\np1,Fords,,,,\n")
    assert records[0].error is None
    assert records[1].error is not None
    assert "row 2" in records[1].error.message
    assert "row 3" in records[1].error.message


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (",,,https://a.example/1.csv,,", "row 2, column identifier"),
        ("p1,,,,,", "row 2, column title"),
    ],
)
def test_row_without_title_fails_alone_and_is_named(
    publisher: Publisher, http: HttpClient, row: str, expected: str
) -> None:
    records, ending = read(publisher, http, f"{HEADER}{row}\np2,Fords,,,,\n")
    assert ending.complete
    assert records[0].error is not None
    assert expected in records[0].error.message
    assert records[1].error is None


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("p1,Parks,Council,,,\np1,Parks,Town,,,\n", "row 3, column publisher: not as in row 2"),
        ("p1,Parks,,,,,stray\n", "row 2: a value in a column without a name"),
    ],
)
def test_value_that_is_not_used_is_a_problem(
    publisher: Publisher, http: HttpClient, rows: str, expected: str
) -> None:
    _records, ending = read(publisher, http, HEADER + rows)
    assert ending.complete
    (problem,) = ending.problems
    assert expected in problem.message


def test_empty_table_proves_nothing(publisher: Publisher, http: HttpClient) -> None:
    records, ending = read(publisher, http, HEADER)
    assert records == []
    assert not ending.complete
    assert "nothing was deleted" in ending.reason


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("name,colour\na,b\n", "not a table with a column title: row 1 has 'name, colour'"),
        ("title,Title\na,b\n", "row 1, columns 1 and 2: both are 'Title'"),
        ('title\n"a\n', "row 2: expected a quotation mark at the end"),
        ("<html><title>Sign in</title></html>", "web page, title 'Sign in'"),
        (b"PK\x03\x04 is no archive", "XLSX that cannot be read"),
        ("title\n" + "," * 600 + "x\n", "too large in row 2"),
    ],
)
def test_another_file_is_refused_by_row_and_column(
    publisher: Publisher, http: HttpClient, body: str | bytes, expected: str
) -> None:
    with pytest.raises(SourceError) as caught:
        read(publisher, http, body)
    assert expected in caught.value.message


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("above", ["", "sep={0}\n", "Our data{0}{0}\n\n", "sep={0}\nOur data\n"])
def test_table_may_have_headings_of_people(
    publisher: Publisher, http: HttpClient, separator: str, above: str
) -> None:
    head = "Dataset title,Summary,Tags,File URL,Licence,Last updated,Organisation,Dataset ID"
    head += ",LGA service,Schema URL"
    body = f"{head}\nToilets,Public,health,https://a.example/1.csv,OGL,01/03/2026,Council,t1,579"
    body += ",https://a.example/1.json\n"
    text = above.format(separator) + body.replace(",", separator)
    records, ending = read(publisher, http, text)
    assert (detect_type(text.encode()), ending.complete) == ("dataset_table", True)
    assert [raw.guid for raw in records] == ["t1"]
    toilets = KIND.parse(records[0], options.validate({}, KIND.options))
    assert (toilets.title, toilets.notes, toilets.tags) == ("Toilets", "Public", ("health",))
    assert toilets.publisher == Agent("Council")
    assert toilets.extras["la_service"] == "http://id.esd.org.uk/service/579"
    assert toilets.resources[0].schema_url == "https://a.example/1.json"
    assert toilets.licence is not None
    assert toilets.licence.id == "uk-ogl"
    assert (toilets.modified, toilets.resources[0].url) == ("2026-03-01", "https://a.example/1.csv")


def test_headings_of_people_identify_no_dataset_that_had_an_identity(
    publisher: Publisher, http: HttpClient
) -> None:
    body = "Title,ID,Organisation,Keywords,Summary,Description\nToilets,t1,Council,a;b,Short,Long\n"
    (record,), _ending = read(publisher, http, body)
    assert record.guid == "toilets"
    (entry,) = entries([record])
    assert (entry["@id"], entry["publisher"], entry["keyword"]) == ("t1", "Council", ["a", "b"])
    assert (entry["Summary"], entry["description"]) == ("Short", "Long")


def test_template_reads_without_a_problem(publisher: Publisher, http: HttpClient) -> None:
    with open(f"ckanext/ukharvest/public{KIND.template}", encoding="utf-8") as file:
        records, ending = read(publisher, http, file.read())
    assert ending.problems == ()
    parsed = [KIND.parse(raw, options.validate({}, KIND.options)) for raw in records]
    assert [len(record.resources) for record in parsed] == [3, 1]
    assert [record.problems for record in parsed] == [(), ()]
