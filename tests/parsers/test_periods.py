"""Periods: the same text or pair of dates is the same time span in every format."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ckanext.ukharvest.core.records import DatasetRecord, Period
from tests.parsers import carriers
from tests.parsers.carriers import element, literal

TEXTS: dict[str, Callable[[str], DatasetRecord]] = {
    "data_json": lambda text: carriers.data_json(temporal=text),
    "dkan_2": lambda text: carriers.dkan_2(temporal=text),
    "ckan": lambda text: carriers.ckan(temporal=text),
    "dcat": lambda text: carriers.dcat(f"dct:temporal {literal(text)}"),
    "schema_org": lambda text: carriers.schema_org(f"schema:temporalCoverage {literal(text)}"),
    "oai_dc": lambda text: carriers.oai_dc(element("dct:temporal", text)),
    "oai_dc-coverage": lambda text: carriers.oai_dc(element("dc:coverage", text)),
    "oai_dc-date": lambda text: carriers.oai_dc(element("dc:date", text)),
    "atom": lambda text: carriers.atom(element("dct:temporal", text)),
    "atom-date": lambda text: carriers.atom(element("dc:date", text)),
    "geojson": lambda text: carriers.geojson(date=text),
    "ods": lambda text: carriers.ods(dcat={"temporal": text}),
}
ENDS: dict[str, Callable[[str, str], DatasetRecord]] = {
    "data_json": lambda a, b: carriers.data_json(temporal={"startDate": a, "endDate": b}),
    "ckan": lambda a, b: carriers.ckan(**{"temporal_coverage-from": a, "temporal_coverage-to": b}),
    "ckan-dcat": lambda a, b: carriers.ckan(temporal_start=a, temporal_end=b),
    "ckan-eu": lambda a, b: carriers.ckan(temporal=[{"start_date": a, "end_date": b}]),
    "dcat": lambda a, b: carriers.dcat(
        f"dct:temporal [ dcat:startDate {literal(a)} ; dcat:endDate {literal(b)} ]"
    ),
    "schema_org": lambda a, b: carriers.schema_org(
        f"schema:temporalCoverage [ schema:startDate {literal(a)} ; schema:endDate {literal(b)} ]"
    ),
    "gemini": lambda a, b: carriers.gemini(_iso_period(a, b)),
    "oai_dc": lambda a, b: carriers.oai_dc(element("dct:temporal", f"start={a}; end={b};")),
    "atom": lambda a, b: carriers.atom(element("time:start", a) + element("time:end", b)),
    "geojson": lambda a, b: carriers.geojson(startDate=a, completionDate=b),
    "ods": lambda a, b: carriers.ods(
        dcat={"temporal_coverage_start": a, "temporal_coverage_end": b}
    ),
    "inventory": lambda a, b: carriers.inventory(resources=_inventory_periods((a, b))),
}
SEVERAL: dict[str, Callable[..., DatasetRecord]] = {
    "data_json": lambda *spans: carriers.data_json(temporal=["/".join(span) for span in spans]),
    "ckan-eu": lambda *spans: carriers.ckan(
        temporal=[{"start_date": a, "end_date": b} for a, b in spans]
    ),
    "dcat": lambda *spans: carriers.dcat(
        "dct:temporal " + ", ".join(literal("/".join(span)) for span in spans)
    ),
    "gemini": lambda *spans: carriers.gemini("".join(_iso_period(*span) for span in spans)),
    "oai_dc": lambda *spans: carriers.oai_dc(
        "".join(element("dct:temporal", "/".join(span)) for span in spans)
    ),
    "atom": lambda *spans: carriers.atom(
        "".join(element("dc:date", "/".join(span)) for span in spans)
    ),
    "inventory": lambda *spans: carriers.inventory(resources=_inventory_periods(*spans)),
}


def _iso_period(start: str, end: str) -> str:
    return (
        "<gmd:extent><gmd:EX_Extent><gmd:temporalElement><gmd:EX_TemporalExtent><gmd:extent>"
        f"<gml:TimePeriod><gml:beginPosition>{start}</gml:beginPosition>"
        f"<gml:endPosition>{end}</gml:endPosition></gml:TimePeriod>"
        "</gmd:extent></gmd:EX_TemporalExtent></gmd:temporalElement></gmd:EX_Extent></gmd:extent>"
    )


def _inventory_periods(*spans: tuple[str, str]) -> str:
    covered = "".join(f'<Coverage TemporalFrom="{a}" TemporalTo="{b}"/>' for a, b in spans)
    return f'<Resource Type="Data">{covered}</Resource>'


@pytest.mark.parametrize("form", TEXTS)
@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2009-01-01/Present", "2009-01-01", ""),
        ("2009-01-01/..", "2009-01-01", ""),
        ("../2015", "", "2015"),
        ("2010-2015", "2010", "2015"),
        ("2010 to 2015", "2010", "2015"),
        ("2010-01-01 to 2015-12-31", "2010-01-01", "2015-12-31"),
        ("1 Apr 2014 - 31 Mar 2015", "2014-04-01", "2015-03-31"),
        ("2018/2018-03", "2018", "2018-03"),
        ("2008-02-15/03-14", "2008-02-15", "2008-03-14"),
        ("2019-01-01/P1Y", "2019-01-01", "2020-01-01"),
    ],
)
def test_a_text_is_the_same_period_in_every_format(
    form: str, text: str, start: str, end: str
) -> None:
    record = TEXTS[form](text)
    assert record.temporal == Period(start, end)
    assert _unread(record) == ""
    assert _codes(record) == set()


@pytest.mark.parametrize("form", ENDS)
@pytest.mark.parametrize(
    ("ends", "start", "end"),
    [
        (("2010-01-01", "2015-12-31"), "2010-01-01", "2015-12-31"),
        (("2009", "Present"), "2009", ""),
        (("2009-04", ""), "2009-04", ""),
        (("", "2015"), "", "2015"),
    ],
)
def test_two_dates_are_the_same_period_in_every_format(
    form: str, ends: tuple[str, str], start: str, end: str
) -> None:
    record = ENDS[form](*ends)
    assert record.temporal == Period(start, end)
    assert _unread(record) == ""
    assert _codes(record) == set()


@pytest.mark.parametrize("form", ENDS)
def test_a_period_that_ends_before_it_starts_is_turned(form: str) -> None:
    record = ENDS[form]("2015-03-31", "2014-04-01")
    assert record.temporal == Period("2014-04-01", "2015-03-31")
    assert _codes(record) == {"reversed-period"}


@pytest.mark.parametrize("form", SEVERAL)
def test_a_year_ends_later_than_a_month_in_it(form: str) -> None:
    record = SEVERAL[form](("2018", "2018"), ("2018-01", "2018-03"))
    assert record.temporal == Period("2018", "2018")


@pytest.mark.parametrize("form", set(TEXTS) - {"oai_dc-coverage", "oai_dc-date", "atom-date"})
def test_a_period_that_is_not_read_keeps_its_text(form: str) -> None:
    record = TEXTS[form]("2014/when it ends")
    assert _unread(record) == "2014/when it ends"
    assert _codes(record) == {"bad-period"}


@pytest.mark.parametrize("form", ENDS)
def test_an_end_that_is_no_date_keeps_its_text(form: str) -> None:
    record = ENDS[form]("2014-04-01", "whenever")
    assert record.temporal == Period("2014-04-01", "")
    assert "whenever" in _unread(record)
    assert _codes(record) <= {"bad-date", "bad-period"}
    assert _codes(record)


def _unread(record: DatasetRecord) -> str:
    """Return the text of a period that was not read, from the extra that has it."""
    names = ("temporal-text", "temporal_coverage-to", "temporal")
    return next((record.extras[name] for name in names if name in record.extras), "")


def _codes(record: DatasetRecord) -> set[str]:
    """Return the codes of problems with dates."""
    codes = {problem.code for problem in record.problems}
    return codes & {"bad-date", "bad-period", "reversed-period"}
