"""The network guard: allow only public addresses and addresses listed by the sysadmin.

A harvest source's URL comes from a form; redirects, paging links and links in listings come from
other servers. None of them may make the portal read its own network. A name is checked by the
addresses that it resolves to when connecting: ``connection.py`` connects only to what
``addresses`` returns, so earlier or later answers of DNS do not matter.
"""

from __future__ import annotations

import ipaddress
import logging
import re
import socket
from collections.abc import Callable, Sequence
from typing import Any

from ckanext.ukharvest.core.errors import Blocked
from ckanext.ukharvest.core.http.urls import parse, refuse, safe_url
from ckanext.ukharvest.core.messages import Message

log = logging.getLogger(__name__)

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
SocketAddress = tuple[socket.AddressFamily, tuple[Any, ...]]

OPTION = "ckanext.ukharvest.http.allow_private"

_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?")

# The standard library's is_global depends on the Python version (3.11.7 calls all of these public,
# 3.13 most of them not), so reserved networks are listed here as well. 6to4, 2002::, is no longer
# in use (RFC 7526) and hides an IPv4 address. 168.63.129.16 is public by its number, but in Azure
# every virtual machine reaches the host's own services there, with their secrets.
_RESERVED = tuple(
    ipaddress.ip_network(text)
    for text in (
        *("168.63.129.16", "192.0.0.0/24", "192.88.99.0/24"),
        *("2001::/23", "2002::/16", "3fff::/20"),
    )
)
_UNICAST6 = ipaddress.IPv6Network("2000::/3")  # all that IANA has assigned to the public internet
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")

# Names of the local machine or network: RFC 6761, 6762 and 8375, ICANN's .internal, and the private
# suffixes that RFC 6762 appendix G lists.
_NEAR = re.compile(
    r"[^.]+|(.+\.)?(localhost|local|internal|intranet|private|corp|home|lan|home\.arpa)"
)


class Guard:
    """Decides which addresses may be contacted; shared by threads.

    Args:
        allow: networks outside the public internet that are allowed, such as "10.1.0.0/16";
            ValueError when one cannot be parsed.
        proxied: a proxy makes the connections. It resolves the names too, so only schemes,
            literal addresses and local names can be checked here.
        resolve: replaces socket.getaddrinfo in tests.

    Attributes:
        led_inside: an address was allowed only because ``allow`` lists it.
    """

    def __init__(
        self,
        allow: Sequence[Network | str] = (),
        proxied: bool = False,
        *,
        resolve: Callable[..., Sequence[tuple[Any, ...]]] | None = None,
    ) -> None:
        self.allow = tuple(ipaddress.ip_network(network) for network in allow)
        self.proxied = proxied
        self.led_inside = False
        self._resolve = resolve or socket.getaddrinfo

    def check_url(self, url: str) -> None:
        """Raise Blocked when the URL is not allowed, whatever its name resolves to."""
        parts = parse(url)
        host = (parts.host or "").strip("[]")
        literal = _literal(host.rstrip("."))
        if literal is not None:
            self.check_address(literal, host=host, url=url)
        elif not _NAME.fullmatch(host):
            refuse(url, Message("is not a web address: {host} is not a host name", host=host))
        elif self.proxied and _NEAR.fullmatch(host.rstrip(".")):
            refuse(
                url,
                Message("may not be read: {host} is a name inside a private network", host=host),
            )

    def check_address(self, address: Address | str, *, host: str = "", url: str = "") -> None:
        """Raise Blocked unless the address, and any IPv4 address inside it, is allowed.

        Args:
            address: the address to connect to.
            host: the name that resolved to it. Messages show only this name, so that internal
                addresses are not revealed; the log has both.
            url: the requested URL, if known.
        """
        ip = ipaddress.ip_address(address) if isinstance(address, str) else address
        if self._passes(ip):
            return
        log.info("Refused to contact %s (%s)", host or ip, ip)
        raise Blocked(
            Message(
                "{url} may not be read: its address is not on the public internet; a sysadmin"
                " can allow it with {option}.",
                url=safe_url(url) or host or ip,
                option=OPTION,
            ),
            url=safe_url(url),
        )

    def addresses(self, host: str, port: int) -> list[SocketAddress]:
        """Resolve a name once and return the allowed socket addresses.

        Split-horizon networks give names public and private addresses; only the public ones are
        returned. Raises Blocked when no address is allowed, socket.gaierror when the name is not
        known.
        """
        answers = self._resolve(host, port, type=socket.SOCK_STREAM)
        if not answers:
            raise socket.gaierror(socket.EAI_NONAME, "the name has no address")
        allowed = [(family, to) for family, _, _, _, to in answers if self._passes(to[0])]
        if not allowed:
            self.check_address(answers[0][4][0], host=host)
        return allowed

    def _passes(self, address: Address | str) -> bool:
        ip = ipaddress.ip_address(address) if isinstance(address, str) else address
        meaning = _meaning(ip)
        if _is_public(meaning):
            return True
        is_listed = self._listed(ip) or self._listed(meaning)
        self.led_inside = self.led_inside or is_listed
        return is_listed

    def _listed(self, ip: Address) -> bool:
        return any(ip in network for network in self.allow)


class PublicGuard(Guard):
    """A guard for URLs of people without any right here: it allows public addresses only.

    Its message for addresses and names inside is the one for unknown names, so that it does not
    reveal the names of the internal network.
    """

    def __init__(
        self,
        proxied: bool = False,
        *,
        resolve: Callable[..., Sequence[tuple[Any, ...]]] | None = None,
    ) -> None:
        super().__init__(proxied=proxied, resolve=resolve)

    def check_address(self, address: Address | str, *, host: str = "", url: str = "") -> None:
        """Raise Blocked unless the address is public."""
        try:
            super().check_address(address, host=host, url=url)
        except Blocked:
            raise _not_allowed(url or host or str(address)) from None

    def addresses(self, host: str, port: int) -> list[SocketAddress]:
        """Return the public addresses of a name; raise Blocked if it has none."""
        try:
            return super().addresses(host, port)
        except (Blocked, socket.gaierror):
            raise _not_allowed(host) from None


def _not_allowed(what: str) -> Blocked:
    what = safe_url(what)
    return Blocked(
        Message("{what} is not known, or not allowed here; expected a public URL", what=what),
        url=what,
    )


def _literal(host: str) -> Address | None:
    """Return the address that a host spells out, also as 2130706433 or 0x7f.1, or None."""
    try:
        answers = socket.getaddrinfo(host, None, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        return None
    return ipaddress.ip_address(answers[0][4][0])


def _meaning(ip: Address) -> Address:
    """Return the effective address: the IPv4 address inside IPv4-mapped and NAT64 addresses."""
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped is not None:
            return ip.ipv4_mapped
        if ip in _NAT64:
            return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip


def _is_public(ip: Address) -> bool:
    """Tell whether IANA assigned the address to the public internet.

    Teredo is within 2001::/23; the local NAT64 prefix 64:ff9b:1::/48, unique local, link-local and
    IPv4-compatible addresses are outside the assigned space.
    """
    if isinstance(ip, ipaddress.IPv6Address) and ip not in _UNICAST6:
        return False
    if ip.is_multicast or any(ip in network for network in _RESERVED):
        return False
    return ip.is_global
