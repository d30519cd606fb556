"""Spans of time as publishers write them."""

from __future__ import annotations

import json

import pytest

from ckanext.ukharvest.core.records import Period
from ckanext.ukharvest.core.values.periods import (
    PeriodError,
    Periods,
    parse_period,
    read_periods,
    span,
)


@pytest.mark.parametrize(
    ("given", "read", "reason"),
    [
        pytest.param("2019-01-01/2019-12-31", ("2019-01-01", "2019-12-31"), "", id="two-days"),
        pytest.param("2018/2019", ("2018", "2019"), "", id="two-years"),
        pytest.param("2019-01 / 2019-06", ("2019-01", "2019-06"), "", id="blanks"),
        pytest.param("2019", ("2019", "2019"), "", id="one-year"),
        pytest.param("2019-05-01", ("2019-05-01", "2019-05-01"), "", id="one-day"),
        pytest.param("2019-01-01/", ("2019-01-01", ""), "", id="open-end"),
        pytest.param("2019-01-01/..", ("2019-01-01", ""), "", id="open-end-dots"),
        pytest.param("../2019", ("", "2019"), "", id="open-start"),
        pytest.param("2019-01-01/P1Y", ("2019-01-01", "2020-01-01"), "", id="a-year"),
        pytest.param("2019/P1Y", ("2019", "2020-01-01"), "", id="year-and-duration"),
        pytest.param("2019-02/P1M", ("2019-02", "2019-03-01"), "", id="month-and-duration"),
        pytest.param("2019-01-31/P1M", ("2019-01-31", "2019-02-28"), "", id="end-of-month"),
        pytest.param("P2W/2019-01-15", ("2019-01-01", "2019-01-15"), "", id="duration-first"),
        pytest.param(
            "2019-01-01/P1Y2M10DT2H", ("2019-01-01", "2020-03-11T02:00:00"), "", id="long-duration"
        ),
        pytest.param(
            "2000-01-15T00:45:00Z/P1W",
            ("2000-01-15T00:45:00Z", "2000-01-22T00:45:00Z"),
            "",
            id="pod",
        ),
        pytest.param("01/04/2019/31/03/2020", ("2019-04-01", "2020-03-31"), "", id="british"),
        pytest.param("2019-05/2019", ("2019-05", "2019"), "", id="year-holds-month"),
        pytest.param("2009-01-01/Present", ("2009-01-01", ""), "", id="present"),
        pytest.param("2009-01-01/now", ("2009-01-01", ""), "", id="now"),
        pytest.param("unknown/2019", ("", "2019"), "", id="unknown-start"),
        pytest.param("2010-2015", ("2010", "2015"), "", id="years-dash"),
        pytest.param("2010 to 2015", ("2010", "2015"), "", id="years-to"),
        pytest.param("2010 – 2015", ("2010", "2015"), "", id="years-en-dash"),  # noqa: RUF001
        pytest.param("2018/19", ("2018-04-01", "2019-03-31"), "", id="government-year"),
        pytest.param("2010/11", ("2010-04-01", "2011-03-31"), "", id="government-year-no-month"),
        pytest.param("1999/00", ("1999-04-01", "2000-03-31"), "", id="government-year-2000"),
        pytest.param("2019/05", ("2019-05", "2019-05"), "", id="month-slash"),
        pytest.param("04/2019", ("2019-04", "2019-04"), "", id="month-first"),
        pytest.param("2009-10", ("2009-10", "2009-10"), "", id="iso-month"),
        pytest.param("FY 2009-10", ("2009-04-01", "2010-03-31"), "", id="fy"),
        pytest.param("2009-10 (financial year)", ("2009-04-01", "2010-03-31"), "", id="named-year"),
        pytest.param("2001/02 - 2010/11", ("2001-04-01", "2011-03-31"), "", id="years-in-words"),
        pytest.param("2001/02/2010/11", ("2001-04-01", "2011-03-31"), "", id="years-in-iso"),
        pytest.param("since 2010/11", ("2010-04-01", ""), "", id="since-year"),
        pytest.param("2014-01-01/9999-12-31", ("2014-01-01", ""), "", id="last-date"),
        pytest.param(
            "2014-01-01/2014-12-31/P1D", ("2014-01-01", "2014-12-31"), "", id="ogc-interval"
        ),
        *(
            pytest.param(f"http://reference.data.gov.uk/id/{name}", read, "", id=name)
            for name, read in {
                "government-year/2013-2014": ("2013-04-01", "2014-03-31"),
                "government-half/2013-2014/H2": ("2013-10-01", "2014-03-31"),
                "government-quarter/2013-2014/Q1": ("2013-04-01", "2013-06-30"),
                "government-week/2013-2014/W01": ("2013-04-01", "2013-04-07"),
                "gregorian-quarter/2012-Q1": ("2012-01-01", "2012-03-31"),
                "gregorian-half/2012-H2": ("2012-07-01", "2012-12-31"),
                "gregorian-week/2013-W01": ("2012-12-31", "2013-01-06"),
                "gregorian-interval/2012-01-01T00:00:00/P1D": (
                    "2012-01-01T00:00:00",
                    "2012-01-02T00:00:00",
                ),
                "month/2013-04": ("2013-04", "2013-04"),
                "year/2013": ("2013", "2013"),
            }.items()
        ),
        pytest.param("2018-19", ("2018", "2019"), "", id="short-year-dash"),
        pytest.param("2010-01-01 to 2015-12-31", ("2010-01-01", "2015-12-31"), "", id="days-to"),
        pytest.param("2010-01-01-2015-12-31", ("2010-01-01", "2015-12-31"), "", id="days-dash"),
        pytest.param("01/04/2014-31/03/2015", ("2014-04-01", "2015-03-31"), "", id="british-dash"),
        pytest.param("01/04/2014 to 31/03/2015", ("2014-04-01", "2015-03-31"), "", id="british-to"),
        pytest.param("1 Apr 2014 - 31 Mar 2015", ("2014-04-01", "2015-03-31"), "", id="words"),
        pytest.param("April 2014 to March 2015", ("2014-04", "2015-03"), "", id="months"),
        pytest.param("Jan - Mar 2015", ("2015-01", "2015-03"), "", id="one-year-for-two-months"),
        pytest.param("1 April to 30 June 2015", ("2015-04-01", "2015-06-30"), "", id="one-year"),
        pytest.param("1 - 30 June 2015", ("2015-06-01", "2015-06-30"), "", id="one-month"),
        pytest.param("from 2010 to 2015", ("2010", "2015"), "", id="from-to"),
        pytest.param("between 2010 and 2015", ("2010", "2015"), "", id="between"),
        pytest.param("2009 onwards", ("2009", ""), "", id="onwards"),
        pytest.param("since 2009", ("2009", ""), "", id="since"),
        pytest.param("2009 -", ("2009", ""), "", id="dash-open"),
        pytest.param("2009 to date", ("2009", ""), "", id="to-date"),
        pytest.param("until 2015", ("", "2015"), "", id="until"),
        pytest.param("start=2010-01-01; end=2015;", ("2010-01-01", "2015"), "", id="dcmi"),
        pytest.param("name=A; start=2010", ("2010", ""), "", id="dcmi-open"),
        pytest.param("2007-11-13/15", ("2007-11-13", "2007-11-15"), "", id="iso-short-day"),
        pytest.param("2008-02-15/03-14", ("2008-02-15", "2008-03-14"), "", id="iso-short-month"),
        pytest.param("2014-04/06", ("2014-04", "2014-06"), "", id="iso-short-months"),
        pytest.param(
            "2007-12-14T13:30Z/15:30",
            ("2007-12-14T13:30Z", "2007-12-14T15:30Z"),
            "",
            id="iso-short-time",
        ),
        pytest.param(
            "2007-11-13T09:00/15T17:00",
            ("2007-11-13T09:00", "2007-11-15T17:00"),
            "",
            id="iso-short-both",
        ),
        pytest.param("", None, "expected a date", id="empty"),
        pytest.param("/", None, "has no date", id="slash"),
        pytest.param("../..", None, "has no date", id="open-both"),
        pytest.param("P1Y/P2Y", None, "has no date", id="durations"),
        pytest.param("P1Y/", None, "has no date", id="duration-alone"),
        pytest.param("2019/soon", ("2019", ""), "'soon' is not a date", id="bad-end"),
        pytest.param("2019/Perhaps", ("2019", ""), "'Perhaps' is not a date", id="word-with-p"),
        pytest.param("Present/2019", ("", "2019"), "'Present' is not a date", id="present-first"),
        pytest.param("the road to 2012", None, "is not a date", id="prose-to"),
        pytest.param("2019-13", None, "does not exist", id="no-month"),
        pytest.param("2019/P1", ("2019", ""), "is not a duration", id="bad-duration"),
        pytest.param("2019/P9999Y", ("2019", ""), "calendar", id="out-of-calendar"),
        pytest.param("2019/P900Y", ("2019", ""), "year", id="absurd-year"),
        pytest.param("2020/2019", ("2019", "2020"), "ends before it starts", id="reversed"),
        pytest.param("2019/2020/2021", None, "expected start/end", id="three-parts"),
        pytest.param("summer 2019", None, "is not a date", id="prose"),
    ],
)
def test_period_is_read_or_refused_with_a_reason(
    given: str, read: tuple[str, str] | None, reason: str
) -> None:
    expected = Period(*read) if read else None
    if not reason:
        assert parse_period(given) == expected
        return
    with pytest.raises(PeriodError, match=reason) as caught:
        parse_period(given)
    assert caught.value.partial == expected


