"""Write ISO 19139 elements for documents of tests."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

CODES = "http://www.isotc211.org/2005/resources/Codelist/gmxCodelists.xml#"


def el(name: str, *content: str, **attributes: str) -> str:
    """Return an element as text.

    Args:
        name: "a/b" is an element b, alone in an element a.
        attributes: ``__`` stands for the colon in their names.
    """
    around, _, name = name.rpartition("/")
    spelt = "".join(f" {k.replace('__', ':')}={quoteattr(v)}" for k, v in attributes.items())
    one = f"<{name}{spelt}>{''.join(content)}</{name}>" if content else f"<{name}{spelt}/>"
    return el(around, one) if around else one


def text(name: str, value: str, href: str = "") -> str:
    """Return a property with a text, an Anchor if there is a URL."""
    kind = "gmx:Anchor" if href else "gco:CharacterString"
    more = {"xlink__href": href} if href else {}
    return el(name, el(kind, escape(value), **more))


def code(name: str, kind: str, value: str) -> str:
    return el(name, el(f"gmd:{kind}", codeList=CODES + kind, codeListValue=value))


def nil(name: str, why: str = "missing") -> str:
    return el(name, gco__nilReason=why)
