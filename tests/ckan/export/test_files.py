"""The exported catalogue: which datasets, which files, and what a failure leaves."""

from __future__ import annotations

import hashlib
import json
import secrets
from pathlib import Path
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests import factories

from ckanext.ukharvest import config
from ckanext.ukharvest.export import dataset as dataset_facts
from ckanext.ukharvest.export import files as export_files
from ckanext.ukharvest.export import rdf
from ckanext.ukharvest.export.files import ExportError
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest.batch import dataset_rows
from tests.ckan.chaos.small_disk import ROOM, small_disk
from tests.ckan.export.exports import FILES, export, packages, text
from tests.ckan.harvesting import Portal, act

pytestmark = pytest.mark.in_process


def stored(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_export_has_what_an_anonymous_visitor_sees(portal: Portal, tmp_path: Path) -> None:
    own = {"owner_org": portal.organization_id}
    portal.source("https://data.example/data.json")
    public = factories.Dataset(name="public", **own)
    factories.Dataset(name="private", private=True, **own)
    factories.Dataset(name="draft", state="draft", **own)
    act("package_delete", id=factories.Dataset(name="gone", **own)["id"])
    factories.Dataset(name="another-type", type="showcase", **own)
    made = export(tmp_path, ("jsonl",))
    (found,) = packages(tmp_path)
    assert (found["name"], made["datasets"], made["left_out"]) == ("public", 1, 0)
    context = {"user": "", "ignore_auth": False}
    assert found == tk.get_action("package_show")(context, {"id": public["id"]})


def test_a_dataset_that_another_plugin_hides_is_not_exported(
    portal: Portal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("shown", "hidden"):
        factories.Dataset(name=name, owner_org=portal.organization_id)
    real = tk.get_action("package_show")

    def package_show(context: Any, data: dict[str, Any]) -> Any:
        found = real(context, data)
        # As by an auth function, which CKAN does not call with ``ignore_auth``.
        if found["name"] == "hidden" and not context["ignore_auth"]:
            raise tk.NotAuthorized
        return {**found, "title": "As visitors see it"}

    monkeypatch.setattr(export_files.tk, "get_action", lambda _name: package_show)
    assert export(tmp_path, ("jsonl",))["datasets"] == 1
    assert [each["title"] for each in packages(tmp_path)] == ["As visitors see it"]


def test_each_file_is_in_the_manifest(harvested: list[str], tmp_path: Path) -> None:
    made = export(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {*FILES, "manifest.json"}
    assert (
        json.loads((tmp_path / "manifest.json").read_text())
        == made
        == export_files.load_manifest(tmp_path)
    )
    assert (made["datasets"], made["catalogue"]) == (len(harvested), config.site_url())
    for each in made["files"]:
        content = (tmp_path / each["name"]).read_bytes()
        assert each["bytes"] == len(content)
        assert each["sha256"] == hashlib.sha256(content).hexdigest()
        assert each["datasets"] == len(harvested)
        assert each["url"] == f"{config.site_url()}/catalogue/export/{each['name']}"


def test_equal_datasets_give_equal_files(harvested: list[str], tmp_path: Path) -> None:
    before = export(tmp_path)
    times = {name: (tmp_path / name).stat().st_mtime_ns for name in FILES}
    first = stored(tmp_path)
    after = export(tmp_path)
    sums = [[each["sha256"] for each in made["files"]] for made in (before, after)]
    assert sums[0] == sums[1]
    assert {name: (tmp_path / name).stat().st_mtime_ns for name in FILES} == times
    elsewhere = tmp_path / "elsewhere"
    export(elsewhere)
    assert {name: stored(elsewhere)[name] for name in FILES} == {n: first[n] for n in FILES}


def test_a_changed_dataset_gives_a_new_file(harvested: list[str], tmp_path: Path) -> None:
    before = export(tmp_path)
    act("package_patch", id="bare", title="Named")
    after = export(tmp_path)
    for one, other in zip(before["files"], after["files"], strict=True):
        assert one["sha256"] != other["sha256"]
    assert "Named" in text(tmp_path, "catalogue.ttl.gz")


def test_a_full_disk_leaves_the_last_export(
    harvested: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    with small_disk(folder):
        export(folder)
        before = stored(folder)
        # Hexadecimal digits at random: gzip halves them.
        small, _relations = next(export_files.read_all())
        large = {**(small or {}), "notes": secrets.token_hex(2 * ROOM)}
        monkeypatch.setattr(export_files, "read_all", lambda: iter([(large, {})]))
        message = "(No space left on device|File too large); the last export was left as it is"
        with pytest.raises(ExportError, match=message):
            export(folder)
        assert stored(folder) == before


def test_a_database_that_fails_leaves_the_last_export(
    harvested: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(tmp_path)
    before = stored(tmp_path)

    def exported_ids(last: str, limit: int) -> list[str]:
        if last:
            raise sa.exc.OperationalError("SELECT", {}, Exception("server closed the connection"))
        return real(last, limit)

    real = dataset_rows.exported_ids
    monkeypatch.setattr(export_files, "PAGE", 3)
    monkeypatch.setattr(export_files.dataset_rows, "exported_ids", exported_ids)
    with pytest.raises(sa.exc.OperationalError):
        export(tmp_path)
    assert stored(tmp_path) == before


def test_a_killed_export_is_written_over(harvested: list[str], tmp_path: Path) -> None:
    (tmp_path / ".data.json.gz.part").write_bytes(b"half of a longer file" * 10_000)
    export(tmp_path)
    assert len(json.loads(text(tmp_path, "data.json.gz"))["dataset"]) == len(harvested)
    assert not list(tmp_path.glob(".*"))


def test_two_exports_at_once(harvested: list[str], tmp_path: Path) -> None:
    with database.hold_alone(database.EXPORT) as is_alone:
        assert is_alone
        with pytest.raises(ExportError, match="another export is running"):
            export(tmp_path)
    assert not list(tmp_path.iterdir())
    assert export(tmp_path)["datasets"] == len(harvested)


@pytest.mark.parametrize("stage", ["read", "show"])
def test_failed_dataset_fails_alone(
    harvested: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    bad = model.Package.get("bare").id
    if stage == "read":
        real = dataset_facts.read

        def read(package: Any, about: Any) -> Any:
            return 1 / 0 if package["id"] == bad else real(package, about)

        monkeypatch.setattr(export_files, "read", read)
    else:
        shown = export_files._show
        monkeypatch.setattr(export_files, "_show", lambda id_: 1 / 0 if id_ == bad else shown(id_))
    made = export(tmp_path)
    assert (made["datasets"], made["left_out"]) == (len(harvested) - 1, 1)
    found = json.loads(text(tmp_path, "data.json.gz"))["dataset"]
    assert len(found) == len(packages(tmp_path)) == len(harvested) - 1


def test_a_format_that_is_no_longer_exported_goes(harvested: list[str], tmp_path: Path) -> None:
    export(tmp_path)
    (tmp_path / "notes.txt").write_text("Not ours")
    export(tmp_path, ("jsonl",))
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"datasets.jsonl.gz", "manifest.json", "notes.txt"}


def test_an_empty_portal(tmp_path: Path) -> None:
    assert export(tmp_path)["datasets"] == 0
    assert json.loads(text(tmp_path, "data.json.gz"))["dataset"] == []
    assert packages(tmp_path) == []


def test_datasets_without_a_contact_are_counted(
    portal: Portal, tmp_path: Path, ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ckan_config, "smtp.mail_from", "noreply@portal.example")
    factories.Dataset(name="alone", owner_org=portal.organization_id)
    factories.Dataset(name="asked", maintainer_email="team@council.example")
    assert export(tmp_path)["without_contact"] == 1
    for name in FILES:
        assert "noreply" not in text(tmp_path, name)
    extras = [{"key": "contact-email", "value": "data@council.example"}]
    act("organization_patch", id=portal.organization_id, extras=extras)
    assert export(tmp_path)["without_contact"] == 0
    assert "data@council.example" in text(tmp_path, "catalogue.ttl.gz")


def test_contact_of_the_setting_is_the_last(
    portal: Portal, tmp_path: Path, ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.http.contact", "help@portal.example")
    factories.Dataset(name="alone", owner_org=portal.organization_id)
    assert export(tmp_path)["without_contact"] == 0
    (entry,) = json.loads(text(tmp_path, "data.json.gz"))["dataset"]
    assert entry["contactPoint"]["hasEmail"] == "mailto:help@portal.example"


def test_without_ckanext_dcat_there_is_no_rdf(
    harvested: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(tmp_path)
    monkeypatch.setattr(rdf, "is_available", lambda: False)
    made = export(tmp_path)
    assert made["unavailable"] == ["turtle", "ntriples"]
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"data.json.gz", "datasets.jsonl.gz", "manifest.json"}
