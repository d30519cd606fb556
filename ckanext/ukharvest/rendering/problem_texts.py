"""Texts about kinds of problems: title, meaning, and what to do. Needs no CKAN.

Every text goes through ``translate``, such as ``tk._`` or ``str``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from ckanext.ukharvest.core.problems import texts
from ckanext.ukharvest.core.problems.texts import ENTRY_NUMBERS, LOST, NOTE, PROBLEM, STOP
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.parsers.gemini.rules import BY_CODE, RULES, severity_of
from ckanext.ukharvest.parsers.gemini.rules.rule import Rule

MEANINGS: dict[str, str] = {
    STOP: _("The run failed. Nothing was imported, and nothing was deleted."),
    LOST: _(
        "The record was not imported. If it has a dataset here, the dataset keeps its "
        "earlier version."
    ),
    PROBLEM: _("The record was imported, but something in it is missing or could not be used."),
    NOTE: _("The record was imported. This is for information."),
}

# Title of a rule's defect, by the last word of the rule's code.
_DEFECTS = {
    "needed": _("{element}: missing"),
    "nil": _("{element}: without a value"),
    "value": _("{element}: without a value"),
    "one": _("{element}: must be given exactly once"),
    "list": _("{element}: not in the list"),
}
_DEFECT = _("{element}: missing or wrong")
_DESCRIPTION = (
    _("Description"),
    _("Add the description, for example: Where the council’s car parks are and what they cost."),
)
_LICENCE = (
    _("Licence"),
    _(
        "Add the licence, for example "
        "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/."
    ),
)
# What a missing field is and what to write, by the last part of its name in any format.
_MISSING = {
    "contactpoint": (
        _("Contact"),
        _("Add the contact: a name and an email address, for example opendata@example.gov.uk."),
    ),
    "description": _DESCRIPTION,
    "ex_geographicboundingbox": (
        _("Place"),
        _(
            "Add the box around the place: west, south, east, north, for example "
            "0.1, 52, 0.5, 52.3."
        ),
    ),
    "license": _LICENCE,
    "license_id": _LICENCE,
    "notes": _DESCRIPTION,
    "publisher": (
        _("Publisher"),
        _("Add the name of the publisher, for example Example District Council."),
    ),
    "rights": _LICENCE,
}
# What a field of a JSON source may hold, by its name, for people to copy.
_OGL = "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"
_VALUES = {
    "accessURL": '"https://example.gov.uk/roads"',
    "accrualPeriodicity": '"R/P1M"',
    "contactPoint": '{"fn": "Data team", "hasEmail": "mailto:opendata@example.gov.uk"}',
    "description": '"Where the council\'s car parks are and what they cost."',
    "distribution": '[{"downloadURL": "https://example.gov.uk/a.csv", "mediaType": "text/csv"}]',
    "downloadURL": '"https://example.gov.uk/roads.csv"',
    "hasEmail": '"mailto:opendata@example.gov.uk"',
    "issued": '"2024-05-31"',
    "keyword": '["planning", "building"]',
    "language": '["en"]',
    "license": f'"{_OGL}"',
    "mediaType": '"text/csv"',
    "modified": '"2024-05-31"',
    "publisher": '{"name": "Example District Council"}',
    "spatial": '"-2.4,53.3,-2.0,53.6"',
    "temporal": '"2023-04-01/2024-03-31"',
}
# The same of a property of DCAT, in Turtle.
_PROPERTIES = {
    "dcat:accessURL": "<https://example.gov.uk/roads>",
    "dcat:contactPoint": (
        '[ a vcard:Kind ; vcard:fn "Data team" ; vcard:hasEmail <mailto:opendata@example.gov.uk> ]'
    ),
    "dcat:distribution": "[ a dcat:Distribution ; dcat:accessURL <https://example.gov.uk/roads> ]",
    "dcat:downloadURL": "<https://example.gov.uk/roads.csv>",
    "dcat:keyword": '"planning", "building"',
    "dcat:mediaType": "<https://www.iana.org/assignments/media-types/text/csv>",
    "dct:accrualPeriodicity": (
        "<http://publications.europa.eu/resource/authority/frequency/MONTHLY>"
    ),
    "dct:description": '"Where the council\'s car parks are and what they cost."',
    "dct:issued": '"2024-05-31"^^xsd:date',
    "dct:language": "<http://publications.europa.eu/resource/authority/language/ENG>",
    "dct:license": f"<{_OGL}>",
    "dct:modified": '"2024-05-31"^^xsd:date',
    "dct:publisher": '[ a foaf:Agent ; foaf:name "Example District Council" ]',
    "dct:spatial": (
        "[ a dct:Location ; dcat:bbox"
        ' "POLYGON((-2.4 53.3, -2 53.3, -2 53.6, -2.4 53.6, -2.4 53.3))"^^gsp:wktLiteral ]'
    ),
    "dct:temporal": (
        '[ a dct:PeriodOfTime ; dcat:startDate "2023-04-01"^^xsd:date ;'
        ' dcat:endDate "2024-03-31"^^xsd:date ]'
    ),
}
# Of elements and attributes of Inventory XML.
_ELEMENTS = {
    "@Active": 'Active="Yes"',
    "@Modified": 'Modified="2024-05-31"',
    "@TemporalFrom": 'TemporalFrom="2023-04-01"',
    "@TemporalTo": 'TemporalTo="2024-03-31"',
    "Availability": "<Availability>Download</Availability>",
    "MimeType": "<MimeType>text/csv</MimeType>",
    "Rights": f"<Rights>{_OGL}</Rights>",
}
_SNIPPETS = {
    **{name: f'"{name}": {value}' for name, value in _VALUES.items()},
    **{name: f"{name} {value} ;" for name, value in _PROPERTIES.items()},
    **_ELEMENTS,
}
_LONGEST = 60  # characters of what the standard wants, in a title

Translate = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class ProblemTexts:
    """A kind of problem in the reader's language.

    Attributes:
        tip: what to do, "" if unknown.
        wanted: the standard's requirement, "" if there is none; also part of ``meaning``.
        snippet: the field with a value that is right, as JSON, Turtle or XML; "" if there is none.
    """

    title: str
    severity: str
    meaning: str
    tip: str
    wanted: str = ""
    snippet: str = ""

    @property
    def fix(self) -> str:
        """The tip and the snippet, for a text without markup."""
        return f"{self.tip} {self.snippet}".strip()


def describe_problem(
    code: str, consequence: str, field: str = "", *, translate: Translate
) -> ProblemTexts:
    """Return the texts of a code.

    Args:
        consequence: the effect on the run or the record: "stop", "lost" or "problem".
        field: that it is about, such as "distribution[2].mediaType"; "": the title names none.
    """
    severity = severity_of(code, consequence=consequence)
    meaning = translate(MEANINGS[severity])
    rule = BY_CODE.get(code)
    if rule is None:
        title, tip = _of_code(code, field, translate)
        name = field.rpartition(".")[2] if severity != NOTE else ""
        tip, snippet = tip and translate(tip), _SNIPPETS.get(name, "")
        return ProblemTexts(title, severity, meaning, tip, snippet=snippet)
    wanted = translate(_("The standard expects {wanted}.")).format(wanted=translate(rule.wanted))
    tip = translate(_("Write it like this: {example}")).format(example=rule.example)
    tip = tip if rule.example else ""
    return ProblemTexts(_title(rule, translate), severity, f"{meaning} {wanted}", tip, wanted)


def _of_code(code: str, field: str, translate: Translate) -> tuple[str, str]:
    """Return the title, and in English the tip, of a code that is no rule's."""
    text = texts.find_text(code)
    title = str(translate(text.title))
    if not field:
        return title, text.tip
    field = ENTRY_NUMBERS.sub("", field)
    if code != "missing-field":
        named = translate(_("{title} ({field})")).format(title=title, field=field)
        return str(named), text.tip
    label, tip = _MISSING.get(re.split(r"[.:/@]", field)[-1].casefold(), ("", text.tip))
    element = translate(label) if label else field
    return str(translate(_("{element}: missing"))).format(element=element), tip


def _title(rule: Rule, translate: Translate) -> str:
    title = str(translate(_defect(rule))).format(element=translate(rule.element))
    if (rule.element, _defect(rule)) in _repeated():
        wanted = shorten(translate(rule.wanted), _LONGEST)
        return str(translate(_("{title} (expected: {wanted})"))).format(title=title, wanted=wanted)
    return title


def _defect(rule: Rule) -> str:
    return _DEFECTS.get(rule.code.rpartition("-")[2], _DEFECT)


@cache
def _repeated() -> frozenset[tuple[str, str]]:
    """Return elements and defects with several requirements: their titles include them."""
    kinds = {(rule.element, _defect(rule), rule.wanted) for rule in RULES}
    counts = Counter(kind[:2] for kind in kinds)
    return frozenset(key for key, number in counts.items() if number > 1)
