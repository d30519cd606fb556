"""Every row of the licence tables has a test; a row without one fails."""

from __future__ import annotations

import re

import pytest

from ckanext.ukharvest.core.records import Licence, ResourceRecord
from ckanext.ukharvest.core.values import licences
from ckanext.ukharvest.core.values import licences as phrases
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.core.vocabularies.vocabulary import parts

ROWS = [
    *vocabulary.bundled("licences").rows,
    *({**row, "title": row["name"]} for row in vocabulary.bundled("open_licences").rows),
]
OGL = "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"

# One sentence for each row, in the tables' order.
NAMED = (
    ("uk-ogl", "It is under the Open Government Licence version 2.0"),
    ("uk-ogl", "Terms: OGL-UK 3.0"),
    ("uk-ogl", "Covered by the OS OpenData License"),
    ("cc-by-sa", "Creative Commons: Attribution Share Alike 4.0 for all"),
    ("cc-by", "Use it as CC BY v4.0"),
    ("cc-zero", "The council chose CC0 for it"),
    ("odc-odbl", "It is under the Open Database Licence (ODbL) v1.0"),
    ("odc-pddl", "Public Domain Dedication and License"),
    ("odc-by", "Terms are those of Open Data Commons Attribution"),
)
HARMLESS = (
    "except where otherwise stated",
    "unless otherwise noted",
    "unless stated otherwise",
    "free of charge",
    "without restrictions",
    "for commercial and non-commercial users",
    "for non-commercial or commercial users",
    "including but not limited to maps",
    "re-use is not restricted",
    "no permission needed",
    "except for the Royal Arms and departmental or agency logos",
)
RESERVED = (
    "for non-commercial ends",
    "with our consent",
    "royalties apply",
    "for personal use",
    "for internal business use",
    "for use within the council only",
    "view only",
    "proprietary geometry",
    "see the End-User Licence",
    "PSGA members",
    "under the Public Sector Geospatial Agreement",
    "has third-party data",
    "commercial re-use by agreement",
    "and other conditions",
    "for most of the layers",
    "a licence is required",
    "changes are never allowed",
    "do not share",
    "or a bespoke licence",
    "for research purposes only",
    "for registered users only",
    "with exemptions",
)
DENIED = (
    "This is no longer under the OGL",
    "The OGL doesn’t apply",
    "OGL excluded",
    "OGL on request",
    "Our other datasets are under the OGL",
    "Our website content is under the OGL",
    "Terms other than the OGL",
    "Formerly under the OGL",
    "Lacking the OGL",
    "To be released under the OGL",
    "We will publish it under the OGL",
    "OGL (TBC)",
    "We are working towards the OGL",
    "The OGL is under review",
    "Terms equivalent to the OGL",
    "Terms compatible with the OGL",
    "The metadata itself is under the OGL",
)


def expanded(address: str) -> set[str]:
    """Return the shortest and the longest URL that a pattern of the list matches."""
    short = re.sub(r"\[[^\]]*\]", "", address)
    long = re.sub(r"[\[\]]", "", address)
    # "-cymraeg" and "-welsh" are two endings for one place.
    long = long.replace("-cymraeg-welsh", "-welsh")
    return {
        "https://www." + each.replace("*", "x").replace("#", "4.0").replace("@", "uk") + "/"
        for each in (short, long)
    }


@pytest.mark.parametrize(
    ("licence_id", "name"),
    [(row["id"], n) for row in ROWS for n in (row["id"], row["title"], *parts(row["names"]))]
    + [(row["id"], row["text_url"]) for row in ROWS if row["text_url"]],
)
def test_every_name_is_found(licence_id: str, name: str) -> None:
    for text in (
        name,
        name.upper() if "://" not in name else name,
        name.replace("Licence", "License"),
    ):
        assert getattr(licences.find(text), "id", "") == licence_id


def test_the_name_of_a_licence_with_a_general_id_is_kept() -> None:
    found = licences.find("https://www.govdata.de/dl-de/by-2-0")
    assert found is not None
    assert found.id == "other-at"
    assert licences.describe_licence(found) == "Datenlizenz Deutschland – Namensnennung"


@pytest.mark.parametrize(
    ("licence_id", "url"),
    [
        (row["id"], url)
        for row in ROWS
        for address in parts(row["addresses"])
        for url in sorted(expanded(address))
    ],
)
def test_every_address_is_found(licence_id: str, url: str) -> None:
    for text in (url, url.rstrip("/"), url.replace("https://www.", "http://")):
        found = licences.find(text)
        assert (found.id, found.url) == (licence_id, text) if found else False
    assert getattr(licences.find(url.replace("://www.", "://x")), "id", "") == ""


