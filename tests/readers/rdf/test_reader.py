"""DCAT documents in every syntax and every kind of pages, cut into records."""

from __future__ import annotations

import json
import random

import pyoxigraph as ox
import pytest

from ckanext.ukharvest.core.errors import ProtocolError
from ckanext.ukharvest.core.records import Reading, Source
from ckanext.ukharvest.readers.rdf.reader import RdfReader
from tests.publisher import Response
from tests.readers.rdf.rdf_site import Site

PREFIXES = """
@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix hydra: <http://www.w3.org/ns/hydra/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix : <https://council.example/id/> .
"""
CATALOGUE = (
    PREFIXES
    + """
:catalogue a dcat:Catalog ; dct:title "All" ; dcat:dataset :trees, :bins .
:trees a dcat:Dataset ; dct:title "Trees"@en, "Coed"@cy ; dct:modified "2024-05-01"^^xsd:date ;
  dct:publisher :council ; dct:isPartOf :catalogue ; dct:relation :bins ;
  dct:temporal [ dcat:startDate "2024" ] ;
  dcat:distribution [ dcat:downloadURL <https://council.example/a.csv> ],
    [ dcat:downloadURL <https://council.example/a.csv> ],
    [ dcat:downloadURL <https://council.example/b.csv> ;
      dct:license [ dct:title "Free \\"as\\" in\\nbeer" ] ] .
:bins a dcat:Dataset ; dct:title "Bins" ; dct:publisher :council .
:council a foaf:Agent ; foaf:name "A council" ; foaf:made :trees, :bins .
"""
)
SYNTAXES = {
    "turtle": (ox.RdfFormat.TURTLE, "text/turtle"),
    "n-triples": (ox.RdfFormat.N_TRIPLES, "application/n-triples"),
    "n-quads": (ox.RdfFormat.N_QUADS, "application/n-quads"),
    "rdf-xml": (ox.RdfFormat.RDF_XML, "application/rdf+xml"),
    "json-ld": (ox.RdfFormat.JSON_LD, "application/ld+json"),
    "trig": (ox.RdfFormat.TRIG, "application/trig"),
    "n3": (ox.RdfFormat.N3, "text/n3"),
}


def dataset(number: int, more: str = "") -> str:
    return f':{number} a dcat:Dataset ; dct:title "Title {number}" . {more}\n'


def test_a_record_has_the_dataset_and_what_it_owns(site: Site) -> None:
    site.serve("/d", CATALOGUE, "text/turtle")
    (trees, bins), ending = site.read()
    assert ending.complete
    assert (trees.guid, trees.modified) == ("https://council.example/id/trees", "2024-05-01")
    text = trees.content or ""
    assert text.splitlines() == sorted(text.splitlines())
    assert '"Coed"@cy .' in text
    assert '"2024-05-01"^^<http://www.w3.org/2001/XMLSchema#date> .' in text
    assert '"Free \\"as\\" in\\nbeer"' in text
    assert "/id/council> <http://xmlns.com/foaf/0.1/name>" in text
    assert "/id/council> <http://xmlns.com/foaf/0.1/name>" in (bins.content or "")
    assert "/relation> <https://council.example/id/bins>" in text
    for foreign in ('"Bins"', '"All"', "foaf/0.1/made"):
        assert foreign not in text
    assert text.count("downloadURL") == 2, "equal siblings are one"


@pytest.mark.parametrize("syntax", SYNTAXES)
@pytest.mark.parametrize("named", [True, False])
def test_the_same_graph_is_the_same_content_in_every_syntax(
    site: Site, syntax: str, named: bool
) -> None:
    site.serve("/d", CATALOGUE, "text/turtle")
    before = [(raw.guid, raw.content) for raw in site.read()[0]]
    triples = list(ox.parse(CATALOGUE, format=ox.RdfFormat.TURTLE, rename_blank_nodes=True))
    random.Random(7).shuffle(triples)
    form, media_type = SYNTAXES[syntax]
    body = ox.serialize((each.triple for each in triples), format=form)
    site.serve("/d", body, media_type if named else "text/plain")
    found, ending = site.read()
    assert ending.complete
    assert sorted((raw.guid, raw.content) for raw in found) == sorted(before)


