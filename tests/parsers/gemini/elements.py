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


def text(name: str, words: str) -> str:
    """Return a property with a text."""
    return f"<gmd:{name}>{TEXT.format(words)}</gmd:{name}>"


@dataclass(frozen=True)
class Element:
    """One element, or one property of it.

    Attributes:
        name: its number in UK GEMINI 2.3, and its name.
        path: its parent (root, citation, identification, distribution or quality), and the property
            that holds it; gmd and identification go without saying.
        target: what a dataset has of it: the name of a field, of an extra, or of an extra with a
            JSON list ("name[]"), of whose objects one member is read ("name[].key"); or a function.
        values: the texts of two properties.
        one: the value read from one property, if that is not its text, or a list of it.
        both: the value read from two, if that is not the value of one.
        none: the value if it is missing, if that is not empty; an error's code if the record fails.
        around: the elements between place and property.
        own: the property's standard content, if that is no CharacterString.
        whole: the property itself, if it only has an attribute.
        anchored: the value read from an Anchor with ADDRESS, if that is not the value of one.
        without: shapes that make no sense here, each with the reason.
    """

    name: str
    path: str
    target: str | Callable[[DatasetRecord], Any]
    values: tuple[str, str] = ("Rivers", "Lakes")
    one: Any = None
    both: Any = None
    none: Any = None
    around: str = "{}"
    own: str = TEXT
    whole: str = ""
    anchored: Any = None
    without: Mapping[str, str] = field(default_factory=dict)

    @property
    def place(self) -> str:
        return self.path.rpartition("/")[0] or "identification"

    @property
    def prop(self) -> str:
        name = self.path.rpartition("/")[2]
        return name if ":" in name else f"gmd:{name}"

    def read(self, record: DatasetRecord) -> Any:
        """Return what a dataset has of it."""
        if callable(self.target):
            return self.target(record)
        name, is_list, key = self.target.partition("[]")
        if not is_list:
            return getattr(record, name) if hasattr(record, name) else record.extras.get(name, "")
        found = json.loads(record.extras.get(name, "[]"))
        return [each.get(key[1:], "") for each in found] if key else found

    def expected(self, shape: str) -> Any:
        """Return the value expected of a shape."""
        is_list = isinstance(self.target, str) and "[]" in self.target
        if shape in _NOTHING:
            return self.none if self.none is not None else [] if is_list else ""
        if shape == "anchor" and self.anchored is not None:
            return self.anchored
        if shape == "twice" and self.both is not None:
            return self.both
        text = self.values[0]
        return self.one if self.one is not None else [text] if is_list else text

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
    guid: str = "rivers",
    kind: str = "gmd:MD_DataIdentification",
) -> str:
    """Return a record with these parts, identifier and title, except the one in ``bare``.

    Args:
        kind: the class of the identification.
    """
    identifier = f"<gmd:fileIdentifier>{TEXT.format(guid)}</gmd:fileIdentifier>"
    title = f"<gmd:title>{TEXT.format('Rivers')}</gmd:title>"
    return f"""<gmd:MD_Metadata {NAMESPACES}>
{"" if bare == "gmd:fileIdentifier" else identifier}{root}
<gmd:identificationInfo><{kind}>
  <gmd:citation><gmd:CI_Citation>
    {"" if bare == "gmd:title" else title}{citation}
  </gmd:CI_Citation></gmd:citation>
  {identification}
</{kind}></gmd:identificationInfo>
<gmd:distributionInfo><gmd:MD_Distribution>{distribution}</gmd:MD_Distribution>
</gmd:distributionInfo>
<gmd:dataQualityInfo><gmd:DQ_DataQuality>{quality}</gmd:DQ_DataQuality></gmd:dataQualityInfo>
</gmd:MD_Metadata>"""


def parsed(text: str, **options: Any) -> DatasetRecord:
    """Parse a record under its own identifier."""
    guid = gemini_document.identifier(etree.fromstring(text))
    return gemini.parse(RawRecord(guid, text, position="record 1"), options)


def code(name: str) -> str:
    """Return the content of a code list property."""
    return f'<gmd:{name} codeList="https://lists.example#{name}" codeListValue="{{}}"/>'
