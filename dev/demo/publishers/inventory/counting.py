"""Expected fields of an inventory's datasets, read without the extension's code."""

from __future__ import annotations

from xml.etree import ElementTree

from demo.publishers import Served

INV = "{http://schemas.esd.org.uk/inventory}"
LICENCES = {"http://www.nationalarchives.gov.uk/doc/open-government-licence/": "uk-ogl"}


def served(document: bytes) -> list[Served]:
    """Read all datasets of an inventory."""
    return [_dataset(each) for each in ElementTree.fromstring(document).iter(f"{INV}Dataset")]


def _dataset(element: ElementTree.Element) -> Served:
    title = _text(element, "Title")
    return Served(
        guid=_text(element, "Identifier"),
        title=title,
        urls=frozenset(_text(each, "Identifier") for each in element.iter(f"{INV}Rendition")),
        raw=ElementTree.tostring(element, encoding="unicode"),
        licence=LICENCES[_text(element, "Rights")],
        extras={
            "la_service": " ".join(_all(element, "Service")),
            "la_function": " ".join(_all(element, "Function")),
            "inventory_identifier": _text(element, "Identifier"),
        },
        is_readable=bool(title),
    )


def _all(element: ElementTree.Element, name: str) -> list[str]:
    return [each.text for each in element.iter(f"{INV}{name}") if each.text]


def _text(element: ElementTree.Element, name: str) -> str:
    return element.findtext(f"{INV}{name}") or ""
