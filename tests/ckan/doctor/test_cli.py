"""The command ``ckan ukharvest doctor`` on a healthy portal and on one with faults."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ckan import model

from ckanext.ukharvest import doctor
from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.harvest.model import Worker, utcnow
from tests.ckan.catalogues import catalogue
from tests.ckan.doctor.findings import HOUR, PATH, swept
from tests.ckan.harvesting import Portal
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


def test_a_healthy_portal_is_fine(healthy: None, portal: Portal, publisher: Publisher) -> None:
    publisher.serve(PATH, catalogue(3))
    portal.run(portal.source(publisher.url(PATH)))
    findings = doctor.examine()
    assert [each for each in findings if each.level not in ("ok", "info")] == []
    assert {each.code for each in findings} == {code for code, *_rest in doctor.checks()}
    assert doctor.status_of(findings) == 0


def test_the_command_has_an_exit_status_for_monitoring(healthy: None, cli: Any) -> None:
    fine = cli.invoke(ukharvest, ["doctor"])
    assert fine.exit_code == 0, fine.output
    [line] = fine.output.splitlines()
    assert line.startswith("All is well: ")
    assert len(cli.invoke(ukharvest, ["doctor", "--all"]).output.splitlines()) > 10
    model.Session.query(Worker).filter_by(kind="fetch").delete()
    model.Session.commit()
    assert cli.invoke(ukharvest, ["doctor"]).exit_code == 1
    swept(utcnow() - 30 * HOUR)
    sick = cli.invoke(ukharvest, ["doctor"])
    assert sick.exit_code == 2
    assert "→ Make cron call 'ckan harvester run'" in sick.output
    levels = [line.split()[0] for line in sick.output.splitlines() if not line.startswith(" ")]
    assert levels[0] == "error"
    assert levels[-1].isdigit()  # so many checks found nothing wrong
    assert set(levels[:-1]) == {"error", "warning"}
    report = json.loads(cli.invoke(ukharvest, ["doctor", "--format", "json"]).output)
    assert report["status"] == 2
    assert set(report["findings"][0]) == {"level", "code", "message", "what_to_do", "fix"}
