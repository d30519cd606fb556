"""Fields of an inventory's dataset; the wide cases are in tests/sources/inventory-*."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.parsers.inventory import parser as inventory
from tests.parsers.inventory.datasets import codes, dataset, resource

SERVICE = "http://id.esd.org.uk/service/579"


def test_identity_and_title_are_all_that_it_takes() -> None:
    record = dataset()
    assert (record.guid, record.title) == ("id", "T")
    assert [each.field for each in record.problems] == ["Description", "Rights"]
    with pytest.raises(ParseError, match="this record has no title; expected Title"):
        inventory.parse(RawRecord("id", "<Dataset><Identifier>id</Identifier></Dataset>"), {})
    with pytest.raises(ParseError, match="Identifier is missing"):
        inventory.parse(RawRecord("", "<Dataset><Title>T</Title></Dataset>"), {})
    with pytest.raises(ParseError, match="expected an inventory with a Dataset"):
        inventory.parse(RawRecord("id", "<x/>"), {})


@pytest.mark.parametrize(
    ("subjects", "services", "functions", "themes"),
    [
        ("", "", "", ()),
        ("<Subject><Service/><Function/></Subject>", "", "", ()),
        (
            "<Subject><Service/><Function>http://id.esd.org.uk/function/1</Function></Subject>"
            "<Subject><Service>http://id.esd.org.uk/service/2</Service><Function/></Subject>"
            "<Subject><Service>https://id.esd.org.uk/service/3/</Service></Subject>",
            "http://id.esd.org.uk/service/2 http://id.esd.org.uk/service/3",
            "http://id.esd.org.uk/function/1",
            (),
        ),
        (
            "<Subject><Function>http://id.esd.org.uk/service/2, http://id.esd.org.uk/function/4"
            "</Function></Subject>",
            "http://id.esd.org.uk/service/2",
            "http://id.esd.org.uk/function/4",
            (),
        ),
        ("<Subject Scheme='other'>Our policies</Subject>", "", "", ("Our policies",)),
    ],
)
def test_services_and_functions_are_recognised_by_uri(
    subjects: str, services: str, functions: str, themes: tuple[str, ...]
) -> None:
    record = dataset(f"<Subjects>{subjects}</Subjects>")
    assert record.extras.get("la_service", "") == services
    assert record.extras.get("la_function", "") == functions
    assert record.themes == themes


def test_type_and_availability_say_what_a_file_is() -> None:
    record = dataset(
        "",
        resource("Document", mime="text/html", url="https://a.example/page"),
        resource("data", last="<Availability>Service</Availability>"),
        resource("", url="https://a.example/x"),
    )
    assert [each.kind for each in record.resources] == ["documentation", "service", "data"]
    assert record.url == "https://a.example/page"
    assert codes(record) == ["bad-type"]


def test_data_that_is_only_promised_is_unpublished() -> None:
    page = resource("Document", mime="text/html")
    record = dataset("<CommittmentDate>2025-01-31Z</CommittmentDate>", page)
    assert record.extras["unpublished"] == "true"
    assert record.extras["publish-date"] == "2025-01-31"
    assert "unpublished" not in dataset("", page, resource()).extras


@pytest.mark.parametrize("never", ["0001-01-01", "1900-01-01T00:00:00"])
def test_dates_that_mean_never_are_none(never: str) -> None:
    record = dataset(flags=f'Modified="{never}"')
    assert record.modified == ""
    assert codes(record) == []


def test_time_and_place_come_from_the_files_or_from_above() -> None:
    above = "<Metadata><Coverage><Spatial>https://s.example/all</Spatial></Coverage></Metadata>"
    assert dataset(above=above).extras["spatial_uri"] == "https://s.example/all"
    covered = '<Coverage TemporalFrom="2020-01-01" TemporalTo="{}">{}</Coverage><Renditions>'
    parts = [
        resource().replace("<Renditions>", covered.format(to, place))
        for to, place in (("2020-12-31", ""), ("2021-06-30", "<Spatial>North</Spatial>"))
    ]
    record = dataset("", *parts, above=above)
    assert record.temporal is not None
    assert (record.temporal.start, record.temporal.end) == ("2020-01-01", "2021-06-30")
    assert record.spatial_text == "North"
    assert "spatial_uri" not in record.extras


@pytest.mark.parametrize(
    ("url", "kept", "code"),
    [
        ("", "", "missing-url"),
        ("javascript:alert(1)", "", "bad-url"),
        ("files/a.csv", "files/a.csv", "bad-url"),
        ("https://a.example/one two", "https://a.example/one%20two", ""),
    ],
)
def test_addresses_are_checked(url: str, kept: str, code: str) -> None:
    record = dataset("", resource(url=url))
    assert [each.url for each in record.resources] == ([kept] if kept else [])
    assert codes(record) == ([code] if code else [])


def test_markup_that_was_not_escaped_is_read_as_words() -> None:
    body = "<Description>Over <b>500</b> <!-- GBP -->pounds</Description>"
    assert dataset(body).notes == "Over 500 pounds"


@pytest.mark.parametrize(
    ("subject", "extras", "themes", "found"),
    [
        ("<Service>579</Service>", {"la_service": SERVICE}, (), []),
        ("<Service>LGSL 579</Service><Function/>", {"la_service": SERVICE}, (), []),
        ("<Service>Public toilets</Service>", {"la_service": SERVICE}, (), []),
        ("<Function>http://standards.esd.org.uk/?uri=service%2F579</Function>",)
        + ({"la_service": SERVICE}, (), []),
        ("<Service>Bins</Service>", {}, ("Bins",), ["unknown-la-service Subjects/Subject/Service"]),
        (
            "<Function>http://id.esd.org.uk/function/9999</Function>",
            {"la_function": "http://id.esd.org.uk/function/9999"},
            (),
            ["unknown-la-function Subjects/Subject/Function"],
        ),
    ],
)
def test_functions_and_services_in_every_writing(
    subject: str, extras: dict[str, str], themes: tuple[str, ...], found: list[str]
) -> None:
    record = dataset(f"<Subjects><Subject>{subject}</Subject></Subjects>")
    named = {key: value for key, value in record.extras.items() if key.startswith("la_")}
    assert (named, record.themes) == (extras, themes)
    problems = [each for each in record.problems if each.code.startswith("unknown-la")]
    assert [f"{each.code} {each.field}" for each in problems] == found


def test_many_unknown_services_are_one_problem() -> None:
    text = "".join(
        f"<Subject><Service>{number}</Service></Subject>" for number in range(5000, 7000)
    )
    found = [
        each for each in dataset(f"<Subjects>{text}</Subjects>").problems if "LGA" in each.message
    ]
    assert len(found) == 1
    assert "service/5000' (and 1,999 more)" in found[0].message


def test_subjects_of_other_vocabularies_are_themes() -> None:
    subject = "<Subject Scheme='publicationScheme'><Service>Lists and registers</Service></Subject>"
    record = dataset(f"<Subjects>{subject}</Subjects>")
    assert record.themes == ("Lists and registers",)
    assert not [each for each in record.problems if each.code.startswith("unknown-la")]


def test_a_rights_holder_may_be_known_by_a_web_page() -> None:
    record = dataset("<RightsHolder>https://council.example/about</RightsHolder>")
    assert record.extras["rights_holder"] == "https://council.example/about"
    assert codes(record) == []


def test_odd_relations_are_kept_those_without_target_left_out() -> None:
    record = dataset(
        "<Relations><Relation><RelationType>is like</RelationType>"
        "<DatasetIdentifier>a</DatasetIdentifier></Relation>"
        "<Relation><RelationType>links to</RelationType></Relation></Relations>"
    )
    assert record.extras["relation"] == "a"
    (problem,) = [each for each in record.problems if each.code == "unexpected-value"]
    assert "'is like'; expected depends on, derived from or links to" in problem.message


def test_a_coverage_may_name_a_place_alone() -> None:
    place = "<Coverage><Spatial>http://a.example/place</Spatial></Coverage>"
    record = dataset("", resource().replace("<Title>R", f"{place}<Title>R"))
    assert record.resources[0].temporal is None
    assert record.resources[0].extras["spatial_uri"] == "http://a.example/place"
