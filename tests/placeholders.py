"""Placeholders of texts, and the values that Python and templates give them.

``{name}`` gets its value from ``str.format``, ``%(name)s`` from ``%`` or from the mark of a
template. A template is read as Python: both have calls, names and choices.
"""

from __future__ import annotations

import ast
import re
import string
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import jinja2
from ckan.lib.jinja_extensions import _get_extensions
from jinja2 import nodes

MARKS = {"_": 1, "translate": 1, "gettext": 1, "ngettext": 2, "ungettext": 2}  # number of texts
OF_LIB_TEXTS = ("gettext", "ngettext", "ungettext")  # these put values into their texts
# What else returns the text that it gets.
PASS_ON = {"str", "Markup", "escape", "e", "safe", "marked"}
PERCENT = re.compile(r"%\((\w+)\)s|%([sdr])")
BRACES = re.compile(r"\{(\w*)(?:![sra])?(?::[^{}]*)?\}")

FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
UNKNOWN = ast.Tuple([], ast.Load())
DEEPEST = 20  # names and calls that are followed; functions can call themselves
ENVIRONMENT = jinja2.Environment(extensions=_get_extensions(), autoescape=True)
# As Flask-Babel sets it.
ENVIRONMENT.newstyle_gettext = True  # type: ignore[attr-defined]

# The functions around a node, the innermost first, and the module.
Scopes = tuple[ast.AST, ...]
# An expression and where it is; None is one that is not known.
Place = tuple[ast.AST | None, Scopes]


class Fault(NamedTuple):
    """A placeholder without a value, a value without a placeholder, or no text at all."""

    line: int
    text: str
    defect: str


class Filler(NamedTuple):
    """An expression that puts values into texts.

    Attributes:
        texts: of which one gets the values.
        names: of the values.
        is_open: there may be other values.
        spare: names of values that no text has to use.
        is_percent: it fills placeholders with a percent sign.
    """

    texts: Sequence[ast.AST]
    names: set[str]
    is_open: bool = False
    spare: frozenset[str] = frozenset()
    is_percent: bool = False


def placeholders(text: str) -> set[str]:
    """Return the names of a text's placeholders, "" for one without a name."""
    return _in_percent(text) | _in_braces(text)


def _in_percent(text: str) -> set[str]:
    return {"".join(names) for names in PERCENT.findall(text)}


def _in_braces(text: str) -> set[str]:
    return set(BRACES.findall(text))


def faults_of_python(source: str) -> list[Fault]:
    """Return what is wrong with the placeholders of a module's texts."""
    return _Check(ast.parse(source), _filler_in_python).faults()


def faults_of_template(source: str) -> list[Fault]:
    """Return what is wrong with the placeholders of a template's texts."""
    body = _Conversion(ENVIRONMENT.parse(source)).body
    return _Check(ast.Module(body, []), _filler_in_template).faults()


def _name(function: ast.AST) -> str:
    """Return the last name of what is called, as ``_`` of ``tk._``."""
    return getattr(function, "attr", "") or getattr(function, "id", "")


def _marked(node: ast.AST) -> list[ast.expr]:
    """Return the texts that a call marks for translation."""
    number = MARKS.get(_name(node.func), 0) if isinstance(node, ast.Call) else 0
    return node.args[:number] if isinstance(node, ast.Call) else []


def _filler_in_python(node: ast.AST) -> Filler | None:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return Filler([node.left], *_keys(node.right), is_percent=True)
    if isinstance(node, ast.Tuple) and len(node.elts) == 2 and isinstance(node.elts[1], ast.Dict):
        # A text and its values, for later.
        return Filler(texts, *_keys(node.elts[1])) if (texts := _marked(node.elts[0])) else None
    if isinstance(node, ast.Call) and _name(node.func) in OF_LIB_TEXTS:
        is_of_ckan = _name(getattr(node.func, "value", node.func)) == "tk"
        if not is_of_ckan:
            return Filler(_marked(node), *_keywords(node), spare=frozenset("n"))
    return _filler_by_format(node)


def _filler_in_template(node: ast.AST) -> Filler | None:
    if isinstance(node, ast.Call) and (texts := _marked(node)):
        return Filler(texts, *_keywords(node), spare=frozenset({"num"}), is_percent=True)
    return _filler_by_format(node)


def _filler_by_format(node: ast.AST) -> Filler | None:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    if node.func.attr != "format":
        return None
    names, is_open = _keywords(node)
    is_open |= any(isinstance(value, ast.Starred) for value in node.args)
    return Filler([node.func.value], names | set(map(str, range(len(node.args)))), is_open)


def _keywords(call: ast.Call) -> tuple[set[str], bool]:
    names = {keyword.arg for keyword in call.keywords if keyword.arg}
    return names, len(names) < len(call.keywords)


def _keys(values: ast.AST) -> tuple[set[str], bool]:
    keys = getattr(values, "keys", [None])
    names = {str(key.value) for key in keys if isinstance(key, ast.Constant)}
    return names, len(names) < len(keys)


