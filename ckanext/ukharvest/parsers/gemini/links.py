"""Resources of a GEMINI record: the links of its distribution (GEMINI 19).

Links to contacts, specifications and a service's operations are not resources.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from ckanext.ukharvest.core.mapping_table import Field, FieldValues, read_apart
from ckanext.ukharvest.core.options import MAX_RESOURCES
from ckanext.ukharvest.core.records import ResourceRecord
from ckanext.ukharvest.core.values.link_protocols import of_protocol
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.values.web_addresses import parse_url
from ckanext.ukharvest.parsers.gemini import translations
from ckanext.ukharvest.parsers.gemini.entry import Entry, json_list, without_blanks
from ckanext.ukharvest.parsers.gemini.formats import Link, formats_of, kind_of
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode, PropertyText

# Property of MD_Distribution → the links below it. A distributor's contact has links too; they
# lead to the distributor, not to data.
_LINKS = {
    "transferOptions": "*/onLine/*",
    "distributor": "*/distributorTransferOptions/*/onLine/*",
    "distributionFormat": "*/formatDistributor/*/distributorTransferOptions/*/onLine/*",
}
_FORMATS = ("distributionFormat", "distributor/*/distributorFormat")
_FORMAT_NAMES = tuple(
    f"distributionInfo/*/{path}/*/{name}"
    for path in _FORMATS
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
        only = f"{len(nodes):,} of them; the first {limit:,} were read"
        nodes[limit].report("too-many-resources", "gmd:onLine", only)
    locales = translations.Locales(entry.record)
    found: list[Read] = []
    others: list[dict[str, str]] = []
    for node in nodes[:limit]:
        if url := _url(node, entry.url):
            found.append(_read(node, url, locales))
        elif text := _linkage(node):
            others.append({"locator": text, "name": plain_line(node.text("name"))})
    return {
        "resources": _without_repeats(found, _resources(entry, found)),
        "extras": {"unlinked-resource-locators": json_list(others)},
    }


def _linkage(node: IsoNode) -> str:
    # The Swiss profile gives a URL for each language; English where available.
    parts = [
        (each.attribute("locale").lstrip("#").lower(), each.own_text().text)
        for each in node.find_all("linkage/PT_FreeURL/URLGroup/LocalisedURL")
    ]
    english = [text for locale, text in parts if locale.startswith("en") and text]
    of_languages = english or [text for _, text in parts if text]
    return next(iter(of_languages), "") or node.text("linkage")


def _url(node: IsoNode, base: str) -> str:
    text = _linkage(node)
    if not text:
        words = "missing; expected the address of the file or service"
        node.report("missing-url", "gmd:linkage", words)
    return node.parse_value("gmd:linkage", text, partial(parse_url, base=base), "bad-url")


def _read(node: IsoNode, url: str, locales: translations.Locales) -> Read:
    protocol = node.first_text_at("protocol") or PropertyText("")
    profile = node.first_text_at("applicationProfile") or PropertyText("")
    description = node.first_text_at("description") or PropertyText("")
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
        description=plain_text(description.text),
        mimetype=next(types, ""),
        extras=without_blanks(extras),
        translations=translations.of_link(node, locales),
    )
    return node, link, resource


def _resources(entry: Entry, found: list[Read]) -> list[ResourceRecord]:
    links = [link for _, link, _ in found]
    given = entry.record.texts(*_FORMAT_NAMES)
    labels = formats_of(links, given=given, service=_service(entry), guid=entry.guid)
    return [
        replace(resource, format=label, kind=kind_of(link, label, entry.guid))
        for (_, link, resource), label in zip(found, labels, strict=True)
    ]


def _service(entry: Entry) -> str:
    """Return the label of the service type; ambiguous types such as "view" need a version."""
    for text in entry.identification.texts("serviceType", "serviceTypeVersion"):
        said = of_protocol(text)
        if said.kind == "service" and said.label:
            return said.label
    return ""


def _without_repeats(
    found: list[Read], resources: list[ResourceRecord]
) -> tuple[ResourceRecord, ...]:
    """Return one link per URL and name, merged with its repetitions.

    The same URL with another name is another layer of a service, and is kept.
    """
    kept: list[ResourceRecord] = []
    places: dict[str, list[int]] = {}
    for (node, _, _), resource in zip(found, resources, strict=True):
        same = places.setdefault(resource.url, [])
        place = next((i for i in same if _is_repeat(kept[i], resource)), None)
        if place is None:
            same.append(len(kept))
            kept.append(resource)
        else:
            words = f"'{shorten(resource.url, 100)}' is given twice; expected each address once"
            node.report("repeated-link", "gmd:linkage", words)
            kept[place] = _merged(kept[place], resource)
    return tuple(kept)


def _is_repeat(one: ResourceRecord, other: ResourceRecord) -> bool:
    return one.name == other.name or not one.name or not other.name


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


_RESOURCES = "resources; extra unlinked-resource-locators"

OPTIONS = (MAX_RESOURCES,)
MAPPING: tuple[Field[Entry], ...] = (Field(("gmd:onLine",), _RESOURCES, _links),)
RESOURCE_MAPPING = (
    Field(("gmd:linkage",), "url", read_apart),
    Field(("gmd:name",), "name", read_apart),
    Field(("gmd:description",), "description", read_apart),
    Field(
        ("gmd:name", "gmd:protocol", "gmd:applicationProfile", "gmd:linkage", "gmd:function"),
        "format, kind",
        read_apart,
    ),
    Field(("gmd:protocol",), "mimetype; extra resource_locator_protocol", read_apart),
    Field(("gmd:function",), "extra resource_locator_function", read_apart),
    Field(
        ("gmd:applicationProfile",),
        "mimetype; extra resource_locator_application_profile",
        read_apart,
    ),
)
