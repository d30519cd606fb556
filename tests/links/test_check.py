"""URLs for further requests to a service, and servers that misbehave."""

from __future__ import annotations

import gzip
import hashlib
import socket

import pytest

from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.link_states import LinkFault
from ckanext.ukharvest.links import check as link_check
from ckanext.ukharvest.links.check import LIMITS, check_link
from tests.conftest import LOOPBACK
from tests.core.support import Names
from tests.core.support import addr_info as resolved
from tests.links.support import WMS_EXCEPTION, XML, look_at, request_path, wms
from tests.publisher import Publisher, Response

CAPABILITIES = request_path("/wms", "WMS", "1.3.0")


# Where a map is asked for


def test_the_address_of_maps_may_be_another(publisher: Publisher) -> None:
    offered = publisher.url("/maps?service=WMS&map=a&")
    publisher.serve(CAPABILITIES, wms(address=offered.replace("&", "&amp;")), headers=XML)
    assert look_at(publisher, "/wms").base_url == publisher.url("/maps?map=a")


@pytest.mark.parametrize(
    "offered",
    [
        "",
        "http://10.1.2.3/wms",
        "http://169.254.169.254/latest",
        "http://geoserver.internal:8080/wms",
        "http://[::1/wms",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "wms?",
        "http://user:secret@maps.example.org/wms",
    ],
)
def test_addresses_that_a_visitor_cannot_use_are_passed_over(
    publisher: Publisher, offered: str
) -> None:
    publisher.serve(CAPABILITIES, wms(address=offered), headers=XML)
    names = Names(resolved("10.0.0.5"))
    with HttpClient(Guard(LOOPBACK, resolve=names), LIMITS) as http:
        found = check_link(publisher.url("/wms"), http)
    assert (found.format, found.base_url) == ("WMS", publisher.url("/wms"))


def test_other_public_host_is_accepted_but_not_requested(publisher: Publisher) -> None:
    publisher.serve(CAPABILITIES, wms(address="https://maps.example.org/m?"), headers=XML)
    with HttpClient(Guard(LOOPBACK, resolve=Names(resolved("93.184.216.34"))), LIMITS) as http:
        assert check_link(publisher.url("/wms"), http).base_url == "https://maps.example.org/m"
    assert len(publisher.paths) == 1


# What came instead


def why(publisher: Publisher, path: str, **more: float | str) -> tuple[str, bool]:
    found = look_at(publisher, path, **more)  # type: ignore[arg-type]
    assert found.format == ""
    return publisher.neutral(found.why), found.is_lasting


def test_a_dead_link(publisher: Publisher) -> None:
    assert why(publisher, "/rivers.csv") == (
        "http://publisher.test/rivers.csv answered 404 Not Found; expected CSV."
        " Give the address that it has now, or take the link out of the record.",
        True,
    )
    assert len(publisher.paths) == 1


def test_a_dead_service(publisher: Publisher) -> None:
    words, _ = why(publisher, "/wms?service=WMS")
    assert words.startswith(
        "http://publisher.test/wms?service=WMS answered 404 Not Found"
        " (asked for WMS 1.3.0 capabilities); expected WMS."
    )
    assert len(publisher.paths) == 2


@pytest.mark.parametrize(("status", "lasting"), [(401, True), (403, True), (503, False)])
def test_a_server_that_refuses_is_not_asked_again(
    publisher: Publisher, status: int, lasting: bool
) -> None:
    page = b"<html><title>Please sign in</title>"
    publisher.routes[CAPABILITIES] = Response(page, status, headers={"Content-Type": "text/html"})
    words, is_lasting = why(publisher, "/wms")
    assert f"answered {status} " in words
    assert "with a web page called “Please sign in”" in words
    assert is_lasting is lasting
    assert len(publisher.paths) == 1


def test_a_service_that_complains(publisher: Publisher) -> None:
    for path in (CAPABILITIES, request_path("/wms", "WMS", "1.1.1"), "/wms"):
        publisher.serve(path, WMS_EXCEPTION, headers=XML)
    words, _ = why(publisher, "/wms", expected="WMS")
    assert words == (
        "http://publisher.test/wms answered with a service's error, “WMS server error: no such"
        " layer LayerNotDefined” (asked for WMS 1.3.0 capabilities, WMS 1.1.1 capabilities);"
        " expected WMS. Ask those who run the service, or give the address that its guide names."
    )
    assert len(publisher.paths) == 3


