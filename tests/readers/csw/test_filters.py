"""Selections: OGC filters of a source's own, first and last day, the name of the date."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import etree

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.readers.csw import request as requests
from ckanext.ukharvest.readers.csw.filters import DUBLIN_CORE, ISO, Wanted
from ckanext.ukharvest.readers.csw.reader import OPTIONS
from ckanext.ukharvest.readers.csw.request import Way
from tests.publisher import Response
from tests.publishing.csw import NAMES, Asked, Catalogue, refusal
from tests.readers.csw.csw_bodies import body, condition, shape
from tests.readers.csw.reads import BEST, many
from tests.readers.reads import Reads

OGC = NAMES["ogc"]
APISO = "http://www.opengis.net/cat/csw/apiso/1.0"
SUBJECT = (
    f'<ogc:Filter xmlns:ogc="{OGC}" xmlns:apiso="{APISO}"><ogc:PropertyIsEqualTo>'
    "<ogc:PropertyName>apiso:Subject</ogc:PropertyName><ogc:Literal>Hydrography ≥ 1</ogc:Literal>"
    "</ogc:PropertyIsEqualTo></ogc:Filter>"
)
ABOUT = ["PropertyIsEqualTo", ("PropertyName", "apiso:Subject"), ("Literal", "Hydrography ≥ 1")]


def at(operator: str, name: str, day: str) -> Any:
    return [operator, ("PropertyName", name), ("Literal", day)]


FROM = "PropertyIsGreaterThanOrEqualTo"
UNTIL = "PropertyIsLessThanOrEqualTo"


# A filter of the source


def test_a_filter_is_sent_as_it_is() -> None:
    (constraint,) = body(xml=SUBJECT).findall(".//csw:Constraint", NAMES)
    assert constraint.get("version") == "1.1.0"
    assert SUBJECT in etree.tostring(constraint, encoding="unicode")
    query = requests.get_records(Way("GET", ISO), Wanted(xml=SUBJECT), start=1, size=50).query
    assert query["constraint"] == SUBJECT
    assert query["constraintLanguage"] == "FILTER"


def test_a_filter_is_joined_to_the_other_conditions() -> None:
    wanted = {"xml": SUBJECT, "types": ("series",), "since": "2024-05-31"}
    kind = ["PropertyIsEqualTo", ("PropertyName", "apiso:Type"), ("Literal", "series")]
    since = at(FROM, "apiso:Modified", "2024-05-31")
    expected = ["Filter", ["And", kind, since, ABOUT]]
    assert condition(body(**wanted)) == expected
    query = requests.get_records(Way("GET", ISO), Wanted(**wanted), start=1, size=50).query
    assert shape(etree.fromstring(str(query["constraint"]))) == expected


@pytest.mark.parametrize("types", [(), ("series",)])
@pytest.mark.parametrize("method", ["POST", "GET"])
def test_a_filter_keeps_its_own_prefixes(types: tuple[str, ...], method: str) -> None:
    """They are in names of properties, which are texts: none may be lost or mean another."""
    given = (
        f'<?xml version="1.0"?><Filter xmlns="{OGC}" xmlns:x="{APISO}" xmlns:dc="urn:mine"'
        ' xmlns:gml="http://www.opengis.net/gml"><PropertyIsEqualTo><PropertyName>x:Subject'
        "</PropertyName><Literal>dc:a</Literal></PropertyIsEqualTo></Filter>"
    )
    wanted = Wanted(xml=given, types=types)
    operation = requests.get_records(Way(method, ISO), wanted, start=1, size=5)
    sent = operation.body if method == "POST" else str(operation.query["constraint"])
    root = etree.fromstring(sent)
    found = {each.text: each.nsmap for each in root.iter(f"{{{OGC}}}PropertyName")}
    assert (found["x:Subject"]["x"], found["x:Subject"]["dc"]) == (APISO, "urn:mine")
    if types:
        assert found["apiso:Type"]["apiso"] == APISO
        assert found["apiso:Type"].get("dc") != "urn:mine"


@pytest.mark.parametrize("method", ["POST", "GET", "SOAP 1.1", "SOAP 1.2"])
def test_a_filter_reaches_the_server_by_each_binding(reads: Reads, method: str) -> None:
    catalogue = Catalogue(many(3), methods=(method,))
    _found, ending = reads(catalogue, {"filter": SUBJECT, "types": ["dataset"]})
    assert ending.complete
    text = catalogue.asked[-1].condition
    assert "apiso:Subject" in text
    assert "Hydrography ≥ 1" in text
    assert "apiso:Type" in text


def test_a_saved_filter_can_have_comments_and_line_breaks() -> None:
    given = f"\n<!-- ours -->\n{SUBJECT}\n<!-- end -->\n"
    kept = options.validate({"filter": given}, OPTIONS)["filter"]
    assert condition(body(xml=kept)) == ["Filter", ABOUT]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("apiso:Subject = 'a'", "not well-formed XML"),
        ("<ogc:Filter><a/></ogc:Filter>", "prefix ogc on Filter is not defined"),
        ('<!DOCTYPE a [<!ENTITY b "c">]>' + SUBJECT.replace("Hydrography", "&b;"), "DOCTYPE"),
        (SUBJECT.replace(OGC, "http://www.opengis.net/fes/2.0"), "fes/2.0; expected <ogc:Filter"),
        ("<Filter/>", "found <Filter> in no namespace; expected <ogc:Filter xmlns:ogc="),
        (f'<a xmlns="{OGC}"/>', "found <a> in http://www.opengis.net/ogc"),
        (f'<Filter xmlns="{OGC}"/>', "expected one condition"),
        (f'<Filter xmlns="{OGC}"><Not/><Not/></Filter>', "expected one condition"),
        (f'<Filter xmlns="{OGC}"><FeatureId fid="a"/></Filter>', "expected one condition"),
        (f'<o:Filter xmlns:o="{OGC}"><And/></o:Filter>', "expected one condition"),
        ("<html/>", "HTML page"),
    ],
)
def test_a_filter_that_cannot_be_sent_is_refused_in_the_form(value: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        options.validate({"filter": value}, OPTIONS)
    assert caught.value.field == "filter"
    assert caught.value.message.startswith("filter: ")
    assert words in caught.value.message


def test_a_request_holds_one_language() -> None:
    with pytest.raises(ConfigError, match="filter: cannot be set together with cql") as caught:
        options.validate({"filter": SUBJECT, "cql": "a = 1"}, OPTIONS)
    assert caught.value.field == "filter"
    options.validate({"filter": SUBJECT, "cql": ""}, OPTIONS)


# Dates


@pytest.mark.parametrize(
    ("form", "first", "last"),
    [
        ("YYYY-MM-DD", "2024-05-01", "2024-05-31"),
        ("MM-DD-YYYY", "05-01-2024", "05-31-2024"),
        ("YYYY-MM-DDThh:mm:ssZ", "2024-05-01T00:00:00Z", "2024-05-31T23:59:59Z"),
    ],
)
def test_date_span_is_requested_with_both_operators(form: str, first: str, last: str) -> None:
    days = {"begin": "2024-05-01", "end": "2024-05-31", "date_format": form}
    both = ["And", at(FROM, "apiso:Modified", first), at(UNTIL, "apiso:Modified", last)]
    assert condition(body(**days)) == ["Filter", both]
    assert Wanted(cql="a = 1", **days).text(ISO) == (
        f"a = 1 AND apiso:Modified >= '{first}' AND apiso:Modified <= '{last}'"
    )


def test_one_end_is_one_condition() -> None:
    until = condition(body(end="2024-05-31"))
    assert until == ["Filter", at(UNTIL, "apiso:Modified", "2024-05-31")]


@pytest.mark.parametrize(("since", "expected"), [("2024-04-01", "05"), ("2024-06-01", "06")])
def test_the_later_of_first_day_and_last_read_counts(since: str, expected: str) -> None:
    found = condition(body(begin="2024-05-01", since=since))
    assert found == ["Filter", at(FROM, "apiso:Modified", f"2024-{expected}-01")]


@pytest.mark.parametrize("name", ["Modified", "dct:modified", "apiso:modified", "gmd:dateStamp"])
def test_the_date_can_have_the_server_s_own_name(name: str) -> None:
    for model in (ISO, DUBLIN_CORE):
        root = body(Way("POST", model, is_sorted=False), since="2024-05-31", modified=name)
        assert condition(root) == ["Filter", at(FROM, name, "2024-05-31")]
    assert (
        Wanted(cql="a = 1", since="2024-05-31", modified=name)
        .text(ISO)
        .endswith(f"{name} >= '2024-05-31'")
    )


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("from", "1.5.2026"),
        ("from", "2026-05"),
        ("from", "20260501"),
        ("until", "2026-02-30"),
        ("until", "2026-05-01T10:00:00Z"),
        ("modified_name", "Modified >= 1"),
        ("modified_name", "<a/>"),
    ],
)
def test_a_value_that_cannot_be_sent_is_refused_in_the_form(option: str, value: str) -> None:
    with pytest.raises(ConfigError, match=f"{option}: expected a"):
        options.validate({option: value}, OPTIONS)


def test_records_of_a_span_leave_others_alone(reads: Reads) -> None:
    given = {"from": "2024-01-01", "until": "2024-12-31", "modified_name": "Modified"}
    catalogue = Catalogue(many(3))
    found, ending = reads(catalogue, given)
    assert (len(found), ending.complete, ending.mark) == (3, False, "")
    assert "only records changed from 2024-01-01 and changed until 2024-12-31" in ending.reason
    assert catalogue.asked[-1].condition.count("<ogc:PropertyName>Modified<") == 2


def test_a_run_ends_if_the_server_refuses_a_date_filter(reads: Reads) -> None:
    def before(asked: Asked) -> Response | None:
        return refusal("InvalidParameterValue", "constraint") if asked.condition else None

    catalogue = Catalogue(many(3), before=before)
    error = reads.refused(catalogue, **{"from": "2024-01-01"})
    assert "InvalidParameterValue (constraint)" in error.message
    assert all(each.condition for each in catalogue.asked)


def test_changes_of_a_filtered_source_are_requested_filtered(reads: Reads) -> None:
    catalogue = Catalogue(many(3))
    given = {"filter": SUBJECT, "modified_name": "dct:modified"}
    _found, ending = reads(catalogue, given, since="2024-05-30", interface=BEST)
    assert (ending.complete, ending.changes_only) == (True, True)
    text = catalogue.asked[-1].condition
    assert "apiso:Subject" in text
    assert "dct:modified" in text


# The total


def of_total_by_hits(said: int) -> Catalogue:
    """Return a catalogue of ten records that says its total only if it is asked for that alone."""
    catalogue = Catalogue(many(10))

    def before(asked: Asked) -> Response | None:
        catalogue.matched = (lambda _: said) if asked.result == "hits" else (lambda _: None)
        return None

    catalogue.before = before
    return catalogue


def test_total_missing_from_pages_is_requested_separately(reads: Reads) -> None:
    catalogue = of_total_by_hits(10)
    _found, ending = reads(catalogue)
    assert ending.complete
    assert [each.result for each in catalogue.asked][-2:] == ["results", "hits"]


@pytest.mark.parametrize("said", [9, 11])
def test_separately_requested_total_must_match(reads: Reads, said: int) -> None:
    _found, ending = reads(of_total_by_hits(said))
    assert not ending.complete
    assert f"announces {said} records and shows 10" in ending.reason


def test_records_after_a_resume_point_do_not_prove_the_total(reads: Reads) -> None:
    _found, ending = reads(of_total_by_hits(6), resume="[5, 0, 4]")
    assert not ending.complete
