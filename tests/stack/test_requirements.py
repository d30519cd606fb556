"""What we depend on has bounds, and every security rule that is switched off says why."""

from __future__ import annotations

import configparser
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from stack import venv
from stack.paths import DEV, ROOT

# Requirement → words of setup.cfg that say why it has no upper bound.
UNBOUNDED = {"certifi": "certifi: no upper bound."}
NOQA = re.compile(r"noqa: [A-Z0-9, ]*\bS\d{3}[A-Z0-9, ]*(.*)")


def of_the_wheel() -> list[Requirement]:
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg", "utf-8")
    extras = settings["options.extras_require"].values()
    lines = "\n".join((settings["options"]["install_requires"], *extras)).splitlines()
    return [Requirement(line) for line in lines if line.strip() and not line.startswith("#")]


def lines_of(path: Path) -> Iterator[Requirement]:
    for line in path.read_text("utf-8").splitlines():
        if line.strip() and not line.startswith(("#", "-")):
            yield Requirement(line)


@pytest.mark.parametrize("requirement", of_the_wheel(), ids=lambda each: each.name)
def test_a_requirement_of_the_wheel_has_bounds(requirement: Requirement) -> None:
    operators = {each.operator for each in requirement.specifier}
    assert operators & {">=", ">", "==", "~="}, "no lower bound"
    has_upper = bool(operators & {"<", "<=", "==", "~="})
    assert has_upper != (requirement.name in UNBOUNDED)
    if not has_upper:
        assert UNBOUNDED[requirement.name] in (ROOT / "setup.cfg").read_text("utf-8")


def pinned(path: Path) -> set[str]:
    found = set()
    for requirement in lines_of(path):
        operators = {each.operator for each in requirement.specifier}
        assert operators == {"=="}, f"{path.name}: {requirement} is not one version"
        found.add(canonicalize_name(requirement.name))
    return found


def test_each_tool_of_developers_has_one_version() -> None:
    wanted = {canonicalize_name(each.name) for each in lines_of(ROOT / "dev-requirements.txt")}
    assert len(wanted) > 15
    common = pinned(DEV / "constraints.txt")
    for path in sorted(DEV.glob("constraints-*.txt")):
        own = {
            canonicalize_name(each.name)
            for each in lines_of(path)
            if {part.operator for part in each.specifier} == {"=="}
        }
        # A comment of the file names what CKAN's own pins decide.
        left = wanted - common - own
        reasons = path.read_text("utf-8")
        assert all(f"# {name} is not named: " in reasons for name in left), (path.name, left)
    for pins in venv.tools().values():
        assert all(re.fullmatch(r"[\w.-]+==[\w.]+", pin) for pin in pins), pins


def test_each_security_rule_that_is_switched_off_says_why() -> None:
    silent, found = [], 0
    modules = (path for folder in (ROOT / "ckanext", DEV) for path in folder.rglob("*.py"))
    for path in (*modules, *(ROOT / "bin").iterdir()):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if match := NOQA.search(line):
                found += 1
                if not re.fullmatch(r"\s*(-|#)\s.{6,}", match[1]):
                    silent.append(f"{path.relative_to(ROOT)}:{number}")
    assert silent == []
    assert found >= 10
