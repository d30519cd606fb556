"""A folder of files on a web server: the files to read, and what their names show."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import ConfigError, SourceError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.http.request import HttpLimits
from ckanext.ukharvest.core.records import Copy, Ending, Reading, Source
from ckanext.ukharvest.readers.waf import folder as waf_folder
from ckanext.ukharvest.readers.waf import reader
from ckanext.ukharvest.readers.waf import reader as waf
from ckanext.ukharvest.source_types.gemini import GEMINI_WAF
from tests.conftest import LOOPBACK
from tests.publisher import Request, Response
from tests.publishing.gemini import gemini
from tests.publishing.records import Item
from tests.readers.waf.waf_site import Folder, guids


def test_every_file_is_a_record_known_by_its_address_and_name(folder: Folder) -> None:
    folder.files(12)
    found, ending = folder.read()
    assert guids(found) == [f"id-{number}" for number in range(12)]
    assert [raw.position for raw in found] == [f"{number}.xml" for number in range(12)]
    assert found[3].url == f"{folder.url}3.xml"
    assert GEMINI_WAF.parser.parse(found[3], {}).title == "A title"
    assert ending == Ending(complete=True)


@pytest.mark.parametrize("number", [1, 8])
def test_the_order_is_the_pages_however_many_are_read_at_once(folder: Folder, number: int) -> None:
    folder.files(30)
    for slow in (0, 7, 8):
        folder.file(f"{slow}.xml", slow, pause=0.0002)
    assert guids(folder.read(connections=number)[0]) == [f"id-{each}" for each in range(30)]


class Pool(ThreadPoolExecutor):
    """A pool whose work a test can wait for: without work left, no thread makes a request."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.futures: list[Future[Any]] = []

    def submit(self, *args: Any, **options: Any) -> Future[Any]:
        self.futures.append(super().submit(*args, **options))
        return self.futures[-1]


