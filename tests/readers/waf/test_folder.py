"""Folders and files that fail: what fails with them, and what proves nothing."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core.errors import ProtocolError, SourceError
from ckanext.ukharvest.core.records import Copy, Ending
from ckanext.ukharvest.readers.waf import folder as waf_folder
from tests.counting import assert_linear, count_calls
from tests.publisher import Response
from tests.publishing.gemini import gemini
from tests.publishing.records import Item
from tests.readers.waf.waf_site import FGDC, Folder, guids


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ("", "empty-document", "is empty; expected an HTML page with links"),
        (
            '{"a": 1}',
            "not-html",
            """is not an HTML page: it begins with '{"a": 1}'; expected an HTML page""",
        ),
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


def test_other_files_in_a_folder_are_reported(folder: Folder) -> None:
    folder.page("a.xml", "README", "about")
    folder.file("a.xml")
    folder.publisher.serve("/waf/README", "These are our records.")
    folder.publisher.serve("/waf/about", "<html><title>About</title></html>")
    found, ending = folder.read()
    assert guids(found) == ["id-1"]
    assert ending.complete
    assert "2 files (README, about)" in ending.problems[0].message


def test_a_file_that_is_not_well_formed_is_repaired_and_reported(folder: Folder) -> None:
    folder.page("a.xml", "b.xml")
    folder.file("a.xml", 0)
    text = gemini(Item(1)).replace("<gmd:MD_Metadata", "<!-- --><gmd:MD_Metadata", 1)
    assert "</gco:CharacterString>" in text
    broken = text.replace("</gco:CharacterString>", " A & B</gco:CharacterString>", 1)
    folder.publisher.serve("/waf/b.xml", broken)
    found, ending = folder.read()
    assert [raw.error for raw in found] == [None, None]
    assert "A &amp; B" in (found[1].content or "")
    assert [problem.code for problem in ending.problems] == ["repaired-syntax"]


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
def test_failed_file_fails_alone_and_proves_nothing(
    folder: Folder, answer: dict[str, Any], code: str, words: str, is_known: bool
) -> None:
    folder.page("a.xml", "b.xml", "c.xml")
    folder.file("a.xml", 0)
    folder.file("c.xml", 2)
    folder.publisher.serve("/waf/b.xml", **answer)
    copies = {f"{folder.url}b.xml": Copy("id-1", '"b"')} if is_known else {}
    found, ending = folder.read(copies)
    found.sort(key=lambda raw: raw.position)
    assert guids(found) == ["id-0", "id-1" if is_known else "", "id-2"]
    error = found[1].error
    assert error is not None
    assert (error.code, found[1].position) == (code, "b.xml")
    assert words in error.message
    assert f"{folder.url}b.xml" in error.message
    # A record known to be there does not hide another one.
    assert ending.complete == is_known
    assert is_known or "1 file (b.xml) could not be read" in ending.reason


def test_xml_that_is_no_record_fails_by_its_url_and_hides_none(folder: Folder) -> None:
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


def test_record_without_identifier_fails(folder: Folder) -> None:
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


def test_a_page_that_ends_early_or_goes_on_proves_nothing(folder: Folder) -> None:
    folder.file("a.xml")
    folder.publisher.serve("/waf/", '<html><body><a href="a.xml">a</a>')
    found, ending = folder.read()
    assert guids(found) == ["id-1"]
    assert not ending.complete
    assert "it has no </html>" in ending.reason
    folder.page("a.xml", "?page=2")
    _found, ending = folder.read()
    assert "goes on at" in ending.reason
    # A program's URL may return a record as well, which only its answer shows.
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
    assert len({*folder.requested}) < 90


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


def test_unchanged_files_cost_one_request_and_linear_work(
    folder: Folder,
) -> None:
    stamp = "2024-05-01 10:31 4.5K"

    def read(count: int) -> None:
        folder.publisher.requests.clear()
        folder.page(*(f"{number}.xml {stamp}" for number in range(count)))
        copies = {
            f"{folder.url}{number}.xml": Copy(f"id-{number}", "", stamp) for number in range(count)
        }
        found, ending = folder.read(copies)
        assert len(found) == count
        assert all(raw.unchanged for raw in found)
        assert len(folder.publisher.requests) == 1
        assert ending.complete

    assert_linear(lambda count: count_calls(read, count), 1000)
