"""The registry of source types: ours, and types that other distributions declare by entry point.

A distribution declares a type in the group ``ukharvest.source_types``, under the type's name
(docs/developing/source-types.md). One that cannot be used is left out, and the error says why:
nothing that another distribution does wrong may stop the portal.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple

from ckanext.ukharvest.core.errors import ParseError, SourceError
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import DatasetRecord, Ending, RawRecord, Source
from ckanext.ukharvest.source_types.source_type import (
    BESIDE,
    COMMON_OPTIONS,
    GROUPS,
    INTERFACE,
    SourceType,
)

log = logging.getLogger(__name__)

GROUP = "ukharvest.source_types"
FORMS = ("json", "xml", "rdf")
_NAME = re.compile(r"[a-z][a-z0-9_-]{1,39}")
_UNINSTALL = "Ask its maintainers for a corrected version, or uninstall it."


class LeftOut(NamedTuple):
    """A source type of another distribution that cannot be used.

    Attributes:
        distribution: its name and version, such as "ukharvest-parks 1.0".
        name: the entry point's name, which is the type's.
        reason, what_to_do: one sentence each.
    """

    distribution: str
    name: str
    reason: str
    what_to_do: str = _UNINSTALL

    @property
    def message(self) -> str:
        """What is left out, and why, in one sentence."""
        return f"The source type '{self.name}' of {self.distribution} is left out: {self.reason}"


class Registry(Mapping[str, SourceType]):
    """Name → source type: ours, then those of other distributions by name.

    Entry points are read at the first use, not at import: the module that declares a type imports
    this package.

    Args:
        ours: the types of this package.

    Attributes:
        ours: name → type of this package.
    """

    def __init__(self, ours: Iterable[SourceType]) -> None:
        self.ours: Mapping[str, SourceType] = {kind.name: kind for kind in ours}
        self._types: dict[str, SourceType] | None = None
        self._left_out: tuple[LeftOut, ...] = ()
        self._is_loading = False
        self._lock = threading.RLock()

    def __getitem__(self, name: str) -> SourceType:
        types = self._load()
        return types[name if name in types else name.removeprefix(BESIDE)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._load())

    def __len__(self) -> int:
        return len(self._load())

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """The types that cannot be used, with the reasons."""
        self._load()
        return self._left_out

    def reload(self) -> None:
        """Read the entry points again at the next use."""
        with self._lock:
            self._types = None

    def stand_in(self, name: str) -> SourceType:
        """Return a type in place of one that cannot be used: reading its sources fails."""
        reason = f"No installed distribution declares the source type '{name}': install the one "
        reason += "that does again."
        for fault in self.left_out:
            if fault.name == name:
                reason = f"{fault.message} {fault.what_to_do}"
        return SourceType(name, name, reason.rstrip("."), _NoReader(reason), _NoParser())

    def _load(self) -> dict[str, SourceType]:
        with self._lock:
            if self._types is not None:
                return self._types
            if self._is_loading:
                raise RuntimeError(
                    "it uses the registry of source types while it is imported; use it later"
                )
            self._is_loading = True
            try:
                others, self._left_out = _load_others(self.ours.values())
            finally:
                self._is_loading = False
            for fault in self._left_out:
                log.error("%s %s", fault.message, fault.what_to_do)
            self._types = {**self.ours, **others}
            return self._types


def _load_others(
    ours: Collection[SourceType],
) -> tuple[dict[str, SourceType], tuple[LeftOut, ...]]:
    """Return the usable types of other distributions by name, and those left out."""
    taken = {name for kind in ours for name in (kind.name, *kind.aliases)}
    loaded: list[tuple[EntryPoint, SourceType]] = []
    left_out: list[LeftOut] = []
    points = entry_points(group=GROUP)
    for point in sorted(points, key=lambda point: (point.name, _distribution(point))):
        try:
            loaded.append((point, _usable(point, taken)))
        except _Unusable as exc:
            left_out.append(LeftOut(_distribution(point), point.name, *exc.args))
    # Of two distributions with one name neither is chosen: the records of the other's sources
    # would be read as new ones, and theirs deleted as missing.
    owners: dict[str, list[EntryPoint]] = {}
    for point, kind in loaded:
        for name in {kind.name, *kind.aliases}:
            owners.setdefault(name, []).append(point)
    types: dict[str, SourceType] = {}
    for point, kind in loaded:
        claimed = [name for name in (kind.name, *kind.aliases) if len(owners[name]) > 1]
        if claimed:
            others = sorted(
                _distribution(other) for other in owners[claimed[0]] if other is not point
            )
            reason = Message(
                "'{claimed}' is also a source type of {others}.",
                claimed=claimed[0],
                others=", ".join(others),
            )
            what_to_do = "Uninstall all but one of them."
            left_out.append(LeftOut(_distribution(point), point.name, reason, what_to_do))
        else:
            types[kind.name] = kind
    return types, tuple(left_out)


class _Unusable(Exception):
    """``args`` are the reason, and what to do if it is not the usual."""


def _distribution(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else "an unknown distribution"


def _usable(point: EntryPoint, taken: Collection[str]) -> SourceType:
    """Load an entry point and check what it declares.

    Raises:
        _Unusable: with the reason.
    """
    try:
        kind = point.load()
    except (Exception, SystemExit) as exc:  # the module is not ours: it may raise anything
        log.debug("Loading %s failed", point.value, exc_info=True)
        text = (str(exc).strip().splitlines() or ["no message"])[0]
        raise _Unusable(
            f"loading {point.value} failed with {type(exc).__name__}: {text}.",
            "Install what it needs, or a version that was made for version "
            f"{INTERFACE} of the interface for source types, or uninstall it.",
        ) from exc
    if not isinstance(kind, SourceType):
        raise _Unusable(f"{point.value} is a {type(kind).__name__}; expected a SourceType.")
    if kind.interface != INTERFACE:
        version = f"version {kind.interface}" if kind.interface else "no version that it states"
        raise _Unusable(
            f"it was made for {version} of the interface for source types; this is version "
            f"{INTERFACE}.",
            f"Install a version of it with interface={INTERFACE}, or uninstall it.",
        )
    if fault := next(_faults(kind, point.name, taken), ""):
        raise _Unusable(fault)
    return kind


def _faults(kind: SourceType, entry: str, taken: Collection[str]) -> Iterator[str]:
    """Yield what makes a type unusable, each as a sentence."""
    if not isinstance(kind.name, str) or not _NAME.fullmatch(kind.name):
        yield f"its name is {kind.name!r}; expected 2 to 40 of a-z, 0-9, _ and -."
        return
    if kind.name != entry:
        yield f"its name is '{kind.name}'; expected that of its entry point, '{entry}'."
    for name in (kind.name, *kind.aliases):
        if name in taken:
            yield f"'{name}' is a source type of ckanext-ukharvest itself."
    if not kind.title or not kind.description:
        yield "its title or description is empty; expected texts for the form."
    if kind.group not in GROUPS:
        yield f"its group is {kind.group!r}; expected one of {', '.join(GROUPS)}."
    if not all(callable(getattr(kind.reader, name, None)) for name in ("records", "fetch")):
        yield "its reader has no methods records and fetch."
    parser: Any = kind.parser
    if not callable(getattr(parser, "parse", None)) or not isinstance(
        getattr(parser, "VERSION", None), int
    ):
        yield "its parser has no function parse or no whole number VERSION."
    elif getattr(parser, "FORM", None) not in FORMS:
        yield f"its parser's FORM is not one of {', '.join(FORMS)}."
    yield from _faults_of_options(kind.options)


def _faults_of_options(options: Iterable[Option]) -> Iterator[str]:
    seen = {option.name for option in COMMON_OPTIONS}
    for option in options:
        if not isinstance(option, Option):
            yield f"one of its options is a {type(option).__name__}; expected an Option."
        elif option.name in seen:
            yield f"its option '{option.name}' is there twice, or is one that all types have."
        seen.add(getattr(option, "name", ""))


class _NoReader:
    """A reader whose sources cannot be read.

    Args:
        reason: the message of each run.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        raise SourceError(self.reason, url=source.url)
        yield  # makes it a generator

    def fetch(self, _source: Source, _raw: RawRecord) -> RawRecord:
        raise SourceError(self.reason)


class _NoParser:
    """A parser of nothing."""

    VERSION = 0
    FORM = "json"

    def parse(self, raw: RawRecord, _options: Mapping[str, Any]) -> DatasetRecord:
        raise ParseError(
            Message("{record}: the source type cannot be used", record=raw.display_name)
        )
