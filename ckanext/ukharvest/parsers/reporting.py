"""Base of the field readers of all formats: a value is read, or reported as a problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.values.periods import Periods, read_periods
from ckanext.ukharvest.core.values.tags import clean_tags
from ckanext.ukharvest.core.values.text import Repaired, clean_text, is_redacted
from ckanext.ukharvest.core.values.web_addresses import may_be_url, parse_url

Report = Callable[[str, str], None]  # called with a problem's code and text


def ignore(*_problem: str) -> None:
    """Report nothing: what is wrong is reported elsewhere, or is another site's affair."""


def parse_value(text: str, parse: Callable[[str], str], report: Report, code: str) -> str:
    """Return a text parsed by ``parse``, "" for no text; report its ValueError and return "".

    A URL that was repaired is returned, and reported.
    """
    if not text:
        return ""
    try:
        return parse(text)
    except Repaired as exc:
        report(exc.code, str(exc))
        return str(exc.repaired)
    except ValueError as exc:
        report(code, str(exc))
        return ""


class Reporter:
    """An element or object with the list that its problems go to.

    Args:
        problems: list to which problems are added, in the order of reading.
        path: prefix of field names in problems, such as "distribution[2].".
    """

    line: int | None = None  # in the record, where that is known

    def __init__(self, problems: list[Problem], path: str = "") -> None:
        self._problems = problems
        self._first = len(problems)  # before it, those of other parts
        self._path = path

    def part(self, prefix: str) -> Any:
        """Return itself: rows of a table read it, if it is all that a record has."""
        return self

    def full_name(self, name: str) -> str:
        """Return a field's name in problems."""
        return self._path + name

    def report(self, code: str, name: str, words: str, text: str = "") -> None:
        """Add a problem with a field.

        Args:
            words: follow the field's name in the message.
            text: the value, if nothing else keeps it.
        """
        field = self.full_name(name)
        self._problems.append(
            Problem(code, field, f"{field}: {words}", self.line, clean_text(text))
        )

    def reporter(self, name: str, text: str = "") -> Report:
        """Return a function that adds a problem with a field, given its code and words."""
        return lambda code, words: self.report(code, name, words, text)

    def add(self, problems: Iterable[Problem]) -> None:
        """Add problems found elsewhere."""
        self._problems.extend(problems)

    def parse_value(self, name: str, text: str, parse: Callable[[str], str], code: str) -> str:
        """Return a text parsed by ``parse``, as the function ``parse_value``; report errors.

        The problem keeps the text.
        """
        return parse_value(text, parse, self.reporter(name, text), code)

    def read_periods(
        self, spans: Iterable[str | tuple[str, str]], name: str, start: str = "", end: str = ""
    ) -> Periods:
        """Return time spans, each a text or its two ends, as ``values.periods.read_periods``.

        Args:
            name: of the field; ``start`` and ``end`` are those of the ends, if they have their own.
        """
        names = {"": name, "start": start or name, "end": end or name}
        return read_periods(
            spans, lambda code, words, which: self.report(code, names[which], words)
        )


def read_tags(node: Reporter, words: Iterable[Any], field: str) -> tuple[str, ...]:
    """Return tags within CKAN's rules, and report others."""
    tags, problems = clean_tags(words, field)
    node.add(problems)
    return tags


def read_link(text: str, base: str, report: Report) -> str:
    """Return the URL of a file or page; a text that might be meant as one is kept, and reported.

    Args:
        base: URL of the document or page that has the link, "" if it is not known.
    """
    if is_redacted(text):
        return ""
    url = parse_value(text, partial(parse_url, base=base), report, "bad-url")
    return url or (text if may_be_url(text) else "")
