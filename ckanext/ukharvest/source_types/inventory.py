"""The source type ``inventory``: Inventory XML of the LGA."""

from __future__ import annotations

import re

from ckanext.ukharvest.core.document_head import read_head
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.parsers.inventory import document
from ckanext.ukharvest.parsers.inventory import document as inventory_document
from ckanext.ukharvest.parsers.inventory import parser as inventory
from ckanext.ukharvest.parsers.record_checks import field_names_in
from ckanext.ukharvest.readers import xml_document
from ckanext.ukharvest.readers.xml_document import XmlShape
from ckanext.ukharvest.source_types.source_type import SourceType

_INVENTORY_SHAPE = XmlShape(
    kind=inventory_document.KIND,
    paths=inventory_document.PATHS,
    root=inventory_document.ROOT,
    guid=inventory_document.identifier,
    content=inventory_document.content,
    modified=inventory_document.modified,
    is_gone=inventory_document.is_gone,
    checker=document.Checker,
    alone="is one Dataset without an Inventory around it, which does not tell of others",
)


def _recognise(content: bytes) -> bool:
    """Tell whether the root is an inventory, or one of its datasets."""
    head = read_head(content)
    # Without a namespace an inventory is read too; datasets are many things.
    expected = ("Inventory", "Dataset") if head.root_namespace else ("Inventory",)
    return head.root_name in expected and (
        not head.root_namespace or "esd.org.uk" in head.root_namespace
    )


INVENTORY = SourceType(
    name="inventory",
    title="Inventory XML",
    description="Datasets of an inventory in the LGA's format (versions 0.1 to 0.3),"
    " as the DataShare software of councils publishes it",
    reader=xml_document.XmlDocument(_INVENTORY_SHAPE),
    parser=inventory,
    options=(xml_document.VALIDATION, *inventory.OPTIONS),
    recognise=_recognise,
    old_guids=inventory_document.old_guids,
    field_names=field_names_in(inventory.MAPPING, resources="Rendition", tags="Subject"),
    # DataShare ends its download URLs with the date of the request for the inventory: without this
    # every run would import every dataset of a council.
    volatile=re.compile(r"(?<=[?&;])version=\d{1,4}([/.-]|%2F)\d{1,2}\1\d{1,4}\b", re.IGNORECASE),
    group="files",
    summary=_("A local authority's inventory, for example from DataShare. Enter the file's URL."),
    url_hint=_("The URL of the XML file."),
    url_example="https://www.example.gov.uk/inventory.xml",
)
