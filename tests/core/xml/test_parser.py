"""The one parser for untrusted XML."""

from __future__ import annotations

import socket

import pytest
from lxml import etree

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.xml import parser as xml

UTF16 = '<?xml version="1.0" encoding="utf-16"?><a>ŵ</a>'
BOMB = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "x" * 10}">' for n in range(9))


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("<a>ŵ</a>", id="text"),
        pytest.param("\ufeff<a>ŵ</a>", id="text-bom"),
        pytest.param('<?xml version="1.0" encoding="iso-8859-1"?><a>ŵ</a>', id="text-declared"),
        pytest.param(UTF16, id="text-declared-utf16"),
        pytest.param("<a>ŵ</a>".encode(), id="utf8"),
        pytest.param(b"\xef\xbb\xbf" + "<a>ŵ</a>".encode(), id="utf8-bom"),
        pytest.param(UTF16.encode("utf-16"), id="utf16"),
        pytest.param(UTF16.encode(), id="utf8-declared-utf16"),
        pytest.param(
            '<?xml version="1.0" encoding="iso-8859-14"?><a>ŵ</a>'.encode("iso-8859-14"),
            id="latin8",
        ),
        pytest.param(b"\n\n <?xml version='1.0'?>" + "<a>ŵ</a>".encode(), id="blank-lines-first"),
        pytest.param("<a>&#373;</a>", id="character-reference"),
        pytest.param("<!-- <!DOCTYPE a> --><a>ŵ</a>", id="doctype-in-a-comment"),
        pytest.param("<?xml version='1.0'?><!-- x -->\n<!DOCTYPE a><a>ŵ</a>", id="doctype"),
    ],
)
def test_encodings_are_read(content: bytes | str) -> None:
    assert xml.parse(content).text == "ŵ"


@pytest.mark.parametrize(
    ("content", "code", "line", "message"),
    [
        pytest.param(b"", "not-xml", None, "empty", id="empty"),
        pytest.param("  \n", "not-xml", None, "empty", id="blank"),
        pytest.param('{"a": 1}', "not-xml", 1, "not well-formed", id="json"),
        pytest.param("<a>\n\n<b></a>", "not-xml", 3, "not well-formed", id="tag-mismatch"),
        pytest.param(
            '<?xml version="1.0"?>\n<a>\n<b></a>', "not-xml", 3, "", id="declaration-line"
        ),
        pytest.param("<a>&nbsp;</a>", "not-xml", 1, "&nbsp; is not", id="undefined-entity"),
        pytest.param(b"<a>\xff</a>", "not-xml", 1, "", id="wrong-bytes"),
        pytest.param("<a>\ud800</a>", "parse", 1, "half a character", id="half-surrogate"),
        pytest.param("<a>" * 300 + "</a>" * 300, "not-xml", 1, "depth", id="too-deep"),
        pytest.param(
            "\n<!DOCTYPE a [<!ELEMENT a ANY>]>\n<a/>", "doctype", 2, "DOCTYPE", id="doctype"
        ),
        pytest.param(
            '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
            "doctype",
            1,
            "DOCTYPE",
            id="entity-file",
        ),
        pytest.param(
            "<!DOCTYPE html><html><head><title>403 Forbidden</title></head><body><br></html>",
            "html",
            None,
            "an HTML page instead of XML, title '403 Forbidden'",
            id="html",
        ),
        pytest.param(
            '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Log in</title></head></html>',
            "html",
            None,
            "title 'Log in'",
            id="well-formed-xhtml",
        ),
        pytest.param("<html><p>x</html>", "html", None, "without a title", id="html-no-title"),
    ],
)
def test_other_documents_are_refused_with_code_and_line(
    content: bytes | str, code: str, line: int | None, message: str
) -> None:
    with pytest.raises(ParseError) as caught:
        xml.parse(content, url="https://example.org/x.xml")
    error = caught.value
    assert (error.code, error.line, error.url) == (code, line, "https://example.org/x.xml")
    assert message in error.message
    assert "\n" not in error.message


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"<a>x & y</a>", "an & alone; expected &amp;"),
        (b"<a>x &foo y</a>", "an & alone; expected &amp;"),
        (b"<a>&foo;</a>", "the entity &foo; is not defined; expected the character"),
        (b"<a>\x0b</a>", "the control character 11; expected none"),
        (b"<a>&#11;</a>", "the control character 11; expected none"),
        (b"<a>\n<b>x</a>", "<b> of line 2 ends with </a>"),
        (b"<a>\n<b>x</b>", "it is cut off: <a> of line 1 has no end"),
        (b"<a>\n<b", "it is cut off or broken inside the tag <b"),
        (b"<a b='<'/>", "a < in an attribute; expected &lt;"),
        (b"<a>1 < 2</a>", "a < that begins no element; expected &lt;"),
        (b"<a/>x", "more behind the end of its root element"),
        (b"<a>\xff</a>", "bytes that are not of the encoding that it declares, or UTF-8"),
        (b"%PDF-1.7 \xff", "it begins with '%PDF-1.7"),
    ],
)
def test_fault_of_syntax_is_named_in_plain_words(content: bytes, reason: str) -> None:
    with pytest.raises(ParseError) as caught:
        xml.parse(content)
    assert caught.value.message.startswith(f"the document is not well-formed XML: {reason}")


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(f'<!DOCTYPE a [{BOMB}]><a b="&e8;"/>', id="attribute"),
        pytest.param(f"<!DOCTYPE a [{BOMB}]><a>&e8;</a>", id="text"),
    ],
)
def test_an_entity_bomb_is_refused(document: str) -> None:
    with pytest.raises(ParseError):
        xml.parse(document)


