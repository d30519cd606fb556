"""The parts of bin/test: which there are, which are run, and the results that are kept."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from stack import console, kept, parts, paths, reports, selection, testing, venv
from stack.parts import Part
from stack.paths import CKAN_VERSIONS, ROOT

WORKFLOWS = ROOT / ".github" / "workflows"


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    # As on Debian 12, whatever runs this.
    monkeypatch.setattr(venv, "OWN", "3.11")


def parts_of(*words: str) -> dict[str, Part]:
    """Return the parts of `bin/test WORDS` by title."""
    mode, rest = selection.take_mode(list(words))
    chosen = selection.select(rest, only_ckan=mode.name in CKAN_VERSIONS)
    return {part.title: part for part in parts.parts(chosen, mode.name)}


def test_giants_run_with_all_or_if_they_are_named() -> None:
    monsters = "tests/ckan/harvest/test_monster_records.py"
    for words in ([], ["--ci"], ["--ckan", "2.11"], ["tests/ckan"], ["-k", "monsters"], ["--fast"]):
        for part in parts_of(*words).values():
            assert "not giant" in " ".join(part.words) or part.commands, words
    for words in (
        [monsters],
        [f"{monsters}::test_a_monster"],
        ["-m", "giant"],
        ["--chaos"],
        ["--all", monsters],
    ):
        for part in parts_of(*words).values():
            assert "not giant" not in " ".join(part.words), words


def test_all_runs_each_test_on_each_ckan() -> None:
    found = parts_of("--all")

    assert list(found) == [
        "CKAN 2.12, first half",
        "CKAN 2.12, second half",
        "CKAN 2.11, first half",
        "CKAN 2.11, second half",
        "CKAN 2.12, giants",
        "CKAN 2.11, giants",
        "without CKAN",
        "without CKAN, Python 3.10",
        "without CKAN, Python 3.12",
        "without CKAN, Python 3.13",
        "CKAN 2.12, batches of 7",
        "CKAN 2.11, batches of 1",
        "bench",
    ]
    assert "(not giant) and ckan" in found["CKAN 2.11, first half"].words
    assert "(giant) and ckan" in found["CKAN 2.11, giants"].words
    assert "not ckan" in found["without CKAN"].words
    assert "--fuzz=120" in found["without CKAN"].words
    assert all(part.is_kept for part in found.values())


def test_ci_runs_on_the_oldest_ckan_what_differs_there() -> None:
    found = parts_of("--ci")

    assert list(found) == [
        "CKAN 2.12, first half",
        "CKAN 2.12, second half",
        "CKAN 2.11, compat, first half",
        "CKAN 2.11, compat, second half",
        "without CKAN",
        "CKAN 2.12, batches of 7",
    ]
    assert "((not giant) and compat) and ckan" in found["CKAN 2.11, compat, first half"].words
    assert "--batch-size=7" in found["CKAN 2.12, batches of 7"].words
    assert not any(part.is_kept for part in found.values())


def test_fast_is_lint_and_a_choice_of_files_that_exist() -> None:
    found = parts_of("--fast")

    assert list(found) == ["lint", "CKAN 2.12, seam", "without CKAN, fast"]
    assert found["CKAN 2.12, seam"].paths == selection.SEAM
    for path in (*selection.SEAM, *selection.SLOW):
        assert path.exists(), path
    for path in selection.SLOW:
        assert f"--ignore={path.relative_to(ROOT)}" in found["without CKAN, fast"].words


def test_the_two_halves_have_portals_of_their_own() -> None:
    first, second, *_ = parts_of().values()

    assert "--shard=1/2" in first.words
    assert "--shard=2/2" in second.words
    assert first.purpose != second.purpose


def test_named_tests_are_run_in_one_part() -> None:
    assert list(parts_of("tests/ckan/harvest/batch/test_import_stage.py")) == ["CKAN 2.12"]
    assert list(parts_of("--all", "-k", "run")) == ["CKAN 2.12", "CKAN 2.11", "without CKAN"]
    assert list(parts_of("--all", "tests/core")) == ["without CKAN"]


def test_an_unknown_part_lists_those_that_there_are() -> None:
    found = list(parts_of("--all").values())

    assert [part.title for part in parts.choose(found, ["bench"])] == ["bench"]
    assert parts.choose(found, []) == found
    with pytest.raises(console.StackError, match="no part tests; .*CKAN-2.12-giants, .*bench"):
        parts.choose(found, ["bench", "tests"])


def workflow(name: str) -> dict[Any, Any]:
    loaded: dict[Any, Any] = yaml.safe_load((WORKFLOWS / f"{name}.yml").read_text("utf-8"))
    return loaded


def parts_on_github(name: str, job: str) -> list[str]:
    return list(workflow(name)["jobs"][job]["strategy"]["matrix"]["part"])


def test_github_runs_the_parts_of_the_command() -> None:
    listed = subprocess.check_output([ROOT / ".ci" / "run", "--list"], text=True).split()
    tests = [part.name for part in parts_of("--ci").values()]
    assert [part for part in listed if "CKAN" in part] == tests
    assert parts_on_github("ci", "run") == listed
    assert parts_on_github("nightly", "all") == [part.name for part in parts_of("--all").values()]


def test_github_waits_longer_than_the_script() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    job = workflow("ci")["jobs"]["run"]
    assert job["timeout-minutes"] > max(map(int, re.findall(r"timeout (\d+)m", script)))
    for name in ("ci", "nightly", "publish"):
        assert all("timeout-minutes" in job for job in workflow(name)["jobs"].values())


def test_only_the_part_with_namespaces_is_privileged() -> None:
    text = "".join(path.read_text("utf-8") for path in WORKFLOWS.iterdir())
    assert text.count("--privileged") == 1
    assert "options: ${{ matrix.part == 'docker' && '--privileged' || '--init' }}" in text


def test_a_commit_of_main_is_tested_to_its_end() -> None:
    concurrency = workflow("ci")["concurrency"]
    assert concurrency["cancel-in-progress"] == "${{ github.event_name == 'pull_request' }}"
    assert "github.sha" in concurrency["group"]


def test_only_a_person_publishes_and_only_what_was_tried() -> None:
    published = workflow("publish")
    assert [*published[True]] == ["workflow_dispatch"]  # "on" is True in YAML 1.1
    build, publish, release = published["jobs"].values()
    runs = [step.get("run", "") for step in build["steps"]]
    assert ".ci/run wheel" in runs
    assert any("bin/translations --release" in run for run in runs)
    assert (publish["needs"], release["needs"]) == ("build", "publish")
    assert "secrets." not in str(published)


def test_ci_runs_the_documented_command() -> None:
    tests = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## The tests")[2]
    commands = [line.partition("  #")[0].strip() for line in tests.split("\n    ")[1:]]

    assert "bin/test --ci" in commands
    assert " bin/test --ci " in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "bin/test --ci" in testing.USAGE


@pytest.mark.parametrize(
    ("statuses", "code"),
    [([0, 0, 0], 0), ([0, 5, 0], 0), ([5, 5], 5), ([5, 1, 0], 1), ([0, -9], 1), ([0, 3, 1], 3)],
    ids=str,
)
def test_one_part_that_fails_fails_the_whole(statuses: list[int], code: int) -> None:
    assert testing.exit_code(statuses) == code


class Suite:
    """`bin/test --all` of three parts in a repository of its own, with commands for tests."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.git("init", "--quiet")
        (root / "file").write_text("1")
        self.commit()

    def git(self, *words: str) -> None:
        who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        subprocess.run(["git", *who, *words], cwd=self.root, check=True)

    def commit(self) -> None:
        self.git("add", "file")
        self.git("commit", "--quiet", "--message", "A change")

    def part(self, name: str) -> Part:
        log = self.root.parent / "ran"
        script = f"echo {name} >> {log}; test ! -e {self.root.parent / name}"
        return Part(name, commands=(("sh", "-c", script),), is_kept=True)

    def fail(self, name: str, *, is_failing: bool = True) -> None:
        path = self.root.parent / name
        path.touch() if is_failing else path.unlink()

    def run(self, *words: str) -> tuple[int, list[str]]:
        """Return the exit code, and the names of the parts that were run."""
        log = self.root.parent / "ran"
        log.write_text("")
        code = testing.main(["--all", *words])
        return code, log.read_text().split()


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    root = tmp_path / "checkout"
    root.mkdir()
    made = Suite(root)
    monkeypatch.setattr(kept, "ROOT", root)
    monkeypatch.setattr(paths, "STACK", tmp_path / "stack")
    monkeypatch.setattr(venv, "ensure", lambda: None)
    monkeypatch.setattr(testing.debian, "ensure", lambda _: None)
    names = ("one", "two", "three")
    monkeypatch.setattr(testing, "parts", lambda *_: [made.part(name) for name in names])
    monkeypatch.setattr(testing.signal, "signal", lambda *_: None)
    return made


