"""An inventory as a document of many datasets: what identifies one, and what it inherits."""

from __future__ import annotations

from copy import deepcopy

from lxml import etree

from ckanext.ukharvest.core import xml
from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.core.values import clean_text

KIND = "Inventory XML"
ROOT = "inv:Inventory of the namespace http://schemas.esd.org.uk/inventory"
PATHS = (("Inventory", "Datasets", "Dataset"), ("Dataset",))

# The guidance says Yes and No, DataShare writes True and False.
_ACTIVE = ("yes", "true", "1", "y")
_INACTIVE = ("no", "false", "0", "n")


def is_active(value: str) -> bool | None:
    """Read an attribute Active, which is Yes where it is missing; None if it says neither."""
    word = value.strip().lower()
    if not word or word in _ACTIVE:
        return True
    return False if word in _INACTIVE else None


def is_gone(dataset: etree._Element) -> bool:
    """Whether a dataset is discontinued or withdrawn."""
    return is_active(dataset.get("Active", "")) is False


def identifier(element: etree._Element) -> str:
    """The Identifier of a dataset or a document, "" if it has none."""
    return clean_text(element.findtext("{*}Identifier"))


def modified(root: etree._Element, dataset: etree._Element) -> str:
    """A dataset's own stamp, or else the document's."""
    return clean_text(dataset.get("Modified") or root.get("Modified"))


def content(root: etree._Element, dataset: etree._Element) -> etree._Element:
    """Return an inventory of this dataset alone, with all that stands above the datasets.

    The document's date is there only for a dataset that has none: it is that of the newest
    dataset, and every other would look changed with it.
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
    """The guids that data.gov.uk's harvester stored: the document's identifier, "/", the dataset's.

    A slash at the end of the document's identifier gave "//"; the form with one is there too.
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
