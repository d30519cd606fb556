"""No document, good or bad, makes any type fail without words, hang, or ask the network."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ckanext.ukharvest.types import TYPES
from tests.conformance import every_document
from tests.conformance.running import environment

ALL_OF_THEM = 300  # seconds


@pytest.mark.parametrize("source_type", TYPES)
def test_any_document_is_answered_in_words_in_time_and_without_a_network(
    source_type: str, folder: Path, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, every_document.__file__, source_type, str(folder)],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=ALL_OF_THEM,
        check=False,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, (answers[-1:], done.stderr[-2000:])
    assert len(answers) == sum(path.is_file() for path in folder.rglob("*"))
    for answer in answers:
        assert answer["status"] in (0, 1, 2), answer
        assert "internal error" not in answer["stderr"], answer
        assert "Traceback" not in answer["stderr"], answer


def test_the_guard_ends_a_process_that_asks_the_network(tmp_path: Path) -> None:
    words = "import socket; socket.create_connection(('192.0.2.1', 80))"
    done = subprocess.run(
        [sys.executable, "-c", words],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr[:8]) == (97, "NETWORK:")
