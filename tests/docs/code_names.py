"""Names of code in prose, such as ``record_rows.lock_rows``: whether there is such a thing.

A dotted name has to be that of a thing in a module or class of ours, or to stand in code somewhere.
A word such as ``lock_rows`` has to stand in code, in that of CKAN and ckanext-harvest too. Hosts,
files, and dotted names of other distributions are not asked for.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from tests.docs import prose

DOTTED = re.compile(r"(?<![\w/.:@%$-])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?![\w/:@-]|\.\w)")
WORD = re.compile(r"(?<![\w/.:@%$-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\w/:@*…-]|\.\w)")
QUOTED_WORD = re.compile(r"``([A-Za-z_]\w*)(?:\(\))?``")
QUOTED_IN_MARKDOWN = re.compile(r"(?<!`)`([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)(?:\(\))?`(?!`)")
IN_CODE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
HOST_OR_FILE = re.compile(
    r"\.(cfg|com|csv|db|eu|example|gov|gz|html?|ini|jsonl?|net|org|py|sql|toml|txt|uk|xml|yaml|zip)$"
)
CAMEL_CASE = re.compile(r"\b[a-z]+[A-Z]")  # a field of a publisher's format
OTHERS = ("ckan", "ckanext")
CASES = "test_references.py"  # names things that do not exist

PYTHON = {*sys.stdlib_module_names, *dir(builtins)}

Members = dict[str, set[str]]


def broken_in_code(path: Path, text: str) -> list[str]:
    """Return names in comments and docstrings that stand for nothing."""
    words = {*WORD.findall(text), *QUOTED_WORD.findall(text)} - _words()
    broken = {word for word in words if word not in _words_of_ckan()}
    for name in filter(_is_asked, DOTTED.findall(text)):
        first = name.split(".")[0]
        is_other = first in _imported(path) or (first[0].isupper() and first in _words())
        if not (is_known(name) or first in PYTHON or (is_other and not _is_ours(first))):
            broken.add(name)
    return sorted(broken)


def broken_in_markdown(_path: Path, text: str) -> list[str]:
    """Return names of modules and classes of ours without what the name says."""
    names = filter(_is_asked, QUOTED_IN_MARKDOWN.findall(text))
    return sorted({name for name in names if _is_ours(name.split(".")[0]) and not is_known(name)})


def is_known(name: str) -> bool:
    """Tell whether a dotted name stands in code, or a module or class of ours has it."""
    parts = name.split(".")
    if name in _dotted_in_code() or any(map(_has, parts, parts[1:])):
        return True
    for number in range(len(parts), 0, -1):
        for names in _modules().get(".".join(parts[:number]), ()):
            inside = parts[number:]
            if not inside or (inside[0] in names and (len(inside) == 1 or _has(*inside[:2]))):
                return True
    return False


def _is_asked(name: str) -> bool:
    is_other = name.split(".")[0] in OTHERS and not name.startswith("ckanext.ukharvest.")
    return not (is_other or HOST_OR_FILE.search(name) or CAMEL_CASE.search(name))


def _is_ours(name: str) -> bool:
    return name in _modules() or name in _index()[1]


def _has(owner: str, name: str) -> bool:
    """Tell whether a class of ours, or one that it extends, has an attribute."""
    _, members, bases = _index()
    return name in members.get(owner, ()) or any(_has(base, name) for base in bases.get(owner, ()))


def _files() -> Iterator[Path]:
    return (path for path in prose.files() if path.name != CASES)


@cache
def _words() -> set[str]:
    """Return every word of code, and of the paths of files."""
    words = set[str]()
    for path in _files():
        words.update(re.findall(r"\w+", prose.code_and_prose(path)[0]))
        words.update(re.findall(r"\w+", path.relative_to(prose.ROOT).as_posix()))
    return words


@cache
def _words_of_ckan() -> set[str]:
    words = set[str]()
    for package in OTHERS[0], "ckanext.harvest":
        spec = find_spec(package)
        for folder in (spec and spec.submodule_search_locations) or ():
            for path in Path(folder).rglob("*.py"):
                words.update(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    return words


@cache
def _dotted_in_code() -> set[str]:
    """Return every dotted name of code, and every part of it."""
    names = set[str]()
    for path in _files():
        for name in set(IN_CODE.findall(prose.code_and_prose(path)[0])):
            parts = name.split(".")
            ends = range(2, len(parts) + 1)
            names.update(".".join(parts[start:end]) for end in ends for start in range(end - 1))
    return names


@cache
def _imported(path: Path) -> set[str]:
    """Return the names that a file imports."""
    names = set[str]()
    if path in prose.modules():
        for node in ast.walk(ast.parse(prose.text(path))):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names |= _bound(node)
    return names


@cache
def _modules() -> dict[str, list[set[str]]]:
    """Return each end of a module's dotted name → names in the modules that it is the end of."""
    ends: dict[str, list[set[str]]] = defaultdict(list)
    for module, names in _index()[0].items():
        parts = module.split(".")
        for start in range(len(parts)):
            ends[".".join(parts[start:])].append(names)
    return dict(ends)


@cache
def _index() -> tuple[Members, Members, Members]:
    """Return module → names in it, class → its attributes, class → classes that it extends."""
    modules: Members = {}
    classes: Members = defaultdict(set)
    bases: Members = defaultdict(set)
    for path in prose.modules():
        tree = ast.parse(prose.text(path))
        parts = path.relative_to(prose.ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        modules[name] = set().union(*map(_bound, _statements(tree.body)))
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                classes[node.name].update(*map(_bound, _statements(node.body)), _set_on_self(node))
                bases[node.name] |= {base.id for base in node.bases if isinstance(base, ast.Name)}
    for name in list(modules):
        package, _, module = name.rpartition(".")
        modules.setdefault(package, set()).add(module)
    return modules, dict(classes), dict(bases)


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module or class, also those below ``if`` and ``try``."""
    for statement in body:
        yield statement
        if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for part in ("body", "orelse", "handlers", "finalbody"):
                yield from _statements(getattr(statement, part, ()))


def _bound(statement: ast.AST) -> set[str]:
    """Return the names that a statement defines."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).split(".")[0] for alias in statement.names}
    names = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def _set_on_self(node: ast.ClassDef) -> set[str]:
    attributes = (part for part in ast.walk(node) if isinstance(part, ast.Attribute))
    return {
        attribute.attr
        for attribute in attributes
        if isinstance(attribute.ctx, ast.Store)
        and getattr(attribute.value, "id", "") in ("self", "cls")
    }
