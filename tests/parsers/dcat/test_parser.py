"""Datasets in RDF: each predicate and its parsed value."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.records import Agent, DatasetRecord, Licence, Period, RawRecord
from ckanext.ukharvest.parsers.dcat import parser as dcat
from tests.parsers.dcat.turtle import codes, ntriples, parse

OGL = "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"
OGL_TITLE = "UK Open Government Licence (OGL)"
EU = "http://publications.europa.eu/resource/authority/"


def test_a_complete_dataset_has_no_problems() -> None:
    assert parse("").problems == ()


@pytest.mark.parametrize(
    ("turtle", "field", "expected"),
    [
        # Texts, and the language that is chosen.
        ('dct:title " A\u00a0b "', "title", "A b"),
        ('dct:title "Titre"@fr, "Title"@en, "Bare"', "title", "Title"),
        ('dct:title "Titre"@fr, "Title"@en-GB, "Bare"', "title", "Title"),
        ('dct:title "Titre"@fr, "Bare"', "title", "Bare"),
        ('dct:title "Titre"@fr, "Titel"@de', "title", "Titel"),
        ('rdfs:label "L"', "title", "L"),
        ('schema:name "S"', "title", "S"),
        (
            'dct:title "T" ; dct:description "<p>One</p><p>Two &amp; three</p>"',
            "notes",
            "One\n\nTwo & three",
        ),
        ('dct:title "T" ; dct:description "D" ; rdfs:comment "C"', "notes", "D\n\nC"),
        ('dct:title "T" ; dct:abstract "A"', "notes", "A"),
        # Descriptions.
        ('dcat:keyword "air, water", "Luft"@de, "air"', "tags", ("air", "water", "Luft")),
        ("dcat:keyword <http://a.uk/concept>", "tags", ()),
        ('dcat:keyword [ skos:prefLabel "Air" ]', "tags", ("Air",)),
        (f'dcat:theme <{EU}data-theme/ENVI>, "Air"', "themes", ("Air", f"{EU}data-theme/ENVI")),
        ("dct:subject <http://a.uk/s>", "themes", ("http://a.uk/s",)),
        ('dct:theme "Air"', "themes", ("Air",)),
        (
            'dct:language "en", <http://publications.europa.eu/resource/authority/language/CYM>',
            "language",
            ("en", "cy"),
        ),
        ('dc:language "en, cy"', "language", ("en", "cy")),
        ('dct:conformsTo <http://a.uk/s.json>, "INSPIRE"', "schema_urls", ("http://a.uk/s.json",)),
        ('owl:versionInfo "2.0"', "version", "2.0"),
        ('dcat:version "3.1"', "version", "3.1"),
        ('adms:version "1"', "version", "1"),
        ("dcat:landingPage <http://a.uk/p>", "url", "http://a.uk/p"),
        ("foaf:homepage <http://a.uk/h>", "url", "http://a.uk/h"),
        # Dates.
        ('dct:issued "2019-05"^^xsd:gYearMonth', "issued", "2019-05"),
        ('dct:modified "2019-05-01", "2020-01-01"', "modified", "2020-01-01"),
        ('schema:dateModified "2019-05-01"', "modified", "2019-05-01"),
        ("dct:modified <http://reference.data.gov.uk/id/day/2019-05-01>", "modified", "2019-05-01"),
        # Frequencies.
        (f"dct:accrualPeriodicity <{EU}frequency/ANNUAL>", "frequency", "R/P1Y"),
        ("dct:accrualPeriodicity <http://purl.org/cld/freq/daily>", "frequency", "R/P1D"),
        ('dct:accrualPeriodicity "Annual"', "frequency", "R/P1Y"),
        ('dct:accrualPeriodicity [ rdfs:label "monthly" ]', "frequency", "R/P1M"),
        ("dct:accrualPeriodicity [ rdf:value [ time:years 1.0 ] ]", "frequency", "R/P1Y"),
        # Terms.
        (f"dct:license <{OGL}>", "licence", Licence("uk-ogl", OGL_TITLE, OGL)),
        (
            f'dct:license [ rdfs:label "OGL" ; rdfs:seeAlso <{OGL}> ]',
            "licence",
            Licence("uk-ogl", OGL_TITLE, OGL),
        ),
        (
            f'dct:rights "Published under {OGL}."',
            "licence",
            Licence("uk-ogl", "UK Open Government Licence (OGL)", OGL),
        ),
        (
            "dct:license <http://a.uk/def/licenses/cc-zero>",
            "licence",
            Licence("cc-zero", "Creative Commons CCZero", "http://a.uk/def/licenses/cc-zero"),
        ),
        ('dct:rights [ a dct:RightsStatement ; rdfs:label "All ours" ]', "rights", "All ours"),
        (f"dct:accessRights <{EU}access-right/PUBLIC>", "rights", ""),
    ],
)
def test_a_predicate_becomes(turtle: str, field: str, expected: Any) -> None:
    title = "" if field == "title" or "dct:title" in turtle else 'dct:title "T" ; '
    assert getattr(parse(title + turtle, bare=True), field) == expected


def test_the_source_chooses_the_language() -> None:
    record = parse('dct:title "Title"@en, "Teitl"@cy', bare=True, language="cy")
    assert record.title == "Teitl"


@pytest.mark.parametrize(
    ("turtle", "expected"),
    [
        ('"P"', Agent("P")),
        ("<http://a.uk/p>", Agent(url="http://a.uk/p")),
        (
            '[ foaf:name "P" ; foaf:mbox <mailto:p@a.uk> ; foaf:homepage <http://a.uk/> ]',
            Agent("P", "p@a.uk", "http://a.uk/"),
        ),
        (
            'schema:publisher [ schema:name "P"@en, "Q"@cy ; schema:email "p@a.uk" ]',
            Agent("P", "p@a.uk"),
        ),
        ('dc:publisher [ rdfs:label "P" ]', Agent("P")),
        ('<http://a.uk/p>, "P"', Agent("P")),
        ('""', None),
    ],
)
def test_publishers(turtle: str, expected: Agent | None) -> None:
    named = turtle if turtle[0].isalpha() else f"dct:publisher {turtle}"
    assert parse(f'dct:title "T" ; {named}', bare=True).publisher == expected


@pytest.mark.parametrize(
    ("turtle", "expected"),
    [
        ('[ vcard:fn "C" ; vcard:hasEmail <mailto:c@a.uk> ]', Agent("C", "c@a.uk")),
        (
            '[ vcard:fn "C" ; vcard:hasEmail "c@a.uk" ; vcard:hasURL <http://a.uk/c> ]',
            Agent("C", "c@a.uk", "http://a.uk/c"),
        ),
        (
            'adms:contactPoint [ vcard:organization-name "C" ; vcard:email "c@a.uk" ]',
            Agent("C", "c@a.uk"),
        ),
        (
            '[ vcard:hasFN [ vcard:hasValue "C" ] ;'
            " vcard:hasEmail [ a vcard:Work ; vcard:hasValue <mailto:c@a.uk> ] ]",
            Agent("C", "c@a.uk"),
        ),
        ('[ foaf:name "C" ; foaf:mbox <mailto:c@a.uk> ]', Agent("C", "c@a.uk")),
        ('"Data team <c@a.uk>"', Agent("Data team", "c@a.uk")),
        ("<mailto:c@a.uk>", Agent(email="c@a.uk")),
        ("pmd:contactEmail <mailto:c@a.uk>", Agent(email="c@a.uk")),
        ('"Data team"', Agent("Data team")),
        (
            '[ vcard:fn "A" ], [ vcard:fn "B" ; vcard:hasEmail <mailto:b@a.uk> ]',
            Agent("B", "b@a.uk"),
        ),
    ],
)
def test_contacts(turtle: str, expected: Agent) -> None:
    named = turtle if turtle[0].isalpha() else f"dcat:contactPoint {turtle}"
    assert parse(f'dct:title "T" ; {named}', bare=True).contact == expected


def test_an_email_address_that_became_a_relative_url() -> None:
    turtle = 'dcat:contactPoint [ vcard:fn "C" ; vcard:hasEmail <http://a.uk/cat/c@a.uk> ]'
    record = parse(f'dct:title "T" ; {turtle}', bare=True)
    assert record.contact == Agent("C", "c@a.uk")
    assert "email-without-mailto vcard:hasEmail" in codes(record)


def test_a_telephone_number() -> None:
    turtle = (
        'dcat:contactPoint [ vcard:fn "C" ; vcard:hasTelephone [ vcard:hasValue <tel:+44%201> ] ]'
    )
    assert parse(turtle).extras["contact-phone"] == "+44 1"
    # Neither PostgreSQL nor a page takes a control character.
    assert parse(turtle.replace("%20", "%00%1b")).extras["contact-phone"] == "+441"


@pytest.mark.parametrize(
    ("turtle", "expected"),
    [
        (
            '[ schema:startDate "2019-01-01" ; schema:endDate "2019-12-31" ]',
            Period("2019-01-01", "2019-12-31"),
        ),
        ('[ dcat:startDate "2019"^^xsd:gYear ]', Period("2019", "")),
        (
            '[ time:hasBeginning [ time:inXSDDate "2019-01-01" ] ;'
            ' time:hasEnd [ time:inXSDDateTimeStamp "2020-01-01T00:00:00Z" ] ]',
            Period("2019-01-01", "2020-01-01T00:00:00Z"),
        ),
        ('[ scv:min "2019-01-01" ; scv:max "2020-01-01" ]', Period("2019-01-01", "2020-01-01")),
        ('"2019-05"^^xsd:gYearMonth', Period("2019-05", "2019-05")),
        (
            '[ dcat:startDate "2019" ; dcat:endDate "2020" ], [ dcat:startDate "2018" ;'
            ' dcat:endDate "2019" ]',
            Period("2018", "2020"),
        ),
        ("<http://a.uk/some/period>", None),
    ],
)
def test_periods(turtle: str, expected: Period | None) -> None:
    assert parse(f"dct:temporal {turtle}").temporal == expected


SQUARE = [[[0.0, 51.0], [1.0, 51.0], [1.0, 52.0], [0.0, 52.0], [0.0, 51.0]]]
WKT = "POLYGON((0 51, 1 51, 1 52, 0 52, 0 51))"
GEOJSON = json.dumps({"type": "Polygon", "coordinates": SQUARE}).replace('"', '\\"')


@pytest.mark.parametrize(
    "turtle",
    [
        f'[ locn:geometry "{WKT}"^^gsp:wktLiteral ]',
        f'[ locn:geometry "{GEOJSON}" ]',
        f'[ dcat:bbox "{WKT}" ; dcat:centroid "POINT(0.5 51.5)" ]',
        f'[ locn:geometry "broken", "{WKT}" ]',
        f'[ gsp:hasGeometry [ gsp:asWKT "{WKT}" ] ]',
    ],
)
def test_geometries(turtle: str) -> None:
    record = parse(f"dct:spatial {turtle}")
    assert record.spatial == {"type": "Polygon", "coordinates": SQUARE}
    assert record.problems == ()


def test_places_in_words_and_uris() -> None:
    record = parse(
        'dct:spatial <http://sws.geonames.org/2635167/>, "Wales"',
        '<http://sws.geonames.org/2635167/> skos:prefLabel "United Kingdom"@en .',
    )
    assert record.spatial is None
    assert record.spatial_text == "Wales; United Kingdom"
    assert record.extras["spatial_uri"] == "http://sws.geonames.org/2635167/"


def test_extras_are_never_empty() -> None:
    assert all(parse('dct:identifier "x"').extras.values())


def test_functions_and_services_of_local_government() -> None:
    record = parse(
        "dcat:theme <http://id.esd.org.uk/service/579>, <https://id.esd.org.uk/function/72/> ;"
        " dct:subject <http://standards.esd.org.uk/?uri=service%2F12>"
    )
    services = "http://id.esd.org.uk/service/579 http://id.esd.org.uk/service/12"
    assert record.extras["la_service"] == services
    assert record.extras["la_function"] == "http://id.esd.org.uk/function/72"
    assert record.themes == ()


def test_a_function_that_is_in_no_list_is_kept_and_reported() -> None:
    record = parse("dcat:theme <http://id.esd.org.uk/function/9999>, <http://a.uk/theme/1>")
    assert record.extras["la_function"] == "http://id.esd.org.uk/function/9999"
    assert record.themes == ("http://a.uk/theme/1",)
    problems = [each for each in record.problems if each.code != "missing-field"]
    assert [(each.code, each.field) for each in problems] == [("unknown-la-function", "dcat:theme")]


def test_reference_systems_are_no_schemas_and_laws_are_mandates() -> None:
    record = parse(
        "dct:conformsTo <http://www.opengis.net/def/crs/EPSG/0/27700>, <http://a.uk/schema> ;"
        ' dcatap:applicableLegislation <http://data.europa.eu/eli/reg_impl/2023/138/oj>, "An act"'
    )
    assert record.schema_urls == ("http://a.uk/schema",)
    assert record.extras["mandate"] == '["http://data.europa.eu/eli/reg_impl/2023/138/oj"]'
    assert "An act" in record.extras["applicable_legislation"]


@pytest.mark.parametrize(
    ("turtle", "name", "expected"),
    [
        ('dct:provenance [ rdfs:label "From B" ]', "provenance", "From B"),
        (
            f"dct:accessRights <{EU}access-right/PUBLIC>",
            "access_rights",
            f"{EU}access-right/PUBLIC",
        ),
        (
            "dcatap:applicableLegislation <http://a.eu/l>",
            "applicable_legislation",
            '["http://a.eu/l"]',
        ),
        ("dcatap:hvdCategory <http://a.eu/c>", "hvd_category", '["http://a.eu/c"]'),
        ('adms:versionNotes "New"', "version_notes", "New"),
        ("dct:isVersionOf <http://a.uk/2>", "is_version_of", '["http://a.uk/2"]'),
        ('dct:source "S"', "source", '["S"]'),
        ("dcat:spatialResolutionInMeters 10.5", "spatial_resolution_in_meters", "10.5"),
        ('dct:identifier "x"', "identifier", "x"),
        ("foaf:page <http://a.uk/doc>", "documentation", '["http://a.uk/doc"]'),
        ('adms:identifier [ skos:notation "n" ]', "alternate_identifier", '["n"]'),
        ('dct:issued "2019"', "issued", "2019"),
        ('dct:temporal "2019/2020"', "temporal_end", "2020"),
        ('dct:publisher [ foaf:name "P" ]', "publisher_name", "P"),
        ('dct:title "T"', "uri", "http://a.uk/d"),
        ('dct:title "T"', "metadata_uri", "http://a.uk/d"),
    ],
)
def test_extras_have_the_names_of_ckanext_dcat(turtle: str, name: str, expected: str) -> None:
    assert parse(turtle).extras[name] == expected


def test_an_example_of_the_eu_keeps_all_it_says() -> None:
    """A dataset with the predicates of the example in data.europa.eu's documentation."""
    record = parse(
        'dct:alternative "Parks, for short"@en ; dct:subject <http://a.eu/eurovoc/1> ;'
        f" dct:accessRights <{EU}access-right/PUBLIC> ;"
        f" dct:accrualPeriodicity <{EU}frequency/MONTHLY> ; dct:language <{EU}language/ENG> ;"
        ' dct:issued "2026-03-17"^^xsd:date ; dcat:distribution ['
        " dcat:accessURL <http://a.eu/page> ; dcat:downloadURL <http://a.eu/parks.csv> ;"
        f' dct:title "Parks"@en ; dct:type <{EU}distribution-type/DOWNLOADABLE_FILE> ;'
        f" dct:license <{EU}licence/CC_BY_4_0> ; dct:rights [ rdfs:label 'Free' ] ;"
        f" adms:status <{EU}distribution-status/COMPLETED> ; dct:format <{EU}file-type/CSV> ;"
        " dcat:mediaType <http://www.iana.org/assignments/media-types/text/csv> ]"
    )
    assert (record.issued, record.frequency, record.language) == ("2026-03-17", "R/P1M", ("en",))
    assert record.themes == ("http://a.eu/eurovoc/1",)
    assert record.extras["alternative"] == "Parks, for short"
    assert record.extras["subject"] == '["http://a.eu/eurovoc/1"]'
    assert record.extras["access_rights"] == f"{EU}access-right/PUBLIC"
    (file,) = record.resources
    assert (file.url, file.name, file.format) == ("http://a.eu/parks.csv", "Parks", "CSV")
    assert file.mimetype == "text/csv"
    assert file.licence is not None
    assert file.licence.url == f"{EU}licence/CC_BY_4_0"
    assert file.extras["access_url"] == "http://a.eu/page"
    assert file.extras["distribution_type"] == f"{EU}distribution-type/DOWNLOADABLE_FILE"
    assert file.extras["status"] == f"{EU}distribution-status/COMPLETED"
    assert file.extras["rights"] == "Free"
    assert record.problems == ()


