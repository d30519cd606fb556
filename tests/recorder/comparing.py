"""Compare two recordings of a portal, line by line, and print the differences by kind."""

from __future__ import annotations

import difflib
import json
import re
from collections import defaultdict
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
        if old == new:
            continue
        if any(isinstance(each, int) for each in (old, new)):
            if old is not None and new is not None:
                counts.append(f"  {' | '.join(key)}: {old} → {new}")
            continue
        state = "gone" if new is None else "added" if old is None else "changed"
        kinds[f"{_kind(key)}: {state}"].append((key, old, new))
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
