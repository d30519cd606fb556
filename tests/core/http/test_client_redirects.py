"""Redirects: followed and refused ones."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.errors import BadStatus, Blocked, FetchError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from tests.conftest import FakeTime
from tests.core.support import Names, addr_info, client
from tests.publisher import Publisher, Response


def test_redirects_are_followed(publisher: Publisher, http: HttpClient) -> None:
    publisher.redirect("/a", "b?x=1#part", 301)
    publisher.redirect("/b?x=1", publisher.url("/Übung nr 1"), 308)
    publisher.serve("/%C3%9Cbung%20nr%201", "found")
    reply = http.get(publisher.url("/a"))
    assert reply.content == b"found"
    assert reply.url == publisher.url("/%C3%9Cbung%20nr%201")
    assert reply.requested_url == publisher.url("/a")
    assert reply.redirected


def test_redirect_itself_can_be_requested(publisher: Publisher, http: HttpClient) -> None:
    publisher.redirect("/a", "/b")
    reply = http.get(publisher.url("/a"), follow_redirects=False)
    assert (reply.status, reply.headers["location"]) == (302, "/b")
    assert reply.redirected
    assert publisher.paths == ["/a"]


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirected_post_stays_one(publisher: Publisher, http: HttpClient, status: int) -> None:
    publisher.redirect("/a", "/b", status)
    publisher.routes["POST /b"] = lambda request: Response(request.body)
    reply = http.post(publisher.url("/a"), body=b"query", content_type="text/plain")
    assert reply.content == b"query"


def test_see_other_turns_a_post_into_a_get(publisher: Publisher, http: HttpClient) -> None:
    publisher.redirect("/a", "/b", 303)
    publisher.routes["GET /b"] = Response(b"result")
    reply = http.post(publisher.url("/a"), body=b"query", content_type="text/plain")
    assert reply.content == b"result"
    assert "Content-Type" not in publisher.requests[1].headers


@pytest.mark.parametrize("to", ["/a", "/b"], ids=["itself", "circle"])
def test_a_circle_of_redirects_is_an_error(publisher: Publisher, http: HttpClient, to: str) -> None:
    publisher.redirect("/a", to)
    publisher.redirect("/b", "/a")
    with pytest.raises(FetchError, match=r"/a redirects in a circle"):
        http.get(publisher.url("/a"))
    assert len(publisher.requests) <= 2


def test_endless_redirects_are_an_error(publisher: Publisher, http: HttpClient) -> None:
    for number in range(9):
        publisher.redirect(f"/{number}", f"/{number + 1}")
    with pytest.raises(FetchError, match="redirects more than 5 times"):
        http.get(publisher.url("/0"))
    assert len(publisher.requests) == 6


def test_a_redirect_to_nowhere_is_a_bad_status(publisher: Publisher, http: HttpClient) -> None:
    publisher.serve("/a", status=302)
    with pytest.raises(BadStatus, match="302 Found"):
        http.get(publisher.url("/a"))


@pytest.mark.parametrize(
    "to",
    [
        "http://127.0.0.2/",
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "http://0x7f.2/",
        "http://inside.example.org/",
        "//inside.example.org/x",
        "ftp://127.0.0.1/",
        "file:///etc/passwd",
        "http://127.0.0.1\\@inside.example.org/",
        "http://me@127.0.0.1/",
    ],
)
def test_a_redirect_to_a_private_address_is_refused(
    publisher: Publisher, fake_time: FakeTime, to: str
) -> None:
    publisher.redirect("/a", to)
    guard = Guard(["127.0.0.1"], resolve=Names(addr_info("127.0.0.2")))
    with (
        client(guard, time=fake_time) as http,
        pytest.raises(Blocked, match="^http:.*/a redirects: "),
    ):
        http.get(f"http://127.0.0.1:{publisher.port}/a")