@pytest.mark.parametrize(
    ("turtle", "problem"),
    [
        ('dct:modified "soon"', "bad-date dct:modified"),
        ('dct:issued ""', "empty-field dct:issued"),
        ('dct:temporal "then"', "bad-period dct:temporal"),
        ('dct:language "gibberish!"', "bad-language dct:language"),
        ('dct:accrualPeriodicity "now and then"', "bad-frequency dct:accrualPeriodicity"),
        ('dct:spatial [ locn:geometry "somewhere" ]', "bad-spatial dct:spatial"),
        ('dct:spatial "POLYGON((0 51, 400 51, 1 52, 0 51))"', "bad-spatial dct:spatial"),
        ('dcat:keyword "x"', "bad-tag dcat:keyword"),
        ('dcat:contactPoint [ vcard:hasEmail "nobody" ]', "bad-email vcard:hasEmail"),
    ],
)
def test_a_defect_is_reported_and_loses_no_record(turtle: str, problem: str) -> None:
    assert problem in codes(parse(turtle))


def test_missing_dcat_fields_are_reported() -> None:
    record = parse('dct:title "T" ; dct:publisher <http://a.uk/p>', bare=True)
    assert codes(record) == [
        "missing-field dct:publisher",
        "missing-field dct:description",
        "missing-field dcat:contactPoint",
        "missing-field dct:license",
    ]
    assert "http://a.uk/p" in record.problems[0].message


