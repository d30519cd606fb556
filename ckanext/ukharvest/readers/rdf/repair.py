"""Documents whose RDF is broken in small places, changed so that a strict parser reads the rest.

RDF/XML: text beside rdf:resource or around elements, HTML in a text, attributes without namespace,
several nodes in one property. JSON-LD: values of keywords that are of another kind. Turtle and
N-Triples: literals as subject or predicate. What rdflib, and so ckanext-dcat, ignores is left out
here; each place is reported.
"""

from __future__ import annotations

import json
import math
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from itertools import islice
from typing import Any

import pyoxigraph as ox
from lxml import etree

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.rdf import RDF
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.xml import parser as xml

Note = Callable[[str, "int | None"], None]

_XML = "{http://www.w3.org/XML/1998/namespace}"
# RDF/XML of 1999 writes these without a prefix.
_OLD = ("about", "ID", "resource", "parseType", "type")
_REFERENCES = (f"{{{RDF}}}resource", f"{{{RDF}}}nodeID")


def mend_rdf_xml(root: etree._Element, note: Note) -> None:
    """Change a document of RDF/XML in place.

    Args:
        root: rdf:RDF, or a node.
        note: called with each fault, and its line.
    """
    mend = _mend_nodes if root.tag == f"{{{RDF}}}RDF" else _mend_node
    mend(root, note)


def _mend_nodes(parent: etree._Element, note: Note) -> None:
    _mend_children(parent, _mend_node, note)


def _mend_node(node: etree._Element, note: Note) -> None:
    _mend_attributes(node, note)
    _mend_children(node, _mend_property, note)


def _mend_children(
    parent: etree._Element, mend: Callable[[etree._Element, Note], None], note: Note
) -> None:
    _drop_text(parent, note)
    for child in parent.iterchildren(etree.Element):
        if _is_named(child):
            mend(child, note)
        else:
            note(
                Message("<{tag}> has no namespace; it was ignored", tag=child.tag),
                xml.line_of(child),
            )
            parent.remove(child)


def _mend_property(part: etree._Element, note: Note) -> None:
    _mend_attributes(part, note)
    if kind := part.get(f"{{{RDF}}}parseType"):
        mend = {"Resource": _mend_node, "Collection": _mend_nodes}.get(kind)
        if mend:
            mend(part, note)
        return
    children = list(part.iterchildren(etree.Element))
    name, line = _name(part), xml.line_of(part)
    if any(part.get(reference) is not None for reference in _REFERENCES):
        _drop_text(part, note)
        for child in children:
            note(
                Message(
                    "{name} has rdf:resource and an element; the element was ignored", name=name
                ),
                line,
            )
            part.remove(child)
    elif not all(map(_is_named, children)):
        note(
            Message(
                "{name} has elements without a namespace, such as HTML; read as text", name=name
            ),
            line,
        )
        _make_text(part)
    elif children:
        _drop_text(part, note)
        for child in children:
            _mend_node(child, note)
        if len(children) > 1:
            note(
                Message(
                    "{name} has {count} nodes; expected one in each property",
                    name=name,
                    count=len(children),
                ),
                line,
            )
            _split(part, children)


def _name(element: etree._Element) -> str:
    """Return an element's name as the document has it: "dct:title"."""
    local = xml.local_name(element)
    return f"{element.prefix}:{local}" if element.prefix else local


def _split(part: etree._Element, children: list[etree._Element]) -> None:
    """Give each node but the first a property element of its own."""
    for child in children:
        part.remove(child)
    empty = deepcopy(part)  # lxml makes no new element in a namespace that is no URI
    empty.attrib.clear()
    part.append(children[0])
    for child in reversed(children[1:]):
        copy = deepcopy(empty)
        copy.append(child)
        part.addnext(copy)


def _make_text(part: etree._Element) -> None:
    texts = [part.text or ""]
    for child in part:
        clone = deepcopy(child)
        etree.cleanup_namespaces(clone)
        texts.append(etree.tostring(clone, encoding="unicode"))
        part.remove(child)
    part.text = "".join(texts)


