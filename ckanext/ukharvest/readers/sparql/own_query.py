"""A source's own SELECT query: checked when it is saved, and put into the reader's own queries.

It becomes a subquery (SPARQL 1.1 Query Language, section 12), which has no prologue, no dataset
clause and, here, no LIMIT: a query that counts, and one that lists, are made around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import pyoxigraph as ox

VARIABLE = "dataset"

_MOST_SIGNS = 10_000
_MOST_LEVELS = 40  # of brackets; the parser calls itself for each

# Section 19.8: strings, IRIs and comments first, since they can contain anything.
_TOKEN = re.compile(
    r"""
    (?P<string>'''(?:\\.|[^\\])*?'''|\"""(?:\\.|[^\\])*?\"""|'(?:\\.|[^'\\\r\n])*'|"(?:\\.|[^"\\\r\n])*")
    |(?P<iri><[^<>"{}|^`\\\x00-\x20]*>)
    |(?P<comment>\#[^\r\n]*)
    |(?P<variable>[?$]\w+)
    |(?P<other>@[A-Za-z][\w-]*|[\w.-]*:[\w.%:\\-]*)
    |(?P<word>[A-Za-z]\w*)
    |(?P<sign>\S)
    """,
    re.VERBOSE | re.DOTALL,
)
# pyoxigraph has no function that only parses. It parses an update as a whole before it begins, and
# this first step, the removal of a graph that is not there, fails: nothing is evaluated.
_PARSE_ONLY = "DROP GRAPH <urn:x-ukharvest:none> ;"

# Keyword → why it has no place here.
_REFUSED = {
    "SERVICE": "names a SERVICE; expected a query of this endpoint alone",
    "FROM": "names its graphs with FROM; expected them in the option graphs",
    "LIMIT": "has a LIMIT; expected none, since all datasets have to be listed",
    "OFFSET": "has an OFFSET; expected none, since all datasets have to be listed",
}
_FORMS = ("SELECT", "CONSTRUCT", "DESCRIBE", "ASK")


class Token(NamedTuple):
    """A token: its kind, a group of _TOKEN; its text; its place in the query."""

    kind: str
    text: str
    start: int

    @property
    def keyword(self) -> str:
        return self.text.upper() if self.kind == "word" else ""


def split(query: str) -> tuple[str, str]:
    """Return a query's prologue (BASE and PREFIX) and the rest."""
    tokens = iter(_tokens(query))
    for token in tokens:
        if token.keyword not in ("BASE", "PREFIX"):
            return query[: token.start], query[token.start :]
        for _ in range(1 if token.keyword == "BASE" else 2):
            next(tokens, None)
    return query, ""


def check(query: str) -> str:
    """Return what is wrong with a query, as the end of a sentence; "" if it can be used."""
    if len(query) > _MOST_SIGNS:
        return f"has {len(query):,} characters; expected at most {_MOST_SIGNS:,}"
    prologue, select = split(query)
    tokens = list(_tokens(select))
    first = tokens[0].keyword if tokens else ""
    if first != "SELECT":
        named = f"is a query of the form {first}" if first in _FORMS else "is not a query"
        return f"{named}; expected SELECT with the variable ?{VARIABLE}"
    refused = (_REFUSED.get(each.keyword) for each in tokens)
    found = next(filter(None, refused), "") or _brackets(tokens) or _syntax(prologue, select)
    if found:
        return found
    return "" if _is_exposed(tokens) else f"does not select the variable ?{VARIABLE}"


def _tokens(text: str) -> Iterator[Token]:
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup or ""
        if kind != "comment":
            yield Token(kind, found[0], found.start())


def _brackets(tokens: list[Token]) -> str:
    """Refuse what would end the group that the query is put into, and what nests too deeply."""
    level = 0
    for token in tokens:
        level += (token.text in ("{", "(", "[")) - (token.text in ("}", ")", "]"))
        if level < 0:
            return "closes a bracket that is not open"
        if level > _MOST_LEVELS:
            return f"has more than {_MOST_LEVELS} brackets inside each other"
    return "leaves a bracket open" if level else ""


def _is_exposed(tokens: list[Token]) -> bool:
    """Tell whether the outer SELECT has the variable, by name or by its star."""
    level = 0
    head: list[str] = []
    for token in tokens[1:]:
        if token.text == "{" or token.keyword == "WHERE":
            break
        level += (token.text == "(") - (token.text == ")")
        named = token.kind == "variable" and (not level or head[-1:] == ["AS"])
        head.append(token.text[1:] if named else token.keyword or token.text)
    names = {each.text[1:] for each in tokens if each.kind == "variable"}
    star = [each for each in head if each not in ("DISTINCT", "REDUCED")] == ["*"]
    return VARIABLE in head or (star and VARIABLE in names)


def _syntax(prologue: str, select: str) -> str:
    """Parse the query as the subquery that it becomes, without evaluating it."""
    body = f"INSERT {{ ?s ?p ?o }} WHERE {{ {{ {select}\n}} }}"
    try:
        ox.Store().update(f"{prologue}{_PARSE_ONLY} {body}")
    except SyntaxError as exc:
        found = re.match(r"error at (\d+):", exc.msg or "")
        line = f" in line {found[1]}" if found else ""
        return f"is not valid SPARQL 1.1{line}; expected SELECT ?{VARIABLE} WHERE {{ … }}"
    except RuntimeError:
        pass  # the graph is not there: all was parsed
    return ""