@pytest.mark.parametrize(
    ("title", "headers", "fault", "todo"),
    [
        ("Please sign in", {}, LinkFault.LOGIN, "without a login"),
        ("403 Forbidden", {"WWW-Authenticate": "Basic"}, LinkFault.LOGIN, "without a login"),
        ("Just a moment...", {}, LinkFault.BOT_FILTER, "pass the bot filter"),
        ("x", {"cf-mitigated": "challenge"}, LinkFault.BOT_FILTER, "pass the bot filter"),
        ("403 Forbidden", {}, LinkFault.FORBIDDEN, "Allow requests of this portal"),
    ],
)
def test_link_with_status_403_is_told_by_what_it_is(
    publisher: Publisher, title: str, headers: dict[str, str], fault: LinkFault, todo: str
) -> None:
    page = f"<html><title>{title}</title>".encode()
    headers = {"Content-Type": "text/html", **headers}
    publisher.routes["/a.csv"] = Response(page, 403, headers=headers)
    found = look_at(publisher, "/a.csv")
    assert found.fault is fault
    assert todo in found.why
    assert ("login" in found.why) is (fault is LinkFault.LOGIN)


@pytest.mark.parametrize("path", ["/rivers.csv", "/wms"])
def test_a_login_page_is_not_what_was_promised(publisher: Publisher, path: str) -> None:
    publisher.serve("/login", "<!DOCTYPE html><title>Sign in</title>")
    for each in (path, CAPABILITIES, request_path("/wms", "WMS", "1.1.1")):
        publisher.redirect(each, "/login")
    found = look_at(publisher, path)
    assert found.format == ""
    assert "/login, which answered with a web page called “Sign in”" in found.why
    assert ("; expected CSV" in found.why) or ("; expected WMS" in found.why)
    assert "Give the address of the data or the service itself" in found.why


def test_a_service_that_answers_in_words(publisher: Publisher) -> None:
    for path in (CAPABILITIES, request_path("/wms", "WMS", "1.1.1"), "/wms"):
        publisher.serve(path, "The map  'water' is\nnot here.")
    words, _ = why(publisher, "/wms")
    assert "/wms answered with a text that begins “The map 'water' is not here.” (asked" in words


def test_a_page_that_was_to_be_expected(publisher: Publisher) -> None:
    publisher.serve("/about", "<!DOCTYPE html><title>About</title>")
    found = look_at(publisher, "/about")
    assert (found.format, found.title) == ("HTML", "")


def test_redirect_to_another_server_is_reported(publisher: Publisher) -> None:
    with Publisher() as other:
        publisher.redirect("/a.csv", other.url("/b"))
        found = look_at(publisher, "/a.csv")
    assert f"redirects to {other.url('/b')}, which answered 404 Not Found" in found.why


# Servers that misbehave


def test_a_server_that_hangs_is_asked_once(publisher: Publisher) -> None:
    publisher.serve(CAPABILITIES, hang=True)
    words, is_lasting = why(publisher, "/wms", total=0.3)
    assert words.endswith(
        "was not finished after 0.3 seconds, the most it may take"
        " (asked for WMS 1.3.0 capabilities); expected WMS."
        " It is tried again; check that the server can be reached from outside."
    )
    assert not is_lasting
    assert len(publisher.paths) == 1


@pytest.mark.parametrize("slow_start", [False, True])
def test_a_server_that_drips(publisher: Publisher, slow_start: bool) -> None:
    publisher.serve("/a", "a,b\n" * 100, pause=0.05, slow_start=slow_start)
    words, is_lasting = why(publisher, "/a", total=0.3)
    assert "was not finished after 0.3 seconds" in words
    assert not is_lasting


def test_a_server_that_is_gone(publisher: Publisher) -> None:
    publisher.serve("/a", cut=-1)
    words, is_lasting = why(publisher, "/a")
    assert "broke the connection off" in words
    assert not is_lasting


