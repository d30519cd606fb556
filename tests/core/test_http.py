"""The one door to the network, against a real server on the loopback interface."""

from __future__ import annotations

import gzip
import socket
import ssl
import subprocess
import time
import zlib
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from ckanext.ukharvest.core.errors import BadStatus, Blocked, FetchError, TooLarge, Unreachable
from ckanext.ukharvest.core.guard import Guard
from ckanext.ukharvest.core.http import Credential, HttpClient, HttpLimits
from ckanext.ukharvest.core.records import Validators
from tests.conftest import LOOPBACK, FakeTime
from tests.publisher import Publisher, Response

MIB = 1024 * 1024


def client(guard: Guard | None = None, *, time: FakeTime | None = None, **more: Any) -> HttpClient:
    """Return a client; keywords are HttpLimits' or HttpClient's own."""
    limits = {name: more.pop(name) for name in list(more) if name in HttpLimits.__slots__}
    if time is not None:
        more |= {"sleep": time.sleep, "clock": time.clock}
    return HttpClient(guard or Guard(LOOPBACK), HttpLimits(**limits), **more)


def found(*addresses: str) -> list[tuple[Any, ...]]:
    """Return what getaddrinfo would for these addresses, with the port left to fill in."""
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", address) for address in addresses]


class Names:
    """A name server in place of getaddrinfo: each look-up takes the next answer, the last stays.

    Addresses stand for themselves.
    """

    def __init__(self, *answers: list[tuple[Any, ...]] | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def __call__(self, host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        if host[0].isdigit() or ":" in host:
            return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        self.asked.append(host)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return [(*rest, (address, port)) for *rest, address in answer]


# What a reply holds


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


def test_requests_say_who_asks_and_what_for(publisher: Publisher) -> None:
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


def test_a_bad_status_is_said_in_words(publisher: Publisher, http: HttpClient) -> None:
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


# Connections that fail


@pytest.mark.parametrize(
    ("error", "words", "asked"),
    [
        pytest.param(socket.gaierror(socket.EAI_NONAME, ""), "a.example is not known", 1, id="no"),
        pytest.param(socket.gaierror(socket.EAI_AGAIN, ""), "looked up just now", 4, id="not now"),
        pytest.param(UnicodeError("label too long"), "a.example is not known", 1, id="too long"),
    ],
)
def test_a_name_that_cannot_be_looked_up(
    fake_time: FakeTime, error: Exception, words: str, asked: int
) -> None:
    names = Names(error)
    with (
        client(Guard(resolve=names), time=fake_time) as http,
        pytest.raises(Unreachable, match=f"https://a.example/x cannot be reached: .*{words}"),
    ):
        http.get("https://a.example/x")
    assert len(names.asked) == asked


def test_a_refused_connection(http: HttpClient) -> None:
    with socket.socket() as taken:  # bound but not listening: nobody else can take the port
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/"
        with pytest.raises(Unreachable, match="127.0.0.1 refused the connection") as caught:
            http.get(url)
    assert caught.value.url == url
    assert caught.value.retryable


def test_a_connection_that_is_not_accepted(
    http: HttpClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def connect(sock: socket.socket, _: Any) -> None:
        assert sock.gettimeout() == pytest.approx(10.0)
        raise TimeoutError("timed out")

    monkeypatch.setattr(socket.socket, "connect", connect)
    with pytest.raises(Unreachable, match="127.0.0.1 did not answer within 10 seconds"):
        http.get("http://127.0.0.1:5000/")


def test_the_next_address_is_tried(publisher: Publisher, fake_time: FakeTime) -> None:
    publisher.serve("/a", "fine")
    guard = Guard(LOOPBACK, resolve=Names(found("127.0.0.9", "127.0.0.1")))
    with client(guard, time=fake_time) as http:
        assert http.get(publisher.url("/a", "two.example.org")).content == b"fine"


def test_a_server_that_says_nothing(publisher: Publisher) -> None:
    publisher.serve("/a", hang=True)
    with (
        client(read=0.1, retries=0) as http,
        pytest.raises(Unreachable, match="sent nothing for 0.1 seconds"),
    ):
        http.get(publisher.url("/a"))


@pytest.mark.parametrize("cut", [-1, 0, 5])
def test_a_broken_connection_is_tried_again(
    publisher: Publisher, http: HttpClient, cut: int
) -> None:
    publisher.serve("/a", "0123456789")
    publisher.fail("/a", 200, body=b"0123456789", cut=cut)
    assert http.get(publisher.url("/a")).content == b"0123456789"
    publisher.serve("/a", "0123456789", cut=cut)
    with pytest.raises(Unreachable, match="broke the connection off"):
        http.get(publisher.url("/a"))


def test_a_body_shorter_than_declared_is_no_answer(publisher: Publisher) -> None:
    headers = {"Content-Length": "20", "Connection": "close"}
    publisher.serve("/a", "0123456789", headers=headers)
    with client(retries=0) as http, pytest.raises(Unreachable, match="broke the connection off"):
        http.get(publisher.url("/a"))


def test_a_server_of_another_protocol() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, client(retries=0) as http:
        with socket.create_connection(server.getsockname()):
            pass
        import threading

        def answer() -> None:
            for _ in range(2):
                sock, _ = server.accept()
                sock.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")
                sock.close()

        threading.Thread(target=answer, daemon=True).start()
        with pytest.raises(Unreachable, match="did not answer in HTTP"):
            http.get(f"http://127.0.0.1:{server.getsockname()[1]}/")


# Limits


@pytest.mark.parametrize("slow_start", [False, True], ids=["body", "headers"])
def test_a_slow_drip_ends_with_the_total_time(publisher: Publisher, slow_start: bool) -> None:
    publisher.serve("/a", b"x" * 1000, pause=0.05, slow_start=slow_start)
    began = time.monotonic()
    with (
        client(total=0.3, read=5.0) as http,
        pytest.raises(Unreachable, match=r"not finished after 0\.3 seconds"),
    ):
        http.get(publisher.url("/a"))
    assert time.monotonic() - began < 1.0


def test_a_large_chunk_that_drips_ends_too(publisher: Publisher) -> None:
    raw = b"100000\r\n" + b"x" * 1000
    headers = {"Transfer-Encoding": "chunked", "Content-Length": "9"}
    publisher.serve("/a", raw, headers=headers, pause=0.05)
    with client(total=0.3) as http, pytest.raises(Unreachable, match="not finished"):
        http.get(publisher.url("/a"))


@pytest.mark.parametrize(
    "response",
    [
        pytest.param(Response(bytes(2 * MIB)), id="plain"),
        pytest.param(Response(bytes(64 * 1024) for _ in range(32)), id="chunked"),
        pytest.param(Response(bytes(20 * MIB), packed=True), id="gzip bomb"),
        pytest.param(
            Response(zlib.compress(bytes(20 * MIB)), headers={"Content-Encoding": "deflate"}),
            id="deflate bomb",
        ),
        pytest.param(
            Response(gzip.compress(bytes(MIB // 2)) * 3, headers={"Content-Encoding": "gzip"}),
            id="gzip in members",
        ),
        pytest.param(Response(headers={"Content-Length": "2000000"}), id="declared"),
        pytest.param(Response(headers={"Content-Length": "9" * 5000}), id="declared absurdly"),
    ],
)
def test_a_body_over_the_limit_is_given_up(publisher: Publisher, response: Response) -> None:
    publisher.routes["/a"] = response
    with (
        client(max_bytes=MIB, read=5.0) as http,
        pytest.raises(TooLarge, match=r"/a is larger than 1 MB, the most that is read\."),
    ):
        http.get(publisher.url("/a"))
    assert len(publisher.requests) == 1


def test_a_body_of_just_the_limit_is_read(publisher: Publisher) -> None:
    publisher.serve("/a", bytes(6 * MIB), packed=True)
    with client(max_bytes=6 * MIB) as http, http.get(publisher.url("/a")) as reply:
        assert len(reply.content) == 6 * MIB
        assert reply.body.seekable()


def _bare_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


TEXT = b"".join(b"line %d\n" % number for number in range(50_000))


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        pytest.param("gzip", gzip.compress(TEXT), id="gzip"),
        pytest.param("X-GZIP", gzip.compress(TEXT), id="x-gzip"),
        pytest.param("deflate", zlib.compress(TEXT), id="deflate"),
        pytest.param("deflate", _bare_deflate(TEXT), id="deflate without header"),
        pytest.param("gzip", gzip.compress(TEXT[:9]) + gzip.compress(TEXT[9:]), id="members"),
        pytest.param("gzip", gzip.compress(TEXT) + bytes(512), id="padded"),
        pytest.param("identity", TEXT, id="identity"),
        pytest.param("utf-8", TEXT, id="no encoding at all"),
    ],
)
def test_bodies_are_unpacked(
    publisher: Publisher, http: HttpClient, encoding: str, body: bytes
) -> None:
    publisher.serve("/whole", body, headers={"Content-Encoding": encoding})
    assert http.get(publisher.url("/whole")).content == TEXT
    pieces = [body[at : at + 1] for at in range(40)] + [body[40:-40]]
    pieces += [body[at : at + 1] for at in range(len(body) - 40, len(body))]
    publisher.serve("/pieces", pieces, headers={"Content-Encoding": encoding})
    assert http.get(publisher.url("/pieces")).content == TEXT


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        pytest.param("gzip", gzip.compress(TEXT)[:-20], id="cut off"),
        pytest.param("gzip", b"\x1f", id="one byte"),
        pytest.param("gzip", TEXT, id="not packed"),
        pytest.param("br", b"\x0b\x02\x80hello\x03", id="not asked for"),
        pytest.param("gzip, gzip", gzip.compress(gzip.compress(TEXT)), id="twice"),
    ],
)
def test_a_body_that_cannot_be_unpacked_is_an_error_in_words(
    publisher: Publisher, http: HttpClient, encoding: str, body: bytes
) -> None:
    publisher.serve("/a", body, headers={"Content-Encoding": encoding})
    with pytest.raises(FetchError, match="/a cannot be unpacked: it is ") as caught:
        http.get(publisher.url("/a"))
    assert caught.value.code == "bad-encoding"


# Redirects


def test_redirects_are_followed(publisher: Publisher, http: HttpClient) -> None:
    publisher.redirect("/a", "b?x=1#part", 301)
    publisher.redirect("/b?x=1", publisher.url("/Übung nr 1"), 308)
    publisher.serve("/%C3%9Cbung%20nr%201", "found")
    reply = http.get(publisher.url("/a"))
    assert reply.content == b"found"
    assert reply.url == publisher.url("/%C3%9Cbung%20nr%201")
    assert reply.requested_url == publisher.url("/a")
    assert reply.redirected


def test_a_redirect_can_be_asked_for_itself(publisher: Publisher, http: HttpClient) -> None:
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
def test_a_redirect_to_a_private_place_is_refused(
    publisher: Publisher, fake_time: FakeTime, to: str
) -> None:
    publisher.redirect("/a", to)
    guard = Guard(["127.0.0.1"], resolve=Names(found("127.0.0.2")))
    with (
        client(guard, time=fake_time) as http,
        pytest.raises(Blocked, match="^http:.*/a redirects: "),
    ):
        http.get(f"http://127.0.0.1:{publisher.port}/a")


# Which server is spoken to


def test_the_checked_address_is_the_one_connected_to(
    publisher: Publisher, fake_time: FakeTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DNS rebinding: the name is public when checked and private when looked up again."""
    publisher.serve("/a", "fine", headers={"Connection": "close"})
    names = Names(found("127.0.0.1"), found("127.0.0.2"))
    guard = Guard(["127.0.0.1"], resolve=names)
    peers: list[Any] = []
    real = socket.socket.connect

    def connect(sock: socket.socket, address: Any) -> None:
        peers.append(address)
        real(sock, address)

    monkeypatch.setattr(socket.socket, "connect", connect)
    url = publisher.url("/a", "rebind.example.org")
    with client(guard, time=fake_time) as http:
        assert http.get(url).content == b"fine"
        assert names.asked == ["rebind.example.org"]
        assert publisher.requests[0].headers["Host"] == f"rebind.example.org:{publisher.port}"
        with pytest.raises(Blocked, match=r"rebind\.example\.org") as caught:
            http.get(url)
    assert caught.value.url == url
    assert peers == [("127.0.0.1", publisher.port)]


def test_a_private_address_beside_a_public_one_is_not_tried(
    publisher: Publisher, fake_time: FakeTime
) -> None:
    publisher.serve("/a", "fine")
    guard = Guard(["127.0.0.1"], resolve=Names(found("10.0.0.1", "127.0.0.1")))
    with client(guard, time=fake_time) as http:
        assert http.get(publisher.url("/a", "two.example.org")).content == b"fine"


def test_a_socket_that_ends_elsewhere_is_closed(
    publisher: Publisher, http: HttpClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket.socket, "getpeername", lambda _: ("10.0.0.1", 80))
    with pytest.raises(Blocked, match=r"ended at 10\.0\.0\.1"):
        http.get(publisher.url("/a"))
    assert not publisher.requests


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:{}/", "http://localhost:{}/", "http://2130706433:{}/"]
)
def test_this_machine_is_refused_unless_listed(publisher: Publisher, url: str) -> None:
    with client(Guard()) as http, pytest.raises(Blocked, match="allow_private"):
        http.get(url.format(publisher.port))
    assert publisher.connections == 0


def test_a_proxy_makes_the_connections_when_there_is_one(publisher: Publisher) -> None:
    publisher.serve("http://data.example.org/a", "fine")
    with client(Guard(proxied=True), proxy=publisher.base, retries=0) as http:
        assert http.get("http://data.example.org/a").content == b"fine"
        assert publisher.requests[0].headers["Host"] == "data.example.org"
        for inside in ("http://127.0.0.1/", "http://localhost/", "http://redis:6379/"):
            with pytest.raises(Blocked):
                http.get(inside)
        with pytest.raises(Unreachable, match="through the portal's proxy"):
            http.get("https://data.example.org/a")  # this proxy knows no CONNECT
    assert publisher.paths == ["http://data.example.org/a"]


def test_guard_and_client_have_to_agree_about_the_proxy() -> None:
    with pytest.raises(ValueError, match="proxy"):
        HttpClient(Guard(), proxy="http://proxy.example.org:3128")


# Secrets


def credential(port: int, scheme: str = "http", host: str = "127.0.0.1") -> Credential:
    return Credential(scheme, host, port, "X-Api-Key", "s3cret")


def sent(publisher: Publisher) -> list[tuple[str, bool, bool]]:
    """Return for each request its path, and whether the secret and the caller's header came."""
    return [
        (request.path, "X-Api-Key" in request.headers, "Authorization" in request.headers)
        for request in publisher.requests
    ]


CALLER = {"Authorization": "Basic c2VjcmV0"}


def test_a_credential_is_sent_to_its_server(publisher: Publisher) -> None:
    publisher.serve("/a")
    publisher.redirect("/old", "/a")
    with client(credentials=[credential(publisher.port)]) as http:
        http.get(publisher.url("/old"), headers=CALLER)
    assert sent(publisher) == [("/old", True, True), ("/a", True, True)]


@pytest.mark.parametrize(
    ("scheme", "host", "other"),
    [("https", "127.0.0.1", 0), ("http", "localhost", 0), ("http", "127.0.0.1", 1)],
    ids=["scheme", "host", "port"],
)
def test_a_credential_is_sent_to_no_other_server(
    publisher: Publisher, scheme: str, host: str, other: int
) -> None:
    publisher.serve("/a")
    with client(credentials=[credential(publisher.port + other, scheme, host)]) as http:
        http.get(publisher.url("/a"))
    assert sent(publisher) == [("/a", False, False)]


def test_secrets_do_not_follow_a_redirect_to_another_server(publisher: Publisher) -> None:
    publisher.serve("/a")
    publisher.redirect("/away", publisher.url("/a", "localhost"))
    secrets = [credential(publisher.port), credential(publisher.port, host="elsewhere")]
    with client(credentials=secrets) as http:
        http.get(publisher.url("/away"), headers=CALLER)
    assert sent(publisher) == [("/away", True, True), ("/a", False, False)]


def test_no_stranger_can_send_the_portal_to_use_its_secret(publisher: Publisher) -> None:
    """A source at a stranger's address must not read, by redirect, what only the key opens."""
    publisher.serve("/secret")
    publisher.redirect("/start", publisher.url("/secret"))
    publisher.redirect("/there", publisher.url("/back", "localhost"))
    publisher.redirect("/back", publisher.url("/secret"))
    with client(credentials=[credential(publisher.port)]) as http:
        http.get(publisher.url("/start", "localhost"))
        http.get(publisher.url("/there"))
    assert [with_secret for _, with_secret, _ in sent(publisher)] == [
        *(False, False),
        *(True, False, False),
    ]


def test_secrets_are_in_no_message(publisher: Publisher) -> None:
    secret = credential(publisher.port)
    assert "s3cret" not in repr(secret)
    with client(credentials=[secret]) as http, pytest.raises(BadStatus) as caught:
        http.get(publisher.url("/a?token=hidden"), headers=CALLER)
    assert "s3cret" not in str(caught.value)
    assert "hidden" not in str(caught.value) + caught.value.url


# TLS


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a self-signed certificate for good.example.org in one file."""
    file = tmp_path_factory.mktemp("tls") / "both.pem"
    key = file.with_name("key.pem")
    command = (
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=good.example.org"
        " -addext subjectAltName=DNS:good.example.org"
    )
    try:
        subprocess.run(
            [*command.split(), "-keyout", str(key), "-out", str(file)],
            check=True,
            capture_output=True,
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs the openssl command, 1.1.1 or later, to make a certificate")
    file.write_text(file.read_text() + key.read_text())
    return file


@pytest.fixture
def secure(certificate: Path) -> Iterator[tuple[Publisher, list[str]]]:
    """An https publisher, and the names that clients ask it for (SNI)."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    names: list[str] = []
    context.sni_callback = lambda sock, name, context: names.append(name)
    with Publisher({"/a": Response(b"fine")}, tls=context) as publisher:
        yield publisher, names


def test_certificate_and_sni_go_by_the_name_not_by_the_address(
    secure: tuple[Publisher, list[str]],
    certificate: Path,
    fake_time: FakeTime,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    publisher, names = secure
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    guard = Guard(LOOPBACK, resolve=Names(found("127.0.0.1")))
    with client(guard, time=fake_time) as http:
        assert http.get(publisher.url("/a", "good.example.org")).content == b"fine"
        with pytest.raises(Unreachable, match=r"certificate of bad\.example\.org failed") as caught:
            http.get(publisher.url("/a", "bad.example.org"))
    assert not caught.value.retryable
    assert names == ["good.example.org", "bad.example.org"]
    assert len(publisher.requests) == 1


def test_a_certificate_of_nobody_we_know_is_refused(
    secure: tuple[Publisher, list[str]], fake_time: FakeTime
) -> None:
    publisher, _ = secure
    guard = Guard(LOOPBACK, resolve=Names(found("127.0.0.1")))
    with (
        client(guard, time=fake_time) as http,
        pytest.raises(Unreachable, match="self.signed certificate"),
    ):
        http.get(publisher.url("/a", "good.example.org"))
    assert not publisher.requests


def test_a_credential_is_not_taken_from_https_to_http(
    secure: tuple[Publisher, list[str]],
    publisher: Publisher,
    certificate: Path,
    fake_time: FakeTime,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server, _ = secure
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    publisher.serve("/plain", "fine")
    server.redirect("/a", publisher.url("/plain"))
    url = server.url("/a", "good.example.org")
    secret = Credential("https", "good.example.org", server.port, "X-Api-Key", "s3cret")
    guard = Guard(LOOPBACK, resolve=Names(found("127.0.0.1")))
    with (
        client(guard, time=fake_time, credentials=[secret]) as http,
        pytest.raises(FetchError, match="without https"),
    ):
        http.get(url)
    assert not publisher.requests
    with client(guard, time=fake_time) as http:
        assert http.get(url).content == b"fine"


def test_a_plain_server_behind_an_https_address(publisher: Publisher) -> None:
    with (
        client(retries=0) as http,
        pytest.raises(Unreachable, match="no secure connection to 127.0.0.1"),
    ):
        http.get(publisher.url("/a").replace("http:", "https:"))