def _drop_text(element: etree._Element, note: Note) -> None:
    """Remove and report the texts beside elements."""
    name, line = _name(element), xml.line_of(element) or 1
    _report_text(element.text, name, line, note)
    element.text = None
    for child in element:
        own = etree.tostring(child, encoding="unicode", with_tail=False)
        _report_text(child.tail, name, (xml.line_of(child) or line) + own.count("\n"), note)
        child.tail = None


def _report_text(text: str | None, name: str, line: int, note: Note) -> None:
    if words := (text or "").strip():
        before = (text or "")[: (text or "").index(words)]
        message = Message(
            "{name} has the text '{text}' beside a link or elements; expected none, so that it was"
            " ignored",
            name=name,
            text=shorten(words, 60),
        )
        note(message, line + before.count("\n"))


def _mend_attributes(element: etree._Element, note: Note) -> None:
    for name, value in list(element.attrib.items()):
        key = str(name)
        if key.startswith(("{", "xml")):
            continue
        del element.attrib[name]
        outcome = (
            Message("expected rdf:{key}", key=key) if key in _OLD else Message("it was ignored")
        )
        note(
            Message("the attribute {key} has no namespace; {outcome}", key=key, outcome=outcome),
            xml.line_of(element),
        )
        if key in _OLD and element.get(f"{{{RDF}}}{key}") is None:
            element.set(f"{{{RDF}}}{key}", value)


def _is_named(element: etree._Element) -> bool:
    return str(element.tag).startswith("{")


def mend_json_ld(document: bytes, note: Note) -> bytes:
    """Return a document of JSON-LD without the values that no parser of JSON-LD 1.1 accepts.

    Raises:
        ValueError: not JSON in UTF-8.
        RecursionError: nested too deeply.
    """
    text = json.dumps(json.loads(document), ensure_ascii=False)
    valid = text.encode("utf-8", "replace")
    if len(valid) != len(text.encode("utf-8", "surrogatepass")):
        note(Message("a text has half a surrogate pair, such as \\uD800; it was read as '?'"), None)
    aliases = {name: f"@{name}" for name in ("id", "type") if f'"{name}": "@{name}"' in text}
    mended = _mend(json.loads(valid), note, aliases)
    return json.dumps(mended, ensure_ascii=False).encode()


def _mend(value: Any, note: Note, aliases: Mapping[str, str]) -> Any:
    """Return a value with valid keywords; ``aliases`` are the names that stand for one."""
    if isinstance(value, list):
        return [_mend(item, note, aliases) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        note(Message("{value} is not a number in JSON; it was ignored", value=value), None)
        return None
    if not isinstance(value, dict):
        return value
    if "@value" in value:
        return _mend_value(value, note)
    mended = {}
    for key, inner in value.items():
        is_valid, expected = _KEYWORDS.get(aliases.get(key, key), (None, ""))
        if is_valid and not is_valid(inner):
            shown = shorten(json.dumps(inner), 60)
            note(
                Message(
                    "{key} is {shown}; expected {expected}; it was ignored",
                    key=key,
                    shown=shown,
                    expected=expected,
                ),
                None,
            )
        else:
            is_context = key == "@context"
            mended[key] = _mend_context(inner, note) if is_context else _mend(inner, note, aliases)
    return mended


_OF_VALUES = ("@value", "@type", "@language", "@direction", "@index")


def _mend_value(value: dict[str, Any], note: Note) -> dict[str, Any] | None:
    inner = value["@value"]
    if isinstance(inner, (dict, list)) and value.get("@type") != "@json":
        note(
            Message(
                "@value is {inner}; expected a text; it was ignored", inner=json.dumps(inner)[:60]
            ),
            None,
        )
        return None
    own: dict[str, Any] = {key: part for key, part in value.items() if key in _OF_VALUES}
    if "@language" in own and ("@type" in own or not isinstance(inner, str)):
        del own["@language"]
    for key in ("@type", "@index"):
        if not isinstance(own.get(key, ""), str):
            del own[key]
    if own.keys() != value.keys():
        note(
            Message("a value has a language or a key that it cannot have; the text was read"), None
        )
    return own


def _mend_context(context: Any, note: Note) -> Any:
    if isinstance(context, list):
        return [_mend_context(item, note) for item in context]
    if not isinstance(context, dict):
        return context
    mended = {}
    for name, term in context.items():
        if name == "" or (name == "@version" and term != 1.1):
            note(Message("the @context has the name '{name}', which was ignored", name=name), None)
        elif isinstance(term, dict):
            keys = [key for key in term if key.startswith("@") and key not in _TERM_KEYS]
            for key in keys:
                note(
                    Message(
                        "the @context gives {name} the key {key}, which was ignored",
                        name=name,
                        key=key,
                    ),
                    None,
                )
            mended[name] = {key: part for key, part in term.items() if key not in keys}
        else:
            mended[name] = term
    return mended


_TERM_KEYS = frozenset(
    f"@{name}"
    for name in ("id", "reverse", "container", "context", "direction", "index", "language")
    + ("nest", "prefix", "propagate", "protected", "type")
)


def _are(value: Any, kind: type) -> bool:
    return all(isinstance(item, kind) for item in (value if isinstance(value, list) else [value]))


# Keyword → whether a value is valid, and what is expected.
_KEYWORDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "@id": (lambda value: isinstance(value, str), "a text"),
    "@type": (lambda value: _are(value, str), "a text or a list of texts"),
    "@index": (lambda value: isinstance(value, str), "a text"),
    "@included": (lambda value: _are(value, dict), "objects"),
    "@reverse": (
        lambda value: isinstance(value, dict) and all(_are(item, dict) for item in value.values()),
        "an object with objects",
    ),
}


