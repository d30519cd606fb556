"""Every hostile text in every place of every format, harvested, and then looked at everywhere.

Pages, feeds, CSV files, emails, metrics and logs: nothing of a text may become live.
"""

from __future__ import annotations

import csv
import io
import logging
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp

from ckanext.ukharvest.harvest.model import Record
from tests.ckan.browser import Visitor
from tests.ckan.harvesting import Portal, act
from tests.security.hostile import CASES, hostile_publisher
from tests.security.markup import live_parts
from tests.security.payloads import FORMULAS, LINES, MARKUP

pytestmark = [
    pytest.mark.in_process,
    pytest.mark.ckan_config("ckanext.ukharvest.http.retries", "0"),
    pytest.mark.ckan_config("ckanext.ukharvest.metrics.token", "known"),
]
Session = model.Session
TITLE = MARKUP["element"] + MARKUP["double quotes"] + MARKUP["template"] + LINES["terminal"]
COMMANDS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # controls, as terminals obey them
MOST = 2  # datasets and records of a source whose pages are looked at


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Iterator[list[str]]:
    """Messages of our own loggers and of ckanext-harvest's, without tracebacks."""
    found: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(record.getMessage())

    handler = Keep()
    loggers = [logging.getLogger(f"ckanext.{name}") for name in ("ukharvest", "harvest")]
    for each in loggers:
        each.addHandler(handler)
    yield found
    for each in loggers:
        each.removeHandler(handler)


@pytest.fixture(params=CASES)
def harvested(request: pytest.FixtureRequest, portal: Portal, lines: list[str]) -> str:
    """A source whose every text is hostile, after two runs; its name."""
    publisher, path, options, poison = hostile_publisher(request.param)
    with publisher:
        source = portal.source(publisher.url(path), request.param, config=options)
        job = portal.run(source)
        assert portal.datasets(), job["object_error_summary"]
        portal.run(source, force=True)
    Session.query(model.Package).filter_by(id=source).update({"title": TITLE, "notes": TITLE})
    Session.commit()
    assert poison.places > 5
    return Session.get(model.Package, source).name


def addresses(name: str) -> list[str]:
    """Return the paths of all pages, ours and those of CKAN's that we extend."""
    source = f"/harvest/{name}"
    source_id = model.Package.get(name).id
    run = act("ukharvest_run_list", source=source_id)["results"][0]["id"]
    records = [row[0] for row in Session.query(Record.id).limit(MOST)]
    packages = Session.query(model.Package).filter_by(type="dataset", state="active").limit(MOST)
    found = [
        source,
        f"/harvest/about/{name}",
        f"{source}/datasets",
        f"{source}/job",
        f"{source}/job/{run}",
        f"{source}/problems",
        f"{source}/deletions",
        f"{source}/notifications",
        f"{source}/check",
        f"/harvest/edit/{name}",
        f"/harvest/refresh/{name}",
        f"/harvest/delete/{name}?clear=True",
        "/harvest/",
        "/harvest/stars",
        "/ckan-admin/ukharvest",
        "/dataset/",
        "/organization/somewhere-council",
        *(f"{source}/record/{each}" for each in records),
    ]
    for package in packages:
        page = f"/dataset/{package.name}"
        files = [f"{page}/resource/{each.id}" for each in package.resources[:MOST]]
        more = f"{page}/harvest-changes", f"{page}/source-record", f"/dataset/edit/{package.name}"
        found += [page, *files, *more]
    return found


def test_nothing_becomes_live(
    app: CKANTestApp, harvested: str, lines: list[str], sysadmin: dict[str, str]
) -> None:
    wrong = []
    seen = 0
    for address in addresses(harvested):
        answer = app.get(address, headers=sysadmin)
        assert answer.status_code == 200, address
        wrong += [f"{address}: {each}" for each in live_parts(answer.body)]
        seen += "hurt" in answer.body
    assert not wrong, "\n".join(wrong)
    assert seen > 5
    assert_files(app, harvested, sysadmin)
    forged = [each for each in lines if re.search(r"[\r\n\x1b\x9b]", each)]
    assert not forged, forged
    assert not [each for each in texts_of_datasets() if COMMANDS.search(each)]


