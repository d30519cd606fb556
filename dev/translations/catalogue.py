"""The catalogue of all texts, as gettext's tools read it (a .pot file)."""

from __future__ import annotations

import functools
import io
import re
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.pofile import write_po

from .tables import tables

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "ckanext" / "ukharvest"
DOMAIN = "ckanext-ukharvest"
POT = PACKAGE / "i18n" / f"{DOMAIN}.pot"

# As in setup.py, which CKAN's own commands read.
METHODS = [
    ("**.py", "python"),
    ("**.js", "javascript"),
    ("**.html", "ckan"),
    ("**/templates/**.txt", "ckan"),
]
# Header lines that say who wrote the file, when and with what.
_CHANGING = re.compile(
    '"(Project-Id-Version|Report-Msgid|POT-Creation|PO-Revision|Last-Trans|Language-Team|Generated-By)'
)
LEFT_OUT = "vendor"  # libraries have their own translations, or none
# Messages that only a developer or a sysadmin gets, at a command line or for an option.
UNTRANSLATED = (
    *("check_command/", "core/fingerprint.py", "core/http/credentials.py", "core/options.py"),
    "source_types/",
)


def made() -> Catalog:
    """Return every text of code, scripts, templates and tables, with its files."""
    catalog = Catalog(
        header_comment=f"# Texts of {DOMAIN}; bin/translations writes this file.", fuzzy=False
    )
    for path, text, comments, context in sorted(marked(), key=lambda each: each[0]):
        catalog.add(text, None, [(path, 1)], auto_comments=comments, context=context)
    for path, texts in tables().items():
        for text in filter(None, texts):
            catalog.add(text, None, [(f"ckanext/ukharvest/{path}", 1)])
    return catalog


@functools.cache
def marked() -> list[tuple[str, Any, list[str], str | None]]:
    """Return what marks ask for: file, text (or text and plural), comments, context."""
    found = extract_from_dir(
        PACKAGE,
        method_map=METHODS,
        keywords={**DEFAULT_KEYWORDS, "translate": None},  # rendering.values.Portal's
        comment_tags=("Translators:",),
        strip_comment_tags=True,
    )
    templates = extract_from_dir(PACKAGE, method_map=METHODS[:1], keywords={"Message": None})
    messages = (each for each in templates if not each[0].startswith(UNTRANSLATED))
    everything = (*found, *messages)
    paths = (
        ((PACKAGE / name).relative_to(ROOT).as_posix(), *rest) for name, _line, *rest in everything
    )
    return [
        (path, text, comments, context)
        for path, text, comments, context in paths
        if f"/{LEFT_OUT}/" not in path
    ]


def written() -> str:
    """Return the catalogue of all texts."""
    return text_of(made())


def text_of(catalog: Catalog) -> str:
    """Return a catalogue as text: the same for the same texts, whatever the date and line."""
    stream = io.BytesIO()
    write_po(stream, catalog, width=100, include_lineno=False, sort_by_file=False)
    lines = stream.getvalue().decode().splitlines(keepends=True)
    return "".join(line for line in lines if not _CHANGING.match(line))
