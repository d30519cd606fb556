"""Pages in a language whose words are two fifths longer than English."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from ckan import model
from ckan.plugins import get_plugin

from ckanext.ukharvest.harvest.model import Record
from ckanext.ukharvest.notifications import mails
from ckanext.ukharvest.plugin import UkharvestPlugin
from tests.ckan import looks
from tests.ckan.browser import Visitor
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.faulty_runs import faulty
from tests.ckan.harvesting import Portal, act
from tests.ckan.previews.previewing import work
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

LANGUAGE = "de"  # any that CKAN knows
PATH = "/data.json"
Session = model.Session
POT = "ckanext-ukharvest.pot"


def longer(text: str) -> str:
    """Return the text with its gaps and tags, and two fifths more words."""
    wanted = max(round(len(text) * 0.4), 1)
    return f"{text} {'zusaetzlich ' * (wanted // 12 + 1)}"[: len(text) + wanted + 1].strip()


@pytest.fixture
def foreign(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ckan_config: Any) -> None:
    """Translate the portal; before ``site``, which makes the app."""
    source = Path(get_plugin("ukharvest").i18n_directory()) / POT
    with source.open("rb") as file:
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
    publisher.serve(PATH, catalogue(faulty()))
    source = portal.source(publisher.url(PATH), name="somewhere")
    first = portal.run(source)["id"]
    publisher.serve(PATH, catalogue([dataset(0, title="New"), dataset(9)]))
    portal.run(source)
    portal.run(source)
    act("ukharvest_source_preview_create", source_id=source)
    work()
    act("ukharvest_mail_update", source_id=source, addresses=["a@b.test"])
    record = Session.query(Record.id).filter_by(missed_runs=0).first()[0]
    name = portal.datasets()[-1]["name"]
    page = "/harvest/somewhere"
    pages = {
        "source": page,
        "run": f"{page}/job/{first}",
        "runs": f"{page}/job",
        "problems": f"{page}/problems",
        "deletions": f"{page}/deletions",
        "record": f"{page}/record/{record}",
        "check": f"{page}/check",
        "notifications": f"{page}/notifications",
        "unsubscribe": f"/harvest/unsubscribe/{mails.token('a@b.test', source)}",
        "switch-off": f"{page}/switch-off",
        "dataset": f"/dataset/{name}",
        "changes": f"/dataset/{name}/harvest-changes",
        "new": "/harvest/new",
        "list": "/harvest",
        "dashboard": "/ckan-admin/ukharvest",
        "stars": "/harvest/stars",
        "help": "/harvest/help",
    }
    looks.check_all(manager, "long", pages, is_layout=True)
    manager.page.goto(f"{page}/notifications")
    assert re.fullmatch("Notifications zusae.*", manager.page.locator("h1").inner_text())
