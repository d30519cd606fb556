"""Count the calls of a portal's hook in processes of their own: consumers."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.ckan.processes import PROGRAM


def counting_program(folders: Sequence[str], hooks: Sequence[str], path: Path) -> str:
    """Return the program ``ckan`` that writes each call of hooks to a file.

    Args:
        folders: of the modules that plugins are in.
        hooks: "module:Class.method".
    """
    return (
        f"import sys; sys.path[:0] = {list(folders)}\n"
        f"from tests.ckan.adoption import hook_calls\n"
        f"hook_calls.write_calls({list(hooks)}, {str(path)!r})\n{PROGRAM}"
    )


def write_calls(hooks: Sequence[str], path: str) -> None:
    """Write a line with hook and guid for each call of hooks in this process."""
    for hook in hooks:
        place, _dot, name = hook.rpartition(".")
        module, _colon, cls_name = place.partition(":")
        _wrap(getattr(importlib.import_module(module), cls_name), name, hook, path)


def _wrap(cls: type, name: str, hook: str, path: str) -> None:
    method = getattr(cls, name)

    def call(self: Any, *args: Any) -> Any:
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{hook}\t{_guid(args)}\n")
        return method(self, *args)

    setattr(cls, name, call)


def _guid(args: Sequence[Any]) -> str:
    """Return the guid of the record or harvest object that a hook is called with."""
    values = [*args, *(arg.get("harvest_object") for arg in args if isinstance(arg, dict))]
    return next(value.guid for value in values if hasattr(value, "guid"))


def take_calls(path: Path) -> Counter[str]:
    """Return how often each hook was called for each guid since the last time: "hook<tab>guid"."""
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return Counter(lines)
