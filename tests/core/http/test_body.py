"""Connections that fail, and bodies and waits without an end."""

from __future__ import annotations

import gzip
import socket
import threading
import zlib
from typing import Any

import pytest

from ckanext.ukharvest.core.errors import FetchError, TooLarge, Unreachable
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from tests.conftest import LOOPBACK, FakeTime
from tests.core.support import Names, addr_info, client
from tests.publisher import Publisher, Response

MIB = 1024 * 1024


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
    with socket.socket() as taken:  # bound but not listening: no other process can take the port
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
    guard = Guard(LOOPBACK, resolve=Names(addr_info("127.0.0.9", "127.0.0.1")))
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
    # The whole of it takes an hour.
    publisher.serve("/a", b"x" * 72_000, pause=0.05, slow_start=slow_start)
    with (
        client(total=0.3, read=5.0) as http,
        pytest.raises(Unreachable, match=r"not finished after 0\.3 seconds"),
    ):
        http.get(publisher.url("/a"))


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
def test_a_body_over_the_limit_is_an_error(publisher: Publisher, response: Response) -> None:
    publisher.routes["/a"] = response
    with (
        client(max_bytes=MIB, read=5.0) as http,
        pytest.raises(TooLarge, match=r"/a is larger than 1 MB, the most that is read[.;]"),
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
        pytest.param("br", b"\x0b\x02\x80hello\x03", id="not requested"),
        pytest.param("gzip, gzip", gzip.compress(gzip.compress(TEXT)), id="twice"),
    ],
)
def test_a_body_that_cannot_be_unpacked_is_an_error(
    publisher: Publisher, http: HttpClient, encoding: str, body: bytes
) -> None:
    publisher.serve("/a", body, headers={"Content-Encoding": encoding})
    with pytest.raises(FetchError, match="/a cannot be unpacked: it is ") as caught:
        http.get(publisher.url("/a"))
    assert caught.value.code == "bad-encoding"
