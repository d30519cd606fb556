"""Features in a batch: one that fails costs no record, and a refused record takes its rows back."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model

from ckanext.ukharvest.harvest import lists
from ckanext.ukharvest.plugin import UkharvestPlugin
from ckanext.ukharvest.stars.model import StarRating
from tests.ckan.harvest.batch.batches import deliver_one, gather, source
from tests.ckan.harvesting import (
    Portal,
    figures,
)
from tests.publisher import Publisher

pytestmark = [pytest.mark.in_process, pytest.mark.usefixtures("consumer")]


def test_feature_that_fails_costs_no_record(
    portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_args: Any, **_more: Any) -> dict[str, Any]:
        raise RuntimeError("a bug of this feature")

    monkeypatch.setattr(lists, "BEFORE_WRITE", [fail, *lists.BEFORE_WRITE])
    monkeypatch.setattr(lists, "WITH_WRITE", [lists.OwnRow(StarRating, fail)])
    job = portal.run(source(portal, publisher, 2))
    assert figures(job) == {"added": 2}
    assert model.Session.query(StarRating).count() == 0


def test_refused_record_takes_its_rows_of_features_back(
    portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = UkharvestPlugin.after_dataset_create

    def refuse(self: Any, context: Any, pkg_dict: dict[str, Any]) -> None:
        real(self, context, pkg_dict)
        if pkg_dict["title"] == "Dataset 00001":
            raise tk.ValidationError({"title": ["not this one"]})

    job_id = gather(portal, source(portal, publisher, 3))
    monkeypatch.setattr(UkharvestPlugin, "after_dataset_create", refuse)
    deliver_one(portal.waiting(job_id)[0])
    rated = {row.package_id for row in model.Session.query(StarRating)}
    assert rated == {each["id"] for each in portal.datasets()}
    assert len(rated) == 2
