"""Stars of openness: computed whenever a dataset is written, and shown with the reason."""

from __future__ import annotations

import logging
from collections.abc import Callable

import ckan.plugins.toolkit as tk
import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests.helpers import call_action

from ckanext.ukharvest.core.values.stars import Stars
from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.stars import jobs as stars_jobs
from ckanext.ukharvest.stars import rules as star_rules
from ckanext.ukharvest.stars.model import StarRating
from tests.ckan.catalogues import catalogue
from tests.ckan.catalogues import dataset as entry
from tests.ckan.harvesting import Portal, act, statements
from tests.ckan.stars.starred_datasets import make, show
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


def row(package_id: str) -> StarRating | None:
    model.Session.remove()
    return model.Session.get(StarRating, package_id)


def best(package_id: str) -> tuple[int, str, str]:
    found = row(package_id)
    assert found
    return found.stars, found.stars_code, found.stars_detail


def test_a_dataset_that_a_person_writes() -> None:
    id_ = make({"format": "PDF"}, {"format": "CSV"}, {"format": "CSV", "resource_type": "code"})
    shown = show(id_)
    since = shown.pop("since")
    assert since
    pdf, csv = shown.pop("resources")
    assert shown == {
        "stars": 3,
        "code": "format",
        "caption": "Structured data in an open format (CSV)",
        "reason": "Structured data in an open format (CSV)",
        "text": "3 out of 5: Structured data in an open format (CSV)",
        "basis": "Judged from the metadata alone.",
        "dead_since": None,
    }
    ids = [each["id"] for each in call_action("package_show", id=id_)["resources"]]
    assert [pdf["id"], csv["id"]] == ids[:2]
    assert [pdf["stars"], csv["stars"]] == [1, 3]


def test_resources_keep_the_order_of_the_dataset() -> None:
    id_ = make({"format": "PDF"}, {"format": "CSV"}, {"format": "XLS"})
    resource = model.resource_table
    # An update writes the row anew, behind the others.
    first = sa.update(resource).where(resource.c.package_id == id_, resource.c.position == 0)
    model.Session.execute(first.values(url_type=None))
    model.Session.commit()
    assert [each["stars"] for each in show(id_)["resources"]] == [1, 3, 2]


def test_an_edit_changes_them() -> None:
    id_ = make({"format": "CSV"})
    act("package_patch", id=id_, license_id="")
    assert best(id_) == (0, "no-licence", "")
    act("package_patch", id=id_, license_id="uk-ogl")
    shown = call_action("package_show", id=id_)
    act("package_update", **{**shown, "license_id": ""})
    assert best(id_) == (0, "no-licence", ""), "the licence's title is sent back without it"
    assert stars_jobs.score_one(id_) == []
    act("package_patch", id=id_, license_id="other-closed")
    assert best(id_) == (0, "closed-licence", "other-closed")
    act("package_patch", id=id_, extras=[{"key": "license_url", "value": "CC0"}], license_id="")
    assert best(id_) == (3, "format", "CSV")
    model.Session.execute(sa.delete(StarRating))
    model.Session.commit()
    shown = show(id_)
    assert (shown["stars"], shown["since"]) == (3, None), "a dataset from before"


def test_each_way_to_change_a_resource_counts() -> None:
    id_ = make({"format": "PDF"})
    added = act("resource_create", package_id=id_, url="https://files.example/a.ttl")
    assert best(id_) == (4, "format", "TTL")
    assert [each["stars"] for each in show(id_)["resources"]] == [1, 4]
    act("resource_patch", id=added["id"], url="https://files.example/a", format="XLS")
    assert best(id_) == (2, "format", "XLS")
    act("resource_delete", id=added["id"])
    assert best(id_) == (1, "format", "PDF")
    act("package_patch", id=id_, resources=[])
    assert best(id_) == (0, "no-data", "")
    act("package_patch", id=id_, extras=[{"key": "unpublished", "value": "true"}])
    assert best(id_) == (0, "unpublished", "")


def test_a_resource_has_a_licence_of_its_own() -> None:
    id_ = make(
        {"format": "CSV", "licence": "https://creativecommons.org/licenses/by-nc/4.0/"},
        {"format": "XLS"},
    )
    assert best(id_) == (2, "format", "XLS")
    id_ = make(
        {"format": "CSV", "licence": "https://creativecommons.org/licenses/by/4.0/"},
        {"format": "JSON-LD"},
        name="lakes",
        license_id="notspecified",
    )
    assert best(id_) == (3, "format", "CSV")
    assert [each["code"] for each in show(id_)["resources"]] == ["format", "no-licence"]