def test_n_triples_of_urns_are_not_taken_for_xml(site: Site) -> None:
    kind = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/dcat#Dataset>"
    site.serve("/d", f'<urn:x> {kind} .\n<urn:x> <http://purl.org/dc/terms/title> "x" .\n')
    assert [raw.guid for raw in site.read()[0]] == ["urn:x"]


def test_a_link_to_a_dataset_is_kept_and_not_the_dataset(site: Site) -> None:
    file = "dcat:distribution [ dcat:accessURL :1, :2 ; dcat:landingPage :1 ]"
    site.serve("/d", PREFIXES + dataset(1, f":1 {file} . ") + dataset(2))
    content = site.read()[0][0].content or ""
    assert content.count("accessURL") == 2
    assert "landingPage> <https://council.example/id/1>" in content
    assert "Title 2" not in content


def test_a_service_belongs_to_each_dataset_that_it_serves(site: Site) -> None:
    api = ':api a dcat:DataService ; dct:title "API" ; dcat:servesDataset :1, :2 . '
    catalogue = ":c a dcat:Catalog ; dcat:service :api . "
    site.serve("/d", PREFIXES + dataset(1) + dataset(2) + dataset(3) + api + catalogue)
    found, ending = site.read()
    assert [raw.guid[-1] for raw in found] == ["1", "2", "3"]
    assert ["api> <" in (raw.content or "") for raw in found] == [True, True, False]
    assert (found[0].content or "").count("servesDataset") == 1
    assert not ending.problems


def test_a_service_of_a_file_changes_nothing_by_serving_its_dataset(site: Site) -> None:
    file = ":1 dcat:distribution [ dcat:accessURL :page ; dcat:accessService :api ] . "
    api = ':api a dcat:DataService ; dct:title "API" . '
    site.serve("/d", PREFIXES + dataset(1, file) + api)
    before = site.read()[0][0].content
    site.serve("/d", PREFIXES + dataset(1, file) + api + ":api dcat:servesDataset :1 .")
    assert [raw.content for raw in site.read()[0]] == [before]


def test_a_service_that_serves_nothing_is_a_record(site: Site) -> None:
    catalogue = ":c a dcat:Catalog ; dcat:service :api, :stub, :nameless, :elsewhere . "
    api = ':api a dcat:DataService ; dct:title "API" . :stub a dcat:DataService . '
    api += ":nameless a dcat:DataService ; dcat:endpointURL :v1 . "
    api += ':elsewhere a dcat:DataService ; dct:title "x" ; dcat:servesDataset :far . '
    site.serve("/d", PREFIXES + catalogue + api + dataset(1))
    found, ending = site.read()
    assert [(raw.guid[-3:], raw.position) for raw in found] == [
        ("d/1", "dataset 1"),
        ("api", "service 1"),
    ]
    assert ending.complete
    (problem,) = ending.problems
    assert problem.code == "service-left-out"
    assert problem.message.startswith("2 services left out, such as")


def test_services_prove_nothing_about_datasets(site: Site) -> None:
    api = ':c a dcat:Catalog ; dcat:service :api . :api a dcat:DataService ; dct:title "API" . '
    site.serve("/d", PREFIXES + api)
    found, ending = site.read()
    assert (len(found), ending.complete) == (1, False)
    total = "<BASE/d> a hydra:PartialCollectionView ; hydra:totalItems 2 . "
    site.serve("/d", PREFIXES + api + total + dataset(1))
    found, ending = site.read()
    assert (len(found), ending.complete) == (2, False)


def test_the_identity_is_the_one_that_the_stock_harvester_stores(site: Site) -> None:
    body = (
        PREFIXES
        + '<http://a.example/1> a dcat:Dataset ; dct:title "x" ; dct:identifier "no" .'
        + '[] a dcat:Dataset ; dct:identifier "five" ; dct:title "y" .'
        + '[] a dcat:Dataset ; dct:title "Only a Title" .'
        + '[] a dcat:Dataset ; dct:description "z" . :stub a dcat:Dataset .'
    )
    site.serve("/d", body)
    found, _ending = site.read()
    source = site.publisher.url("/d")
    guids = ["http://a.example/1", "five", f"{source}/only-a-title", ""]
    assert [raw.guid for raw in found] == guids
    assert found[3].error is not None
    assert found[3].error.code == "missing-identifier"


