"""The exported files over HTTP, and the links to them."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp

from ckanext.ukharvest.export import files as export_files
from tests.ckan.browser import Visitor

pytestmark = pytest.mark.in_process

ROUTE = "/catalogue/export"
ENCODED = {"Accept-Encoding": "gzip"}
PLAIN = {"Accept-Encoding": "identity"}


@pytest.fixture
def folder(clean: None, tmp_path: Path, ckan_config: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an export of two datasets."""
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.export.folder", str(tmp_path))
    for name in ("parks", "roads"):
        factories.Dataset(name=name, title=name.title(), notes="What it is. " * 100)
    export(tmp_path)
    return tmp_path


def export(folder: Path, *names: str) -> None:
    formats = names or ("data_json", "jsonl", "turtle")
    export_files.export_catalogue(folder, formats, lambda _done, _total: None)


MEDIA_TYPES = {
    "data.json.gz": "application/gzip",
    "data.json": "application/json",
    "datasets.jsonl": "application/jsonl",
    "catalogue.ttl": "text/turtle; charset=utf-8",
    "manifest.json": "application/json",
}


def test_a_file_has_its_media_type(
    app: CKANTestApp, folder: Path, subtests: pytest.Subtests
) -> None:
    for name, media_type in MEDIA_TYPES.items():
        with subtests.test(name):
            answer = app.get(f"{ROUTE}/{name}", headers=PLAIN)
            assert answer.status_code == 200
            assert answer.headers["Content-Type"] == media_type
            assert "Content-Encoding" not in answer.headers
            stored = folder / name
            content = stored if stored.is_file() else folder / f"{name}.gz"
            expected = content.read_bytes()
            assert answer.data == (expected if content is stored else gzip.decompress(expected))


def test_json_is_sent_compressed_to_clients_that_can(app: CKANTestApp, folder: Path) -> None:
    answer = app.get(f"{ROUTE}/data.json", headers=ENCODED)
    assert answer.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in answer.headers["Vary"]
    assert answer.data == (folder / "data.json.gz").read_bytes()
    assert int(answer.headers["Content-Length"]) == len(answer.data)


SENT = (
    ("data.json.gz", PLAIN),
    ("data.json", PLAIN),
    ("data.json", ENCODED),
    ("manifest.json", {}),
)


def test_nothing_is_sent_again_to_who_has_it(
    app: CKANTestApp, folder: Path, subtests: pytest.Subtests
) -> None:
    for name, headers in SENT:
        with subtests.test(name, headers=headers):
            first = app.get(f"{ROUTE}/{name}", headers=headers)
            tag, date = first.headers["ETag"], first.headers["Last-Modified"]
            for condition in ({"If-None-Match": tag}, {"If-Modified-Since": date}):
                again = app.get(f"{ROUTE}/{name}", headers={**headers, **condition}, status=304)
                assert (again.status_code, again.data) == (304, b"")
                assert again.headers["ETag"] == tag


def test_each_form_has_its_own_tag(app: CKANTestApp, folder: Path) -> None:
    answers = [
        app.get(f"{ROUTE}/data.json.gz"),
        app.get(f"{ROUTE}/data.json", headers=PLAIN),
        app.get(f"{ROUTE}/data.json", headers=ENCODED),
    ]
    assert len({answer.headers["ETag"] for answer in answers}) == 3


def test_cached_export_is_sent_again_after_a_change(app: CKANTestApp, folder: Path) -> None:
    tag = app.get(f"{ROUTE}/data.json", headers=PLAIN).headers["ETag"]
    export(folder)  # nothing has changed
    wanted = {**PLAIN, "If-None-Match": tag}
    assert app.get(f"{ROUTE}/data.json", headers=wanted, status=304).status_code == 304
    factories.Dataset(name="rivers")
    export(folder)
    answer = app.get(f"{ROUTE}/data.json", headers=wanted)
    assert (answer.status_code, len(answer.json["dataset"])) == (200, 3)


def test_a_broken_download_goes_on(app: CKANTestApp, folder: Path) -> None:
    content = (folder / "data.json.gz").read_bytes()
    answer = app.get(f"{ROUTE}/data.json.gz", headers={"Range": "bytes=100-"}, status=206)
    assert (answer.status_code, answer.data) == (206, content[100:])


NOT_SENT = (
    *("other.json", "catalogue.nt", "manifest.json.gz", ".data.json.gz.part", "notes.txt"),
    *("..%2Fmanifest.json", "%2Fetc%2Fpasswd", "data.json%00"),
)


def test_nothing_else_is_sent(app: CKANTestApp, folder: Path, subtests: pytest.Subtests) -> None:
    (folder / "notes.txt").write_text("Not ours")
    for name in NOT_SENT:
        with subtests.test(name):
            assert app.get(f"{ROUTE}/{name}", status=404).status_code == 404


def test_without_an_export_there_is_nothing(
    app: CKANTestApp, tmp_path: Path, ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert app.get(f"{ROUTE}/manifest.json", status=404).status_code == 404
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.export.folder", str(tmp_path))
    assert app.get(f"{ROUTE}/data.json", status=404).status_code == 404
    (tmp_path / "manifest.json").write_text("{broken")
    assert app.get(f"{ROUTE}/manifest.json", status=404).status_code == 404
    assert ROUTE not in app.get("/dataset/").body


def test_the_search_page_links_to_the_files(app: CKANTestApp, folder: Path) -> None:
    page = app.get("/dataset/").body
    links = re.findall(rf'href="({ROUTE}/[^"]+)"', page)
    names = ["data.json.gz", "datasets.jsonl.gz", "catalogue.ttl.gz", "manifest.json"]
    assert links == [f"{ROUTE}/{name}" for name in names]
    assert all(app.get(link).status_code == 200 for link in links)
    listed = json.loads(app.get(links[-1]).body)["files"]
    assert [each["name"] for each in listed] == names[:-1]


def test_the_links_as_people_see_them(visitor: Visitor, folder: Path) -> None:
    visitor.page.goto("/dataset/")
    section = visitor.page.locator(".ukharvest-export")
    text = " ".join(section.inner_text().split())
    assert text.startswith("Download the whole catalogue (")
    assert "data.json (DCAT-US)" in text
    section.scroll_into_view_if_needed()
    visitor.picture("export-links")
    assert visitor.beyond_the_window(".ukharvest-export") == []
    with visitor.page.expect_download() as download:
        section.get_by_role("link", name="data.json").click()
    assert download.value.suggested_filename == "data.json.gz"
    assert visitor.errors == []
