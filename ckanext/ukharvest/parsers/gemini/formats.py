"""Formats and kinds of the links of a GEMINI record.

The name comes first, since publishers are told to write the format there. Then what the URL asks
a service for by name: it decides the response, while protocols are often one fixed value for a
whole catalogue (WWW:LINK on a WMS). Then the protocol, the rest of the URL, a file name in
gmd:name, a media type, and last the signs of a web page. The function is not used: of 210 real
links to capabilities, some have "download", others "information". An unknown format stays blank: a
wrong one is worse, and a blank one is probed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from ckanext.ukharvest.core.values import formats
from ckanext.ukharvest.core.values.formats import of_title
from ckanext.ukharvest.core.values.link_protocols import (
    SERVICE_FORMATS,
    SERVICES,
    Protocol,
    of_protocol,
)
from ckanext.ukharvest.parsers.gemini.iso_node import PropertyText

# Correct, but a more exact format may be known: the archive's content, the API.
_VAGUE = formats.ARCHIVES | {"API"}
_SERVICES = SERVICES | SERVICE_FORMATS

# CI_OnLineFunctionCode (ISO 19115) in lower case.
_TAKES_DATA = frozenset(("download", "offlineaccess", "order", "fileaccess"))
_FOR_PEOPLE = frozenset(("information", "search", "order", "offlineaccess"))
_INFORMS = frozenset(("information", "completemetadata"))

_PAGE = re.compile(r"/[^/.]*(?:\.(?:php|do|aspx?|jspx?|cfm))?$", re.IGNORECASE)
# URLs that look like pages, but belong to services or files.
_NO_PAGE = re.compile(
    r"/(?:ows|w[mfc]s|wmts|csw|api|rest|services?)(?:/|$)|arcgis|cgi|download|geoserver|mapserv",
    re.IGNORECASE,
)
_RECORD = re.compile(r"catalog\.search#/metadata/|/formatters/|[?&]request=getrecordbyid", re.I)
_RECORD_AS_XML = re.compile(r"/formatters/xml|[?&]request=getrecordbyid", re.IGNORECASE)
_LONGEST = 1_000  # of an address: the search for a record's view has to end in time
# A catalogue's page of records, and what its URL goes on with: this or another record's identifier.
_VIEW = re.compile(r"(?:metadata|/records?/|geonetwork)(.*)", re.I)
_ENDS_IN_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/?(?:[?&#].*)?$")
_SOME_UUID = "00000000-0000-0000-0000-000000000000"
_OF_FILE = re.compile(r"download|attachments|resources\.get|fname=", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Link:
    """The parts of a CI_OnlineResource from which the format is detected.

    Attributes:
        function: its code in lower case.
        mimetype: media type of the file, from a gmx:MimeFileType in place of the name.
        is_endpoint: the description is INSPIRE's code for a service's endpoint.
    """

    url: str
    name: str = ""
    protocol: PropertyText = PropertyText("")
    function: str = ""
    profile: PropertyText = PropertyText("")
    mimetype: str = ""
    is_endpoint: bool = False

    @property
    def protocol_meaning(self) -> Protocol:
        """Meaning of its protocol."""
        return of_protocol(self.protocol.text, self.protocol.href)


def formats_of(
    links: Sequence[Link], *, given: Iterable[str], service: str, guid: str
) -> list[str]:
    """Return the label of each link, "" where unknown.

    Args:
        links: those of one record.
        given: names of the record's data formats.
        service: label of the service that the record describes, "" if unknown.
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
    """Give a label to the only link it can belong to, unless that has a better one."""
    places = [i for i, link in enumerate(links) if fits(link, found[i])]
    if label and len({links[i].url for i in places}) == 1:
        for i in places:
            found[i] = label if found[i] in better_than else found[i]


def kind_of(link: Link, label: str, guid: str) -> str:
    """Return the kind of the ResourceRecord."""
    if _is_of_record(link, guid):
        return "documentation"
    if label in _SERVICES or (
        not label and (link.is_endpoint or link.protocol_meaning.kind == "service")
    ):
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
    # A page's URL does not tell what is in the archive.
    return next((label for label in found if label not in _VAGUE | {"HTML"}), found[0])


def _evidence(link: Link) -> Iterator[str]:
    said = link.protocol_meaning
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
    """Return HTML if a link is meant for people."""
    if link.protocol_meaning.kind == "page":
        # A "link" that is for download may be a file: probed, not guessed.
        return "" if link.function == "download" else "HTML"
    try:
        parts = urlsplit(link.url)
    except ValueError:
        return ""
    if link.is_endpoint or link.protocol_meaning.kind or parts.scheme.lower() == "ftp":
        return ""
    is_home = parts.path in ("", "/") and not parts.query
    looks_so = _PAGE.search(parts.path) and not _NO_PAGE.search(parts.path + parts.query)
    return "HTML" if is_home or (link.function in _FOR_PEOPLE and looks_so) else ""


def _is_download(link: Link, label: str) -> bool:
    is_file = link.function == "download" or link.protocol_meaning.kind == "file"
    return is_file and label not in _SERVICES and label != "HTML" and not link.is_endpoint


def _may_serve(link: Link, label: str) -> bool:
    for_people = link.function in _FOR_PEOPLE | _INFORMS
    return not label and not for_people and link.protocol_meaning.kind in ("", "service")


def _of_record(link: Link, guid: str) -> str:
    if not _is_of_record(link, guid):
        return ""
    if _RECORD_AS_XML.search(link.url):
        return of_title(link.name) or "XML"
    known = of_title(link.name) or formats.of_url(link.url)
    return known or ("HTML" if _RECORD.search(link.url) else "")


def _is_of_record(link: Link, guid: str) -> bool:
    """Tell whether a link leads to a catalogue's view of a record, usually this one."""
    if _RECORD.search(link.url) or link.function == "completemetadata":
        return True
    url = link.url[-_LONGEST:]
    is_data = link.protocol_meaning.kind in ("service", "file") or link.function in _TAKES_DATA
    if is_data or _OF_FILE.search(url) or formats.of_request(url):
        return False
    view = _VIEW.search(url)
    return view is not None and _ends_in_identifier(view[1].lower(), guid.strip("{}").lower())


def _ends_in_identifier(text: str, guid: str) -> bool:
    """Tell whether a URL's path ends in this guid or in a UUID; both in lower case.

    Without a pattern of the guid's own: compiling one for each record took a tenth of the parser's
    time.
    """
    if _ENDS_IN_UUID.search(text):
        return True
    return bool(guid) and _ENDS_IN_UUID.search(text.replace(guid, _SOME_UUID)) is not None