def _names(text: str) -> set[str]:
    """Return the names that ``str.format`` looks up; ValueError if it cannot read the text."""
    names: set[str] = set()
    for _text, field, spec, _conversion in string.Formatter().parse(text):
        if field is not None:
            name = re.split(r"[.\[]", field)[0] or str(len(names))
            if not re.fullmatch(r"\w+", name):
                raise ValueError(f"{{{field}}}")
            names |= {name, *_names(spec or "")}
    return names


class _Check:
    """The texts of a module, and what fills them."""

    def __init__(self, tree: ast.Module, filler: Callable[[ast.AST], Filler | None]) -> None:
        self.tree = tree
        self.filler = filler
        self.nodes = {id(node): (node, around) for node, around in _scoped(tree, (tree,))}
        self.bindings: dict[ast.AST, dict[str, list[ast.AST | None]]] = {}
        # Text and kind of its placeholders → what each filler lacks.
        self.lacking: dict[tuple[Any, bool], list[set[str]]] = defaultdict(list)
        # What fillers of unknown texts have.
        self.elsewhere: list[set[str]] = []

    def faults(self) -> list[Fault]:
        faults: list[Fault] = []
        for node, scopes in self.nodes.values():
            if filler := self.filler(node):
                faults += self.faults_of(node, filler, scopes)
            marked: list[Any] = list(filter(_is_text, _marked(node)))
            faults += [
                Fault(text.lineno, "", "no text") for text in marked if not text.value.strip()
            ]
            for text, is_percent in product(marked, (False, True)):
                self.lacking.setdefault((text, is_percent), [])
        for (text, is_percent), lacking in self.lacking.items():
            names = (_in_percent if is_percent else _in_braces)(text.value)
            names = min(lacking, key=len, default=names)
            if names and not any(names <= values for values in self.elsewhere):
                faults += [Fault(text.lineno, text.value, f"{name}: no value") for name in names]
        return sorted(set(faults))

    def faults_of(self, node: Any, filler: Filler, scopes: Scopes) -> Iterator[Fault]:
        """Yield values without a placeholder; note placeholders without a value."""
        values = [value for text in filler.texts for value in self.values(text, scopes)]
        texts: list[Any] = list(filter(_is_text, values))
        names, is_open = self.keywords_of_callers(node, scopes) or (filler.names, filler.is_open)
        used: set[str] = set()
        for text in texts:
            try:
                wanted = (_in_percent if filler.is_percent else _names)(text.value)
            except ValueError as exc:
                yield Fault(node.lineno, text.value, f"not a format: {exc}")
                wanted = names
            used |= wanted
            lacking = set() if is_open else wanted - names - filler.spare
            self.lacking[text, filler.is_percent].append(lacking)
        if texts and len(texts) == len(values):
            for name in names - used - filler.spare:
                yield Fault(node.lineno, texts[0].value, f"{name}: not in the text")
        elif names - filler.spare:
            self.elsewhere.append(names)

    def keywords_of_callers(self, node: Any, scopes: Scopes) -> tuple[set[str], bool] | None:
        """Return what a function's callers give, if it passes just that on (``**values``)."""
        keywords = [pair.value for pair in getattr(node, "keywords", ()) if pair.arg is None]
        function: Any = scopes[0]
        own = getattr(getattr(function, "args", None), "kwarg", None)
        if own is None or list(map(_name, keywords)) != [own.arg]:
            return None
        calls = [call for call, _ in self.nodes.values() if isinstance(call, ast.Call)]
        values = [_keywords(call) for call in calls if _name(call.func) == function.name]
        names = set[str]().union(*(names for names, _ in values))
        return names, not values or any(is_open for _, is_open in values)

    def values(self, node: ast.AST | None, scopes: Scopes, depth: int = 0) -> Iterator[Any]:
        """Yield what an expression can be: a constant, a table, a function; or what is unknown."""
        places: list[Place]
        if isinstance(node, ast.IfExp):
            places = [(node.body, scopes), (node.orelse, scopes)]
        elif isinstance(node, ast.BoolOp):
            places = [(value, scopes) for value in node.values]
        elif isinstance(node, ast.Name):
            places = self.bound(node.id, scopes)
        elif isinstance(node, ast.Subscript):
            places = self.entries(node.value, scopes, depth)
        elif isinstance(node, ast.Call):
            places = self.returned(node, scopes, depth)
        else:
            places = []
            yield node
        for value, around in places:
            yield from self.values(value, around, depth + 1) if depth < DEEPEST else [None]

    def returned(self, call: ast.Call, scopes: Scopes, depth: int) -> list[Place]:
        """Return what a call can return."""
        name = _name(call.func)
        if texts := _marked(call) or (call.args[:1] if name in PASS_ON else []):
            return [(text, scopes) for text in texts]
        if name == "get" and isinstance(call.func, ast.Attribute):
            entries = self.entries(call.func.value, scopes, depth)
            return entries + [(default, scopes) for default in call.args[1:]]
        places: list[Place] = []
        for function in self.values(call.func, scopes, depth + 1):
            if isinstance(function, ast.Lambda):
                places.append((function.body, (function, self.tree)))
            elif isinstance(function, ast.FunctionDef):
                returns = [part for part in _own(function) if isinstance(part, ast.Return)]
                places += [(part.value, (function, self.tree)) for part in returns]
            else:
                places.append((None, scopes))
        return places

    def entries(self, table: ast.AST, scopes: Scopes, depth: int) -> list[Place]:
        """Return the values of a dict or list."""
        places: list[Place] = []
        for value in self.values(table, scopes, depth + 1):
            values = getattr(value, "values", None) or getattr(value, "elts", None) or [None]
            places += [(entry, (self.tree,)) for entry in values]
        return places

    def bound(self, name: str, scopes: Scopes) -> list[Place]:
        """Return what is bound to a name in the innermost scope that has it."""
        for number, scope in enumerate(scopes):
            if scope not in self.bindings:
                self.bindings[scope] = _bindings(scope)
            if values := self.bindings[scope].get(name):
                return [(value, scopes[number:]) for value in values]
        return [(None, scopes)]