# Stands for a term that cannot be where it is; whoever reads the document leaves its triples out.
LEFT_OUT = "<urn:x-ukharvest:left-out>"
_MISPLACED = re.compile(
    r"is not a valid (?:subject|predicate|RDF subject)|of a triple must be an IRI"
)
_TERM = re.compile(
    r"""(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')(?:@[\w-]+|\^\^(?:<[^<>\s]*>|[\w.-]*:[\w.-]*))?"""
    r"|_:[\w.-]*\w|[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|(?:true|false)\b"
)
_MOST_PASSES = 5
_MOST_FAULTS = 1_000


def mend_text(text: str, syntax: ox.RdfFormat, base: str, note: Note) -> str:
    """Return Turtle or N-Triples with ``LEFT_OUT`` for terms that cannot be subject or predicate.

    Args:
        base: base IRI.
        note: called with each fault, and its line.

    Raises:
        ValueError: it has other faults, or too many.
    """
    lines = text.split("\n")
    for _ in range(_MOST_PASSES):
        faults = list(islice(_faults("\n".join(lines), syntax, base), _MOST_FAULTS))
        if not faults:
            return "\n".join(lines)
        # From the last to the first, so that places on the same line stay.
        mended = [fault for fault in reversed(faults) if _mend_term(lines, fault)]
        if not mended or len(faults) == _MOST_FAULTS:
            raise ValueError(Message("faults that cannot be mended"))
        for fault in reversed(mended):
            words = re.sub(r"^Parser error at line \d+ [^:]*: ", "", fault.msg or "")
            note(
                Message("{words}; the triple was left out", words=shorten(words, 120)), fault.lineno
            )
    raise ValueError(Message("too many faults"))


def _faults(text: str, syntax: ox.RdfFormat, base: str) -> Iterator[SyntaxError]:
    """Yield all faults of a document; the parser goes on behind each."""
    quads = ox.parse(text.encode(), format=syntax, base_iri=base, lenient=True)
    while True:
        try:
            deque(quads, maxlen=0)
            return
        except SyntaxError as exc:
            yield exc


def _mend_term(lines: list[str], fault: SyntaxError) -> bool:
    """Replace the term at a fault; return whether it is one that is understood."""
    row, column = fault.lineno, fault.offset
    if not row or not column or row > len(lines) or not _MISPLACED.search(fault.msg or ""):
        return False
    line = lines[row - 1]
    term = _TERM.match(line, column - 1)
    if term is not None:
        lines[row - 1] = line[: term.start()] + LEFT_OUT + line[term.end() :]
    return term is not None
