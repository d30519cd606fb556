"""No document makes any type fail without a message, hang, or use the network."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ckanext.ukharvest.source_types import TYPES
from tests.conformance.running import PROGRAM, run, run_all


@pytest.mark.parametrize("source_type", TYPES)
def test_check_ends_in_time_for_any_document_without_a_network(
    source_type: str, folder: Path, tmp_path: Path
) -> None:
    documents = sorted(path for path in folder.rglob("*") if path.is_file())
    answers = run_all((tmp_path, ["check", source_type, str(path)]) for path in documents)
    for path, answer in zip(documents, answers, strict=True):
        assert answer.status in (0, 1, 2), (path.name, answer)
        assert "internal error" not in answer.stderr, (path.name, answer)
        assert "Traceback" not in answer.stderr, (path.name, answer)


def test_installed_program_answers_as_in_one_process(folder: Path, tmp_path: Path) -> None:
    document = min(folder.rglob("*.json"))
    arguments = ["check", "data_json", str(document), "--format", "json"]
    assert [run([PROGRAM, *arguments], tmp_path)] == run_all([(tmp_path, arguments)])


def test_the_guard_ends_a_process_that_asks_the_network(tmp_path: Path) -> None:
    words = "import socket; socket.create_connection(('192.0.2.1', 80))"
    done = run([sys.executable, "-c", words], tmp_path)
    assert (done.status, done.stderr[:8]) == (97, "NETWORK:")
