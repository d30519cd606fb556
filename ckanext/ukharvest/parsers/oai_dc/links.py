"""Links of a record: Dublin Core has none for files, so that identifiers serve as such."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ckanext.ukharvest.core.mapping_table import FieldValues
from ckanext.ukharvest.core.records import ResourceRecord
from ckanext.ukharvest.core.values import formats
from ckanext.ukharvest.core.values.identifiers import doi_url
from ckanext.ukharvest.core.values.link_protocols import SERVICE_FORMATS
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.values.web_addresses import is_web_url, parse_url
from ckanext.ukharvest.parsers.dcat.node import as_list
from ckanext.ukharvest.parsers.xml_fields import Entry

_HANDLE = re.compile(r"hdl:\s*(\S+/\S+)", re.IGNORECASE)


def read(entry: Entry) -> FieldValues:
    """Return the resources, the page about the dataset, and its other identifiers."""
    by_url = {link.url: link for link in reversed(list(_resources(entry)))}
    resources = tuple(reversed(by_url.values()))
    pages = (link.url for link in resources if link.kind == "documentation")
    names = [text for text in entry.node.texts("identifier") if text != entry.raw.guid]
    others = [text for text in names if not is_web_url(text)]
    has_formats = any("formats" in link.extras for link in resources)
    others_of_format = [
        text for text in entry.node.texts("format") if not (has_formats and formats.label(text))
    ]
    return {
        "resources": resources,
        "url": next(pages, ""),
        "extras": {
            "identifier": next(iter(entry.node.texts("identifier")), ""),
            "alternate_identifier": as_list(others),
            "format": ", ".join(dict.fromkeys(others_of_format)),
        },
    }


def _resources(entry: Entry) -> Iterator[ResourceRecord]:
    labels = [label for text in entry.node.texts("format") if (label := formats.label(text))]
    for text in entry.node.texts("identifier"):
        if url := _url(text):
            yield _identifier(url, labels)
    for element in entry.root.iterchildren("{*}references", "{*}URI"):
        text = clean_text(element.text)
        url = entry.node.parse_value("references", text, parse_url, "bad-url")
        if url:
            protocol = clean_text(element.get("scheme") or element.get("protocol"))
            yield _reference(url, protocol, clean_text(element.get("name")))


def _url(text: str) -> str:
    """Return where an identifier leads, "" for one that leads nowhere."""
    if is_web_url(text):
        return text
    if match := _HANDLE.fullmatch(text):
        return f"https://hdl.handle.net/{match[1]}"
    return doi_url(text)


def _identifier(url: str, labels: list[str]) -> ResourceRecord:
    """Return a file if the URL shows one, else a page; a page can lead to files of dc:format."""
    label = formats.of_url(url)
    if label and label != "HTML":
        return ResourceRecord(url, format=label, kind=_kind(label))
    extras = {"formats": ", ".join(dict.fromkeys(labels))} if labels else {}
    return ResourceRecord(
        url, name="Landing page", format="HTML", kind="documentation", extras=extras
    )


def _reference(url: str, protocol: str, name: str) -> ResourceRecord:
    label = formats.of_url(url) or formats.label(protocol.replace("OGC:", ""))
    return ResourceRecord(url, name=name, format=label, kind=_kind(label))


def _kind(label: str) -> str:
    if label in SERVICE_FORMATS:
        return "service"
    return "documentation" if label == "HTML" else "data"
