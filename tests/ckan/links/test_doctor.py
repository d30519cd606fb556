"""The doctor says when no links are checked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ckanext.ukharvest import doctor
from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.links import doctor as link_checks
from tests.ckan.links.place import Place, work

pytestmark = pytest.mark.in_process


def test_doctor_reports_that_no_links_are_checked(
    place: Place, move: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    place.harvest()
    assert list(link_checks.waiting_links()) == []
    move(2)
    monkeypatch.setattr(link_checks, "utcnow", tables.utcnow)
    (finding,) = link_checks.waiting_links()
    assert (finding.level, finding.code) == ("warning", "links")
    assert "ckan jobs worker" in finding.what_to_do
    work()
    (finding,) = link_checks.waiting_links()
    assert finding.level == "info"
    assert finding.message == "1 link of resources checked. No link is waiting to be checked."
    assert "links" in {each.code for each in doctor.examine()}
