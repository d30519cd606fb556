"""Local government's functions and services, by the identifiers of the esd-toolkit's lists."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote

FUNCTION, SERVICE = "function", "service"

# http://id.esd.org.uk/service/579, or a page that shows it
# (http://standards.esd.org.uk/?uri=service%2F579).
_ESD = re.compile(r"https?://(?:id|standards)\.esd\.org\.uk/\S*?(service|function)/(\d+)", re.I)


@dataclass(frozen=True, slots=True)
class Found:
    """What texts name.

    Attributes:
        functions, services: identifiers as ``http://id.esd.org.uk/function/40``, in the order in
            which they were met, each once; also those that no list has.
        others: texts that are none.
    """

    functions: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def find(texts: Iterable[str]) -> Found:
    """Tell functions from services by their addresses, whatever field they stand in."""
    found: dict[str, dict[str, None]] = {FUNCTION: {}, SERVICE: {}}
    for text in texts:
        for kind, number in _ESD.findall(unquote(text)):
            found[kind.lower()][f"http://id.esd.org.uk/{kind.lower()}/{number}"] = None
    return Found(tuple(found[FUNCTION]), tuple(found[SERVICE]))
