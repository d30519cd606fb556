"""Fields with several values: parse any way of writing them, and store them.

Extras are text: several URLs are stored as a JSON list, yes as ``true``.
"""

from __future__ import annotations

import contextlib
import functools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.core.values.web_addresses import BETWEEN_URLS, is_web_url
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.core.vocabularies.vocabulary import Vocabulary

_YES = ("true", "yes", "y", "1", "on", "t")
_NO = ("false", "no", "n", "0", "off", "f")
_NOTHING = ("", "none", "null")

# Names under which an object has its URL, and its title.
_PLACES = ("url", "uri", "href", "@id", "address", "link")
_NAMES = ("title", "name", "label", "id")


class Addresses(NamedTuple):
    """URLs, and the other texts; without repeats, in the order of the text."""

    urls: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def as_text(values: Iterable[Any]) -> str:
    """Return values in stored form: a JSON list without repeats and empty ones, "" for none."""
    items = dict.fromkeys(json.dumps(value, ensure_ascii=False) for value in values if value)
    return f"[{', '.join(items)}]" if items else ""


def text_or_list(values: Iterable[str]) -> str:
    """Return one text unchanged, several as a JSON list."""
    unique = tuple(dict.fromkeys(filter(None, values)))
    return unique[0] if len(unique) == 1 else as_text(unique)


def as_list(values: list[str]) -> str:
    """Return a list as ckanext-dcat stores it in an extra: JSON, "" if empty."""
    return json.dumps(values, ensure_ascii=False) if values else ""


def addresses(value: object, register: str = "") -> Addresses:
    """Split a value into URLs and other texts.

    Args:
        value: a text with URLs separated by spaces, commas or line ends, a JSON list, or lists and
            objects as JSON gives them.
        register: a list of ``core.vocabularies``; its titles are replaced by their URLs.
    """
    urls: dict[str, None] = {}
    others: dict[str, None] = {}
    titles = _titles(register)() if register else {}
    for text in texts(value):
        whole = titles.get(_folded(text))
        for piece in [whole] if whole else filter(None, BETWEEN_URLS.split(text)):
            bare = piece.strip(" \t<>,;\"'")
            url = titles.get(_folded(bare)) or _address(bare)
            if url:
                urls[url] = None
            elif bare:
                others[bare] = None
    return Addresses(tuple(urls), tuple(others))


def texts(value: object) -> Iterator[str]:
    """Yield the texts of a value: each item of lists and JSON lists, the URL of objects."""
    if isinstance(value, str) and value.strip()[:1] in ("[", "{", '"'):
        with contextlib.suppress(ValueError, RecursionError):
            value = json.loads(value)
    if isinstance(value, Mapping):
        yield _of_object(value)
    elif isinstance(value, (list, tuple)):
        for item in value:
            if isinstance(item, (list, tuple)):
                yield json.dumps(item, default=str)  # nested lists have no meaning here
            else:
                yield _of_object(item) if isinstance(item, Mapping) else clean_text(item)
    else:
        yield clean_text(value)


def _of_object(value: Mapping[str, object]) -> str:
    named = (clean_text(value.get(key)) for key in (*_PLACES, *_NAMES))
    return next(filter(None, named), json.dumps(value, default=str) if value else "")


def parse_flag(value: object) -> str:
    """Return ``true`` for yes in any spelling, "" for no.

    Raises:
        ValueError: neither; the message is the end of a sentence.
    """
    text = clean_text(value)
    flag = False if text.casefold() in _NOTHING else read_yes_no(text)
    if flag is None:
        raise ValueError(Message("'{text}' is neither true nor false", text=shorten(text, 40)))
    return "true" if flag else ""


def read_yes_no(value: object) -> bool | None:
    """Return True for yes and False for no in any spelling; None for nothing and unclear values."""
    text = clean_text(value).casefold()
    return True if text in _YES else False if text in _NO else None


def is_yes(value: object) -> bool:
    """Tell whether a value means yes; unclear values do not."""
    return read_yes_no(value) is True


def is_no(value: object) -> bool:
    """Tell whether a value means no; nothing and unclear values do not."""
    return read_yes_no(value) is False


def submitted_texts(value: object) -> list[str]:
    """Return what a form or a client submitted, as texts; forms send "" for empty rows."""
    items = value if isinstance(value, (list, tuple)) else [value]
    return [text for one in items if one is not None and (text := str(one).strip())]


def _address(text: str) -> str:
    if re.match(r"www\.[\w-]+\.\S+$", text, re.IGNORECASE):
        text = f"https://{text}"
    return text if is_web_url(text) else ""


@functools.cache
def _titles(register: str) -> Callable[[], Mapping[str, str]]:
    """Return a function from a list to its URLs by title."""

    @vocabulary.derived(register)
    def titles(given: Vocabulary) -> Mapping[str, str]:
        return {_folded(row["title"]): row["url"] for row in given.rows}

    return titles


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
