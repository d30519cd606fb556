"""Tables of values as files: CSV out and in, SKOS in."""

from __future__ import annotations

import io
from typing import Any

import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp

from tests.ckan.harvesting import Portal, act
from tests.ckan.people import member
from tests.ckan.value_tables.value_rows import row, table

pytestmark = pytest.mark.in_process


SKOS = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<https://terms.example/wheels> a skos:Concept ; skos:prefLabel "Transport"@en, "Trafnidiaeth"@cy ;
    skos:altLabel "Wheels"@en, "Räder"@de .
"""


def test_an_editors_csv_goes_out_and_in(
    portal: Portal, source: str, organization: dict[str, str], app: CKANTestApp
) -> None:
    other, editor = factories.Organization(), member(organization)
    council = row("organisation", "Somewhere Council", other["name"])
    act("ukharvest_value_update", values=[council])
    rows = [row("theme", "Wheels", "Transport"), row("organisation", "Roads", other["name"])]
    act("ukharvest_value_update", source=source, values=rows)
    portal.run(source)
    url = "/harvest/parking/values"
    downloaded = app.get(f"{url}.csv", headers=editor["headers"]).text
    assert f"organisation,Somewhere Council,{other['name']},portal,2" in downloaded
    file = (io.BytesIO(downloaded.replace("Transport", "Education").encode()), "values.csv")
    app.post(url, data={"upload": file}, headers=editor["headers"], follow_redirects=False)
    listed = act("ukharvest_value_list", source=source)["results"]
    assert {each["value"]: each["scope"] for each in listed if each["ours"]} == {
        "Wheels": "source",
        "Roads": "source",
        "Somewhere Council": "portal",
    }
    assert table(source)["Wheels"] == "Education"


def test_broken_csv_is_refused(
    source: str, app: CKANTestApp, sysadmin: Any, ckan: Any, tmp_path: Any
) -> None:
    broken = b'field,value,ours\n"' + b"x" * 1_100_000
    file = (io.BytesIO(broken), "values.csv")
    page = app.post("/harvest/parking/values", data={"upload": file}, headers=sysadmin["headers"])
    assert "There is a problem" in page.text
    (tmp_path / "values.csv").write_bytes(broken)
    refused = ckan("ukharvest", "values", "--read", str(tmp_path / "values.csv"), check=False)
    assert (refused.returncode, "field limit" in refused.stderr) == (2, True)


def test_labels_of_skos_in_all_languages_become_ours(source: str, ckan: Any, tmp_path: Any) -> None:
    (tmp_path / "themes.ttl").write_text(SKOS)
    ckan("ukharvest", "values", "--read", str(tmp_path / "themes.ttl"))
    model.Session.remove()
    texts = ("https://terms.example/wheels", "Transport", "Trafnidiaeth", "Wheels", "Räder")
    assert table() == dict.fromkeys(texts, "Transport")
    assert (
        "theme,Wheels,Transport,portal,1" in ckan("ukharvest", "values", "--format", "csv").stdout
    )
    refused = ckan("ukharvest", "values", "--read", __file__, check=False)
    assert refused.returncode == 2
