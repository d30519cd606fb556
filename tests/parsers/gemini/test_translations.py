"""PT_FreeText and PT_Locale."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.records import Translation
from tests.parsers.gemini.elements import TEXT, document, parsed

ENGLISH = '<gmd:language><gmd:LanguageCode codeList="x" codeListValue="eng"/></gmd:language>'


def free(own: str, **translations: str) -> str:
    groups = "".join(
        f'<gmd:textGroup><gmd:LocalisedCharacterString locale="#{locale}">{text}'
        "</gmd:LocalisedCharacterString></gmd:textGroup>"
        for locale, text in translations.items()
    )
    plain = TEXT.format(own) if own else '<gco:CharacterString gco:nilReason="missing"/>'
    return f"<gmd:title>{plain}<gmd:PT_FreeText>{groups}</gmd:PT_FreeText></gmd:title>"


@pytest.mark.parametrize(
    ("title", "expected", "language"),
    [
        (TEXT.format("Rivers").join(("<gmd:title>", "</gmd:title>")), {}, "en"),
        (free("Rivers", cym="Afonydd"), {"cy": "Afonydd", "en": "Rivers"}, "en"),
        (free("Rivers", W="Afonydd"), {"cy": "Afonydd", "en": "Rivers"}, "en"),
        (free("Rivers", X="?"), {}, "en"),
        # Of a title without a text of its own, the translation that is used says the language.
        (free("", W="Afonydd", fre="Rivières"), {"cy": "Afonydd", "fr": "Rivières"}, "cy"),
    ],
)
def test_a_title_is_kept_in_all_languages(
    title: str, expected: dict[str, str], language: str
) -> None:
    locale = (
        '<gmd:locale><gmd:PT_Locale id="W"><gmd:languageCode>'
        '<gmd:LanguageCode codeList="x" codeListValue="wel"/></gmd:languageCode></gmd:PT_Locale>'
        "</gmd:locale>"
    )
    record = parsed(document(citation=title, bare="gmd:title", root=ENGLISH + locale))
    found = {code: Translation(text) for code, text in expected.items()}
    assert (dict(record.translations), record.text_language) == (found, language)
