"""The portal's language and URLs, passed to rendering, which does not import CKAN."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from babel import Locale, UnknownLocaleError


@dataclass(frozen=True, slots=True)
class Portal:
    """The reader's language, and URLs of the portal's pages.

    Attributes:
        translate: English text → the reader's.
        search: a field of the search index and a value → the URL of the portal's search.
        language: the reader's, as CKAN writes it: ``en_GB``.
    """

    translate: Callable[[str], str] = str
    search: Callable[[str, str], str] = lambda _field, _value: ""
    language: str = "en"

    @property
    def locale(self) -> Locale:
        """Return the reader's language; English if Babel does not know it."""
        try:
            return Locale.parse(self.language, sep="_")
        except (ValueError, UnknownLocaleError):
            return Locale("en")
