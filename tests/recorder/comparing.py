"""Compare two recordings of a portal, line by line, and print the differences by kind."""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Key = tuple[str, str, str]
_OWN = "(?:help|new|add|check|stars|links|data-checks|sources|harvest_object)\\b"


def compare(before: Path, after: Path, *, show_all: bool) -> bool:
    """Print what differs, grouped by kind; tell whether anything but statements does."""
    first, second = (_load(each) for each in (before, after))
    kinds: dict[str, list[tuple[Key, Any, Any]]] = defaultdict(list)
    counts: list[str] = []
    for key in sorted(first.keys() | second.keys()):
        old, new = first.get(key), second.get(key)
        if isinstance(old, int) or isinstance(new, int):
            counts += [f"  {' | '.join(key)}: {old} → {new}"] * (old != new)
        elif old != new:
            for kind, *values in _differences(key, old, new):
                kinds[kind].append((key, *values))
    for kind, differences in sorted(kinds.items()):
        print(f"\n{kind}: {len(differences)}")
        for key, old, new in differences if show_all else differences[:3]:
            print(f"  {' | '.join(key)}")
            lines = difflib.unified_diff(_lines(old), _lines(new), lineterm="", n=2)
            shown = [line for line in lines if not line.startswith(("---", "+++"))]
            for line in shown if show_all else shown[:30]:
                print(f"    {line if show_all else line[:400]}")
    if counts:
        print("\nstatements:", *counts, sep="\n")
    total = sum(map(len, kinds.values()))
    print(f"\n{len(first)} lines and {len(second)}; {total} differences")
    return bool(total)


def _differences(key: Key, old: Any, new: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield kind, old and new value; of rows, those of each row that changed."""
    kind = _kind(key)
    if _are_rows(old) and _are_rows(new):
        yield from ((f"{kind}: {names}", *values) for names, *values in _changed_rows(old, new))
    else:
        yield (
            f"{kind}: {'gone' if new is None else 'added' if old is None else 'changed'}",
            old,
            new,
        )


def _kind(key: Key) -> str:
    """Return the route, action or table of a line, without the values in it."""
    _, who, what = key
    if who == "step":
        return f"rows of {what.rpartition(': ')[2]}"
    if who in ("index", "mails", "calls"):
        return {"index": "index documents", "calls": "calls of plugins"}.get(who, who)
    if who == "command":
        return f"ckan ukharvest {what}"
    what = re.sub(r"^(action \w+) \{.*?\}(?=$|: | \()", r"\1", what)
    return re.sub(
        rf"‹[^›]*›|(?<=/harvest/)(?!{_OWN})[\w-]+|(?<=/dataset/)[\w-]+|(?<=/)\d+\b", "…", what
    )


def _are_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and str(value[0])[:3] in ("+ {", "- {")


def _changed_rows(old: list[str], new: list[str]) -> Iterator[tuple[str, Any, Any]]:
    """Yield the columns, and their old and new values, of rows that are most alike."""
    gone, come = ([*(Counter(a) - Counter(b)).elements()] for a, b in ((old, new), (new, old)))
    rows = [(line[0], json.loads(line[2:])) for line in come]
    for line in gone:
        sign, row = line[0], json.loads(line[2:])
        same = [
            (sum(row.get(name) == value for name, value in each.items()), number)
            for number, (other, each) in enumerate(rows)
            if other == sign
        ]
        if not same or not max(same)[0]:
            yield "row gone", [line], []
            continue
        _, like = rows.pop(max(same)[1])
        names = sorted(name for name in {*row, *like} if row.get(name) != like.get(name))
        values = ({name: each.get(name) for name in names} for each in (row, like))
        yield ", ".join(names), *values
    yield from (("row added", [], [f"{sign} {json.dumps(row)}"]) for sign, row in rows)


def _lines(value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, dict) and isinstance(value.get("page"), list):
        rest = {name: each for name, each in value.items() if name != "page"}
        return [*_lines(rest), *value["page"]]
    if isinstance(value, list):
        return [str(each) for each in value]
    return json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1).splitlines()


def _load(path: Path) -> dict[Key, Any]:
    """Return the lines by portal, role and what was asked; those that are the same, whole."""
    found: dict[Key, Any] = {}
    for text in path.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        portal, who, what = line.pop("portal"), line.pop("who"), line.pop("what")
        key, number = (portal, who, what), 1
        while key in found:
            number += 1
            key = (portal, who, f"{what} ({number})")
        if "same" in line:
            found[key] = found[portal, line["same"], what]
        else:
            (found[key],) = line.values()
    return found
