"""A folder of files on a web server: what is read, skipped, told by name, and proven."""

from __future__ import annotations

import functools
import http.server
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import ConfigError, ProtocolError, RecordError, SourceError
from ckanext.ukharvest.core.guard import Guard
from ckanext.ukharvest.core.http import HttpClient, HttpLimits
from ckanext.ukharvest.core.records import Copy, Ending, RawRecord, Reading, Source
from ckanext.ukharvest.readers import waf_files, waf_folder
from ckanext.ukharvest.types import GEMINI_WAF
from tests.contract import Item, gemini
from tests.publisher import Publisher, Request, Response

LIKE_XML = {"Content-Type": "application/xml"}
FGDC = "<?xml version='1.0'?><metadata><idinfo><descript/></idinfo></metadata>"


class Folder:
    """A folder at /waf/ of a publisher, and the reader that asks it."""

    def __init__(self, publisher: Publisher, http: HttpClient) -> None:
        self.publisher = publisher
        self.url = publisher.url("/waf/")
        self.http = http

    def page(self, *links: str, path: str = "/waf/") -> None:
        """Serve a page; a link is an address, with its line's further words behind a blank."""
        parts = (link.partition(" ") for link in links)
        lines = "".join(f'<li><a href="{href}">x</a> {words}</li>' for href, _, words in parts)
        text = f"<html><head><title>Records</title></head><body><ul>{lines}</ul></body></html>"
        self.publisher.serve(path, text, headers={"Content-Type": "text/html"})

    def file(self, name: str, number: int = 1, **more: Any) -> str:
        """Serve a record; return its address."""
        headers = {**LIKE_XML, **more.pop("headers", {})}
        self.publisher.serve(f"/waf/{name}", gemini(Item(number)), headers=headers, **more)
        return f"{self.url}{name}"

    def files(self, count: int) -> None:
        """Serve a page with so many records."""
        for number in range(count):
            self.file(f"{number}.xml", number)
        self.page(*(f"{number}.xml" for number in range(count)))

    def source(self, copies: dict[str, Copy] | None = None, url: str = "", **given: Any) -> Source:
        declared = options.validate(given, GEMINI_WAF.options)
        return Source(url or self.url, declared, self.http, copies=copies or {})

    def read(self, *args: Any, **given: Any) -> tuple[list[RawRecord], Ending]:
        reading = Reading(GEMINI_WAF.reader.records(self.source(*args, **given)))
        found = list(reading)
        assert reading.ending is not None
        return found, reading.ending

    @property
    def asked(self) -> list[str]:
        return [path.removeprefix("/waf/") for path in self.publisher.paths if path != "/waf/"]


@pytest.fixture
def folder(publisher: Publisher, http: HttpClient) -> Folder:
    return Folder(publisher, http)


def guids(found: list[RawRecord]) -> list[str]:
    return [raw.guid for raw in found]


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


def test_few_files_are_read_before_they_are_asked_for(folder: Folder) -> None:
    folder.files(100)
    records = GEMINI_WAF.reader.records(folder.source(connections=2))
    next(records)
    time.sleep(0.3)
    assert len(folder.asked) <= 2 * waf_files.AHEAD + 2
    records.close()
    time.sleep(0.2)
    asked = len(folder.asked)
    time.sleep(0.3)
    assert len(folder.asked) == asked
    assert not [t for t in threading.enumerate() if t.name.startswith("ukharvest-waf")]


def test_a_server_that_hangs_does_not_hold_who_gives_up(folder: Folder) -> None:
    folder.files(20)
    folder.publisher.serve("/waf/5.xml", b"", hang=True)
    records = GEMINI_WAF.reader.records(folder.source())
    next(records)
    started = time.monotonic()
    records.close()
    assert time.monotonic() - started < 1


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


# What is read.


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
    assert folder.asked == ["a.xml"]
    assert ending == Ending(complete=True)


def test_what_may_be_metadata_and_is_not_read_is_told_by_name(folder: Folder) -> None:
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


# What is not read again.


def test_a_file_that_the_listing_shows_unchanged_is_not_asked_for(folder: Folder) -> None:
    stamp = "2024-05-01 10:31 4.5K"
    folder.page(f"a.xml {stamp}", "b.xml 2024-05-02 10:31 4.5K")
    copies = {folder.file(name, n): Copy(f"id-{n}", "", stamp) for n, name in ((0, "a.xml"),)}
    folder.file("b.xml", 1)
    found, ending = folder.read(copies)
    assert folder.asked == ["b.xml"]
    assert [(raw.guid, raw.unchanged, raw.modified) for raw in found] == [
        ("id-0", True, stamp),
        ("id-1", False, "2024-05-02 10:31 4.5K"),
    ]
    assert found[0].content is None
    assert found[0].url == f"{folder.url}a.xml"
    assert ending.complete