DOI = {"@type": "PropertyValue", "propertyID": "https://registry.identifiers.org/registry/doi"}


@pytest.mark.parametrize(
    ("members", "guid"),
    [
        ('"identifier": "roads-7", "url": "http://a.example/7"', "roads-7"),
        (
            f'"identifier": {json.dumps(DOI | {"value": "doi:10.5072/x"})}',
            "https://doi.org/10.5072/x",
        ),
        ('"identifier": ["x", {"@id": "http://a.example/id/7"}]', "http://a.example/id/7"),
        ('"url": "http://a.example/7", "dct:title": "Old"', "SOURCE/old"),
        ('"url": "http://a.example/7"', "http://a.example/7"),
        ('"url": "http://a.example/shared"', "SOURCE/roads"),
        ('"dc:identifier": "seven"', "seven"),
        ('"adms:identifier": {"skos:notation": "seven"}', "seven"),
        ("", "SOURCE/roads"),
        ('"@id": "http://a.example/id/7", "identifier": "no"', "http://a.example/id/7"),
    ],
)
def test_schema_org_dataset_is_identified_by_its_own_names(
    site: Site, members: str, guid: str
) -> None:
    names = {"adms": "http://www.w3.org/ns/adms#", "dc": "http://purl.org/dc/elements/1.1/"}
    one = f'{{"@type": "Dataset", "name": "Roads"{members and ", "}{members}}}'
    two = '{"@type": "Dataset", "name": "Two", "url": "http://a.example/shared"}'
    link = '{"@type": "Dataset", "url": "http://a.example/9"}'
    catalogue = f'"@type": "DataCatalog", "dataset": [{one}, {two}, {link}]'
    site.serve("/d", f'{{"@context": ["https://schema.org/", {json.dumps(names)}], {catalogue}}}')
    found, ending = site.read()
    assert guid.replace("SOURCE", site.publisher.url("/d")) in {raw.guid for raw in found}
    assert len(found) == 2
    assert [problem.code for problem in ending.problems] == ["left-out"]
    assert not ending.complete, "the link may be one that is known"


@pytest.mark.parametrize(
    ("members", "guid"),
    [
        ('"type": "Dataset", "id": "http://a.example/1"', "http://a.example/1"),
        ('"@type": "Dataset", "@id": "http://a.example/1", "id": "x"', "http://a.example/1"),
        ('"@type": "Dataset", "@id": "http://a.example/1", "type": {}', "http://a.example/1"),
    ],
)
def test_keywords_have_the_names_of_the_schema_org_context(
    site: Site, members: str, guid: str
) -> None:
    site.serve("/d", f'{{"@context": "http://schema.org/", {members}, "name": "Rivers"}}')
    found, ending = site.read()
    assert ([raw.guid for raw in found], ending.problems) == ([guid], ())


def test_dcat_us_3_needs_nothing_but_the_document(site: Site) -> None:
    base = "https://raw.githubusercontent.com/DOI-DO/dcat-us"
    catalogue = (
        '{"@id": "http://a.example/c", "@type": "dcat:Catalog", "dataset": ["http://a.example/1"]}'
    )
    one = '{"@id": "http://a.example/1", "@type": "dcat:Dataset", "titleMap": {"en": "Ice"}}'
    for branch in ("main", "refs/heads/main"):
        context = f"{base}/{branch}/context/dcat-us-3.0.jsonld"
        site.serve("/d", f'{{"@context": "{context}", "@graph": [{catalogue}, {one}]}}')
        (found,), ending = site.read()
        assert '/dc/terms/title> "Ice"@en' in (found.content or "")
        assert (found.guid, ending.complete) == ("http://a.example/1", True)


def test_a_next_link_to_a_host_behind_a_proxy_is_followed(
    site: Site,
) -> None:
    inside = "http://ckan-internal.invalid:5000"
    text = f'<{inside}/d> a hydra:PagedCollection ; hydra:nextPage "{inside}/d?page=2" .\n'
    site.serve("/d", PREFIXES + text + dataset(1), "text/turtle")
    site.serve("/d?page=2", PREFIXES + dataset(2), "text/turtle")
    found, ending = site.read()
    assert [raw.guid[-1] for raw in found] == ["1", "2"]
    assert ending.complete


