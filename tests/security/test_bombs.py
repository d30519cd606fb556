"""Documents that are small to send and large to open: each ends with an error or a short result."""

from __future__ import annotations

import gc
import gzip
import io
import json
import tracemalloc
import zipfile
import zlib
from dataclasses import replace

import pytest

from tests.publisher import Request, Response
from tests.security.features import FEATURES, Feature
from tests.security.stage import Attack, Change, Stage, play

SIZE = 40_000_000  # bytes when unpacked; the client's limit is a fortieth
MEMORY = SIZE * 3 // 4  # bytes that Python may hold at once: no whole bomb


def _zip() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../etc/passwd", b"0" * SIZE)
    return file.getvalue()


_ZEROS = b"0" * SIZE
_GZIP = gzip.compress(_ZEROS)
BOMBS: dict[str, tuple[bytes, str]] = {
    "gzip": (_GZIP, "gzip"),
    "deflate": (zlib.compress(_ZEROS), "deflate"),
    "gzip in gzip": (gzip.compress(_GZIP), "gzip, gzip"),
    "many members": (gzip.compress(b"0" * 100_000) * 400, "gzip"),
    "gzip that is not unpacked": (gzip.compress(_GZIP), "gzip"),
    "zip": (_zip(), ""),
    "arrays": (b"[" * 900_000, ""),
    "objects": (b'{"a":' * 150_000, ""),
    "elements": (b"<a>" * 300_000, ""),
    "attributes": (b"<a " + b"".join(b'a%d="" ' % n for n in range(80_000)) + b"/>", ""),
    "a long text": (b'{"dataset": [{"title": "' + b"\\u0000" * 150_000 + b'"}]}', ""),
    "a long number": (b'{"dataset": [{"identifier": ' + b"9" * 900_000 + b"}]}", ""),
}


def _bomb(body: bytes, encoding: str) -> Change:
    headers = {"Content-Encoding": encoding} if encoding else {}

    def change(_stage: Stage, _count: int, _request: Request, response: Response) -> Response:
        sent = {**response.headers, **headers}
        return replace(response, body=body, headers=sent, etag="")

    return change


# Previews and ``ukharvest check`` use the same readers.
OPENING = [each for each in FEATURES if each.kind in ("read", "link")]


@pytest.fixture(scope="module", autouse=True)
def what_other_tests_left() -> None:
    """Take it out of what Python looks for garbage in, once: it takes a second each time."""
    gc.collect()
    gc.freeze()


@pytest.mark.parametrize("feature", OPENING, ids=lambda each: each.name)
@pytest.mark.parametrize("name", BOMBS)
def test_bombs_end_in_errors_or_short_results(name: str, feature: Feature, stage: Stage) -> None:
    attack = Attack(name, change=_bomb(*BOMBS[name]))
    # A finaliser that the collector runs while JSON is read at its deepest has no stack left to run
    # on; pytest would count that as a failure of whichever test runs then.
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        found = play(attack, feature, stage)
        _now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        gc.enable()
    assert stage.publisher.requests
    assert peak < MEMORY
    assert "internal error" not in found
    assert len(found) < 20_000
    assert json.dumps(found)
