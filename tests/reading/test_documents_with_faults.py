"""Small documents with what publishers write: each is read whole, to its one right answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.values.geometries import bounds
from ckanext.ukharvest.reading.records import Check, Entry
from ckanext.ukharvest.source_types import TYPES
from tests.parsers.carriers import iso_text
from tests.parsers.dcat.turtle import PREFIXES
from tests.publisher import Publisher

OGL = "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"
FEE = "Selling it needs our permission and costs a fee"
FILE, OTHER_FILE = "https://wend.example/a.csv", "https://wend.example/b.csv"
DIGITS, WORDS = "1" * 60_000, "x " * 30_000
ISO = (
    '<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd"'
    ' xmlns:gco="http://www.isotc211.org/2005/gco">'
    f"<gmd:fileIdentifier>{iso_text('wend-1')}</gmd:fileIdentifier>"
    "<gmd:identificationInfo><gmd:MD_DataIdentification><gmd:citation><gmd:CI_Citation>"
    f"<gmd:title>{iso_text('Bridges')}</gmd:title>{{}}</gmd:CI_Citation></gmd:citation>"
    "</gmd:MD_DataIdentification></gmd:identificationInfo></gmd:MD_Metadata>"
)
PARTY = (
    "<gmd:citedResponsibleParty><gmd:CI_ResponsibleParty>"
    f"<gmd:organisationName>{iso_text('Wend Council')}</gmd:organisationName><gmd:role>"
    '<gmd:CI_RoleCode codeListValue="publisher"/></gmd:role></gmd:CI_ResponsibleParty>'
    "</gmd:citedResponsibleParty>"
)
CSW = (
    '<csw:GetRecordsResponse xmlns:csw="http://www.opengis.net/cat/csw/2.0.2"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/"><csw:SearchResults numberOfRecordsMatched="2"'
    ' numberOfRecordsReturned="2" nextRecord="0">{}</csw:SearchResults></csw:GetRecordsResponse>'
)
DUBLIN_CORE = "<csw:Record><dc:identifier>{0}</dc:identifier><dc:title>{0}</dc:title></csw:Record>"
INVENTORY = (
    '<?xml version="1.0" encoding="ISO-8859-1"?>\n'
    '<Inventory xmlns="http://schemas.esd.org.uk/inventory" Modified="2025-02-03"><Identifier>'
    'https://wend.example/inventory</Identifier><Datasets><Dataset Modified="2025-02-03"'
    ' Active="Yes"><Identifier>https://wend.example/1</Identifier><Title>{0}</Title><Description>'
    "{0}</Description></Dataset></Datasets></Inventory>"
)
DCAT_US = "https://raw.githubusercontent.com/DOI-DO/dcat-us/main/context/dcat-us-3.0.jsonld"
GRAPH = [
    {"@id": "https://wend.example/c", "@type": "dcat:Catalog", "title": "All"},
    {"@id": "https://wend.example/1", "@type": "dcat:Dataset", "title": "Snow"},
]
CROISSANT = {
    "@context": {"@vocab": "https://schema.org/", "cr": "http://mlcommons.org/croissant/"},
    "@type": "Dataset",
    "name": "Leaves",
    "url": "https://wend.example/leaves",
    "distribution": [{"@type": "cr:FileObject", "@id": "leaves", "contentUrl": FILE}],
}
WHALES = {
    "@context": {"@vocab": "https://schema.org/"},
    "@type": "Dataset",
    "@id": "https://wend.example/whales",
    "name": "Whales",
    "spatialCoverage": {
        "@type": "Place",
        "geo": {"@type": "GeoShape", "polygon": "110 -50,110 -30,150 -30,150 -50,110 -50"},
    },
}


def data_json(*datasets: dict[str, Any]) -> str:
    """Return a catalogue of these datasets."""
    entries = [
        {"identifier": str(number), "title": "T", "accessLevel": "public", "license": OGL, **fields}
        for number, fields in enumerate(datasets)
    ]
    return json.dumps({"dataset": entries})


def turtle(*datasets: str) -> str:
    """Return datasets with these predicates and objects, and titles where they have none."""
    bodies = [
        f"<https://wend.example/{number}> a dcat:Dataset ; dct:description 'D' ; {body}"
        for number, body in enumerate(datasets)
    ]
    return f"{PREFIXES}{' '.join(bodies)}"


def _codes(entry: Entry) -> set[str]:
    codes = {problem["code"] for problem in entry["problems"]}
    return codes - {"missing-field", "no-resources"}


def _period(entry: Entry) -> str:
    return f"{entry['temporal']['start']}/{entry['temporal']['end']}"


def _urls(entry: Entry) -> list[str]:
    return [file["url"] for file in entry["resources"]]


def _titles(entry: Entry) -> dict[str, str]:
    own = {entry["text_language"]: entry["title"]}
    return own | {tag: text["title"] for tag, text in entry["translations"].items()}


def _field(*names: str) -> Callable[[Entry], Any]:
    def read(entry: Entry) -> Any:
        for name in names:
            entry = entry[name]
        return entry

    return read


_title, _notes, _licence = map(_field, ("title", "notes", "licence_id"))

# What is wrong, source type, document, and of each record: what is looked at, its answer.
DOCUMENTS: dict[str, tuple[str, str | bytes, Callable[[Entry], Any], list[Any]]] = {
    "financial-years": (
        "data_json",
        data_json(
            {"temporal": "2008/09"},
            {"temporal": "2007-08"},
            {"temporal": "2002/03 - 2011/12"},
            {"temporal": "http://reference.data.gov.uk/id/government-quarter/2015-2016/Q1"},
            {"temporal": "2016-01-01/9999-12-31"},
        ),
        lambda entry: (_period(entry), _codes(entry)),
        [
            ("2008-04-01/2009-03-31", set()),
            ("2007-08/2007-08", {"bad-period"}),
            ("2002-04-01/2012-03-31", set()),
            ("2015-04-01/2015-06-30", set()),
            ("2016-01-01/", set()),
        ],
    ),
    "terms-beside-licence": (
        "data_json",
        data_json({"accessLevelComment": FEE}, {"rights": FEE}, {"rights": "© Crown copyright"}),
        lambda entry: (_licence(entry), FEE in str(entry["licence"]) or FEE in entry["rights"]),
        [("", True), ("", True), ("uk-ogl", False)],
    ),
    "size-with-comma": (
        "data_json",
        data_json({"distribution": [{"downloadURL": FILE, "byteSize": "2,345 KB"}]}),
        _field("resources", 0, "size"),  # type: ignore[arg-type]
        [2_401_280],
    ),
    "language-phrases": (
        "data_json",
        data_json(
            {"language": ["English UK"]},
            {"language": ["Welsh or English"]},
            {"language": ["none given"]},
        ),
        lambda entry: (entry["language"], "bad-language" in _codes(entry)),
        [(("en",), False), (("cy", "en"), False), ((), True)],
    ),
    "element-names-in-text": (
        "data_json",
        data_json(
            {"description": "Read the <head> of each page. It has a date."},
            {"description": "Plain. <script src='x'/> And the rest."},
        ),
        _notes,
        ["Read the <head> of each page. It has a date.", "Plain. And the rest."],
    ),
    "two-urls-in-one-field": (
        "data_json",
        data_json({"distribution": [{"accessURL": f"{FILE}; {OTHER_FILE}"}]}),
        _urls,
        [[FILE, OTHER_FILE]],
    ),
    "long-digits": (
        "data_json",
        data_json({"spatial": f"POLYGON(({DIGITS}))"}, {"temporal": f"June to {WORDS}"}),
        _codes,
        [{"bad-spatial"}, {"bad-period"}],
    ),
    "places": (
        "data_json",
        data_json({"spatial": "420000,430000,421000,431000"}, {"spatial": "-1.7 53.77"}),
        lambda entry: (
            [round(side, 1) for side in bounds(entry["spatial"])],
            _codes(entry),
            entry["extras"].get("spatial-original"),
        ),
        [
            ([-1.7, 53.8, -1.7, 53.8], {"converted-extent"}, "420000,430000,421000,431000"),
            ([-1.7, 53.8, -1.7, 53.8], {"swapped-coordinates"}, "-1.7 53.77"),
        ],
    ),
    "uk-fields-by-name": (
        "data_json",
        data_json(
            {"la_function": "12", "la_service": "860"},
            {"distribution": [{"downloadURL": FILE, "schema_url": "https://wend.example/s.json"}]},
        ),
        lambda entry: (
            [entry["extras"].get(name, "") for name in ("la_function", "la_service")],
            [name for name in entry["extras"] if name.startswith("original_")],
            [file["schema_url"] for file in entry["resources"]],
        ),
        [
            ([f"http://id.esd.org.uk/{name}" for name in ("function/12", "service/860")], [], []),
            (["", ""], [], ["https://wend.example/s.json"]),
        ],
    ),
    "table-heads": (
        "dataset_table",
        f"Title,Description,Keywords,url,Publisher email\nBenches,All,parks; seats,{FILE},"
        "parks@wend.example\n",
        lambda entry: (entry["tags"], _urls(entry), entry["contact"]["email"]),
        [(("parks", "seats"), [FILE], "parks@wend.example")],
    ),
    "table-other-heads": (
        "dataset_table",
        "sep=;\nWhat we publish\nDataset title;Summary;Tags;File URL;Licence;Last updated\n"
        f"Benches;All of them;seats;{FILE};OGL;02/04/2025\n",
        lambda entry: (
            *(entry[name] for name in ("title", "notes", "tags", "licence_id", "modified")),
            _urls(entry),
        ),
        [("Benches", "All of them", ("seats",), "uk-ogl", "2025-04-02", [FILE])],
    ),
    "windows-letters": (
        "inventory",
        INVENTORY.format("“Men’s sheds” – from €2").encode("cp1252"),
        lambda entry: (_title(entry), _notes(entry)),
        [("“Men’s sheds” – from €2",) * 2],
    ),
    "showcase": (
        "ckan",
        json.dumps(
            {
                "success": True,
                "result": {
                    "count": 2,
                    "results": [
                        {"id": "1", "name": "a", "type": "showcase", "title": "A map of ours"},
                        {"id": "2", "name": "b", "type": "dataset", "title": "Benches"},
                    ],
                },
            }
        ),
        lambda entry: (_title(entry), "is not a dataset" in entry.get("skipped", "")),
        [("", True), ("Benches", False)],
    ),
    "page-without-scheme": (
        "dcat_rdf",
        turtle(
            "dct:title 'T' ; dcat:landingPage 'www.wend.example/benches' .",
            "dct:title 'T' ; dcat:landingPage <www.wend.example/benches> .",
        ),
        lambda entry: (entry["url"], _codes(entry)),
        [("https://www.wend.example/benches", {"bad-url"})] * 2,
    ),
    "geometry-in-gml": (
        "dcat_rdf",
        turtle(
            "dct:title 'T' ; dct:spatial [ gsp:asGML '<gml:Envelope"
            ' srsName="urn:ogc:def:crs:EPSG::4326"><gml:lowerCorner>51 -3</gml:lowerCorner>'
            "<gml:upperCorner>52 -2</gml:upperCorner></gml:Envelope>' ] ."
        ),
        lambda entry: bounds(entry["spatial"]),
        [(-3, 51, -2, 52)],
    ),
    "statement-of-rights": (
        "dcat_rdf",
        turtle(
            "dct:title 'T' ; dct:rights [ odrs:dataLicense"
            " <http://www.opendatacommons.org/licenses/odbl/> ; odrs:copyrightNotice 'Wend 2025' ]"
            " ."
        ),
        lambda entry: (_licence(entry), "Wend 2025" in entry["rights"]),
        [("odc-odbl", True)],
    ),
    "two-periods": (
        "dcat_rdf",
        turtle(
            "dct:title 'T' ; dct:temporal [ dcat:startDate '1991' ; dcat:endDate '1993' ],"
            " [ dcat:startDate '2011' ; dcat:endDate '2013' ] ."
        ),
        lambda entry: (_period(entry), json.loads(entry["extras"]["temporal-extents"])),
        [("1991/2013", [{"from": "1991", "to": "1993"}, {"from": "2011", "to": "2013"}])],
    ),
    "names-of-dublin-core-1.1": (
        "dcat_rdf",
        f"{PREFIXES} [] a dcat:Dataset ; dc:identifier 'https://wend.example/9' ; dc:title 'T' .",
        lambda entry: (entry["guid"], _title(entry)),
        [("https://wend.example/9", "T")],
    ),
    "croissant-without-id": (
        "dcat_rdf",
        json.dumps(CROISSANT),
        lambda entry: (entry["guid"], _title(entry), _urls(entry)),
        [("https://wend.example/leaves", "Leaves", [FILE])],
    ),
    "two-titles-no-lang": (
        "dcat_rdf",
        turtle(
            "dct:title 'Snow'@en, 'Nieve'@es ; dct:description 'Nieve'@es .",
            "dct:title 'Snow', 'Nieve'@es .",
        ),
        _titles,
        [{"en": "Snow", "es": "Nieve"}, {"": "Snow", "es": "Nieve"}],
    ),
    "serves-and-dataset-access": (
        "dcat_rdf",
        turtle(
            "dct:title 'T' ; dcat:distribution <https://wend.example/f> ;"
            " dcat:accessService <https://wend.example/s> .",
        )
        + f"<https://wend.example/f> a dcat:Distribution ; dcat:accessURL <{FILE}> ."
        " <https://wend.example/s> a dcat:DataService ; dct:title 'Our API' ;"
        " dcat:endpointURL <https://wend.example/api> ;"
        " dcat:servesDataset <https://wend.example/0> .",
        _urls,
        [[FILE, "https://wend.example/api"]],
    ),
    "dcat-us3-graph": (
        "dcat_rdf",
        json.dumps({"@context": DCAT_US, "@graph": GRAPH}),
        _title,
        ["Snow"],
    ),
    "so-type-alias": (
        "dcat_rdf",
        json.dumps(
            {
                "@context": "http://schema.org/",
                "type": "Dataset",
                "id": "https://wend.example/1",
                "name": "Leaves",
            }
        ),
        lambda entry: (entry["guid"], _title(entry)),
        [("https://wend.example/1", "Leaves")],
    ),
    "so-polygon-lonlat": (
        "dcat_rdf",
        json.dumps(WHALES),
        lambda entry: (bounds(entry["spatial"]), _codes(entry)),
        [((110, -50, 150, -30), {"swapped-coordinates"})],
    ),
    "iso-cited-party": (
        "gemini-single",
        ISO.format(PARTY),
        _field("publisher", "name"),
        ["Wend Council"],
    ),
    "vcard-org-name": (
        "dcat_rdf",
        turtle(
            "dct:title 'T' ; dcat:contactPoint [ vcard:fn 'Help desk' ;"
            " vcard:organization-name 'Wend Council' ; vcard:hasEmail <mailto:h@wend.example> ] ."
        ),
        lambda entry: (
            entry["contact"]["name"],
            "Wend Council" in entry["extras"].get("responsible-organisation", ""),
        ),
        [("Help desk", True)],
    ),
    **{
        f"csw-dublin-core in {name}": (
            name,
            CSW.format(DUBLIN_CORE.format("Bridges") + DUBLIN_CORE.format("Fords")),
            _title,
            ["Bridges", "Fords"],
        )
        for name in ("gemini-csw", "gemini-single")
    },
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_document_with_fault_has_its_right_answer(
    name: str, tmp_path: Path, http: HttpClient
) -> None:
    kind, content, read, answers = DOCUMENTS[name]
    path = tmp_path / "document"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    checked = Check(TYPES[kind], str(path), {}, http=http)
    entries = list(checked)
    assert checked.errors == []
    assert [entry.get("error") for entry in entries] == [None] * len(answers)
    assert list(map(read, entries)) == answers


def test_page_without_scheme_is_not_one_of_the_host(publisher: Publisher, http: HttpClient) -> None:
    kind, content, read, answers = DOCUMENTS["page-without-scheme"]
    publisher.serve("/d", content, headers={"Content-Type": "text/turtle"})
    checked = Check(TYPES[kind], publisher.url("/d"), {}, http=http)
    assert list(map(read, checked)) == answers