def test_a_server_that_redirects_without_end(publisher: Publisher) -> None:
    publisher.redirect("/a", "/b")
    publisher.redirect("/b", "/a")
    words, is_lasting = why(publisher, "/a")
    assert "redirects in a circle" in words
    assert is_lasting


def test_a_gigabyte_is_not_read(publisher: Publisher) -> None:
    publisher.routes["/a"] = Response(
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"x" * 65520 for _ in range(16_000)),
        headers={"Content-Type": "text/csv"},
    )
    assert look_at(publisher, "/a").format == "PNG"


def test_a_bomb(publisher: Publisher) -> None:
    publisher.serve("/a", gzip.compress(b"<a>" * 10_000_000), headers={"Content-Encoding": "gzip"})
    assert look_at(publisher, "/a").format == "XML"
    publisher.serve("/b.gz", gzip.compress(gzip.compress(b"\0" * 50_000_000)))
    assert look_at(publisher, "/b.gz").format == "GZ"


def test_a_body_that_cannot_be_unpacked(publisher: Publisher) -> None:
    publisher.serve("/a", "plain", headers={"Content-Encoding": "br"})
    assert "cannot be unpacked" in why(publisher, "/a")[0]


def test_entities_are_not_put_in(publisher: Publisher) -> None:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    doctype = f'<!DOCTYPE x [<!ENTITY e0 "lol"><!ENTITY f SYSTEM "file:///etc/passwd">{entities}]>'
    document = wms().replace("<WMS_", doctype + "<WMS_").replace("Water &amp; more", "&e11;&f;")
    publisher.serve(CAPABILITIES, document, headers=XML)
    found = look_at(publisher, "/wms")
    assert (found.format, found.title) == ("WMS", "")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://10.1.2.3/wms", "its address is not on the public internet"),
        ("http://169.254.169.254/", "its address is not on the public internet"),
        ("ftp://a.example/rivers.zip", "only http and https addresses are, not ftp"),
        ("file:///etc/passwd", "only http and https"),
        ("not an address", "is not a web address"),
        ("http://[", "is not a web address"),
        ("", "is not a web address"),
        ("https://a.example/{z}/{x}\x00", "is not"),
    ],
)
def test_addresses_that_are_not_read(url: str, words: str) -> None:
    with HttpClient(Guard(), LIMITS) as http:
        found = check_link(url, http)
    assert found.format == ""
    assert words in found.why or "hidden character" in found.why
    assert found.is_lasting


def test_a_redirect_to_the_inside_is_not_followed(publisher: Publisher) -> None:
    publisher.redirect("/a", "http://10.1.2.3/secret")
    assert "its address is not on the public internet" in why(publisher, "/a")[0]


def test_an_unknown_name() -> None:
    names = Names(socket.gaierror(socket.EAI_NONAME, ""))
    with HttpClient(Guard(resolve=names), LIMITS) as http:
        found = check_link("https://a.example/wms", http)
    assert "the name a.example is not known" in found.why
    assert len(names.asked) == 1


