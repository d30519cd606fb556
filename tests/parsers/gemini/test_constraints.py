"""Licences and limitations of GEMINI records, in every place and combination."""

from __future__ import annotations

import json

import pytest

from ckanext.ukharvest.core.records import DatasetRecord
from tests.parsers.gemini.elements import TEXT, document, parsed

INSPIRE = "http://inspire.ec.europa.eu/metadata-codelist"
NO_LIMITATIONS = f"{INSPIRE}/LimitationsOnPublicAccess/noLimitations"
NO_CONDITIONS = f"{INSPIRE}/ConditionsApplyingToAccessAndUse/noConditionsApply"
OGL_URL = "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"
OTHER = '<gmd:MD_RestrictionCode codeListValue="otherRestrictions"/>'
ACCESS = f"<gmd:accessConstraints>{OTHER}</gmd:accessConstraints>"
USE = f"<gmd:useConstraints>{OTHER}</gmd:useConstraints>"


def constraint(words: str, href: str = "", name: str = "otherConstraints") -> str:
    inside = f'<gmx:Anchor xlink:href="{href}">{words}</gmx:Anchor>' if href else TEXT.format(words)
    return f"<gmd:{name}>{inside}</gmd:{name}>"


def limitation(words: str, href: str = "") -> str:
    return constraint(words, href, "useLimitation")


def read(*blocks: str, name: str = "MD_LegalConstraints") -> DatasetRecord:
    parts = "".join(
        f"<gmd:resourceConstraints><gmd:{name}>{each}</gmd:{name}></gmd:resourceConstraints>"
        for each in blocks
    )
    return parsed(document(identification=parts))


def licence(record: DatasetRecord) -> str | None:
    return record.licence.id if record.licence else None


def test_version_2_3_has_a_block_for_each() -> None:
    record = read(
        ACCESS + constraint("no limitations", NO_LIMITATIONS) + constraint("Ask at the desk first"),
        USE + constraint("Open Government Licence", OGL_URL) + constraint("© Borchester Council"),
    )
    assert json.loads(record.extras["access_constraints"]) == [
        "no limitations",
        "Ask at the desk first",
    ]
    assert json.loads(record.extras["limitations-on-public-access"]) == [NO_LIMITATIONS]
    assert licence(record) == "uk-ogl"
    assert record.extras["licence"] == "Open Government Licence; © Borchester Council"
    assert record.extras["licence_url"] == OGL_URL


def test_version_2_1_has_a_limitation_for_the_licence() -> None:
    record = read(limitation("Available under the OGL"), ACCESS + constraint("None"))
    assert licence(record) == "uk-ogl"
    assert record.extras["licence"] == "Available under the OGL"
    assert json.loads(record.extras["access_constraints"]) == ["None"]


def test_inspire_uris_separate_one_block_of_constraints() -> None:
    record = read(
        ACCESS
        + USE
        + constraint("no limitations", NO_LIMITATIONS)
        + constraint("no conditions", NO_CONDITIONS)
        + constraint("By arrangement")
    )
    assert json.loads(record.extras["access_constraints"]) == ["no limitations", "By arrangement"]
    assert record.extras["licence"] == "no conditions; By arrangement"


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        pytest.param([USE + constraint("", OGL_URL)], "uk-ogl", id="address-alone"),
        pytest.param([USE + constraint("OGL", "#")], "uk-ogl", id="mere-hash"),
        pytest.param([USE + constraint("Terms", "https://council.example/")], "", id="home-page"),
        pytest.param([USE + constraint("no conditions", NO_CONDITIONS)], "", id="no-licence-named"),
        pytest.param([ACCESS + constraint("Use Constraints: OGL")], "uk-ogl", id="prefix"),
        pytest.param([ACCESS + constraint("Access Constraints: None")], None, id="access-none"),
        pytest.param([USE + constraint("None")], None, id="none"),
        pytest.param([limitation("otherRestrictions")], None, id="code-word"),
        pytest.param([limitation("https://council.example/terms")], "", id="unknown-address"),
        pytest.param(
            [USE + constraint("OGL"), limitation("CC BY 4.0")], "uk-ogl", id="ogl-and-cc-by"
        ),
        pytest.param(
            [USE + constraint("ODbL"), limitation("CC BY-SA 4.0")], "", id="two-to-choose"
        ),
        pytest.param([USE + constraint("OGL"), limitation("CC BY-NC 4.0")], "cc-nc", id="narrower"),
        pytest.param(
            [USE + constraint("OGL"), limitation("For commercial use ask the council")],
            "",
            id="held-back",
        ),
        pytest.param(
            [USE + constraint("PSMA only"), ACCESS + constraint("OGL")], "", id="access-and-psma"
        ),
        pytest.param([], None, id="nothing"),
    ],
)
def test_a_licence_is_known_and_never_by_mistake(blocks: list[str], expected: str | None) -> None:
    assert licence(read(*blocks)) == expected


def test_unknown_licence_text_is_kept_unchanged() -> None:
    record = read(USE + constraint("Ask us, see www.council.example/terms."), limitation("© Us"))
    assert record.licence
    assert record.licence.title == "Ask us, see www.council.example/terms.; © Us"
    assert record.extras["licence"] == record.licence.title
    assert record.extras["licence_url"] == "https://www.council.example/terms"


def test_codes_that_say_more_are_kept() -> None:
    copyright_ = '<gmd:MD_RestrictionCode codeListValue="copyright"/>'
    security = (
        "<gmd:classification><gmd:MD_ClassificationCode"
        ' codeListValue="unclassified"/></gmd:classification>'
    )
    record = read(
        ACCESS + f"<gmd:accessConstraints>{copyright_}</gmd:accessConstraints>", USE, security
    )
    assert json.loads(record.extras["access-restrictions"]) == ["copyright"]
    assert json.loads(record.extras["security-classification"]) == ["unclassified"]
    assert "use-restrictions" not in record.extras


def test_an_anchor_whose_words_are_a_code_shows_its_address() -> None:
    record = read(ACCESS + constraint("otherRestrictions", NO_LIMITATIONS))
    assert json.loads(record.extras["access_constraints"]) == [NO_LIMITATIONS]
