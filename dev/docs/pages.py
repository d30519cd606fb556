"""One page of docs/sources for each source type, and one about exports, from the code's tables."""

from __future__ import annotations

import ast
import csv
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from ckanext.ukharvest.core.errors import ConfigError, RecordError, SourceError, UkharvestError
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.problems.texts import PROBLEM_TEXTS, find_text
from ckanext.ukharvest.export.losses import DATA_JSON, LOSSES, RDF
from ckanext.ukharvest.parsers import record_checks
from ckanext.ukharvest.parsers.gemini.rules import RULES
from ckanext.ukharvest.rendering.problem_texts import MEANINGS
from ckanext.ukharvest.source_types import TYPES
from ckanext.ukharvest.source_types.source_type import COMMON_OPTIONS, SourceType

from . import codes, gemini
from .generated import MADE, table

FOLDER = codes.ROOT / "docs" / "sources"
_BY_TYPE = codes.PACKAGE / "sources" / "codes_by_type.json"

# Fields of DatasetRecord that become CKAN's own; package_mapper.FACTS has the others.
_OWN = {
    "title": "title",
    "name": "name (of a new dataset)",
    "notes": "notes",
    "url": "url",
    "version": "version",
    "tags": "tags",
    "author": "author, author_email",
    "contact": "maintainer, maintainer_email",
    "licence": "license_id",
    "resources": "resources",
    "coupled": "coupled datasets and services (ukharvest_dataset_show)",
    "organisation": "owner_org (option remote_orgs)",
    "groups": "groups (option remote_groups)",
    "text_language": "",
    "translations": "title_translated, notes_translated, tags_translated",
}
_JUDGED = f"GEMINI's rules have [a page]({gemini.NAME})."
_TIPS = "These few types can have. [All problems](problems.md) says what to change for each."
_FEW = 4  # source types
_HEADINGS = ("Failed run", "Failed record", "Imported with a problem", "For information")
_OF_OTHERS = "[Other distributions](../developing/source-types.md) can add types of their own."
_NOT_READ = "All else of the specification arrives, or is a problem. `*` stands for any text."
# Modules with the problems of forms.
_FORM = frozenset({"ckanext.ukharvest.core.options", "ckanext.ukharvest.previews.jobs"})
_EXPORT_HEAD = """\
# What the exported files cannot carry

{made}

As JSON Lines [the catalogue](export.md) has all fields. A portal that harvests the other files gets
the same datasets, except for these fields of CKAN (`resource.` stands before those of resources).
"Added": datasets and files without a value get one, and all others keep theirs.
"""


def pages() -> dict[Path, str]:
    """Return every page's path and text."""
    found = {FOLDER / f"{kind.name}.md": _page(kind) for kind in TYPES.ours.values()}
    found[FOLDER / "README.md"] = _index()
    found[FOLDER / gemini.NAME] = gemini.page()
    found[FOLDER / "problems.md"] = _problems()
    return found


def _index() -> str:
    rows = [(f"[`{k.name}`]({k.name}.md)", k.title, k.description) for k in TYPES.ours.values()]
    types = table(("type", "name", "reads"), rows)
    options = ("## Options of each type", "", *_options(COMMON_OPTIONS))
    return "\n".join(["# Source types", "", MADE, "", *types, "", _OF_OTHERS, "", *options, ""])


def codes_by_type() -> dict[Path, str]:
    """Return the help page's table, as path and JSON: type → codes of problems it can have."""
    found = {}
    for kind in TYPES.ours.values():
        is_judged = any(name.startswith(codes.RULES) for name in _modules(kind))
        rules = {rule.code for rule in RULES} if is_judged else set()
        found[kind.name] = sorted(_codes(kind) | rules)
    return {_BY_TYPE: json.dumps(found, indent=1) + "\n"}


