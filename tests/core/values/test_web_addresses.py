"""Web URLs and email addresses as publishers write them."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.values.web_addresses import is_web_url, parse_email, parse_url


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param("data@example.gov.uk", "data@example.gov.uk", id="plain"),
        pytest.param(" mailto:data@example.org ", "data@example.org", id="mailto"),
        pytest.param("MailTo:D.Ata@Example.org", "D.Ata@Example.org", id="any-case"),
        pytest.param("mailto:a@example.org?subject=x", "a@example.org", id="query"),
        pytest.param("mailto:a%2Bb@example.org", "a+b@example.org", id="encoded"),
        pytest.param("<a@example.org>", "a@example.org", id="brackets"),
        pytest.param("Data team <mailto:a@example.org>", "a@example.org", id="name"),
        pytest.param("o'neil_x@sub.example.co.uk", "o'neil_x@sub.example.co.uk", id="apostrophe"),
    ],
)
def test_parse_email(given: str, expected: str) -> None:
    assert parse_email(given) == expected


@pytest.mark.parametrize(
    "given",
    ["", "n/a", "data", "a@b", "@example.org", "a@", "a b@example.org", "a@example..org"]
    + ["a@b.org; c", "a@@example.org", ".a@example.org", "a@-x.org", "http://example.org/"]
    + ["mailto:a%00b@example.org", "mailto:a%1bb@example.org", "a\x9bb@example.org"],
)
def test_wrong_email_is_refused(given: str) -> None:
    with pytest.raises(ValueError, match="is not an email address"):
        parse_email(given)


WEB = [
    "http://example.org",
    "HTTPS://example.org/a?b=c&d[]=e#f",
    "ftp://files.example.org/x.csv",
    "http://example.org:8080/",
    "http://[2001:db8::1]/x",
    "http://192.0.2.1/x",
    "http://user:secret@example.org/",
    "http://münchen.example/ü",
    "http://under_score.example.org/",
    "https://example.org/a|b/{id}",
    "http://localhost/x",
]
NOT_WEB = [
    "",
    "n/a",
    "example.org",
    "www.example.org",
    "//example.org/",
    "/data.csv",
    "http://",
    "https:///path",
    "http:example.org",
    "http://Two Words",
    "http://example.org/a b",
    "http://example.org/\n",
    "http://example.org/a\x00",
    "http://http://example.org/",
    "http://example.org:99999/",
    "http://example.org:abc/",
    "http://[::1",
    "http://.example.org/",
    "http://example..org/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "mailto:a@example.org",
    "data:text/csv,a",
    'http://example.org/"onclick=',
    "http://example.org/<script>",
    "http://example.org\\@evil.example/",
]


@pytest.mark.parametrize("given", WEB)
def test_web_urls_are_kept_as_they_are(given: str) -> None:
    assert is_web_url(given)
    assert parse_url(f" {given}\n") == given


@pytest.mark.parametrize("given", NOT_WEB)
def test_other_addresses_are_no_web_urls(given: str) -> None:
    assert not is_web_url(given)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param("http://example.org/a b.csv", "http://example.org/a%20b.csv", id="path"),
        pytest.param("http://example.org/?q=a b c", "http://example.org/?q=a%20b%20c", id="query"),
    ],
)
def test_spaces_in_a_url_are_encoded(given: str, expected: str) -> None:
    assert parse_url(given) == expected


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        pytest.param(
            "www.example.org/x", "no scheme; expected https://www.example.org/x", id="www"
        ),
        pytest.param("//example.org/x", "no scheme; expected https://example.org/x", id="relative"),
        pytest.param("http://Two Words", "has a blank", id="blank-in-host"),
        pytest.param("http://a.org/x\thttp://b.org/", "has 2 web addresses", id="two-urls"),
        pytest.param("see our website", "is not a web address", id="prose"),
        pytest.param("file:///etc/passwd", "is not a web address", id="file"),
        pytest.param("", "is not a web address", id="empty"),
    ],
)
def test_a_refused_url_says_what_was_expected(given: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_url(given)