def test_an_unknown_licence_is_kept_and_reported() -> None:
    record = parse('dct:title "T" ; dct:license <http://a.uk/terms>', bare=True)
    assert record.licence == Licence(url="http://a.uk/terms")
    assert "unknown-licence dct:license" in codes(record)


@pytest.mark.parametrize(
    ("content", "guid", "code"),
    [
        ("", "", "missing-identifier"),
        ("", "x", "no-dataset"),
        ("nonsense", "x", "not-ntriples"),
        (ntriples("<http://a.uk/d> a dcat:Dataset ."), "x", "missing-title"),
        (ntriples('<http://a.uk/d> a dcat:Dataset ; dct:title " " .'), "x", "missing-title"),
    ],
)
def test_unreadable_dcat_record_is_refused(content: str, guid: str, code: str) -> None:
    with pytest.raises(ParseError) as caught:
        dcat.parse(RawRecord(guid, content), {})
    assert caught.value.code == code


@pytest.mark.parametrize(
    "kind",
    ["dcat:DatasetSeries", "pmd:Dataset", "void:Dataset", "schema:Dataset"],
)
def test_kinds_of_datasets(kind: str) -> None:
    content = ntriples(f'[] a {kind} ; dct:title "T" ; dct:relation <http://a.uk/other> .')
    assert dcat.parse(RawRecord("g", content), {}).title == "T"


