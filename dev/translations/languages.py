"""The languages of the extension: .po files that people edit, and the .mo files that CKAN reads.

A language's file has all texts of the catalogue, and at the end those of CKAN and ckanext-harvest
on the extension's pages that CKAN has not in that language; their place is "ckan".
"""

from __future__ import annotations

import io
from datetime import datetime, timezone
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from .catalogue import DOMAIN, POT, made, text_of

OF_CKAN = "ckan"
_NO_DATE = datetime(2000, 1, 1, tzinfo=timezone.utc)  # so that equal texts give equal files


def written() -> dict[Path, str | bytes]:
    """Return both files of each language, with the texts of today; new ones are empty."""
    files: dict[Path, str | bytes] = {}
    for path in sorted(POT.parent.glob(f"*/LC_MESSAGES/{DOMAIN}.po")):
        catalog = updated(path)
        catalog.creation_date = catalog.revision_date = _NO_DATE
        compiled = io.BytesIO()
        write_mo(compiled, catalog)
        files |= {path: text_of(catalog), path.with_suffix(".mo"): compiled.getvalue()}
    return files


def updated(path: Path) -> Catalog:
    """Return a language's catalogue with the texts of today, in the order of the .pot file."""
    with path.open("rb") as file:
        catalog = read_po(file, locale=path.parts[-3])
    template = made()
    for message in list(catalog):
        if (OF_CKAN, None) in message.locations and message.id not in template:
            template.add(message.id, locations=[(OF_CKAN, 1)])
    catalog.update(template, no_fuzzy_matching=True)
    catalog.obsolete.clear()
    return catalog