def test_it_never_raises(publisher: Publisher, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(link_check, "answer", broken)
    publisher.serve("/a", "a")
    words, is_lasting = why(publisher, "/a")
    assert words == (
        "http://publisher.test/a could not be checked: an error of this portal, which its "
        "log explains."
    )
    assert not is_lasting


# Whether anything is there


@pytest.mark.parametrize(
    ("status", "fault"),
    [
        (200, LinkFault.NONE),
        (404, LinkFault.NOT_FOUND),
        (410, LinkFault.GONE),
        (401, LinkFault.LOGIN),
        (403, LinkFault.FORBIDDEN),
        (405, LinkFault.CLIENT_ERROR),
        (503, LinkFault.SERVER_ERROR),
    ],
)
def test_the_fault_of_an_answer(publisher: Publisher, status: int, fault: LinkFault) -> None:
    publisher.serve("/a.csv", "a,b\n1,2\n", status=status)
    found = look_at(publisher, "/a.csv", expected="CSV")
    assert (found.fault, found.status) == (fault, status)
    assert [request.method for request in publisher.requests] == ["GET"]


def test_the_fault_of_no_answer(publisher: Publisher) -> None:
    publisher.serve("/hangs", hang=True)
    publisher.serve("/breaks", cut=-1)
    publisher.redirect("/circle", "/circle")
    publisher.redirect("/inside", "http://10.1.2.3/")
    faults = {
        path: look_at(publisher, path, total=0.3).fault
        for path in ("/hangs", "/breaks", "/circle", "/inside")
    }
    assert faults == {
        "/hangs": LinkFault.TIMEOUT,
        "/breaks": LinkFault.CONNECTION,
        "/circle": LinkFault.REDIRECT,
        "/inside": LinkFault.BLOCKED,
    }


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (socket.EAI_NONAME, LinkFault.UNKNOWN_NAME),
        (socket.EAI_AGAIN, LinkFault.CONNECTION),
    ],
)
def test_the_fault_of_a_name(error: int, fault: LinkFault) -> None:
    def resolve(*_: object, **__: object) -> list[tuple[object, ...]]:
        raise socket.gaierror(error, "no")

    with HttpClient(Guard(LOOPBACK, resolve=resolve), LIMITS) as http:
        assert check_link("https://data.exmaple.org/a.csv", http).fault is fault


def test_the_fault_of_a_port_that_refuses(publisher: Publisher) -> None:
    with Publisher() as other:
        url = other.url("/a.csv")
    with HttpClient(Guard(LOOPBACK), LIMITS) as http:
        assert check_link(url, http).fault is LinkFault.REFUSED


def test_a_service_that_answers_only_to_what_it_knows_is_there(publisher: Publisher) -> None:
    publisher.serve(CAPABILITIES, WMS_EXCEPTION, headers=XML)
    found = look_at(publisher, "/wms", expected="WMS")
    assert (found.format, found.fault, found.status) == ("", LinkFault.NONE, 200)


def test_size_and_checksum_of_a_small_file(publisher: Publisher) -> None:
    body = b"a,b\n1,2\n3,4\n"
    publisher.serve("/a.csv", body)
    publisher.serve("/packed.csv", body, packed=True)
    for path in ("/a.csv", "/packed.csv"):
        found = look_at(publisher, path)
        assert (found.size, found.checksum) == (len(body), hashlib.sha256(body).hexdigest())


def test_of_a_large_file_the_server_tells_the_size(publisher: Publisher) -> None:
    body = b"a,b\n1,2\n" * 20_000
    publisher.serve("/a.csv", body)
    publisher.serve("/packed.csv", body, packed=True)
    found, packed = look_at(publisher, "/a.csv"), look_at(publisher, "/packed.csv")
    assert (found.size, found.checksum) == (len(body), "")
    assert (packed.size, packed.checksum) == (None, "")


@pytest.mark.parametrize(
    "plain", [Response(b"<html><title>Rivers"), Response(b"<a/>"), Response(), Response(status=400)]
)
def test_gemini_link_that_says_nothing_is_asked_for_wms(
    publisher: Publisher, plain: Response
) -> None:
    publisher.routes["/rivers"] = plain
    before = look_at(publisher, "/rivers")
    unknown = look_at(publisher, "/rivers", is_gemini=True)
    assert (unknown.format, unknown.fault) == (before.format, before.fault)
    publisher.serve(request_path("/rivers", "WMS", "1.3.0"), wms(), headers=XML)
    assert look_at(publisher, "/rivers", is_gemini=True).format == "WMS"
    assert look_at(publisher, "/rivers", expected="HTML", is_gemini=True).format != "WMS"
    assert len(publisher.paths) == 1 + 2 + 2 + 1


@pytest.mark.parametrize(
    "plain",
    [Response(b"a,b\n1,2\n"), *(Response(status=status) for status in (401, 404, 410, 429, 500))],
)
def test_gemini_link_that_says_something_is_not_asked_again(
    publisher: Publisher, plain: Response
) -> None:
    publisher.routes["/rivers"] = plain
    look_at(publisher, "/rivers", is_gemini=True)
    assert len(publisher.paths) == 1
