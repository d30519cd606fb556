"""A bad and a good case for each rule of GEMINI."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers.gemini.document import IsoNode
from ckanext.ukharvest.parsers.gemini.rules import RULES, report
from ckanext.ukharvest.parsers.gemini.rules.rule import Metadata, Rule
from tests.parsers.gemini import rules as gemini_rules
from tests.parsers.gemini.rules.documents import GUID


def _cases() -> dict[str, tuple[str, str]]:
    """Return CASES of every module cases_… here: code → (bad, good)."""
    found: dict[str, tuple[str, str]] = {}
    for module in pkgutil.iter_modules(gemini_rules.__path__):
        if module.name.startswith("cases_"):
            cases = import_module(f"{gemini_rules.__name__}.{module.name}").CASES
            assert not found.keys() & cases.keys(), module.name
            found |= cases
    return found


BY_CODE = {rule.code: rule for rule in RULES}
CASES = _cases()


def find_problems(document: str, *rules: Rule) -> list[Problem]:
    metadata = Metadata(IsoNode(xml.parse(document), []), GUID)
    return [report.problem(rule, places) for rule, places in report.failing(rules, metadata)]