def test_hydra_pages_of_both_kinds_are_followed_to_the_total(site: Site) -> None:
    paged = (
        "<BASE/d{0}> a hydra:{1} ; hydra:totalItems {2} ; hydra:{3} {4} .\n" + dataset(1)
    ).format
    last = "<BASE/d?page=2> a hydra:{0} ; hydra:totalItems {1} .\n" + dataset(2)
    for kind, link, target in (
        ("PagedCollection", "nextPage", '"BASE/d?page=2"'),
        ("PartialCollectionView", "next", "<BASE/d?page=2>"),
    ):
        for total, complete in ((2, True), (3, False)):
            site.serve("/d", PREFIXES + paged("", kind, total, link, target), "text/turtle")
            site.serve("/d?page=2", PREFIXES + last.format(kind, total), "text/turtle")
            found, ending = site.read()
            assert [raw.guid[-1] for raw in found] == ["1", "2"]
            assert ending.complete is complete
            assert complete or "announces 3 datasets and shows 2" in ending.reason
    assert not site.read(paging="none")[1].complete


def test_link_headers_are_followed(site: Site) -> None:
    link = f'<{site.publisher.base}/x>; rel="prev", <{site.publisher.base}/more>; rel="next"'
    site.serve("/d", PREFIXES + dataset(1), "text/turtle", Link=link)
    site.serve("/more", PREFIXES + dataset(2), "text/turtle")
    found, ending = site.read()
    assert [raw.guid[-1] for raw in found] == ["1", "2"]
    assert ending.complete


def test_numbered_pages_are_asked_for_until_there_is_none(site: Site) -> None:
    for number, path in enumerate(("/d", "/d?page=2", "/d?page=3"), 1):
        site.serve(path, PREFIXES + dataset(number), "text/turtle")
    found, ending = site.read()
    assert [raw.guid[-1] for raw in found] == ["1", "2", "3"]
    assert ending.complete
    assert len(site.read(paging="none")[0]) == 1


def test_pages_in_a_circle_end_and_prove_nothing(site: Site) -> None:
    for path, other, number in (("/d", "/e", 1), ("/e", "/f", 2), ("/f", "/e", 3)):
        text = f"<BASE{path}> a hydra:PartialCollectionView ; hydra:next <BASE{other}> .\n"
        site.serve(path, PREFIXES + text + dataset(number), "text/turtle")
    found, ending = site.read()
    assert len(found) == 3
    assert not ending.complete
    assert "read before" in ending.reason


def test_a_linked_page_that_is_not_there_proves_nothing(site: Site) -> None:
    text = "<BASE/d> a hydra:PartialCollectionView ; hydra:next <BASE/gone> .\n"
    site.serve("/d", PREFIXES + text + dataset(1), "text/turtle")
    found, ending = site.read()
    assert (len(found), ending.complete) == (1, False)
    assert "page 2 is linked, but not there" in ending.reason


def test_an_empty_catalogue_proves_nothing(site: Site) -> None:
    site.serve("/d", PREFIXES + ":c a dcat:Catalog .", "text/turtle")
    found, ending = site.read()
    assert (found, ending.complete) == ([], False)


@pytest.mark.parametrize(
    ("body", "code", "line", "words"),
    [
        ("", "empty-document", None, "is empty"),
        ("<html><title>Log in</title></html>", "html-page", None, "title 'Log in'"),
        (PREFIXES + ':x a dcat:Dataset ;\n dct:title "x', "rdf-syntax", 9, "not valid Turtle"),
        ('{"dataset": [{"title": "x"}]}', "not-a-catalogue", None, "data_json"),
        ("<a>\n<b></c></a>", "not-xml", 2, "not well-formed"),
        ("<other a='b'/>", "not-a-catalogue", None, "root element is other"),
        ('<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x/>', "doctype", 1, "DOCTYPE"),
        ("once upon a time", "rdf-syntax", 1, "begins with 'once upon"),
        ('{"@context": "BASE/context"}', "context", None, "cannot be read"),
    ],
)
def test_document_without_dcat_is_refused_with_a_reason(
    site: Site, body: str, code: str, line: int | None, words: str
) -> None:
    error = site.refusal(body)
    assert (error.code, error.line) == (code, line)
    assert words in error.message


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("<rdf:RDF xmlns:rdf='x'>" + "<a>" * 100_000, id="xml"),
        pytest.param(PREFIXES + ":a dct:title " + "[ dct:title " * 50_000, id="turtle"),
        pytest.param('{"@context": ' + "[" * 100_000, id="context"),
        pytest.param('{"@context": {"a": "b:c"}, "a": ' + "[" * 100_000, id="json"),
    ],
)
def test_documents_without_bottom_are_refused(site: Site, body: str) -> None:
    site.refusal(body)


