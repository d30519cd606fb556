"""Every page at every width, to each role, with hostile texts, longer words and no scripts.

Each of our routes is looked at once (``READ``), so a new one needs no test here; ``states`` has the
pages that look different in other states. What pages say and do is tested beside their code.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from ckan.plugins import get_plugin
from playwright.sync_api import Page as Window

from ckanext.ukharvest.plugin import UkharvestPlugin
from tests.ckan import looks
from tests.ckan.access import Headers
from tests.ckan.browser import Visitor, as_sysadmin
from tests.ckan.harvesting import Portal
from tests.ckan.pages.states import STATES, State, harvested
from tests.ckan.people import member
from tests.ckan.routes import READ, Place, filled
from tests.publisher import Publisher

pytestmark = [pytest.mark.in_process, pytest.mark.timeout(900)]

# Routes whose answer is no page of ours: parts, records and pages of ckanext-harvest.
NO_PAGE = (
    "/state",
    "/harvest/admin/",
    "/harvestobject/",
    "harvest_object/",
    "-object/",
    "/object/",
)
LANGUAGE = "de"  # any that CKAN knows
POT = "ckanext-ukharvest.pot"


def test_each_route_in_a_browser(
    visitor: Visitor, busy_place: Place, people: dict[str, Headers]
) -> None:
    visitor.page.context.set_extra_http_headers(people["sysadmin"])
    pages = {}
    for route in READ:
        answer = visitor.page.request.get(filled(route, busy_place))
        is_page = answer.ok and "text/html" in answer.headers["content-type"]
        if is_page and not any(part in route for part in NO_PAGE):
            pages[route] = answer.url
    assert len(pages) > 30
    looks.check_all(visitor, "route", pages, is_own=False)


@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_pages_in_each_state(
    visitor: Visitor, portal: Portal, publisher: Publisher, state: State
) -> None:
    roles: dict[str, Any] = {"visitor": {}}
    roles["editor"] = member({"id": portal.organization_id}, name="ed")["headers"]
    as_sysadmin(visitor)
    defects = []
    for pages in state(portal, publisher):
        for name, page in pages.items():
            visitor.page.goto("about:blank")  # the page before may renew itself meanwhile
            if page.role in roles:
                visitor.page.context.set_extra_http_headers(roles[page.role])
            how = {"region": page.region, "is_own": page.is_own, "beside": page.beside}
            try:
                looks.check(visitor, f"{state.__name__}-{name}", page.url, **how)
                looks.assert_harmless(visitor.page)
            except AssertionError as exc:
                defects.append(str(exc))
            if page.role in roles:
                as_sysadmin(visitor)
    assert not defects, "\n".join(defects)


def test_pages_need_no_scripts(plain: Window, portal: Portal, publisher: Publisher) -> None:
    for pages in harvested(portal, publisher):
        for page in pages.values():
            answer = plain.goto(page.url)
            assert answer
            assert answer.status == 200, page.url
            assert not page.is_own or plain.locator("h1").first.is_visible(), page.url
            assert plain.locator(page.region).first.inner_text().strip(), page.url
            assert not plain.locator("form:not(:has([type=submit], button)):visible").count()


def longer(text: str) -> str:
    """Return the text with its gaps and tags, and two fifths more words."""
    wanted = max(round(len(text) * 0.4), 1)
    return f"{text} {'zusaetzlich ' * (wanted // 12 + 1)}"[: len(text) + wanted + 1].strip()


@pytest.fixture
def foreign(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ckan_config: Any) -> None:
    """Translate the portal into longer words; before ``site``, which makes the app."""
    with (Path(get_plugin("ukharvest").i18n_directory()) / POT).open("rb") as file:
        texts = read_po(file)
    made = Catalog(locale=LANGUAGE)
    for entry in texts:
        if isinstance(entry.id, tuple):
            made.add(entry.id, tuple(longer(entry.id[1]) for _ in range(made.num_plurals)))
        elif entry.id:
            made.add(entry.id, longer(entry.id))
    folder = tmp_path / LANGUAGE / "LC_MESSAGES"
    folder.mkdir(parents=True)
    with (folder / POT.replace(".pot", ".mo")).open("wb") as file:
        write_mo(file, made)
    monkeypatch.setattr(UkharvestPlugin, "i18n_directory", lambda _self: str(tmp_path))
    monkeypatch.setitem(ckan_config, "ckan.locales_offered", ["en", LANGUAGE])


@pytest.mark.giant
# A setting of its own, so that the test has an app of its own, which reads the translations.
@pytest.mark.ckan_config("ckan.locale_default", LANGUAGE)
def test_pages_hold_longer_words(
    foreign: None, manager: Visitor, portal: Portal, publisher: Publisher
) -> None:
    for pages in harvested(portal, publisher):
        own = {name: page for name, page in pages.items() if page.is_own}
        urls = {name: page.url for name, page in own.items() if page.role == "sysadmin"}
        looks.check_all(manager, "long", urls, is_own=False, is_layout=True, region="[role=main]")
    manager.page.goto("/harvest/parking/notifications")
    assert "zusae" in manager.page.locator("h1").inner_text()
