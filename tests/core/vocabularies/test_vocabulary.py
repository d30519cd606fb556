"""Lists of values as files: those of the extension, and a portal's own in their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from ckanext.ukharvest.core.values import formats, frequencies, licences, theme_names
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.core.vocabularies.vocabulary import KEYS, VocabularyError, parse

SERVICE = "http://id.esd.org.uk/service/579"
LISTS = ("codelists", "eu_themes", "file_types", "frequencies", "functions", "inspire_themes") + (
    "licences",
    "schemas",
    "services",
    "themes",
)
FREQUENCIES = "value,label,intervals,words\n"


@pytest.mark.parametrize("name", LISTS)
def test_a_bundled_list_says_what_it_is_and_may_be_used_for(name: str) -> None:
    found = vocabulary.load(name)
    assert found.about["title"]
    assert found.about["source"]
    assert found.about["licence"]
    assert found.about["date"][:2] == "20"
    assert found.columns[0] in KEYS


def test_names_are_those_of_the_files() -> None:
    assert set(LISTS) <= set(vocabulary.names())
    for name in ("nothing", "../setup", ""):
        with pytest.raises(KeyError):
            vocabulary.load(name)


@pytest.mark.parametrize("name", ["functions", "services"])
def test_the_parent_of_an_entry_is_a_function(name: str) -> None:
    functions = {row["uri"] for row in vocabulary.load("functions").rows}
    assert {row["parent"] for row in vocabulary.load(name).rows} - functions <= {""}


@pytest.mark.parametrize("name", ["functions", "services", "eu_themes", "inspire_themes"])
def test_an_entrys_theme_is_one_of_the_portals(name: str) -> None:
    def plain(text: str) -> str:
        return text.lower().replace(" & ", "-and-").replace(" ", "-")

    slugs = {row["slug"] for row in vocabulary.load("themes").rows}
    assert {plain(row["theme"]) for row in vocabulary.load(name).rows} - slugs <= {""}


@pytest.mark.parametrize(
    ("name", "key", "expected"),
    [
        pytest.param("services", SERVICE, "Public toilets", id="as-it-stands"),
        pytest.param("services", "https://ID.esd.org.uk/service/579/", "Public toilets", id="like"),
        pytest.param("services", "http://id.esd.org.uk/service/99999", "", id="unknown"),
        pytest.param("services", "", "", id="nothing"),
        pytest.param("functions", "http://id.esd.org.uk/function/30", "Environmental protection"),
        pytest.param("licences", "uk-ogl", "UK Open Government Licence (OGL)", id="licence"),
        pytest.param("frequencies", "R/P1Y", "Annually", id="frequency"),
        pytest.param("themes", "crime", "Crime & Justice", id="theme"),
        pytest.param(
            "codelists",
            "http://standards.esd.org.uk/?uri=list%2Fservices",
            "Local government services",
            id="other-address",
        ),
    ],
)
def test_an_entry_has_its_label(name: str, key: str, expected: str) -> None:
    assert vocabulary.label(name, key) == expected


@pytest.mark.parametrize(
    "url",
    ["http://schemas.opendata.esd.org.uk/", "http://example.org/PublicToilets", "[", "Spend"]
    + ["http://[::1", "http://example.org/?schemaId=spend"],
)
def test_an_unknown_schema_has_no_label(url: str) -> None:
    assert vocabulary.label("schemas", url) == ""


def test_the_portals_own_list_counts_after_a_restart(lists_folder: Path) -> None:
    path = lists_folder / "frequencies.csv"
    assert vocabulary.load("frequencies") is vocabulary.bundled("frequencies")
    vocabulary.use(lists_folder)  # as at a start of the portal
    path.write_text(f"{FREQUENCIES}R/P7Y,Every seven years,P84M,now and then\n", encoding="utf-8")
    assert vocabulary.load("frequencies") is not vocabulary.bundled("frequencies")
    assert frequencies.parse_frequency("Now and then") == "R/P7Y"
    assert frequencies.parse_frequency("P84M") == "R/P7Y"
    assert frequencies.frequency_label("R/P7Y") == "Every seven years"
    path.write_text(f"{FREQUENCIES}R/P8Y,Every eight years,,now and then\n", encoding="utf-8")
    assert frequencies.parse_frequency("now and then") == "R/P7Y"
    vocabulary.use(lists_folder)
    assert frequencies.parse_frequency("now and then") == "R/P8Y"
    path.unlink()
    vocabulary.use(lists_folder)
    assert frequencies.parse_frequency("yearly") == "R/P1Y"
    assert not vocabulary.faults()


def test_every_table_that_was_in_python_follows_its_file(lists_folder: Path) -> None:
    def put(name: str, line: str) -> None:
        text = (vocabulary.BUNDLED / f"{name}.csv").read_text(encoding="utf-8")
        (lists_folder / f"{name}.csv").write_text(text + line + "\n", encoding="utf-8")

    put("file_types", "Shiny,3,shiny,application/x-shiny,very shiny")
    put("licences", "shiny-1,Shiny Licence,https://shiny.example/,Shine; Be Shiny,shiny.example/#")
    put("inspire_themes", "http://inspire.ec.europa.eu/theme/zz,99,Shiny things,Society")
    put("schemas", "http://shiny.example/schema,Shiny schema,Us,,,http://shiny.example/old")
    assert formats.label("application/x-shiny") == formats.of_url("http://a.b/c.shiny") == "Shiny"
    assert getattr(licences.find("be shiny"), "id", "") == "shiny-1"
    assert getattr(licences.find("http://shiny.example/2.0"), "id", "") == "shiny-1"
    assert theme_names.theme_of_address("http://inspire.ec.europa.eu/theme/zz") == "Shiny things"
    assert theme_names.theme_of_label("SHINY-THINGS") == "Shiny things"
    assert vocabulary.label("schemas", "http://shiny.example/old") == "Shiny schema"


def test_a_list_of_schemas_without_the_later_columns_is_used(lists_folder: Path) -> None:
    spend = "http://schemas.opendata.esd.org.uk/Spend"
    assert (vocabulary.row("schemas", spend) or {})["fields"] == "22"
    vocabulary.use(lists_folder)
    text = f"url,title,publisher,aliases\n{spend},Our spending,Us,\n"
    (lists_folder / "schemas.csv").write_text(text, encoding="utf-8")
    assert vocabulary.label("schemas", spend) == "Our spending"
    assert not vocabulary.faults()


def test_an_unchanged_list_stays_the_same_object(lists_folder: Path) -> None:
    path = lists_folder / "frequencies.csv"
    path.write_text(f"{FREQUENCIES}never,Never,,\n", encoding="utf-8")
    assert vocabulary.load("frequencies") is vocabulary.load("frequencies")
    assert vocabulary.load("services") is vocabulary.bundled("services")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(b"", "column value is missing", id="empty"),
        pytest.param(b"\xff\xfe\x00", "not in UTF-8", id="binary"),
        pytest.param(b"label,words\nA,b\n", "column value is missing", id="columns"),
        pytest.param(FREQUENCIES.encode(), "no entry", id="no-entry"),
        pytest.param(f"{FREQUENCIES}never,Never\n".encode(), "line 2 has 2 cells", id="cells"),
        pytest.param(f"{FREQUENCIES}never, ,,\n".encode(), "line 2: label is ''", id="no-label"),
        pytest.param(
            f"# title: x\n{FREQUENCIES}never,A,,\nNever,B,,\n".encode(),
            "line 4: Never is listed twice, first on line 3",
            id="twice",
        ),
        pytest.param(f'{FREQUENCIES}never,"A"x,,\n'.encode(), "no CSV", id="quotes"),
    ],
)
def test_a_faulty_list_is_reported_and_not_used(
    lists_folder: Path, content: bytes, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    (lists_folder / "frequencies.csv").write_bytes(content)
    assert frequencies.parse_frequency("yearly") == "R/P1Y"
    assert vocabulary.load("frequencies") is vocabulary.bundled("frequencies")
    assert words in vocabulary.faults()["frequencies"]
    assert len([each for each in caplog.records if words in each.getMessage()]) == 1


@pytest.mark.parametrize(
    ("name", "line", "words"),
    [
        ("file_types", "X,6,,,", "stars is '6'; expected a number from 0 to 5"),
        ("services", "579,Public toilets,,", "uri is '579'; expected an address"),
        ("licences", "x,X,,,a.example/[/#", "brackets in pairs"),
        ("licences", ",X,,,", "id is ''"),
        ("licences", "x,X,a.example,,", "text_url is 'a.example'; expected an address"),
    ],
)
def test_a_cell_of_the_wrong_kind_is_a_fault(
    lists_folder: Path, name: str, line: str, words: str
) -> None:
    columns = ",".join(vocabulary.bundled(name).columns)
    (lists_folder / f"{name}.csv").write_text(f"{columns}\n{line}\n", encoding="utf-8")
    assert words in vocabulary.faults()[name]


def test_a_list_that_its_reader_cannot_use_is_not_used(lists_folder: Path) -> None:
    @vocabulary.derived("frequencies")
    def lengths(read: vocabulary.Vocabulary) -> int:
        return len(read.rows) if len(read.rows) > 1 else 1 // 0

    (lists_folder / "frequencies.csv").write_text(f"{FREQUENCIES}never,Never,,\n", encoding="utf-8")
    assert lengths() == 34
    assert "cannot be used" in vocabulary.faults()["frequencies"]
    assert frequencies.parse_frequency("yearly") == "R/P1Y"


def test_an_unreadable_list_is_a_fault(lists_folder: Path) -> None:
    (lists_folder / "frequencies.csv").mkdir()
    assert "cannot be read" in vocabulary.faults()["frequencies"]
    vocabulary.use(lists_folder / "missing")
    assert not vocabulary.faults()
    assert vocabulary.label("frequencies", "never") == "Never"


def test_a_list_of_a_spreadsheet_programme_is_read() -> None:
    text = '\ufeffuri,label\r\nhttp://a.example/1,"Yes, this"\r\n\r\n'
    assert [dict(row) for row in parse("x", text).rows] == [
        {"uri": "http://a.example/1", "label": "Yes, this"}
    ]


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85"])
def test_signs_that_only_python_takes_for_line_ends_stay(sign: str) -> None:
    text = f"uri,label,parent,theme\nhttp://a.example/1,Parks{sign}and woods,,\n"
    (row,) = parse("functions", text).rows
    assert row["label"] == f"Parks{sign}and woods"


def test_a_list_without_a_title_has_that_of_the_bundled_one(lists_folder: Path) -> None:
    path = lists_folder / "frequencies.csv"
    path.write_text(f"{FREQUENCIES}never,Never,,\n", encoding="utf-8")
    assert vocabulary.load("frequencies").about == {
        "title": vocabulary.bundled("frequencies").about["title"]
    }
    vocabulary.use(lists_folder)
    path.write_text(f"# title: Ours\n{FREQUENCIES}never,Never,,\n", encoding="utf-8")
    assert vocabulary.load("frequencies").about == {"title": "Ours"}


def test_duplicate_column_is_refused() -> None:
    with pytest.raises(VocabularyError, match="'uri' stands there twice"):
        parse("x", "uri,uri\n1,2\n")
