"""Lists of values as plain files, which a portal can replace by newer ones.

The bundled lists are CSV files in ``ckanext/ukharvest/vocabularies``; see ``csv_file`` for their
format. A file of the same name in the portal's own folder replaces one. It is read while the portal
runs, by all its processes; if it is faulty, the fault is logged and returned by ``faults``, and the
bundled list is used.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

from ckanext.ukharvest.core.vocabularies.csv_file import (
    OPTIONAL,
    Vocabulary,
    VocabularyError,
    folded,
    parse,
    parts,
)

_LGA = ("schemas.opendata.esd.org.uk", "csvchecker.opendata.esd.org.uk") + (
    "validator.opendata.esd.org.uk",
    "schemas.esd.org.uk",  # the first one, in DataShare's inventories
)


def forms(url: str) -> Iterator[str]:
    """Yield the URLs under which a schema may be in the register, the nearest first.

    For any URL this is the same without its query; for the LGA's servers also the schema's page:
    ``schemas.opendata.esd.org.uk/Spend`` for a file below it (``…/Spend/Spend.json?v=0.41``), for
    the validators' pages (``validator.…/spend``), and for the checker's downloads
    (``csvchecker.…/schema/downloadjsonschema?schemaId=spend&…``).
    """
    try:
        parts = urlsplit(url.strip())
        host = (parts.hostname or "").lower()
    except ValueError:
        return
    yield f"{parts.scheme}://{parts.netloc}{parts.path}"
    if host not in _LGA:
        return
    asked = {key.lower(): value for key, value in parse_qs(parts.query).items()}
    for name in (*asked.get("schemaid", ()), parts.path.strip("/").partition("/")[0]):
        yield f"http://{_LGA[0]}/{name}"


__all__ = ["Vocabulary", "VocabularyError", "parts"]

log = logging.getLogger(__name__)

BUNDLED = Path(__file__).parents[2] / "vocabularies"

T = TypeVar("T")


class _State:
    """The portal's folder, and what was read; one per process."""

    folder: Path | None = None
    lists: dict[str, Vocabulary] = {}
    faults: dict[str, str] = {}
    made: dict[Any, Any] = {}  # function of ``derived`` → its result; list → its entries


def use(folder: str | Path | None) -> None:
    """Use the lists in this folder instead of bundled ones; None or "" for bundled lists only.

    All lists are read again.
    """
    _State.folder = Path(folder) if folder else None
    _State.lists, _State.faults, _State.made = {}, {}, {}


def folder() -> Path | None:
    """Return the portal's own folder, None if it has none."""
    return _State.folder


def names() -> tuple[str, ...]:
    """Return the names of all lists."""
    return tuple(sorted(path.stem for path in BUNDLED.glob("*.csv")))


def load(name: str) -> Vocabulary:
    """Return a list by its name; raise KeyError for an unknown name."""
    if name not in _State.lists:
        _State.lists[name] = _read_once(name)
    return _State.lists[name]


def faults() -> dict[str, str]:
    """Return the faults of files in the portal's folder: list → a sentence."""
    for name in names():
        load(name)
    return dict(_State.faults)


def _read_once(name: str) -> Vocabulary:
    """Return the portal's list, the bundled one if it has none or a faulty one."""
    own = bundled(name)
    path = _State.folder / f"{name}.csv" if _State.folder else None
    if path is None or not path.exists():
        return own
    try:
        return read(name, path)
    except VocabularyError as exc:
        log.warning("%s is not used, but the list that came with this extension: %s", path, exc)
        _State.faults[name] = str(exc)
        return own


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
    vocabulary = parse(name, text, [column for column in own.columns if column not in OPTIONAL])
    return replace(vocabulary, about={"title": own.about["title"], **vocabulary.about})


def derived(name: str) -> Callable[[Callable[[Vocabulary], T]], Callable[[], T]]:
    """Turn a function of a list into one without arguments, called once.

    If it fails for the portal's file, the bundled list is used.
    """

    def decorate(make: Callable[[Vocabulary], T]) -> Callable[[], T]:
        @functools.wraps(make)
        def get() -> T:
            results = _State.made
            if make not in results:
                results[make] = _make(make, load(name))
            result: T = results[make]
            return result

        return get

    return decorate


def _make(make: Callable[[Vocabulary], T], vocabulary: Vocabulary) -> T:
    name = vocabulary.name
    own = bundled(name)
    if vocabulary is own:
        return make(own)
    try:
        return make(vocabulary)
    except Exception as exc:
        # Whatever a file holds, imports continue.
        log.exception("The portal's own list %s cannot be used", name)
        _State.faults[name] = f"the list cannot be used: {exc}"
        _State.lists[name], _State.made = own, {}
        return make(own)


def row(name: str, key: str) -> Mapping[str, str] | None:
    """Return the entry of a list with this key, None if it has none.

    Case, ``https`` for ``http`` and a slash at the end do not matter; other URLs in the column
    ``aliases`` count too, and for schemas all URLs of ``schema_urls.forms``.
    """
    entries = _entries(name)
    keys = (folded(key), *(map(folded, forms(key)) if name == "schemas" else ()))
    return next((entries[one] for one in keys if one in entries), None)


def label(name: str, key: str) -> str:
    """Return the label of the entry with this key, "" if the list has none."""
    entry = row(name, key)
    return load(name).label(entry) if entry else ""


def _entries(name: str) -> Mapping[str, Mapping[str, str]]:
    """Return key → entry of a list; an entry's own key wins over an alias of another."""
    if name not in _State.made:
        vocabulary = load(name)
        aliases = (
            (alias, row) for row in vocabulary.rows for alias in parts(row.get("aliases", ""))
        )
        own = ((vocabulary.key(row), row) for row in vocabulary.rows)
        _State.made[name] = {folded(key): row for key, row in (*aliases, *own)}
    entries: Mapping[str, Mapping[str, str]] = _State.made[name]
    return entries
