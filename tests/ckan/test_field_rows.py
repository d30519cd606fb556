"""A row of ``fields.FIELDS`` makes form, page, facet, label, presets, export and documents."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from ckan.tests import factories
from lxml import html

from tests.ckan.harvesting import Portal
from tests.mutants import ROOT

pytestmark = pytest.mark.in_process

ROWS = """
    Field("asset_type", "Type of asset", help="What it is, in a word.", facet="Type of asset"),
    Field("register", "Registers", ADDRESSES, vocabulary="schemas", facet="Registers"),
    Field("operator-kind", "Operator", NAME, vocabulary="organization_types", facet="Operator"),
    Field("reviewed", "Reviewed", FLAG, facet="Reviewed"),
    Field("checked_on", "Checked on", DATE),
    Field("data_licence_url", "Licence of the file", ADDRESS, of=RESOURCE),
"""
SPEND = "http://schemas.opendata.esd.org.uk/Spend"
LICENCE = "https://council.example/licence"
OF_DATASET = {
    "asset_type": "bench",
    "register": json.dumps([SPEND]),
    "operator-kind": "Local Government",
    "reviewed": "true",
    "checked_on": "2026-03",
}
# Field → its label, its value as a page shows it, and the facet's value as the facet shows it.
SHOWN = {
    "asset_type": ("Type of asset", "bench", "bench"),
    "register": ("Registers", "Expenditure", "Expenditure"),
    "operator-kind": ("Operator", "Local government", "Local government"),
    "reviewed": ("Reviewed", "yes", "yes"),
    "checked_on": ("Checked on", "2026-03", ""),
}


def test_a_row_makes_all_that_a_field_has(portal: Portal, ini: str) -> None:
    facets = {key: f"vocab_ukharvest_{key}" for key, shown in SHOWN.items() if shown[2]}
    given = {
        "rows": ROWS,
        "facets": list(facets.values()),
        "headers": {"Authorization": factories.SysadminWithToken()["token"]},
        "dataset": {
            "name": "benches",
            "owner_org": factories.Organization()["id"],
            "resources": [{"url": "https://council.example/b.csv", "data_licence_url": LICENCE}],
            **OF_DATASET,
            "checked_on": "March 2026",
        },
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.ckan.with_field", ini],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    report = json.loads(done.stdout.splitlines()[-1])
    # Validators, and the resource's own field.
    assert OF_DATASET.items() <= report["stored"].items()
    assert report["stored"]["resources"][0]["data_licence_url"] == LICENCE
    # Form and page, with the label.
    pages = {label: html.fromstring(text) for label, text in report["pages"].items()}
    rows = {
        " ".join(row.findtext("th", "").split()): row.find("td")
        for row in pages["dataset"].xpath("//tr[td]")
    }
    for key, (label, value, _facet) in SHOWN.items():
        assert pages["form"].xpath(f"//*[@name='{key}'][@type != 'hidden' or @id]"), key
        assert value in rows[label].text_content()
    assert f"?{facets['register']}=" in rows["Registers"].xpath(".//a/@href")[0]
    assert pages["file form"].xpath("//input[@name='data_licence_url']")[0].value == LICENCE
    assert "Licence of the file" in pages["file"].text_content()
    # Facets: values in the index, titles and labels, and shown unless the portal chooses others.
    for key, field in facets.items():
        facet = report["search"][field]
        assert facet["title"] == SHOWN[key][0]
        (item,) = facet["items"]
        assert (item["count"], item["display_name"].startswith(SHOWN[key][2])) == (1, True), item
        assert f"{field}=" in report["pages"]["search"]
    # Export.
    assert report["exported"]["asset_type"] == "bench"
    assert report["exported"]["register"] == [SPEND]
    assert {*OF_DATASET, "resource.data_licence_url"} <= set(report["losses"])
    (file,) = report["exported"]["distribution"]
    assert {"key": "data_licence_url", "value": LICENCE} in file["extras"]
    # Documents and presets.
    files = report["files"]
    for key in (*OF_DATASET, "data_licence_url"):
        preset = f"ukharvest_{key.replace('-', '_')}"
        assert f"`{key}`" in files["docs/portal/form.md"]
        assert f'"{preset}"' in files["ckanext/ukharvest/scheming/presets.json"]
        assert f"preset: {preset}\n" in files["ckanext/ukharvest/scheming/dataset.yaml"]
    assert all(f"`{field}`" in files["docs/portal/search.md"] for field in facets.values())
    assert (
        "schema asset_type register operator-kind reviewed" in files["docs/reference/settings.md"]
    )