def test_every_order_of_the_triples_gives_the_same_record() -> None:
    lines = ntriples(
        '<http://a.uk/d> a dcat:Dataset ; dct:title "T", "U" ; dcat:keyword "b", "a" ;'
        ' dcat:contactPoint [ vcard:fn "C" ], [ vcard:fn "D" ] ; dcat:distribution'
        " [ dcat:accessURL <http://a.uk/10> ], [ dcat:accessURL <http://a.uk/9> ] ."
    ).splitlines()
    found = [_parsed(order) for order in (sorted(lines), sorted(lines, reverse=True))]
    assert found[0] == found[1]
    assert [each.url for each in found[0].resources] == ["http://a.uk/9", "http://a.uk/10"]


def _parsed(lines: list[str]) -> DatasetRecord:
    return dcat.parse(RawRecord("g", "\n".join(lines)), {})


@pytest.mark.parametrize("mapping", [dcat.MAPPING, dcat.RESOURCE_MAPPING])
def test_the_mapping_names_every_predicate_once_per_target(mapping: Any) -> None:
    rows = [(source, row.target) for row in mapping for source in row.source]
    assert len(rows) == len(set(rows))


def test_linksets_name_the_linked_datasets() -> None:
    linkset = "void:subset [ a void:Linkset ; {} ]"
    one = linkset.format("void:subjectsTarget <http://a.uk/d> ; void:objectsTarget <http://b.uk/e>")
    two = linkset.format("void:target <http://a.uk/d>, <http://c.uk/f>")
    for turtle, expected in ((one, ["http://b.uk/e"]), (two, ["http://c.uk/f"])):
        assert json.loads(parse(turtle).extras["linksets"]) == expected
    assert "linksets" not in parse("void:subset [ a void:Dataset ]").extras


