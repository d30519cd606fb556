"""Where the real documents are: beside the checkout, or where --samples says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance import manifest
from tests.conformance.manifest import Sample

BESIDE = Path(__file__).resolve().parents[3] / "shared" / "samples"


@pytest.fixture(scope="session")
def folder(request: pytest.FixtureRequest) -> Path:
    """The folder of the documents; without it the test is skipped."""
    said = request.config.getoption("samples")
    found = Path(said) if said else BESIDE
    if not (found / "MANIFEST.tsv").is_file():
        if said:
            pytest.fail(f"--samples {said}: no MANIFEST.tsv is there")
        pytest.skip("no real documents: neither ../shared/samples nor --samples DIR is there")
    return found.resolve()


@pytest.fixture(scope="session")
def samples(folder: Path) -> list[Sample]:
    """Every document that the manifest tells of."""
    return manifest.read(folder)
