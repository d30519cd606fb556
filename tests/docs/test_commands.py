"""Commands and settings in the documents exist: each is parsed by its own program, and not run.

A line of a code block has to be complete; `a command` within a sentence may lack its arguments.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache

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


def refused(program: str, check: Callable[[str, bool], None]) -> list[str]:
    """Return the commands of a program that a check refuses, and why."""
    offenders = []
    for name, command, complete in COMMANDS:
        if command.startswith(program):
            try:
                check(command, complete)
            except (AssertionError, click.UsageError, SystemExit) as exc:
                offenders.append(f"{name}: {command}: {exc}")
    return offenders


def check_ckan(command: str, complete: bool) -> None:
    words = cut(command, complete=complete)[1:]
    if words[:2] == ["config", "declaration"]:  # of CKAN itself, and it takes any plugin's name
        assert words[2:] == ["ukharvest", "-d"]
        return
    # Placeholders for numbers
    parse([{"N": "1"}.get(word, word) for word in words], complete=complete)


def check_ukharvest(command: str, complete: bool) -> None:
    from ckanext.ukharvest.check_command import command as check_command_command
    from ckanext.ukharvest.source_types import find

    words = cut(command, complete=complete)[1:]
    if not complete or words == ["--version"]:
        return
    words = words[: words.index("<")] if "<" in words else words  # standard input is a file
    given = check_command_command._arguments().parse_args(words)
    if given.command == "check" and not given.schema:
        # Parks are the example of docs/developing.md.
        known = ("parks", check_command_command.STANDARD_INPUT)
        assert given.type in known or find(given.type), "the source type is unknown"


def check_script(command: str, complete: bool) -> None:
    script, *words = cut(command, complete=complete)
    assert (codes.ROOT / script).is_file(), "there is no such script"
    known = OPTIONS.get(script)
    if known is not None and words:  # bin/test passes its words to pytest
        assert words[0] in known or words[0] in ("--help", "--ckan"), f"{words[0]} is unknown"


@pytest.mark.parametrize(
    ("program", "check"),
    [
        ("ckan ", check_ckan),
        ("ukharvest ", check_ukharvest),
        ("bin/", check_script),
        (".ci/", check_script),
    ],
)
def test_commands_in_documents_parse(program: str, check: Callable[[str, bool], None]) -> None:
    assert any(command.startswith(program) for _name, command, _complete in COMMANDS)
    assert refused(program, check) == []


OPTIONS = {
    "bin/bench": {"--quick", "--only", "--against", "--output"},
    "bin/demo": {"stop", "--once"},
    "bin/docs": {"--check", "--site"},
    "bin/stack": {"start", "stop", "status", "logs"},
    "bin/translations": {"--check"},
    ".ci/run": set(),
}


@pytest.mark.skipif(sys.version_info < (3, 11), reason="bin/… needs Python 3.11 or later")
@pytest.mark.parametrize("script", ["bin/bench", "bin/demo", "bin/stack"])
def test_options_of_scripts_are_in_their_help(script: str) -> None:
    command = [sys.executable, codes.ROOT / script, "--help"]
    help_ = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert [word for word in OPTIONS[script] if word not in help_] == []


def test_settings_in_documents_are_declared() -> None:
    offenders = [
        f"{path.relative_to(codes.ROOT)}: {key}"
        for path in DOCUMENTS
        for key in set(SETTING.findall(path.read_text(encoding="utf-8"))) - DECLARED
        if not key.startswith("ckanext.ukharvest.credentials.") and not is_module(key)
    ]
    assert offenders == []


def is_module(key: str) -> bool:
    module = codes.PACKAGE / key.split(".")[2]
    return module.is_dir() or module.with_suffix(".py").is_file()


@pytest.mark.parametrize(
    "words", [["ukharvest", "no-such"], ["ukharvest", "run", "SOURCE", "--no-such"], ["db", "up"]]
)
def test_unknown_commands_and_options_are_refused(words: list[str]) -> None:
    with pytest.raises((AssertionError, click.UsageError)):
        parse(words, complete=True)
