"""URLs and texts for people: short, printable, without secrets."""

from __future__ import annotations

import logging

import pytest

from ckanext.ukharvest.core.errors import BadStatus
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.urls import hide_secrets, safe_url
from tests.publisher import Publisher

MARK = "S3cret-mark"
PARAMETERS = ("token", "key", "apikey", "api_key", "sig", "signature", "access_token", "secret") + (
    *("password", "pwd", "auth", "subscription-key", "client_secret", "X-Amz-Signature"),
)
HEADERS = ("Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "Proxy-Authorization")
# Each with the place of the name, in any case, and of the secret.
WITH_PARAMETER = (
    "http://a.example/b?{}={}&c=1",
    "http://a.example/b?c=1&{}={}#d",
    "http://a.example/b#{}={}",
    "the URL <http://a.example/b?c=1;{}={}> is refused",
    "{}={} is not valid",
    '{{"{}": "{}", "status": 403}}',
    "{{'{}':'{}'}}",
)
WITH_HEADER = ("the header {}: {} is not valid", '{{"{}": "Bearer {}"}}', "{}=Basic {}; a=b")
WITH_LOGIN = (
    "http://council:{}@a.example/b",
    "ftp://{}@a.example/b",
    "no answer from (https://council:{}@a.example:8080/b)",
    "http://a.example/,http://council:{}@a.example/",
    "http://a.example/?url=http://council:{}@a.example/",
)
SECRETS = [
    *(form.format(name, MARK) for form in WITH_PARAMETER for name in PARAMETERS),
    *(form.format(name.upper(), MARK) for form in WITH_PARAMETER for name in PARAMETERS),
    *(form.format(name, MARK) for form in WITH_HEADER for name in HEADERS),
    *(form.format(MARK) for form in WITH_LOGIN),
]


def test_no_secret_stays_in_a_text() -> None:
    assert [text for text in SECRETS if MARK in hide_secrets(text)] == []
    urls = [text for text in SECRETS if text.startswith("http:") and "," not in text]
    assert [url for url in urls if MARK in safe_url(url)] == []


@pytest.mark.parametrize("text", SECRETS[:: len(PARAMETERS) - 1])
def test_server_cannot_repeat_a_secret_in_a_message_or_log(
    publisher: Publisher, http: HttpClient, caplog: pytest.LogCaptureFixture, text: str
) -> None:
    caplog.set_level(logging.DEBUG)
    query = f"/?sig={MARK}&apikey={MARK}"
    publisher.serve(query, f"This is refused: {text}", status=403)
    with pytest.raises(BadStatus) as caught:
        http.get(publisher.url(query))
    assert "refused" in caught.value.message
    assert "urllib3" in caplog.text
    assert MARK not in f"{caught.value!r} {caught.value.__cause__!r} {caught.value.url}"
    assert MARK not in caplog.text


@pytest.mark.parametrize(
    "text",
    [
        "resumptionToken=7 is not known",
        "the token: it has ended",
        "http://a.example/?page_token=7&nextToken=8",
        "primary keys (a=1), monkey=3, design=x, author=me, keyword=parks",
        "see http://a.example/b//c@d or mail data@council.example",
        "Authorization is needed, and a Cookie",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert hide_secrets(text) == text


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://a/?b=1", "http://a/?b=1"),
        ("http://a/?api_key=s3cret&b=1", "http://a/?api_key=…&b=1"),
        ("http://a/?b=1&X-Amz-Signature=s3cret#f", "http://a/?b=1&X-Amz-Signature=…#f"),
        ("http://a/?subscription-key=s3cret&Key=s3cret", "http://a/?subscription-key=…&Key=…"),
        (
            "http://a/?keyword=parks&author=me&design=x",
            "http://a/?keyword=parks&author=me&design=x",
        ),
        ("http://a/?resumptionToken=7&$skiptoken=8", "http://a/?resumptionToken=7&$skiptoken=8"),
        ("http://a/\r\nX: \x1b[1m\ud800", "http://a/\ufffd\ufffdX: \ufffd[1m\ufffd"),
        ("http://a/?access_token=s3cret;b=1", "http://a/?access_token=…;b=1"),
        ("http://me:s3cret@a/", "http://a/"),
        ("http://a/b//c@d", "http://a/b//c@d"),
        ("http://a/" + "x" * 400, "http://a/" + "x" * 290 + "…"),
    ],
)
def test_shown_addresses_are_short_and_hold_no_secret(url: str, expected: str) -> None:
    assert safe_url(url) == expected
    assert len(safe_url(url)) <= 300
