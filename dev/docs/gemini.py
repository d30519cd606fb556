"""The page of GEMINI's rules: the requirement of each, and a good value."""

from __future__ import annotations

from ckanext.ukharvest.core.problems.texts import find_text
from ckanext.ukharvest.parsers.gemini.rules import RULES
from ckanext.ukharvest.parsers.gemini.rules.rule import Rule

from .generated import MADE, table

NAME = "gemini-problems.md"
_HEAD = ("code", "element", "for", "expected", "such as", "AGI")

# data.gov.uk's established messages to publishers, and our codes for the same.
_KNOWN = (
    ("Unable to get content for URL", ("unreachable", "bad-status", "fetch")),
    ("Failed to parse or validate the XML document", ("xml-syntax", "wrong-root", "schema")),
    ("System error, Validation error", ("error", "rejected")),
    ("The contents of document … changed, but the metadata date …", ("date-not-changed",)),
    ("Couldn't find any links to metadata files", ("no-links", "link-elsewhere")),
)


def page() -> str:
    """Return every rule with its requirement, in the order of a record."""
    lines = ["# What is wrong with a GEMINI record, and what to write", "", MADE, ""]
    lines += [
        "Each record is judged by the rules of the edition of GEMINI that it follows, and by",
        "those of ISO 19139 (table A.1). A record that breaks them comes in all the same, with its",
        "problems shown, unless its source has the option `validation=reject`. What the standard",
        "*demands* can reject a record; what it *advises* never does.",
        "",
        "The number in a code is the element's in GEMINI 2.3, whose pages explain it (a: how to",
        "encode it; w, o: advice; in `iso-`, the row of table A.1):",
        "<https://www.agi.org.uk/gemini/40-gemini/1062-gemini-datasets-and-data-series>. The last",
        "column is the same check's number in the Association for Geographic Information's own",
        "Schematron.",
        "",
        "## The errors that publishers know",
        "",
        *table(
            ("message of earlier harvesters", "code here", "what to do"),
            ((text, f"`{code}`", find_text(code).tip) for text, codes in _KNOWN for code in codes),
        ),
        "",
        "## The rules",
    ]
    for element in dict.fromkeys(rule.element for rule in RULES):
        rows = (_row(rule) for rule in RULES if rule.element == element)
        lines += ["", f"### {element}", "", *table(_HEAD, rows)]
    return "\n".join([*lines, ""])


def _row(rule: Rule) -> tuple[str, ...]:
    kinds = " and ".join(sorted(filter(None, rule.types))) or "all"
    # A name such as ISO 19115-3 needs no translation.
    names = (each if " " in each else f"GEMINI {each}" for each in sorted(rule.versions))
    editions = ", ".join(names) or "ISO 19139"
    return (
        f"`{rule.code}`",
        f"`{rule.field}`",
        f"{kinds}; {editions}; {'demanded' if rule.is_error else 'advised'}",
        rule.wanted,
        f"`{rule.example}`" if rule.example else "",
        rule.number,
    )