def test_without_a_stamp_the_server_is_asked_whether_it_changed(folder: Folder) -> None:
    folder.page("a.xml", "b.xml")
    day = "Wed, 01 May 2024 10:31:00 GMT"
    first = folder.file("a.xml", 0, etag='"a"', headers={"Last-Modified": day})

    def since(request: Request) -> Response:
        is_same = request.headers.get("If-Modified-Since") == day
        body = b"" if is_same else gemini(Item(1)).encode()
        return Response(body, 304 if is_same else 200, {"Last-Modified": day})

    folder.publisher.routes["/waf/b.xml"] = since
    found, _ending = folder.read()
    assert [(raw.etag, raw.modified) for raw in found] == [('"a"', day), ("", day)]
    copies = {raw.url: Copy(raw.guid, raw.etag, raw.modified) for raw in found}
    again, ending = folder.read(copies)
    assert [(raw.guid, raw.unchanged) for raw in again] == [("id-0", True), ("id-1", True)]
    assert [(raw.etag, raw.modified) for raw in again] == [('"a"', day), ("", day)]
    assert ending.complete
    folder.publisher.serve("/waf/a.xml", gemini(Item(0, title="New")), etag='"new"')
    changed, _ending = folder.read(copies)
    assert [(raw.unchanged, raw.etag) for raw in changed] == [(False, '"new"'), (True, "")]
    assert first == changed[0].url


def test_a_new_stamp_is_looked_into(folder: Folder) -> None:
    folder.page("a.xml 2024-05-02 09:00 4.5K")
    url = folder.file("a.xml", 0, etag='"a"')
    copies = {url: Copy("id-0", '"a"', "2024-05-01 10:31 4.5K")}
    (raw,), _ending = folder.read(copies)
    assert raw.unchanged
    assert raw.modified == "2024-05-02 09:00 4.5K"
    assert "If-Modified-Since" not in folder.publisher.requests[-1].headers
    (raw,), _ending = folder.read()
    assert not raw.unchanged


@pytest.mark.parametrize(
    ("changed", "is_trusted"), [("10:31:01", False), ("10:29:00", True), ("", True)]
)
def test_a_stamp_of_the_minute_it_was_read_in_is_not_trusted(
    folder: Folder, changed: str, is_trusted: bool
) -> None:
    stamp = "2024-05-01 10:31 4.5K"
    folder.page(f"a.xml {stamp}")
    own = f"Wed, 01 May 2024 {changed} GMT" if changed else ""
    headers = {"Date": "Wed, 01 May 2024 10:31:40 GMT", **({"Last-Modified": own} if own else {})}
    folder.file("a.xml", 0, etag='"a"', headers=headers)
    (raw,), _ending = folder.read()
    assert raw.modified == (stamp if is_trusted else own)
    folder.file("a.xml", 0, etag='"b"', headers=headers)
    (raw,), _ending = folder.read({raw.url: Copy(raw.guid, raw.etag, raw.modified)})
    assert raw.unchanged == is_trusted


def test_a_skipped_record_can_be_fetched_after_all(folder: Folder) -> None:
    folder.page("a.xml 2024-05-02 09:00 4.5K")
    url = folder.file("a.xml", 0, etag='"a"')
    (raw,), _ending = folder.read({url: Copy("id-0", '"a"', "2024-05-02 09:00 4.5K")})
    fetched = GEMINI_WAF.reader.fetch(folder.source(), raw)
    assert fetched.content
    assert "id-0" in fetched.content
    assert (fetched.guid, fetched.modified, fetched.etag) == ("id-0", raw.modified, '"a"')
    folder.file("a.xml", 7)
    with pytest.raises(RecordError, match="no record with the identifier 'id-0' any more"):
        GEMINI_WAF.reader.fetch(folder.source(), raw)
    folder.publisher.serve("/waf/a.xml", FGDC)
    with pytest.raises(RecordError, match="its root element is <metadata>"):
        GEMINI_WAF.reader.fetch(folder.source(), raw)


