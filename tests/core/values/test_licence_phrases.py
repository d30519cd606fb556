"""Licences named in sentences: found if they are granted, and only then."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.records import Licence
from ckanext.ukharvest.core.values import licences

OGL = "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"
COMMONS = "https://creativecommons.org/licenses"


@pytest.mark.parametrize(
    ("text", "licence_id", "url"),
    [
        ("Available under the Open Government Licence v3.0.", "uk-ogl", OGL),
        ("Licensed under the OGL. © Borchester Council 2024.", "uk-ogl", OGL),
        ("Under the Open Government Licence (OGL) version 2", "uk-ogl", OGL.replace("3/", "2/")),
        ("No fees, no permission needed: OGL", "uk-ogl", OGL),
        ("Public data (Crown Copyright) - Open Government Licence Terms apply", "uk-ogl", OGL),
        (f"Use is subject to the terms at {OGL}.", "uk-ogl", OGL),
        (f"Link to the Open Government Licence ({OGL})", "uk-ogl", OGL),
        ("OGLv3: contains OS data © Crown copyright. All rights reserved.", "uk-ogl", OGL),
        ("The data are not suitable for navigation. Open Government Licence.", "uk-ogl", OGL),
        ("All content is under the OGL except where otherwise stated", "uk-ogl", OGL),
        (
            "You may re-use this information (not including logos) free of charge in any format"
            " or medium, under the terms of the Open Government Licence.",
            "uk-ogl",
            OGL,
        ),
        ("Free for commercial and non-commercial use under the OGL", "uk-ogl", OGL),
        ("OGL, which goes with Creative Commons Attribution 4.0", "uk-ogl", OGL),
        ("Data and metadata are under the OGL", "uk-ogl", OGL),
        ("For illustrative purposes only. Open Government Licence.", "uk-ogl", OGL),
        ("Statement to be used: contains data licensed under the OGL", "uk-ogl", OGL),
        ("A perpetual, non-exclusive licence: the Open Government Licence", "uk-ogl", OGL),
        ("Data licensed under the ogl v3", "uk-ogl", OGL),
        ("Licence: OGL - Contains Ordnance Survey data", "uk-ogl", OGL),
        ("Use under the Open Govt Licence is free", "uk-ogl", OGL),
        ("Terms: Ordnance Survey OpenData Licence", "uk-ogl", OGL),
        ("Use of this data is governed by the OS OpenData Licence", "uk-ogl", OGL),
        (
            "Shared under Creative Commons Attribution 4.0 International",
            "cc-by",
            f"{COMMONS}/by/4.0/",
        ),
        ("This work: CC-BY 4.0, please cite it", "cc-by", f"{COMMONS}/by/4.0/"),
        ("Published as CC BY-SA 3.0 by the council", "cc-by-sa", f"{COMMONS}/by-sa/3.0/"),
        ("Creative Commons Attribution-ShareAlike applies", "cc-by-sa", None),
        ("Creative Commons Attribution-NonCommercial 4.0 applies", "cc-nc", None),
        ("CC BY 4.0 NC", "cc-nc", None),
        ("Creative Commons Attribution 4.0 Non-Commercial", "cc-nc", None),
        ("Use it under CC BY-NC 4.0 for non-commercial ends", "cc-nc", f"{COMMONS}/by-nc/4.0/"),
        ("© OpenStreetMap contributors, ODbL", "odc-odbl", None),
        ("Released under the Open Database License v1.0 in 2020", "odc-odbl", None),
        ("Dedicated to the public: CC0 1.0, thanks", "cc-zero", None),
        (f"see {COMMONS}/by/4.0/, cited as above", "cc-by", f"{COMMONS}/by/4.0/"),
    ],
)
def test_a_licence_in_a_sentence_is_found(text: str, licence_id: str, url: str | None) -> None:
    found = licences.find(text)
    assert found is not None
    assert (found.id, found.title) == (licence_id, text)
    assert url in (None, found.url)


@pytest.mark.parametrize(
    "text",
    [
        "This data is not available under the Open Government Licence.",
        "Not OGL",
        "The OGL doesn't apply to this layer",
        "This dataset may become open under the OGL in 2030",
        "Open Government Licence - Canada",
        "Open Government Licence – Ontario",
        "open government licence - canada",
        "Open Government Licence Ontario",
        "OGL-Canada-2.0",
        "OGL - Ontario",
        "OGL-NC",
        "This dataset is exempt from the Open Government Licence",
        "Outside the Open Government Licence",
        "OGL applies to the metadata only",
        "Metadata: OGL. Data: ask us",
        "Data is closed. This website is under the OGL.",
        "We will publish it under the OGL in 2030",
        "Made available under an Open Government Licence unless exempt",
        "OGL for attributes. Geometry requires permission of Ordnance Survey.",
        "Non-commercial use only; see the Open Government Licence for other data",
        "Some of the layers are under the Open Government Licence",
        "PSMA members only. Others: Open Government Licence.",
        "Contains third party data; the rest is OGL",
        "Under CC BY 4.0 and other terms",
        "CC BY-ND 4.0 applies",
        "Creative Commons",
        "Choose CC BY-SA 4.0 or the ODbL",
        "OGL fees apply to commercial use",
        "If you hold a licence, it is the OGL",
        "Licence: open",
        "no conditions apply to access and use",
        "Crown copyright. All rights reserved.",
        "Toggle the ogle. Our logl is open.",
        "INSPIRE End User Licence; not the Open Government Licence",
        "Non-Commercial Government Licence v2",
        f"Unlike {OGL} this is not free",
        "Non-OGL",
        "Non-Open Government Licence data, ask us",
        "No Open Government Licence",
        "Provided without an open government licence",
        "The metadata record is licensed under the Open Government Licence v3.0",
        "Will be released under the Open Government Licence in 2030",
        "We intend to publish this under the OGL",
        "OGL TBC",
        "An Open Government Licence is under consideration",
        "Terms incompatible with the Open Government Licence",
        "Terms similar to the Open Government Licence",
        "Open Government Licence. Redistribution is not permitted.",
        "Open Government Licence. Do not redistribute.",
        "Open Government Licence for public sector bodies only",
        "OGL with exemptions",
        "Academic use only. Based on data under the Open Government Licence.",
        "Contains data under the OGL. The rest is under a bespoke licence.",
    ],
)
def test_denied_or_restricted_licences_are_not_open(text: str) -> None:
    assert licences.find(text) == Licence(title=text)


@pytest.mark.parametrize(
    ("licence", "words"),
    [
        (Licence(), ""),
        (Licence(title="Our terms"), "Our terms"),
        (Licence("uk-ogl", "UK Open Government Licence (OGL)"), ""),
        (Licence("uk-ogl", "OGL. © Borchester Council"), "OGL. © Borchester Council"),
        (Licence("uk-ogl"), ""),
        (Licence("theirs", "Their licence"), "Their licence"),
    ],
)
def test_a_licence_is_described_with_its_restrictions(licence: Licence, words: str) -> None:
    assert licences.describe_licence(licence) == words


@pytest.mark.parametrize("part", ["-", ".", "n", "OGL ", "a. ", "https://", "CC BY-", "\n "])
def test_a_text_of_any_length_is_answered_at_once(part: str) -> None:
    # Long enough that quadratic work would exceed the test's bound.
    licences.find("a" + part * 1_000_000 + "b")
    licences.find("a" + part * (19_000 // len(part)) + "b")


def test_very_long_terms_name_no_licence() -> None:
    found = licences.find("Under the OGL. " + "And so on. " * 2_000)
    assert found is not None
    assert found.id == ""
    ogl = licences.find("OGL")
    assert ogl is not None
    assert licences.find_agreed_licence([ogl], ["OGL", "a" * 20_001]) is None
