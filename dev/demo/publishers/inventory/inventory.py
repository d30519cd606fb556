"""The inventory of a fictional council, made from datasets.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

HOST = "https://datashare.wexmoor.example"
AREA = "http://statistics.data.gov.uk/id/statistical-geography/E07000997"
LICENCE = "http://www.nationalarchives.gov.uk/doc/open-government-licence/"
# DataShare serves each file in these ways: path, media type, description.
WAYS = (
    ("download", "CSV", "text/csv", "Download"),
    ("download", "XML", "text/xml", "Download"),
    ("api", "JSON", "application/json", "Service"),
    ("api", "XML", "text/xml", "Service"),
)


@dataclass
class Dataset:
    """One Dataset: its texts, and its line of datasets.toml."""

    identifier: str
    title: str
    description: str
    files: list[str]
    line: dict[str, Any]


def datasets() -> list[Dataset]:
    """Return all datasets, always in the same order."""
    text = (Path(__file__).parent / "datasets.toml").read_text(encoding="utf-8")
    return [
        _dataset(line, each)
        for line in tomllib.loads(text)["dataset"]
        for each in line.get("each", [""])
    ]


def document(found: list[Dataset]) -> str:
    """Return the inventory as DataShare writes it."""
    newest = max(each.line["modified"] for each in found)
    return "".join(
        (
            '<?xml version="1.0" encoding="utf-8"?>\n',
            '<inv:Inventory xmlns:inv="http://schemas.esd.org.uk/inventory"',
            f' Modified="{newest}" Language="en">\n',
            f"<inv:Identifier>{HOST}/</inv:Identifier>\n",
            "<inv:Metadata><inv:Publisher>http://opendatacommunities.org/id/district-council/",
            f"wexmoor</inv:Publisher><inv:Coverage><inv:Spatial>{AREA}</inv:Spatial>",
            "</inv:Coverage></inv:Metadata>\n<inv:Datasets>\n",
            *map(_element, found),
            "</inv:Datasets>\n</inv:Inventory>\n",
        )
    )


def _dataset(line: dict[str, Any], each: str) -> Dataset:
    schema = _slug(line["schema"].format(each=each))
    slug = "-".join(filter(None, (schema, "" if schema == _slug(each) else _slug(each))))
    return Dataset(
        identifier=f"{line['category']}/{slug}",
        title=line["title"].format(each=each),
        description=line["description"].format(each=each),
        files=[name.format(each=each) for name in line["files"]],
        line=line,
    )


def _element(dataset: Dataset) -> str:
    line = dataset.line
    return (
        f'<inv:Dataset Active="True" Modified="{line["modified"]}">'
        f"<inv:Identifier>{dataset.identifier}</inv:Identifier>"
        f"<inv:Title>{escape(dataset.title)}</inv:Title>"
        f"<inv:Description>{escape(dataset.description)}</inv:Description>"
        f"<inv:Rights>{LICENCE}</inv:Rights>"
        "<inv:RightsHolder>Wexmoor District Council</inv:RightsHolder>"
        f"<inv:Subjects>{''.join(_subjects(line))}</inv:Subjects>"
        f"<inv:Resources>{''.join(_resources(dataset))}</inv:Resources>"
        "</inv:Dataset>\n"
    )


def _subjects(line: dict[str, Any]) -> Iterator[str]:
    """Return one subject per link, the other child empty; functions first, as in live feeds."""
    place = "http://id.esd.org.uk"
    for number in line["functions"]:
        yield (
            '<inv:Subject Scheme="subject.function"><inv:Service/>'
            f"<inv:Function>{place}/function/{number}</inv:Function></inv:Subject>"
        )
    for number in line["services"]:
        yield (
            f'<inv:Subject Scheme="subject.service"><inv:Service>{place}/service/{number}'
            "</inv:Service><inv:Function/></inv:Subject>"
        )


def _resources(dataset: Dataset) -> Iterator[str]:
    modified = dataset.line["modified"]
    page = f"{HOST}/view/{dataset.identifier}"
    yield _resource("Document", dataset.identifier, dataset.title, page, "text/html", "Download")
    day = "/".join(reversed(modified.split("-")))
    for name in dataset.files:
        for path, form, media_type, availability in WAYS:
            place = f"{path}/{dataset.identifier}/{_slug(name)}"
            url = f"{HOST}/{place}?format={form}"
            if path == "download":
                url = f"{HOST}/{place}/{form}?version={day}"
            standard = dataset.line.get("standard", f"{HOST}/api/{dataset.identifier}/definition")
            yield _resource(
                "Data",
                f"{place}/{form.lower()}",
                name,
                url,
                media_type,
                availability,
                f"<inv:ConformsTo>{standard}</inv:ConformsTo>",
            )


def _resource(
    kind: str,
    identifier: str,
    title: str,
    url: str,
    media_type: str,
    availability: str,
    more: str = "",
) -> str:
    return (
        f'<inv:Resource Type="{kind}"><inv:Identifier>{identifier}</inv:Identifier>'
        f"<inv:Title>{escape(title)}</inv:Title><inv:Renditions><inv:Rendition>"
        f"<inv:Identifier>{escape(url)}</inv:Identifier><inv:MimeType>{media_type}</inv:MimeType>"
        f"<inv:Availability>{availability}</inv:Availability>{more}"
        "</inv:Rendition></inv:Renditions></inv:Resource>"
    )


def _slug(text: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())
