"""The page of a table of values."""

from __future__ import annotations

import io
from typing import Any

import pytest
from ckan.tests.helpers import CKANTestApp

from tests.ckan.value_tables.value_rows import table

pytestmark = pytest.mark.in_process


def test_the_page_saves_changed_rows_and_files(
    source: str, app: CKANTestApp, sysadmin: Any
) -> None:
    url = "/harvest/parking/values"
    sent = {"field": ["theme", "note"], "value": ["Wheels", "A"], "ours": ["Transport", "=1"]}
    sent |= {"before": ["", ""]}
    app.post(url, data=sent, headers=sysadmin["headers"], follow_redirects=False)
    assert table(source) == {"Wheels": "Transport", "A": "=1"}
    downloaded = app.get(f"{url}.csv", headers=sysadmin["headers"]).text
    assert "note,A,'=1,source,0" in downloaded
    file = (io.BytesIO(downloaded.replace("'=1", "'=2").encode()), "values.csv")
    app.post(url, data={"upload": file}, headers=sysadmin["headers"], follow_redirects=False)
    assert table(source)["A"] == "=2"
    file = (io.BytesIO(b"<html>"), "values.ttl")
    page = app.post(url, data={"upload": file}, headers=sysadmin["headers"])
    assert "There is a problem" in page.text
