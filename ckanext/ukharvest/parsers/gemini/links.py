"""Resources of a GEMINI record, their formats and kinds, and the datasets of a service.

Resources are the links of its distribution (GEMINI 19). Links to contacts, specifications and a
service's operations are not resources. The datasets are those of ``srv:operatesOn`` (GEMINI 38).

Of a link's format the name comes first, since publishers are told to write it there. Then what the
URL asks a service for by name: it decides the response, while protocols are often one fixed value
for a whole catalogue (WWW:LINK on a WMS). Then the protocol, the rest of the URL, a file name in
gmd:name, a media type, and last the signs of a web page. The function is not used: of 210 real
links to capabilities, some have "download", others "information". An unknown format stays blank: a
wrong one is worse, and a blank one is probed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import parse_qsl, urldefrag, urlsplit

from ckanext.ukharvest.core.deletions import UUID
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.options import MAX_RESOURCES
from ckanext.ukharvest.core.records import ResourceRecord
from ckanext.ukharvest.core.values import formats
from ckanext.ukharvest.core.values.formats import of_title
from ckanext.ukharvest.core.values.link_protocols import (
    SERVICE_FORMATS,
    SERVICES,
    Protocol,
    of_protocol,
)
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.multivalue import as_text
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.values.web_addresses import is_web_url, parse_url
from ckanext.ukharvest.parsers.gemini import identification
from ckanext.ukharvest.parsers.gemini.document import (
    Entry,
    IsoNode,
    PropertyText,
    without_blanks,
)
from ckanext.ukharvest.parsers.table import Field, FieldValues

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
    link_labels = [_of_record(link, guid) or _of_link(link) for link in links]
    labels = {formats.label(name) for name in given}
    if len(labels) == 1:
        _fill(links, link_labels, _is_download, labels.pop(), better_than=("", *formats.ARCHIVES))
    if service not in link_labels:
        _fill(links, link_labels, _may_serve, service, better_than=("",))
    return link_labels


def _fill(
    links: Sequence[Link],
    labels: list[str],
    fits: Callable[[Link, str], bool],
    label: str,
    *,
    better_than: Collection[str],
) -> None:
    """Give a label to the only link it can belong to, unless that has a better one."""
    places = [i for i, link in enumerate(links) if fits(link, labels[i])]
    if label and len({links[i].url for i in places}) == 1:
        for i in places:
            labels[i] = label if labels[i] in better_than else labels[i]


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
    labels = [label for label in _evidence(link) if label]
    if not labels:
        return _of_page(link)
    if labels[0] not in _VAGUE:
        return labels[0]
    # A page's URL does not tell what is in the archive.
    return next((label for label in labels if label not in _VAGUE | {"HTML"}), labels[0])


def _evidence(link: Link) -> Iterator[str]:
    protocol = link.protocol_meaning
    yield of_title(link.name)
    yield formats.of_request(link.url)
    yield protocol.label if protocol.kind in ("service", "file") else ""
    yield formats.of_url(link.url)
    if protocol.kind == "file" and "/" not in link.name:
        # GeoNetwork writes the file's name into gmd:name of its downloads.
        yield formats.of_url("file:///" + link.name)
    yield formats.label(link.mimetype)
    yield protocol.label if protocol.kind == "format" else ""
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
    if view is None:
        return False
    # Without a pattern of the guid's own: compiling one for each record took a tenth of the
    # parser's time.
    text, own = view[1].lower(), guid.strip("{}").lower() or _SOME_UUID
    return any(map(_ENDS_IN_UUID.search, (text, text.replace(own, _SOME_UUID))))


# Property of MD_Distribution → the links below it. A distributor's contact has links too; they
# lead to the distributor, not to data.
_LINKS = {
    "transferOptions": "*/onLine/*",
    "distributor": "*/distributorTransferOptions/*/onLine/*",
    "distributionFormat": "*/formatDistributor/*/distributorTransferOptions/*/onLine/*",
}
_FORMAT_NAMES = tuple(
    f"distributionInfo/*/{path}/*/{name}"
    for path in ("distributionFormat", "distributor/*/distributorFormat")
    for name in ("name", "formatSpecificationCitation/*/title")
)
# INSPIRE's code for "this is a service, not a file", in the description's Anchor.
_ENDPOINT = re.compile(r"/OnLineDescriptionCode/(?:endPoint|accessPoint)$", re.IGNORECASE)
_MEDIA_TYPE = re.compile(r"[a-z]+/[a-z0-9][a-z0-9.+_-]*", re.IGNORECASE)

Read = tuple[IsoNode, Link, ResourceRecord]


def _links(entry: Entry) -> FieldValues:
    limit = entry.options.get("max_resources", 1000)
    parts = entry.record.find_all("distributionInfo/*/*")
    nodes = [
        node for part in parts if part.name in _LINKS for node in part.find_all(_LINKS[part.name])
    ]
    if len(nodes) > limit:
        only = Message(
            "{count:,} of them; the first {limit:,} were read", count=len(nodes), limit=limit
        )
        nodes[limit].report("too-many-resources", "gmd:onLine", only)
    locales = identification.Locales(entry.record)
    links: list[Read] = []
    others: list[dict[str, str]] = []
    for node in nodes[:limit]:
        if url := _url(node, entry.url):
            links.append(_read(node, url, locales))
        elif text := _linkage(node):
            others.append({"locator": text, "name": plain_line(node.text("name"))})
    return {
        "resources": _without_repeats(links, _resources(entry, links)),
        "extras": {"unlinked-resource-locators": as_text(others)},
    }


def _linkage(node: IsoNode) -> str:
    # The Swiss profile gives a URL for each language.
    return node.translated("linkage/PT_FreeURL/URLGroup/LocalisedURL") or node.text("linkage")


def _url(node: IsoNode, base: str) -> str:
    text = _linkage(node)
    if not text:
        node.report(
            "missing-url",
            "gmd:linkage",
            Message("missing; expected the address of the file or service"),
        )
    return node.parse_value("gmd:linkage", text, partial(parse_url, base=base), "bad-url")


def _read(node: IsoNode, url: str, locales: identification.Locales) -> Read:
    protocol, profile, description = (
        node.first_text_at(path) or PropertyText("")
        for path in ("protocol", "applicationProfile", "description")
    )
    function = node.code("function")
    name = plain_line(node.text("name"))
    file = node.first("name/MimeFileType")
    link = Link(
        url=url,
        name=name,
        protocol=protocol,
        function=function.lower(),
        profile=profile,
        mimetype=file.attribute("type") if file else "",
        is_endpoint=_ENDPOINT.search(description.href) is not None,
    )
    extras = {
        "resource_locator_protocol": " ".join((protocol.text or protocol.href).split()),
        "resource_locator_function": function,
        "resource_locator_application_profile": plain_line(profile.text or profile.href),
    }
    types = filter(_MEDIA_TYPE.fullmatch, (link.mimetype, protocol.text, profile.text))
    resource = ResourceRecord(
        url,
        name=name,
        description=plain_text(description.text or description.href),
        mimetype=next(types, ""),
        extras=without_blanks(extras),
        translations=identification.link_translations(node, locales),
    )
    return node, link, resource


def _resources(entry: Entry, read: list[Read]) -> list[ResourceRecord]:
    links = [link for _, link, _ in read]
    names = entry.record.texts(*_FORMAT_NAMES)
    labels = formats_of(links, given=names, service=_service(entry), guid=entry.guid)
    return [
        replace(resource, format=label, kind=kind_of(link, label, entry.guid))
        for (_, link, resource), label in zip(read, labels, strict=True)
    ]


def _service(entry: Entry) -> str:
    """Return the label of the service type; ambiguous types such as "view" need a version."""
    for text in entry.identification.texts("serviceType", "serviceTypeVersion"):
        protocol = of_protocol(text)
        if protocol.kind == "service" and protocol.label:
            return protocol.label
    return ""


def _without_repeats(
    read: list[Read], resources: list[ResourceRecord]
) -> tuple[ResourceRecord, ...]:
    """Return one link per URL and name, merged with its repetitions.

    The same URL with another name is another layer of a service, and is kept.
    """
    unique: list[ResourceRecord] = []
    places: dict[str, list[int]] = {}
    for (node, _, _), resource in zip(read, resources, strict=True):
        same = places.setdefault(resource.url, [])
        place = next(
            (i for i in same if resource.name in ("", unique[i].name) or not unique[i].name), None
        )
        if place is None:
            same.append(len(unique))
            unique.append(resource)
        else:
            words = Message(
                "'{url}' is given twice; expected each address once", url=shorten(resource.url, 100)
            )
            node.report("repeated-link", "gmd:linkage", words)
            unique[place] = _merged(unique[place], resource)
    return tuple(unique)


def _merged(first: ResourceRecord, second: ResourceRecord) -> ResourceRecord:
    if second.name and not first.name:
        first, second = second, first
    return replace(
        first,
        description=first.description or second.description,
        format=first.format or second.format,
        mimetype=first.mimetype or second.mimetype,
        kind=first.kind if first.format else second.kind,
        extras={**second.extras, **first.extras},
        translations=first.translations or second.translations,
    )


OPTIONS = (MAX_RESOURCES,)
RESOURCE_MAPPING = (
    Field(("gmd:linkage",), "url"),
    Field(("gmd:name",), "name"),
    Field(("gmd:description",), "description"),
    Field(
        ("gmd:name", "gmd:protocol", "gmd:applicationProfile", "gmd:linkage", "gmd:function"),
        "format, kind",
    ),
    Field(("gmd:protocol",), "mimetype; extra resource_locator_protocol"),
    Field(("gmd:function",), "extra resource_locator_function"),
    Field(("gmd:applicationProfile",), "mimetype; extra resource_locator_application_profile"),
)


# Query parameters with which catalogues select a record, in lower case.
_IDENTIFIERS = ("uuid", "fileidentifier", "metadatauuid")


def _coupled(entry: Entry) -> FieldValues:
    service = entry.identification
    coupled: list[dict[str, str]] = []
    references: dict[str, None] = {}
    for node in service.find_all("operatesOn"):
        href, uuid = " ".join(node.href.split()), node.attribute("uuidref")
        # A nested record: the dataset's whole identification instead of a reference.
        title = node.attribute("title") or node.text("*/citation/*/title")
        keys = (href, uuid, *_inner(node))
        own = dict.fromkeys(reference for text in keys for reference in _references(text))
        if href or uuid or own:
            coupled.append({"title": title, "href": href, "uuid": uuid})
        if not own and not node.nil:
            _report(node, href)
        references |= own
    # operatesOn is repeated for each layer; an identifier there may be the record's.
    for text in service.texts("coupledResource/*/identifier"):
        references |= dict.fromkeys(_references(text))
    return {"coupled": tuple(references), "extras": {"coupled-resource": as_text(coupled)}}


def _inner(node: IsoNode) -> tuple[str, ...]:
    identification = node.first("*")
    uuid = identification.attribute("uuid") if identification else ""
    return (uuid, *node.texts("*/citation/*/identifier/*/code"))


def _report(node: IsoNode, href: str) -> None:
    expected = Message("expected xlink:href with the address of the dataset's record")
    if href:
        words = Message(
            "'{href}' is neither an address nor an identifier; {expected}",
            href=shorten(href, 60),
            expected=expected,
        )
        node.report("bad-url", "srv:operatesOn", words)
    else:
        node.report(
            "missing-url", "srv:operatesOn", Message("missing; {expected}", expected=expected)
        )


def _references(text: str) -> Iterator[str]:
    """Yield the keys by which a record can be found: the identifiers in a text, and its URL.

    XML attributes contain no line breaks and URLs no blanks: a broken or twice escaped URL
    (``&amp;amp;``) is repaired. Text instead of a URL yields nothing.
    """
    address = re.sub(r"\s", "", text).replace("&amp;", "&")
    if not is_web_url(address):
        name = text.strip().removeprefix("#")
        if name and not re.search(r"\s", name):
            yield from (name, *UUID.findall(name))
        return
    whole, fragment = urldefrag(address)
    query = {key.lower(): value for key, value in parse_qsl(urlsplit(whole).query)}
    keys = [key for key in _IDENTIFIERS if key in query]
    if query.get("request", "").lower() == "getrecordbyid" and "id" in query:
        yield from (part.strip() for part in query["id"].split(",") if part.strip())
    yield from (query[key] for key in keys)
    yield from UUID.findall(address)
    yield from filter(None, (fragment, address, whole))


MAPPING: tuple[Field, ...] = (
    Field(("gmd:onLine",), "resources; extra unlinked-resource-locators", _links),
    Field(("srv:operatesOn",), "coupled; extra coupled-resource", _coupled),
)
