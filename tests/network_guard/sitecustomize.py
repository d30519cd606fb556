"""Refuses connections to other machines, in the process of the tests and in its children.

Every Python that the tests start imports this file by itself, as its folder is in PYTHONPATH.
Each attempt is refused at once, and written to the file that ``VARIABLE`` names: an exception in a
thread or in another process may be swallowed, but the test fails at its end (tests/conftest.py).
"""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Callable
from typing import Any

VARIABLE = "UKHARVEST_TEST_NETWORK_LOG"
# The hosts of PostgreSQL, Redis and Solr, with blanks between, if they run on other machines.
SERVICES = "UKHARVEST_TEST_SERVICES"
# Names that nobody can have (RFC 2606): datasets of tests have them in their links.
RESERVED = (".example", ".invalid", ".test")


def refuse(text: str) -> None:
    """Refuse as a network that is away does: one attempt ends no consumer."""
    raise socket.gaierror(socket.EAI_FAIL, text)


def install(
    refuse: Callable[[str], object] = refuse, *, reserved: tuple[str, ...] = RESERVED
) -> None:
    """Guard the sockets of this process to its end.

    Args:
        refuse: called with a text after the attempt is written down; raises.
        reserved: the ends of names whose look-up is refused without being written down: consumers
            and jobs workers check the links of the datasets that they harvest.
    """
    look_up = socket.getaddrinfo
    _services.update(os.environ.get(SERVICES, "").split())

    def stop(text: str) -> None:
        if path := os.environ.get(VARIABLE):
            with open(path, "a", encoding="utf-8") as log:
                log.write(f"{text}\n")
        refuse(text)

    def guarded(name: str) -> Callable[[socket.socket, Any], Any]:
        real = getattr(socket.socket, name)

        def connect(sock: socket.socket, address: Any) -> Any:
            if sock.family in (socket.AF_INET, socket.AF_INET6) and not _is_here(address[0]):
                stop(f"a test tried to connect to {address!r}")
            return real(sock, address)

        return connect

    def guarded_look_up(host: Any, *args: Any, **options: Any) -> Any:
        numeric_only = options.get("flags", 0) & socket.AI_NUMERICHOST
        if not numeric_only and host is not None and not (_is_here(host) or _is_address(host)):
            if str(host).endswith(reserved):
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
            stop(f"a test tried to look up {host!r}")
        found = look_up(host, *args, **options)
        _services.update(_addresses(found) if host in _services else ())
        return found

    for name in ("connect", "connect_ex"):
        setattr(socket.socket, name, guarded(name))
    socket.getaddrinfo = guarded_look_up


# Names of the services' hosts, and the addresses that they were found to have.
_services: set[Any] = set()


def _addresses(found: list[Any]) -> set[Any]:
    return {address[0] for *_, address in found}


def _is_address(host: Any) -> bool:
    try:
        socket.inet_aton(host)
    except (OSError, TypeError):
        return ":" in str(host)
    return True


def _is_here(host: Any) -> bool:
    text = host.decode() if isinstance(host, bytes) else str(host)
    if text in ("", "localhost") or text in _services:
        return True
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


if __name__ == "sitecustomize" and VARIABLE in os.environ:
    install()
