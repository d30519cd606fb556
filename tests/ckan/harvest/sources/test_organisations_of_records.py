"""Organisation by the record: a table of the source gives datasets to publishers' organisations."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ckan import model
from ckan.tests import factories

from ckanext.ukharvest.harvest.model import RecordProblem
from tests.ckan.adoption.stock_harvests import of_another
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act, figures
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
PUBLISHERS = ("Roads Agency", "Parks Board", "Somewhere Council")


def owners(portal: Portal) -> list[str]:
    """Return the names of the organisations of all datasets, by title."""
    return [str(each["organization"]["name"]) for each in portal.datasets()]


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    for name in ("roads", "parks", "other"):
        factories.Organization(name=name)
    rows = [dataset(n, publisher={"name": name}) for n, name in enumerate(PUBLISHERS)]
    publisher.serve(PATH, catalogue(rows))
    table = {"roads agency": "roads", "Parks Board": "parks"}
    return portal.source(publisher.url(PATH), config={"organisations": table})


def test_datasets_go_to_the_organisations_of_their_publishers(portal: Portal, source: str) -> None:
    own = model.Group.get(portal.organization_id).name
    assert figures(portal.run(source)) == {"added": 3}
    assert owners(portal) == ["roads", "parks", own]
    assert figures(portal.run(source)) == {"not modified": 3}


def test_a_changed_table_moves_only_what_it_concerns(portal: Portal, source: str) -> None:
    own = model.Group.get(portal.organization_id).name
    portal.run(source)
    table = {"Roads Agency": "roads", "Parks Board": "other", "Nobody": "parks"}
    act("harvest_source_patch", id=source, config=json.dumps({"organisations": table}))
    assert figures(portal.run(source)) == {"updated": 1, "not modified": 2}
    assert owners(portal) == ["roads", "other", own]
    act("harvest_source_patch", id=source, config='{"organisations": {"Parks Board": "gone"}}')
    assert figures(portal.run(source)) == {"updated": 2, "not modified": 1}
    assert owners(portal) == [own] * 3
    (problem,) = model.Session.query(RecordProblem).filter_by(code="organisation-not-created")
    assert "there is no organisation 'gone'" in problem.message


def test_adoption_translates_a_table_of_names(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    config = json.dumps({"organization_mapping": {"Parks Board": "parks", "Odd": {"a": 1}}})
    publisher.serve("/2.json", catalogue([dataset(5, publisher={"name": "Parks Board"})]))
    other = of_another(portal.source(publisher.url("/2.json")), "datajson", config)
    refused: Any = act("ukharvest_source_adopt", source_id=other, dry_run=True)
    assert refused["options"][0]["change"] == "dropped"
    config = json.dumps({"organization_mapping": {"Parks Board": "parks"}})
    of_another(other, "datajson", config)
    act("ukharvest_source_adopt", source_id=other)
    assert figures(portal.run(other)) == {"added": 1}
    assert owners(portal) == ["parks"]
