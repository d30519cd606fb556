"""The forms of a secret, where it is sent, and that it is taken out of what comes back."""

from __future__ import annotations

import base64
import logging
from urllib.parse import quote

import pytest

from ckanext.ukharvest.core.errors import FetchError
from ckanext.ukharvest.core.http.credentials import FORMS, Credential, Secrets, parse_credential
from ckanext.ukharvest.core.http.guard import Guard
from tests.core.support import client
from tests.publisher import Publisher, Request, Response

KEY = "S3cr/t+mark=="
IN_URL = quote(KEY, safe="")
LOGIN = base64.b64encode(b"council:pass word").decode()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "https://data.example.org Authorization: Bearer 0123",
            Credential("https", "data.example.org", 443, "Authorization", "Bearer 0123"),
        ),
        (
            "http://data.example.org:8080/ X-Api-Key:0123",
            Credential("http", "data.example.org", 8080, "X-Api-Key", "0123"),
        ),
        (
            "https://data.example.org basic council:pass word",
            Credential("https", "data.example.org", 443, "Authorization", f"Basic {LOGIN}"),
        ),
        (
            f"https://data.example.org query api_key={KEY}",
            Credential("https", "data.example.org", 443, "", KEY, "api_key"),
        ),
    ],
)
def test_the_forms_of_a_secret(text: str, expected: Credential) -> None:
    assert parse_credential(text) == expected
    assert not any(secret in repr(expected) for secret in expected.texts)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "S3cret-mark",
        "https://data.example.org S3cret-mark",
        "https://data.example.org X-Key: ",
        "https://data.example.org basic S3cret-mark",
        "https://data.example.org query S3cret-mark",
        "https://data.example.org query key=S3cret mark",
        "https://council:S3cret-mark@data.example.org basic a:b",
        "https://data.example.org/?key=S3cret-mark X-Key: a",
        "https://data.example.org:S3cret-mark X-Key: a",
        "ftp://data.example.org X-Key: S3cret-mark",
        "https://data.example.org X-Key: S3cret-mark\r\nHost: elsewhere",
    ],
)
def test_an_unusable_secret_is_not_repeated_in_the_error(text: str) -> None:
    with pytest.raises(ValueError, match="expected one of") as caught:
        parse_credential(text)
    assert all(form in str(caught.value) for form in FORMS)
    assert "S3cret" not in str(caught.value)


KEY_SECRETS = Secrets([Credential("https", "data.example.org", 443, "", KEY, "api_key")])
LOGIN_SECRETS = Secrets([parse_credential("https://data.example.org basic council:pass word")])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"https://x/a?api_key={IN_URL}&page=2", "https://x/a?page=2"),
        (f"https://x/a?api_key={IN_URL}", "https://x/a"),
        (f"https://x/a?page=2&amp;API_KEY={IN_URL.lower()}", "https://x/a?page=2"),
        (rf"https:\/\/x\/a?page=2\u0026api_key={IN_URL}", r"https:\/\/x\/a?page=2"),
        (f"key {KEY} is blocked", "key *** is blocked"),
        (r'{"key": "S3cr\/t+mark=="}', '{"key": "***"}'),
        (r"S3cr%2ft%2bmark=\u003D S3cr\/t%2Bmark&#61;&#x3D; S3cr%252ft+mark==", "*** *** ***"),
        ("a record about api_key=other", "a record about api_key=other"),
    ],
)
def test_a_key_is_taken_out_of_any_text(text: str, expected: str) -> None:
    assert KEY_SECRETS.clean(text) == expected
    data = f"{text} ".encode() * 3
    for size in (1, 7, len(data)):  # a secret may come in two pieces
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
        assert b"".join(KEY_SECRETS.clean_pieces(pieces)) == f"{expected} ".encode() * 3


@pytest.mark.parametrize("text", [LOGIN, f"Basic {LOGIN}", "pass word", "pass+word", "pass%20word"])
def test_a_password_is_taken_out_of_any_text(text: str) -> None:
    assert LOGIN_SECRETS.clean(f"<p>{text}</p>") == "<p>***</p>"


def test_a_short_secret_is_removed_behind_its_parameter_only() -> None:
    """Else a key such as "demo" would be taken out of titles."""
    secrets = Secrets([Credential("https", "data.example.org", 443, "", "demo", "key")])
    assert secrets.clean("demo a?key=demo&b=1 key=demo key=demography") == (
        "demo a?b=1 *** key=demography"
    )


def test_single_word_of_a_header_is_no_secret() -> None:
    header = Secrets([parse_credential("https://data.example.org X-Key: open database")])
    assert header.clean("a database; open database") == "a database; ***"
    token = Secrets([parse_credential("https://data.example.org Authorization: Bearer 012345678")])
    assert token.clean("Bearer of 012345678") == "Bearer of ***"


