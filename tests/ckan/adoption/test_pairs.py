"""Datasets made by hand, attached to a source's records by a list of pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ckan import model
from ckan.plugins import toolkit as tk
from ckan.tests import factories
from ckan.tests.helpers import call_action
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest.adoption.pairs import read_csv
from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.core.dataset_changes import differing_fields
from ckanext.ukharvest.harvest.model import Record
from tests.ckan.adoption.stock_harvests import current_objects, numbered
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act, figures
from tests.publisher import Publisher

pytestmark = [pytest.mark.in_process, pytest.mark.usefixtures("consumer")]

PATH = "/data.json"
GUIDS = [record["identifier"] for record in numbered(4)]


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    publisher.serve(PATH, catalogue(4))
    return portal.source(publisher.url(PATH), name="council")


@pytest.fixture
def by_hand(portal: Portal) -> list[str]:
    """Names of two datasets of the source's organisation."""
    return [
        factories.Dataset(name=f"by-hand-{number}", owner_org=portal.organization_id)["name"]
        for number in range(2)
    ]


def pairs(names: list[str], guids: list[str] = GUIDS) -> list[dict[str, str]]:
    return [{"dataset": name, "guid": guid} for name, guid in zip(names, guids, strict=False)]


def write(folder: Path, text: str) -> str:
    path = folder / "pairs.csv"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_attached_datasets_are_updated_by_the_next_run(
    portal: Portal, source: str, by_hand: list[str], cli: Any, tmp_path: Path
) -> None:
    before = {each["name"]: each["id"] for each in portal.datasets()}
    rows = [f"{name},{guid}" for name, guid in zip(by_hand, GUIDS, strict=False)]
    words = ["attach", "council", write(tmp_path, "\n".join(("dataset,guid", *rows)))]
    trial = cli.invoke(ukharvest, [*words, "--dry-run"])
    assert (trial.exit_code, model.Session.query(Record).count()) == (0, 0)
    assert "2 datasets would be attached." in trial.output
    done = cli.invoke(ukharvest, words)
    assert (done.exit_code, "2 datasets attached." in done.output) == (0, True)
    again = cli.invoke(ukharvest, words).output
    assert "0 datasets attached." in again
    assert "2 datasets attached already." in again
    assert figures(portal.run(source)) == {"added": 2, "updated": 2}
    after = {each["name"]: each for each in portal.datasets()}
    assert {name: after[name]["id"] for name in by_hand} == before
    assert after["by-hand-1"]["notes"] == "What is known about number 1."
    assert figures(portal.run(source)) == {"not modified": 4}


def test_attaching_makes_the_next_run_read_an_unchanged_source(
    portal: Portal, publisher: Publisher, source: str, by_hand: list[str]
) -> None:
    publisher.serve(PATH, catalogue(numbered(4)[2:]), headers={"ETag": '"1"'})
    assert figures(portal.run(source)) == {"added": 2}
    act("ukharvest_dataset_attach", source_id=source, pairs=pairs(by_hand))
    assert figures(portal.run(source)) == {"not modified": 2}
    # What the source does not list was released: nothing counts as missing, nothing is deleted.
    assert len(portal.datasets()) == 4
    assert model.Session.query(Record).count() == 2


def test_attached_datasets_are_released_by_undo(
    portal: Portal, source: str, by_hand: list[str], cli: Any
) -> None:
    act("ukharvest_dataset_attach", source_id=source, pairs=pairs(by_hand))
    undone = cli.invoke(ukharvest, ["adopt", "council", "--undo"])
    assert (undone.exit_code, "2 datasets no longer" in undone.output) == (0, True)
    assert figures(portal.run(source)) == {"added": 4}
    assert len(portal.datasets()) == 6


def test_undo_after_a_run_releases_only_attached_datasets(
    portal: Portal, source: str, by_hand: list[str]
) -> None:
    before = act("package_show", id=by_hand[0])
    act("ukharvest_dataset_attach", source_id=source, pairs=pairs(by_hand[:1]))
    assert figures(portal.run(source)) == {"added": 3, "updated": 1}
    done = act("ukharvest_source_adopt", source_id=source, undo=True)
    assert (done["restored"], len(done["left"])) == (1, 3)
    own = [row.guid for row in model.Session.query(Record).filter(Record.resources.isnot(None))]
    assert sorted(own) == GUIDS[1:]
    assert before["id"] not in current_objects()
    assert figures(portal.run(source)) == {"added": 1, "not modified": 3}
    assert differing_fields(before, act("package_show", id=by_hand[0])) == set()


@pytest.mark.ckan_config("ckanext.ukharvest.delete.after_runs", "1")
@pytest.mark.parametrize("by", ["CKAN", "parser"])
def test_attached_dataset_that_no_run_wrote_is_never_deleted(
    by: str, portal: Portal, publisher: Publisher, source: str, by_hand: list[str]
) -> None:
    before = act("package_show", id=by_hand[0])
    act("ukharvest_dataset_attach", source_id=source, pairs=pairs(by_hand[:1]))
    config = '{"default_tags": ["x"]}' if by == "CKAN" else ""  # CKAN's tags are longer
    act("harvest_source_patch", id=source, config=config)
    publisher.serve(PATH, catalogue([dataset(0, title="" if by == "parser" else "Parking")]))
    for _run in range(2):
        assert figures(portal.run(source)) == {"errored": 1}
    act("harvest_source_patch", id=source, config="")
    publisher.serve(PATH, catalogue(numbered(3)[1:]))
    assert figures(portal.run(source)) == {"added": 2}
    assert act("package_show", id=by_hand[0]) == before
    assert model.Session.query(Record).count() == 2


