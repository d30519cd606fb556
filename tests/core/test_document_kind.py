"""HTML pages in place of data."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.document_kind import html_title


@pytest.mark.parametrize(
    ("content", "title"),
    [
        pytest.param(b"<!DOCTYPE html><title>A &amp;\n B</title>", "A & B", id="html5"),
        pytest.param(b"\xef\xbb\xbf\r\n<HTML><HEAD><TITLE>X</TITLE>", "X", id="bom-upper-case"),
        pytest.param(b"<?xml version='1.0'?><!-- c --><html/>", "", id="xhtml"),
        pytest.param("<html><title>Café</title>".encode("latin-1"), "Café", id="latin1"),
        pytest.param("\ufeff<html><title>Café</title>".encode("utf-16"), "Café", id="utf16"),
        pytest.param(b"<html><title>" + b"x" * 300 + b"</title>", "x" * 99 + "…", id="long"),
        pytest.param(b"<html><title>never closed", "", id="open-title"),
        pytest.param(b"<body>no head", "", id="body"),
        pytest.param(b"", None, id="empty"),
        pytest.param(b'{"html": "<html>"}', None, id="json"),
        pytest.param(b"<rss><title>html</title></rss>", None, id="rss"),
        pytest.param(b"<htmlish/>", None, id="other-root"),
        pytest.param(b"Not found <html>", None, id="text"),
    ],
)
def test_html_pages_are_known_by_their_title(content: bytes, title: str | None) -> None:
    assert html_title(content) == title
