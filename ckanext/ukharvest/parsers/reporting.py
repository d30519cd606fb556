"""The base of the nodes of all formats: JSON objects, elements of XML and ISO, nodes of RDF.

A value is read, or reported as a problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.periods import Periods, read_periods
from ckanext.ukharvest.core.values.places import Places, read_places
from ckanext.ukharvest.core.values.tags import clean_tags
from ckanext.ukharvest.core.values.text import Repaired, clean_text, is_redacted
from ckanext.ukharvest.core.values.web_addresses import may_be_url, parse_url

# Called with a problem's code and text, and by some with the value as written.
Report = Callable[..., None]


def ignore(*_problem: str) -> None:
    """Report nothing: what is wrong is reported elsewhere, or is another site's affair."""


def is_of_field(name: str, field: str) -> bool:
    """Tell whether a problem's field is this one or a part of it: "files[0].url" of "files"."""
    return name.startswith(field) and name[len(field) : len(field) + 1] in ("", ".", "[", "/")


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


class BaseNode:
    """An element, object or node whose fields are read by their names.

    What ``texts``, ``text``, ``values``, ``dates``, ``date``, ``links`` and ``link`` return means
    the same in every format; a format says where it has them (``texts``, and where they are others
    ``values``, ``date_texts`` and ``addresses``). Those of several names stay in their order.

    Args:
        problems: list to which problems are added, in the order of reading.
        path: prefix of field names in problems, such as "distribution[2].".
        base: URL of the document, for URLs without a host.
    """

    line: int | None = None  # in the record, where that is known

    def __init__(self, problems: list[Problem], path: str = "", base: str = "") -> None:
        self._problems = problems
        self._first = len(problems)  # before it, those of other parts
        self._path = path
        self._base = base

    def texts(self, *names: str) -> Sequence[str]:
        """Return the texts of fields as people read them, without empty ones."""
        raise NotImplementedError

    def text(self, *names: str) -> str:
        """Return the first of ``texts``, "" if there is none."""
        return next(iter(self.texts(*names)), "")

    def values(self, *names: str) -> Sequence[str]:
        """Return the values of fields in all languages, without empty ones: of a node its URI."""
        return self.texts(*names)

    def identifiers(self, *names: str) -> Sequence[str]:
        """Return the identifiers in some fields, such as those of other datasets."""
        return self.values(*names)

    def date_texts(self, name: str) -> Sequence[str]:
        """Return the texts of a field's dates; "" for an empty one that is reported."""
        return self.values(name)

    def dates(self, *names: str) -> list[str]:
        """Return the dates of the first field that has any, in ISO 8601; report other texts."""
        for name in names:
            texts = self.date_texts(name)
            parsed = [self.parse_value(name, text, parse_date, "bad-date") for text in texts]
            if dates := list(filter(None, parsed)):
                return dates
            if "" in texts:
                self.report(
                    "empty-field", name, Message("empty; leave the field out or give a date")
                )
        return []

    def date(self, *names: str) -> str:
        """Return the first of ``dates``, "" if there is none."""
        return next(iter(self.dates(*names)), "")

    def periods(self, *names: str) -> Periods:
        """Return the time span around all in some fields, and what could not be read."""
        return self.read_periods(self.texts(*names), names[0])

    def places(self, *names: str) -> Places:
        """Return the places in some fields, and what could not be read."""
        return read_places(self.texts(*names), self.reporter(names[0]))

    def size_text(self, name: str) -> str:
        """Return the text of a file's size."""
        return self.text(name)

    def checksums(self, *names: str) -> Iterable[tuple[str, str]]:
        """Return value and algorithm of each checksum, "" for one that is not named."""
        return ((text, "") for text in self.values(*names))

    def addresses(self, name: str) -> Iterable[str]:
        """Yield the texts of a field's links; report what cannot be one."""
        return self.values(name)

    def links(self, *names: str) -> Iterator[str]:
        """Yield URLs of files and pages; report and keep what might be meant as one."""
        for name in names:
            for text in self.addresses(name):
                if url := read_link(text, self._base, self.reporter(name)):
                    yield url

    def link(self, *names: str) -> str:
        """Return the first of ``links``, "" if there is none."""
        return next(self.links(*names), "")

    def part(self, prefix: str) -> Any:
        """Return itself: rows of a table read it, if it is all that a record has."""
        return self

    def full_name(self, name: str) -> str:
        """Return a field's name in problems."""
        return self._path + name

    def report(self, code: str, name: str, words: str, text: str = "") -> None:
        """Add a problem with a field.

        Args:
            words: follow the field's name in the message; a ``Message``.
            text: the value, if nothing else keeps it.
        """
        field = self.full_name(name)
        self._problems.append(
            Problem(
                code,
                field,
                Message("{field}: {words}", field=field, words=words),
                self.line,
                clean_text(text),
            )
        )

    def reporter(self, name: str, text: str = "") -> Report:
        """Return a function that adds a problem with a field, given its code and words."""
        return lambda code, words, value=text: self.report(code, name, words, value)

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


def read_tags(node: BaseNode, words: Iterable[Any], field: str) -> tuple[str, ...]:
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