def test_one_wrong_pair_attaches_none_and_is_named(
    portal: Portal, publisher: Publisher, source: str, by_hand: list[str], cli: Any, tmp_path: Path
) -> None:
    publisher.serve("/other.json", catalogue(numbered(6)[4:]))
    assert figures(portal.run(portal.source(publisher.url("/other.json"), name="other"))) == {
        "added": 2
    }
    (theirs,) = (each["name"] for each in portal.datasets() if each["title"].endswith("5"))
    first, second = by_hand
    act("ukharvest_dataset_attach", source_id=source, pairs=pairs([first]))
    text = f"""dataset,guid
{second},one
nowhere,two
{second},three
{first},four
{theirs},five
council,six
,seven
{second},{GUIDS[0]}
"""
    done = cli.invoke(ukharvest, ["attach", "council", write(tmp_path, text)])
    assert done.exit_code == 2
    for words in (
        "Row 2, nowhere: There is no dataset of this name or id",
        "Row 3, by-hand-1: The list names this dataset or guid twice.",
        f"Row 4, by-hand-0: It is the dataset of the record {GUIDS[0]} already.",
        f"Row 5, {theirs}: It is harvested from the source other.",
        "Row 6, council: There is no dataset of this name or id",
        "Row 7, : Expected a dataset and a guid.",
    ):
        assert words in done.output
    assert "Row 1" not in done.output
    assert model.Session.query(Record).filter_by(source_id=source).count() == 1
    taken = cli.invoke(
        ukharvest, ["attach", "council", write(tmp_path, f"dataset,guid\n{second},{GUIDS[0]}")]
    )
    assert f"The record {GUIDS[0]} has another dataset already." in taken.output


def test_editors_attach_only_datasets_that_they_may_edit(
    portal: Portal, source: str, by_hand: list[str], editor: dict[str, Any]
) -> None:
    elsewhere = factories.Dataset(owner_org=factories.Organization()["id"])["name"]
    context = {"user": editor["name"], "ignore_auth": False}
    given = {"source_id": source, "pairs": pairs([by_hand[0], elsewhere])}
    with pytest.raises(tk.ValidationError, match="that you may edit"):
        call_action("ukharvest_dataset_attach", context, **given)
    done = call_action("ukharvest_dataset_attach", context, source_id=source, pairs=pairs(by_hand))
    assert [each["name"] for each in done["attached"]] == by_hand


@pytest.mark.ckan_config("ckan.auth.allow_dataset_collaborators", "true")
def test_collaborators_take_no_dataset_to_their_organisation(
    portal: Portal, source: str, editor: dict[str, Any]
) -> None:
    theirs = factories.Dataset(owner_org=factories.Organization()["id"])["id"]
    act("package_collaborator_create", id=theirs, user_id=editor["id"], capacity="editor")
    context = {"user": editor["name"], "ignore_auth": False}
    given = {"source_id": source, "pairs": pairs([theirs])}
    with pytest.raises(tk.ValidationError, match="organisation whose datasets you may not edit"):
        call_action("ukharvest_dataset_attach", context, **given)


def test_attaching_is_refused_where_no_run_could_use_it(
    portal: Portal, source: str, by_hand: list[str], cli: Any, tmp_path: Path
) -> None:
    given = {"source_id": source, "pairs": pairs(by_hand)}
    for wrong in ("by-hand-0", [["by-hand-0", "a"]], [{}] * 10_001):
        with pytest.raises(tk.ValidationError, match="pairs"):
            act("ukharvest_dataset_attach", source_id=source, pairs=wrong)
    portal.create_job(source)
    with pytest.raises(tk.ValidationError, match="has not ended"):
        act("ukharvest_dataset_attach", **given)
    model.Session.query(HarvestSource).update({"type": "waf"})
    model.Session.commit()
    with pytest.raises(tk.ValidationError, match="source type"):
        act("ukharvest_dataset_attach", **given)
    too_long = 'dataset,guid\n"' + "x" * 1_100_000
    for text, why in (("name,guid\na,b", "no column dataset"), (too_long, "be read as CSV")):
        wrong_file = cli.invoke(ukharvest, ["attach", "council", write(tmp_path, text)])
        assert (wrong_file.exit_code, why in wrong_file.output) == (2, True)


@pytest.mark.parametrize(
    "text",
    [
        "dataset,guid\nparks,a;1\n",
        "\ufeffguid;note;dataset\r\na;1;;parks\r\n".replace("a;1", '"a;1"'),
        'local;remote\nparks;"a;1"\n',
    ],
)
def test_lists_of_pairs_can_be_of_several_forms(text: str) -> None:
    assert read_csv(text.encode()) == [{"dataset": "parks", "guid": "a;1"}]
