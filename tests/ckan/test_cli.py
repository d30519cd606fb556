"""Every command of ``ckan harvester`` and ``ckan ukharvest`` once, as ``ckan`` runs it.

A new command without its row fails.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest import queue

from ckanext.ukharvest import compat
from ckanext.ukharvest.harvest.consumers.workers import Heart
from ckanext.ukharvest.patches import polling
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.commands import invoke, plugin_commands
from tests.ckan.harvesting import Portal
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

Ckan = Callable[..., subprocess.CompletedProcess[str]]
PATH = "/data.json"


class Row(NamedTuple):
    """A command and what it does.

    Attributes:
        line: the command with its arguments; ``{url}`` and others are filled in.
        said: a part of what it prints.
        code: its exit code.
    """

    line: str
    said: str = ""
    code: int = 0


# In this order: each finds what those before it left. "somewhere" was harvested, with 3 records.
TABLE = (
    Row(
        "harvester source create other {other} data_json Other true {organization}",
        "Created new harvest source",
    ),
    Row("harvester source show somewhere", "{url}"),
    Row("harvester sources", "There are 2 active harvest sources"),
    Row("harvester harvesters_info", "data_json"),
    Row("harvester job other", "status: Running"),
    Row("harvester gather-consumer"),
    Row("harvester fetch-consumer"),
    Row("harvester run"),
    Row("harvester jobs", "added: 3"),
    Row("harvester job-all", "Created 2 new harvest jobs"),
    Row("harvester purge-queues"),
    Row("harvester job-abort somewhere", "Job status: Finished"),
    Row("harvester abort-failed-jobs", "Done. Aborted jobs: 0"),
    Row("harvester job-abort other", "Job status: Finished"),
    Row("harvester run-test somewhere"),
    Row("harvester import somewhere", "3 objects reimported"),
    Row("harvester reindex"),
    Row("harvester clean-harvest-log"),
    Row("ukharvest sources", "somewhere"),
    Row("ukharvest runs --source somewhere", "Unchanged"),
    Row("ukharvest types", "data_json"),
    Row("ukharvest run somewhere --mode force", "updated"),
    Row("ukharvest check data_json {url} --allow-private", "3 records"),
    Row("ukharvest approve somewhere", "No deletion of this source waits for approval."),
    Row("ukharvest identifiers somewhere", "No identifiers of this source wait"),
    Row("ukharvest source edit somewhere --option default_tags=one", "one"),
    Row("ukharvest schedule somewhere --frequency daily --time 02:30", "somewhere: Daily (02:30)"),
    Row("ukharvest unschedule somewhere", "somewhere: runs only when someone starts it."),
    Row("ukharvest source move somewhere {moved} --dry-run", "Dry run: nothing was changed."),
    Row("ukharvest source approve somewhere", "Nothing of this source waits for approval.", 2),
    Row("ukharvest source refuse somewhere No", "Nothing of this source waits for approval.", 2),
    Row("ukharvest adopt somewhere --dry-run", "0 datasets would be adopted."),
    Row("ukharvest attach somewhere {pairs} --dry-run", "0 datasets would be attached."),
    Row("ukharvest diff somewhere {guid}", "Version 1 of 1"),
    Row("ukharvest stars dataset-00000", "out of 5"),
    Row("ukharvest links --backlog", "Today: "),
    Row("ukharvest doctor", "checks found nothing wrong", 2),
    Row("ukharvest export --folder {folder}/export", "Exported 5 datasets"),
    Row("ukharvest csw --folder {folder}/export", "Wrote 5 records"),
    Row("ukharvest prune --dry-run", "harvest objects"),
    Row("ukharvest values --format csv", "field,value,ours"),
    Row("harvester source clear-history other", "Cleared job history"),
    Row("harvester source clear other", "Cleared harvest source: other"),
    Row("harvester source remove other", "Removed harvest source: other"),
)


def leaves(command: click.Command, *names: str) -> Iterator[str]:
    """Yield the commands of a group, and of those in it, with their words."""
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from leaves(inner, *names, name)
    else:
        yield " ".join(names)


@pytest.fixture
def short_consumers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a consumer end when nothing waits, instead of waiting for ever."""

    def consume(consumer: Any, queue: str) -> Iterator[Any]:  # noqa: ARG001
        with Heart("fetch") as heart, polling.use_heart(heart):
            while polling.look(consumer.message_key):
                pass
        yield from ()

    monkeypatch.setattr(queue.RedisConsumer, "consume", consume)


def test_each_command_has_its_row(portal: Portal) -> None:
    commands = plugin_commands()
    every = {
        name for group in ("harvester", "ukharvest") for name in leaves(commands[group], group)
    }
    assert len(every) > 30
    tested = [
        next(iter(name for name in every if f"{row.line} ".startswith(f"{name} "))) for row in TABLE
    ]
    assert every - set(tested) == set()


def test_every_command_ends_as_it_should(
    app: CKANTestApp,
    portal: Portal,
    ready_source: SourceMaker,
    publisher: Publisher,
    short_consumers: None,
    tmp_path: Path,
) -> None:
    ready_source(PATH, catalogue(3), name="somewhere")
    publisher.serve("/moved.json", catalogue(3))
    publisher.serve("/other.json", catalogue([dataset(10), dataset(11)]))
    values = {
        "url": publisher.url(PATH),
        "moved": publisher.url("/moved.json"),
        "other": publisher.url("/other.json"),
        "organization": portal.organization_id,
        "folder": tmp_path,
        "guid": dataset(0)["identifier"],
        "pairs": tmp_path / "pairs.csv",
    }
    (tmp_path / "pairs.csv").write_text("dataset,guid\n", encoding="utf-8")
    wrong = []
    for row in TABLE:
        done = invoke(app, *row.line.format(**values).split())
        if done.exit_code != row.code or row.said.format(**values) not in done.output:
            wrong.append((row.line, done.exit_code, done.output[-2000:], repr(done.exception)))
    assert not wrong, "\n\n".join("\n".join(map(str, each)) for each in wrong)


def test_commands_as_processes(ready_source: SourceMaker, ckan: Ckan) -> None:
    """One of each group, as on the command line."""
    source = ready_source(PATH, catalogue(3), name="somewhere")
    compat.remove_from_index([source])
    assert call_action("package_search", fq="dataset_type:harvest")["count"] == 0
    ckan("harvester", "reindex")
    assert call_action("package_search", fq="dataset_type:harvest")["count"] == 1
    listed = ckan("ukharvest", "sources", "--format", "json").stdout
    assert [row["name"] for row in json.loads(listed)] == ["somewhere"]
