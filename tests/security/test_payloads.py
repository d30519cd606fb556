"""The checks of the hostile texts find them when nothing is escaped; terminals stay as they are."""

from __future__ import annotations

import io
import unicodedata
from unittest.mock import patch

import pytest

from ckanext.ukharvest.check_command import command
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.source_types import TYPES
from tests.security.hostile import CASES, hostile_publisher
from tests.security.markup import live_parts
from tests.security.payloads import MARKUP, URLS

QUIET = {"entity", "template", "Markdown", "Markdown with a title"}  # another program wakes them


@pytest.mark.parametrize("name", sorted(MARKUP.keys() - QUIET))
def test_unescaped_markup_is_found(name: str) -> None:
    text = MARKUP[name]
    places = (f"<p>{text}</p>", f'<p title="{text}">', f"<p title='{text}'>")
    scripts = f"<script>var a = '{text}'</script>", f"<textarea>{text}</textarea>"
    assert any(live_parts(each) for each in (*places, *scripts))


@pytest.mark.parametrize("url", [url for name, url in URLS.items() if name != "user"])
def test_unescaped_urls_are_found(url: str) -> None:
    assert live_parts(f'<a href="{url}">') or live_parts(f"<a href='{url}'>")


def test_an_evaluated_template_is_found() -> None:
    assert live_parts("<p>6687273883</p>")
    assert not live_parts("<p>&lt;x-live&gt; {{ 73331 * 91193 }} javascript:hurt()</p>")


def test_every_source_type_has_a_hostile_publisher() -> None:
    assert set(CASES) == set(TYPES)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("form", ["text", "json"])
def test_check_prints_no_control_characters_of_a_record(
    name: str, form: str, http: HttpClient
) -> None:
    """``ukharvest check`` prints titles, URLs and messages without control characters."""
    publisher, path, given, poison = hostile_publisher(name)
    out, err = io.StringIO(), io.StringIO()
    options = [
        f"{key}={';'.join(value) if isinstance(value, list) else value}"
        for key, value in given.items()
    ]
    client = patch.object(command, "HttpClient", lambda *_args, **_more: http)
    with publisher, client:
        command.run(
            name,
            publisher.url(path),
            options,
            as_json=form == "json",
            with_records=True,
            out=out,
            err=err,
        )
    assert poison.places > 5
    printed = out.getvalue() + err.getvalue()
    assert "hurt" in printed
    signs = {sign for sign in printed if unicodedata.category(sign) in ("Cc", "Cf")}
    assert signs <= ({"\n"} if form == "text" else {"\n", "\u202c", "\u202e"})  # JSON is data
    assert not [line for line in printed.splitlines() if line.startswith("2026-01-01")]
