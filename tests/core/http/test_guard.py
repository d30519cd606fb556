"""Addresses that may be contacted."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Sequence
from typing import Any

import pytest

from ckanext.ukharvest.core.errors import Blocked
from ckanext.ukharvest.core.http.guard import OPTION, Guard, PublicGuard


def resolver(*addresses: str) -> Any:
    """Return a stand-in for socket.getaddrinfo that always finds these addresses."""

    def resolve(host: str, port: int, **_: Any) -> Sequence[tuple[Any, ...]]:
        return [
            (
                socket.AF_INET6 if ":" in address else socket.AF_INET,
                socket.SOCK_STREAM,
                6,
                "",
                (address, port, 0, 0) if ":" in address else (address, port),
            )
            for address in addresses
        ]

    return resolve


@pytest.mark.parametrize(
    "address",
    [
        pytest.param("151.101.2.133", id="IPv4"),
        pytest.param("2a04:4e42::645", id="IPv6"),
        pytest.param("::ffff:151.101.2.133", id="IPv4-mapped"),
        pytest.param("64:ff9b::9765:285", id="NAT64"),
    ],
)
def test_public_addresses_pass(address: str) -> None:
    Guard().check_address(address)
    Guard().check_address(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        pytest.param("127.0.0.1", id="loopback"),
        pytest.param("127.8.8.8", id="loopback network"),
        pytest.param("0.0.0.0", id="unspecified, which Linux takes for loopback"),
        pytest.param("0.1.2.3", id="this network"),
        pytest.param("10.1.2.3", id="private 10"),
        pytest.param("172.16.0.1", id="private 172.16"),
        pytest.param("192.168.1.1", id="private 192.168"),
        pytest.param("100.64.0.1", id="carrier-grade NAT"),
        pytest.param("100.100.100.200", id="metadata service, Alibaba"),
        pytest.param("169.254.169.254", id="metadata service"),
        pytest.param("168.63.129.16", id="metadata service, Azure"),
        pytest.param("169.254.1.1", id="link-local"),
        pytest.param("192.0.0.192", id="metadata service, Oracle"),
        pytest.param("192.0.2.1", id="documentation"),
        pytest.param("192.88.99.1", id="6to4 relay"),
        pytest.param("198.18.0.1", id="benchmarks"),
        pytest.param("224.0.0.1", id="multicast"),
        pytest.param("239.255.255.250", id="multicast, local"),
        pytest.param("240.0.0.1", id="reserved"),
        pytest.param("255.255.255.255", id="broadcast"),
        pytest.param("::", id="IPv6 unspecified"),
        pytest.param("::1", id="IPv6 loopback"),
        pytest.param("fe80::1", id="IPv6 link-local"),
        pytest.param("fe80::1%eth0", id="IPv6 link-local with zone"),
        pytest.param("fec0::1", id="IPv6 site-local"),
        pytest.param("fc00::1", id="IPv6 unique local"),
        pytest.param("fd00:ec2::254", id="metadata service, IPv6"),
        pytest.param("ff02::1", id="IPv6 multicast"),
        pytest.param("ff0e::1", id="IPv6 multicast, global"),
        pytest.param("2001:db8::1", id="IPv6 documentation"),
        pytest.param("3fff::1", id="IPv6 documentation, new"),
        pytest.param("5f00::1", id="IPv6 segment routing"),
        pytest.param("::ffff:127.0.0.1", id="IPv4-mapped loopback"),
        pytest.param("::ffff:169.254.169.254", id="IPv4-mapped metadata service"),
        pytest.param("::ffff:168.63.129.16", id="IPv4-mapped metadata service, Azure"),
        pytest.param("::ffff:0:7f00:1", id="IPv4-translated loopback"),
        pytest.param("::127.0.0.1", id="IPv4-compatible loopback"),
        pytest.param("64:ff9b::7f00:1", id="NAT64 loopback"),
        pytest.param("64:ff9b::a9fe:a9fe", id="NAT64 metadata service"),
        pytest.param("64:ff9b:1::808:808", id="NAT64, local prefix"),
        pytest.param("2002:7f00:1::", id="6to4 loopback"),
        pytest.param("2002:a00:1::1", id="6to4 private"),
        pytest.param("2002:9765:285::1", id="6to4 public, no longer in use"),
        pytest.param("2001:0:9765:285:0:ffff:8080:8080", id="Teredo"),
    ],
)
def test_other_addresses_are_refused(address: str) -> None:
    with pytest.raises(Blocked, match=OPTION):
        Guard().check_address(address)
    with pytest.raises(Blocked):
        Guard(resolve=resolver(address)).addresses("data.example.org", 80)


@pytest.mark.parametrize(
    ("allow", "address"),
    [
        ("10.1.0.0/16", "10.1.2.3"),
        ("10.1.0.0/16", "::ffff:10.1.2.3"),
        ("10.1.0.0/16", "64:ff9b::a01:203"),
        ("127.0.0.1", "127.0.0.1"),
        ("::1", "::1"),
        ("fd12:3456::/32", "fd12:3456::1"),
        ("64:ff9b:1::/48", "64:ff9b:1::1"),
    ],
)
def test_listed_networks_pass(allow: str, address: str) -> None:
    Guard([allow]).check_address(address)
    Guard([ipaddress.ip_network(allow)]).check_address(address)


def test_listing_one_network_opens_no_other() -> None:
    with pytest.raises(Blocked):
        Guard(["10.1.0.0/16"]).check_address("10.2.0.1")


def test_a_network_that_cannot_be_read_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"10\.0\.0\.0/33"):
        Guard(["10.0.0.0/33"])


@pytest.mark.parametrize(
    "url",
    [
        "http://data.example.org/",
        "https://data.example.org:8443/a?b=c#d",
        "HTTP://DATA.example.org",
        "http://data.example.org:1/",
        "http://data.example.org:65535/",
        "http://my_council.example.org/",
        "http://data.example.org./",
        "http://bücher.example/",
        "http://data.example.org/a@b?c=d@e",
        "http://data.example.org/a//b@c",
        "http://data.example.org/é?q=[1]",
        "http://151.101.2.133/",
        "http://[2a04:4e42::645]/",
    ],
)
def test_web_addresses_pass_without_a_look_up(url: str) -> None:
    Guard().check_url(url)
    Guard(proxied=True).check_url(url)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("ftp://ftp.example.org/a.xml", "only http and https addresses are, not ftp"),
        ("file:///etc/passwd", "only http and https addresses are, not file"),
        ("gopher://example.org/", "only http and https"),
        ("javascript:alert(1)", "only http and https"),
        ("localhost:5000/data", "only http and https"),
        ("view-source:http://example.org/", "begin with http"),
        ("/etc/passwd", "begin with http"),
        ("//example.org/a", "begin with http"),
        ("example.org/data.json", "begin with http"),
        ("", "begin with http"),
        ("http://", "names no host"),
        ("http:///a", "names no host"),
        ("http:example.org", "names no host"),
        ("http://:80/", "host"),
        ("http://example.org:0/", "port 0"),
        ("http://example.org:65536/", "host name or port"),
        ("http://example.org:x/", "host name or port"),
        ("http://[::1/", "host name or port"),
        ("http://good.example.org@127.0.0.1/", "user name"),
        ("http://me:secret@example.org/", "user name"),
        ("http://@example.org/", "user name"),
        ("http://127.0.0.1#@good.example.org/", "public internet"),
        ("http://127.0.0.1?@good.example.org/", "public internet"),
        ("http://good.example.org\\@127.0.0.1/", "backslash"),
        ("http:\\\\127.0.0.1\\", "backslash"),
        ("http://exa mple.org/", "space"),
        (" http://example.org/", "space"),
        ("http://example.org/a b", "space"),
        ("http://example.org/\r\nHost: x", "hidden character"),
        ("http://example.org/\x00", "hidden character"),
        ("http://exam\u200bple.org/", "hidden character"),
        ("http://example.org\u3000/", "host name or port"),
        ("http://①②⑦.example.org/", "host name or port"),
        ("http://１２７.0.0.1/", "host name or port"),
        ("http://127。0。0。1/", "host name or port|public internet"),
        (f"http://{'ü' * 70}.example/", "host name or port"),
        ("http://a..example.org/", "not a host name"),
        ("http://%31%32%37.0.0.1/", "not a host name|public internet"),
        ("http://exa$mple.org/", "not a host name"),
        ("http://127.0.0.1/", "public internet"),
        ("http://127.0.0.1:5000/", "public internet"),
        ("http://127.0.0.1./", "public internet"),
        ("http://2130706433/", "public internet"),
        ("http://0x7f000001/", "public internet"),
        ("http://0x7f.1/", "public internet"),
        ("http://0177.0.0.1/", "public internet"),
        ("http://127.1/", "public internet"),
        ("http://0/", "public internet"),
        ("http://[::1]/", "public internet"),
        ("http://[::ffff:127.0.0.1]/", "public internet"),
        ("http://[64:ff9b::7f00:1]/", "public internet"),
        ("http://[fe80::1%25lo]/", "public internet|not a host name"),
        ("http://169.254.169.254/latest/meta-data/", "public internet"),
    ],
)
def test_other_texts_are_refused_with_a_reason(url: str, message: str) -> None:
    for guard in (Guard(), Guard(proxied=True)):
        with pytest.raises(Blocked, match=message) as caught:
            guard.check_url(url)
        assert str(caught.value).endswith(".")
        assert "secret" not in str(caught.value) + caught.value.url


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST.",
        "a.localhost",
        "redis",
        "printer.local",
        "metadata.google.internal",
    ],
)
def test_local_names_are_refused_if_a_proxy_resolves_names(host: str) -> None:
    Guard().check_url(f"http://{host}/")  # resolved and checked when connecting
    with pytest.raises(Blocked, match="private network"):
        Guard(proxied=True).check_url(f"http://{host}/")


def test_only_public_addresses_of_a_name_are_used() -> None:
    guard = Guard(resolve=resolver("10.0.0.1", "151.101.2.133", "::1", "2a04:4e42::645"))
    found = [to[0] for _, to in guard.addresses("data.example.org", 443)]
    assert found == ["151.101.2.133", "2a04:4e42::645"]


def test_messages_do_not_show_the_address_of_an_internal_name() -> None:
    with pytest.raises(Blocked, match="wiki.example.org") as caught:
        Guard(resolve=resolver("10.9.8.7")).addresses("wiki.example.org", 80)
    assert "10.9.8.7" not in str(caught.value)


def test_public_guard_hides_whether_an_internal_name_exists() -> None:
    def unknown(*_: Any, **_more: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "not known")

    messages = set()
    for resolve in (resolver("10.9.8.7"), unknown, resolver()):
        with pytest.raises(Blocked) as caught:
            PublicGuard(resolve=resolve).addresses("wiki.example.org", 80)
        messages.add(caught.value.message)
    expected = "wiki.example.org is not known, or not allowed here; expected a public URL"
    assert messages == {expected}
    with pytest.raises(Blocked, match="not allowed here") as caught:
        PublicGuard().check_url("http://10.9.8.7/")
    assert OPTION not in caught.value.message
    public = PublicGuard(resolve=resolver("10.0.0.1", "151.101.2.133"))
    assert [to[0] for _, to in public.addresses("data.example.org", 443)] == ["151.101.2.133"]
