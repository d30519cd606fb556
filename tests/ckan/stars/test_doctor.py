"""What doctor finds about stars."""

from __future__ import annotations

from collections.abc import Callable

import ckan.plugins as p
import pytest

from ckanext.ukharvest.doctor import examine
from ckanext.ukharvest.stars import jobs as stars_jobs
from tests.ckan.stars.starred_datasets import make

pytestmark = pytest.mark.in_process


def test_doctor_names_a_plugin_whose_stars_were_ignored(second: Callable[..., None]) -> None:
    list(stars_jobs.score_all())
    assert [each.level for each in examine(["stars-plugins"])] == ["ok"]
    second("faulty_stars")
    make({"format": "CSV"})
    [finding] = examine(["stars-plugins"])
    assert finding.level == "warning"
    assert "'faulty_stars'" in finding.message
    assert "stars --all" in finding.what_to_do
    list(stars_jobs.score_all())  # it is still faulty
    assert [each.level for each in examine(["stars-plugins"])] == ["warning"]
    p.unload("faulty_stars")
    list(stars_jobs.score_all())
    assert [each.level for each in examine(["stars-plugins"])] == ["ok"]
    p.load("faulty_stars")
