"""Requests, replies and retries."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from pathlib import Path

import pytest

from ckanext.ukharvest.core.errors import BadStatus
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import Validators
from tests.conftest import FakeTime
from tests.core.support import client
from tests.publisher import Publisher, Response

# Contents of a reply


def test_a_reply_holds_body_and_headers(publisher: Publisher, http: HttpClient) -> None:
    publisher.serve("/a", "grün", headers={"Content-Type": 'Text/XML; Charset="UTF-8"'})
    with http.get(publisher.url("/a#part")) as reply:
        assert reply.status == 200
        assert reply.content == reply.content == "grün".encode()
        assert reply.body.read() == "grün".encode()
        assert reply.headers["content-TYPE"] == 'Text/XML; Charset="UTF-8"'
        assert (reply.media_type, reply.charset) == ("text/xml", "utf-8")
        assert reply.url == reply.requested_url == publisher.url("/a")
        assert not reply.redirected
        assert not reply.not_modified
        assert reply.validators == Validators()
    assert reply.body.closed


def test_a_reply_without_content_type_has_no_charset(
    publisher: Publisher, http: HttpClient
) -> None:
    publisher.serve("/a")
    reply = http.get(publisher.url("/a"))
    assert (reply.media_type, reply.charset, reply.content) == ("", "", b"")


def test_parameters_are_added_to_the_query(publisher: Publisher, http: HttpClient) -> None:
    publisher.serve("/a?x=1&q=b+%26+c&page=2", "found")
    reply = http.get(publisher.url("/a?x=1#f"), params={"q": "b & c", "page": 2})
    assert reply.content == b"found"
    assert reply.requested_url.endswith("page=2")


def test_a_space_in_an_address_is_encoded(publisher: Publisher, http: HttpClient) -> None:
    publisher.serve("/my%20file.xml", "found")
    assert http.get(f" {publisher.url('/my file.xml')}\n").content == b"found"


def test_requests_name_the_portal_and_the_accepted_types(publisher: Publisher) -> None:
    publisher.serve("/a")
    with client(user_agent="portal (+mailto:data@example.gov.uk)") as http:
        http.get(publisher.url("/a"), accept="text/turtle", headers={"X-Extra": "1"})
    headers = publisher.requests[0].headers
    assert headers["User-Agent"] == "portal (+mailto:data@example.gov.uk)"
    assert headers["Accept"] == "text/turtle"
    assert headers["Accept-Encoding"] == "gzip, deflate"
    assert headers["X-Extra"] == "1"


def test_a_post_sends_its_body(publisher: Publisher, http: HttpClient) -> None:
    publisher.routes["POST /csw"] = lambda request: Response(request.body.upper())
    reply = http.post(publisher.url("/csw"), body=b"query", content_type="application/xml")
    assert reply.content == b"QUERY"
    assert publisher.requests[0].headers["Content-Type"] == "application/xml"


def test_one_connection_serves_many_requests(publisher: Publisher, http: HttpClient) -> None:
    publisher.serve("/a", "same", etag='"1"')
    for _ in range(3):
        reply = http.get(publisher.url("/a"))
        assert http.get(publisher.url("/a"), validators=reply.validators).not_modified
    assert publisher.connections == 1


def test_cookies_are_not_kept(publisher: Publisher, http: HttpClient) -> None:
    publisher.serve("/a", headers={"Set-Cookie": "session=1"})
    http.get(publisher.url("/a"))
    http.get(publisher.url("/a"))
    assert all("Cookie" not in request.headers for request in publisher.requests)


def test_proxies_and_passwords_of_the_environment_are_ignored(
    publisher: Publisher, http: HttpClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password secret\n")
    monkeypatch.setenv("NETRC", str(netrc))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    publisher.serve("/a")
    http.get(publisher.url("/a"))
    assert "Authorization" not in publisher.requests[0].headers


# Conditional requests


def test_an_unchanged_document_is_not_sent_again(publisher: Publisher, http: HttpClient) -> None:
    stamp = "Wed, 21 Oct 2015 07:28:00 GMT"
    publisher.serve("/a", "long", etag='W/"7"', headers={"Last-Modified": stamp})
    first = http.get(publisher.url("/a"))
    assert first.validators == Validators('W/"7"', stamp)
    second = http.get(publisher.url("/a"), validators=first.validators)
    assert second.not_modified
    assert second.content == b""
    assert publisher.requests[1].headers["If-Modified-Since"] == stamp
    publisher.serve("/a", "new", etag='W/"8"')
    assert http.get(publisher.url("/a"), validators=first.validators).content == b"new"


def test_not_modified_without_validators_is_no_answer(
    publisher: Publisher, http: HttpClient
) -> None:
    publisher.serve("/a", status=304)
    with pytest.raises(BadStatus, match="304 Not Modified"):
        http.get(publisher.url("/a"))


# Statuses, retries, pacing


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 501])
def test_an_error_that_will_stay_is_not_retried(
    publisher: Publisher, http: HttpClient, status: int
) -> None:
    publisher.serve("/a", status=status)
    with pytest.raises(BadStatus) as caught:
        http.get(publisher.url("/a"))
    assert caught.value.status == status
    assert caught.value.url == publisher.url("/a")
    assert len(publisher.requests) == 1


def test_a_bad_status_is_an_error_with_url_and_status(
    publisher: Publisher, http: HttpClient
) -> None:
    with pytest.raises(BadStatus) as caught:
        http.get(publisher.url("/missing?api_key=secret"))
    assert str(caught.value) == f"{publisher.url('/missing?api_key=…')} answered 404 Not Found."
    publisher.serve("/odd", status=499)
    with pytest.raises(BadStatus, match=r"/odd answered 499\."):
        http.get(publisher.url("/odd"))


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_an_error_that_may_pass_is_retried_ever_more_slowly(
    publisher: Publisher, http: HttpClient, fake_time: FakeTime, status: int
) -> None:
    publisher.serve("/a", status=status)
    with pytest.raises(BadStatus) as caught:
        http.get(publisher.url("/a"))
    assert caught.value.retryable
    assert len(publisher.requests) == 4
    assert fake_time.sleeps == [1.0, 2.0, 4.0]


def test_a_retry_that_works_is_an_answer(publisher: Publisher, http: HttpClient) -> None:
    publisher.serve("/a", "fine")
    publisher.fail("/a", 503, times=2)
    assert http.get(publisher.url("/a")).content == b"fine"


def test_statuses_that_the_caller_allows_come_back_at_once(
    publisher: Publisher, http: HttpClient
) -> None:
    publisher.serve("/a", "<ows:ExceptionReport/>", status=500)
    reply = http.get(publisher.url("/a"), allow_status={400, 500})
    assert (reply.status, reply.content) == (500, b"<ows:ExceptionReport/>")
    assert len(publisher.requests) == 1


def test_a_post_is_repeated_only_when_it_may_be(publisher: Publisher, http: HttpClient) -> None:
    publisher.serve("/a", status=503)
    for idempotent, asked in ((False, 1), (True, 4)):
        publisher.requests.clear()
        with pytest.raises(BadStatus):
            http.post(
                publisher.url("/a"), body=b"q", content_type="text/plain", idempotent=idempotent
            )
        assert len(publisher.requests) == asked


@pytest.mark.parametrize(
    ("header", "slept"),
    [
        pytest.param("7", 7.0, id="seconds"),
        pytest.param("0", 1.0, id="less than our own wait"),
        pytest.param("3600", 120.0, id="capped"),
        pytest.param("soon", 1.0, id="neither number nor date"),
        pytest.param("-5", 1.0, id="negative"),
        pytest.param("Wed, 21 Oct 2015 07:28:00 GMT", 1.0, id="past"),
    ],
)
def test_retry_after_is_honoured(
    publisher: Publisher, http: HttpClient, fake_time: FakeTime, header: str, slept: float
) -> None:
    publisher.serve("/a", "fine")
    publisher.fail("/a", 429, headers={"Retry-After": header})
    assert http.get(publisher.url("/a")).content == b"fine"
    assert fake_time.sleeps == [slept]


def test_retry_after_may_be_a_date(
    publisher: Publisher, http: HttpClient, fake_time: FakeTime
) -> None:
    when = datetime.now(timezone.utc) + timedelta(seconds=30)
    publisher.serve("/a", "fine")
    publisher.fail("/a", 503, headers={"Retry-After": format_datetime(when, usegmt=True)})
    http.get(publisher.url("/a"))
    assert fake_time.sleeps == [pytest.approx(30, abs=2)]


def test_no_wait_goes_beyond_the_total(publisher: Publisher, fake_time: FakeTime) -> None:
    publisher.fail("/a", 503, times=9, headers={"Retry-After": "50"})
    with client(time=fake_time, total=90.0) as http, pytest.raises(BadStatus):
        http.get(publisher.url("/a"))
    assert fake_time.sleeps == [50.0]


def test_requests_to_one_host_are_paced(publisher: Publisher, fake_time: FakeTime) -> None:
    publisher.serve("/a")
    with client(time=fake_time, delay=2.0) as http:
        http.get(publisher.url("/a"))
        http.get(publisher.url("/a"))
        fake_time.now += 1.5
        http.get(publisher.url("/a"))
        http.get(publisher.url("/a", "localhost"))
    assert fake_time.sleeps == [2.0, 0.5]
