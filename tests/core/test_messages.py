"""Messages know what they were made of, and the lower half makes no others."""

from __future__ import annotations

import ast
import copy
import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

import ckanext.ukharvest
from ckanext.ukharvest import source_types
from ckanext.ukharvest.core import errors
from ckanext.ukharvest.core.messages import Message, translate_message, wording_of
from ckanext.ukharvest.parsers.gemini.rules import RULES

PACKAGE = Path(ckanext.ukharvest.__file__).parent
LOWER = ("core", "schema_check", "readers", "parsers", "source_types", "mapping", "reading")
MODULES = {
    path: ast.parse(path.read_text(encoding="utf-8"))
    for name in (*LOWER, "harvest/batch", "check_command", "links", "rendering")
    for path in sorted((PACKAGE / name).rglob("*.py"))
}
# What takes a message: its place among the arguments.
TAKES = {"Problem": 2, "Failure": 0, "Repaired": 0, "PeriodError": 0, "ValueError": 0}
NOTHING: ast.AST = ast.Module([], [])
# Texts for developers, and those that a check of data writes as JSON for another process.
OTHERS = ("schema_check", "core/http/client.py", "core/deletions.py", "core/fingerprint.py")


def test_a_message_is_its_text_and_knows_its_parts() -> None:
    inner = Message("'{text}' is no date", text="soon")
    outer = Message("{field}: {reason} in {count:,} records", field="d", reason=inner, count=1234)
    assert outer == "d: 'soon' is no date in 1,234 records"
    assert outer.arguments == {"field": "d", "reason": inner, "count": 1234}


def test_a_message_is_translated_part_by_part() -> None:
    inner = Message("'{text}' is no date", text="soon")
    message = Message("{field}: {reason}", field="d", reason=inner)
    french = {"{field}: {reason}": "{field} : {reason}", inner.template: "« {text} » sans date"}
    wording = json.loads(json.dumps(wording_of(message)))
    assert translate_message("", wording, french.__getitem__) == "d : « soon » sans date"
    assert translate_message("", wording, str) == message
    assert (wording_of("plain"), translate_message("plain", None, str)) == (None, "plain")
    place = Message("{where}: {x:g}, {x:g}", where=inner, x=float("nan"))
    assert (wording_of(place), place) == (None, "'soon' is no date: nan, nan")


def test_an_error_keeps_its_message() -> None:
    error = ValueError(Message("'{text}' is no date", text="soon"))
    message = Message("{field}: {reason}", field="d", reason=error)
    assert isinstance(str(error), Message)
    assert message.arguments["reason"].arguments == {"text": "soon"}


@pytest.mark.parametrize(
    "again", [copy.deepcopy, lambda message: pickle.loads(pickle.dumps(message))]
)
def test_a_copy_of_a_message_is_one(again) -> None:  # type: ignore[no-untyped-def]
    message = again(Message("{field}: {reason}", field="d", reason=Message("empty")))
    assert message == "d: empty"
    assert message.arguments["reason"].template == "empty"


def test_templates_are_constants_and_their_places_are_their_arguments() -> None:
    wrong = []
    for path, tree in MODULES.items():
        for call in _calls(tree, "Message"):
            match call.args:
                case [ast.Constant(value=str(template))]:
                    places = {place for _, place, *_ in Formatter().parse(template) if place}
                    if places == {argument.arg for argument in call.keywords}:
                        continue
                case [ast.Attribute(value=ast.Name(id="rule"))]:
                    continue  # a text of the table of rules
            wrong.append(f"{path.relative_to(PACKAGE)}:{call.lineno}")
    assert wrong == []


def test_texts_of_rules_have_no_places() -> None:
    texts = [text for rule in RULES for text in (rule.element, rule.wanted)]
    assert [text for text in texts if Message(text) != text] == []


def test_problems_and_errors_are_given_messages() -> None:
    assert source_types.TYPES  # with their readers' errors
    takes = {**dict.fromkeys(_names(errors.UkharvestError), 0), **TAKES, "report": 2, "replace": 0}
    wrong = []
    for path, tree in MODULES.items():
        place = path.relative_to(PACKAGE).as_posix()
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        for call in _calls(tree, *takes):
            name = _name(call)
            is_node = isinstance(call.func, ast.Attribute) and len(call.args) > 2
            number = takes[name] if name != "report" or is_node else 1
            if name in ("ValueError", "report", "Fault") and place.startswith(OTHERS):
                continue
            around = [NOTHING, *(each for each in functions if _holds(each, call))]
            given = [each.value for each in call.keywords if each.arg == "message"]
            given += call.args[number : number + 1] if name != "replace" else []
            if any(_is_text(each, around[-1]) for each in given):
                wrong.append(f"{place}:{call.lineno}")
    assert wrong == []


def _names(error: type[errors.UkharvestError]) -> set[str]:
    return {error.__name__}.union(*map(_names, error.__subclasses__())) - {"DuplicateGuid"}


def _calls(tree: ast.AST, *names: str) -> Iterator[ast.Call]:
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return (call for call in calls if _name(call) in names)


def _name(call: ast.Call) -> str:
    return str(getattr(call.func, "attr", getattr(call.func, "id", "")))


def _holds(function: ast.FunctionDef, call: ast.Call) -> bool:
    return function.lineno <= call.lineno <= (function.end_lineno or 0)


def _is_text(value: ast.expr, function: ast.AST) -> bool:
    """Tell whether a value, or what a variable is set to, is put together on the spot."""
    match value:
        case ast.Constant(value=str(text)):
            return text != ""
        case ast.JoinedStr() | ast.BinOp():
            return True
        case ast.IfExp(body=body, orelse=orelse):
            return _is_text(body, function) or _is_text(orelse, function)
        case ast.BoolOp(values=values):
            return any(_is_text(each, function) for each in values)
        case ast.Name(id=name):
            return any(
                name == getattr(target, "id", "") and _is_text(node.value, NOTHING)
                for node in ast.walk(function)
                if isinstance(node, ast.Assign | ast.AugAssign)
                for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            )
    return False
