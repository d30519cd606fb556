"""Find the codes of problems and errors in the source, without running it.

A code is the text given for a parameter named ``code``, by position or by name, of any function or
class of the package; or the value of a variable or class attribute named ``code``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "ckanext" / "ukharvest"
DOTTED = "ckanext.ukharvest"
LAYERS = ("core", "readers", "parsers", "harvesters", "harvest")
FILES = (
    "harvest/records/conflicts.py",
    "links/jobs.py",
    "reading/type_detection.py",
    "themes/__init__.py",
)
# The rules of GEMINI: each row has its own tip, and they have their own page.
RULES = f"{DOTTED}.parsers.gemini.rules"

Positions = dict[str, int]


@cache
def modules() -> dict[str, Path]:
    """Return every module that can report a code to a publisher, by its dotted name."""
    found = {}
    paths = [path for layer in LAYERS for path in sorted((PACKAGE / layer).rglob("*.py"))]
    for path in (*paths, *(PACKAGE / name for name in FILES)):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        names = parts[:-1] if parts[-1] == "__init__" else parts
        found[".".join((DOTTED, *names))] = path
    return found


@cache
def codes_of(path: Path) -> frozenset[str]:
    """Return the codes in a module."""
    return frozenset(_codes(_tree(path), _public() | _positions(_tree(path))))


@cache
def _public() -> Positions:
    return {
        name: where
        for each in modules().values()
        for name, where in _positions(_tree(each)).items()
        if not name.startswith("_")
    }


@cache
def imports_of(path: Path) -> frozenset[str]:
    """Return our own modules that a module imports, at run time or for types."""
    names = set()
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(names & modules().keys())


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _positions(tree: ast.Module) -> Positions:
    """Return the position of ``code`` in each function or dataclass."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = [each.arg for each in node.args.args if each.arg not in ("self", "cls")]
        elif isinstance(node, ast.ClassDef):
            fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
            names = [ast.unparse(each.target) for each in fields]
        else:
            continue
        if "code" in names:
            found[node.name] = names.index("code")
    return found


def _codes(tree: ast.Module, positions: Positions) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            if name in positions:
                yield from _texts(node.args[positions[name] : positions[name] + 1])
            yield from _texts(each.value for each in node.keywords if each.arg == "code")
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                yield from _assigned(target, node.value)


def _assigned(target: ast.expr, value: ast.expr) -> Iterator[str]:
    """Return the values assigned in ``code = "a" if … else "b"`` and ``message, code = …, "a"``."""
    if isinstance(target, ast.Name) and target.id == "code":
        yield from _texts([value])
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for left, right in zip(target.elts, value.elts, strict=False):
            yield from _assigned(left, right)


def _texts(values: Iterable[ast.expr]) -> Iterator[str]:
    """Return the texts that expressions can evaluate to, without those they compare with."""
    for value in values:
        if isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value:
            yield value.value
        elif isinstance(value, ast.IfExp):
            yield from _texts((value.body, value.orelse))
        elif isinstance(value, ast.BoolOp):
            yield from _texts(value.values)