RDF_XML = (
    '{0}<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
    ' xmlns:dcat="http://www.w3.org/ns/dcat#" xmlns:dct="http://purl.org/dc/terms/">'
    '<dcat:Dataset rdf:about="{1}"><dct:title>Café</dct:title></dcat:Dataset></rdf:RDF>'
)


def test_json_ld_inside_an_html_page_is_read(site: Site) -> None:
    one = {"@context": "https://schema.org/", "@type": "Dataset", "@id": "#1", "name": "Café"}
    two = {"@context": "https://schema.org/", "@type": "Dataset", "@id": "/2", "name": "Two"}
    other = {"@context": "https://schema.org/", "@type": "Organization", "name": "A council"}
    script = '<script type="application/ld+json">{}</script>'.format
    blocks = (json.dumps(one, ensure_ascii=False), json.dumps([two, other]), "broken Dataset {")
    page = f"<!DOCTYPE html><title>Data</title>{''.join(map(script, blocks))}<p>Text"
    site.serve("/d", page, "text/html")
    found, ending = site.read()
    base = site.publisher.base
    assert [raw.guid for raw in found] == [f"{base}/d#1", f"{base}/2"]
    assert "Café" in (found[0].content or "")
    assert ending.complete
    assert site.refusal(f"<title>Log in</title>{script(json.dumps(other))}").code == "html-page"


def test_entities_that_abbreviate_are_read_and_no_others(site: Site) -> None:
    doctype = '<!DOCTYPE rdf:RDF [<!ENTITY id "https://council.example/id/">{0}]>'
    site.serve("/d", RDF_XML.format(doctype.format(""), "&id;trees"))
    assert [raw.guid for raw in site.read()[0]] == ["https://council.example/id/trees"]
    for more in ('<!ENTITY b "&id;&id;">', '<!ENTITY b SYSTEM "b">', '<!ENTITY % b "x">'):
        error = site.refusal(RDF_XML.format(doctype.format(more), "&id;trees"))
        assert "DOCTYPE" in error.message


def test_other_encodings_are_read(site: Site) -> None:
    declared = '<?xml version="1.0" encoding="{0}"?>'
    for encoding in ("iso-8859-1", "windows-1252", "utf-16"):
        text = RDF_XML.format(declared.format(encoding), "http://a.example/1")
        site.serve("/d", text.encode(encoding))
        found, ending = site.read()
        assert "Café" in (found[0].content or "")
        assert not ending.problems
    site.serve("/d", (PREFIXES + ':1 a dcat:Dataset ; dct:title "Café" .').encode("latin-1"))
    found, ending = site.read()
    assert "Café" in (found[0].content or "")
    assert [problem.code for problem in ending.problems] == ["not-utf-8"]


@pytest.mark.parametrize("syntax", ["turtle", "json-ld", "rdf-xml"])
def test_addresses_with_blanks_lose_nothing(site: Site, syntax: str) -> None:
    page = "https://council.example/a b{c}.csv"
    body = {
        "turtle": PREFIXES + f':1 a dcat:Dataset ; dct:title "x" ; dcat:landingPage <{page}> .',
        "json-ld": '{"@context": {"dcat": "http://www.w3.org/ns/dcat#"}, "@id": "http://a.example/1",'
        f' "@type": "dcat:Dataset", "dcat:landingPage": {{"@id": "{page}"}}}}',
        "rdf-xml": RDF_XML.format("", "http://a.example/1").replace(
            "<dct:title>", f'<dcat:landingPage rdf:resource="{page}"/><dct:title>'
        ),
    }[syntax]
    site.serve("/d", body)
    found, ending = site.read()
    assert "<https://council.example/a%20b%7Bc%7D.csv>" in (found[0].content or "")
    assert [problem.code for problem in ending.problems] == ["bad-iri"]


