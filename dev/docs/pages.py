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
from ckanext.ukharvest.core.problems.texts import PROBLEM_TEXTS
from ckanext.ukharvest.export.losses import LOSSES
from ckanext.ukharvest.parsers import record_checks
from ckanext.ukharvest.parsers.gemini.rules import RULES
from ckanext.ukharvest.rendering.problem_texts import MEANINGS
from ckanext.ukharvest.source_types import TYPES
from ckanext.ukharvest.source_types.source_type import COMMON_OPTIONS, SourceType

from . import codes, gemini
from .generated import MADE, escape, prose, table

FOLDER = codes.ROOT / "docs" / "sources"
_BY_TYPE = codes.PACKAGE / "sources" / "codes_by_type.json"

# Fields of DatasetRecord with other names in CKAN; package_mapper.FACTS has more.
_OWN = {
    "name": "name (of a new dataset)",
    "author": "author, author_email",
    "contact": "maintainer, maintainer_email",
    "licence": "license_id",
    "coupled": "coupled datasets and services (ukharvest_dataset_show)",
    "organisation": "owner_org (option remote_orgs)",
    "groups": "groups (option remote_groups)",
    "translations": "title_translated, notes_translated, tags_translated",
}
_JUDGED = f"GEMINI's rules have [a page]({gemini.NAME})."
_FIELDS = ("field of the source", "[field of the record](README.md#fields-in-ckan)")
_FEW = 4  # source types
_HEADINGS = ("Failed run", "Failed record", "Imported with a problem", "For information")
_IN_BRACKETS = "In brackets: what a value is, if not a text; the default; further values."
_SEVERAL = "[As other types](README.md#options-of-several-types):"
_NAMED = "named as the field (`a{}b` for `aB`) or as in brackets"
# Modules with the problems of forms.
_FORM = frozenset({"ckanext.ukharvest.core.options", "ckanext.ukharvest.previews.jobs"})


def pages() -> dict[Path, str]:
    """Return every page's path and text."""
    found = {FOLDER / f"{kind.name}.md": _page(kind) for kind in TYPES.ours.values()}
    found[FOLDER / "README.md"] = _index()
    found[FOLDER / gemini.NAME] = gemini.page()
    found[FOLDER / "problems.md"] = _problems()
    return found


def _index() -> str:
    rows = [(f"[`{k.name}`]({k.name}.md)", k.title, k.description) for k in TYPES.ours.values()]
    lines = ["# Source types", "", MADE, "", *table(("type", "name", "reads"), rows), ""]
    lines += [prose("README")]
    fields = sorted({**_OWN, **_facts()})
    names = ((f, ", ".join(filter(None, [_OWN.get(f), *_facts().get(f, [])]))) for f in fields)
    lines += table(("field of the record", "in CKAN"), (row for row in names if row[0] != row[1]))
    lines += ["", "## Options of each type", "", _IN_BRACKETS, "", *map(_option, COMMON_OPTIONS)]
    lines += ["", "## Options of several types", ""]
    for line, kinds in _shared().items():
        lines.append(f"{line} For {', '.join(f'`{kind.name}`' for kind in kinds)}.")
    return "\n".join([*lines, ""])


def codes_by_type() -> dict[Path, str]:
    """Return the help page's table, as path and JSON: type → codes of problems it can have."""
    found = {}
    for kind in TYPES.ours.values():
        is_judged = any(name.startswith(codes.RULES) for name in _modules(kind))
        rules = {rule.code for rule in RULES} if is_judged else set()
        found[kind.name] = sorted(_codes(kind) | rules)
    return {_BY_TYPE: json.dumps(found, indent=1) + "\n"}


