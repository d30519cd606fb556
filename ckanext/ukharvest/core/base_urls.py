"""A publisher's move from one base URL to another: which URLs change, and how records match."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple
from urllib.parse import urlsplit

_SCHEMES = ("http", "https")


class BaseMove(NamedTuple):
    """One base URL that becomes another; both without a slash at the end."""

    old: str
    new: str

    def apply(self, url: str) -> str:
        """Return the URL below the new base; "" if it is not below the old one."""
        return self.new + url[len(self.old) :] if is_below(url, self.old) else ""

    def revert(self, url: str) -> str:
        """Return the URL below the old base; "" if it is not below the new one."""
        return BaseMove(self.new, self.old).apply(url)


def is_below(url: str, base: str) -> bool:
    """Tell whether a URL is a base URL, or below it: ``https://a/b`` is not below ``https://a/bc``."""
    return url.startswith(base) and url[len(base) : len(base) + 1] in ("", "/", "?", "#")


def find_moves(old: str, new: str) -> list[BaseMove]:
    """Return what may have become of the URLs of a source that moved, the longest base first.

    These are the source's own URL, its folders as far as they make a difference, and its server.
    Identifiers often have the other one of http and https.

    Args:
        old, new: URLs of the source.
    """
    moves: dict[BaseMove, None] = {}
    for pair in _base_pairs(old, new):
        bases = [_with_both_schemes(base) for base in pair]
        moves.update((BaseMove(*both), None) for both in product(*bases) if both[0] != both[1])
    return list(moves)


def infer_move(old: str, new: str) -> BaseMove | None:
    """Return the move between two URLs of one file: what remains without their common end.

    None if not even the name of the file is the same.
    """
    before, after = (url.split("/") for url in (old, new))
    common = 0
    # The server's name is no part of the common end.
    while min(len(before), len(after)) - common > 3 and before[-1 - common] == after[-1 - common]:
        common += 1
    if not common:
        return None
    return BaseMove("/".join(before[:-common]), "/".join(after[:-common]))


def _base_pairs(old: str, new: str) -> Iterator[tuple[str, str]]:
    (old_server, old_path), (new_server, new_path) = map(_split, (old, new))
    if old_path or new_path:
        yield old_server + old_path, new_server + new_path
    # What is not below the document itself is in its folder: /data/catalogue.json and /data/1.
    is_first = True
    while old_path and new_path and (is_first or _last(old_path) == _last(new_path)):
        is_first = False
        old_path, new_path = (path.rpartition("/")[0] for path in (old_path, new_path))
        if old_path or new_path:
            yield old_server + old_path, new_server + new_path
    yield old_server, new_server


def _split(url: str) -> tuple[str, str]:
    parts = urlsplit(url.strip())
    return f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _with_both_schemes(base: str) -> list[str]:
    scheme, _, rest = base.partition("://")
    return [base, *(f"{other}://{rest}" for other in _SCHEMES if other != scheme)]


@dataclass
class Matches:
    """Which known records a source has at its new URL.

    Attributes:
        same: guids that are the same there.
        moved: move → guids that are there with the base URL replaced.
        missing: guids that are not there.
        added: number of records there that are not known.
    """

    same: list[str] = field(default_factory=list)
    moved: dict[BaseMove, list[str]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    added: int = 0


def match(known: Iterable[str], listed: Collection[str], moves: Sequence[BaseMove]) -> Matches:
    """Match known guids with those that the source lists at its new URL.

    Args:
        known: guids of the source's records.
        listed: guids at the new URL.
        moves: as ``find_moves`` returns them; the first that matches decides.
    """
    matches = Matches()
    left: dict[str, None] = {}
    for guid in known:
        if guid in listed:
            matches.same.append(guid)
        else:
            left[guid] = None
    same = frozenset(matches.same)
    for guid in listed:
        if guid in same:
            continue
        before = ((move, move.revert(guid)) for move in moves)
        move, old = next((pair for pair in before if pair[1] in left), (None, ""))
        if move is None:
            matches.added += 1
        else:
            del left[old]
            matches.moved.setdefault(move, []).append(old)
    matches.missing = list(left)
    return matches