def test_contexts_come_from_document_package_or_our_http_client(site: Site) -> None:
    document = (
        '{{"@context": {0}, "@id": "http://a.example/1", "@type": "dcat:Dataset", "title": "x"}}'
    ).format
    terms = '{"dcat": "http://www.w3.org/ns/dcat#", "title": "http://purl.org/dc/terms/title"}'
    site.serve("/d", document(terms), "application/ld+json")
    content = site.read()[0][0].content
    site.serve("/terms", '{"@context": ["BASE/inner"]}')
    site.serve("/inner", f'{{"@context": {terms}}}')
    bundled = "https://project-open-data.cio.gov/v1.1/schema/catalog.jsonld"
    for context in ('"BASE/terms"', '["terms", {"x": "http://x.example/"}]', f'"{bundled}"'):
        site.serve("/d", document(context), "application/ld+json")
        assert site.read()[0][0].content == content
    site.serve("/inner", '{"@context": ["BASE/terms", "BASE/inner"]}')
    site.serve("/d", document('"BASE/terms"'), "application/ld+json")
    with pytest.raises(ProtocolError):
        site.read()


@pytest.mark.parametrize("context", ['"http://[::1"', '{"@import": "http://[::1"}'])
def test_a_context_that_is_no_url_is_refused_by_name(site: Site, context: str) -> None:
    body = f'{{"@context": {context}, "@id": "http://a.example/1", "@type": "dcat:Dataset"}}'
    site.serve("/d", body, "application/ld+json")
    with pytest.raises(
        ProtocolError, match=r"context http://\[::1 is not a web address"
    ) as refused:
        site.read()
    assert refused.value.code == "context"


def test_json_ld_that_cannot_be_divided_has_a_limit(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ckanext.ukharvest.readers.rdf.file._MOST_AT_ONCE", 2 << 20)
    terms = {"dcat": "http://www.w3.org/ns/dcat#", "title": "http://purl.org/dc/terms/title"}
    one = {"@type": "dcat:Dataset", "title": "x" * 1000}
    many = [{"@id": f"http://a.example/{n}", **one} for n in range(3000)]
    site.serve("/d", json.dumps({"@context": terms, "@graph": many}), "application/ld+json")
    assert len(site.read()[0]) == 3000
    held = {"@context": terms, "dcat:dataset": {"@list": many}}
    site.serve("/d", json.dumps(held), "application/ld+json")
    with pytest.raises(ProtocolError, match=r"more than 2 MB .* array of datasets in") as refused:
        site.read()
    assert refused.value.code == "too-large"


def test_a_register_below_a_dataset_is_left_out(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ckanext.ukharvest.readers.rdf.graph.MAX_TRIPLES", 20)
    chain = "".join(f":n{n} dct:relation :n{n + 1} .\n" for n in range(100))
    site.serve("/d", PREFIXES + dataset(1, ":1 dct:relation :n0 . ") + chain)
    found, ending = site.read()
    assert (found[0].content or "").count("\n") < 30
    assert [problem.code for problem in ending.problems] == ["too-many-nodes"]


def test_a_publishers_list_of_datasets_adds_nothing_to_each(site: Site) -> None:
    count = 3000
    datasets = "".join(dataset(n, f":{n} dct:publisher :council . ") for n in range(count))
    lists = "".join(f":council dct:hasPart :{n} ; foaf:made :x{n} .\n" for n in range(count))
    site.serve("/d", PREFIXES + datasets + lists + ':council foaf:name "A council" .')
    found, ending = site.read()
    assert len(found) == count
    assert not ending.problems
    assert {(raw.content or "").count("\n") for raw in found} == {4}


def test_unmodified_rdf_document_is_not_read(site: Site) -> None:
    body = (PREFIXES + dataset(1)).encode()
    site.publisher.routes["/d"] = Response(body, etag='"1"')
    _found, ending = site.read()
    source = Source(site.publisher.url("/d"), {}, site.http, ending.validators)
    reading = Reading(RdfReader().records(source))
    assert list(reading) == []
    assert reading.ending is not None
    assert reading.ending.unchanged
