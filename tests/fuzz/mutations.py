"""Change real documents: bytes, tokens, values and whole branches.

Each change is made with a random generator of the caller's, so that a seed repeats it.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from lxml import etree

# Texts that parsers have rules for, and those that break rules.
TEXTS = (
    *(
        "",
        " ",
        "\t\n",
        "0",
        "-0",
        "-1",
        "1e999",
        "NaN",
        "true",
        "null",
        "None",
        "N/A",
        "[[REDACTED]]",
    ),
    *(
        "2024",
        "2024-13-45",
        "2024-02-30T25:61:61Z",
        "9999999999999-01-01",
        "-0001-01-01",
        "31/12/24",
    ),
    *("P1M", "R/P1Y", "R/PT0S", "P-1Y", "2019/2018", "/", "2019-01-01/..", "start=2019; end=x"),
    *("-180,-90,180,90", "1 2 3 4", "POINT(1e308 1e308)", "POLYGON((1 1, 2", "POLYGON EMPTY"),
    *('{"type":"Polygon","coordinates":[[[]]]}', '{"type":"Point","coordinates":[null,"x"]}'),
    *(
        "http://",
        "https://a b.example/",
        "//x",
        "javascript:alert(1)",
        "mailto:",
        "urn:x",
        "http://[::1",
    ),
    *("ftp://user:pw@x/", "HTTP://A.EXAMPLE:99999/%zz", "http://x/" + "a" * 3_000, "a@b@c", "@"),
    *("<b>x</b", "&amp;&bogus;&#0;", "<![CDATA[x]]>", "<!--", "]]>", "{", "[", "\\", '"', "'", "%"),
    *("\x00", "\x0b", "\ud800", "\ufeff", "\u202e", "\U0001f30d", "e\u0301" * 50, "ß" * 200),
    *("a" * 5_000, "a," * 2_000, "(" * 500, "9" * 400, "- " * 500, "\n" * 500),
    *("en", "eng", "English, French", "application/json", "text/", "CSV", ".csv", "application/*"),
    *("EPSG:4326", "urn:ogc:def:crs:EPSG::999999", "http://www.opengis.net/def/crs/EPSG/0/27700"),
    *("OGL", "cc-by", "http://creativecommons.org/licenses/by/4.0/", "monthly", "http://x#"),
)
VALUES: tuple[Any, ...] = (
    *TEXTS,
    *(None, True, False, 0, -1, 1.5, 1e308, float("nan"), float("inf"), 10**30, 2**63, 10**400),
    *([], {}, [None], [[]], [[[{}]]], {"": ""}, {"@id": None}, {"@value": []}, {"type": "Point"}),
)

# Characters of a changed document: branches that are put into each other grow without end.
MOST = 30_000_000

Mutation = Callable[[bytes, Random], bytes]


def mutate(document: bytes, others: tuple[bytes, ...], random: Random) -> bytes:
    """Return a changed copy of a document.

    Args:
        others: documents to take parts from.
    """
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        how = random.random()
        if how < 0.65:
            document = _branches(document, random)
        elif how < 0.95:
            document = random.choice(_OF_BYTES)(document, random)
        else:
            document = _splice(document, random.choice(others), random)
    return document


def _cut(document: bytes, random: Random) -> tuple[int, int]:
    start = random.randrange(len(document) + 1)
    return start, min(len(document), start + random.choice((1, 2, 8, 64, 1000)))


def _drop(document: bytes, random: Random) -> bytes:
    start, end = _cut(document, random)
    return document[:start] + document[end:]


def _repeat(document: bytes, random: Random) -> bytes:
    start, end = _cut(document, random)
    return document[:end] + document[start:end] * random.choice((1, 2, 50)) + document[end:]


def _flip(document: bytes, random: Random) -> bytes:
    changed = bytearray(document)
    for _ in range(random.choice((1, 2, 20))):
        if changed:
            changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def _insert(document: bytes, random: Random) -> bytes:
    start, end = _cut(document, random)
    text = random.choice(TEXTS).encode("utf-8", "surrogatepass")
    return document[:start] + text + document[random.choice((start, end)) :]


def _shorten(document: bytes, random: Random) -> bytes:
    return document[: random.randrange(len(document) + 1)]


def _encode(document: bytes, random: Random) -> bytes:
    text = document.decode("utf-8", "replace")
    return text.encode(
        random.choice(("utf-16", "utf-16-be", "utf-32", "cp1252", "utf-8-sig")), "replace"
    )


_OF_BYTES: tuple[Mutation, ...] = (_drop, _repeat, _flip, _insert, _shorten, _encode)


def _splice(document: bytes, other: bytes, random: Random) -> bytes:
    return (
        document[: random.randrange(len(document) + 1)] + other[random.randrange(len(other) + 1) :]
    )


def _branches(document: bytes, random: Random) -> bytes:
    """Change values and branches of JSON or XML, lines of other texts."""
    start = document.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    try:
        if start in (b"{", b"["):
            return _json(document, random)
        if start == b"<":
            return _xml(document, random)
    except (ValueError, RecursionError, etree.LxmlError):
        pass  # changed before: it is not well-formed any more
    return _lines(document, random)


def _json(document: bytes, random: Random) -> bytes:
    holder = [json.loads(document)]
    places = list(_places(holder))
    for _ in range(random.choice((1, 2, 5))):
        parent, key = random.choice(places)
        if not _has(parent, key):
            continue
        _change(parent, key, random, places)
    pieces, size = [], 0
    for piece in json.JSONEncoder(ensure_ascii=random.random() < 0.5).iterencode(holder[0]):
        pieces.append(piece)
        size += len(piece)
        if size > MOST:
            return document
    text = "".join(pieces)
    return text.encode("utf-8", "surrogatepass" if random.random() < 0.2 else "replace")


def _has(parent: Any, key: Any) -> bool:
    return key in parent if isinstance(parent, dict) else key < len(parent)


def _change(parent: Any, key: Any, random: Random, places: list[tuple[Any, Any]]) -> None:
    how = random.randrange(6)
    if how == 0 and len(parent) > 1:
        del parent[key]
    elif how == 1:
        parent[key] = [parent[key]] * random.choice((1, 2, 40))
    elif how == 2:
        parent[key] = {str(random.choice(TEXTS))[:50]: parent[key]}
    elif how == 3:
        other, name = random.choice(places)
        if _has(other, name):
            parent[key] = copy.deepcopy(other[name])
    elif how == 4 and isinstance(parent, dict):
        _other, name = random.choice(places)
        parent[str(name)] = parent.pop(key)
    else:
        parent[key] = random.choice(VALUES)


def _places(holder: Any) -> Iterator[tuple[Any, Any]]:
    waiting = [holder]
    while waiting:
        found = waiting.pop()
        pairs = found.items() if isinstance(found, dict) else enumerate(found)
        for key, value in pairs:
            yield found, key
            if isinstance(value, (dict, list)):
                waiting.append(value)


def _xml(document: bytes, random: Random) -> bytes:
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    root = etree.fromstring(document, parser)
    elements = [each for each in root.iter() if isinstance(each.tag, str)]
    for _ in range(random.choice((1, 2, 5))):
        _change_element(random.choice(elements), random, elements)
    return etree.tostring(root)


def _change_element(
    element: etree._Element, random: Random, elements: list[etree._Element]
) -> None:
    parent, how = element.getparent(), random.randrange(7)
    if how == 0 and parent is not None:
        parent.remove(element)
    elif how == 1 and parent is not None and len(elements) < 2_000:
        for _ in range(random.choice((1, 2, 40))):
            parent.append(copy.deepcopy(element))
    elif how == 2 and len(elements) < 2_000:
        element.append(copy.deepcopy(random.choice(elements)))
    elif how == 3:
        element.tag = random.choice(elements).tag
    elif how == 4:
        name = random.choice(
            [*element.attrib, "codeListValue", "uom", "{http://www.w3.org/1999/xlink}href"]
        )
        element.set(name, _xml_text(random))
    elif how == 5 and len(element):
        del element[:]
    else:
        element.text = _xml_text(random)


def _xml_text(random: Random) -> str:
    text = str(random.choice(TEXTS))
    return "".join(sign for sign in text if sign.isprintable() or sign in "\t\n")


def _lines(document: bytes, random: Random) -> bytes:
    lines = document.split(b"\n")
    place = random.randrange(len(lines))
    how = random.randrange(4)
    if how == 0:
        del lines[place]
    elif how == 1:
        lines[place:place] = [lines[place]] * random.choice((1, 40))
    elif how == 2:
        lines.insert(random.randrange(len(lines)), lines.pop(place))
    else:
        words = lines[place].split(b" ")
        text = random.choice(TEXTS).encode("utf-8", "surrogatepass")
        words[random.randrange(len(words))] = random.choice(
            (text, b'"' + text + b'"', b"<" + text + b">")
        )
        lines[place] = b" ".join(words)
    return b"\n".join(lines)
