"""The folders of documents: our own, and the real ones of --samples DIR."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance import manifest
from tests.conformance.manifest import Sample

OWN = Path(__file__).with_name("documents")
NOT_READ = (
    "only the documents in tests/conformance/documents were read: bin/test --all also reads the "
    "real ones of ../shared/samples, and --samples DIR those of another folder."
)


def find_real(samples: str | None) -> Path:
    """Return the folder of real documents; without it skip the test, which bin/test reports."""
    if not samples:
        pytest.skip(NOT_READ)
    folder = Path(samples)
    if not (folder / "MANIFEST.tsv").is_file():
        pytest.fail(f"--samples {samples}: no MANIFEST.tsv is there")
    return folder.resolve()


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
