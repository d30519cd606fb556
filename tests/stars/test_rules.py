"""Stars of openness by format, URL and licence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ckanext.ukharvest.core.link_states import Evidence
from ckanext.ukharvest.core.values.stars import DatasetStars, Stars
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.stars import rules as stars
from ckanext.ukharvest.stars.rules import Terms

OPEN = Terms("")
REGISTER = {"uk-ogl": True, "cc-by": True, "other-closed": False, "cc-nc": False}
REGISTER |= {"odc-odbl": True, "notspecified": False, "house-terms": True}

OGL = "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"

# The scores of ckanext-qa as data.gov.uk used them, except RDF's: four, the fifth is for links.
TABLE = {
    4: "N3 SPARQL RDF TTL",
    3: "CSV TSV JSON GeoJSON XML KML KMZ WCS WFS WMS WMTS NetCDF QGIS ODS ODB ODF ODG SVG JPEG PNG "
    "Atom_Feed RSS XYZ IATI ICS",
    2: "XLS XLSX MDB SHP dBase E00 MrSID MOP TIFF BMP GIF ArcGIS_Map_Service ArcGIS_Map_Preview "
    "Esri_REST",
    1: "PDF DOC DOCX PPT PPTX ODT ODP ODC TXT ZIP GZ TAR RAR BIN DCR MXD ArcGIS_Online_Map",
    0: "HTML EXE JS Perl OWL XSLT RDFa",
}
# Formats that are newer, or were left out.
FURTHER = {
    4: "JSON-LD NT NQ TriG",
    3: "Parquet GeoParquet GPKG FlatGeobuf NDJSON Arrow GML GTFS SQLite OGC_API "
    "OGC_API_Features CSW OData",
    2: "XLSM XLSB ACCDB GDB SAV",
}
ROWS = [
    pytest.param(name.replace("_", " "), count, id=name)
    for table in (TABLE, FURTHER)
    for count, names in table.items()
    for name in names.split()
]


def stars_of(format_: str = "", url: str = "https://files.example/a", **more: object) -> Stars:
    values = {"mimetype": "", "terms": OPEN, "rules": stars.stars_by_format(), **more}
    return stars.score_resource(url=url, format_=format_, **values)  # type: ignore[arg-type]


@pytest.mark.parametrize(("label", "count"), ROWS)
def test_a_format_is_worth(label: str, count: int) -> None:
    found = stars_of(label)
    assert (found.stars, found.detail) == (count, label)
    assert found.code == ("format" if count else "not-data")


@pytest.mark.parametrize(
    ("format_", "url", "label", "count"),
    [
        pytest.param("csv", "https://f.example/a", "CSV", 3, id="as-written"),
        pytest.param("Excel (xlsx)", "", "XLSX", 2, id="in-words"),
        pytest.param("text/csv", "", "CSV", 3, id="media-type"),
        pytest.param("", "https://f.example/a.csv", "CSV", 3, id="extension"),
        pytest.param("", "https://f.example/a.CSV?v=2", "CSV", 3, id="extension-and-query"),
        pytest.param("", "https://f.example/a.csv.zip", "CSV", 3, id="two-extensions"),
        pytest.param("", "https://f.example/ows?SERVICE=WFS", "WFS", 3, id="service"),
        pytest.param("", "https://f.example/sparql", "SPARQL", 4, id="endpoint"),
        pytest.param("", "https://f.example/arcgis/rest/services/A", "Esri REST", 2, id="esri"),
        pytest.param("CSV", "https://f.example/a.pdf", "PDF", 1, id="address-tells-better"),
        pytest.param("CSV", "https://f.example/a.html", "HTML", 0, id="page-about-it"),
        pytest.param("CSV", "https://f.example/a.zip", "CSV", 3, id="in-an-archive"),
        pytest.param("GeoJSON", "https://f.example/a.json", "GeoJSON", 3, id="which-json"),
        pytest.param("RDF", "https://f.example/a.xml", "RDF", 4, id="which-xml"),
        pytest.param("nonsense", "https://f.example/a.zip", "ZIP", 1, id="archive-of-nonsense"),
    ],
)
def test_stars_follow_the_format_or_the_url(format_: str, url: str, label: str, count: int) -> None:
    found = stars_of(format_, url)
    assert (found.detail, found.stars) == (label, count)


def test_a_media_type_counts_where_no_format_is_given() -> None:
    assert stars_of("", "https://f.example/a", mimetype="application/ld+json").stars == 4
    assert stars_of("PDF", "https://f.example/a", mimetype="text/csv").stars == 1


def test_unknown_format_earns_one_star() -> None:
    assert stars_of("Fancy 2000") == Stars(1, "unknown-format", "Fancy 2000")
    assert stars_of("API") == Stars(1, "unknown-format", "API")  # what kind of API is unknown
    assert stars_of("", "https://f.example/download?id=7") == Stars(1, "no-format")
    assert stars_of("", "not an address [") == Stars(1, "no-format")


def test_other_rules() -> None:
    rules = {**stars.stars_by_format(), "CSV": 2, "Fancy 2000": 3}
    assert stars_of("csv", rules=rules) == Stars(2, "format", "CSV")
    assert stars_of("Fancy 2000", rules=rules) == Stars(3, "format", "Fancy 2000")


@pytest.mark.parametrize("code", ["no-licence", "closed-licence", "unclear-licence"])
def test_without_an_open_licence_there_are_none(code: str) -> None:
    assert stars_of("CSV", terms=Terms(code, "x")) == Stars(0, code, "x")
    # A licence does not make a page data.
    assert stars_of("HTML", terms=Terms(code, "x")) == Stars(0, "not-data", "HTML")


def test_the_fifth_is_for_linked_data() -> None:
    assert stars_of("TTL", is_linked=True) == Stars(5, "linked", "TTL")
    assert stars_of("JSON-LD", is_linked=True).stars == 5
    assert stars_of("CSV", is_linked=True).stars == 3
    assert stars_of("TTL", is_linked=True, terms=Terms("no-licence")).stars == 0


@pytest.mark.parametrize(
    ("licence_id", "texts", "rights", "expected"),
    [
        pytest.param("uk-ogl", [], "", OPEN, id="open-id"),
        pytest.param("other-closed", [], "", ("closed-licence", "other-closed"), id="closed-id"),
        pytest.param("uk-ogl", ["Copyright, ask us"], "", OPEN, id="the-id-decides"),
        pytest.param("house-terms", [], "", OPEN, id="of-this-portal"),
        pytest.param("", [], "", ("no-licence", ""), id="nothing"),
        pytest.param("notspecified", [], "", ("no-licence", ""), id="notspecified"),
        pytest.param("notspecified", [OGL], "", OPEN, id="notspecified-but-address"),
        pytest.param("", ["n/a"], "", ("no-licence", ""), id="placeholder"),
        pytest.param("", [OGL], "", OPEN, id="address"),
        pytest.param("OGL v3", [], "", OPEN, id="name-as-id"),
        pytest.param("", ["Open Government Licence v3.0"], "", OPEN, id="name"),
        pytest.param("", ["Contains data under the ODbL.", "ODbL"], "", OPEN, id="two-of-one"),
        pytest.param("", ["CC BY-NC 4.0"], "", ("closed-licence", "cc-nc"), id="closed-name"),
        pytest.param("", ["Ask us"], "", ("unclear-licence", "Ask us"), id="words"),
        pytest.param("ours-1", [], "", ("unclear-licence", "ours-1"), id="unknown-id"),
        pytest.param("", [OGL, "ODbL"], "", ("unclear-licence", OGL), id="two-that-differ"),
        pytest.param(
            "",
            ["OGL", "No commercial use without permission"],
            "",
            ("unclear-licence", "OGL"),
            id="held-back",
        ),
        pytest.param(
            "", [OGL, "CC BY " * 200_000], "", ("unclear-licence", OGL), id="a-million-characters"
        ),
        pytest.param("", [], "Under the Open Government Licence.", OPEN, id="rights"),
        pytest.param("", [], "© A council 2020", ("no-licence", ""), id="rights-of-no-licence"),
        pytest.param("", ["Ask us"], "OGL", ("unclear-licence", "Ask us"), id="rights-come-last"),
    ],
)
def test_terms(
    licence_id: str, texts: list[str], rights: str, expected: Terms | tuple[str, str]
) -> None:
    wanted = expected if isinstance(expected, Terms) else Terms(*expected)
    assert stars.terms_of(licence_id, texts, REGISTER, rights) == wanted


def test_a_dataset_has_those_of_its_best_resource() -> None:
    pdf, csv, ods = (
        Stars(1, "format", "PDF"),
        Stars(3, "format", "CSV"),
        Stars(3, "format", "ODS"),
    )
    found = {"a": pdf, "b": csv, "c": ods}
    assert stars.score_dataset(found) == DatasetStars(csv, found)


def test_closest_match_gives_the_reason_of_refusal() -> None:
    page, closed = Stars(0, "not-data", "HTML"), Stars(0, "closed-licence", "other-closed")
    assert stars.score_dataset({"a": page, "b": closed}).best == closed
    assert stars.score_dataset({"a": page}).best == page


def test_without_data_there_are_none() -> None:
    assert stars.score_dataset({}).best == Stars(0, "no-data")
    assert stars.score_dataset({}, is_unpublished=True).best == Stars(0, "unpublished")


@pytest.mark.parametrize(
    ("extras", "expected"),
    [
        pytest.param({}, False, id="nothing"),
        pytest.param({"links:dbpedia": "1200"}, True, id="lod-cloud"),
        pytest.param({"links:dbpedia": "0"}, False, id="lod-cloud-none"),
        pytest.param({"relation": "https://other.example/id/1"}, True, id="relation"),
        pytest.param({"relation": "https://www.own.example/id/1"}, False, id="own-host"),
        pytest.param({"relation": "rivers"}, False, id="no-address"),
        pytest.param({"related_resource": '["https://other.example/a"]'}, True, id="list"),
        pytest.param(
            {"links_to": "https://own.example/1, https://other.example/2"}, True, id="inventory"
        ),
        pytest.param({"linksets": '["http://dbpedia.example/"]'}, True, id="void"),
        pytest.param({"source": "https://other.example/a"}, False, id="origin-is-no-link"),
        pytest.param({"relation": "http://[broken"}, False, id="broken"),
    ],
)
def test_linked(extras: dict[str, str], expected: bool) -> None:
    assert stars.is_linked(extras, ["https://own.example/a.ttl", ""]) is expected


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ("", []),
        (None, []),
        (" OGL ", ["OGL"]),
        ('["OGL", " ODbL", 3, ""]', ["OGL", "ODbL"]),
        ("[sic] OGL", ["[sic] OGL"]),
        ("[" * 100_000, ["[" * 100_000]),
    ],
)
def test_texts_in_a_field(value: object, texts: list[str]) -> None:
    assert list(stars.texts_in(value)) == texts


def test_the_page_lists_the_formats() -> None:
    page = (Path(__file__).parents[2] / "docs/portal/five-stars.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d) \| (.*) \|$", page.partition("<!-- formats -->")[2], re.MULTILINE)
    listed = {name: int(count) for count, names in rows for name in names.split(", ")}
    assert listed == stars.stars_by_format()


def test_a_newer_list_of_licences_counts_after_a_restart(lists_folder: Path) -> None:
    def terms() -> Terms:
        return stars.terms_of("", ["Borchester terms"], {"uk-ogl": True})

    assert terms().code == "unclear-licence"
    text = (vocabulary.BUNDLED / "licences.csv").read_text(encoding="utf-8")
    (lists_folder / "licences.csv").write_text(text.replace(",OGL; ", ",Borchester terms; OGL; "))
    vocabulary.use(lists_folder)
    assert terms() == OPEN


# What link checks found, in ckanext-qa's order: dead, what is there, URL, metadata, licence


def test_a_dead_link_comes_before_all_else() -> None:
    link = Evidence("CSV", "2026-11-01 not-found")
    for terms in (OPEN, Terms("no-licence")):
        found = stars_of("CSV", "https://files.example/a.csv", link=link, terms=terms)
        assert found == Stars(0, "dead-link", "2026-11-01 not-found")


@pytest.mark.parametrize(
    ("found", "url", "format_", "label"),
    [
        ("PDF", "https://files.example/a.csv", "CSV", "PDF"),
        ("XLSX", "https://files.example/a", "CSV", "XLSX"),
        ("", "https://files.example/a.csv", "PDF", "CSV"),
        # What says little leaves it to the URL and the metadata.
        ("ZIP", "https://files.example/a.zip", "CSV", "CSV"),
        ("TXT", "https://files.example/a.csv", "", "CSV"),
        ("TXT", "https://files.example/a", "CSV", "CSV"),
        ("TXT", "https://files.example/a", "", "TXT"),
        ("JSON", "https://files.example/a.xml", "", "XML"),
    ],
)
def test_checked_link_wins_over_url_and_metadata(
    found: str, url: str, format_: str, label: str
) -> None:
    assert stars_of(format_, url, link=Evidence(found)).detail == label


def test_checked_link_earns_nothing_without_a_licence() -> None:
    assert stars_of("", link=Evidence("CSV"), terms=Terms("no-licence")).code == "no-licence"
