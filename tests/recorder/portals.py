"""Portals that are recorded, each made by a list of steps.

``demo`` has a source of each type and those of the demo's showcase, imported in batches.
``states`` has sources that are held, failing, stopped, emptied, adopted and pruned, imported one
by one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from ckan import model
from ckan.lib import jobs
from ckan.plugins import toolkit as tk
from demo import showcase
from rq import SimpleWorker

from ckanext.ukharvest import config
from ckanext.ukharvest.harvest.consumers.workers import Heart
from ckanext.ukharvest.harvest.run import prune
from ckanext.ukharvest.patches import polling
from tests.ckan.adoption.stock_harvests import OPTIONS, Stock, numbered, of_another
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act
from tests.publisher import Publisher, Response
from tests.publishing import SERVICES
from tests.publishing.listing import Listing
from tests.recorder.reading import CATALOGUE

# The first of some ports, below the range for clients; always the same, since hashes contain it.
# The tests of both versions of CKAN run side by side.
PORT = 24810 if tk.check_ckan_version(min_version="2.12") else 24770
Step = tuple[str, Callable[[], object]]
GONE = Response(b"gone", status=410)


@contextmanager
def demo(portal: Portal) -> Iterator[list[Step]]:
    """Yield the steps that make the portal of all types."""
    with ExitStack() as stack:
        steps: list[Step] = []
        for number, (name, service) in enumerate(sorted(SERVICES.items())):
            publisher = stack.enter_context(Publisher(port=PORT + number))
            path = service.serve(publisher, Listing.of(CATALOGUE, 3 if service.is_paged else 0))
            fields = {"name": name.replace("_", "-"), "config": dict(service.options or {})}
            steps += _runs(portal, publisher.url(path), name, [None, None], **fields)
        publisher = stack.enter_context(Publisher(port=PORT + 30))
        for key, each in showcase.PUBLISHERS.items():

            def show(later: bool, key: str = key, path: str = each.path) -> None:
                publisher.routes[path] = showcase.document(key, publisher.base, later=later)

            states = [lambda: show(False), lambda: show(True), lambda: show(True)]  # noqa: B023
            url = publisher.url(each.path)
            steps += _runs(portal, url, each.kind, states, name=each.name)
        steps.append(("jobs", work_off_jobs))
        heart = stack.enter_context(Heart("fetch"))
        stack.enter_context(polling.use_heart(heart))
        yield steps


@contextmanager
def states(portal: Portal) -> Iterator[list[Step]]:
    """Yield the steps that make the portal of sources in many states."""
    with Publisher(port=PORT + 31) as publisher:

        def serve(path: str, *bodies: Any) -> list[Callable[[], None]]:
            def set_body(body: Any) -> None:
                if isinstance(body, Response):
                    publisher.routes[path] = body
                else:
                    publisher.serve(path, catalogue(body))

            return [lambda body=body: set_body(body) for body in bodies]  # type: ignore[misc]

        def of(name: str, *bodies: Any, **fields: Any) -> list[Step]:
            # Identifiers of each source's own, or the sources would claim each other's.
            path = f"/{name}.json"
            own = [
                body if isinstance(body, Response) else [_own(name, each) for each in body]
                for body in bodies
            ]
            steps = serve(path, *own)
            return _runs(portal, publisher.url(path), "data_json", steps, name=name, **fields)

        ten, five = ([dataset(number) for number in range(count)] for count in (10, 5))
        faulty = [
            dataset(0, title=""),
            dataset(1, modified="the tenth of Brumaire"),
            dataset(2, license="as you like"),
            dataset(3, distribution=[]),
            dataset(4, accessLevel="non-public"),
            dataset(5),
            dataset(5, title="The same identifier again"),
        ]
        renamed = [dataset(number, identifier=f"new-{number}") for number in range(5)]
        mended = [dataset(1), *faulty[3:6]]
        publisher.serve("/moved.json", catalogue([_own("faulty", each) for each in faulty]))
        yield [
            *of("held", ten, ten[:4], ten[:4], mails=True),
            *of("failing", five[:3], GONE, GONE, frequency="DAILY", mails=True),
            *of("recovered", five[:2], GONE, five[:2], mails=True),
            *of("faulty", faulty, mended, faulty[1:]),
            *of("missing", five, five[:4]),
            *of("deleting", five, five[:4], five[:4], five),
            *of("renamed", five, renamed),
            *of("hidden", five[:2], private=True),
            *of("pruned", five[:2], *([dataset(0, title=f"Title {n}"), five[1]] for n in range(3))),
            ("prune", lambda: _prune("pruned")),
            *of("emptied", five[:3]),
            ("empty", lambda: act("harvest_source_clear", id="emptied")),
            *of("stopped", five),
            ("stop", lambda: _stop(portal, publisher, "stopped")),
            *of("adopted", five[:3])[:1],
            ("adopt", lambda: _adopt(portal, publisher)),
            *of("off", five[:2]),
            ("switch off", lambda: act("harvest_source_patch", id="off", state="inactive")),
            *of("open", five[:2]),
            ("leave open", lambda: portal.gather(portal.create_job(_id("open")))),
            ("schedule", lambda: act("ukharvest_schedule_update", source_id="held", time="03:00")),
            ("jobs", work_off_jobs),
        ]


@contextmanager
def small(portal: Portal) -> Iterator[list[Step]]:
    """Yield the steps that make two of these sources, to try the recorder out."""
    with states(portal) as steps:
        yield [each for each in steps if each[0].split()[-1] in ("faulty", "hidden")]


def _own(name: str, entry: dict[str, Any]) -> dict[str, Any]:
    entry = {**entry, "identifier": entry["identifier"].replace("/id/", f"/id/{name}/")}
    return {**entry, "title": entry["title"] and f"{entry['title']} of {name}"}


def _id(name: str) -> str:
    return str(model.Package.get(name).id)


def _runs(
    portal: Portal, url: str, type_: str, states: list[Callable[[], None] | None], **fields: Any
) -> list[Step]:
    """Return the steps that make a source, and run it once in each state of its publisher."""
    name = fields["name"]
    mails = fields.pop("mails", False)

    def run(change: Callable[[], None] | None) -> object:
        if change:
            change()
        return portal.run(_id(name))

    made: list[Step] = [(f"make {name}", lambda: portal.source(url, type_, **fields))]
    if mails:
        given = {"addresses": ["team@data.example"], "people": ["editor"]}
        update = functools.partial(act, "ukharvest_mail_update", source_id=name, **given)
        made.append((f"mails of {name}", lambda: update(events=["failed", "recovered", "held"])))
    return made + [
        (f"run {number} of {name}", lambda change=change: run(change))  # type: ignore[misc]
        for number, change in enumerate(states, 1)
    ]


def _prune(name: str) -> None:
    prune.prune_all(config.our_type_names(), keep_runs=2, source_id=_id(name))


def _stop(portal: Portal, publisher: Publisher, name: str) -> None:
    changed = [_own(name, dataset(number, description="Changed.")) for number in range(5)]
    publisher.serve(f"/{name}.json", catalogue(changed))
    job_id = portal.create_job(_id(name))
    portal.gather(job_id)
    portal.deliver(portal.waiting(job_id)[0])
    act("ukharvest_run_stop", id=job_id)
    portal.finish(job_id)


def _adopt(portal: Portal, publisher: Publisher) -> None:
    source_id = _id("adopted")
    publisher.serve("/adopted.json", catalogue([_own("adopted", dataset(n)) for n in range(3)]))
    Stock(source_id, portal.organization_id).fill([_own("adopted", each) for each in numbered(4)])
    of_another(source_id, "datajson", OPTIONS)
    act("ukharvest_source_adopt", source_id=source_id)
    portal.run(source_id)


def work_off_jobs() -> None:
    """Run the background jobs that wait."""
    SimpleWorker([jobs.get_queue()]).work(burst=True, logging_level="ERROR")
    model.Session.remove()
