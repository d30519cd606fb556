"""Stars of all datasets in one pass, and their figures by organisation."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests.helpers import call_action
from click.testing import Result

from ckanext.ukharvest import compat
from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.harvest.index import pending_index
from ckanext.ukharvest.harvest.model import utcnow
from ckanext.ukharvest.stars import jobs as star_jobs
from ckanext.ukharvest.stars.model import StarRating
from tests.ckan.harvesting import Portal, statements

pytestmark = pytest.mark.in_process


def test_all_datasets_in_one_pass(
    councils: dict[str, str],
    portal: Portal,
    run: Callable[..., Result],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    portal.source("https://data.example/data.json")
    before = {row.package_id: row.stars for row in model.Session.query(StarRating)}
    assert re.search(r"Scored 9 datasets in \d+ s; 0 changed\.\n", run("--all").output)
    model.Session.execute(sa.update(StarRating).values(stars=5, stars_code="x"))
    model.Session.execute(
        sa.delete(StarRating).where(StarRating.package_id == model.Package.get("a-council-0").id)
    )
    model.Session.commit()
    reset = "b-council-0"  # another reason, but the same number
    model.Session.execute(
        sa.update(StarRating)
        .where(StarRating.package_id == model.Package.get(reset).id)
        .values(stars=4)
    )
    model.Session.commit()
    indexed: list[str] = []
    real = compat.index_packages
    monkeypatch.setattr(
        compat, "index_packages", lambda ids, values: (indexed.extend(ids), real(ids, values))[1]
    )
    said = run("--all").output
    assert len(indexed) == 8
    assert model.Package.get(reset).id not in indexed
    found = call_action("package_search", fq='vocab_ukharvest_stars:"3"', rows=0)
    assert found["count"] == 2
    assert "a-council-0: none → 3 out of 5: Structured data in an open format (CSV)" in said
    assert "b-council-1: 5 out of 5 → 0 out of 5: A page or a program, not data (HTML)" in said
    assert "9 of 9 datasets" in said
    assert re.search(r"Scored 9 datasets in \d+ s; 9 changed\.\n", said)
    model.Session.remove()
    assert {row.package_id: row.stars for row in model.Session.query(StarRating)} == before

    def refuse(*_args: Any) -> None:
        raise compat.IndexFailed("Solr is away")

    monkeypatch.setattr(compat, "index_packages", refuse)
    model.Session.execute(sa.update(StarRating).values(stars=5))
    model.Session.commit()
    run("--all")
    model.Session.remove()
    assert {row.package_id: row.stars for row in model.Session.query(StarRating)} == before
    # The next tick indexes them.
    assert pending_index.measure_backlog(utcnow()).number == 9


def test_pass_costs_the_same_for_three_and_for_nine(
    councils: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def cost() -> int:
        model.Session.execute(sa.update(StarRating).values(stars_detail="other"))
        model.Session.commit()
        with statements() as sent:
            assert sum(number for number, _changes in star_jobs.score_all()) == 9
        return len(sent)

    whole = cost()
    assert whole <= 8
    monkeypatch.setattr(dataset_rows, "CHUNK", 3)
    assert cost() == 3 * (whole - 1) + 1  # and the last query for more


def test_locked_datasets_are_left_to_their_writer(councils: dict[str, str]) -> None:
    model.Session.remove()
    with model.meta.engine.begin() as writer:
        writer.execute(
            sa.text("UPDATE package SET title = 'New' WHERE name IN ('a-council-0', 'nobodys')")
        )
        done: list[int] = []

        def score() -> None:
            done.extend(number for number, _changes in star_jobs.score_all())
            model.Session.remove()

        thread = threading.Thread(target=score)
        thread.start()
        thread.join(30)
        assert done == [7]  # without waiting
