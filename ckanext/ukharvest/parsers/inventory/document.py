"""An inventory as a document of many datasets: their identity, and what they inherit."""

from __future__ import annotations

from copy import deepcopy

from lxml import etree

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.core.values.multivalue import read_yes_no
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.xml import parser as xml

KIND = "Inventory XML"
ROOT = "inv:Inventory of the namespace http://schemas.esd.org.uk/inventory"
PATHS = (("Inventory", "Datasets", "Dataset"), ("Dataset",))


def is_active(value: str) -> bool | None:
    """Read an attribute Active: Yes if missing, None if neither Yes nor No.

    The guidance says Yes and No, DataShare writes True and False.
    """
    return read_yes_no(value) if value.strip() else True


def is_gone(dataset: etree._Element) -> bool:
    """Tell whether a dataset is discontinued or withdrawn."""
    return is_active(dataset.get("Active", "")) is False


def identifier(element: etree._Element) -> str:
    """Return the Identifier of a dataset or a document, "" if it has none."""
    return clean_text(element.findtext("{*}Identifier"))


def modified(root: etree._Element, dataset: etree._Element) -> str:
    """Return a dataset's own modification date, else the document's."""
    return clean_text(dataset.get("Modified") or root.get("Modified"))


def content(root: etree._Element, dataset: etree._Element) -> etree._Element:
    """Return an inventory of this dataset alone, with all elements above the datasets.

    The document's date is copied only for a dataset without one: it is the date of the newest
    dataset, and would make all others look changed.
    """
    if root is dataset or xml.local_name(root) == "Dataset":
        return deepcopy(dataset)
    alone = etree.Element(root.tag, nsmap=dict(root.nsmap))  # type: ignore[arg-type]
    for name in ("Language", "Modified"):
        if root.get(name) and not (name == "Modified" and dataset.get("Modified")):
            alone.set(name, root.get(name, ""))
    for child in root.iterchildren("{*}*"):
        if xml.local_name(child) != "Datasets":
            alone.append(deepcopy(child))
    datasets = etree.SubElement(alone, etree.QName(root, "Datasets"))
    datasets.append(deepcopy(dataset))
    return alone


def old_guids(raw: RawRecord) -> tuple[str, ...]:
    """Return guids stored by data.gov.uk's harvester: document identifier, "/", dataset identifier.

    A document identifier that ends with a slash gave "//"; the form with one slash is returned too.
    """
    try:
        root = xml.parse(raw.content or "")
    except ParseError:
        return ()
    document = identifier(root) if xml.local_name(root) == "Inventory" else ""
    if not document or not raw.guid:
        return ()
    bare = document.rstrip("/")
    forms = (f"{document}/{raw.guid}", f"{bare}/{raw.guid}", f"{bare}//{raw.guid}")
    return tuple(dict.fromkeys(forms))