# What fails.


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ("", "empty-document", "is empty; expected an HTML page with links"),
        ('{"a": 1}', "not-html", "is no HTML page; expected an HTML page with links"),
        (FGDC, "wrong-root", "root element <metadata>; expected an HTML page with links"),
        (gemini(Item(1)), "wrong-root", "which the source type gemini-single reads"),
        ("<html><title>Log in</title></html>", "no-links", "title 'Log in' has 0 links"),
    ],
)
def test_a_page_that_is_none_is_refused_in_words(
    folder: Folder, body: str, code: str, words: str
) -> None:
    folder.publisher.serve("/waf/", body)
    with pytest.raises(ProtocolError) as caught:
        folder.read()
    assert caught.value.code == code
    assert words in caught.value.message
    assert folder.url in caught.value.message


def test_a_page_without_links_to_files_tells_what_it_has(folder: Folder) -> None:
    folder.page("../", "?C=M;O=A", "old/", "/other/a.xml", "b.pdf")
    with pytest.raises(ProtocolError) as caught:
        folder.read()
    assert caught.value.code == "no-links"
    for words in ("has 5 links", 'href="rivers.xml"', "1 sub-folder (old/)", "/other/a.xml"):
        assert words in caught.value.message


def test_pages_of_a_site_are_no_folder(folder: Folder) -> None:
    folder.page("about", "contact")
    for name in ("about", "contact"):
        folder.publisher.serve(f"/waf/{name}", "<html><title>About</title></html>")
    with pytest.raises(ProtocolError) as caught:
        folder.read()
    assert caught.value.code == "no-links"


def test_other_things_in_a_folder_are_told_and_do_no_harm(folder: Folder) -> None:
    folder.page("a.xml", "README", "about")
    folder.file("a.xml")
    folder.publisher.serve("/waf/README", "These are our records.")
    folder.publisher.serve("/waf/about", "<html><title>About</title></html>")
    found, ending = folder.read()
    assert guids(found) == ["id-1"]
    assert ending.complete
    assert "2 files (README, about)" in ending.problems[0].message


@pytest.mark.parametrize("is_known", [False, True])
@pytest.mark.parametrize(
    ("answer", "code", "words"),
    [
        ({"status": 404}, "bad-status", "answered 404"),
        ({"status": 500}, "bad-status", "answered 500"),
        ({"body": b"<html><title>Sorry</title></html>"}, "html-page", "title 'Sorry'"),
        ({"body": b""}, "empty-document", "is empty"),
        ({"body": b"<a>\n<b></a>"}, "xml-syntax", "in line 2"),
        ({"body": b"<x:a><MD_Metadata/></x:a>"}, "xml-syntax", "Namespace prefix x"),
        ({"body": b"<ExceptionReport/>"}, "wrong-root", "<ExceptionReport>"),
        ({"body": b"<GetRecordsResponse/>"}, "no-record", "has no record"),
        ({"cut": 10, "body": b"<a>" * 20}, "unreachable", "b.xml"),
    ],
)
def test_a_file_that_fails_costs_itself_and_proves_nothing(
    folder: Folder, answer: dict[str, Any], code: str, words: str, is_known: bool
) -> None:
    folder.page("a.xml", "b.xml", "c.xml")
    folder.file("a.xml", 0)
    folder.file("c.xml", 2)
    folder.publisher.serve("/waf/b.xml", **answer)
    copies = {f"{folder.url}b.xml": Copy("id-1", '"b"')} if is_known else {}
    found, ending = folder.read(copies)
    assert guids(found) == ["id-0", "id-1" if is_known else "", "id-2"]
    error = found[1].error
    assert error is not None
    assert (error.code, found[1].position) == (code, "b.xml")
    assert words in error.message
    assert f"{folder.url}b.xml" in error.message
    # A record that is known to stand there does not hide another one.
    assert ending.complete == is_known
    assert is_known or "1 file (b.xml) could not be read" in ending.reason


def test_xml_that_is_no_record_is_lost_under_its_address_and_hides_none(folder: Folder) -> None:
    folder.page("a.xml", "fgdc.xml")
    folder.file("a.xml", 0)
    folder.publisher.serve("/waf/fgdc.xml", FGDC)
    found, ending = folder.read()
    assert guids(found) == ["id-0", f"{folder.url}fgdc.xml"]
    assert found[1].error is not None
    assert found[1].error.code == "wrong-root"
    assert ending.complete
    folder.page("fgdc.xml")
    found, ending = folder.read()
    assert not ending.complete
    assert ending.reason == "none of the 1 files is a record"


