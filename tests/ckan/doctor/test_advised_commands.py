"""Commands that pages, messages and findings advise exist, and do what is said of them."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from ckan import model
from ckan.cli import db, jobs, search_index
from ckanext.harvest import cli as harvest_cli
from ckanext.harvest.model import HarvestJob, HarvestSource

import ckanext.ukharvest
from ckanext.ukharvest.adoption import rules as source_adoption
from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.doctor import services
from ckanext.ukharvest.sources import rules as source_rules
from tests.ckan.adoption.stock_harvests import of_another, stored
from tests.ckan.harvesting import Portal
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

Ckan = Callable[..., subprocess.CompletedProcess[str]]
FOLDER = Path(ckanext.ukharvest.__file__).parent
GROUPS: dict[str, click.Command] = {
    "ukharvest": ukharvest,
    "harvester": harvest_cli.harvester,
    "jobs": jobs.jobs,
    "search-index": search_index.search_index,
    "db": db.db,
}
COMMAND = re.compile(rf"\bckan (?:{'|'.join(GROUPS)})\b[^'”\"`;:,.()<]*")
VALUE = "{}"  # a value that is filled in


def texts() -> Iterator[str]:
    """Yield the texts of code, with values as ``VALUE``, and of templates."""
    for path in FOLDER.rglob("*.html"):
        yield path.read_text("utf-8")
    for path in FOLDER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = (
                    part.value if isinstance(part, ast.Constant) else VALUE for part in node.values
                )
                yield "".join(map(str, parts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def advised() -> set[str]:
    return {" ".join(match[0].split()) for text in texts() for match in COMMAND.finditer(text)}


def is_command(line: str) -> bool:
    """Tell whether a line, which may go on with other words, begins with a command that exists."""
    group, *words = line.split()[1:]
    command = GROUPS[group]
    while words and isinstance(command, click.Group):
        name = words.pop(0)
        if VALUE in name or name == "…":  # a text about several commands
            return True
        if name not in command.commands:
            return False
        command = command.commands[name]
    options = {option for param in command.params for option in param.opts}
    return all(word in options for word in words if word.startswith("--"))


def test_every_advised_command_exists() -> None:
    lines = advised()
    assert len(lines) > 20
    assert [line for line in sorted(lines) if not is_command(line)] == []


def run(ckan: Ckan, line: str) -> str:
    return ckan(*shlex.split(line)[1:]).stdout


def test_command_of_a_source_of_an_unknown_type_adopts_it(
    portal: Portal, publisher: Publisher, ckan: Ckan
) -> None:
    source_id = of_another(portal.source(publisher.url("/x"), name="parking"), "datajson")
    (line,) = COMMAND.findall(source_rules.adoption_hint("datajson", "parking"))
    run(ckan, line)
    assert stored(source_id)[0][0] == "data_json"


@pytest.mark.parametrize("number", [1, 2])
def test_command_of_doctor_adopts_sources_of_unknown_types(
    portal: Portal, publisher: Publisher, ckan: Ckan, number: int
) -> None:
    made = [of_another(portal.source(publisher.url(f"/{n}")), "datajson") for n in range(number)]
    (finding,) = services.source_types()
    dry, real = re.findall(r"'(ckan [^']+)'", finding.what_to_do)
    assert "Dry run: nothing was changed." in run(ckan, dry)
    assert [stored(each)[0][0] for each in made] == ["datajson"] * number
    run(ckan, real)
    assert [stored(each)[0][0] for each in made] == ["data_json"] * number


def test_command_of_a_refused_adoption_ends_the_run(
    portal: Portal, publisher: Publisher, ckan: Ckan, cli: Any
) -> None:
    source_id = of_another(portal.source(publisher.url("/x"), name="parking"), "datajson")
    model.Session.add(HarvestJob(source_id=source_id, status="Running"))
    model.Session.commit()
    refusal = source_adoption.plan(HarvestSource.get(source_id)).refusal
    (line,) = re.findall(r"ckan harvester job-abort \S+", refusal)
    run(ckan, line)
    model.Session.expire_all()
    assert cli.invoke(ukharvest, ["adopt", "parking"]).exit_code == 0
    assert stored(source_id)[0][0] == "data_json"


def test_command_that_undoes_an_adoption_works(
    portal: Portal, publisher: Publisher, ckan: Ckan, cli: Any
) -> None:
    source_id = of_another(portal.source(publisher.url("/x"), name="parking"), "datajson")
    done = cli.invoke(ukharvest, ["adopt", "parking"]).output
    (line,) = re.findall(r"ckan ukharvest adopt \S+ --undo", done)
    run(ckan, line)
    assert stored(source_id)[0][0] == "datajson"
