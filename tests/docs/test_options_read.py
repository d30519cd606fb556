"""Every option that a type offers is read by its reader, its parser, or the harvest."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from docs.codes import imports_of, modules

from ckanext.ukharvest.source_types import TYPES

# They are refused, with advice.
REFUSED = ("override_extras", "api_key")


@cache
def _names_read(path: Path) -> frozenset[str]:
    """Return the texts of a module that may name an option, as patterns; not those of Option()."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    declared = {
        id(node.args[0])
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Option" and node.args
    }
    by_variable = re.findall(r"^(\w+) = Option\(\s*\"(\w+)\"", text, re.MULTILINE)
    patterns = (
        pattern
        for node in ast.walk(tree)
        if id(node) not in declared
        for pattern in _patterns(node)
    )
    return frozenset(patterns) | {name for var, name in by_variable if f"{var}.name" in text}


def _patterns(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield re.escape(node.value)
    elif isinstance(node, ast.JoinedStr) and any(_is_long(part) for part in node.values):
        parts = (
            re.escape(str(p.value)) if isinstance(p, ast.Constant) else r"\w+" for p in node.values
        )
        yield "".join(parts)


def _is_long(part: ast.expr) -> bool:
    return isinstance(part, ast.Constant) and len(str(part.value)) > 8


def _closure(names: set[str]) -> set[str]:
    """Return the modules that these import, and so on."""
    found: set[str] = set()
    while names:
        found |= names
        names = {name for each in names for name in imports_of(modules()[each])} - found
    return found


@pytest.mark.parametrize("name", sorted(TYPES.ours))
def test_every_option_of_a_type_is_read(name: str) -> None:
    kind = TYPES[name]
    own = {type(kind.reader).__module__, kind.parser.__name__}  # type: ignore[attr-defined]
    of_harvest = {module for module in modules() if ".harvest." in module}
    texts = {
        pattern
        for module in _closure(own) | of_harvest
        for pattern in _names_read(modules()[module])
    }
    names = [option.name for option in kind.options if option.name not in REFUSED]
    plain = {text for text in texts if not re.search(r"\\w\+", text)}
    patterns = [re.compile(text) for text in texts - plain]
    unread = [
        name
        for name in names
        if re.escape(name) not in plain and not any(p.fullmatch(name) for p in patterns)
    ]
    assert unread == []
