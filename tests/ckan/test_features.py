"""Each feature can be deleted: pages, harvest, tick and doctor work without it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from ckan.tests import factories

from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Portal
from tests.floors import FEATURES
from tests.mutants import ROOT
from tests.publisher import Publisher

pytestmark = [pytest.mark.in_process, pytest.mark.giant]


def run_without(feature: str, ini: str, given: dict[str, Any]) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.ckan.without", feature, ini],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("feature", FEATURES)
def test_a_portal_works_without_a_feature(
    portal: Portal, publisher: Publisher, ini: str, feature: str
) -> None:
    publisher.serve("/data.json", catalogue(2))
    source = portal.source(publisher.url("/data.json"), name="parking")
    job = portal.run(source)
    dataset = portal.datasets()[0]
    pages = {
        "dataset": f"/dataset/{dataset['name']}",
        "resource": f"/dataset/{dataset['name']}/resource/{dataset['resources'][0]['id']}",
        "search": "/dataset/",
        "sources": "/harvest/",
        "source": "/harvest/parking",
        "run": f"/harvest/parking/job/{job['id']}",
        "dashboard": "/ckan-admin/ukharvest",
    }
    publisher.serve("/data.json", catalogue(3))
    headers = {"Authorization": factories.SysadminWithToken()["token"]}
    report = run_without(feature, ini, {"pages": pages, "headers": headers, "source": source})
    assert report["imported"] == []
    of_sysadmin = {label: statuses[1] for label, statuses in report["statuses"].items()}
    without = ["dashboard"] if feature == "doctor" else []
    assert of_sysadmin == {label: 404 if label in without else 200 for label in pages}
    assert {label: report["statuses"][label][0] for label in ("dataset", "resource", "search")} == {
        "dataset": 200,
        "resource": 200,
        "search": 200,
    }
    assert (report["status"], report["counts"]["added"]) == ("Finished", 1)
    assert report["doctor"] == []
