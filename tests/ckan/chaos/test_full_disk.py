"""A full disk under the folder of downloads: the run fails and says so, and the next one works."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from ckanext.ukharvest.harvest.gather import gather_stage
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.chaos.small_disk import small_disk
from tests.ckan.harvesting import Portal, figures
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
LONG = "What the county counted. " * 1000
# Turtle's reader makes a second file of a document that is not UTF-8.
TURTLE = (
    '<https://data.example/{n}> a dcat:Dataset ; dct:title "Caf\xe9 {n}" ;\n'
    '  dct:description "{text}" .\n'
)
HEAD = "@prefix dcat: <http://www.w3.org/ns/dcat#> .\n@prefix dct: <http://purl.org/dc/terms/> .\n"


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gather_stage, "PAUSES", (0, 0, 0))


@pytest.mark.parametrize("type_", ["data_json", "dcat_rdf"])
def test_a_run_that_finds_no_room_fails_and_deletes_nothing(
    portal: Portal,
    publisher: Publisher,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    type_: str,
) -> None:
    serve(publisher, type_, number=400)
    source = portal.source(publisher.url(PATH), type_)
    (tmp_path / "disk").mkdir()
    with monkeypatch.context() as patch, small_disk(tmp_path / "disk"):
        patch.setattr(tempfile, "tempdir", str(tmp_path / "disk"))
        job = portal.run(source)
        assert figures(job) == {"errored": 1}
        (error,) = job["gather_error_summary"]
        assert "The disk of this portal failed while the source was read" in error["message"]
        assert str(tmp_path / "disk") in error["message"]
    assert portal.datasets() == []
    serve(publisher, type_, number=3)
    assert figures(portal.run(source)) == {"added": 3}
    serve(publisher, type_, number=400)
    with monkeypatch.context() as patch, small_disk(tmp_path / "disk"):
        patch.setattr(tempfile, "tempdir", str(tmp_path / "disk"))
        assert figures(portal.run(source)) == {"errored": 1}
    assert len(portal.datasets()) == 3
    serve(publisher, type_, number=3)
    assert figures(portal.run(source)) == {"not modified": 3}


def serve(publisher: Publisher, type_: str, number: int) -> None:
    if type_ == "data_json":
        publisher.serve(PATH, catalogue([dataset(n, description=LONG) for n in range(number)]))
        return
    text = HEAD + "".join(TURTLE.format(n=n, text=LONG) for n in range(number))
    publisher.serve(PATH, text.encode("latin-1"), headers={"Content-Type": "text/turtle"})
