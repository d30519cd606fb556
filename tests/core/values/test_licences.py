"""Licences by id, URL and title."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.records import Licence
from ckanext.ukharvest.core.values import licences

OGL = "www.nationalarchives.gov.uk/doc/open-government-licence"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        # CKAN's ids, SPDX's and their spellings
        pytest.param("uk-ogl", "uk-ogl", id="ckan-id"),
        pytest.param("UK-OGL", "uk-ogl", id="ckan-id-upper"),
        pytest.param("OGL-UK-3.0", "uk-ogl", id="spdx-ogl"),
        pytest.param("OGL v2", "uk-ogl", id="ogl-v2"),
        pytest.param("CC-BY-4.0", "cc-by", id="spdx-by"),
        pytest.param("CC BY 4.0", "cc-by", id="blanks"),
        pytest.param("cc_by_sa_3_0", "cc-by-sa", id="underscores"),
        pytest.param("CC-BY-NC-ND-4.0", "cc-nc", id="spdx-nc"),
        pytest.param("CC0-1.0", "cc-zero", id="spdx-cc0"),
        pytest.param("CC0", "cc-zero", id="cc0"),
        pytest.param("ODbL-1.0", "odc-odbl", id="spdx-odbl"),
        pytest.param("PDDL-1.0", "odc-pddl", id="spdx-pddl"),
        pytest.param("ODC-By-1.0", "odc-by", id="spdx-odc-by"),
        pytest.param("GFDL-1.3-or-later", "gfdl", id="spdx-gfdl"),
        pytest.param("other-closed", "other-closed", id="other-closed"),
        # titles
        pytest.param("UK Open Government Licence (OGL)", "uk-ogl", id="ckan-title"),
        pytest.param("open government license", "uk-ogl", id="american-spelling"),
        pytest.param("Open Goverment Licence", "uk-ogl", id="mistyped"),
        pytest.param("OGLv3", "uk-ogl", id="no-blank"),
        pytest.param("UK Open Government Licence v3 (OGL)", "uk-ogl", id="version-within"),
        pytest.param("OS OpenData", "uk-ogl", id="os-opendata-title"),
        pytest.param("CC Attribution-ShareAlike 4.0", "cc-by-sa", id="cc-short-title"),
        pytest.param("The Open Government Licence v3.0", "uk-ogl", id="title-version"),
        pytest.param("Creative Commons Attribution 4.0 International", "cc-by", id="cc-title"),
        pytest.param("Creative Commons Attribution-ShareAlike", "cc-by-sa", id="share-alike"),
        pytest.param("Open Data Commons Open Database License (ODbL)", "odc-odbl", id="odbl-title"),
        pytest.param("Other (Open)", "other-open", id="other-title"),
        # URLs
        pytest.param(f"http://{OGL}", "uk-ogl", id="ogl"),
        pytest.param(f"https://{OGL}/", "uk-ogl", id="ogl-slash"),
        pytest.param(f"http://{OGL}/version/1/", "uk-ogl", id="ogl-1"),
        pytest.param(f"http://{OGL}/version/2", "uk-ogl", id="ogl-2"),
        pytest.param(f"https://{OGL}/version/3/", "uk-ogl", id="ogl-3"),
        pytest.param(
            f"http://{OGL}/version/2/open-government-licence.htm", "uk-ogl", id="ogl-file"
        ),
        pytest.param(f"http://{OGL}-cymraeg/version/3/", "uk-ogl", id="ogl-welsh"),
        pytest.param(f"{OGL}/", "uk-ogl", id="no-scheme"),
        pytest.param("http://reference.data.gov.uk/id/open-government-licence", "uk-ogl", id="ref"),
        pytest.param(
            "http://www.ordnancesurvey.co.uk/oswebsite/docs/licences/os-opendata-licence.pdf",
            "uk-ogl",
            id="os-opendata",
        ),
        pytest.param("http://www.os.uk/opendata/licence", "uk-ogl", id="os-opendata-page"),
        pytest.param("http://creativecommons.org/licenses/by/4.0", "cc-by", id="cc"),
        pytest.param(
            "https://creativecommons.org/licenses/by/4.0/legalcode.en", "cc-by", id="code"
        ),
        pytest.param("https://creativecommons.org/licenses/by/4.0/deed.en_GB", "cc-by", id="deed"),
        pytest.param("https://creativecommons.org/licenses/by/4.0/?ref=x", "cc-by", id="query"),
        pytest.param("https://creativecommons.org/licenses/by-sa/2.0/uk/", "cc-by-sa", id="ported"),
        pytest.param("https://creativecommons.org/licenses/by-nc/4.0/", "cc-nc", id="nc"),
        pytest.param("https://creativecommons.org/publicdomain/zero/1.0/", "cc-zero", id="zero"),
        pytest.param("https://creativecommons.org/publicdomain/mark/1.0/", "other-pd", id="mark"),
        pytest.param("http://opendatacommons.org/licenses/odbl/1.0/", "odc-odbl", id="odbl"),
        pytest.param("https://www.opendatacommons.org/licenses/pddl/1-0/", "odc-pddl", id="pddl"),
        pytest.param("http://opendatacommons.org/licenses/by/", "odc-by", id="odc-by-url"),
        pytest.param("http://www.opendefinition.org/licenses/cc-by", "cc-by", id="ckan-url"),
        pytest.param("https://spdx.org/licenses/CC-BY-4.0.html", "cc-by", id="spdx-url"),
        pytest.param(
            "http://publications.europa.eu/resource/authority/licence/CC_BY_4_0", "cc-by", id="eu"
        ),
        pytest.param(
            "http://publications.europa.eu/resource/authority/licence/ODC_BL",
            "odc-odbl",
            id="eu-bl",
        ),
        pytest.param("http://www.gnu.org/licenses/fdl-1.3.html", "gfdl", id="gnu"),
        pytest.param("http://www.usa.gov/publicdomain/label/1.0/", "other-pd", id="usa"),
    ],
)
def test_a_known_licence_is_found(given: str, expected: str) -> None:
    found = licences.find(given)
    assert found is not None
    assert found.id == expected
    assert found.title
    if given.startswith("http"):
        assert found.url == given


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(
            "CC-BY-NC-SA-3.0", "https://creativecommons.org/licenses/by-nc-sa/3.0/", id="spdx"
        ),
        pytest.param(
            "Creative Commons Attribution 2.5",
            "https://creativecommons.org/licenses/by/2.5/",
            id="title",
        ),
        pytest.param("OGL-UK-2.0", f"https://{OGL}/version/2/", id="ogl-2"),
        pytest.param("uk-ogl", f"https://{OGL}/version/3/", id="ogl"),
        pytest.param("cc-by", "http://www.opendefinition.org/licenses/cc-by", id="no-version"),
    ],
)
def test_a_named_version_keeps_its_address(given: str, expected: str) -> None:
    found = licences.find(given)
    assert found is not None
    assert found.url == expected


@pytest.mark.parametrize(
    "given",
    [
        pytest.param("http://example.org/terms", id="url"),
        pytest.param("https://creativecommons.org/licenses/by-nd/4.0/", id="no-ckan-id"),
        pytest.param("https://creativecommons.org/", id="creative-commons-home"),
        pytest.param(
            "http://www.nationalarchives.gov.uk/doc/non-commercial-government-licence/", id="ncgl"
        ),
        pytest.param(
            "http://publications.europa.eu/resource/authority/licence/OGL_NC_2_0", id="eu-ncgl"
        ),
        pytest.param(
            "https://evil.example/nationalarchives.gov.uk/doc/open-government-licence", id="path"
        ),
    ],
)
def test_an_unknown_address_stays(given: str) -> None:
    assert licences.find(given) == Licence(url=given)


@pytest.mark.parametrize(
    "given",
    ["Terms of use apply", "Open Government Licence - Canada", "CC", "MIT", "by", "3.0", "Crown/OS"]
    + ["foo [bar]/x", "Licensed under CC-BY-4.0 and other terms"],
)
def test_an_unknown_text_stays(given: str) -> None:
    assert licences.find(f" {given}\n") == Licence(title=given)


@pytest.mark.parametrize(
    "given",
    ["", " ", "-", "n/a", "N/A", "none", "NULL", "No license provided", "License Not Specified"]
    + ["notspecified", "unknown", "[[REDACTED-EX B6]]", "[[redacted]]"],
)
def test_a_placeholder_is_no_licence(given: str) -> None:
    assert licences.find(given) is None