def test_no_entity_reaches_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("opened a socket")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    with pytest.raises(ParseError):
        xml.parse('<!DOCTYPE a [<!ENTITY % x SYSTEM "http://127.0.0.1:9/">%x;]><a/>')
    for part in (
        'SYSTEM "http://127.0.0.1:9/x.dtd"',
        """PUBLIC "-//X//DTD x 1.0//EN"\n 'http://127.0.0.1:9/x.dtd' """,
        'PUBLIC "-//X//DTD x 1.0//EN"',
    ):
        root = xml.parse(f"<!DOCTYPE a {part}>\n<a><![CDATA[<!DOCTYPE a>]]></a>")
        assert (root.text, root.sourceline) == ("<!DOCTYPE a>", 2 + part.count("\n"))
        assert root.getroottree().docinfo.internalDTD is None
        with pytest.raises(ParseError, match="eacute"):
            xml.parse(f"<!DOCTYPE a {part}><a>&eacute;</a>")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param('<a b="1" c="2"/>', "<a  c='2' b='1'></a>", id="attributes"),
        pytest.param("<a><!-- x -->t</a>", "<a>t</a>", id="comments"),
        pytest.param(
            '<a xmlns:x="urn:x" xmlns:y="urn:y"><x:b/></a>',
            '<a><x:b xmlns:x="urn:x"/></a>',
            id="declarations",
        ),
        pytest.param("<a><![CDATA[<]]></a>", "<a>&lt;</a>", id="cdata"),
        pytest.param('<a xmlns="inventory" b="1"/>', "<a b='1' xmlns='inventory'/>", id="relative"),
    ],
)
def test_canonical_forms_are_equal(one: str, other: str) -> None:
    assert xml.canonical(xml.parse(one)) == xml.canonical(xml.parse(other))


@pytest.mark.parametrize("namespace", ["urn:x", "relative"])
def test_a_part_is_canonical_by_itself(namespace: str) -> None:
    root = xml.parse(f'<r xmlns:x="{namespace}" xmlns:y="urn:y"><x:a>t</x:a> tail</r>')
    expected = f'<x:a xmlns:x="{namespace}">t</x:a>'.encode()
    assert xml.canonical(root[0]) == expected


# Documents with a readable beginning only


@pytest.mark.parametrize(
    ("content", "children"),
    [
        pytest.param(b"<a><b>1</b><c>", ["b", "c"], id="cut off"),
        pytest.param(b"<a><b>x & y</b><c/></a>", ["b", "c"], id="not well-formed"),
        pytest.param(b"\n<?xml version='1.0'?><!DOCTYPE a SYSTEM 'a.dtd'><a/>", [], id="doctype"),
    ],
)
def test_the_beginning_of_a_document_is_parsed(content: bytes, children: list[str]) -> None:
    root = xml.parse_beginning(content)
    assert root is not None
    assert (root.tag, [child.tag for child in root]) == ("a", children)


@pytest.mark.parametrize("content", [b"", b"text", b'{"a": 1}', b"<!-- -->"])
def test_the_beginning_of_anything_else_is_none(content: bytes) -> None:
    assert xml.parse_beginning(content) is None


def test_the_beginning_of_a_document_resolves_no_entity() -> None:
    doctype = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY y "yy">]>'
    root = xml.parse_beginning(doctype + b"<a>&x;&y;</a>")
    assert root is not None
    assert etree.tostring(root) == b"<a>&x;&y;</a>"


def test_a_text_beyond_the_limit_of_libxml2_is_refused() -> None:
    with pytest.raises(ParseError, match="a text of more than 10 MB, the longest that is read"):
        xml.parse(b"<a>" + b"x" * 10_000_001 + b"</a>")


@pytest.mark.parametrize(
    ("element", "name", "namespace"),
    [
        ('<b xmlns="urn:x"/>', "b", "urn:x"),
        ("<b/>", "b", ""),
        ("<gmd:b/>", "gmd:b", ""),
    ],
)
def test_name_of_a_recovered_element_is_known(element: str, name: str, namespace: str) -> None:
    root = xml.parse_beginning(f"<a>{element}</a>".encode())
    assert root is not None
    assert (xml.local_name(root[0]), xml.namespace(root[0])) == (name, namespace)