@pytest.mark.parametrize(
    ("row", "licence_id", "text"),
    [(row, *named) for row, named in zip(phrases.PHRASES, NAMED, strict=True)],
)
def test_every_phrase_is_found(
    row: tuple[str, re.Pattern[str]], licence_id: str, text: str
) -> None:
    assert row[1].search(text)
    found = licences.find(text)
    assert found == Licence(licence_id, text, found.url if found else "")


@pytest.mark.parametrize(("row", "text"), list(zip(phrases.HARMLESS, HARMLESS, strict=True)))
def test_harmless_phrases_keep_the_licence(row: str, text: str) -> None:
    assert re.search(row, text, re.IGNORECASE)
    assert getattr(licences.find(f"Open Government Licence, {text}."), "id", "") == "uk-ogl"


@pytest.mark.parametrize(("row", "text"), list(zip(phrases.RESERVED, RESERVED, strict=True)))
def test_restricting_phrases_close_the_licence(row: str, text: str) -> None:
    assert re.search(row, text, re.IGNORECASE)
    whole = f"Open Government Licence, {text}."
    assert licences.find(whole) == Licence(title=whole)


@pytest.mark.parametrize(("row", "text"), list(zip(phrases.DENIED, DENIED, strict=True)))
def test_denying_phrases_give_no_licence(row: str, text: str) -> None:
    assert re.search(row, text, re.IGNORECASE)
    assert licences.find(text) == Licence(title=text)


BY = Licence(
    "cc-by", "Creative Commons Attribution", "https://creativecommons.org/licenses/by/4.0/"
)
BY_3 = Licence(
    "cc-by", "Creative Commons Attribution", "http://creativecommons.org/licenses/by/3.0/"
)
OPEN = Licence("uk-ogl", "UK Open Government Licence (OGL)", OGL)
OURS = Licence(title="Our own terms")
FEE = "Commercial use requires permission and a fee"
CLOSED = Licence(title=f"{BY.url}; {FEE}")
NC = Licence("cc-nc", "Creative Commons Non-Commercial (Any)")


def file(licence: Licence | None = None, kind: str = "", **extras: str) -> ResourceRecord:
    return ResourceRecord("https://a.example/b.csv", licence=licence, kind=kind, extras=extras)


@pytest.mark.parametrize(
    ("own", "rights", "files", "expected"),
    [
        pytest.param(OURS, "OGL", [file(BY)], OURS, id="its-own-counts-first"),
        pytest.param(None, "Not under the OGL", [file(BY)], BY, id="then-its-files"),
        pytest.param(None, FEE, [file(BY)], CLOSED, id="if-its-terms-allow-it"),
        pytest.param(BY, "", [file(), file(OPEN)], BY, id="another-open-one-is-the-files"),
        pytest.param(BY, "", [file(), file(rights=FEE)], CLOSED, id="terms-of-one-file-close-it"),
        pytest.param(BY, "", [file(NC)], NC, id="narrower-licence-of-a-file"),
        pytest.param(None, "", [file(BY), file(BY_3)], BY, id="whose-versions-may-differ"),
        pytest.param(None, "", [file(BY), file(OPEN)], None, id="not-their-licences"),
        pytest.param(None, "", [file(BY), file()], None, id="and-none-may-lack-it"),
        pytest.param(None, "", [file(OURS), file(OURS)], OURS, id="unknown-but-equal"),
        pytest.param(None, "", [file(OURS), file(Licence(title="B"))], None, id="unknown"),
        pytest.param(None, "", [file(rights="Under the OGL v3.0")], OPEN, id="rights-of-files"),
        pytest.param(None, "", [file(rights="Ask us")], None, id="rights-that-name-none"),
        pytest.param(None, "", [file(license=BY.url), file(BY)], BY, id="as-an-extra"),
        pytest.param(None, "", [file(BY), file(kind="documentation")], BY, id="documents"),
        pytest.param(None, "", [file(kind="documentation")], None, id="only-documents"),
        pytest.param(None, "", [], None, id="nothing"),
    ],
)
def test_licence_of_dataset_and_files_agree(
    own: Licence | None, rights: str, files: list[ResourceRecord], expected: Licence | None
) -> None:
    assert licences.of_dataset(own, [rights], files, lambda *_problem: None) == expected


def test_title_of_licence_has_no_markup() -> None:
    terms = "<p><a href='https://council.example/terms'>Our <b>terms</b></a></p>"
    title = "Our terms https://council.example/terms"
    assert licences.read_licence([terms], lambda *_problem: None) == Licence(
        title=title, url="https://council.example/terms"
    )
