"""Dates as publishers write them."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.values.dates import parse_date


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param("2019", "2019", id="year"),
        pytest.param("2019-05", "2019-05", id="month"),
        pytest.param("2019/05", "2019-05", id="month-slash"),
        pytest.param("2019-05-01", "2019-05-01", id="day"),
        pytest.param("2019/05/01", "2019-05-01", id="day-slash"),
        pytest.param("2019-5-1", "2019-05-01", id="no-leading-zeros"),
        pytest.param("  2019-05-01\n", "2019-05-01", id="blanks-around"),
        pytest.param("2019-05-01Z", "2019-05-01", id="xsd-date-with-zone"),
        pytest.param("2019-05-01T10:15:30Z", "2019-05-01T10:15:30Z", id="date-time"),
        pytest.param("2019-05-01t10:15:30z", "2019-05-01T10:15:30Z", id="lower-case"),
        pytest.param("2019-05-01T10:15", "2019-05-01T10:15", id="no-seconds"),
        pytest.param("2019-05-01 10:15:30", "2019-05-01T10:15:30", id="blank-for-T"),
        pytest.param("2019-05-01 10:15:30 UTC", "2019-05-01T10:15:30Z", id="utc"),
        pytest.param("2019-05-01T00:00:00", "2019-05-01T00:00:00", id="midnight-stays"),
        pytest.param("2019-05-01T10:15:30.123456", "2019-05-01T10:15:30", id="fraction"),
        pytest.param("2019-05-01T10:15:30.1+01:00", "2019-05-01T10:15:30+01:00", id="offset"),
        pytest.param("2019-05-01T10:15:30+0100", "2019-05-01T10:15:30+01:00", id="offset-basic"),
        pytest.param("2019-05-01T10:15:30-05", "2019-05-01T10:15:30-05:00", id="offset-hours"),
        pytest.param("20240131", "2024-01-31", id="basic-day"),
        pytest.param("20240131T101530Z", "2024-01-31T10:15:30Z", id="basic-date-time"),
        pytest.param("31/01/2024", "2024-01-31", id="british"),
        pytest.param("01/02/2024", "2024-02-01", id="british-day-first"),
        pytest.param("1.2.2024", "2024-02-01", id="dots"),
        pytest.param("31/01/2024 10:15", "2024-01-31T10:15", id="british-time"),
        pytest.param("31 January 2024", "2024-01-31", id="long-month"),
        pytest.param("31st January, 2024", "2024-01-31", id="ordinal"),
        pytest.param("31-Jan-2024", "2024-01-31", id="dashes"),
        pytest.param("Jan 31, 2024", "2024-01-31", id="american-words"),
        pytest.param("Sept. 1 2024", "2024-09-01", id="sept-dot"),
        pytest.param("January 2024", "2024-01", id="month-and-year"),
        pytest.param("Wed, 02 Oct 2002 13:00:00 GMT", "2002-10-02T13:00:00Z", id="rfc822"),
        pytest.param("2 Oct 2002 13:00 +0100", "2002-10-02T13:00:00+01:00", id="rfc822-offset"),
        pytest.param("29 February 2024", "2024-02-29", id="leap-day"),
        pytest.param("1086", "1086", id="domesday"),
        pytest.param("04/2019", "2019-04", id="month-first"),
        pytest.param("http://reference.data.gov.uk/id/day/2014-01-31", "2014-01-31", id="uri"),
    ],
)
def test_a_date_is_as_precise_as_given(given: str, expected: str) -> None:
    assert parse_date(given) == expected
    assert parse_date(expected) == expected


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        pytest.param("", "expected a date", id="empty"),
        pytest.param("soon", "'soon' is not a date", id="word"),
        pytest.param("May", "is not a date", id="month-alone"),
        pytest.param("5", "is not a date", id="day-alone"),
        pytest.param("Foo 2019", "is not a date", id="no-month"),
        pytest.param("spring 2019", "is not a date", id="season"),
        pytest.param("last updated 2019-05-01", "is not a date", id="prose"),
        pytest.param("201905", "is not a date", id="yyyymm-could-be-yymmdd"),
        pytest.param("1546300800000", "milliseconds", id="epoch-milliseconds"),
        pytest.param("1546300800", "seconds", id="epoch-seconds"),
        pytest.param("01/31/2024", "day is read first", id="american"),
        pytest.param("2019-13", "does not exist", id="month-13"),
        pytest.param("2019-00-01", "does not exist", id="month-0"),
        pytest.param("2019-01-00", "does not exist", id="day-0"),
        pytest.param("2019-02-29", "does not exist", id="no-leap-year"),
        pytest.param("2019-05-01T25:00:00", "does not exist", id="hour-25"),
        pytest.param("2010/11", "is a financial year", id="government-year"),
        pytest.param("9999-12-31", "year", id="forever"),
        pytest.param("0000", "year", id="year-0"),
        pytest.param("٢٠١٩", "is not a date", id="other-digits"),
        pytest.param("2019-05-01/2019-06-01", "is not a date", id="period"),
    ],
)
def test_wrong_date_is_refused_with_a_reason(given: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_date(given)


def test_first_date_of_net_is_no_date() -> None:
    assert parse_date("0001-01-01T00:00:00") == ""