def test_a_body_of_endless_bodies_is_named_up_to_a_level() -> None:
    bodies = " ".join(
        f'<http://a.uk/o{n}> foaf:name "O{n}" ; org:subOrganizationOf <http://a.uk/o{n + 1}> .'
        for n in range(30)
    )
    record = parse("dct:publisher <http://a.uk/o0>", bodies)
    assert record.extras["publisher_hierarchy"].startswith("O10 > ")
    assert record.extras["publisher_hierarchy"].endswith(" > O0")


def test_bodies_above_each_other_are_named_once() -> None:
    bodies = " ".join(
        f'<http://a.uk/{name}> foaf:name "{name}" ; org:subOrganizationOf <http://a.uk/{above}> .'
        for name, above in (("a", "b"), ("b", "c"), ("c", "b"))
    )
    record = parse("dct:publisher <http://a.uk/a>", bodies)
    assert record.extras["publisher_hierarchy"] == "c > b > a"


def test_a_contact_may_be_an_email_address_alone() -> None:
    record = parse('dcat:contactPoint "data@a.uk"')
    assert record.contact is not None
    assert (record.contact.name, record.contact.email) == ("", "data@a.uk")


def test_bodies_in_other_roles_are_kept_with_their_role() -> None:
    record = parse(
        'dcat:contactPoint [ vcard:fn "AFB" ; vcard:hasEmail <mailto:afb@example.org> ;'
        ' vcard:org [ vcard:organisation-name "Agency for biodiversity" ] ] ;'
        'geodcat:custodian [ foaf:name "Custodian body" ] ;'
        'geodcat:distributor [ foaf:name "Distributor body" ] ;'
        'prov:qualifiedAttribution [ prov:agent [ foaf:name "Owner body" ] ; dcat:hadRole'
        " <http://inspire.ec.europa.eu/metadata-codelist/ResponsiblePartyRole/owner> ]"
    )
    assert record.contact == Agent("AFB", "afb@example.org")
    assert json.loads(record.extras["responsible-organisation"]) == [
        {"name": "Agency for biodiversity", "roles": "pointOfContact"},
        {"name": "Custodian body", "roles": "custodian"},
        {"name": "Distributor body", "roles": "distributor"},
        {"name": "Owner body", "roles": "owner"},
    ]