def test_few_files_are_read_before_they_are_asked_for(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    pools: list[Pool] = []

    def make_pool(*args: Any, **options: Any) -> Pool:
        pools.append(Pool(*args, **options))
        return pools[-1]

    monkeypatch.setattr(reader, "ThreadPoolExecutor", make_pool)
    folder.files(100)
    records = GEMINI_WAF.reader.records(folder.source(connections=2))
    next(records)
    (pool,) = pools
    assert not wait(pool.futures, timeout=60).not_done
    asked = len(folder.requested)
    assert 1 < asked <= 2 * waf.AHEAD + 2
    records.close()
    pool.shutdown()  # waits for its threads
    assert len(folder.requested) == asked


def test_a_server_that_hangs_does_not_hold_who_gives_up(folder: Folder) -> None:
    folder.files(20)
    folder.publisher.serve("/waf/5.xml", b"", hang=True)
    # A client that waits for an answer waits longer than this test may take.
    with HttpClient(Guard(LOOPBACK), HttpLimits(read=3600, total=3600)) as folder.http:
        records = GEMINI_WAF.reader.records(folder.source())
        next(records)
        records.close()


@pytest.mark.parametrize(
    ("option", "value"), [("connections", 9), ("connections", 0), ("depth", 11), ("depth", -1)]
)
def test_options_have_their_bounds(folder: Folder, option: str, value: int) -> None:
    with pytest.raises(ConfigError):
        folder.source(**{option: value})


def test_a_redirect_of_the_folder_is_where_its_links_start(folder: Folder) -> None:
    folder.files(2)
    folder.publisher.redirect("/waf", folder.url)
    found, ending = folder.read(url=folder.publisher.url("/waf"))
    assert [raw.url for raw in found] == [f"{folder.url}{number}.xml" for number in (0, 1)]
    assert ending.complete


# Files that are read.


@pytest.mark.parametrize("name", ["rivers.xml", "RIVERS.XML", "rivers", "rivers.iso", "r.php?id=1"])
def test_these_files_are_read(folder: Folder, name: str) -> None:
    folder.page(name)
    folder.file(name)
    assert guids(folder.read()[0]) == ["id-1"]


def test_other_files_are_not_asked_for(folder: Folder) -> None:
    folder.file("a.xml")
    others = ("a.html", "a.pdf", "a.png", "a.css", "a.csv", "a.xsl", "a.php", "a.json", "a.shp")
    folder.page("a.xml", *others, "../", "?C=M;O=A", "mailto:gis@council.example", "#top")
    found, ending = folder.read()
    assert guids(found) == ["id-1"]
    assert folder.requested == ["a.xml"]
    assert ending == Ending(complete=True)


def test_links_not_followed_are_named(folder: Folder) -> None:
    folder.file("a.xml")
    far = [f"https://other.example/{number}.xml" for number in range(20)]
    folder.page("a.xml", "/coast.xml", "all.zip", "old/", "new/b.xml", *far, "/feed", "/logo.png")
    found, ending = folder.read()
    assert guids(found) == ["id-1"]
    assert ending.complete
    told = {problem.code: problem.message for problem in ending.problems}
    assert set(told) == {"link-elsewhere", "folder-left-out", "archive-left-out"}
    assert "21 files (http" in told["link-elsewhere"]
    assert "/coast.xml" in told["link-elsewhere"]
    assert "other.example/10.xml and 9 more" in told["link-elsewhere"]
    assert "logo" not in told["link-elsewhere"]
    assert "2 sub-folders (old/, new/)" in told["folder-left-out"]
    assert "1 archive (all.zip)" in told["archive-left-out"]


def test_sub_folders_are_read_as_deep_as_the_option_says(folder: Folder) -> None:
    folder.page("a.xml", "sub/", "sub/direct.xml")
    folder.page("../", "b.xml", "deep/", "/waf/sub/", path="/waf/sub/")
    folder.page("../", "c.xml", path="/waf/sub/deep/")
    for number, name in enumerate(("a.xml", "sub/b.xml", "sub/direct.xml", "sub/deep/c.xml")):
        folder.file(name, number)
    assert [raw.position for raw in folder.read(depth=0)[0]] == ["a.xml"]
    one, ending = folder.read(depth=1)
    assert [raw.position for raw in one] == ["a.xml", "sub/direct.xml", "sub/b.xml"]
    assert "1 sub-folder (sub/deep/)" in ending.problems[0].message
    two, ending = folder.read(depth=2)
    assert [raw.position for raw in two] == [*(raw.position for raw in one), "sub/deep/c.xml"]
    assert ending == Ending(complete=True)


def test_folders_that_lead_into_each_other_have_an_end(folder: Folder) -> None:
    def loop(_request: Request) -> Response:
        return Response(b"<html><a href='./'>.</a><a href='/waf/'>t</a><a href='x/'>x</a></html>")

    folder.page("a.xml", "x/")
    folder.file("a.xml")
    for depth in range(1, 12):
        folder.publisher.routes["/waf/" + "x/" * depth] = loop
    found, ending = folder.read(depth=10)
    assert guids(found) == ["id-1"]
    assert len(folder.publisher.requests) == 12
    assert "x/x/x/x/x/x/x/x/x/x/x/" in ending.problems[0].message


@pytest.mark.parametrize(("cap", "words"), [("MAX_FILES", "3 files"), ("MAX_FOLDERS", "3 sub-f")])
def test_a_folder_without_end_is_refused(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, cap: str, words: str
) -> None:
    monkeypatch.setattr(waf_folder, cap, 3)
    folder.page(*(f"{number}.xml" for number in range(4)), *(f"{number}/" for number in range(4)))
    for number in range(4):
        folder.page("../", path=f"/waf/{number}/")
    if cap == "MAX_FOLDERS":
        folder.page(*(f"{number}/" for number in range(4)))
    with pytest.raises(SourceError, match=words) as caught:
        folder.read(depth=1)
    assert caught.value.code == "endless-folder"
    assert folder.url in caught.value.message


def test_a_file_may_hold_several_records(folder: Folder) -> None:
    folder.page("all.xml 2024-05-01 10:00 4K")
    records = "".join(gemini(Item(number)) for number in range(3))
    text = f"<GetRecordsResponse><SearchResults>{records}</SearchResults></GetRecordsResponse>"
    folder.publisher.serve("/waf/all.xml", text, etag='"1"')
    copies = {f"{folder.url}all.xml": Copy("id-0", '"0"')}
    found, ending = folder.read(copies)
    assert [raw.position for raw in found] == [f"all.xml, record {number}" for number in (1, 2, 3)]
    assert guids(found) == ["id-0", "id-1", "id-2"]
    assert {(raw.etag, raw.modified) for raw in found} == {("", "")}
    assert ending.complete


# A server of other software.


@pytest.fixture
def python_server(tmp_path: Path) -> Iterator[str]:
    """``python -m http.server`` on a folder."""
    for number in range(5):
        (tmp_path / f"{number} é.xml").write_text(gemini(Item(number)), encoding="utf-8")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "deep.xml").write_text(gemini(Item(9)), encoding="utf-8")
    (tmp_path / "readme.txt").write_text("none")

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            """Log nothing."""

    handler = functools.partial(Handler, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def test_pythons_own_listing_is_read(python_server: str) -> None:
    with HttpClient(Guard(("127.0.0.0/8",)), HttpLimits(retries=0)) as client:
        given = options.validate({"depth": 1}, GEMINI_WAF.options)
        reading = Reading(GEMINI_WAF.reader.records(Source(python_server, given, client)))
        found = list(reading)
        assert reading.ending == Ending(complete=True)
        names = [f"{number} é.xml" for number in range(5)]
        assert [raw.position for raw in found] == [*names, "sub/deep.xml"]
        copies = {raw.url: Copy(raw.guid, raw.etag, raw.modified) for raw in found}
        again = Source(python_server, given, client, copies=copies)
        assert all(raw.unchanged for raw in GEMINI_WAF.reader.records(again))
