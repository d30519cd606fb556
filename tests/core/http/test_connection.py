"""The server that is contacted, and the one that gets a secret."""

from __future__ import annotations

import itertools
import socket
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ckanext.ukharvest.core.errors import BadStatus, Blocked, FetchError, Unreachable
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.credentials import Credential
from ckanext.ukharvest.core.http.guard import Guard
from tests.conftest import LOOPBACK, FakeTime
from tests.core.support import Names, addr_info, client
from tests.publisher import Publisher, Response

# The contacted server


def test_the_checked_address_is_the_one_connected_to(
    publisher: Publisher, fake_time: FakeTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DNS rebinding: the name is public when checked and private when looked up again."""
    publisher.serve("/a", "fine", headers={"Connection": "close"})
    names = Names(addr_info("127.0.0.1"), addr_info("127.0.0.2"))
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
    guard = Guard(["127.0.0.1"], resolve=Names(addr_info("10.0.0.1", "127.0.0.1")))
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


@pytest.mark.parametrize("hosts", [*itertools.product(("127.0.0.1", "localhost"), repeat=4)])
def test_secrets_end_at_the_first_other_server(
    publisher: Publisher, hosts: tuple[str, ...]
) -> None:
    """Over three redirects, and also if a later one leads back to the first server."""
    urls = [publisher.url(f"/{number}", host) for number, host in enumerate(hosts)]
    for number, url in enumerate(urls[1:]):
        publisher.redirect(f"/{number}", url)
    publisher.serve("/3")
    secrets = [credential(publisher.port, host=host) for host in set(hosts)]
    with client(credentials=secrets) as http:
        http.get(urls[0], headers=CALLER)
    own = [len({*hosts[: number + 1]}) == 1 for number in range(4)]
    assert sent(publisher) == [(f"/{number}", is_own, is_own) for number, is_own in enumerate(own)]


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


def test_certificate_and_sni_are_those_of_the_name(
    secure: tuple[Publisher, list[str]],
    certificate: Path,
    fake_time: FakeTime,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    publisher, names = secure
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    guard = Guard(LOOPBACK, resolve=Names(addr_info("127.0.0.1")))
    with client(guard, time=fake_time) as http:
        assert http.get(publisher.url("/a", "good.example.org")).content == b"fine"
        with pytest.raises(Unreachable, match=r"certificate of bad\.example\.org failed") as caught:
            http.get(publisher.url("/a", "bad.example.org"))
    assert not caught.value.retryable
    assert names == ["good.example.org", "bad.example.org"]
    assert len(publisher.requests) == 1


def test_a_self_signed_certificate_is_refused(
    secure: tuple[Publisher, list[str]], fake_time: FakeTime
) -> None:
    publisher, _ = secure
    guard = Guard(LOOPBACK, resolve=Names(addr_info("127.0.0.1")))
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
    guard = Guard(LOOPBACK, resolve=Names(addr_info("127.0.0.1")))
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
        pytest.raises(Unreachable, match="no secure connection to 127.0.0.1.*write http://"),
    ):
        http.get(publisher.url("/a").replace("http:", "https:"))