_ROLE = "http://inspire.ec.europa.eu/metadata-codelist/ResponsiblePartyRole/"


@pytest.mark.parametrize(
    ("role", "field"),
    [
        (f"<{_ROLE}publisher>", "publisher"),
        (f"<{_ROLE}owner>", "publisher"),
        ("<http://www.isotc211.org/schemas/codelists.xml#CI_RoleCode_publisher>", "publisher"),
        (f"<{_ROLE}pointOfContact>", "contact"),
        (f"<{_ROLE}author>", "author"),
    ],
)
@pytest.mark.parametrize("predicate", ["dcat:hadRole", "prov:hadRole", "dct:type"])
def test_body_named_by_attribution_alone_is_read(predicate: str, role: str, field: str) -> None:
    attribution = (
        'prov:qualifiedAttribution [ prov:agent [ foaf:name "Body" ; foaf:mbox <mailto:a@b.uk> ] ;'
        f" {predicate} {role} ]"
    )
    record = parse(f'dct:title "T" ; {attribution}', bare=True)
    assert getattr(record, field) == Agent("Body", "a@b.uk")
    assert record.extras[f"{'creator' if field == 'author' else field}_name"] == "Body"
    is_kept = "responsible-organisation" in record.extras
    assert is_kept is (f"{_ROLE}owner" in role)  # the same body in another role than publisher
    named = {"publisher": "dct:publisher", "contact": "dcat:contactPoint", "author": "dct:creator"}
    assert f"missing-field {named[field]}" not in codes(record)
    own = parse(f'dct:title "T" ; {attribution} ; {named[field]} [ foaf:name "Own" ]', bare=True)
    assert getattr(own, field) == Agent("Own")
    assert "Body" in own.extras["responsible-organisation"]


def test_name_of_contact_may_be_one_level_below() -> None:
    record = parse('dcat:contactPoint [ vcard:org [ vcard:organisation-name "Agency" ] ]')
    assert record.contact == Agent("Agency")
    record = parse('dct:creator [ foaf:givenName "Ada" ; foaf:familyName "King" ]')
    assert record.author == Agent("Ada King")


def test_themes_become_tags_where_an_option_says_so() -> None:
    eu = "<http://publications.europa.eu/resource/authority/data-theme/TRAN>"
    own = '[ a skos:Concept ; skos:prefLabel "Bridges" ]'
    turtle = f'dcat:keyword "roads" ; dcat:theme {eu}, {own}, <http://a.uk/unknown>'
    assert parse(turtle).tags == ("roads",)
    with_themes = parse(turtle, themes_as_tags=True)
    assert sorted(with_themes.tags) == ["Bridges", "Transport", "roads"]
    assert with_themes.themes == parse(turtle).themes
