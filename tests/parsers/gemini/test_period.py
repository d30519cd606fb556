"""Times of GEMINI records."""

from __future__ import annotations

import json

import pytest

from ckanext.ukharvest.core.records import Period
from tests.parsers.gemini.part import codes, parsed


def _times(*inside: str) -> str:
    return "".join(
        "<gmd:temporalElement><gmd:EX_TemporalExtent><gmd:extent>"
        f"{each}</gmd:extent></gmd:EX_TemporalExtent></gmd:temporalElement>"
        for each in inside
    )


def _period(begin: str, end: str, before: str = "") -> str:
    """Return a TimePeriod; an end that begins with ``@`` is an indeterminatePosition."""
    written = "".join(
        f'<gml:{name} indeterminatePosition="{value[1:].partition(" ")[0]}">'
        f"{value.partition(' ')[2]}</gml:{name}>"
        if value.startswith("@")
        else f"<gml:{name}>{value}</gml:{name}>"
        for name, value in (("beginPosition", begin), ("endPosition", end))
    )
    return f"<gml:TimePeriod>{before}{written}</gml:TimePeriod>"


@pytest.mark.parametrize(
    ("begin", "end", "period"),
    [
        ("2019", "2020-03", Period("2019", "2020-03")),
        ("20190401", "2020-03-31", Period("2019-04-01", "2020-03-31")),
        (
            "2019-04-01T00:00:00+00:00",
            "2019-05-01T10:00:00.123456Z",
            Period("2019-04-01T00:00:00+00:00", "2019-05-01T10:00:00Z"),
        ),
        ("2019", "", Period("2019", "")),
        ("", "2019", Period("", "2019")),
        ("2019", "@now", Period("2019", "")),
        ("2019", "now", Period("2019", "")),
        ("2019", "@unknown", Period("2019", "")),
        ("@unknown", "2019", Period("", "2019")),
        # Before and after open the period if they point outwards, and else add nothing.
        ("@before 1990", "2019", Period("", "2019")),
        ("@after 1990", "@before 2019", Period("1990", "2019")),
        ("1990", "@after 2019", Period("1990", "")),
    ],
)
def test_a_period(begin: str, end: str, period: Period) -> None:
    record = parsed(_times(_period(begin, end)))
    assert record.temporal == period
    assert not record.problems


@pytest.mark.parametrize("gml", ["http://www.opengis.net/gml", "http://www.opengis.net/gml/3.2"])
@pytest.mark.parametrize("service", [False, True])
def test_every_edition_of_gml_and_services(gml: str, service: bool) -> None:
    record = parsed(_times(_period("2019", "2020")), gml=gml, service=service)
    assert record.temporal == Period("2019", "2020")


@pytest.mark.parametrize(
    ("inside", "period"),
    [
        (
            "<gml:TimeInstant><gml:timePosition>2019-05</gml:timePosition></gml:TimeInstant>",
            Period("2019-05", "2019-05"),
        ),
        (
            "<gml:TimePeriod><gml:begin><gml:TimeInstant><gml:timePosition>2018"
            "</gml:timePosition></gml:TimeInstant></gml:begin><gml:end><gml:TimeInstant>"
            '<gml:timePosition indeterminatePosition="now"/></gml:TimeInstant></gml:end>'
            "</gml:TimePeriod>",
            Period("2018", ""),
        ),
        (_period("2018", "2019", "<gml:description>flown</gml:description>"), None),
    ],
)
def test_instants(inside: str, period: Period | None) -> None:
    assert parsed(_times(inside)).temporal == (period or Period("2018", "2019"))


@pytest.mark.parametrize(
    "inside",
    [
        "",
        _period("", ""),
        _period("@unknown", "@now"),
        "<gml:TimePeriod/>",
        "<gml:TimeInstant><gml:timePosition/></gml:TimeInstant>",
        '<gml:TimeInstant><gml:timePosition indeterminatePosition="unknown"/></gml:TimeInstant>',
    ],
)
def test_an_empty_template_is_no_period_and_no_problem(inside: str) -> None:
    record = parsed(_times(inside))
    assert record.temporal is None
    assert "temporal-extents" not in record.extras
    assert not record.problems


@pytest.mark.parametrize(
    ("periods", "whole"),
    [
        ([("2001", "2003"), ("1998-05", "2002")], Period("1998-05", "2003")),
        ([("2001", "2003"), ("2005", "@now")], Period("2001", "")),
        # A year lasts longer than a day in it.
        ([("2018", "2018"), ("2018-03-01", "2018-03-15")], Period("2018", "2018")),
    ],
)
def test_several_periods(periods: list[tuple[str, str]], whole: Period) -> None:
    record = parsed(_times(*(_period(*each) for each in periods)))
    assert record.temporal == whole
    assert len(json.loads(record.extras["temporal-extents"])) == len(periods)


def test_period_beyond_two_dates_is_kept_whole() -> None:
    record = parsed(_times(_period("2018", "@now", "<gml:description>flown</gml:description>")))
    assert json.loads(record.extras["temporal-extents"]) == [
        {"from": "2018", "to-position": "now", "description": "flown"}
    ]
    assert "temporal-extents" not in parsed(_times(_period("2018", "2019"))).extras
    twice = parsed(_times(_period("2018", "2019")), _times(_period("2018", "2019")))
    assert "temporal-extents" not in twice.extras


def test_odd_dates_are_reported_and_the_other_end_is_kept() -> None:
    record = parsed(_times(_period("1900-01-01", "2999-01-01T00:00:00")))
    assert record.temporal == Period("1900-01-01", "")
    [problem] = record.problems
    assert (problem.code, problem.field) == ("bad-date", "gml:endPosition")
    assert parsed(_times(_period("soon", "later"))).temporal is None


def test_a_reversed_period_is_turned_round_and_reported() -> None:
    record = parsed(_times(_period("2020-03-31", "2019-04-01")))
    assert record.temporal == Period("2019-04-01", "2020-03-31")
    assert codes(record) == ["reversed-period"]
