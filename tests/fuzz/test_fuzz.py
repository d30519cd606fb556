"""Random and changed inputs for every parser and every reader, in processes of their own.

A process that crashes, hangs, takes too much memory, or raises anything but an error of ours fails
the test; its input is kept. ``bin/test --fuzz 10000 tests/fuzz`` is the long form; ``--fuzz-seed``
repeats one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ckanext.ukharvest.source_types import TYPES
from tests.conformance.running import environment
from tests.fuzz.targets import TARGETS

CASES = 20  # bin/test --all tries 120
SEED = 20261124
ROOT = Path(__file__).parent.parent.parent


def test_every_parser_and_reader_is_a_target() -> None:
    parsers = {kind.parser.__name__.split(".")[-2] for kind in TYPES.values()}
    expected = {f"parser-{name}" for name in parsers} | {f"reader-{name}" for name in TYPES}
    assert set(TARGETS) == expected


@pytest.fixture(scope="module")
def child() -> Iterator[subprocess.Popen[str]]:
    """Provides the process that forks one for each target."""
    env = environment()
    env["PYTHONPATH"] += os.pathsep + str(ROOT)
    command = [sys.executable, "-m", "tests.fuzz.child"]
    with subprocess.Popen(
        command, cwd=ROOT, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.kill()


@pytest.mark.timeout(14_400)
@pytest.mark.parametrize("target", sorted(TARGETS))
def test_random_inputs_raise_only_our_errors(
    target: str, pytestconfig: pytest.Config, tmp_path: Path, child: subprocess.Popen[str]
) -> None:
    cases = int(pytestconfig.getoption("fuzz") or CASES)
    seed = int(pytestconfig.getoption("fuzz_seed") or SEED)
    kept = Path(os.environ.get("UKHARVEST_FUZZ_KEPT", tmp_path)) / f"{target}-{seed}.pickle"
    assert child.stdin
    assert child.stdout
    print(json.dumps([target, cases, seed, str(kept)]), file=child.stdin, flush=True)
    code = child.stdout.readline().strip()
    out, err = (Path(f"{kept}{suffix}").read_text("utf-8") for suffix in (".out", ".err"))
    assert code == "0", f"exit code {code}, input in {kept}:\n{err[-6000:]}"
    counts = json.loads(out)
    print(f"{target}: {counts['cases']:,} cases, seed {seed}, {counts['read']:,} of them read")
    assert counts["cases"] >= cases
    # Otherwise the cases would only test the first check of each parser. Few changed inventories
    # pass their schema: 4 in 100. A changed answer of SPARQL is read 2 times in 100.
    share = 100 if target == "reader-sparql" else 40
    assert counts["read"] >= cases // share, counts
