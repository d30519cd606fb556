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


@pytest.mark.timeout(14_400)
@pytest.mark.parametrize("target", sorted(TARGETS))
def test_random_inputs_raise_only_our_errors(
    target: str, pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    cases = int(pytestconfig.getoption("fuzz") or CASES)
    seed = int(pytestconfig.getoption("fuzz_seed") or SEED)
    kept = Path(os.environ.get("UKHARVEST_FUZZ_KEPT", tmp_path)) / f"{target}-{seed}.pickle"
    words = ["-m", "tests.fuzz.child", target, str(cases), str(seed), kept]
    env = environment()
    env["PYTHONPATH"] += os.pathsep + str(ROOT)
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    told = f"exit code {done.returncode}, input in {kept}:\n{done.stderr[-6000:]}"
    assert done.returncode == 0, told
    counts = json.loads(done.stdout)
    print(f"{target}: {counts['cases']:,} cases, seed {seed}, {counts['read']:,} of them read")
    assert counts["cases"] >= cases
    # Otherwise the cases would only test the first check of each parser. Few changed inventories
    # pass their schema: 4 in 100. A changed answer of SPARQL is read 2 times in 100.
    share = 100 if target == "reader-sparql" else 40
    assert counts["read"] >= cases // share, counts
