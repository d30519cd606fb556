"""The folders of documents: our own, and real ones beside the checkout or at --samples."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance import manifest
from tests.conformance.manifest import Sample

OWN = Path(__file__).with_name("documents")
BESIDE = Path(__file__).resolve().parents[3] / "shared" / "samples"
ABSENT = (
    "the real documents are not here: there is no ../shared/samples, and no --samples DIR was "
    "given. Only the few in tests/conformance/documents were read."
)


def find_real(samples: str | None) -> Path:
    """Return the folder of real documents; without it skip the test, which bin/test reports."""
    found = Path(samples) if samples else BESIDE
    if not (found / "MANIFEST.tsv").is_file():
        if samples:
            pytest.fail(f"--samples {samples}: no MANIFEST.tsv is there")
        pytest.skip(ABSENT)
    return found.resolve()


@pytest.fixture(scope="session")
def real_folder(request: pytest.FixtureRequest) -> Path:
    """The folder of real documents."""
    return find_real(request.config.getoption("samples"))


@pytest.fixture(scope="session")
def real_samples(real_folder: Path) -> list[Sample]:
    """Every real document in the manifest."""
    return manifest.read(real_folder)


@pytest.fixture(scope="session", params=["own", "real"])
def folder(request: pytest.FixtureRequest) -> Path:
    """Each of the two folders of documents."""
    if request.param == "own":
        return OWN
    return find_real(request.config.getoption("samples"))


@pytest.fixture(scope="session")
def samples(folder: Path) -> list[Sample]:
    """Every document in the manifest of the folder."""
    return manifest.read(folder)
