"""Links and stamps of a folder's page, from any web server."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.readers.waf import listing as waf_listing
from ckanext.ukharvest.readers.waf.listing import Link, Listing
from tests.counting import assert_linear, count_calls

PAGE = "https://council.example/metadata/"


def read(text: str | bytes, url: str = PAGE, charset: str = "") -> Listing:
    body = text if isinstance(text, bytes) else text.encode()
    return waf_listing.read(body, url, charset)


def links(text: str | bytes, **more: str) -> list[Link]:
    return list(read(text, **more).links)


def kinds(text: str, **more: str) -> dict[str, str]:
    return {link.href: link.kind for link in links(text, **more)}


def stamps(text: str) -> dict[str, str]:
    return {link.path: link.stamp for link in links(text) if link.kind == "file"}


APACHE_PRE = """<html><head><title>Index of /metadata</title></head><body><h1>Index</h1>
<pre><img src="/icons/blank.gif" alt="Icon "> <a href="?C=N;O=D">Name</a> <a href="?C=M;O=A">Last
modified</a> <a href="?C=S;O=A">Size</a><hr><img src="/icons/back.gif" alt="[DIR]">
<a href="/">Parent Directory</a>                   -
<img src="/icons/text.gif" alt="[TXT]"> <a href="rivers.xml">rivers.xml</a>  2024-05-01 10:31  4.5K
<img src="/icons/text.gif" alt="[TXT]"> <a href="coast.xml">coast.xml</a>    2024-05-02 09:00   12K
<img src="/icons/folder.gif" alt="[DIR]"> <a href="old/">old/</a>  2023-01-02 10:00    -
<hr></pre></body></html>"""

APACHE_TABLE = """<html><body><table><tr><th valign="top"><img src="/icons/blank.gif"></th>
<th><a href="?C=N;O=D">Name</a></th><th><a href="?C=M;O=A">Last modified</a></th></tr>
<tr><th colspan="5"><hr></th></tr>
<tr><td><a href="rivers.xml"><img src="/icons/unknown.gif" alt="[   ]"></a></td>
<td><a href="rivers.xml">rivers.xml</a></td><td align="right">2024-05-01 10:31  </td>
<td align="right">4.5K</td><td>&nbsp;</td></tr>
<tr><td><img src="/icons/unknown.gif"></td><td><a href="coast.xml">coast.xml</a></td>
<td align="right">2024-05-02 09:00  </td><td align="right"> 12K</td><td>&nbsp;</td></tr>
</table></body></html>"""

IIS = """<html><head><title>council.example - /metadata/</title></head><body><hr>
<pre><A HREF="/">[To Parent Directory]</A><br><br> 5/1/2024 10:31 AM  4608
<A HREF="/metadata/rivers.xml">rivers.xml</A><br> 5/2/2024  9:00 AM 12288 <A
 HREF="/metadata/coast.xml">coast.xml</A><br> 1/2/2023 10:00 AM &lt;dir&gt; <A
 HREF="/metadata/old/">old</A><br></pre><hr></body></html>""".replace("4608\n", "4608 ")

NGINX = """<html><head><title>Index of /metadata/</title></head><body><h1>Index of /metadata/</h1>
<hr><pre><a href="../">../</a>
<a href="old/">old/</a>                      02-Jan-2023 10:00       -
<a href="rivers.xml">rivers.xml</a>          01-May-2024 10:31    4608
<a href="coast.xml">coast.xml</a>            02-May-2024 09:00   12288
</pre><hr></body></html>"""

CADDY = """<!DOCTYPE html><html><body><div class="wrapper"><table><thead><tr>
<th><a href="?sort=name&amp;order=desc">Name</a></th></tr></thead><tbody>
<tr><td></td><td><a href=".."><span class="goup">Up</span></a></td></tr>
<tr class="file"><td></td><td><a href="./rivers.xml"><svg></svg><span class="name">rivers.xml</span>
</a></td><td class="size" data-size="4608"><div class="sizebar"><div class="sizebar-text">4.5 KiB
</div></div></td><td class="timestamp"><time datetime="2024-05-01T10:31:00Z">05/01/2024 10:31:00 AM
+00:00</time></td></tr>
<tr class="file"><td></td><td><a href="./coast.xml"><span class="name">coast.xml</span></a></td>
<td class="size" data-size="12288"><div class="sizebar"><div class="sizebar-text">12 KiB</div></div>
</td><td class="timestamp"><time>05/02/2024 09:00:00 AM +00:00</time></td></tr>
</tbody></table></div></body></html>"""

LIGHTTPD = """<html><body><table summary="Directory Listing"><tbody>
<tr class="d"><td class="n"><a href="../">..</a>/</td><td class="m">&nbsp;</td></tr>
<tr><td class="n"><a href="rivers.xml">rivers.xml</a></td><td class="m">2024-May-01 10:31:00</td>
<td class="s">4.5K</td><td class="t">application/xml</td></tr>
<tr><td class="n"><a href="coast.xml">coast.xml</a></td><td class="m">2024-May-02 09:00:00</td>
<td class="s">12.0K</td><td class="t">application/xml</td></tr></tbody></table></body></html>"""


@pytest.mark.parametrize(
    ("page", "stamp"),
    [
        pytest.param(APACHE_PRE, "2024-05-01 10:31 4.5K", id="apache-pre"),
        pytest.param(APACHE_TABLE, "2024-05-01 10:31 4.5K", id="apache-table"),
        pytest.param(IIS, "5/1/2024 10:31 AM 4608", id="iis"),
        pytest.param(NGINX, "01-May-2024 10:31 4608", id="nginx"),
        pytest.param(CADDY, "4.5 KiB 05/01/2024 10:31:00 AM +00:00", id="caddy"),
        pytest.param(LIGHTTPD, "2024-May-01 10:31:00 4.5K application/xml", id="lighttpd"),
    ],
)
def test_every_servers_listing_gives_its_files_with_their_stamps(page: str, stamp: str) -> None:
    found = stamps(page)
    assert list(found) == ["rivers.xml", "coast.xml"]
    assert found["rivers.xml"] == stamp
    assert found["coast.xml"]
    assert "<dir>" not in "".join(found.values())
    urls = {link.url for link in links(page) if link.kind == "file"}
    assert urls == {f"{PAGE}rivers.xml", f"{PAGE}coast.xml"}


def test_a_list_without_dates_has_no_stamps() -> None:
    page = '<html><body><ul><li><a href="rivers.xml">rivers.xml</a></li></ul></body></html>'
    assert stamps(page) == {"rivers.xml": ""}


@pytest.mark.parametrize(
    "words",
    ["1 May 2024", "2024-05-01 12K", "12K", "10:31", "since 2024-05-01 10:31", "v. 2 " * 90],
    ids=["day", "no-time", "size", "time", "no-size", "prose"],
)
def test_a_stamp_has_a_day_a_time_and_a_size(words: str) -> None:
    assert stamps(f'<p><a href="rivers.xml">Rivers</a> {words}</p>') == {"rivers.xml": ""}


def test_a_line_with_two_files_tells_the_stamp_of_neither() -> None:
    text = '<p><a href="a.xml">a</a> <a href="b.xml">b</a> 2024-05-01 10:31 4K</p>'
    assert stamps(text) == {"a.xml": "", "b.xml": ""}


@pytest.mark.parametrize(
    ("href", "kind"),
    [
        ("rivers.xml", "file"),
        ("./rivers.xml", "file"),
        ("/metadata/rivers.xml", "file"),
        ("//council.example/metadata/rivers.xml", "file"),
        ("https://COUNCIL.example:443/metadata/rivers.xml", "file"),
        ("http://council.example/metadata/rivers.xml", "file"),
        ("rivers.xml?download=1", "file"),
        (r".\rivers.xml", "file"),
        ("main rivers.xml", "file"),
        ("/%6Detadata/rivers.xml", "file"),
        ("record", "file"),
        ("?request=GetRecordById&id=5", "file"),
        ("old/", "folder"),
        ("old/rivers.xml", "file"),
        ("../", "above"),
        ("/", "above"),
        ("", None),
        ("?C=M;O=A", "page"),
        ("?N=D", "page"),
        ("./?sort=name&order=desc", "page"),
        ("#top", "page"),
        ("index.html#top", "file"),
        ("mailto:gis@council.example", "other"),
        ("tel:+441632960000", "other"),
        ("javascript:history.back()", "other"),
        ("/other/rivers.xml", "elsewhere"),
        ("../rivers.xml", "elsewhere"),
        ("https://other.example/metadata/rivers.xml", "elsewhere"),
        ("https://council.example:8443/metadata/rivers.xml", "elsewhere"),
        ("ftp://council.example/metadata/rivers.xml", "elsewhere"),
        ("http://[broken/rivers.xml", "elsewhere"),
    ],
)
def test_links_are_sorted_into_files_folders_and_pages(href: str, kind: str | None) -> None:
    found = kinds(f'<html><body><a href="{href}">x</a></body></html>')
    assert found == ({href: kind} if kind else {})


def test_a_page_named_index_is_its_folders_page() -> None:
    text = '<a href="rivers.xml">r</a> <a href="index.html">again</a> <a href="/metadata/">up</a>'
    found = kinds(text, url=f"{PAGE}index.html")
    assert found == {"rivers.xml": "file", "index.html": "page", "/metadata/": "page"}


def test_base_says_what_links_are_relative_to() -> None:
    text = '<head><base href="/metadata/"></head><a href="rivers.xml">r</a>'
    (link,) = links(text, url="https://council.example/metadata/lists/")
    assert (link.url, link.kind) == (f"{PAGE}rivers.xml", "elsewhere")
    (link,) = links(text, url="https://council.example/metadata/all.html")
    assert link.kind == "file"


@pytest.mark.parametrize(
    ("head", "encoding", "charset"),
    [
        ("", "utf-8", ""),
        ("", "utf-8", "no-such-charset"),
        ("", "utf-8", "utf\0"),
        ("", "iso-8859-1", "iso-8859-1"),
        ("", "windows-1252", ""),
        ('<meta charset="iso-8859-15">', "iso-8859-15", ""),
        ("", "utf-16", ""),
    ],
)
def test_names_arrive_in_any_encoding(head: str, encoding: str, charset: str) -> None:
    text = f'<html><head>{head}</head><body><a href="môr.xml">môr</a></body></html>'
    (link,) = links(text.encode(encoding), charset=charset)
    assert (link.path, link.url) == ("môr.xml", f"{PAGE}m%C3%B4r.xml")


def test_each_address_comes_once() -> None:
    listing = read('<a href="a.xml">icon</a><a href="./a.xml#x">a</a><a href="A.xml">A</a>')
    assert [link.path for link in listing.links] == ["a.xml", "A.xml"]
    assert listing.count == 3


def _unclosed(count: int) -> str:
    return "<html><body>" + "".join(
        f"<font><b><div><a href='{number}.xml'>{number}<td></ul>" for number in range(count)
    )


def test_broken_html_is_read_to_its_end() -> None:
    listing = read(_unclosed(2000) + "</html>")
    assert len(listing.links) == 2000
    assert not listing.is_cut


def test_a_page_of_endless_depth_is_given_up_and_reported_cut() -> None:
    listing = read(_unclosed(50_000) + "</html>")
    assert listing.is_cut


@pytest.mark.parametrize(
    ("page", "is_cut"),
    [
        ("<html><body><a href='a.xml'>a</a>", True),
        ("<HTML><a href='a.xml'>a</a></HTML>", False),
        ("<a href='a.xml'>a</a>", False),
    ],
)
def test_a_page_that_begins_has_an_end(page: str, is_cut: bool) -> None:
    assert read(page).is_cut == is_cut


@pytest.mark.parametrize(
    "body", [b"", b"   ", b"\x00\xff\xfe\x01" * 50, b"{}", b"<x/>", b"<!---->"]
)
def test_answer_that_is_no_page_has_no_links(body: bytes) -> None:
    assert read(body).count == 0


def test_a_page_from_a_file_may_have_whole_paths() -> None:
    found = {link.href: (link.kind, link.path) for link in links(IIS, url="saved.html")}
    assert found["/metadata/rivers.xml"] == ("file", "rivers.xml")
    assert found["/metadata/old/"] == ("folder", "old/")
    assert found["/"] == ("above", "")


def test_work_for_links_grows_with_their_number() -> None:
    def read(count: int) -> None:
        rows = "\n".join(
            f'<a href="{number}.xml">{number}.xml</a>   01-May-2024 10:31   4608'
            for number in range(count)
        )
        found = stamps(f"<html><body><pre>\n{rows}\n</pre></body></html>")
        assert len(found) == count
        assert all(found.values())

    assert_linear(lambda count: count_calls(read, count), 1000)
