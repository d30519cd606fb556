"""The command bin/mutants puts faults into the code, and takes them out again."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from stack import console, mutants, paths, reports

from tests import mutants as table

CODE = "def double(number: int) -> int:\n    return 2 * number\n"
FAULT = table.Mutant(
    "double", "It doubles.", "house.double", "2 * number", "3 * number", ("tests",)
)


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module with one function, in a repository of its own."""
    monkeypatch.setattr(table, "ROOT", tmp_path)
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    monkeypatch.setattr(mutants, "MUTANTS", (FAULT,))
    monkeypatch.setattr(paths, "STACK", tmp_path / ".stack")
    path = tmp_path / "house.py"
    path.write_text(CODE)
    for words in ("init -q", "add house.py", "-c user.name=A -c user.email=a@b commit -q -m A"):
        subprocess.run(["git", *words.split()], cwd=tmp_path, check=True)
    return path


def failing(house: Path, *ids: str, status: int = 1, is_always: bool = False) -> mutants.Result:
    """Try the fault with a bin/test in which these tests fail.

    Args:
        is_always: they fail without the fault, too.
    """
    fault = CODE.replace("2", "3")
    seen = []

    def run(_command: Sequence[str], _log: int) -> int:
        seen.append(house.read_text())
        fails = is_always or seen[-1] == fault
        report = paths.make_folder("results") / "part.xml"
        reports.failures_of(report).write_text("".join(f"{each}\n" for each in ids if fails))
        return status if fails else 0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mutants, "_wait", run)
        result = mutants.try_mutant(FAULT, None)
    assert seen == [fault, CODE][: 1 + bool(ids)]
    return result


def test_fault_is_in_the_code_only_while_tests_run(house: Path) -> None:
    before = house.stat().st_mtime_ns
    assert failing(house, "tests/test_a.py::test_one").caught_by == "tests/test_a.py::test_one"
    assert house.read_text() == CODE
    assert house.stat().st_mtime_ns == before


def test_interrupted_run_restores_the_code(house: Path) -> None:
    def interrupted() -> None:
        with mutants.applied(FAULT):
            assert house.read_text() != CODE
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert house.read_text() == CODE


def test_fault_without_failing_test_is_not_caught(house: Path) -> None:
    assert str(failing(house, status=0)).endswith("NOT CAUGHT")


def test_tests_that_cannot_run_catch_nothing(house: Path) -> None:
    result = failing(house, status=1)
    assert (result.caught_by, result.trouble) == ("", "bin/test ended with 1; see the log")


def test_test_that_always_fails_catches_nothing(house: Path) -> None:
    result = failing(house, "test_a.py::test_one", is_always=True)
    assert result.trouble == "test_a.py::test_one fails without the fault, too"
    assert not result.caught_by


def test_changed_tree_is_refused(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    house.write_text(CODE + "\n")
    assert mutants.main([]) == 1
    assert "commit or stash these changes first:\n M house.py" in capsys.readouterr().err


def test_fault_whose_text_is_gone_is_refused(house: Path) -> None:
    house.write_text(CODE.replace("2 *", "number +"))
    with pytest.raises(console.StackError, match="0 times, not once; change its entry"):
        mutants.choose([])
    with pytest.raises(console.StackError, match="no mutant is called treble; there is: double"):
        mutants.choose(["treble"])
