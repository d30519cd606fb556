"""Documents, real ones and our own, are read as their manifest says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance import conftest, manifest
from tests.conformance.conftest import OWN
from tests.conformance.expectations import TYPE_OF, differences
from tests.conformance.manifest import Sample
from tests.conformance.running import check_all

UNMET = {
    each["sample"]: each["reason"] for each in manifest.load_toml("unmet.toml").get("unmet", [])
}
MOST_UNMET = 0.05  # of a kind


@pytest.mark.parametrize("kind", TYPE_OF)
def test_the_documents_of_a_kind_arrive_as_their_manifest_says(
    kind: str, folder: Path, samples: list[Sample], tmp_path: Path
) -> None:
    chosen = [sample for sample in samples if sample.kind == kind]
    jobs = ((TYPE_OF[kind], folder / sample.name) for sample in chosen)
    outcomes = check_all(jobs, tmp_path)
    wrong = {
        sample.name: words
        for sample, outcome in zip(chosen, outcomes, strict=True)
        if (words := list(differences(sample, outcome)))
    }
    listed = UNMET.keys() & {sample.name for sample in chosen}
    assert {name: words for name, words in wrong.items() if name not in listed} == {}
    assert listed - wrong.keys() == set(), "met: take it out of unmet.toml"


def test_few_documents_of_a_kind_are_unmet(samples: list[Sample]) -> None:
    for kind in TYPE_OF:
        names = {sample.name for sample in samples if sample.kind == kind}
        assert len(names & UNMET.keys()) <= MOST_UNMET * len(names), kind


def test_each_unmet_document_is_there_with_a_reason(real_samples: list[Sample]) -> None:
    assert UNMET.keys() <= {sample.name for sample in real_samples}
    assert all(reason.strip() for reason in UNMET.values())


def test_our_own_documents_are_all_listed_and_of_every_kind() -> None:
    samples = manifest.read(OWN)
    files = {path.relative_to(OWN).as_posix() for path in OWN.rglob("*") if path.is_file()}
    assert files == {"MANIFEST.tsv", *(sample.name for sample in samples)}
    assert {sample.kind for sample in samples} == {*TYPE_OF, "bad"}
    assert {Path(name).suffix for name in files if name.startswith("dcat/")} == {
        ".jsonld",
        ".rdf",
        ".ttl",
    }


def test_skip_without_real_documents_says_what_was_read(tmp_path: Path) -> None:
    with pytest.raises(pytest.skip.Exception, match=r"bin/test --all .* \.\./shared/samples"):
        conftest.find_real(None)
    with pytest.raises(pytest.fail.Exception, match="no MANIFEST"):
        conftest.find_real(str(tmp_path))
