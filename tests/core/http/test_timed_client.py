"""The report of each attempt: the host, its duration, whether it failed."""

from __future__ import annotations

import itertools

import pytest

from ckanext.ukharvest.core.errors import BadStatus, Blocked, Unreachable
from ckanext.ukharvest.core.http import timed_client
from ckanext.ukharvest.core.http.client import HttpLimits
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.http.timed_client import MeteredClient, TimedClient
from tests.conftest import LOOPBACK
from tests.publisher import Publisher

Told = list[tuple[str, float, bool]]


@pytest.fixture
def reports() -> Told:
    return []


@pytest.fixture
def http(reports: Told) -> TimedClient:
    return TimedClient(
        *(Guard(LOOPBACK), HttpLimits(retries=1)),
        note=reports.extend,
        sleep=lambda _: None,
        clock=itertools.count(1000, 0.125).__next__,
    )


def test_an_answer_is_reported_with_host_and_seconds(
    publisher: Publisher, http: TimedClient, reports: Told
) -> None:
    publisher.serve("/data", b"x")
    with http:
        assert http.get(publisher.url("/data")).content == b"x"
        assert not reports  # each report is a request to Redis
    ((host, seconds, failed),) = reports
    assert (host, failed) == ("127.0.0.1", False)
    assert seconds % 0.125 == 0
    assert seconds > 0


def test_each_attempt_is_reported(
    publisher: Publisher, http: TimedClient, reports: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timed_client, "MOST", 1)
    publisher.serve("/broken", b"", status=503)
    publisher.serve("/gone", b"", status=404)
    for path in ("/broken", "/gone"):
        with pytest.raises(BadStatus):
            http.get(publisher.url(path))
    assert [failed for _host, _seconds, failed in reports] == [True, True, False]


def test_an_unreachable_host_is_reported_as_failed(http: TimedClient, reports: Told) -> None:
    with pytest.raises(Unreachable):
        http.get("http://127.0.0.1:9/")
    http.close()
    assert reports
    assert all(failed for _host, _seconds, failed in reports)


def test_a_refused_url_is_not_reported(http: TimedClient, reports: Told) -> None:
    with pytest.raises(Blocked):
        http.get("http://10.0.0.1/")
    http.close()
    assert not reports


def test_requests_and_received_bytes_are_counted(publisher: Publisher, reports: Told) -> None:
    publisher.serve("/data", b"0123456789", packed=True)
    publisher.redirect("/old", "/data")
    publisher.redirect("/inside", "http://10.1.2.3/")
    limits = HttpLimits(retries=0)
    with MeteredClient(Guard(LOOPBACK), limits, note=reports.extend) as http:
        assert http.get(publisher.url("/old")).content == b"0123456789"
        assert (http.requests, http.received) == (2, 10)
        with pytest.raises(Unreachable):
            http.get("http://127.0.0.1:9/")
        with pytest.raises(Blocked):  # only the redirect was a request
            http.get(publisher.url("/inside"))
    assert (http.requests, http.received) == (4, 10)
    assert len(reports) == 4