def test_a_record_without_identifier_is_lost(folder: Folder) -> None:
    folder.page("a.xml", "b.xml")
    folder.file("a.xml", 0)
    folder.publisher.serve("/waf/b.xml", gemini(Item(1, nameless=True)))
    found, _ending = folder.read()
    assert found[1].error is not None
    assert found[1].error.message.startswith("b.xml: gmd:fileIdentifier is missing")


@pytest.mark.parametrize(
    "answer",
    [
        Response(status=500),
        Response(b"{}"),
        Response(status=302, headers={"Location": "/elsewhere/"}),
    ],
    ids=["500", "json", "redirect"],
)
def test_a_sub_folder_that_fails_makes_the_run_incomplete(folder: Folder, answer: Response) -> None:
    folder.page("a.xml", "sub/", "more/")
    folder.page("b.xml", path="/waf/more/")
    folder.page("c.xml", path="/elsewhere/")
    folder.publisher.routes["/waf/sub/"] = answer
    folder.file("a.xml", 0)
    folder.file("more/b.xml", 1)
    found, ending = folder.read(depth=1)
    assert guids(found) == ["id-0", "id-1"]
    assert not ending.complete
    assert ending.reason.startswith(f"the sub-folder {folder.url}sub/ was not read")


def test_many_folders_that_fail_are_counted(folder: Folder) -> None:
    folder.page("a.xml", *(f"{number}/" for number in range(8)))
    folder.file("a.xml")
    _found, ending = folder.read(depth=1)
    assert ending.reason.count("was not read") == waf_folder.REASONS
    assert ending.reason.endswith("; 5 more pages likewise")
    folder.page("0/")
    with pytest.raises(ProtocolError, match="0/ was not read") as caught:
        folder.read(depth=1)
    assert caught.value.code == "no-links"


def test_an_empty_sub_folder_is_none_that_fails(folder: Folder) -> None:
    folder.page("a.xml", "sub/")
    folder.file("a.xml")
    folder.page(path="/waf/sub/")
    assert folder.read(depth=1)[1] == Ending(complete=True)


def test_a_page_that_breaks_off_or_goes_on_elsewhere_proves_nothing(folder: Folder) -> None:
    folder.file("a.xml")
    folder.publisher.serve("/waf/", '<html><body><a href="a.xml">a</a>')
    found, ending = folder.read()
    assert guids(found) == ["id-1"]
    assert not ending.complete
    assert "it has no </html>" in ending.reason
    folder.page("a.xml", "?page=2")
    _found, ending = folder.read()
    assert "goes on at" in ending.reason
    # Under a program's name it may be a record as well, which only its answer tells.
    folder.page("a.xml", "list.php?page=2", "get.php?page=3")
    folder.page("b.xml", path="/waf/list.php?page=2")
    folder.file("get.php?page=3", 3)
    found, ending = folder.read()
    assert guids(found) == ["id-1", "id-3"]
    assert not ending.complete
    assert "goes on at 1 page (list.php?page=2)" in ending.reason


def test_a_server_that_goes_down_ends_the_read(folder: Folder) -> None:
    folder.files(300)
    for number in range(50, 300):
        folder.publisher.fail(f"/waf/{number}.xml", status=503, times=20)
    with pytest.raises(SourceError, match="10 addresses of the folder in a row") as caught:
        folder.read()
    assert "503" in caught.value.message
    assert len({*folder.asked}) < 90


def test_a_server_with_many_gaps_is_read_to_its_end(folder: Folder) -> None:
    folder.files(60)
    for number in range(10, 50):
        del folder.publisher.routes[f"/waf/{number}.xml"]
    found, ending = folder.read()
    assert len(found) == 60
    assert not ending.complete
    assert "40 files (10.xml, " in ending.reason
    assert "and 28 more" in ending.reason


def test_a_page_too_large_is_refused(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waf_folder, "MAX_PAGE", 500)
    folder.files(30)
    with pytest.raises(SourceError, match="the most that is read of a page of links"):
        folder.read()


def test_ten_thousand_files_that_did_not_change_take_seconds(folder: Folder) -> None:
    stamp = "2024-05-01 10:31 4.5K"
    folder.page(*(f"{number}.xml {stamp}" for number in range(10_000)))
    copies = {
        f"{folder.url}{number}.xml": Copy(f"id-{number}", "", stamp) for number in range(10_000)
    }
    started = time.monotonic()
    found, ending = folder.read(copies)
    assert time.monotonic() - started < 20
    assert len(found) == 10_000
    assert all(raw.unchanged for raw in found)
    assert len(folder.publisher.requests) == 1
    assert ending.complete


# A server that is not ours.


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
            """Say nothing."""

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
