"""The files behind the demo's links are what their links say, and one breaks its schema."""

from __future__ import annotations

import io

import pytest
from demo import catalogue
from demo.publishers import SHOWCASE
from demo.serve import Stage

from ckanext.ukharvest.check_command import data_check
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.links.check import check_link
from tests.publisher import Publisher
from tests.publishing.files import SCHEMA_PATH


@pytest.mark.parametrize("server", ["data_json", "gemini-waf", "ods", SHOWCASE])
def test_each_format_of_a_file_is_the_one_of_its_link(
    server: str, publisher: Publisher, http: HttpClient
) -> None:
    stage = Stage(server, publisher)
    links = {each.format: each.url for record in stage.files for each in record.distributions}
    found = {form: check_link(url, http).format for form, url in links.items()}
    assert len(found) > 1
    assert found == {form: {"Turtle": "TTL"}.get(form, form) for form in found}


@pytest.mark.parametrize(
    ("name", "verdict"),
    [("bus-stops-dunsford", "Valid"), (catalogue.WRONG[0], "3 errors in 12 rows")],
)
def test_data_follow_their_schema_but_in_one_file(
    name: str, verdict: str, publisher: Publisher, monkeypatch: pytest.MonkeyPatch, http: HttpClient
) -> None:
    Stage("data_json", publisher)
    monkeypatch.setattr(data_check, "HttpClient", lambda *_args, **_more: http)
    out = io.StringIO()
    files = publisher.url(f"/files/{name}.csv"), publisher.url(SCHEMA_PATH)
    data_check.run(*files, as_json=False, out=out, err=out)
    assert verdict in out.getvalue().splitlines()[0]
