"""Fixtures of all tests, without CKAN: tests that need it have their own conftest."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.testing.fixtures import LOOPBACK, FakeTime, fake_time, http, publisher

__all__ = ["LOOPBACK", "FakeTime", "fake_time", "http", "publisher"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update",
        action="store_true",
        help="write the expected results of tests/sources anew, to be read before a commit",
    )
    parser.addoption(
        "--samples",
        metavar="DIR",
        help="a folder of real documents with its MANIFEST.tsv, for tests/conformance",
    )
    parser.addoption(
        "--batch-size",
        metavar="N",
        help="let consumers of tests/ckan take batches of N, also in the tests' own process",
    )
    parser.addoption(
        "--shard", metavar="K/N", default="", help="only the K-th of N parts of tests/ckan"
    )
    chaos = parser.getgroup("chaos", "faults of processes and services (tests/ckan/chaos)")
    chaos.addoption("--chaos", action="store_true", help="run the long forms too")
    chaos.addoption("--seed", metavar="N", help="draw the faults that were drawn from this seed")
    chaos.addoption("--faults", metavar="N", default="200", help="of the long form, at least")
    chaos.addoption("--minutes", metavar="N", default="60", help="for the long form, at most")
    parser.addoption("--fuzz", metavar="N", help="try N cases for each target of tests/fuzz")
    parser.addoption("--fuzz-seed", metavar="N", help="the seed of these cases, to repeat them")


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail a test that contacts, or looks up, anything but this machine.

    pytest.fail's exception is no Exception, so code under test cannot mistake it for a fault of the
    network and carry on.
    """

    def guarded(name: str) -> None:
        real = getattr(socket.socket, name)

        def connect(sock: socket.socket, address: Any) -> Any:
            if sock.family in (socket.AF_INET, socket.AF_INET6) and not _is_here(address[0]):
                pytest.fail(f"a test tried to connect to {address!r}")
            return real(sock, address)

        monkeypatch.setattr(socket.socket, name, connect)

    guarded("connect")
    guarded("connect_ex")
    real_look_up = socket.getaddrinfo

    def look_up(host: Any, *args: Any, **options: Any) -> Any:
        numeric_only = options.get("flags", 0) & socket.AI_NUMERICHOST
        if not numeric_only and host is not None and not (_is_here(host) or _is_address(host)):
            pytest.fail(f"a test tried to look up {host!r}")
        return real_look_up(host, *args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)


def _is_address(host: Any) -> bool:
    try:
        socket.inet_aton(host)
    except (OSError, TypeError):
        return ":" in str(host)
    return True


def _is_here(host: Any) -> bool:
    text = host.decode() if isinstance(host, bytes) else str(host)
    if text in ("", "localhost"):
        return True
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


@pytest.fixture
def lists_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A portal's own folder of lists, read at each use."""
    monkeypatch.setattr(vocabulary, "EVERY", 0.0)
    vocabulary.use(tmp_path)
    yield tmp_path
    vocabulary.use(None)