def _is_text(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _scoped(node: ast.AST, scopes: Scopes) -> Iterator[tuple[ast.AST, Scopes]]:
    """Yield each node with the functions around it."""
    yield node, scopes
    inside = (node, *scopes) if isinstance(node, FUNCTION) else scopes
    for child in ast.iter_child_nodes(node):
        yield from _scoped(child, inside)


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield a scope's nodes without those of functions and classes in it."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, (*FUNCTION, ast.ClassDef)):
            yield from _own(child)


def _bindings(scope: ast.AST) -> dict[str, list[ast.AST | None]]:
    """Return name → what a scope binds to it."""
    bindings: dict[str, list[ast.AST | None]] = defaultdict(list)
    assigned: dict[ast.AST, ast.AST | None] = {}
    for node in _own(scope):
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            assigned |= dict.fromkeys(targets, node.value)
        elif isinstance(node, ast.arg):
            bindings[node.arg].append(None)
        elif isinstance(node, ast.FunctionDef):
            bindings[node.name].append(node)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bindings[node.id].append(assigned.get(node))
    return bindings


class _Conversion:
    """The assignments and calls of a template as a module of Python."""

    def __init__(self, template: nodes.Template) -> None:
        self.made: dict[nodes.Node, ast.expr] = {}
        values = {pair.target: pair.node for pair in template.find_all(nodes.Assign)}
        self.body: list[ast.stmt] = []
        for name in template.find_all(nodes.Name):
            if name.ctx != "load":
                value = self.one(values[name]) if name in values else UNKNOWN
                self.body.append(ast.Assign([ast.Name(name.name, ast.Store())], value))
        self.body += [ast.Expr(self.one(call)) for call in template.find_all(nodes.Call)]

    def one(self, node: Any) -> ast.expr:
        """Return an expression, always the same one for the same node."""
        if node not in self.made:
            self.made[node] = self.convert(node)
            self.made[node].lineno = node.lineno
        return self.made[node]

    def many(self, expressions: Iterable[Any]) -> list[ast.expr]:
        return [self.one(node) for node in expressions]

    def convert(self, node: Any) -> ast.expr:
        if isinstance(node, nodes.Const):
            return ast.Constant(node.value)
        if isinstance(node, nodes.Name):
            return ast.Name(node.name, ast.Load())
        if isinstance(node, nodes.Getattr):
            return ast.Attribute(self.one(node.node), node.attr, ast.Load())
        if isinstance(node, nodes.Getitem):
            return ast.Subscript(self.one(node.node), self.one(node.arg), ast.Load())
        if isinstance(node, nodes.CondExpr):
            other = self.one(node.expr2) if node.expr2 else ast.Constant("")
            return ast.IfExp(self.one(node.test), self.one(node.expr1), other)
        if isinstance(node, (nodes.And, nodes.Or)):
            return ast.BoolOp(ast.Or(), [self.one(node.left), self.one(node.right)])
        if isinstance(node, nodes.Dict):
            pairs = [(self.one(pair.key), self.one(pair.value)) for pair in node.items]
            return ast.Dict([key for key, _ in pairs], [value for _, value in pairs])
        if isinstance(node, (nodes.Call, nodes.Filter)):
            return self.call(node)
        return ast.Tuple(self.many(node.iter_child_nodes()), ast.Load())

    def call(self, node: Any) -> ast.Call:
        is_filter = isinstance(node, nodes.Filter)
        function = ast.Name(node.name, ast.Load()) if is_filter else self.one(node.node)
        values = self.many([node.node, *node.args] if is_filter and node.node else node.args)
        if node.dyn_args:
            values.append(ast.Starred(self.one(node.dyn_args), ast.Load()))
        keywords = [ast.keyword(pair.key, self.one(pair.value)) for pair in node.kwargs]
        if node.dyn_kwargs:
            keywords.append(ast.keyword(None, self.one(node.dyn_kwargs)))
        return ast.Call(function, values, keywords)
