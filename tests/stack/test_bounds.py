"""Time limits of tests: a hanging one is ended, its stacks are printed, and the rest is run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from stack.paths import DEV, ROOT

HANGING = """
import threading

{mark}
def test_hangs_for_ever():
    threading.Event().wait()

def test_after_it():
    pass
"""


LEAVING = """
import multiprocessing, threading, time

def test_that_leaves_a_thread_and_a_process():
    threading.Thread(target=threading.Event().wait, name="endless").start()
    multiprocessing.Process(target=time.sleep, args=(3600,)).start()
"""


def run(
    folder: Path, content: str, program: tuple[str | Path, ...] = ("-m", "pytest"), **settings: str
) -> subprocess.CompletedProcess[str]:
    """Run a file of tests in a pytest of its own, with changed limits."""
    (folder / "test_hanging.py").write_text(content)
    options = [word for key, value in settings.items() for word in ("-o", f"{key}={value}")]
    command = [sys.executable, *program, "-c", ROOT / "pyproject.toml", f"--rootdir={folder}"]
    command += ["-p", "no:ckan", "-p", "no:ckan_fixtures", "-p", "no:cacheprovider", *options]
    return subprocess.run(
        [*command, folder / "test_hanging.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_a_hanging_test_fails_with_its_stack_and_the_next_runs(tmp_path: Path) -> None:
    done = run(tmp_path, HANGING.format(mark=""), timeout="1")

    assert "1 failed, 1 passed" in done.stdout
    assert "Timeout (>1.0s) from pytest-timeout" in done.stdout
    assert "threading.Event().wait()" in done.stdout
    assert done.returncode == 1


def test_a_mark_gives_a_test_a_bound_of_its_own(tmp_path: Path) -> None:
    mark = "import pytest\n@pytest.mark.timeout(1)"
    done = run(tmp_path, HANGING.format(mark=mark))

    assert "1 failed, 1 passed" in done.stdout


def test_a_hang_beyond_signals_ends_pytest_with_its_stack(tmp_path: Path) -> None:
    # As in a library that waits for a lock of the database.
    deaf = "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})\n"
    deaf += HANGING.format(mark="")
    done = run(tmp_path, deaf, timeout="1", faulthandler_timeout="2")

    assert done.returncode == 1
    assert "Timeout (0:00:02)!" in done.stderr
    assert "in test_hangs_for_ever" in done.stderr


def test_left_threads_and_processes_do_not_delay_the_end(tmp_path: Path) -> None:
    # With less patience than bin/test has.
    program = f"import sys; sys.path.insert(0, {str(DEV / 'stack')!r}); import run_tests;"
    program += "run_tests.LEFT_SECONDS = 1; run_tests.main()"
    done = run(tmp_path, LEAVING, ("-c", program))

    assert "1 passed" in done.stdout
    assert "left by the tests, and ended: thread endless, process " in done.stdout
    assert "endless" in done.stderr or "threading.py" in done.stderr  # its stack
    assert done.returncode == 0
    failed = run(tmp_path, "def test_no():\n    assert False\n", (DEV / "stack" / "run_tests.py",))
    assert failed.returncode == 1


def test_ids_of_failed_tests_are_written_for_another_try(tmp_path: Path) -> None:
    failures = tmp_path / "failures"
    content = "def test_no():\n    assert False\n\ndef test_yes():\n    pass\n"
    run(tmp_path, content, (DEV / "stack" / "run_tests.py", f"--failures={failures}"))

    assert failures.read_text().splitlines() == ["test_hanging.py::test_no"]


def test_every_test_has_a_bound(pytestconfig: pytest.Config) -> None:
    each, stuck = (float(pytestconfig.getini(name)) for name in ("timeout", "faulthandler_timeout"))
    assert 0 < each < stuck <= 30 * 60
    assert pytestconfig.getini("faulthandler_exit_on_timeout") is True