def test_linked_data() -> None:
    links = [{"key": "relation", "value": "https://other.example/id/rivers"}]
    id_ = make({"format": "TTL"}, extras=links)
    assert best(id_) == (5, "linked", "TTL")
    assert show(id_)["text"] == "5 out of 5: Linked data, with links to other data (TTL)"


def test_a_dataset_is_written_whatever_fails_here(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delattr(star_rules, "score_dataset")
    id_ = make({"format": "CSV"})
    assert row(id_) is None
    assert "could not be worked out" in caplog.text


def test_assessment_is_written_after_locking_the_dataset(
    portal: Portal, publisher: Publisher
) -> None:
    def order(sent: list[str]) -> list[str]:
        locks = ("UPDATE package SET", "INSERT INTO ukharvest_stars")
        return [
            each[:6]
            for each in sent
            if each.startswith(locks) or ("FROM package" in each and "FOR NO KEY UPDATE" in each)
        ]

    def run(title: str, *, force: bool = False) -> str:
        publisher.serve("/data.json", catalogue([entry(1, title=title, theme=["Health"])]))
        with statements() as sent:
            portal.run(source, force=force)
        return order(sent)[0]

    source = portal.source(publisher.url("/data.json"))
    run("Rivers")
    assert run("Lakes") == "UPDATE"
    [dataset] = portal.datasets()
    with statements() as sent:
        act("package_patch", id=dataset["id"], extras=[{"key": "theme-primary", "value": "Crime"}])
    assert order(sent)[0] == "UPDATE"
    assert run("Lakes", force=True) == "SELECT"


def test_an_import_scores_without_reading_again(
    portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(dataset_rows, "load_datasets")
    publisher.serve("/data.json", catalogue([entry(1), entry(2, license="")]))
    source = portal.source(publisher.url("/data.json"))
    with statements("ukharvest_stars") as sent:
        portal.run(source)
    assert [best(each["id"])[:2] for each in portal.datasets()] == [
        (3, "format"),
        (0, "no-licence"),
    ]
    assert len([each for each in sent if each.startswith("INSERT")]) == 2
    assert row(source) is None
    with pytest.raises(tk.ObjectNotFound):
        show(source)


def test_a_harvest_brings_new_stars(portal: Portal, publisher: Publisher) -> None:
    publisher.serve("/data.json", catalogue([entry(1, license="")]))
    source = portal.source(publisher.url("/data.json"))
    portal.run(source)
    (found,) = portal.datasets()
    assert best(found["id"])[:2] == (0, "no-licence")
    publisher.serve("/data.json", catalogue([entry(1)]))
    portal.run(source)
    assert best(found["id"]) == (3, "format", "CSV")


def test_another_package_changes_rules_scores_and_reasons(second: Callable[..., None]) -> None:
    id_ = make({"format": "XLS"})
    assert best(id_) == (2, "format", "XLS")
    second("second_stars")
    [change] = stars_jobs.score_one(id_)
    assert (change.before, change.after) == (Stars(2, "format", "XLS"), Stars(1, "format", "XLS"))
    act(
        "package_patch",
        id=id_,
        resources=[{"url": "https://f.example/a", "format": "house format"}],
    )
    assert best(id_)[0] == 1  # with the given spelling
    act(
        "package_patch",
        id=id_,
        resources=[{"url": "https://f.example/a", "format": "House format"}],
    )
    assert best(id_) == (3, "format", "House format")
    locked = {"url": "https://f.example/a.csv", "description": "Needs a password"}
    act("package_patch", id=id_, resources=[locked])
    assert show(id_)["text"] == "0 out of 5: it is behind a password"
    id_ = make({"format": "PDF"}, name="of-the-statistics-office")
    assert best(id_) == (4, "Judged by the statistics office", "")


def test_a_package_with_bugs_changes_nothing(
    second: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    second("faulty_stars", "second_stars")
    with caplog.at_level(logging.ERROR):
        id_ = make({"format": "CSV"}, {"url": "https://f.example/b", "description": "password"})
    assert best(id_) == (3, "format", "CSV")
    assert "'faulty_stars' failed" in caplog.text
    assert show(id_)["resources"][1]["text"] == "0 out of 5: it is behind a password"
