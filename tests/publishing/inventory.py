"""An Inventory XML document, as the DataShare software serves it."""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import escape

from tests.publisher import Request, Response
from tests.publishing.listing import Listing
from tests.publishing.records import File, Item, Record, record_of, service_url
from tests.publishing.service import Service, path_of, text_response

_PATH = "/inventory.xml"


def inventory(records: Iterable[Item]) -> str:
    """Return a document of the records."""
    return (
        '<inv:Inventory xmlns:inv="http://schemas.esd.org.uk/inventory" Modified="2024-05-01">'
        "<inv:Identifier>https://council.example</inv:Identifier>"
        f"<inv:Datasets>{''.join(map(_dataset, map(record_of, records)))}</inv:Datasets>"
        "</inv:Inventory>"
    )


def _dataset(record: Record) -> str:
    subject = rights = ""
    if record.licence:
        rights = _element("Rights", record.licence) + _element("RightsHolder", record.publisher)
    if record.service:
        service = _element("Service", service_url(record.service))
        subject = (
            f'<inv:Subjects><inv:Subject Scheme="subject.service">{service}<inv:Function/>'
            "</inv:Subject></inv:Subjects>"
        )
    return (
        f'<inv:Dataset Modified="{record.modified or "2024-04-01"}">'
        f"{_element('Identifier', '' if record.nameless else record.identity)}"
        f"{_element('Title', record.title)}{_element('Description', record.description)}"
        f"{rights}{subject}<inv:Resources>{''.join(map(_resource, record.distributions))}"
        "</inv:Resources></inv:Dataset>"
    )


def _resource(file: File) -> str:
    kind = "Document" if file.format == "HTML" else "Data"
    media_type = _element("MimeType", file.media_type) if file.media_type else ""
    schema = _element("ConformsTo", file.schema) if file.schema else ""
    return (
        f'<inv:Resource Type="{kind}">{_element("Identifier", file.title or "file")}'
        f"{_element('Title', file.title or 'File')}<inv:Renditions><inv:Rendition>"
        f"{_element('Identifier', file.url)}{media_type}{schema}"
        "</inv:Rendition></inv:Renditions></inv:Resource>"
    )


def _element(name: str, value: str) -> str:
    return f"<inv:{name}>{escape(value)}</inv:{name}>"


def _answer(request: Request, listing: Listing) -> Response | None:
    return text_response(inventory(listing.records)) if path_of(request) == _PATH else None


INVENTORY = Service(_PATH, _answer, lambda _listing: [_PATH], late=0, is_paged=False)