@pytest.mark.parametrize(
    ("periods", "whole"),
    [
        ([], None),
        ([("2018", "2018"), ("2018-01", "2018-03")], ("2018", "2018")),
        ([("2018-03", "2018-03"), ("2018-03-05", "2018-03-05T10:00")], ("2018-03", "2018-03")),
        ([("2018", ""), ("2010", "2012")], ("2010", "")),
        ([("", "2012"), ("2014", "2015")], ("", "2015")),
    ],
)
def test_a_span_contains_all_periods(
    periods: list[tuple[str, str]], whole: tuple[str, str] | None
) -> None:
    expected = Period(*whole) if whole else None
    assert span([Period(*each) for each in periods]) == expected


@pytest.mark.parametrize(
    ("given", "whole", "unread", "codes"),
    [
        (["2010/2012", "2014"], ("2010", "2014"), "", []),
        (["2010/2012", "spring"], ("2010", "2012"), "spring", ["bad-period"]),
        (["2019/soon"], ("2019", ""), "2019/soon", ["bad-period"]),
        (["start=2019; end=soon"], ("2019", ""), "start=2019; end=soon", ["bad-period"]),
        ([("2019", "soon")], ("2019", ""), "2019/soon", ["bad-date"]),
        ([("soon", "later")], None, "soon/later", ["bad-date", "bad-date"]),
        ([("2009", "Present")], ("2009", ""), "", []),
        (["2020/2019"], ("2019", "2020"), "", ["reversed-period"]),
        ([("2020", "2019")], ("2019", "2020"), "", ["reversed-period"]),
        ([" ", ("", "")], None, "", []),
        (["2009-10"], ("2009-10", "2009-10"), "", ["bad-period"]),
        (["2009-04"], ("2009-04", "2009-04"), "", []),
        ([("2010/11", "")], ("2010-04-01", ""), "", []),
        ([("April 2019 to March 2020", "")], ("2019-04", "2020-03"), "", []),
        ([("2014", "9999-12-31")], ("2014", ""), "", []),
        ([("0001-01-01", "0001-01-01T00:00:00")], None, "", []),
    ],
)
def test_what_is_not_read_whole_keeps_its_text(
    given: list[str | tuple[str, str]], whole: tuple[str, str] | None, unread: str, codes: list[str]
) -> None:
    reported: list[str] = []
    found = read_periods(given, lambda code, _words, _end: reported.append(code))
    assert found[:2] == Periods(Period(*whole) if whole else None, unread)[:2]
    assert reported == codes


def test_month_that_may_be_a_financial_year_asks_which() -> None:
    words: list[str] = []
    read_periods(["2009-10"], lambda _code, message, _end: words.append(message))
    assert words == ["'2009-10' is read as a month; expected 2009/10 for a financial year"]


def test_each_of_several_periods_is_kept() -> None:
    periods = read_periods(["1990/1995", ("2010", "2015"), "1990/1995"], lambda *_problem: None)
    assert periods.whole == Period("1990", "2015")
    assert json.loads(periods.extras["temporal-extents"]) == [
        {"from": "1990", "to": "1995"},
        {"from": "2010", "to": "2015"},
    ]
