"""GEMINI's rules for location data records: a table, rules.csv, and the checks that it names.

Specification: UK GEMINI 2.3 of the Association for Geographic Information with the Schematron
that it publishes; GEMINI 2.1 (Schematron 1.3); ISO 19139, table A.1.

A rule is a row; its columns are the attributes of ``Rule``. ``check`` is a function of ``checks``,
or of another module here with its name before a dot: "resource_checks.box_range". Of two rules that
report the same, the one that is to be left out comes later and names the other in ``unless``. Cells
with several values separate them by semicolons; in ``types`` an empty value means records without a
type. ``note`` is for those who maintain the table.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from ckanext.ukharvest.core.problems import texts
from ckanext.ukharvest.core.problems.texts import NOTE, PROBLEM
from ckanext.ukharvest.parsers.gemini.rules.rule import Check, Rule


def _rule(row: Mapping[str, str]) -> Rule:
    return Rule(
        code=row["code"],
        element=row["element"],
        field=row["field"],
        check=_check(row["check"]),
        arguments=_values(row["arguments"]),
        wanted=row["wanted"],
        example=row["example"],
        number=row["number"],
        types=frozenset(_values(row["types"])),
        versions=frozenset(_values(row["versions"])),
        is_error=row["level"] == "error",
        unless=_values(row["unless"]),
        is_rest=row["rest"] == "yes",
    )


def _check(name: str) -> Check:
    module, _, function = name.rpartition(".")
    check: Check = getattr(import_module(f"{__name__}.{module or 'checks'}"), function)
    return check


def _values(cell: str) -> tuple[str, ...]:
    return tuple(value.strip() for value in cell.split(";")) if cell else ()


with Path(__file__).with_name("rules.csv").open(encoding="utf-8", newline="") as _file:
    RULES = tuple(map(_rule, csv.DictReader(_file)))

BY_CODE = {rule.code: rule for rule in RULES}


def severity_of(code: str, *, consequence: str = PROBLEM) -> str:
    """Return the severity of a problem; see ``core.problems.texts.severity_of``."""
    rule = BY_CODE.get(code)
    if rule is None:
        return texts.severity_of(code, consequence=consequence)
    return NOTE if consequence == PROBLEM and not rule.is_error else consequence
