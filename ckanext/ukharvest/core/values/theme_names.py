"""The twelve themes of UK portals: their names, and the theme of a register's entry.

Each function for these returns a stored name such as "Environment", or "" if no theme applies. Also
the 34 spatial data themes of INSPIRE (Directive 2007/2/EC, annexes I to III).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from urllib.parse import unquote

from ckanext.ukharvest.core.values.text import fold_name
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.core.vocabularies.vocabulary import Vocabulary

_ADDRESS = re.compile(
    r"https?://(?:inspire\.ec\.europa\.eu/theme/(?P<register>[a-z]{2})"
    r"|(?:www\.)?eionet\.europa\.eu/gemet/(?:[a-z-]+/)?inspire-theme/(?P<gemet>[a-z]{2})"
    r"|rdfdata\.eionet\.europa\.eu/inspirethemes/themes/(?P<number>\d{1,2}))/?",
    re.IGNORECASE,
)


def theme_of_address(url: str) -> str:
    """Return the label of the theme that a URL of INSPIRE's or GEMET's register names."""
    match = _ADDRESS.fullmatch(url.strip())
    if not match:
        return ""
    named = match["number"] or match["register"] or match["gemet"]
    return _inspire_themes().get(named.lower().lstrip("0"), "")


def theme_of_label(text: str) -> str:
    """Return a theme's label as the register writes it, from any case and any dash."""
    return _by_label().get(fold_name(text), "")


@vocabulary.derived("inspire_themes")
def _inspire_themes(read: Vocabulary) -> Mapping[str, str]:
    """Return labels by the register's two letters, and by the number in the oldest URLs."""
    themes: dict[str, str] = {}
    for row in read.rows:
        themes[row["uri"].rpartition("/")[2].lower()] = themes[row["number"]] = row["label"]
    return themes


@vocabulary.derived("inspire_themes")
def _by_label(read: Vocabulary) -> Mapping[str, str]:
    return {fold_name(row["label"]): row["label"] for row in read.rows}


# http://publications.europa.eu/resource/authority/data-theme/TRAN, or the code alone.
_EU = re.compile(
    r"(?:https?://(?:www\.)?publications\.europa\.eu/resource/authority/data-theme/)?([A-Z]{4})/?",
    re.IGNORECASE,
)
_TOPIC = re.compile(r"\S*(?:TopicCategory(?:Code)?|MD_TopicCategoryCode)[/#]([A-Za-z]+)/?", re.I)

Entry = tuple[str, str]  # its theme, and its own label
NONE: Entry = ("", "")


def names() -> tuple[str, ...]:
    """Return the stored names of all themes, in display order."""
    return tuple(_titles())


def title(name: str) -> str:
    """Return the title of a stored name; an unknown name unchanged."""
    return _titles().get(name, name)


def find(text: str) -> str:
    """Return the theme that a text names.

    Args:
        text: name, title or slug in any case, or a theme of the EU's portals.
    """
    return of_uk(text) or of_eu(text)[0]


def spellings(name: str) -> tuple[str, ...]:
    """Return the spellings of a theme, given by its stored name, which comes first.

    Portals store one of them: the name, the slug or the title. An unknown name has its own only.
    """
    return _spellings().get(name, (name,))


def of_uk(text: str) -> str:
    """Return the theme of this name, title or slug."""
    return _by_slug().get(_slug(text), "")


def of_eu(text: str) -> Entry:
    """Return the theme and label of an EU data theme, given by URI, code or label."""
    match = _EU.fullmatch(text.strip())
    return _entry(_eu().get(match[1].casefold() if match else _slug(text)))


def of_inspire(text: str) -> Entry:
    """Return the theme and label of an INSPIRE theme, given by URI or label."""
    return _entry(_inspire().get(theme_of_address(text) or theme_of_label(text)))


def of_topic(text: str) -> Entry:
    """Return the theme and label of a topic category, given by code or URI."""
    match = _TOPIC.fullmatch(text.strip())
    return _entry(vocabulary.row("topic_categories", match[1] if match else text))


def is_topic_address(text: str) -> bool:
    """Tell whether a text is the URI of a topic category, of INSPIRE's register or ISO's."""
    return bool(_TOPIC.fullmatch(text.strip()))


def of_esd(uri: str) -> Entry:
    """Return the theme and label of a function or service of the LGA's lists.

    One without a theme, as in a newer list, has the theme of the function above it.
    """
    row = vocabulary.row("functions", uri) or vocabulary.row("services", uri)
    label = row["label"] if row else ""
    seen: set[str] = set()
    while row and not row.get("theme") and row["parent"] not in seen:
        seen.add(row["parent"])
        row = vocabulary.row("functions", row["parent"])
    return _entry(row)[0], label


def _entry(row: Mapping[str, str] | None) -> Entry:
    return (of_uk(row.get("theme", "")), row["label"]) if row else NONE


@vocabulary.derived("themes")
def _titles(given: Vocabulary) -> Mapping[str, str]:
    return {row["name"]: row["title"] for row in given.rows}


@vocabulary.derived("themes")
def _spellings(given: Vocabulary) -> Mapping[str, tuple[str, ...]]:
    return {row["name"]: (row["name"], row["slug"], row["title"]) for row in given.rows}


@vocabulary.derived("themes")
def _by_slug(given: Vocabulary) -> Mapping[str, str]:
    return {
        _slug(text): row["name"]
        for row in given.rows
        for text in (row["name"], row["title"], row["slug"], *row["aliases"].split(";"))
        if text
    }


@vocabulary.derived("eu_themes")
def _eu(given: Vocabulary) -> Mapping[str, Mapping[str, str]]:
    """Return the themes by code, and by label as a slug."""
    return {
        name: row
        for row in given.rows
        for name in (_slug(row["label"]), row["uri"].rpartition("/")[2].casefold())
    }


@vocabulary.derived("inspire_themes")
def _inspire(given: Vocabulary) -> Mapping[str, Mapping[str, str]]:
    return {row["label"]: row for row in given.rows}


def _slug(text: str) -> str:
    """Return letters and digits with dashes between: "Crime & Justice" is "crime-and-justice"."""
    plain = unicodedata.normalize("NFKC", unquote(text)).replace("&", " and ").casefold()
    return re.sub(r"[\W_]+", "-", plain).strip("-")
