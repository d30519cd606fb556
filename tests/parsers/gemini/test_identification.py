"""Keywords of GEMINI records: tags, fields filled from them, and INSPIRE's themes."""

from __future__ import annotations

import json

import pytest

from ckanext.ukharvest.core.options import validate
from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.source_types.gemini import GEMINI_SINGLE
from tests.parsers.gemini.elements import ADDRESS, TEXT, document, parsed


def keywords(*words: str, vocabulary: str = "") -> str:
    inside = "".join(f"<gmd:keyword>{each}</gmd:keyword>" for each in words)
    thesaurus = (
        f"<gmd:thesaurusName><gmd:CI_Citation><gmd:title>{TEXT.format(vocabulary)}</gmd:title>"
    )
    return (
        f"<gmd:descriptiveKeywords><gmd:MD_Keywords>{inside}{thesaurus}</gmd:CI_Citation>"
        "</gmd:thesaurusName></gmd:MD_Keywords></gmd:descriptiveKeywords>"
    )


def test_keywords_become_tags_for_ckan_and_are_kept_as_given() -> None:
    given = ("EARTH SCIENCE > RIVERS/LAKES", "water; floods, weirs", "Rivers", "rivers")
    record = parsed(document(identification=keywords(*map(TEXT.format, given))))
    assert record.tags == ("EARTH SCIENCE RIVERS LAKES", "water", "floods", "weirs", "Rivers")
    (group,) = json.loads(record.extras["keywords"])
    assert [each["text"] for each in group["keywords"]] == list(given)
    assert record.problems == ()


def test_a_keyword_that_is_only_a_url_is_no_tag_and_no_problem() -> None:
    anchor = f'<gmx:Anchor xlink:href="{ADDRESS}"/>'
    record = parsed(document(identification=keywords(anchor)))
    assert (record.tags, record.problems) == ((), ())
    assert ADDRESS in record.extras["keywords"]


def test_a_word_list_does_not_swamp_a_dataset() -> None:
    words = [TEXT.format(f"word {number}") for number in range(1259)]
    record = parsed(document(identification=keywords(*words)))
    assert len(record.tags) == 1259
    raw = RawRecord("id-1", document(identification=keywords(*words)))
    record = GEMINI_SINGLE.parse(raw, validate({}, GEMINI_SINGLE.options))
    assert len(record.tags) == 500
    assert [each.field for each in record.problems if each.code == "too-many-tags"] == [
        "gmd:keyword"
    ]
    assert len(json.loads(record.extras["keywords"])[0]["keywords"]) == 1259


@pytest.mark.parametrize(
    ("keyword", "vocabulary", "theme"),
    [
        (TEXT.format("Soil"), "GEMET - INSPIRE themes, version 1.0", "Soil"),
        (TEXT.format("population distribution - demography"), "INSPIRE themes", "Population"),
        (TEXT.format("Soil"), "Words of the council", ""),
        (TEXT.format("Boden"), "GEMET - INSPIRE themes, version 1.0", ""),
        *(
            (f'<gmx:Anchor xlink:href="{address}">Boden</gmx:Anchor>', "", "Soil")
            for address in (
                "http://inspire.ec.europa.eu/theme/so",
                "https://inspire.ec.europa.eu/theme/SO/",
                "https://www.eionet.europa.eu/gemet/en/inspire-theme/so",
                "http://rdfdata.eionet.europa.eu/inspirethemes/themes/16",
            )
        ),
        (TEXT.format("http://inspire.ec.europa.eu/theme/so"), "", "Soil"),
        ('<gmx:Anchor xlink:href="http://inspire.ec.europa.eu/theme/xx">X</gmx:Anchor>', "", ""),
        (TEXT.format("http://rdfdata.eionet.europa.eu/inspirethemes/themes/35"), "", ""),
    ],
)
def test_inspire_themes_are_read_by_url_or_vocabularys_label(
    keyword: str, vocabulary: str, theme: str
) -> None:
    record = parsed(document(identification=keywords(keyword, vocabulary=vocabulary)))
    themes = json.loads(record.extras.get("inspire-themes", "[]"))
    assert [each.partition(" ")[0] for each in themes] == ([theme] if theme else [])
    assert record.themes == tuple(themes)


FUNCTION, SERVICE = "http://id.esd.org.uk/function/40", "http://id.esd.org.uk/service/579"


@pytest.mark.parametrize(
    ("keyword", "vocabulary", "extras"),
    [
        (TEXT.format(SERVICE), "", {"la_service": SERVICE}),
        (f'<gmx:Anchor xlink:href="{FUNCTION}/">Streets</gmx:Anchor>', "x")
        + ({"la_function": FUNCTION},),
        (TEXT.format("Public toilets"), "Local Government Services List", {"la_service": SERVICE}),
        (TEXT.format("579"), "esd-toolkit LGSL", {"la_service": SERVICE}),
        (TEXT.format("579"), "la_service", {"la_service": SERVICE}),
        (TEXT.format("Street care and cleaning"), "http://id.esd.org.uk/list/functions")
        + ({"la_function": FUNCTION},),
        (TEXT.format("Public toilets"), "Words of the council", {}),
        (TEXT.format("579"), "", {}),
    ],
)
def test_keywords_of_the_lgas_lists_are_functions_and_services(
    keyword: str, vocabulary: str, extras: dict[str, str]
) -> None:
    record = parsed(document(identification=keywords(keyword, vocabulary=vocabulary)))
    found = {key: value for key, value in record.extras.items() if key.startswith("la_")}
    assert found == extras
    assert record.problems == ()


def test_a_keyword_that_its_list_does_not_have_is_reported() -> None:
    words = keywords(TEXT.format("Loos"), vocabulary="Local government services")
    (problem,) = parsed(document(identification=words)).problems
    assert (problem.code, problem.field) == ("unknown-la-service", "gmd:keyword")
    assert problem.line
