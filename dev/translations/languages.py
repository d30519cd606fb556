"""The languages of the extension: .po files that people edit, and the .mo files that CKAN reads.

A language's file has all texts of the catalogue, and at the end those of CKAN and ckanext-harvest
on the extension's pages that CKAN has not in that language; their place is "ckan".

A text whose English has changed keeps its translation, with gettext's flag "fuzzy" until somebody
has looked at it and removes the flag. Until then the .mo file lacks it: pages show English.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from datetime import datetime, timezone
from difflib import get_close_matches
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from .catalogue import DOMAIN, POT, made, text_of

OF_CKAN = "ckan"
# Pages, commands and checks that sysadmins alone see may be in English.
OF_SYSADMINS = re.compile(
    r"/(doctor|export|patches)/|/\w*cli\.py|/(dashboard\w*|diagnostics)\.html|/adoption/"
)
WAS = "The English was: "
ALIKE = 0.6  # of 1, as difflib compares: a text and the one that it was
_NO_DATE = datetime(2000, 1, 1, tzinfo=timezone.utc)  # so that equal texts give equal files


def written() -> dict[Path, str | bytes]:
    """Return both files of each language, with the texts of today; new ones are empty."""
    files: dict[Path, str | bytes] = {}
    for path, catalog in _read():
        template = made()
        for message in list(catalog):
            if (OF_CKAN, None) in message.locations and message.id not in template:
                template.add(message.id, locations=[(OF_CKAN, 1)])
        update(catalog, template)
        catalog.creation_date = catalog.revision_date = _NO_DATE
        compiled = io.BytesIO()
        write_mo(compiled, catalog)
        files |= {path: text_of(catalog), path.with_suffix(".mo"): compiled.getvalue()}
    return files


def _read() -> Iterator[tuple[Path, Catalog]]:
    for path in sorted(POT.parent.glob(f"*/LC_MESSAGES/{DOMAIN}.po")):
        with path.open("rb") as file:
            yield path, read_po(file, locale=path.parts[-3])


def update(catalog: Catalog, template: Catalog) -> None:
    """Give a language's catalogue the texts of today, in the order of the template."""
    gone = [each for each in catalog if each.id and each.id not in template and all(forms(each))]
    for message in [each for each in template if each.id and each.id not in catalog]:
        before = {english(each): each for each in gone if each.pluralizable == message.pluralizable}
        for text in get_close_matches(english(message), before, 1, ALIKE):
            changed = before[text]
            # A text that has changed twice was translated from the first.
            was = changed.user_comments if changed.fuzzy else [f"{WAS}{text}"]
            catalog.add(message.id, changed.string, flags={"fuzzy"}, user_comments=was)
    catalog.update(template, no_fuzzy_matching=True)
    catalog.obsolete.clear()
    for message in catalog:
        if (
            not message.fuzzy
            and message.user_comments[:1]
            and message.user_comments[0].startswith(WAS)
        ):
            message.user_comments = []


def english(message: Message) -> str:
    """Return a message's text, without its plural."""
    return str(message.id if isinstance(message.id, str) else message.id[0])


def forms(message: Message) -> tuple[str, ...]:
    """Return a message's translation in each of the language's plural forms; "" for none."""
    return (message.string,) if isinstance(message.string, str) else message.string or ("",)


def unfinished(catalog: Catalog) -> Iterator[str]:
    """Yield what has to be translated or looked at before a release, a line for each text."""
    for message in filter(lambda each: each.id, catalog):
        places = [f"/{path}" for path, _line in message.locations]
        if all(map(OF_SYSADMINS.search, places)):
            continue
        if message.fuzzy:
            yield f"to be looked at: {english(message)}"
        elif not all(map(str.strip, forms(message))):
            yield f"not translated: {english(message)}"


def before_release() -> int:
    """Print what is unfinished in each language; return the exit code."""
    lines = [
        f"{path.parts[-3]}: {line}" for path, catalog in _read() for line in unfinished(catalog)
    ]
    print(*lines or ["Every text for visitors and publishers is translated."], sep="\n")
    return 1 if lines else 0
