"""Links of a result: files, pictures, pages, metadata and services, by their relation.

Relations of RFC 4287, of OGC 13-026r9 and of ESIP (data#, metadata#, documentation#, browse#), and
the groups of links of OGC 17-047r1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ckanext.ukharvest.core.mapping_table import FieldValues
from ckanext.ukharvest.core.records import ResourceRecord
from ckanext.ukharvest.core.values import formats
from ckanext.ukharvest.core.values.file_facts import read_checksums, read_size
from ckanext.ukharvest.core.values.link_protocols import SERVICE_FORMATS
from ckanext.ukharvest.core.values.markup import plain_line

DATA, DOCUMENTATION, SERVICE = "data", "documentation", "service"
# Relation → kind of resource, and its name where the link has no title.
_RELATIONS = {
    "enclosure": (DATA, "Data"),
    "data": (DATA, "Data"),
    "download": (DATA, "Data"),
    "metadata": (DOCUMENTATION, "Metadata"),
    "documentation": (DOCUMENTATION, "Documentation"),
    "browse": (DOCUMENTATION, "Preview"),
    "service": (SERVICE, "Service"),
    "alternate": (DOCUMENTATION, "Metadata"),
    "alternates": (DOCUMENTATION, "Metadata"),
    "via": (DOCUMENTATION, "Original metadata"),
    "describedby": (DOCUMENTATION, "Documentation"),
    "related": (DOCUMENTATION, "Related"),
    "qualities": (DOCUMENTATION, "Quality"),
    "icon": (DOCUMENTATION, "Preview"),
    "preview": (DOCUMENTATION, "Preview"),
    "previews": (DOCUMENTATION, "Preview"),
    "quicklook": (DOCUMENTATION, "Preview"),
    "thumbnail": (DOCUMENTATION, "Preview"),
    "search": (SERVICE, "Search"),
}


Report = Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class Link:
    """A link as given; ``url`` is checked.

    Attributes:
        rel: its relation, in lower case.
        length: its size in bytes, as written.
        language: of what it leads to, as written.
        checksum: as written.
    """

    rel: str
    url: str
    type: str = ""
    title: str = ""
    length: str = ""
    language: str = ""
    checksum: str = ""


def read(links: Iterable[Link], report: Report) -> FieldValues:
    """Return the resources, and the page about the dataset.

    Args:
        report: called with code and text of a problem of a link.
    """
    found: dict[str, ResourceRecord] = {}
    pages: list[str] = []
    for link in links:
        if link.rel in ("alternate", "alternates") and _is_page(link):
            pages.append(link.url)
        if link.rel in _RELATIONS:
            found.setdefault(link.url, _resource(link, report))
    return {"resources": tuple(found.values()), "url": next(iter(pages), "")}


def _is_page(link: Link) -> bool:
    return "html" in link.type.lower()


def _resource(link: Link, report: Report) -> ResourceRecord:
    kind, name = _RELATIONS[link.rel]
    label = _format(link)
    if label in SERVICE_FORMATS:
        kind = SERVICE
    if _is_page(link) and kind == DOCUMENTATION:
        name = "Web page"
    size, unread = read_size(link.length, report)
    return ResourceRecord(
        link.url,
        name=plain_line(link.title) or name,
        format=label,
        mimetype=link.type,
        kind=kind,
        size=size,
        extras=unread
        | ({"language": link.language} if link.language else {})
        | read_checksums([(link.checksum, "")]),
    )


def _format(link: Link) -> str:
    if "opensearchdescription" in link.type:
        return "OpenSearch"
    of_url = formats.of_url(link.url)
    if of_url in SERVICE_FORMATS:
        return of_url
    return formats.label(link.type) or of_url
