"""A source type of another distribution on a portal: form, help, API, preview, run; left out."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ckan.plugins as p
import pytest
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from lxml import html

from ckanext.ukharvest import config
from ckanext.ukharvest.doctor import services
from ckanext.ukharvest.source_types import TYPES
from tests.ckan.harvesting import Portal, act, figures
from tests.ckan.previews.previewing import work
from tests.publisher import Publisher
from tests.source_types.distributions import install

pytestmark = pytest.mark.in_process

MORE = """
    "group": "files",
    "url_hint": "The URL of the list of fords.",
    "url_example": "https://fords.example/list.json",
    "docs_url": "https://fords.example/page",
    "options": (
        Option("paging", "text", "none", "Which.", choices=("none", "auto"), label="Way <b>"),
        Option("depth", "integer", 3, "How deep a ford may be.", label="Deepest ford"),
    ),
"""
LIST = {"fords": [{"identifier": "1", "title": "Mill Ford", "description": "A ford."}]}


@pytest.fixture
def others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Install a distribution with the type fords, and load its plugin."""
    monkeypatch.syspath_prepend(str(tmp_path))
    loaded: list[str] = []

    def load(**more: Any) -> None:
        install(tmp_path, "other-fords", plugin=True, **more)
        TYPES.reload()
        p.load("ukharvest_fords")
        loaded.append("ukharvest_fords")

    yield load
    p.unload(*loaded)
    for name in ("other_fords", "other_fords_plugin"):
        sys.modules.pop(name, None)
    monkeypatch.undo()
    TYPES.reload()


def page(app: CKANTestApp, user: dict[str, Any], path: str) -> Any:
    return html.fromstring(app.get(path, headers={"Authorization": user["token"]}).body)


def test_the_form_has_its_options_and_links_to_its_page(
    others: Callable[..., None], app: CKANTestApp, sysadmin: dict[str, Any]
) -> None:
    others(more=MORE)
    form = page(app, sysadmin, "/harvest/new")
    (chosen,) = form.xpath("//input[@name='source_type'][@value='fords']")
    assert chosen.get("data-ours") == "true"
    assert chosen.get("data-hint") == "The URL of the list of fords."
    assert chosen.get("data-example") == "https://fords.example/list.json"
    assert form.xpath("//p[@id='line-fords']/a/@href") == ["https://fords.example/page"]
    (options,) = form.xpath("//details[@data-options-of='fords']")
    assert "Way <b>" in options.text_content()  # escaped
    assert "How deep a ford may be." in options.text_content()
    ways = options.xpath(".//select[@name='option_fords_paging']/option/@value")
    assert ways == ["none", "auto"]
    assert options.xpath(".//input[@name='option_fords_depth']/@value") == ["3"]


def test_the_form_saves_its_options_and_refuses_wrong_ones(
    others: Callable[..., None], app: CKANTestApp, organization: dict[str, str],
    sysadmin: dict[str, Any],
) -> None:  # fmt: skip
    others(more=MORE)
    sent = {
        "source_type": "fords", "url": "https://fords.example/a.json", "title": "Fords",
        "owner_org": organization["id"], "frequency": "MANUAL", "options_of": ["fords"],
        "option_fords_depth": "many", "option_fords_paging": "auto", "save": "only",
    }  # fmt: skip
    headers = {"Authorization": sysadmin["token"]}
    answer = app.post("/harvest/new", data=sent, headers=headers, follow_redirects=False)
    errors = html.fromstring(answer.body).xpath("//*[@id='form-errors']//a/@href")
    assert errors == ["#field-option_fords_depth"]
    sent["option_fords_depth"] = "7"
    app.post("/harvest/new", data=sent, headers=headers, follow_redirects=False)
    (source,) = act("harvest_source_list")
    assert json.loads(source["config"]) == {"depth": 7, "paging": "auto"}


def test_help_and_api_name_it(others: Callable[..., None], app: CKANTestApp) -> None:
    others(more=MORE)
    text = html.fromstring(app.get("/harvest/help").body)
    assert "https://fords.example/page" in text.xpath("//dd/a/@href")
    (row,) = [row for row in call_action("ukharvest_type_list") if row["name"] == "fords"]
    assert row["enabled"]
    assert row["docs_url"] == "https://fords.example/page"
    options = {option["name"]: option for option in row["options"]}
    assert (options["depth"]["label"], options["depth"]["default"]) == ("Deepest ford", 3)


