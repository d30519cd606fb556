"""Text, URLs, frequencies and languages as publishers write them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from ckanext.ukharvest.core.values.frequencies import frequency_label, parse_frequency
from ckanext.ukharvest.core.values.languages import parse_language, read_languages
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.values.web_addresses import is_web_url, parse_email, parse_url


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(None, "", id="none"),
        pytest.param("", "", id="empty"),
        pytest.param("  a  b\t", "a  b", id="stripped"),
        pytest.param("a\u00a0b\u00a0", "a b", id="no-break-space"),
        pytest.param("a\r\nb\rc\n\td", "a\nb\nc\n\td", id="line-ends"),
        pytest.param("a\x00b\x07\x1b\x7f\x81", "ab", id="controls"),
        pytest.param("Children\x92s \x96 \x805", "Children’s – €5", id="windows"),  # noqa: RUF001
        pytest.param("a\ud800b", "ab", id="half-surrogate"),
        pytest.param("\ufeffTitle", "Title", id="bom"),
        pytest.param("Cymraeg ŵ 🏴", "Cymraeg ŵ 🏴", id="unicode"),
        pytest.param(2019, "2019", id="int"),
        pytest.param(10**400, f"1{'0' * 400}", id="int-beyond-floats"),
        pytest.param(1.5, "1.5", id="float"),
        pytest.param(Decimal("1.50"), "1.50", id="decimal"),
        pytest.param(float("nan"), "", id="nan"),
        pytest.param(True, "true", id="true"),
        pytest.param(False, "false", id="false"),
        pytest.param(["a"], "", id="list"),
        pytest.param({"a": 1}, "", id="dict"),
        pytest.param(b"a", "", id="bytes"),
    ],
)
def test_clean_text(given: object, expected: str) -> None:
    assert clean_text(given) == expected


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


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param("R/P1Y", "R/P1Y", id="interval"),
        pytest.param("r/p1y", "R/P1Y", id="lower-case"),
        pytest.param("P1Y", "R/P1Y", id="duration"),
        pytest.param("R/P12M", "R/P1Y", id="twelve-months"),
        pytest.param("R/P7D", "R/P1W", id="seven-days"),
        pytest.param("R5/2019-01-01/P1M", "R/P1M", id="count-and-start"),
        pytest.param("R/P0,5M", "R/P0.5M", id="decimal-comma"),
        pytest.param("R/PT1H", "R/PT1H", id="hour"),
        pytest.param("R/P5M", "R/P5M", id="uncommon"),
        pytest.param("unknown", "", id="unknown"),
        pytest.param("http://purl.org/cld/freq/UNKNOWN", "", id="unknown-uri"),
    ],
)
def test_parse_frequency(given: str, expected: str) -> None:
    assert parse_frequency(given) == expected


@pytest.mark.parametrize("given", ["", "R/P", "P", "PT", "whenever", "2019", "R/2019-01-01", "1"])
def test_an_unknown_frequency_is_refused(given: str) -> None:
    with pytest.raises(ValueError, match="is no known frequency"):
        parse_frequency(given)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("R/P1Y", "Annually"),
        ("R/P5M", "Every 5 months"),
        ("irregular", "Irregular"),
        ("as it comes", "as it comes"),
    ],
)
def test_frequency_label(given: str, expected: str) -> None:
    assert frequency_label(given) == expected


def test_labels_with_a_number_share_a_translation() -> None:
    welsh = {"Every {n} months": "Bob {n} mis", "Annually": "Yn flynyddol"}
    labels = [frequency_label(code, lambda text: welsh[text]) for code in ("R/P6M", "R/P1Y")]
    assert labels == ["Bob 6 mis", "Yn flynyddol"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param("en", "en", id="two-letters"),
        pytest.param("EN-gb", "en-GB", id="region"),
        pytest.param("en_GB", "en-GB", id="underscore"),
        pytest.param("zh-hans-cn", "zh-Hans-CN", id="script"),
        pytest.param("eng", "en", id="three-letters"),
        pytest.param("wel", "cy", id="bibliographic"),
        pytest.param("sco", "sco", id="three-letters-only"),
        pytest.param("English", "en", id="name"),
        pytest.param("Cymraeg", "cy", id="own-name"),
        pytest.param(
            "http://publications.europa.eu/resource/authority/language/ENG", "en", id="eu"
        ),
        pytest.param("http://id.loc.gov/vocabulary/iso639-1/cy", "cy", id="loc"),
        pytest.param("http://lexvo.org/id/iso639-3/gla", "gd", id="lexvo"),
    ],
)
def test_parse_language(given: str, expected: str) -> None:
    assert parse_language(given) == expected


@pytest.mark.parametrize(
    ("given", "tags", "codes"),
    [
        ("UK English", ("en",), []),
        ("English (UK)", ("en",), []),
        ("English or Welsh", ("en", "cy"), []),
        ("Welsh/English; Scottish Gaelic", ("cy", "en", "gd"), []),
        ("en cy", ("en", "cy"), []),
        ("eng; USA", ("en",), []),
        ("not applicable", (), ["bad-language"]),
        ("x" * 2_000, (), ["bad-language"]),
    ],
)
def test_languages_in_words_are_read(given: str, tags: tuple[str, ...], codes: list[str]) -> None:
    reported: list[str] = []
    assert read_languages([given], lambda code, _words: reported.append(code)) == tags
    assert reported == codes


@pytest.mark.parametrize("given", ["", "zz", "en,cy", "Klingonian", "1", "e", "en-"])
def test_other_texts_are_no_language(given: str) -> None:
    with pytest.raises(ValueError, match="is not a language"):
        parse_language(given)
