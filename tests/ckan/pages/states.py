"""States in which pages differ, and the pages to look at in each: rows of ``test_pages.py``.

A state is a generator: it makes and changes sources, and yields name → page whenever there is
something to look at. Titles are hostile texts wherever a publisher or a person can enter one.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ckan import model
from ckan.plugins import toolkit as tk
from ckan.tests import factories
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestSource

from ckanext.ukharvest.core.link_states import Layer, LinkResult
from ckanext.ukharvest.harvest.gather.previews import SourcePreview
from ckanext.ukharvest.harvest.model import JobReport, Record, utcnow
from ckanext.ukharvest.harvest.records import links as link_results
from ckanext.ukharvest.harvest.records import pending
from ckanext.ukharvest.harvest.records.pending import SourceRequest
from ckanext.ukharvest.notifications import mails
from ckanext.ukharvest.previews import jobs as preview_jobs
from tests.ckan import looks
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.gemini_records import dataset as gemini
from tests.ckan.harvesting import Portal, act, end_runs
from tests.publisher import Publisher, recorded

PATH = "/data.json"
SOURCE = "/harvest/parking"
DASHBOARD = "/ckan-admin/ukharvest"
HOSTILE = [dataset(n, title=text, description=text) for n, text in enumerate(looks.HOSTILE, 20)]
FAULTY = [
    dataset(30, contactPoint={"fn": "Data team", "hasEmail": "mailto:nobody at all"}),
    dataset(31, title="", modified="last year"),
    dataset(30, title="Copied from number 30"),
]
MAPS = {
    "box": {"type": "Polygon", "coordinates": [[[-9, 54], [0, 54], [0, 61], [-9, 61], [-9, 54]]]},
    "point": {"type": "Point", "coordinates": [-1.26, 51.75]},
    "several": {"type": "MultiPoint", "coordinates": [[1, 51], [-3, 53], [-4, 57]]},
    "date-line": {"type": "MultiPoint", "coordinates": [[177, -18], [-178, -17]]},
    "world": {
        "type": "Polygon",
        "coordinates": [[[-180, -90], [180, -90], [180, 90], [-180, 90], [-180, -90]]],
    },
}
Session = model.Session


class Page(NamedTuple):
    """One page of a state.

    Attributes:
        role: who looks: "sysadmin", "editor" of the organisation, or "visitor".
        region: selector of our part.
        is_own: the page is ours, not one of CKAN's with a part of ours.
        beside: a page that this one may not be wider than.
    """

    url: str
    role: str = "sysadmin"
    region: str = looks.OURS
    is_own: bool = True
    beside: str = looks.STOCK


Pages = dict[str, Page]
State = Callable[[Portal, Publisher], Iterator[Pages]]


def make(portal: Portal, publisher: Publisher, datasets: Any) -> str:
    """Make the source that the states are about."""
    publisher.serve(PATH, catalogue(datasets))
    return portal.source(publisher.url(PATH), name="parking", frequency="DAILY")


def serve_and_run(portal: Portal, publisher: Publisher, source: str, datasets: Any) -> str:
    publisher.serve(PATH, catalogue(datasets))
    return str(portal.run(source)["id"])


def empty(portal: Portal, publisher: Publisher) -> Iterator[Pages]:
    """A portal without sources, a source without runs, and a run that has not begun."""
    yield {
        "add": Page("/harvest/add"),
        "new": Page("/harvest/new"),
        "new-csw": Page("/harvest/new?source_type=gemini-csw&url=https://maps.example/csw"),
        "check": Page("/harvest/check"),
        "list": Page("/harvest/?q=zzzz&health=failing"),
        "stars": Page("/harvest/stars"),
        "dashboard": Page(DASHBOARD),
    }
    source = make(portal, publisher, 3)
    act("harvest_source_patch", id=source, config='{"default_tags": ["maps"]}')
    yield {
        "source": Page(SOURCE),
        "source-edit": Page("/harvest/edit/parking"),
        "source-check": Page(f"{SOURCE}/check", region=".primary .ukharvest"),
        "notifications": Page(f"{SOURCE}/notifications"),
        "values": Page(f"{SOURCE}/values"),
        "runs": Page(f"{SOURCE}/job"),
    }
    run = act("harvest_job_create", source_id=source, run=False)["id"]
    yield {"source-queued": Page(SOURCE), "run-queued": Page(f"{SOURCE}/job/{run}")}
    Session.query(HarvestJob).update({"status": "Finished", "finished": utcnow()})
    Session.commit()
    yield {
        "run-empty": Page(f"{SOURCE}/job/{run}"),
        "run-filter": Page(f"{SOURCE}/job/{run}?outcome=lost"),
        "datasets": Page(f"{SOURCE}/datasets"),
        "problems": Page(f"{SOURCE}/problems"),
        "deletions": Page(f"{SOURCE}/deletions"),
        "public": Page(SOURCE, role="visitor"),
        "list-of-editor": Page("/harvest/", role="editor"),
    }


def harvested(portal: Portal, publisher: Publisher) -> Iterator[Pages]:
    """Runs with changes, problems, failed records and hostile texts."""
    source = make(portal, publisher, [*map(dataset, range(4)), *HOSTILE])
    portal.run(source)
    long = "Car parks of the city, with their places and opening hours. " * 10
    changed = dataset(1, title="Parking spaces", description=long, modified="10/03")
    records = [dataset(0), changed, dataset(2, title=""), dataset(3), *HOSTILE, *FAULTY]
    run = serve_and_run(portal, publisher, source, records)
    act("harvest_source_patch", id=source, title=looks.HOSTILE[2], notes=looks.HOSTILE[2])
    person = factories.User(fullname=looks.HOSTILE[0], image_url="")["name"]
    role = {"id": portal.organization_id, "username": person, "role": "editor"}
    act("organization_member_create", **role)
    act("ukharvest_mail_update", source_id=source, people=[person], addresses=["a@b.test"])
    act("ukharvest_notice_update", text=f"No runs on Sunday:\n{looks.HOSTILE[3]}")
    names = {each["title"]: each["name"] for each in portal.datasets()}
    failed = Session.query(Record.id).filter_by(outcome="errored").first()[0]
    faulty = Session.query(Record.id).filter_by(guid=changed["identifier"]).one()[0]
    yield {
        "source": Page(SOURCE),
        "source-of-editor": Page(SOURCE, role="editor"),
        "source-public": Page(SOURCE, role="visitor"),
        "runs": Page(f"{SOURCE}/job"),
        "run": Page(f"{SOURCE}/job/{run}"),
        "run-code": Page(f"{SOURCE}/job/{run}?code=bad-date"),
        "problems": Page(f"{SOURCE}/problems"),
        "datasets": Page(f"{SOURCE}/datasets"),
        "record-failed": Page(f"{SOURCE}/record/{failed}"),
        "record-with-problems": Page(f"{SOURCE}/record/{faulty}"),
        "dataset": Page(f"/dataset/{names['Parking spaces']}", is_own=False),
        "dataset-edit": Page(f"/dataset/edit/{names['Parking spaces']}", is_own=False),
        "changes": Page(f"/dataset/{names['Parking spaces']}/harvest-changes"),
        "no-changes": Page(f"/dataset/{names['Dataset 00000']}/harvest-changes"),
        "notifications": Page(f"{SOURCE}/notifications"),
        "values": Page(f"{SOURCE}/values"),
        "unsubscribe": Page(f"/harvest/unsubscribe/{mails.token('a@b.test', source)}"),
        "list": Page("/harvest/?q=e&type=data_json"),
        "list-public": Page("/harvest/", role="visitor"),
        "stars": Page("/harvest/stars?organization=somewhere-council"),
        "dashboard": Page(DASHBOARD),
        "diagnostics": Page(f"{DASHBOARD}/diagnostics"),
        "values-of-portal": Page(f"{DASHBOARD}/values"),
        "clear": Page("/harvest/clear/parking"),
        "help": Page("/harvest/help"),
    }


def waiting(portal: Portal, publisher: Publisher) -> Iterator[Pages]:
    """Deletions, and then new identifiers, that wait for a decision."""
    source = make(portal, publisher, [*map(dataset, range(4)), *HOSTILE])
    portal.run(source)
    for _ in range(2):
        run = serve_and_run(portal, publisher, source, [dataset(0)])
    seen = act("ukharvest_pending_list", source_id=source)["version"]
    deletions = f"{SOURCE}/deletions"
    yield {
        "source": Page(SOURCE),
        "run": Page(f"{SOURCE}/job/{run}"),
        "deletions": Page(deletions),
        "deletions-of-editor": Page(deletions, role="editor"),
        "delete": Page(f"{deletions}/delete?version={seen}"),
    }
    act("ukharvest_pending_decide", source_id=source, decision="keep")
    yield {"kept": Page(deletions)}
    publisher.serve("/renamed.json", catalogue([dataset(n) for n in range(40, 44)]))
    renamed = portal.source(publisher.url("/renamed.json"), name="renamed")
    portal.run(renamed)
    new = [dataset(n, identifier=f"https://data.example/id/new-{n}") for n in range(40, 44)]
    publisher.serve("/renamed.json", catalogue(new))
    portal.run(renamed)
    page = "/harvest/renamed"
    yield {"renamed": Page(page), "identifiers": Page(f"{page}/identifiers")}
    act("ukharvest_pending_decide", source_id=renamed, decision="same")
    yield {"identifiers-decided": Page(f"{page}/identifiers")}


def asking(portal: Portal, publisher: Publisher) -> Iterator[Pages]:
    """A new source that waits for a sysadmin, and a change of one that was refused."""
    source = make(portal, publisher, 3)
    page, url = f"{SOURCE}/approval", publisher.url(PATH)
    setting, options = "ckanext.ukharvest.approval", '{"default_tags": ["maps"]}'
    tk.config[setting] = "true"
    try:
        pending.save_request(source, SourceRequest(url, "data_json", options, "anna", is_new=True))
        Session.commit()
        yield {
            "source": Page(SOURCE),
            "approval": Page(page),
            "new-of-editor": Page("/harvest/new", role="editor"),
            "to-do": Page("/harvest/to-do"),
        }
        moved = SourceRequest(
            f"{url}?{'x' * 300}", "data_json", "", "anna", refused=looks.HOSTILE[2]
        )
        pending.save_request(source, moved)
        Session.commit()
        yield {
            "refused": Page(page, role="editor"),
            "source-of-editor": Page(SOURCE, role="editor"),
            "to-do-of-editor": Page("/harvest/to-do", role="editor"),
        }
    finally:
        tk.config[setting] = "false"


def missing(portal: Portal, publisher: Publisher) -> Iterator[Pages]:
    """Sources that list few records or none any more, and their datasets."""
    source = make(portal, publisher, 12)
    portal.run(source)
    run = serve_and_run(portal, publisher, source, 3)
    gone = portal.datasets()[-1]["name"]
    yield {
        "shrunk": Page(SOURCE),
        "shrunk-run": Page(f"{SOURCE}/job/{run}"),
        "dataset-missing": Page(f"/dataset/{gone}", is_own=False),
    }
    serve_and_run(portal, publisher, source, 12)
    run = serve_and_run(portal, publisher, source, 0)
    yield {
        "emptied": Page(SOURCE, role="editor"),
        "emptied-run": Page(f"{SOURCE}/job/{run}"),
        "emptied-list": Page("/harvest/", role="editor"),
        "emptied-dashboard": Page(DASHBOARD),
    }
    act("harvest_source_delete", id=source)
    yield {
        "off": Page(SOURCE, role="editor"),
        "off-list": Page("/harvest/?health=off", role="editor"),
        "off-dataset": Page(f"/dataset/{gone}", is_own=False),
        "switch-on": Page(f"{SOURCE}/switch-on"),
    }


def run_of(source: str, status: str, minutes: float, **report: Any) -> HarvestJob:
    """Make the only run of a source, as it was left so many minutes ago."""
    for kind in (HarvestObject, JobReport):
        Session.query(kind).delete()
    Session.query(HarvestJob).filter_by(source_id=source).delete()
    then = utcnow() - dt.timedelta(minutes=minutes)
    job = HarvestJob(source_id=source, status=status, created=then)
    if status != "New":
        job.gather_started = then
    if status == "Finished":
        job.gather_finished = job.finished = then
    Session.add(job)
    Session.flush()
    Session.add(JobReport(job_id=job.id, source_id=source, started=then, **report))
    end_runs()
    return job


def importing(source: str, done: int, of: int) -> HarvestJob:
    """Make a run that has processed a part of its records, without a consumer."""
    job = run_of(source, "Running", 1, counts={})
    job.gather_finished = utcnow()
    for number in range(of):
        obj = HarvestObject(guid=str(number), job=job, source=job.source, fetch_started=utcnow())
        obj.state = "COMPLETE" if number < done else "WAITING"
        Session.add(obj)
    Session.commit()
    return job


def running(portal: Portal, publisher: Publisher) -> Iterator[Pages]:
    """Each state of a run, and each health of its source."""
    source = make(portal, publisher, 3)
    error = {"code": "http-status", "message": f"The server: {looks.HOSTILE[0]}", "passes": True}
    runs: dict[str, tuple[str, float, dict[str, Any]]] = {
        "queued": ("New", 1, {"asked_by": looks.HOSTILE[2]}),
        "gathering": ("Running", 3, {"counts": {"seen": 1234}}),
        "stopping": ("Running", 3, {"stopped_by": "somebody"}),
        "stuck": ("Running", 90, {}),
        "hiccup": ("Finished", 90, {"outcome": "failed", "error": error}),
        "failing": ("Finished", 90, {"outcome": "failed", "error": {**error, "passes": False}}),
    }
    for name, (status, minutes, report) in runs.items():
        job = run_of(source, status, minutes, **report)
        yield {name: Page(SOURCE), f"{name}-run": Page(f"{SOURCE}/job/{job.id}")}
    job = importing(source, 12, 20)
    yield {"importing": Page(SOURCE), "stop": Page(f"{SOURCE}/job/{job.id}/abort")}
    run_of(source, "Finished", 4 * 24 * 60, outcome="finished", complete=True)
    due = utcnow() - dt.timedelta(days=3)
    HarvestSource.get(source).next_run = Session.get(model.Package, source).metadata_modified = due
    Session.commit()
    yield {"late": Page(SOURCE)}
    Session.add(SourcePreview(id="t", user_name="x", source_id=source, state="running", done=1234))
    Session.commit()
    yield {"checking": Page(SOURCE)}


def datasets(portal: Portal, publisher: Publisher) -> Iterator[Pages]:
    """A complete GEMINI record, a record with marked lines, a time series, maps, a checked link."""
    with recorded("gemini-2.3") as whole:
        portal.run(portal.source(whole.url("/record.xml"), "gemini-single", name="whole"))
    [shown] = portal.datasets()
    yield {
        "gemini": Page(f"/dataset/{shown['name']}", role="visitor", is_own=False),
        "source-record": Page(
            f"/dataset/{shown['name']}/source-record", region=".ukharvest-outline > p"
        ),
        "datasets-of-ckan": Page("/dataset/", role="visitor", is_own=False),
        "organisation": Page("/organization/somewhere-council", region=".nav-tabs", is_own=False),
    }
    text = gemini("rivers-and-brooks", "Rivers", abstract="Short.").encode()
    publisher.serve("/record.xml", text, headers={"Content-Type": "text/xml"})
    config = {"validation": "report"}
    source = portal.source(publisher.url("/record.xml"), "gemini-single", config=config)
    portal.run(source)
    record = Session.query(Record.id).filter_by(source_id=source).one()[0]
    name = Session.get(model.Package, source).name
    resources = [
        {"name": f"Spend in {year}-{month:02}", "date": f"{year}-{month:02}", "format": "CSV"}
        | {"url": f"https://data.example/{year}-{month}.csv"}
        for year in (2024, 2025, 2026)
        for month in (1, 2)
    ]
    series = factories.Dataset(license_id="cc-by", resources=resources)["name"]
    pages = {
        "record": Page(f"/harvest/{name}/record/{record}"),
        "series": Page(f"/dataset/{series}", role="visitor", is_own=False),
    }
    for kind, geometry in MAPS.items():
        facts = {"import_source": "harvest", "spatial": json.dumps(geometry)}
        extras = [{"key": key, "value": value} for key, value in facts.items()]
        made = factories.Dataset(extras=extras)["name"]
        pages[f"map-{kind}"] = Page(f"/dataset/{made}", role="visitor", is_own=False)
    yield pages
    url = "https://data.example/wms"
    linked = factories.Dataset(resources=[{"url": url, "name": "Rivers"}])
    page, unchecked = (
        f"/dataset/{made['name']}/resource/{made['resources'][0]['id']}"
        for made in (linked, factories.Dataset(resources=[{"url": f"{url}?2"}]))
    )
    layers = tuple(Layer(text, text) for text in looks.HOSTILE)
    found = LinkResult(url, "WMS", version=looks.HOSTILE[0], layers=layers, title=looks.HOSTILE[2])
    link_results.save_link_results([found], 30)
    Session.commit()
    yield {
        "resource-checked": Page(
            page, "visitor", ".ukharvest-link", is_own=False, beside=unchecked
        ),
    }


def tested(portal: Portal, publisher: Publisher) -> Iterator[Pages]:
    """Tests of a saved source, of a URL alone and of texts, while they wait and with results."""

    def start(**given: Any) -> str:
        return str(act("ukharvest_source_preview_create", **given)["id"])

    faulty = [dataset(n, modified="yesterday") for n in range(7)]
    given = {"source_type": "data_json", "url": publisher.url(PATH)}
    source = make(portal, publisher, [*faulty, *map(dataset, range(7, 25)), *HOSTILE, *FAULTY])
    check = Page(f"{SOURCE}/check", region=".primary .ukharvest")
    test = start(source_id=source)
    yield {"source-waits": check}
    preview_jobs.run(test)
    lookup = start(url=publisher.url(PATH))
    yield {"source": check, "lookup-waits": Page(f"/harvest/test/{lookup}")}
    preview_jobs.run(lookup)
    pages = {"lookup": Page(f"/harvest/test/{lookup}"), "add": Page(f"/harvest/test/{lookup}/add")}
    unknown = looks.HOSTILE[0]
    for name, asked in {
        "url": given,
        "text": {"text": json.dumps(catalogue([*HOSTILE, *FAULTY]))},
        "unknown": {"text": unknown},
    }.items():
        test = start(**asked)
        preview_jobs.run(test)
        pages[name] = Page(f"/harvest/test/{test}")
    yield pages
    publisher.serve(PATH, f"<!doctype html><title>{unknown}</title>" + "<p>words " * 200)
    preview_jobs.run(start(source_id=source))
    yield {"source-failed": check}


STATES: dict[str, State] = {
    state.__name__: state
    for state in (empty, harvested, waiting, asking, missing, running, datasets, tested)
}
