"""A folder's page as Apache's mod_autoindex writes it with its usual options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from posixpath import dirname


@dataclass(frozen=True)
class Entry:
    """A file or, with a slash, a folder; date and bytes as in the file system."""

    name: str
    date: str = "2026-01-05"
    size: int = 34


def page(path: str, entries: Sequence[Entry]) -> str:
    """Return the page of a folder, its entries in the order of their names."""
    title = f"Index of {path.rstrip('/')}"
    rows = "".join(_row(each) for each in sorted(entries, key=lambda each: each.name))
    columns = "".join(
        f'<th><a href="?C={letter};O=A">{name}</a></th>'
        for letter, name in (("N", "Name"), ("M", "Last modified"), ("S", "Size"))
    )
    return (
        '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">\n'
        f"<html>\n <head>\n  <title>{escape(title)}</title>\n </head>\n <body>\n"
        f"<h1>{escape(title)}</h1>\n  <table>\n"
        f'   <tr><th valign="top"><img src="/icons/blank.gif" alt="[ICO]"></th>{columns}</tr>\n'
        f'   <tr><td></td><td><a href="{dirname(path.rstrip("/")).rstrip("/")}/">Parent Directory'
        '</a></td><td>&nbsp;</td><td align="right">  - </td></tr>\n'
        f"{rows}</table>\n<address>Apache/2.4.58 (Unix)</address>\n</body></html>\n"
    )


def _row(entry: Entry) -> str:
    size = "  - " if entry.name.endswith("/") else _size(entry.size)
    return (
        '<tr><td valign="top"><img src="/icons/unknown.gif" alt="[   ]"></td>'
        f'<td><a href="{entry.name}">{entry.name}</a></td>'
        f'<td align="right">{entry.date} 09:30  </td><td align="right">{size}</td></tr>\n'
    )


def _size(size: int) -> str:
    return f"{size / 1024:.1f}K" if size >= 1024 else str(size)