def _page(kind: SourceType) -> str:
    parser, related = sys.modules[_parser_of(kind)], _related(kind)
    lines = [f"# {kind.title}: `{kind.name}`", "", MADE, "", f"{kind.description}.", ""]
    lines += [f"Software: {', '.join(kind.software)}.", ""] if kind.software else []
    lines += [f"{kind.url_hint} For example `{kind.url_example}`.", ""]
    lines += [(parser.__doc__ or "").strip(), ""] if _homes()[parser.__name__] is kind else []
    if kind.aliases:
        names = ", ".join(f"`{name}`" for name in kind.aliases)
        lines += [f"[Adopted](../migrating.md) from other portals as {names}.", ""]
    lines += [prose(kind.name)]
    if kind.template:
        text = (codes.PACKAGE / f"public{kind.template}").read_text(encoding="utf-8").strip()
        guide = (sys.modules[type(kind.reader).__module__].__doc__ or "").strip()
        lines += ["## Template", "", guide, "", "```csv", text, "```", ""]
    theirs = [row for each in related for row in sys.modules[_parser_of(each)].MAPPING]
    lines += ["## Fields", "", *_those_of(related, "fields")]
    lines += _mapping([row for row in parser.MAPPING if not any(row is each for each in theirs)])
    for key, mapping in _resource_mappings([kind]).items():
        if key not in _resource_mappings(related):
            lines += ["Of each resource:", "", *_mapping(mapping)]
    if rows := _not_read(kind):
        lines += ["## Not read", "", "All else arrives or is a problem. `*` is any text.", ""]
        lines += [f"- {', '.join(names)}: {reason}" for reason, names in rows.items()] + [""]
    own = [line for option in kind.options if (line := _option(option)) not in _shared()]
    shared = [f"`{option.name}`" for option in kind.options if _option(option) in _shared()]
    lines += ["## Options", "", *own, "", *([f"{_SEVERAL} {', '.join(shared)}."] if shared else [])]
    lines += ["[Each type](README.md#options-of-each-type) has some more.", ""]
    lines += ["## Problems and errors", "", *_those_of(related, "problems-and-errors")]
    general = set().union(*(_codes(each) for each in related))
    rare = sorted(code for code in _codes(kind) - general if _types_with()[code] <= _FEW)
    own_codes = ", ".join(f"`{code}`" for code in rare)
    lines += [f"[Codes](problems.md) of its own: {own_codes}."] if rare else []
    lines += [_JUDGED] if kind.name == "gemini-single" else []
    return re.sub(r"\n{3,}", "\n\n", "\n".join([*lines, ""]))


def _those_of(kinds: list[SourceType], anchor: str) -> list[str]:
    links = ", ".join(f"[{each.title}]({each.name}.md#{anchor})" for each in kinds)
    return [f"Those of {links}.", ""] if kinds else []


def _mapping(mapping: Iterable[Any]) -> Iterator[str]:
    """Return a table of the fields that a record has, and sentences about those of extras."""
    rows: dict[tuple[str, ...], list[str]] = {}
    extras: dict[str, list[tuple[str, str]]] = {"": [], " (list)": []}
    for row in mapping:
        extra = re.fullmatch(r"extra ([\w-]+)( \(list\))?", row.target)
        if extra and len(row.source) == 1:
            extras[extra[2] or ""].append((row.source[0], extra[1]))
        else:
            rows.setdefault(tuple(row.source), []).append(row.target)
    if rows:
        cells = ((_sources(source, rows), ", ".join(rows[source])) for source in rows)
        yield from (*table(_FIELDS, cells), "")
    letters = "".join(name for _, name in extras[""])
    sign = "-" if letters.count("-") > letters.count("_") else "_"
    for about, names in extras.items():
        if text := ", ".join(_extra(source, name, sign) for source, name in names):
            yield from (f"Extras{about}, {_NAMED.format(sign)}: {text}.", "")


def _sources(source: tuple[str, ...], rows: dict[tuple[str, ...], list[str]]) -> str:
    """Return the names of fields; where another row has several of them, that row's field."""
    parts = [other for other in rows if 2 < len(other) < len(source) and {*other} <= {*source}]
    texts = [f"`{n}`" if " " not in n else n for n in source if not any(n in p for p in parts)]
    return ", ".join([*(f"those of {re.split('[,;]', rows[p][0])[0]}" for p in parts), *texts])


