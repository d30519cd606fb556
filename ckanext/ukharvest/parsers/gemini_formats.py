"""Which format a link of a GEMINI record has, and what kind of resource it is.

The name comes first, since publishers are told to write the format there. Then what the address
asks a service for by name: it says what will be answered, where protocols are often one fixed
word for a whole catalogue (WWW:LINK on a WMS). Then the protocol, the rest of the address, a file
name in gmd:name, a media type, and last what tells a page. The function alone tells nothing: of
210 real links capabilities carry "download" as well as "information". What is not known stays
blank: a wrong format is worse, and a blank one is probed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from ckanext.ukharvest.core import formats
from ckanext.ukharvest.core.format_names import of_title
from ckanext.ukharvest.core.protocols import SERVICES, Protocol, of_protocol
from ckanext.ukharvest.parsers.iso_node import Said

# True, but something better may be known: what is in the archive, which API it is.
_VAGUE = formats.ARCHIVES | {"API"}
_SERVICES = SERVICES | {"SPARQL", "API"}

# CI_OnLineFunctionCode (ISO 19115) in lower case.
_TAKES_DATA = frozenset(("download", "offlineaccess", "order", "fileaccess"))
_FOR_PEOPLE = frozenset(("information", "search", "order", "offlineaccess"))
_INFORMS = frozenset(("information", "completemetadata"))

_PAGE = re.compile(r"/[^/.]*(?:\.(?:php|do|aspx?|jspx?|cfm))?$", re.IGNORECASE)
# Addresses that look like pages and are services' of some kind, or files'.
_NO_PAGE = re.compile(
    r"/(?:ows|w[mfc]s|wmts|csw|api|rest|services?)(?:/|$)|arcgis|cgi|download|geoserver|mapserv",
    re.IGNORECASE,
)
_RECORD = re.compile(r"catalog\.search#/metadata/|/formatters/|[?&]request=getrecordbyid", re.I)
_RECORD_AS_XML = re.compile(r"/formatters/xml|[?&]request=getrecordbyid", re.IGNORECASE)
_LONGEST = 1_000  # of an address: the search for a record's view has to end in time
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_OF_FILE = re.compile(r"download|attachments|resources\.get|fname=", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Link:
    """What a CI_OnlineResource says, as far as it tells the format.

    Attributes:
        function: its code in lower case.
        mimetype: media type of the file, as a gmx:MimeFileType in the name's place has it.
        is_endpoint: the description is INSPIRE's code for a service's endpoint.
    """

    url: str
    name: str = ""
    protocol: Said = Said("")
    function: str = ""
    profile: Said = Said("")
    mimetype: str = ""
    is_endpoint: bool = False

    @property
    def said(self) -> Protocol:
        """What its protocol says."""
        return of_protocol(self.protocol.text, self.protocol.href)


def formats_of(
    links: Sequence[Link], *, given: Iterable[str], service: str, guid: str
) -> list[str]:
    """The label of each link, "" where nothing tells it.

    Args:
        links: those of one record.
        given: names of the record's data formats.
        service: label of the service that the record describes, "" if it says none.
        guid: identity of the record.
    """
    found = [_of_record(link, guid) or _of_link(link) for link in links]
    labels = {formats.label(name) for name in given}
    if len(labels) == 1:
        _fill(links, found, _is_download, labels.pop(), better_than=("", *formats.ARCHIVES))
    if service not in found:
        _fill(links, found, _may_serve, service, better_than=("",))
    return found


def _fill(
    links: Sequence[Link],
    found: list[str],
    fits: Callable[[Link, str], bool],
    label: str,
    *,
    better_than: Collection[str],
) -> None:
    """Give a label to the one address that it can be meant for, if that is known no better."""
    places = [i for i, link in enumerate(links) if fits(link, found[i])]
    if label and len({links[i].url for i in places}) == 1:
        for i in places:
            found[i] = label if found[i] in better_than else found[i]


def kind_of(link: Link, label: str, guid: str) -> str:
    """The ResourceRecord's kind."""
    if _is_of_record(link, guid):
        return "documentation"
    if label in _SERVICES or (not label and (link.is_endpoint or link.said.kind == "service")):
        return "service"
    if link.function in _INFORMS or (label == "HTML" and link.function not in _TAKES_DATA):
        return "documentation"
    return "data"


def _of_link(link: Link) -> str:
    found = [label for label in _evidence(link) if label]
    if not found:
        return _of_page(link)
    if found[0] not in _VAGUE:
        return found[0]
    # A page's address is not what is in the archive.
    return next((label for label in found if label not in _VAGUE | {"HTML"}), found[0])


def _evidence(link: Link) -> Iterator[str]:
    said = link.said
    yield of_title(link.name)
    yield formats.of_request(link.url)
    yield said.label if said.kind in ("service", "file") else ""
    yield formats.of_url(link.url)
    if said.kind == "file" and "/" not in link.name:
        # GeoNetwork writes the file's name into gmd:name of its downloads.
        yield formats.of_url("file:///" + link.name)
    yield formats.label(link.mimetype)
    yield said.label if said.kind == "format" else ""
    profile = of_protocol(link.profile.text)
    yield profile.label if profile.kind != "page" else ""


def _of_page(link: Link) -> str:
    """HTML if a person is meant to look at it."""
    if link.said.kind == "page":
        # A "link" that is for download may be a file: probed, not guessed.
        return "" if link.function == "download" else "HTML"
    try:
        parts = urlsplit(link.url)
    except ValueError:
        return ""
    if link.is_endpoint or link.said.kind or parts.scheme.lower() == "ftp":
        return ""
    is_home = parts.path in ("", "/") and not parts.query
    looks_so = _PAGE.search(parts.path) and not _NO_PAGE.search(parts.path + parts.query)
    return "HTML" if is_home or (link.function in _FOR_PEOPLE and looks_so) else ""


def _is_download(link: Link, label: str) -> bool:
    is_file = link.function == "download" or link.said.kind == "file"
    return is_file and label not in _SERVICES and label != "HTML" and not link.is_endpoint


def _may_serve(link: Link, label: str) -> bool:
    for_people = link.function in _FOR_PEOPLE | _INFORMS
    return not label and not for_people and link.said.kind in ("", "service")


def _of_record(link: Link, guid: str) -> str:
    if not _is_of_record(link, guid):
        return ""
    if _RECORD_AS_XML.search(link.url):
        return of_title(link.name) or "XML"
    known = of_title(link.name) or formats.of_url(link.url)
    return known or ("HTML" if _RECORD.search(link.url) else "")


def _is_of_record(link: Link, guid: str) -> bool:
    """Whether a link leads to a catalogue's view of a record, mostly of this one."""
    if _RECORD.search(link.url) or link.function == "completemetadata":
        return True
    url = link.url[-_LONGEST:]
    is_data = link.said.kind in ("service", "file") or link.function in _TAKES_DATA
    if is_data or _OF_FILE.search(url) or formats.of_request(url):
        return False
    own = re.escape(guid.strip("{}")) or _UUID
    view = rf"(?:metadata|/records?/|geonetwork).*(?:{own}|{_UUID})/?(?:[?&#].*)?$"
    return re.search(view, url, re.IGNORECASE) is not None
