"""``ckan ukharvest run``: a run in the foreground, without queues and consumers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from ckan import model
from ckan.tests.helpers import call_action
from ckanext.harvest import queue
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestSource
from click.testing import CliRunner, Result

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.harvest.batch import import_stage
from ckanext.ukharvest.harvest.consumers import workers
from ckanext.ukharvest.harvest.model import JobReport, Record, Worker
from ckanext.ukharvest.harvest.run import sweeper
from ckanext.ukharvest.sources import foreground
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, figures
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    publisher.serve(PATH, catalogue(4))
    return portal.source(publisher.url(PATH), name="council")


def run(*words: str) -> Result:
    """Call the command in this process."""
    result = CliRunner().invoke(ukharvest, ["run", *words])
    model.Session.remove()
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def numbers(result: Result) -> dict[str, int]:
    """Return the table of figures without the zeros."""
    lines = (line.rsplit(maxsplit=1) for line in result.output.splitlines())
    found = {line[0]: line[1] for line in lines if len(line) == 2 and line[1].isdigit()}
    return {name: int(number) for name, number in found.items() if number != "0"}


def guid(number: int) -> str:
    return f"https://data.example/id/{number:05}"


def test_a_run_by_name_and_by_id(portal: Portal, publisher: Publisher, source: str) -> None:
    result = run("council")
    assert (result.exit_code, numbers(result)) == (0, {"added": 4})
    job = call_action("harvest_job_list", source_id=source)[0]
    assert (job["status"], figures(job)) == ("Finished", {"added": 4})
    assert len(portal.search_names()) == 4
    publisher.serve(PATH, catalogue(3))
    result = run(source)
    assert (result.exit_code, numbers(result)) == (0, {"not modified": 3, "missing": 1})
    assert model.Session.query(Worker).count() == 0


def test_lost_records_and_a_source_that_cannot_be_read(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    publisher.serve(PATH, catalogue([dataset(0), dataset(1, title="")]))
    result = run("council")
    assert (result.exit_code, numbers(result)) == (1, {"added": 1, "errored": 1})
    assert "title" in result.output
    publisher.fail(PATH, status=500, times=100)
    result = run("council")
    assert result.exit_code == 2
    assert "500" in result.output


def test_force_imports_all_and_shows_problems(publisher: Publisher, source: str) -> None:
    assert numbers(run("council")) == {"added": 4}
    publisher.serve(PATH, catalogue([dataset(n, modified="yesterday-ish") for n in range(4)]))
    run("council")
    result = run("council", "--mode", "force")
    assert result.exit_code == 0
    assert numbers(result) == {"updated": 4, "problems": 4}
    assert f"{guid(2)}: " in result.output


def test_a_dry_run_writes_nothing(publisher: Publisher, source: str) -> None:
    publisher.serve(PATH, catalogue([dataset(0), dataset(1, title="")]))
    result = run("council", "--dry-run")
    assert result.exit_code == 1
    assert "Dataset 00000" in result.output
    assert "[missing-title]" in result.output
    for table in (HarvestJob, HarvestObject, Record):
        assert model.Session.query(table).count() == 0
    publisher.fail(PATH, status=404, times=100)
    assert run("council", "--dry-run").exit_code == 2


def test_a_dry_run_compares_with_what_is_here(publisher: Publisher, source: str) -> None:
    run("council")
    before = model.Session.query(Record.last_seen).all()
    publisher.serve(PATH, catalogue([dataset(0), dataset(1, title="Changed"), dataset(9)]))
    result = run("council", "--dry-run")
    assert result.exit_code == 0
    assert "In a run: " in result.output
    assert "2 datasets here are no longer in the source" in result.output
    assert "Updated   Changed" in result.output
    assert model.Session.query(Record.last_seen).all() == before


def test_one_record_alone(portal: Portal, publisher: Publisher, source: str) -> None:
    run("council")
    publisher.serve(PATH, catalogue([dataset(n, description="Changed.") for n in range(2)]))
    result = run("council", "--guid", guid(1))
    assert (result.exit_code, numbers(result)) == (0, {"updated": 1})
    changed = [each["title"] for each in portal.datasets() if each["notes"] == "Changed."]
    assert changed == ["Dataset 00001"]
    query = model.Session.query(Record.missed_runs)
    assert {row[0] for row in query} == {0}
    # An unchanged record is imported all the same; then a run finds the remaining work.
    assert numbers(run("council", "--guid", guid(1))) == {"updated": 1}
    assert numbers(run("council")) == {"updated": 1, "not modified": 1, "missing": 2}

    result = run("council", "--guid", guid(99))
    assert result.exit_code == 1
    assert "does not list it" in result.output
    assert len(portal.datasets()) == 4


def test_a_source_that_is_running_or_unknown_is_refused(portal: Portal, source: str) -> None:
    job_id = portal.create_job(source)
    result = run("council")
    assert result.exit_code == 2
    assert job_id in result.output
    assert run("nobody").exit_code == 2
    assert run("council", "--dry-run", "--guid", "x").exit_code == 2


def test_a_deleted_source_is_refused(source: str) -> None:
    found = HarvestSource.get(source)
    found.active = False
    found.save()
    result = run("council")
    assert result.exit_code == 2
    assert "deleted" in result.output


def test_the_sweeper_leaves_a_foreground_run_alone(
    portal: Portal, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []
    stock: Callable[..., Any] = import_stage.import_batch

    def watched(kind: Any, ids: Sequence[str], note: Any) -> None:
        [job] = model.Session.query(HarvestJob).filter_by(status="Running")
        seen.append((workers.busy_ids(workers.Limits(60)), {job.id, *ids}))
        call_action("harvest_jobs_run", {"model": model, "session": model.Session})
        stock(kind, ids, note)

    monkeypatch.setattr(import_stage, "import_batch", watched)
    assert numbers(run("council")) == {"added": 4}
    [(busy, expected)] = seen
    assert busy == expected
    assert len(expected) == 5
    fetch = queue.get_fetch_consumer()
    assert fetch.redis.llen(fetch.routing_key) == 0


def test_run_ends_while_crons_tick_sweeps(
    portal: Portal, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeper, "sweep", list)  # as while another sweep has its lock
    assert run("council").exit_code == 0
    assert call_action("harvest_job_list", source_id=source)[0]["status"] == "Finished"
    assert call_action("ukharvest_source_show", source_id=source)["health"] == "healthy"


@pytest.mark.ckan_config("ckanext.ukharvest.batch_size", "2")
def test_progress_without_a_terminal_and_an_interrupt(
    portal: Portal, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stock: Callable[..., Any] = import_stage.import_batch
    done: list[str] = []

    def interrupted(kind: Any, ids: Sequence[str], note: Any) -> None:
        if done:
            raise KeyboardInterrupt
        done.extend(ids)
        stock(kind, ids, note)

    monkeypatch.setattr(foreground, "LINE_EVERY", 0.0)
    monkeypatch.setattr(import_stage, "import_batch", interrupted)
    result = run("council")
    assert result.exit_code == 130
    assert "2 of 4 imported" in result.output
    assert len(portal.datasets()) == 2
    assert model.Session.query(Worker).count() == 0
    report = model.Session.query(JobReport).one()
    assert report.outcome == "stopped"
    monkeypatch.setattr(import_stage, "import_batch", stock)
    assert numbers(run("council")) == {"added": 2, "not modified": 2}


def test_as_a_sysadmin_types_it(ckan: Callable[..., Any], portal: Portal, source: str) -> None:
    result = ckan("ukharvest", "run", "council", check=False)
    assert result.returncode == 0, result.stderr
    assert "added                 4" in result.stdout
