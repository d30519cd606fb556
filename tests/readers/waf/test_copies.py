"""Unchanged files of a folder that are not read again."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.errors import RecordError
from ckanext.ukharvest.core.records import Copy
from ckanext.ukharvest.source_types.gemini import GEMINI_WAF
from tests.publisher import Request, Response
from tests.publishing.gemini import gemini
from tests.publishing.records import Item
from tests.readers.waf.waf_site import FGDC, Folder


def test_a_file_that_is_unchanged_in_the_listing_is_not_read(folder: Folder) -> None:
    stamp = "2024-05-01 10:31 4.5K"
    folder.page(f"a.xml {stamp}", "b.xml 2024-05-02 10:31 4.5K")
    copies = {folder.file(name, n): Copy(f"id-{n}", "", stamp) for n, name in ((0, "a.xml"),)}
    folder.file("b.xml", 1)
    found, ending = folder.read(copies)
    assert folder.requested == ["b.xml"]
    assert [(raw.guid, raw.unchanged, raw.modified) for raw in found] == [
        ("id-0", True, stamp),
        ("id-1", False, "2024-05-02 10:31 4.5K"),
    ]
    assert found[0].content is None
    assert found[0].url == f"{folder.url}a.xml"
    assert ending.complete


def test_record_without_stamp_is_requested_conditionally(folder: Folder) -> None:
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


def test_changed_stamp_is_read(folder: Folder) -> None:
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


@pytest.mark.parametrize("etag", ['"a"', '"new"'])
def test_of_two_files_with_one_identity_the_known_one_stays(folder: Folder, etag: str) -> None:
    folder.page("b.xml", "a.xml")
    folder.file("b.xml")
    url = folder.file("a.xml", etag=etag)
    found, _ending = folder.read({url: Copy("id-1", '"a"')})
    assert [(raw.position, raw.guid) for raw in found] == [("a.xml", "id-1"), ("b.xml", "id-1")]