def test_a_key_is_added_to_requests_and_removed_from_replies(publisher: Publisher) -> None:
    seen = f"/data?page=2&api_key={IN_URL}"
    publisher.serve(seen, f'{{"next": "{seen}", "said": "{KEY}"}}', headers={"Link": seen})
    # The publisher names the key in its redirect too; the door sends it once.
    publisher.redirect(f"/old?api_key={IN_URL}", f"/data?api_key={IN_URL}&page=2")
    secret = Credential("http", "127.0.0.1", publisher.port, "", KEY, "api_key")
    with client(credentials=[secret]) as http:
        reply = http.get(publisher.url("/old"))
    assert publisher.paths == [f"/old?api_key={IN_URL}", seen]
    assert reply.url == publisher.url("/data?page=2")
    assert reply.content == b'{"next": "/data?page=2", "said": "***"}'
    assert reply.headers["Link"] == "/data?page=2"
    assert not any(each in repr(reply) for each in (KEY, IN_URL))


@pytest.mark.parametrize("form", ["query api_key=", "basic council:", "X-Key: "])
def test_another_server_gets_no_secret(publisher: Publisher, form: str) -> None:
    """Not even where the publisher puts it into the redirect."""

    def echo(request: Request) -> Response:
        given = f"{request.path} {request.headers}"
        assert IN_URL in given or KEY in given or "Basic" in given
        return Response(status=302, headers={"Location": f"{other.base}/b?api_key={IN_URL}"})

    with Publisher() as other:
        for path in ("/a", f"/a?api_key={IN_URL}"):
            publisher.routes[path] = echo
        secret = parse_credential(f"{publisher.base} {form}{KEY}")
        with client(credentials=[secret]) as http:
            reply = http.get(publisher.url("/a"), allow_status=[404])
    (request,) = other.requests
    text = f"{request.path}\n{request.headers}\n{reply.url}"
    assert not any(each in text for each in (KEY, IN_URL, "Basic", "X-Key"))


@pytest.mark.parametrize("form", ["query api_key=", "basic council:", "X-Key: "])
def test_secret_is_not_sent_to_another_port(publisher: Publisher, form: str) -> None:
    secret = parse_credential(f"{publisher.base} {form}{KEY}")
    with Publisher() as other, client(credentials=[secret]) as http:
        http.get(other.url("/a"), allow_status=[404])
    (request,) = other.requests
    text = f"{request.path}\n{request.headers}"
    assert not any(each in text for each in (KEY, IN_URL, "Basic", "X-Key"))


@pytest.mark.parametrize("answer", [{"hang": True}, {"cut": -1}, {"status": 401}, {"cut": 3}])
def test_faults_and_logs_do_not_repeat_a_key(
    publisher: Publisher, caplog: pytest.LogCaptureFixture, answer: dict[str, object]
) -> None:
    caplog.set_level(logging.DEBUG)
    publisher.serve(f"/a?api_key={IN_URL}", f"no {KEY}", **answer)
    secret = Credential("http", "127.0.0.1", publisher.port, "", KEY, "api_key")
    with (
        client(credentials=[secret], retries=0, read=0.2) as http,
        pytest.raises(FetchError) as caught,
    ):
        http.get(publisher.url("/a"))
    assert publisher.requests
    assert publisher.url("/a") in caught.value.message
    assert caplog.text
    chain = f"{caught.value!r} {caught.value.__cause__!r} {caught.value.url}"
    assert not any(each in caplog.text + chain for each in (KEY, IN_URL))


@pytest.mark.parametrize("answer", [{"status": 407}, {"cut": -1}, {"hang": True}])
def test_the_password_of_the_proxy_is_not_repeated(
    publisher: Publisher, caplog: pytest.LogCaptureFixture, answer: dict[str, object]
) -> None:
    caplog.set_level(logging.DEBUG)
    publisher.serve("http://data.example.org/a", f"no {KEY}", **answer)
    proxy = publisher.base.replace("//", f"//council:{IN_URL}@")
    with (
        client(Guard(proxied=True), proxy=proxy, retries=0, read=0.2) as http,
        pytest.raises(FetchError) as caught,
    ):
        http.get("http://data.example.org/a")
    assert base64.b64encode(f"council:{KEY}".encode()).decode() in str(
        publisher.requests[0].headers
    )
    text = f"{caplog.text} {caught.value!r} {caught.value.__cause__!r}"
    assert not any(each in text for each in (KEY, IN_URL, "council"))
