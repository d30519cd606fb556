"""Records of any size for each form: every field with a long text, or with many values."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from lxml import etree

from ckanext.ukharvest.core.records import RawRecord
from tests.fuzz import seeds, shapes

# What slow expressions stumble over: half of a pattern, again and again.
UNITS = (
    "a ",
    "1,",
    "-1 ",
    "((",
    "<b ",
    "&amp",
    "http://",
    "2024-",
    "\n\n",
    "[[REDACTED",
    "a@",
    "ß;",
)

Record = Callable[[int], RawRecord]


def texts(parser_name: str, form: str, unit: str) -> Record:
    """Return a function of a length: a record whose every field is a text of this length."""
    return lambda length: _record(parser_name, form, unit * (length // len(unit)), 1)


def lists(parser_name: str, form: str) -> Record:
    """Return a function of a number: a record that has each field so many times."""
    return lambda number: _record(parser_name, form, "http://a.example/b", number)


def _record(parser_name: str, form: str, text: str, number: int) -> RawRecord:
    make = {
        "json": _json,
        "json_or_rdf": _json,
        "xml": _xml,
        "rdf": _rdf,
        "xml_or_json": _xml,
        "xml_or_rdf": _xml,
    }[form]
    return RawRecord("https://a.example/d", make(parser_name, text, number))


def _json(parser_name: str, text: str, number: int) -> str:
    real: list[Any] = [json.loads(each) for each in seeds.documents_of_json(parser_name)]
    found = max(real, key=lambda record: len(json.dumps(record)))
    names = {*shapes.names(parser_name), *(key for record in real for key in record)}
    record: dict[str, Any] = {}
    for name in sorted(names):
        value = found.get(name)
        if number == 1:
            record[name] = _filled(value, text)
        else:
            record[name] = [_one(value, each) for each in range(number)]
    title = {"title": "A title", "id": "d", "identifier": "d"}
    return json.dumps({**record, **(title if number > 1 else {"id": "d", "identifier": "d"})})


def _one(value: Any, number: int) -> Any:
    """Return a value like a list's first one, or like the value, each with other texts."""
    if isinstance(value, list):
        return _one(value[0], number) if value else number
    if isinstance(value, dict):
        return {key: _one(each, number) for key, each in value.items()}
    return f"{value} {number}" if isinstance(value, str) else value


def _filled(value: Any, text: str) -> Any:
    if isinstance(value, dict):
        return {key: _filled(each, text) for key, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, text) for each in value]
    return text


def _xml(parser_name: str, text: str, number: int) -> str:
    longest = max(seeds.documents_of_xml(parser_name), key=len)
    root = etree.fromstring(longest.encode())
    leaves = [each for each in root.iter() if isinstance(each.tag, str) and not len(each)]
    kept = {"fileIdentifier", "title", "Identifier", "Title"}
    for leaf in leaves:
        around = {etree.QName(each).localname for each in (leaf, *leaf.iterancestors())}
        if number == 1 and not around & {"fileIdentifier", "Identifier"}:
            leaf.text = text
    if number > 1:
        for child in root.xpath("//*[count(ancestor::*) = 2]"):
            if etree.QName(child).localname in kept:
                continue
            for _ in range(number):
                child.addnext(etree.fromstring(etree.tostring(child)))
    return etree.tostring(root, encoding="unicode")


def _rdf(parser_name: str, text: str, number: int) -> str:
    lines = [
        line
        for content in seeds.contents(parser_name)
        for line in content.split("\n")
        if shapes.TRIPLE.match(line)
    ]
    predicates = sorted({match[2] for line in lines if (match := shapes.TRIPLE.match(line))})
    node = "<https://a.example/d>"
    found = [" ".join((*each, ".")) for each in shapes.DATASET]
    for predicate in predicates:
        for each in range(number):
            literal = json.dumps(f"{text}{each if number > 1 else ''}", ensure_ascii=False)
            found.append(f"{node} {predicate} {literal} .")
    return "\n".join([*found, ""])
