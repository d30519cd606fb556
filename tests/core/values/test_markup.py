"""HTML in descriptions becomes clean text."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.values.markup import plain_text


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("", ""),
        ("Plain words,\non two lines.", "Plain words,\non two lines."),
        ("Over &pound;500 &amp; under 5 < 6", "Over £500 & under 5 < 6"),
        ("see <name@example.org>", "see <name@example.org>"),
        ("<p>One</p>\r\n<p>Two <b>bold</b>\n words</p>", "One\n\nTwo bold words"),
        ("a<br/>b<br>c", "a\nb\nc"),
        ("<ul><li>one</li><li>two</li></ul>", "- one\n- two"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"),
        ('<a href="https://a.example/x">here</a>.', "[here](https://a.example/x)."),
        ('<a href="https://a.example/x">https://a.example/x</a>', "https://a.example/x"),
        ('<a href="javascript:alert(1)">here</a>', "here"),
        ("<a>nowhere</a> <a href='https://a.example'>open", "nowhere open"),
        ("<p>seen<script>alert('x')</script><style>p{}</style></p>", "seen"),
        ("<p>5 &lt; 6 &amp;&nbsp;7</p>", "5 < 6 & 7"),
        ("<p>unclosed <b>words", "unclosed words"),
        ("# Head\n\nA <b>bold</b> word\n\n- a\n- b", "# Head\n\nA bold word\n\n- a\n- b"),
        ("One<br/>\nline\n\nTwo", "One\nline\n\nTwo"),
        ("# Head\n\nOne\n\n<ul>\n<li>a\nb</li></ul>\n\nTwo", "# Head\n\nOne\n\n- a b\n\nTwo"),
        ("&lt;p&gt;One&lt;/p&gt;&lt;p&gt;Two&lt;/p&gt;", "One\n\nTwo"),
        ("Use the &lt;b&gt; tag", "Use the <b> tag"),
        ("Caf&amp;eacute; &amp;amp; bar &#233; &foo; AT&T", "Café & bar é &foo; AT&T"),
        ("https://a.example/?x=1&region=2&copy=3", "https://a.example/?x=1&region=2&copy=3"),
        ("&copy 2020 &eacute", "© 2020 é"),
        ("See the <title> of each page.", "See the <title> of each page."),
        ("<p>Its <head> has a <title>name</title>.</p>", "Its <head> has a ."),
        ("Styled. <style/> More <b>text</b>.", "Styled. More text."),
    ],
)
def test_html_becomes_text(given: str, expected: str) -> None:
    assert plain_text(given) == expected


def test_endless_markup_takes_no_time() -> None:
    assert plain_text("<p" * 50_000) is not None
    assert plain_text("<p>" + "<a href='" * 20_000) is not None