ALL = ["one", "two", "three"]


def test_all_runs_the_parts_without_a_result(
    suite: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    assert suite.run("--part", "two") == (0, ["two"])
    assert suite.run() == (0, ["one", "three"])
    assert suite.run() == (0, [])
    lines = capsys.readouterr().out.splitlines()[-3:]
    assert [line.split()[0] for line in lines] == ALL
    assert all(line.endswith("kept") for line in lines)
    assert suite.run("--again") == (0, ALL)


def test_results_of_another_commit_are_not_used(suite: Suite) -> None:
    assert suite.run() == (0, ALL)
    (suite.root / "file").write_text("2")
    suite.commit()

    assert suite.run() == (0, ALL)


def test_a_changed_file_keeps_nothing_and_uses_nothing(suite: Suite) -> None:
    assert suite.run("--part", "one") == (0, ["one"])
    (suite.root / "new").write_text("2")
    suite.fail("one")

    assert suite.run() == (1, ALL)
    (suite.root / "new").unlink()
    assert suite.run() == (0, ["two", "three"])


def test_reports_of_changed_files_are_where_mutants_look(suite: Suite) -> None:
    (suite.root / "file").write_text("2")
    suite.run()

    made = paths.make_folder("results")
    assert sorted(path.stem for path in made.rglob("*.xml")) == sorted(ALL)
    assert len(list(made.glob("*.xml"))) == len(ALL)


def test_a_failed_part_stays_failed_until_it_is_named(
    suite: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    suite.fail("three")
    assert suite.run() == (1, ALL)
    assert suite.run() == (1, [])
    suite.fail("three", is_failing=False)
    assert suite.run("--part", "three") == (0, ["three"])
    assert suite.run() == (0, [])
    last = capsys.readouterr().out.splitlines()[-1]
    assert "1 passed, 0 failed" in last
    assert last.endswith("kept; before: 0 passed, 1 failed, 0 skipped")


def test_other_arguments_have_other_results(suite: Suite) -> None:
    part = parts.Part("one", selection.select(["-x"], only_ckan=False), is_kept=True)
    other = parts.Part("one", selection.select([], only_ckan=False), is_kept=True)
    commit = kept.clean_commit()
    reports.write_one(part.report, "one", is_passed=True, seconds=1.0)
    kept.save(part, commit, 0, 1.0, "")

    assert kept.load(part, commit)
    assert not kept.load(other, commit)


def test_an_interrupted_part_is_not_kept(suite: Suite) -> None:
    part = suite.part("one")
    commit = kept.clean_commit()
    reports.write_one(part.report, "one", is_passed=True, seconds=1.0)
    for status in (2, -15):
        kept.save(part, commit, status, 1.0, "")
        assert not kept.load(part, commit)


def test_without_git_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "ROOT", tmp_path)
    assert kept.clean_commit() == ""


def test_a_python_that_is_not_there_is_named(
    suite: Suite, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = Part("without CKAN, Python 3.99", python="3.99", is_kept=True)
    monkeypatch.setattr(testing, "parts", lambda *_: [suite.part("one"), absent])

    assert suite.run() == (0, ["one"])
    assert "NOT TESTED (without CKAN, Python 3.99): " in capsys.readouterr().out


def test_each_promised_python_but_the_own_one_is_tested() -> None:
    assert venv.other_pythons() == ["3.10", "3.12", "3.13"]


def test_ckan_2_11_has_the_python_of_its_images(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {"3.10": ("/of/pyenv/python3.10", "3.10.13"), "3.11": ("/usr/bin/python3.11", "3.11.2")}
    monkeypatch.setattr(venv, "find_python", there.get)
    assert venv.python("2.11") == there["3.10"]
    assert venv.python("2.12") == there["3.11"]
    with pytest.raises(console.StackError, match=r"no Python 3\.99"):
        venv.python("2.12", "3.99")
    del there["3.10"]
    assert venv.python("2.11") == there["3.11"]
