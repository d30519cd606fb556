"""A portal's own lists of values in use, and what the doctor says of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ckan.plugins as p
import ckan.plugins.toolkit as tk
import pytest
from ckan.tests.helpers import call_action

from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.doctor import services
from tests.ckan.harvesting import Portal
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process


def test_the_doctor_tells_of_a_faulty_list_and_a_run_goes_on(
    lists_folder: Path, portal: Portal, publisher: Publisher
) -> None:
    assert not list(services.own_lists())
    for name in vocabulary.names():
        (lists_folder / f"{name}.csv").write_text("nonsense\n1\n", encoding="utf-8")
    vocabulary.use(lists_folder)  # as at the next start of each process
    findings = list(services.own_lists())
    assert len(findings) == len(vocabulary.names())
    assert {finding.level for finding in findings} == {"error"}
    assert findings[0].what_to_do.startswith("Correct codelists.csv, or delete it")
    entry = {"identifier": "x", "title": "X", "license": "uk-ogl", "accrualPeriodicity": "yearly"}
    publisher.serve("/data.json", json.dumps({"dataset": [entry]}).encode())
    portal.run(portal.source(publisher.url("/data.json")))
    (package,) = call_action("package_search", q="title:X")["results"]
    assert package["license_id"] == "uk-ogl"


def test_the_doctor_tells_of_a_folder_that_is_not_there(lists_folder: Path) -> None:
    vocabulary.use(lists_folder / "missing")
    (finding,) = services.own_lists()
    assert finding.level == "warning"
    assert "ckanext.ukharvest.vocabularies" in finding.message


def test_the_setting_is_read_when_the_portal_starts(ckan_config: Any, lists_folder: Path) -> None:
    vocabulary.use(None)
    ckan_config["ckanext.ukharvest.vocabularies"] = str(lists_folder)
    p.get_plugin("ukharvest").configure(tk.config)
    assert vocabulary.folder() == lists_folder
