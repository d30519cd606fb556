"""The twelve themes of UK portals by name, and the theme that a register's entry belongs to.

Each function returns a stored name such as "Environment", and "" for what belongs to none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from ckanext.ukharvest.core import inspire, vocabulary
from ckanext.ukharvest.core.vocabulary import Vocabulary

_LISTS = ("themes", "functions", "services", "eu_themes", "inspire_themes", "topic_categories")
# http://publications.europa.eu/resource/authority/data-theme/TRAN, or the code alone.
_EU = re.compile(
    r"(?:https?://(?:www\.)?publications\.europa\.eu/resource/authority/data-theme/)?([A-Z]{4})/?",
    re.IGNORECASE,
)
_TOPIC = re.compile(r"\S*(?:TopicCategory(?:Code)?|MD_TopicCategoryCode)[/#]([A-Za-z]+)/?", re.I)

Entry = tuple[str, str]  # the theme it belongs to, and its own label
NONE: Entry = ("", "")


def names() -> tuple[str, ...]:
    """Stored names of all themes, in the order in which people are shown them."""
    return tuple(_index().titles)


def title(name: str) -> str:
    """Return what people read for a stored name; an unknown one as it is."""
    return _index().titles.get(name, name)


def find(text: str) -> str:
    """Return the theme that a text means.

    Args:
        text: name, title or slug in any case, or a theme of the EU's portals.
    """
    return of_uk(text) or of_eu(text)[0]


def of_uk(text: str) -> str:
    """Return the theme of this name, title or slug."""
    return _index().by_slug.get(_slug(text), "")


def of_eu(text: str) -> Entry:
    """Return the theme of an EU data theme, by address, code or label, and its label."""
    match = _EU.fullmatch(text.strip())
    return _index().eu.get(match[1].casefold() if match else _slug(text), NONE)


def of_inspire(text: str) -> Entry:
    """Return the theme of an INSPIRE theme's address or label, and its label."""
    label = inspire.theme_of_address(text) or inspire.theme_of_label(text)
    return _index().inspire.get(label, NONE)


def of_topic(text: str) -> Entry:
    """Return the theme of a topic category's code or address, and its label."""
    match = _TOPIC.fullmatch(text.strip())
    code = (match[1] if match else text.strip()).casefold()
    return _index().topics.get(code, NONE)


def is_topic_address(text: str) -> bool:
    """Tell whether a text is the address of a topic category, of INSPIRE's register or ISO's."""
    return bool(_TOPIC.fullmatch(text.strip()))


def of_esd(uri: str) -> Entry:
    """Return the theme of a function or service of the LGA's lists, and its label."""
    return _index().esd.get(uri, NONE)


@dataclass(frozen=True, slots=True)
class _Index:
    lists: tuple[Vocabulary, ...]
    titles: Mapping[str, str]
    by_slug: Mapping[str, str]
    esd: Mapping[str, Entry]
    eu: Mapping[str, Entry]  # by code, and by label as a slug
    inspire: Mapping[str, Entry]
    topics: Mapping[str, Entry]


_last: _Index | None = None


def _index() -> _Index:
    """What the lists say, anew where a list was replaced."""
    global _last
    lists = tuple(vocabulary.load(name) for name in _LISTS)
    if _last is None or any(a is not b for a, b in zip(_last.lists, lists, strict=True)):
        _last = _made(lists)
    return _last


def _made(lists: tuple[Vocabulary, ...]) -> _Index:
    themes, functions, services, eu, inspire_themes, topics = (each.rows for each in lists)
    slugs = {
        _slug(text): row["name"]
        for row in themes
        for text in (row["name"], row["title"], row["slug"], *row["aliases"].split(";"))
        if text
    }

    def entry(row: Mapping[str, str]) -> Entry:
        return slugs.get(_slug(row["theme"]), ""), row["label"]

    return _Index(
        lists,
        {row["name"]: row["title"] for row in themes},
        slugs,
        {row["uri"]: entry(row) for row in (*functions, *services)},
        {
            name: entry(row)
            for row in eu
            for name in (_slug(row["label"]), row["uri"].rpartition("/")[2].casefold())
        },
        {row["label"]: entry(row) for row in inspire_themes},
        {row["code"].casefold(): entry(row) for row in topics},
    )


def _slug(text: str) -> str:
    """Letters and digits with dashes between: "Crime & Justice" is "crime-and-justice"."""
    plain = unicodedata.normalize("NFKC", unquote(text)).replace("&", " and ").casefold()
    return re.sub(r"[\W_]+", "-", plain).strip("-")