def _page(kind: SourceType) -> str:
    parser = sys.modules[_parser_of(kind)]
    first = next(each for each in TYPES.ours.values() if each.parser is kind.parser)
    lines = [f"# {kind.title}: `{kind.name}`", "", MADE, "", f"{kind.description}.", ""]
    lines += [f"Software: {', '.join(kind.software)}.", ""] if kind.software else []
    lines += [f"{kind.url_hint} For example `{kind.url_example}`.", ""]
    lines += [(parser.__doc__ or "").strip(), ""] if first is kind else []
    if kind.template:
        text = (codes.PACKAGE / f"public{kind.template}").read_text(encoding="utf-8").strip()
        guide = (sys.modules[type(kind.reader).__module__].__doc__ or "").strip()
        lines += ["## Template", "", guide, "", "```csv", text, "```", ""]
    if kind.aliases:
        names = ", ".join(f"`{name}`" for name in kind.aliases)
        text = "Sources of other portals that have it are adopted by `ckan ukharvest adopt`."
        lines += [f"Other portals' names for it: {names}. {text}", ""]
    lines += ["## Fields", ""]
    if first is kind:
        lines += [*_mapping(parser.MAPPING), ""]
        for mapping in _resource_mappings(kind):
            lines += ["Of each resource:", "", *_mapping(mapping, in_ckan=False), ""]
    else:
        lines += [f"Those of [{first.title}]({first.name}.md#fields).", ""]
    rows, others = _not_read(kind)
    names = ", ".join(f"[{each.title}]({each.name}.md#not-read)" for each in others)
    if rows or names:
        lines += ["## Not read", "", _NOT_READ, *([f"Also what {names} leaves out."] * bool(names))]
        lines += ["", *table(("field of the source", "why not"), rows), ""] if rows else [""]
    lines += ["## Options", "", *_options(kind.options), ""]
    lines += ["[Each type](README.md#options-of-each-type) has some more.", ""]
    lines += ["## Problems and errors", "", _TIPS, ""]
    own = sorted(code for code in _codes(kind) if _types_with()[code] <= _FEW)
    lines += table(("code", "problem"), ((f"`{code}`", find_text(code).title) for code in own))
    if any(name.startswith(codes.RULES) for name in _modules(kind)):
        lines += ["", _JUDGED]
    return "\n".join([*lines, ""])


def _mapping(mapping: Iterable[Any], *, in_ckan: bool = True) -> Iterator[str]:
    head = ("field of the source", "field of the record", "in CKAN")
    rows = [
        (", ".join(f"`{name}`" for name in row.source), row.target, _in_ckan(row.target))
        for row in mapping
    ]
    return table(head, rows) if in_ckan else table(head[:2], (row[:2] for row in rows))


def _in_ckan(target: str) -> str:
    """Return CKAN's names for a record's fields; other names are extras."""
    names: list[str] = []
    for word in re.findall(r"[\w-]+", target):
        facts = _facts().get(word, [])
        names += [_OWN[word], *facts] if word in _OWN else facts or [word]
    kinds = () if target == "extras" else ("extra", "extras", "list")
    return ", ".join(name for name in dict.fromkeys(names) if name and name not in kinds)


@cache
def _facts() -> dict[str, list[str]]:
    """Return field of DatasetRecord → its extras in package_mapper.FACTS.

    Read from the source, because the mapper needs CKAN.
    """
    tree = ast.parse((codes.PACKAGE / "mapping" / "package_mapper.py").read_text(encoding="utf-8"))
    table = next(
        node.value
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "FACTS"
    )
    found: dict[str, list[str]] = {}
    for key, value in zip(table.keys, table.values, strict=True):
        fields = re.findall(r"\br\.(\w+)|\b_(\w+)\(r\)", ast.unparse(value))
        for field in dict.fromkeys(a or {"period": "temporal"}.get(b, b) for a, b in fields):
            found.setdefault(field, []).append(str(getattr(key, "value", "")))
    return found


