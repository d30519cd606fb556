"""No text keeps a reader of values busy: its work grows with the text's length alone."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from ckanext.ukharvest.core import values
from ckanext.ukharvest.core.values import periods, places

pytestmark = pytest.mark.timeout(120)
SHORT, LONG = 20_000, 200_000  # characters
WORST = 3  # kinds of text that are tried at full length
LEAST = 0.005  # seconds, below which a clock tells nothing
LENGTH = LONG
TEXTS = {
    "digits": "1",
    "letters": "a",
    "blanks": " ",
    "words": "x ",
    "numbers": "1 ",
    "pairs": "-1,1 ",
    "brackets": "(",
    "square brackets": "[",
    "tags": "<b ",
    "entities": "&amp",
    "lines": "\n\n",
    "hyphens": "-",
    "dots": "1.",
    "slashes": "a/",
    "colons": "urn:",
    "questions": "?",
    "queries": "&key",
    "escapes": "%2",
    "at signs": "a@",
    "quotes": '"',
    "separators": " _-",
    "equals": "start=",
    "semicolons": "a;",
    "beyond Latin": "ŵß",
}
BEGINNINGS = {
    "": TEXTS,
    "POLYGON((": ("digits", "numbers", "dots"),
    "MULTIPOINT": ("blanks",),
    "May to ": ("words", "numbers"),
    "between ": ("words", "blanks"),
    "http://a.example/": ("questions", "letters", "slashes", "escapes"),
    "<gml:Point>": ("numbers", "colons"),
    "A licence: ": ("words", "separators"),
}
# By a parameter's name or type.
GIVEN: dict[str, Callable[[str], Any]] = {
    "kind": lambda _text: "polygon",
    "str": str,
    "Iterable[str]": lambda text: [text],
    "Iterable[object]": lambda text: [text],
    "Sequence[str]": lambda text: [text] * 4,
    "Iterable[str | tuple[str, str]]": lambda text: [text, (text, text)],
    "Iterable[str | Place]": lambda text: [text, places.Place([(text, places.parse_spatial)])],
    "Iterable[str | Licence | None]": lambda text: [text],
    "Report": lambda _text: lambda *_words: None,
    "Callable[[str, str], None]": lambda _text: lambda *_words: None,
}


def _functions() -> dict[str, tuple[Callable[..., Any], list[str]]]:
    """Return each public function that reads texts, and the keys of what it has to be given."""
    functions = {}
    for module in pkgutil.iter_modules(values.__path__):
        members = vars(importlib.import_module(f"{values.__name__}.{module.name}"))
        for title, function in members.items():
            if not inspect.isfunction(function) or title.startswith("_"):
                continue
            needed = [
                name if name in GIVEN else str(parameter.annotation)
                for name, parameter in inspect.signature(function).parameters.items()
                if parameter.default is parameter.empty
            ]
            is_own = function.__module__.endswith(f".{module.name}")
            if is_own and "str" in " ".join(needed) and GIVEN.keys() >= set(needed):
                functions[f"{module.name}.{title}"] = function, needed
    return functions


FUNCTIONS = _functions()


def test_readers_of_values_are_among_those_tried() -> None:
    some = {
        "periods.parse_period",
        "places.read_places",
        "licences.read_licence",
        "tags.clean_tags",
    }
    assert some <= FUNCTIONS.keys()


def _seconds(name: str, text: str) -> float:
    """Return the processor's seconds that a function takes for a text."""
    function, needed = FUNCTIONS[name]
    start = time.process_time()
    with suppress(ValueError):
        function(*(GIVEN[key](text) for key in needed))
    return time.process_time() - start


@pytest.mark.parametrize("name", FUNCTIONS)
def test_ten_times_the_text_takes_ten_times_the_work(name: str) -> None:
    texts = {
        (beginning, TEXTS[kind]): _seconds(name, _text(beginning, TEXTS[kind], SHORT))
        for beginning, kinds in BEGINNINGS.items()
        for kind in kinds
    }
    worst = sorted(texts, key=lambda key: texts[key])[-WORST:]
    for beginning, unit in worst:
        short = texts[beginning, unit]  # a second call may be answered by a cache
        text = _text(beginning, unit, LONG)
        # Work that grew with the square would take a hundred times as long, and each time.
        longs = (_seconds(name, text) for _ in range(3))
        assert any(long < 40 * max(short, LEAST) for long in longs), (beginning, unit, short)


def _text(beginning: str, unit: str, length: int) -> str:
    return beginning + unit * (length // len(unit))


@pytest.mark.parametrize(
    "text",
    [f"POLYGON(({'1' * LENGTH}))", f"POINT(1 {'1' * LENGTH})"],
    ids=["one", "in a pair"],
)
def test_place_with_endless_digits_is_kept_as_unread(text: str) -> None:
    problems: list[str] = []
    found = places.read_places([text], lambda code, _words: problems.append(code))
    assert (found.geometry, found.unread, problems) == (None, text, ["bad-spatial"])


@pytest.mark.parametrize(
    "text", ["May to " + "x " * LENGTH, "2010/" + "1" * LENGTH], ids=["words", "digits"]
)
def test_period_of_endless_words_is_kept_as_unread(text: str) -> None:
    problems: list[str] = []
    found = periods.read_periods([text], lambda code, _words, _end: problems.append(code))
    assert (found.whole, found.unread) == (None, text.strip())
    assert problems == ["bad-period"]
