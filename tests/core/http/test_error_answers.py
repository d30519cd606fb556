"""The reason that a server gives for an error, in messages."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from ckanext.ukharvest.core.errors import BadStatus
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.credentials import Credential
from ckanext.ukharvest.core.http.error_answers import LONGEST, quote_reason
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.http.request import HttpLimits
from tests.conftest import LOOPBACK
from tests.publisher import Publisher, Response

Message = Callable[[Response], str]

SECRET = "Bearer hush-hush-hush"
REPORT = (
    '<ows:ExceptionReport xmlns:ows="http://www.opengis.net/ows"><ows:Exception'
    ' exceptionCode="NoApplicableCode"><ows:ExceptionText>No index\n here</ows:ExceptionText>'
    "</ows:Exception></ows:ExceptionReport>"
)
FAULT = (
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault><faultcode>'
    "s:Client</faultcode><faultstring>No rights</faultstring></s:Fault></s:Body></s:Envelope>"
)
PAGE = "<!DOCTYPE html><html><head><title>{}</title></head><body>{}</body></html>"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("", ""),
        ("Down for repairs.", "Down for repairs"),
        ("Error 503\n\nDown for \x1b[1mrepairs", "Error 503 Down for [1mrepairs"),
        ("Service Unavailable", ""),
        ("Capacit\u00e9", "Capacit\u00e9"),
        ("\x00\x01\x02GIF89a", ""),
        (PAGE.format("Down &amp; out", "<p>Sorry"), "Down & out"),
        (PAGE.format("503 Service Unavailable", "<h1>nginx</h1>"), ""),
        (PAGE.format("", "<h1>Oops</h1><p>We are <b>moving</b> house.</p>"), "We are moving house"),
        (
            PAGE.format("<script>x()</script>", "<p>It is <style>x</style>not here"),
            "It is not here",
        ),
        ('{"error": {"__type": "Not Found Error", "message": "No such action"}}', "No such action"),
        ('{"error": {"message": "Service Unavailable"}}', ""),
        ('{"error": {"__type": "Validation Error", "q": ["Bad query"]}}', "q Bad query"),
        ('{"error": "Service Unavailable", "message": "Index closed"}', "Index closed"),
        (
            '{"title": "Too busy", "detail": "Come back at noon", "status": 503}',
            "Come back at noon",
        ),
        ('{"errors": [{"code": 7, "message": "<p>Give a key</p>"}]}', "Give a key"),
        ('"Access denied"', "Access denied"),
        ('{"error": {"__type": "Gone", "message": "Service unavailable"}}', ""),
        ('{"error": {"mess', ""),
        ("[" * 20_000, ""),
        (REPORT, "NoApplicableCode: No index here"),
        (FAULT, "s:Client No rights"),
        ('<OAI-PMH><error code="badVerb">Which one?</error></OAI-PMH>', "badVerb: Which one?"),
        ("<Error><Code>AccessDenied</Code><!-- x --><Id>7</Id></Error>", "AccessDenied 7"),
        ("See https://a.test/x?api_key=hush&b=1 now", "See https://a.test/x?api_key=…&b=1 now"),
        ("Gave up at http://me:hush@a.test/", "Gave up at http://a.test/"),
    ],
)
def test_reason_is_quoted_without_markup(body: str, reason: str) -> None:
    assert quote_reason(body.encode(), status=503) == reason


def test_latin_1_is_decoded() -> None:
    assert quote_reason("Fermé: travaux".encode("latin-1")) == "Fermé: travaux"


def test_long_reason_is_cut() -> None:
    assert len(quote_reason(b"word " * 4000)) == LONGEST
    assert quote_reason(json.dumps({"message": "é" * 9000}).encode()).endswith("é…")


@pytest.fixture
def message(publisher: Publisher) -> Iterator[Message]:
    """Return a function that serves a response and returns the message of its error."""
    secret = Credential("http", publisher.host, publisher.port, "Authorization", SECRET)

    def get(response: Response) -> str:
        publisher.routes["/a"] = response
        with pytest.raises(BadStatus) as caught:
            http.get(publisher.url("/a"))
        assert caught.value.status == response.status
        return publisher.neutral(caught.value.message)

    limits = HttpLimits(retries=0)
    with HttpClient(Guard(LOOPBACK), limits, credentials=[secret]) as http:
        yield get


def test_error_of_status_quotes_the_server(message: Message) -> None:
    assert message(Response(b"Too many guests.", 429)) == (
        "http://publisher.test/a answered 429 Too Many Requests: Too many guests."
    )
    packed = Response(b"Index closed", 500, packed=True)
    assert message(packed).endswith("/a answered 500 Internal Server Error: Index closed.")


def test_quoted_reason_has_no_secret(message: Message) -> None:
    body = f"Your header {SECRET} is wrong".encode()
    assert message(Response(body, 401)).endswith(": Your header *** is wrong.")


@pytest.mark.parametrize(
    "response",
    [
        Response(b"cut off", 500, cut=3),
        Response(b"not gzip", 500, headers={"Content-Encoding": "gzip"}),
        Response(b"", 500, headers={"Content-Length": "10", "Connection": "close"}),
    ],
)
def test_status_counts_where_its_body_fails(message: Message, response: Response) -> None:
    assert message(response).endswith("answered 500 Internal Server Error.")


@pytest.mark.parametrize(
    ("response", "code"),
    [
        (Response(b"", 401), "needs-login"),
        (Response(b"", 403), "access-refused"),
        (Response(b"", 404), "bad-status"),
        (Response(PAGE.format("Access denied", "Sign in here").encode(), 403), "access-refused"),
        (Response(PAGE.format("Log in", "").encode(), 403), "needs-login"),
        (Response(b'{"error": {"__type": "Authorization Error"}}', 403), "needs-login"),
        (Response(b"", 403, {"WWW-Authenticate": "Basic"}), "needs-login"),
        (Response(b"", 403, {"cf-mitigated": "challenge"}), "bot-filter"),
        (Response(PAGE.format("Just a moment...", "").encode(), 503), "bot-filter"),
        (Response(PAGE.format("Attention Required! | Cloudflare", "").encode(), 403), "bot-filter"),
        (Response(b"Pass the captcha, then log in", 403), "bot-filter"),
    ],
)
def test_refusal_is_told_by_what_it_is(
    publisher: Publisher, http: HttpClient, response: Response, code: str
) -> None:
    publisher.routes["/d"] = response
    with pytest.raises(BadStatus) as caught:
        http.get(publisher.url("/d"))
    assert caught.value.code == code