def _resource_mappings(kind: SourceType) -> Iterator[Any]:
    """Yield the tables of resources, each once: a parser may import that of another module."""
    names = sorted(_modules(kind))
    found = [getattr(sys.modules.get(name), "RESOURCE_MAPPING", None) for name in names]
    yield from {id(mapping): mapping for mapping in found if mapping}.values()


def _not_read(kind: SourceType) -> tuple[list[tuple[str, str]], list[SourceType]]:
    """Return rows of not_read.csv, field and reason, and the types whose pages have other rows.

    Those of a parser are on the page of the first type that uses it.
    """
    with Path(__file__).with_name("not_read.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found: dict[tuple[str, str], None] = {}
    others: dict[str, SourceType] = {}
    for row in rows:
        module = f"ckanext.ukharvest.parsers.{row['parser']}.parser"
        users = [each for each in TYPES.ours.values() if module in _modules(each)]
        first = next((each for each in users if module == _parser_of(each)), users[0])
        if first is kind:
            found[f"`{row['field']}`", row["reason"]] = None
        elif kind in users:
            others[first.name] = first
    return list(found), list(others.values())


@cache
def _types_with() -> Counter[str]:
    """Return code → number of types that can have it."""
    return Counter(code for kind in TYPES.ours.values() for code in _codes(kind))


def _parser_of(kind: SourceType) -> str:
    return str(kind.parser.__name__)  # type: ignore[attr-defined]


def _options(options: Iterable[Option]) -> Iterator[str]:
    rows = [
        (
            f"`{option.name}`",
            option.kind,
            f"`{_shown(option.default)}`" if _shown(option.default) else "",
            ", ".join(f"`{choice}`" for choice in option.choices if choice),
            option.help + (" Sysadmins only." if option.sysadmin_only else ""),
        )
        for option in options
    ]
    return table(("option", "kind", "default", "choices", "meaning"), rows)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value in ("", (), None) or value == {} else str(value)


def _problems() -> str:
    lines = ["# Problems and errors", "", MADE, "", _JUDGED, ""]
    for (severity, meaning), heading in zip(MEANINGS.items(), _HEADINGS, strict=True):
        rows = [
            (f"`{code}`", text.title, text.tip)
            for code, text in PROBLEM_TEXTS.items()
            if text.severity == severity
        ]
        head = ("code", "problem", "what to change")
        lines += [f"## {heading}", "", meaning, "", *table(head, rows), ""]
    return "\n".join(lines)


def _codes(kind: SourceType) -> set[str]:
    """Return the codes of the type's reader and parser, the stages and the network."""
    paths = codes.modules()
    stages = {name for name in paths if re.search(r"\.(harvesters|harvest)\.", name)}
    bases = {each.code for each in (UkharvestError, ConfigError, SourceError, RecordError)}
    found = {
        code for name in (_modules(kind) | stages) - _FORM for code in codes.codes_of(paths[name])
    }
    return found - bases


def _modules(kind: SourceType) -> set[str]:
    """Return the reader's, the parser's and the checks' modules, and all that they import."""
    paths = codes.modules()
    open_ends = {type(kind.reader).__module__, _parser_of(kind), record_checks.__name__}
    names: set[str] = set()
    while open_ends:
        name = open_ends.pop()
        names.add(name)
        open_ends |= codes.imports_of(paths[name]) - names
    return names


def export_page() -> dict[Path, str]:
    """Return path and text of the page about what exported files cannot carry."""
    head, effects = ("field", "why it differs", RDF, DATA_JSON), ("differs", "added")
    rows = (
        (
            ", ".join(f"`{field}`" for field in loss.fields),
            loss.reason,
            *(effects[loss.is_added] if f in loss.formats else "" for f in (RDF, DATA_JSON)),
        )
        for loss in LOSSES
    )
    text = "\n".join([_EXPORT_HEAD.format(made=MADE), *table(head, rows), ""])
    return {codes.ROOT / "docs" / "portal" / "export-fields.md": text}
