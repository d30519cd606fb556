"""The doctor finds an export that is old."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ckanext.ukharvest import doctor
from ckanext.ukharvest.export import doctor as export_checks
from ckanext.ukharvest.export import files as export_files
from tests.ckan.export.exports import export

pytestmark = pytest.mark.in_process


def test_the_doctor_finds_an_old_export(
    harvested: list[str], tmp_path: Path, ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.export.folder", str(tmp_path))
    assert list(export_checks.old_export()) == []
    made = export(tmp_path)
    assert list(export_checks.old_export()) == []
    export_files.save_manifest(
        tmp_path, {**made, "date": "2026-01-02T03:04:05+00:00", "left_out": 1}
    )
    messages = [each.message for each in doctor.examine({"export"})]
    assert messages[0] == "The last export of the catalogue is of 2026-01-02."
    assert messages[1] == "1 dataset could not be exported."
