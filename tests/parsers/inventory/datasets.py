"""Datasets of an inventory, and the records that they become."""

from __future__ import annotations

from ckanext.ukharvest.core.records import DatasetRecord, RawRecord
from ckanext.ukharvest.parsers.inventory import parser as inventory

RESOURCE = (
    '<Resource Type="{kind}" {more}><Identifier>{id}</Identifier><Title>R</Title>'
    "<Renditions><Rendition><Identifier>{url}</Identifier><MimeType>{mime}</MimeType>{last}"
    "</Rendition></Renditions></Resource>"
)


def resource(
    kind: str = "Data",
    *,
    name: str = "r",
    url: str = "https://a.example/r",
    mime: str = "text/csv",
    more: str = "",
    last: str = "",
) -> str:
    return RESOURCE.format(kind=kind, id=name, url=url, mime=mime, more=more, last=last)


def dataset(body: str = "", *resources: str, flags: str = "", above: str = "") -> DatasetRecord:
    """Parse a dataset with these elements, in an inventory with these elements."""
    text = (
        f'<Inventory xmlns="http://schemas.esd.org.uk/inventory">{above}<Datasets><Dataset {flags}>'
        f"<Identifier>id</Identifier><Title>T</Title>{body}"
        f"<Resources>{''.join(resources)}</Resources></Dataset></Datasets></Inventory>"
    )
    return inventory.parse(RawRecord("id", text), {})


def codes(record: DatasetRecord) -> list[str]:
    return [each.code for each in record.problems if each.code != "missing-field"]