def texts_of_datasets() -> list[str]:
    """Return titles, descriptions, tags and extras of all datasets and their resources."""
    found = Session.query(model.Package).filter_by(type="dataset")
    return [
        str(text or "")
        for package in found
        for text in (
            *(package.title, package.notes, *package.extras.values()),
            *(tag.name for tag in package.get_tags()),
            *(each for file in package.resources for each in (file.name, file.description)),
        )
    ]


def assert_files(app: CKANTestApp, name: str, sysadmin: dict[str, str]) -> None:
    for path in (f"/harvest/{name}/problems.csv", "/harvest/stars.csv", "/harvest/sources.csv"):
        answer = app.get(path, headers=sysadmin)
        assert re.fullmatch(
            r'attachment; filename="[\w-]+\.csv"', answer.headers["Content-Disposition"]
        )
        cells = [cell for row in csv.reader(io.StringIO(answer.body, "")) for cell in row]
        assert not [
            cell for cell in cells if cell.startswith(tuple({each[0] for each in FORMULAS}))
        ]
        assert not [cell for cell in cells if COMMANDS.search(cell)], path
    metrics = app.get("/ukharvest/metrics?token=known", headers=sysadmin).body
    sample = r'(# (HELP|TYPE) .*|\w+(\{(\w+="([^"\\\n]|\\.)*",?)+\})? \S+)'
    assert [each for each in metrics.splitlines() if not re.fullmatch(sample, each)] == []


@pytest.fixture
def sysadmin() -> dict[str, str]:
    return {"Authorization": factories.SysadminWithToken()["token"]}


_WAKE = "window.hurts = 0; window.hurt = () => { window.hurts += 1; };"
_LIVE = """() => {
    const names = ['href', 'src', 'action', 'formaction', 'xlink:href'];
    const runs = (each) => names.map((name) => each.getAttribute(name) || '')
        .some((url) => !/^javascript:void\\(0\\);?$/.test(url)
            && /^(javascript:|vbscript:|data:text|file:)/i.test(url.replace(/[\\0- ]/g, '')));
    const handles = (each) => [...each.attributes]
        .some((one) => one.name.startsWith('on') && one.value.includes('hurt'));
    const found = [...document.querySelectorAll('*')].filter((each) =>
        each.localName === 'x-live' || each.hasAttribute('x-live') || runs(each) || handles(each));
    return [window.hurts, found.map((each) => each.outerHTML.slice(0, 150))];
}"""


# Their pages are the same, and test_nothing_becomes_live has those of each format.
BROWSED = ("data_json", pytest.param("gemini-waf", marks=pytest.mark.giant))


@pytest.mark.parametrize("harvested", BROWSED, indirect=True)
def test_a_browser_runs_nothing_of_it(manager: Visitor, harvested: str) -> None:
    """The pages as Chromium builds them, with what our scripts and CKAN's add to them."""
    page = manager.page
    page.context.add_init_script(_WAKE)
    page.goto("/about")
    page.set_content(f"<script>{_WAKE}</script>{MARKUP['element']}<a href='javascript:hurt()'>")
    page.wait_for_function("() => window.hurts > 0")
    assert len(page.evaluate(_LIVE)[1]) == 3  # it finds what is not escaped
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
    manager.hosts.clear()
    for address in addresses(harvested):
        page.goto(address)
        page.mouse.move(300, 300)
        page.mouse.move(600, 500)
        hurts, live = page.evaluate(_LIVE)
        # The page of a record as it came forbids every script, that of this test too.
        assert (hurts or 0, live) == (0, []), address
        own = urlsplit(page.url).netloc
        assert manager.hosts <= {own, ""}, address
