"""A GEMINI element as a row of a table, and the records of test_elements for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from ckanext.ukharvest.core.records import DatasetRecord, RawRecord
from ckanext.ukharvest.parsers.gemini import document as gemini_document
from ckanext.ukharvest.parsers.gemini import parser as gemini

ADDRESS = "https://register.council.example/1"
NAMESPACES = " ".join(
    f'xmlns:{prefix}="{name}"'
    for prefix, name in {
        **{each: f"http://www.isotc211.org/2005/{each}" for each in ("gmd", "gco", "gmx", "srv")},
        "gml": "http://www.opengis.net/gml/3.2",
        "xlink": "http://www.w3.org/1999/xlink",
    }.items()
)
TEXT = "<gco:CharacterString>{}</gco:CharacterString>"

# Name of a shape → content of a property, given its text; "own" is the element's standard one.
SHAPES: Mapping[str, str] = {
    "own": "",
    "text": TEXT,
    "anchor": f'<gmx:Anchor xlink:href="{ADDRESS}">{{}}</gmx:Anchor>',
    "missing": "",
    "nil": "",
    "empty": "<gco:CharacterString/>",
    "empty anchor": "<gmx:Anchor/>",
    "beside nil": "",
    "twice": "",
    "same twice": "",
}
_NOTHING = ("missing", "nil", "empty", "empty anchor")


@dataclass(frozen=True)
class Element:
    """One element, or one property of it.

    Attributes:
        name: its number in UK GEMINI 2.3, and its name.
        prop: the property that holds it.
        place: its parent: root, citation, identification, distribution or quality.
        read: the dataset's field for it.
        one, both: the value read from one property, and from two.
        none: the value if it is missing; an error's code if the record fails.
        around: the elements between place and property.
        own: the property's standard content, if that is no CharacterString.
        whole: the property itself, if it only has an attribute.
        values: the texts of the two.
        anchored: the value read from an Anchor with ADDRESS, if that is not ``one``.
        without: shapes that make no sense here, each with the reason.
    """

    name: str
    prop: str
    place: str
    read: Callable[[DatasetRecord], Any]
    one: Any
    both: Any
    none: Any = ""
    around: str = "{}"
    own: str = TEXT
    whole: str = ""
    values: tuple[str, str] = ("Rivers", "Lakes")
    anchored: Any = None
    without: Mapping[str, str] = field(default_factory=dict)

    def expected(self, shape: str) -> Any:
        """Return the value expected of a shape."""
        if shape in _NOTHING:
            return self.none
        if shape == "anchor" and self.anchored is not None:
            return self.anchored
        return self.both if shape == "twice" else self.one

    def document(self, shape: str) -> str:
        """Return a record that has the element in a shape."""
        filled = f"<{self.prop}>{SHAPES[shape] or self.own}</{self.prop}>"
        whole = self.whole or filled
        one = whole.format(self.values[0])
        found = {
            "missing": "",
            "nil": f'<{self.prop} gco:nilReason="missing"/>',
            "empty": filled,
            "empty anchor": filled,
            "beside nil": one.replace(self.prop, f'{self.prop} gco:nilReason="missing"', 1),
            "twice": "".join(map(whole.format, self.values)),
            "same twice": one * 2,
        }.get(shape, one)
        is_needed = self.place in ("root", "citation") and isinstance(self.none, str)
        bare = self.prop if is_needed and self.none.startswith("missing-") else ""
        return document(**{self.place: self.around.format(found)}, bare=bare)


def document(
    root: str = "",
    citation: str = "",
    identification: str = "",
    distribution: str = "",
    quality: str = "",
    bare: str = "",
) -> str:
    """Return a record with these parts, identifier and title, except the one in ``bare``."""
    identifier = f"<gmd:fileIdentifier>{TEXT.format('rivers')}</gmd:fileIdentifier>"
    title = f"<gmd:title>{TEXT.format('Rivers')}</gmd:title>"
    return f"""<gmd:MD_Metadata {NAMESPACES}>
{"" if bare == "gmd:fileIdentifier" else identifier}{root}
<gmd:identificationInfo><gmd:MD_DataIdentification>
  <gmd:citation><gmd:CI_Citation>
    {"" if bare == "gmd:title" else title}{citation}
  </gmd:CI_Citation></gmd:citation>
  {identification}
</gmd:MD_DataIdentification></gmd:identificationInfo>
<gmd:distributionInfo><gmd:MD_Distribution>{distribution}</gmd:MD_Distribution>
</gmd:distributionInfo>
<gmd:dataQualityInfo><gmd:DQ_DataQuality>{quality}</gmd:DQ_DataQuality></gmd:dataQualityInfo>
</gmd:MD_Metadata>"""


def parsed(text: str, **options: Any) -> DatasetRecord:
    """Parse a record under its own identifier."""
    guid = gemini_document.identifier(etree.fromstring(text))
    return gemini.parse(RawRecord(guid, text, position="record 1"), options)


def extra(name: str) -> Callable[[DatasetRecord], str]:
    """Return the reader of an extra."""
    return lambda record: record.extras.get(name, "")


def json_extra(name: str, key: str = "") -> Callable[[DatasetRecord], list[Any]]:
    """Return the reader of a JSON list's extra; ``key`` reads that value of its objects."""

    def read(record: DatasetRecord) -> list[Any]:
        found = json.loads(record.extras.get(name, "[]"))
        return [each.get(key, "") for each in found] if key else found

    return read


def code(name: str) -> str:
    """Return the content of a code list property."""
    return f'<gmd:{name} codeList="https://lists.example#{name}" codeListValue="{{}}"/>'