def _extra(source: str, name: str, sign: str) -> str:
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", sign, re.split(r"[:./]", source)[-1]).lower()
    return f"`{source}`" + (f" ({name})" if plain != name else "")


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


def _resource_mappings(kinds: list[SourceType]) -> dict[int, Any]:
    """Return the tables of resources in the types' modules, by identity."""
    names = sorted(set().union(*(_modules(kind) for kind in kinds)))
    tables = (getattr(sys.modules.get(name), "RESOURCE_MAPPING", None) for name in names)
    return {id(table): table for table in tables if table}


@cache
def _homes() -> dict[str, SourceType]:
    """Return parser → the first type that has it, whose page has its fields."""
    return {_parser_of(kind): kind for kind in reversed(TYPES.ours.values())}


def _related(kind: SourceType) -> list[SourceType]:
    """Return the types whose parsers this type uses too."""
    homes = sorted(_homes().items())
    return [home for parser, home in homes if home is not kind and parser in _modules(kind)]


def _not_read(kind: SourceType) -> dict[str, list[str]]:
    """Return reason → fields, from not_read.csv, of the parser whose fields the page has."""
    with Path(__file__).with_name("not_read.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    fields: dict[str, list[str]] = {}
    for row in rows:
        if _homes()[f"ckanext.ukharvest.parsers.{row['parser']}.parser"] is kind:
            fields.setdefault(row["reason"], []).append(f"`{row['field']}`")
    return fields


@cache
def _shared() -> dict[str, list[SourceType]]:
    """Return the line of each option that several types have → those types."""
    lines: dict[str, list[SourceType]] = {}
    for kind in TYPES.ours.values():
        for option in kind.options:
            lines.setdefault(_option(option), []).append(kind)
    return {line: kinds for line, kinds in lines.items() if len(kinds) > 1}


@cache
def _types_with() -> Counter[str]:
    """Return code → number of types that can have it."""
    return Counter(code for kind in TYPES.ours.values() for code in _codes(kind))


def _parser_of(kind: SourceType) -> str:
    return str(kind.parser.__name__)  # type: ignore[attr-defined]


def _option(option: Option) -> str:
    """Return an option's line: kind, default, values that the text does not name, and the text."""
    facts = [option.kind] if option.kind != "text" else []
    facts += [f"`{_shown(option.default)}`"] if _shown(option.default) else []
    named = (option.default, "", *re.findall(r"[\w.-]+", option.help))
    facts += [f"`{choice}`" for choice in option.choices if choice not in named]
    about = f" ({', '.join(facts)})" if facts else ""
    rest = " Sysadmins only." if option.sysadmin_only else ""
    return f"- `{option.name}`{about}: {escape(option.help)}{rest}"


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value in ("", (), None) or value == {} else str(value)


def _problems() -> str:
    lines = ["# Problems and errors", "", MADE, "", _JUDGED, ""]
    for (severity, meaning), heading in zip(MEANINGS.items(), _HEADINGS, strict=True):
        lines += [f"## {heading}", "", meaning, ""]
        for text in dict.fromkeys(PROBLEM_TEXTS.values()):
            if text.severity == severity:
                named = (f"`{code}`" for code, other in PROBLEM_TEXTS.items() if other == text)
                lines.append(f"- {', '.join(named)}: **{text.title}.** {escape(text.tip)}")
        lines.append("")
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
    groups: dict[tuple[bool, tuple[str, ...]], list[tuple[str, str]]] = {}
    for loss in LOSSES:
        row = (", ".join(f"`{field}`" for field in loss.fields), loss.reason)
        groups.setdefault((loss.is_added, loss.formats), []).append(row)
    lines = [prose("export-fields").rstrip()]
    for is_added, formats in sorted(groups):
        heading = f"{'Added' if is_added else 'Different'} in {' and '.join(formats)}"
        lines += ["", f"## {heading}", "", *table(("field", "why"), groups[is_added, formats])]
    text = "\n".join([*lines, ""])
    return {codes.ROOT / "docs" / "portal" / "export-fields.md": text}