def test_its_sources_are_harvested(
    others: Callable[..., None], portal: Portal, publisher: Publisher
) -> None:
    others()
    publisher.serve("/list.json", LIST)
    source = portal.source(publisher.url("/list.json"), "fords")
    assert figures(portal.run(source)) == {"added": 1}
    assert figures(portal.run(source)) == {"not modified": 1}
    publisher.serve("/list.json", {"fords": []})
    portal.run(source)
    portal.run(source)
    assert [each["title"] for each in portal.datasets()] == ["Mill Ford"]
    assert list(services.source_types()) == []
    config.check_plugins()


FOUND = """
    "recognise": lambda head: b'"fords"' in head,
    "usual_urls": ("/fords.json?all=1",),
    "options": (
        Option("include_non_public", "boolean", False, "Whether.", label="Closed fords too"),
    ),
"""
CLOSED = {"identifier": "2", "title": "Old Ford", "accessLevel": "non-public"}


def text_of(answer: Any) -> str:
    """Return a page's text with single spaces."""
    return " ".join(html.fromstring(answer.body).text_content().split())


def test_a_test_of_its_source_uses_the_options_of_the_form(
    others: Callable[..., None], app: CKANTestApp, publisher: Publisher, editor: dict[str, Any]
) -> None:
    others(more=FOUND)
    publisher.serve("/fords.json", {"fords": [*LIST["fords"], CLOSED]})
    headers = {"Authorization": editor["token"]}
    sent = {
        "source_type": "fords", "url": publisher.url("/fords.json"), "options_of": "fords",
        "test": "new",
    }  # fmt: skip

    def test(**more: str) -> tuple[str, str]:
        started = app.post("/harvest/test", data={**sent, **more}, headers=headers)
        work()
        shown = app.get(started.request.path, headers=headers)
        form = app.get(f"{started.request.path}/add", headers=headers)
        return text_of(shown), form.body

    text, _ = test()
    assert "of 2 records in" in text
    assert "Mill Ford" in text
    assert "accessLevel is non-public" in text
    text, form = test(option_fords_include_non_public="true")
    assert "Old Ford" in text
    assert "accessLevel is non-public" not in text
    (box,) = html.fromstring(form).xpath("//*[@name='option_fords_include_non_public']")
    assert box.get("checked") is not None


def test_it_is_found_from_an_address_alone(
    others: Callable[..., None], app: CKANTestApp, publisher: Publisher, editor: dict[str, Any]
) -> None:
    others(more=FOUND)
    publisher.serve("/", "<!doctype html><title>Fords of the county</title>")
    publisher.serve("/fords.json?all=1", LIST)
    publisher.serve("/mine.json", LIST)
    headers = {"Authorization": editor["token"]}
    for path, url in (("/some/page", "/fords.json?all=1"), ("/mine.json", "/mine.json")):
        sent = {"url": publisher.url(path)}
        started = app.post("/harvest/add", data=sent, headers=headers)
        work()
        found = app.get(started.request.path, headers=headers)
        assert "Fords: This works" in text_of(found)
        shown = app.get(f"{started.request.path}/add", headers=headers)
        form = html.fromstring(shown.body)
        assert form.xpath("//input[@name='source_type'][@checked]/@value") == ["fords"]
        assert form.xpath("//input[@name='url']/@value") == [publisher.url(url)]
        (options,) = form.xpath("//details[@data-options-of='fords']")
        assert "Closed fords too" in options.text_content()


def test_one_left_out_does_not_stop_the_portal(
    others: Callable[..., None], app: CKANTestApp, sysadmin: dict[str, Any]
) -> None:
    others(code="import no_such_library")  # its plugin loads all the same
    [finding] = services.source_types()
    assert finding.level == "error"
    assert "other-fords 1.0 is left out" in finding.message
    assert "uninstall" in finding.what_to_do
    form = page(app, sysadmin, "/harvest/new")
    assert not form.xpath("//input[@value='fords']")
    assert "No module named 'no_such_library'" in form.text_content()
    editor = factories.UserWithToken()
    factories.Organization(user=editor)
    assert "no_such_library" not in page(app, editor, "/harvest/new").text_content()


def test_sources_of_one_left_out_keep_their_datasets(
    others: Callable[..., None], portal: Portal, publisher: Publisher, tmp_path: Path
) -> None:
    others()
    publisher.serve("/list.json", LIST)
    source = portal.source(publisher.url("/list.json"), "fords")
    portal.run(source)
    p.unload("ukharvest_fords")
    (tmp_path / "other_fords.py").write_text("import no_such_library")
    for name in ("other_fords", "other_fords_plugin"):
        sys.modules.pop(name)
    TYPES.reload()
    p.load("ukharvest_fords")
    for _ in range(3):
        job = portal.run(source)
        assert figures(job) == {"errored": 1}
        assert "other-fords 1.0 is left out" in job["gather_error_summary"][0]["message"]
    assert len(portal.datasets()) == 1
