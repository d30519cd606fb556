"""The 34 spatial data themes of INSPIRE (Directive 2007/2/EC, annexes I to III)."""

from __future__ import annotations

import re
from collections.abc import Mapping

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
    return _themes().get(named.lower().lstrip("0"), "")


def theme_of_label(text: str) -> str:
    """Return a theme's label as the register writes it, from any case and any dash."""
    return _by_label().get(_plain(text), "")


def _plain(label: str) -> str:
    """Return letters and digits only: dashes and the spaces around them differ."""
    return re.sub(r"[\W_]+", "", label).casefold()


@vocabulary.derived("inspire_themes")
def _themes(read: Vocabulary) -> Mapping[str, str]:
    """Return labels by the register's two letters, and by the number in the oldest URLs."""
    themes: dict[str, str] = {}
    for row in read.rows:
        themes[row["uri"].rpartition("/")[2].lower()] = themes[row["number"]] = row["label"]
    return themes


@vocabulary.derived("inspire_themes")
def _by_label(read: Vocabulary) -> Mapping[str, str]:
    return {_plain(row["label"]): row["label"] for row in read.rows}
