"""Texts of a record in several languages, as a source or a plugin gives them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from ckanext.ukharvest.core.values.languages import language_code


@dataclass(frozen=True, slots=True)
class Translation:
    """A dataset's texts in one language; "" or () where there is none in it."""

    title: str = ""
    notes: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResourceTranslation:
    """A resource's texts in one language; "" where there is none in it."""

    name: str = ""
    description: str = ""


Texts = TypeVar("Texts", Translation, ResourceTranslation)
# A field's texts: language tag in any form (RFC 5646, ISO 639-2) and value.
Pairs = Iterable[tuple[str, Any]]


def collect_translations(
    kind: type[Texts], fields: Mapping[str, Pairs], least: int = 2
) -> dict[str, Texts]:
    """Return language code → the texts in it, by code; {} if there are too few languages.

    Of several texts of a field in one language the first stays, but one without a region wins over
    those with one: ``en`` over ``en-GB``. A text without a language is left out.

    Args:
        kind: Translation or ResourceTranslation.
        fields: name of an attribute of ``kind`` → its texts.
        least: number of languages; 1 where the main text is not among these texts.
    """
    by_language: dict[str, dict[str, Any]] = {}
    for name, pairs in fields.items():
        for tag, value in sorted(pairs, key=lambda pair: len(pair[0]) > 3):
            if value and (code := language_code(tag)):
                by_language.setdefault(code, {}).setdefault(name, value)
    return (
        {code: kind(**by_language[code]) for code in sorted(by_language)}
        if len(by_language) >= least
        else {}
    )


# Key in CKAN → attribute of the record, and of its Translation.
OF_DATASET = {"title_translated": "title", "notes_translated": "notes", "tags_translated": "tags"}
OF_RESOURCE = {"name_translated": "name", "description_translated": "description"}
