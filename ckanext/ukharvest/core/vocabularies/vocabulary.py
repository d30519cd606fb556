"""Lists of values as plain files, which a portal can replace by newer ones.

The bundled lists are CSV files in ``ckanext/ukharvest/vocabularies``; see ``csv_file`` for their
format. A file of the same name in the portal's own folder replaces one. It is read while the portal
runs, by all its processes; if it is faulty, the fault is logged and returned by ``faults``, and the
bundled list is used.
"""

from __future__ import annotations

import functools
import logging
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from ckanext.ukharvest.core.values.schema_urls import forms
from ckanext.ukharvest.core.vocabularies.csv_file import (
    OPTIONAL,
    Vocabulary,
    VocabularyError,
    folded,
    parse,
    parts,
)

__all__ = ["Vocabulary", "VocabularyError", "parts"]

log = logging.getLogger(__name__)

BUNDLED = Path(__file__).parents[2] / "vocabularies"
EVERY = 10.0  # seconds after which the portal's file is looked at again

T = TypeVar("T")


class _Held(NamedTuple):
    """A list in memory; ``stamp`` is that of the portal's file, None while there is none."""

    vocabulary: Vocabulary
    until: float
    stamp: tuple[int, int, int] | None = None
    fault: str = ""


class _State:
    """The portal's folder, and the lists read; one per process."""

    folder: Path | None = None
    held: dict[str, _Held] = {}


def use(folder: str | Path | None) -> None:
    """Use the lists in this folder instead of bundled ones; None or "" for bundled lists only."""
    _State.folder = Path(folder) if folder else None
    _State.held = {}


def folder() -> Path | None:
    """Return the portal's own folder, None if it has none."""
    return _State.folder


def names() -> tuple[str, ...]:
    """Return the names of all lists."""
    return tuple(sorted(path.stem for path in BUNDLED.glob("*.csv")))


def load(name: str) -> Vocabulary:
    """Return a list by its name; raise KeyError for an unknown name.

    It is the same object until the file changes.
    """
    held = _State.held.get(name)
    if held is None or time.monotonic() >= held.until:
        held = _State.held[name] = _look(name, held)
    return held.vocabulary


def faults() -> dict[str, str]:
    """Return the faults of files in the portal's folder: list → a sentence."""
    for name in names():
        load(name)
    return {name: held.fault for name, held in _State.held.items() if held.fault}


@functools.cache
def bundled(name: str) -> Vocabulary:
    """Return the bundled list of this name."""
    path = BUNDLED / f"{name}.csv"
    if not (name.isidentifier() and path.is_file()):
        raise KeyError(name)
    return parse(name, path.read_text(encoding="utf-8"))


def read(name: str, path: Path) -> Vocabulary:
    """Return the list of this name in a file; without a title it has the bundled one's.

    Raises:
        VocabularyError: the file is invalid.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as exc:
        raise VocabularyError(f"the file is not in UTF-8: {exc}") from exc
    except OSError as exc:
        raise VocabularyError(f"the file cannot be read: {exc.strerror}") from exc
    own = bundled(name)
    found = parse(name, text, [each for each in own.columns if each not in OPTIONAL])
    return replace(found, about={"title": own.about["title"], **found.about})


def derived(name: str) -> Callable[[Callable[[Vocabulary], T]], Callable[[], T]]:
    """Turn a function of a list into one without arguments, called once per version of the list.

    If it fails for the portal's file, its result for the bundled list is used.
    """

    def decorate(make: Callable[[Vocabulary], T]) -> Callable[[], T]:
        made: tuple[Vocabulary, T] | None = None

        @functools.wraps(make)
        def get() -> T:
            nonlocal made
            current = load(name)
            last = made
            if last is None or last[0] is not current:
                made = last = (current, _make(make, current))
            return last[1]

        return get

    return decorate


def row(name: str, key: str) -> Mapping[str, str] | None:
    """Return the entry of a list with this key, None if it has none.

    Case, ``https`` for ``http`` and a slash at the end do not matter; other URLs in the column
    ``aliases`` count too, and for schemas all URLs of ``schema_urls.forms``.
    """
    index = _index(name)()
    found = index.get(folded(key))
    if found is None and name == "schemas":
        return next((index[each] for each in map(folded, forms(key)) if each in index), None)
    return found


def label(name: str, key: str) -> str:
    """Return the label of the entry with this key, "" if the list has none."""
    found = row(name, key)
    return load(name).label(found) if found else ""


@functools.cache
def _index(name: str) -> Callable[[], Mapping[str, Mapping[str, str]]]:
    @derived(name)
    def index(vocabulary: Vocabulary) -> Mapping[str, Mapping[str, str]]:
        entries = {}
        for each in vocabulary.rows:
            others = parts(each.get("aliases", ""))
            entries.update(dict.fromkeys(map(folded, others), each))
        return entries | {folded(vocabulary.key(each)): each for each in vocabulary.rows}

    return index


def _make(make: Callable[[Vocabulary], T], vocabulary: Vocabulary) -> T:
    own = bundled(vocabulary.name)
    if vocabulary is own:
        return make(own)
    try:
        return make(vocabulary)
    except Exception as exc:
        # Whatever a file holds, imports continue.
        log.exception("The portal's own list %s cannot be used", vocabulary.name)
        held = _State.held[vocabulary.name]
        fault = f"the list cannot be used: {exc}"
        _State.held[vocabulary.name] = held._replace(vocabulary=own, fault=fault)
        return make(own)


def _look(name: str, held: _Held | None) -> _Held:
    """Read the portal's file if it changed."""
    own = bundled(name)
    if _State.folder is None:
        return _Held(own, float("inf"))
    until = time.monotonic() + EVERY
    path = _State.folder / f"{name}.csv"
    try:
        found = os.stat(path)
    except OSError:
        return _Held(own, until)
    stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
    if held is not None and held.stamp == stamp:
        return held._replace(until=until)
    try:
        return _Held(read(name, path), until, stamp)
    except VocabularyError as exc:
        log.warning("%s is not used, but the list that came with this extension: %s", path, exc)
        return _Held(own, until, stamp, str(exc))
