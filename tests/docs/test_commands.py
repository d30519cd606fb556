"""Commands and settings in the documents exist: each is parsed by its own program, and not run.

A line of a code block has to be complete; `a command` within a sentence may lack its arguments.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest
import yaml

from docs import codes

DOCUMENTS = [
    codes.ROOT / "README.md",
    codes.ROOT / "CONTRIBUTING.md",
    *sorted((codes.ROOT / "docs").glob("*.md")),
    *sorted((codes.ROOT / "docs").glob("[!d]*/*.md")),
]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$|^((?: {4}\S.*\n)+)", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`((?:ckan|ukharvest|bin/\w+|\.ci/run)(?: [^`\n]*)?)`")
SETTING = re.compile(r"\bckanext\.ukharvest\.[a-z_]+(?:\.(?:[a-z_]+|<name>))*(?<!_)(?![\w.]*/)")
PROGRAMS = ("ckan", "ukharvest", "bin/", ".ci/")
# Parts of a synopsis: [--all], A|B, "…" and a placeholder for several words.
SYNOPSIS = re.compile(r"[\[\]…]|\\?\|\S+")
DECLARED = {
    option["key"]
    for group in yaml.safe_load((codes.PACKAGE / "config_declaration.yaml").read_text())["groups"]
    for option in group["options"]
}


def lines() -> Iterator[tuple[str, str, bool]]:
    """Yield document, command, and whether it has to be complete."""
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(codes.ROOT).as_posix()
        for _language, fenced, indented in BLOCK.findall(text):
            for line in (fenced or indented).splitlines():
                command = re.split(r"  #| > ", line.strip())[0]
                if command.startswith(PROGRAMS) and not re.match(r"ckan\S* ?=|ckan[.:]", command):
                    yield name, command, True
        prose = BLOCK.sub("", text)
        yield from ((name, command, False) for command in INLINE.findall(prose))


COMMANDS = sorted(set(lines()))


@cache
def group() -> click.Group:
    """Return ``ckan`` with the groups that the documents name, without its settings."""
    from ckan.cli import db, jobs, search_index, views
    from ckanext.harvest.cli import harvester

    from ckanext.ukharvest.cli import ukharvest

    @click.group()
    @click.option("-c", "--config")
    def ckan(config: str) -> None:
        pass

    for each in (harvester, ukharvest, db.db, jobs.jobs, search_index.search_index, views.views):
        ckan.add_command(each)
    return ckan


def parse(words: list[str], *, complete: bool) -> None:
    """Parse the words of a ``ckan`` command without running it."""
    command: click.Command = group()
    parent: click.Context | None = None
    while True:
        with_rest = isinstance(command, click.Group)
        try:
            context = command.make_context(command.name, list(words), parent=parent)
        except (click.MissingParameter, click.exceptions.NoArgsIsHelpError):
            assert not complete, "an argument is missing"
            return
        if not with_rest:
            return
        rest = [*context._protected_args, *context.args]
        assert isinstance(command, click.Group)
        found = command.get_command(context, rest[0]) if rest else None
        assert found or not rest, f"{command.name} has no command {rest[:1]}"
        if found is None:
            assert not complete, "a command is missing"
            return
        command, words, parent = found, rest[1:], context


def cut(command: str, *, complete: bool) -> list[str]:
    """Return a command's words; without the marks of a synopsis where it is one."""
    return shlex.split(command if complete else SYNOPSIS.sub(" ", command))


@pytest.mark.parametrize(
    ("name", "command", "complete"), [each for each in COMMANDS if each[1].startswith("ckan ")]
)
def test_a_ckan_command_parses(name: str, command: str, complete: bool) -> None:
    words = cut(command, complete=complete)[1:]
    if words[:2] == ["config", "declaration"]:  # of CKAN itself, and it takes any plugin's name
        assert words[2:] == ["ukharvest", "-d"]
        return
    # Placeholders for numbers
    parse([{"N": "1"}.get(word, word) for word in words], complete=complete)


@pytest.mark.parametrize(
    ("name", "command"),
    [each[:2] for each in COMMANDS if each[1].startswith("ukharvest ") and each[2]],
)
def test_a_check_parses(name: str, command: str) -> None:
    from ckanext.ukharvest.check_command import command as check
    from ckanext.ukharvest.source_types import find

    words = cut(command, complete=True)[1:]
    if words == ["--version"]:
        return
    words = words[: words.index("<")] if "<" in words else words  # standard input is a file
    given = check._arguments().parse_args(words)
    # Parks are the example of docs/developing.md.
    if given.command == "check" and given.schema:
        return
    known = ("parks", check.STANDARD_INPUT)
    assert given.command != "check" or given.type in known or find(given.type)


SCRIPTS = sorted({cut(each[1], complete=False)[0] for each in COMMANDS if "/" in each[1][:5]})
OPTIONS = {
    "bin/bench": {"--quick", "--only", "--output"},
    "bin/demo": {"stop", "--once"},
    "bin/docs": {"--check", "--site"},
    "bin/stack": {"start", "stop", "status", "logs"},
    "bin/translations": {"--check"},
    ".ci/run": set(),
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_is_there_and_knows_its_words(script: str) -> None:
    path = codes.ROOT / script
    assert path.is_file()
    known = OPTIONS.get(script)
    if known is None:  # bin/test passes its words to pytest
        return
    for _name, command, complete in COMMANDS:
        words = cut(command, complete=complete)
        if words[0] == script and words[1:]:
            assert words[1] in known or words[1] in ("--help", "--ckan"), command


def test_the_words_of_scripts_are_in_their_help() -> None:
    for script, words in OPTIONS.items():
        if script in ("bin/bench", "bin/demo", "bin/stack"):
            help_ = _help(codes.ROOT / script)
            assert not [word for word in words if word not in help_], script


def _help(script: Path) -> str:
    command = [sys.executable, script, "--help"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def settings() -> list[tuple[str, str]]:
    return sorted(
        {
            (path.relative_to(codes.ROOT).as_posix(), key)
            for path in DOCUMENTS
            for key in SETTING.findall(path.read_text(encoding="utf-8"))
        }
    )


@pytest.mark.parametrize(("name", "key"), settings())
def test_a_setting_is_declared(name: str, key: str) -> None:
    is_secret = key.startswith("ckanext.ukharvest.credentials.")
    module = codes.PACKAGE / key.split(".")[2]
    is_module = module.is_dir() or module.with_suffix(".py").is_file()
    assert key in DECLARED or is_secret or is_module, f"{name}: there is no setting {key}"


@pytest.mark.parametrize(
    "words", [["ukharvest", "no-such"], ["ukharvest", "run", "SOURCE", "--no-such"], ["db", "up"]]
)
def test_what_is_not_there_is_found(words: list[str]) -> None:
    with pytest.raises((AssertionError, click.UsageError)):
        parse(words, complete=True)
