"""Run ``ukharvest`` as publishers do, without a process of its own."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from typing import Any, NamedTuple
from unittest.mock import patch

from ckanext.ukharvest.check_command.command import main
from tests.publisher import SOURCES


class Result(NamedTuple):
    """Exit code and output of the command."""

    code: int
    out: str
    err: str


def run(*arguments: str, content: bytes = b"", columns: int = 100) -> Result:
    """Run the command with its standard input, in a terminal of some width."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with (
        patch.dict(os.environ, COLUMNS=str(columns)),
        patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(content))),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            code = main(arguments)
        except SystemExit as exc:  # of argparse
            code = int(exc.code or 0)
    for stream in (out, err):
        stream.seek(0)
    result = Result(code, out.read(), err.read())
    assert "Traceback" not in result.out + result.err
    return result


def run_json(*arguments: str, content: bytes = b"") -> tuple[int, dict[str, Any]]:
    """Run ``ukharvest check`` and return its exit code and its result as JSON."""
    result = run("check", *arguments, "--format", "json", content=content)
    return result.code, json.loads(result.out)


def loaded_ckan(*arguments: str) -> tuple[list[str], int]:
    """Run the command in a process; return which modules of CKAN it loaded, and its exit code."""
    script = (
        "import json, sys; from ckanext.ukharvest.check_command.command import main;"
        "code = main(sys.argv[1:]);"
        "names = [n for n in sys.modules if n == 'ckan' or n.startswith('ckan.')];"
        "print(); print(json.dumps([names, code]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    names, code = json.loads(done.stdout.splitlines()[-1])
    return names, code


def sample_file(case: str) -> str:
    return str(SOURCES / case / "data.json")
