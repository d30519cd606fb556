"""The command that exports, its memory, its settings, and what ``doctor`` says about exports."""

from __future__ import annotations

import gc
import json
import subprocess
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests import factories
from click.testing import CliRunner

from ckanext.ukharvest import config
from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.export import files as export_files
from tests.ckan.export.exports import ALL, FILES, packages

pytestmark = pytest.mark.in_process


def copy_dataset(name: str, copies: int) -> None:
    """Copy a dataset without its search document: fast, and read from the database."""
    inspected = sa.inspect(model.meta.engine)
    package_id = model.Package.get(name).id
    for table, numbered, key in (
        ("package", ("id", "name"), "id"),
        ("resource", ("id", "package_id"), "package_id"),
    ):
        columns = [each["name"] for each in inspected.get_columns(table) if each["name"] != "_id"]
        values = [f"{each} || '-' || n" if each in numbered else f'"{each}"' for each in columns]
        model.Session.execute(
            sa.text(
                f"INSERT INTO {table} ({', '.join(map(repr_name, columns))})"
                f" SELECT {', '.join(values)} FROM {table}, generate_series(1, :copies) AS n"
                f" WHERE {key} = :id"
            ),
            {"copies": copies, "id": package_id},
        )
    model.Session.commit()
    model.Session.remove()


def repr_name(name: str) -> str:
    return f'"{name}"'


@pytest.mark.giant
def test_memory_does_not_grow_with_the_datasets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At most a page of datasets is in memory; 100,000 take no more than 200."""
    monkeypatch.setattr(export_files, "PAGE", 10)
    resource = {"url": "https://data.example/a.csv", "name": "A", "format": "CSV"}
    factories.Dataset(name="model", notes="What it is about. " * 1000, resources=[resource] * 5)
    copy_dataset("model", 199)
    peaks: list[int] = []

    def progress(done: int, total: int) -> None:
        assert total == 200
        gc.collect()  # graphs that nothing needs any more, whenever they would go
        if done in (100, 200):  # the caches of URIs and dates, of a fixed size, are full by then
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.reset_peak()

    tracemalloc.start()
    try:
        export_files.export_catalogue(tmp_path, ALL, progress)
    finally:
        tracemalloc.stop()
    first, rest = peaks
    assert rest < first + 1_000_000
    assert len(packages(tmp_path)) == 200


def test_the_command(
    harvested: list[str],
    ckan: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path: Path,
) -> None:
    done = ckan("ukharvest", "export", "--folder", str(tmp_path), "--format", "jsonl")
    assert f"Exported {len(harvested)} datasets to {tmp_path}:" in done.stdout
    (file,) = json.loads((tmp_path / "manifest.json").read_text())["files"]
    assert f"datasets.jsonl.gz  {file['bytes']:,} bytes  {file['sha256']}" in done.stdout
    quiet = ckan("ukharvest", "export", "--folder", str(tmp_path), "--quiet")
    assert quiet.stdout == ""
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {*FILES[:3], "manifest.json"}
    (tmp_path / "file").write_text("")
    wrong = ckan("ukharvest", "export", "--folder", str(tmp_path / "file/below"), check=False)
    assert wrong.returncode == 1
    assert "Not a directory; the last export was left as it is" in wrong.stderr


def test_without_a_folder_the_command_says_what_to_set(
    clean: None, ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ckan_config, "ckan.storage_path", "/srv/storage")
    assert config.export_folder() == Path("/srv/storage/ukharvest-export")
    monkeypatch.setitem(ckan_config, "ckan.storage_path", "")
    done = CliRunner().invoke(ukharvest, ["export"])
    assert done.exit_code == 1
    assert "set ckanext.ukharvest.export.folder or ckan.storage_path" in done.output


def test_a_format_that_does_not_exist(ckan_config: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.export.formats", "jsonl xlsx")
    with pytest.raises(Exception, match="there is no format 'xlsx'; expected some of data_json"):
        config.check_settings()
