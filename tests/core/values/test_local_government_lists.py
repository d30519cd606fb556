"""Functions and services of local government in every spelling in use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ckanext.ukharvest.core.values import local_government_lists
from ckanext.ukharvest.core.values.local_government_lists import FUNCTION, SERVICE, Identifiers
from ckanext.ukharvest.core.vocabularies import vocabulary

TOILETS = "http://id.esd.org.uk/service/579"
STREETS = "http://id.esd.org.uk/function/40"
ENVIRONMENT = "http://id.esd.org.uk/function/30"

ADDRESSES = [
    "http://id.esd.org.uk/service/579",
    "https://id.esd.org.uk/service/579",
    "http://id.esd.org.uk/service/579/",
    "HTTP://ID.ESD.ORG.UK/Service/579",
    "http://id.esd.org.uk/service/0579",
    "http://id.esd.org.uk/services/579",
    "http://id.esd.org.uk/service/579.json",
    "http://id.esd.org.uk/service/579?format=xml#top",
    "http://id.esd.org.uk/doc/service/579",
    "id.esd.org.uk/service/579",
    "<http://id.esd.org.uk/service/579>",
    "  http://id.esd.org.uk/service/579 ",
    '"http://id.esd.org.uk/service/579"',
    "http://id.esd.org.uk/service/579.",
    "http://standards.esd.org.uk/service/579",
    "http://standards.esd.org.uk/?uri=service%2F579",
    "https://standards.esd.org.uk/?uri=service/579&tab=details",
    "http://standards.esd.org.uk?uri=service%2f579",
    "http://standards.esd.org.uk/?uri=service%252F579",
    "http://standards.esd.org.uk/xml?uri=service/579&mappedToUri=list/functions",
    "http://standards.esd.org.uk/?uri=http%3A%2F%2Fid.esd.org.uk%2Fservice%2F579",
    "esd:service/579",
    "ESD:service:579",
    '["http://id.esd.org.uk/service/579"]',
    "http://id.esd.org.uk/service/579, http://id.esd.org.uk/service/579/",
    ",http://id.esd.org.uk/service/579;",
    "//id.esd.org.uk/service/579",
    "http://id.esd.org.uk/service/579%20",
    "\ufeffhttp://id.esd.org.uk/service/579\u200b",
    "http://id.esd.org.uk/service/579http://id.esd.org.uk/service/579",
]


@pytest.mark.parametrize("kind", ["", FUNCTION, SERVICE])
@pytest.mark.parametrize("text", ADDRESSES)
def test_an_address_says_itself_what_it_is(text: str, kind: str) -> None:
    assert local_government_lists.find([text], kind) == Identifiers(services=(TOILETS,))
    function = text.lower().replace("service", "function")
    assert local_government_lists.find([function], kind) == Identifiers(
        functions=(TOILETS.replace(SERVICE, FUNCTION),)
    )


@pytest.mark.parametrize(
    "text",
    ["579", "0579", "579.", "579, ", "579.0", "[579.0]", "[579]", '["579"]', "service/579"]
    + ["Service: 579"]
    + ["service 579", "/services/579/", "LGSL 579", "lgsl579", "LGSL:579", "Public toilets"]
    + ["public  TOILETS "],
)
def test_numbers_and_labels_need_a_field_of_their_kind(text: str) -> None:
    assert local_government_lists.find([text], SERVICE) == Identifiers(services=(TOILETS,))
    assert local_government_lists.find([text]).services == ()
    assert local_government_lists.find([text]).others


@pytest.mark.parametrize(
    ("text", "kind", "uris"),
    [
        ("8", FUNCTION, ["http://id.esd.org.uk/function/8"]),
        ("8", SERVICE, ["http://id.esd.org.uk/service/8"]),
        ("function/40", SERVICE, [STREETS]),
        ("LGSL 579", FUNCTION, [TOILETS]),
        # A label in both lists belongs to the field's own; another to its own list.
        ("Business grants", FUNCTION, ["http://id.esd.org.uk/function/8"]),
        ("Business grants", SERVICE, ["http://id.esd.org.uk/service/350"]),
        ("Public toilets", FUNCTION, [TOILETS]),
        ("Parks & open spaces", FUNCTION, ["http://id.esd.org.uk/function/36"]),
    ],
)
def test_the_field_decides_an_ambiguous_identifier(text: str, kind: str, uris: list[str]) -> None:
    found = local_government_lists.find([text], kind)
    assert [*found.functions, *found.services] == uris
    assert not found.others


@pytest.mark.parametrize("between", [" ", ",", ", ", ";", "; ", "\n", "\r\n", " | ", ",,", "\t"])
def test_identifiers_are_found_between_any_separators(between: str) -> None:
    text = between.join([TOILETS, "https://id.esd.org.uk/function/40/", TOILETS, "esd:service/12"])
    twelve = "http://id.esd.org.uk/service/12"
    assert local_government_lists.find([text]) == Identifiers((STREETS,), (TOILETS, twelve))
    assert local_government_lists.find([between.join(["579", "12"])], SERVICE) == Identifiers(
        services=(TOILETS, twelve)
    )


@pytest.mark.parametrize(
    "texts",
    [
        ['["http://id.esd.org.uk/service/579", "http://id.esd.org.uk/function/40"]'],
        ["http://id.esd.org.uk/service/579", "", "http://id.esd.org.uk/function/40"],
        ['[579, null, "esd:function/40"]'],
    ],
)
def test_lists_and_texts_of_lists(texts: list[str]) -> None:
    assert local_government_lists.find(texts, SERVICE) == Identifiers((STREETS,), (TOILETS,))


def test_half_a_character_in_json_is_left_out() -> None:
    assert local_government_lists.find(['["bins \\ud800"]'], SERVICE).others == ("bins",)


def test_labels_are_found_as_values_of_their_own() -> None:
    text = "Business grants; Catering, sales and vending; Public toilets, Sweeping"
    found = local_government_lists.find([text], SERVICE)
    assert [local_government_lists.label(uri) for uri in found.services] == [
        "Business grants",
        "Catering, sales and vending",
        "Public toilets",
    ]
    assert found.others == ("Sweeping",)


def test_each_label_of_the_lists_is_found() -> None:
    for kind, name in ((FUNCTION, "functions"), (SERVICE, "services")):
        for row in vocabulary.load(name).rows:
            found = local_government_lists.find([row["label"]], kind)
            if row["label"] != "Utilities":  # two functions have this label
                assert [*found.functions, *found.services] == [row["uri"]]
            else:
                assert found == Identifiers(others=("Utilities",))


def test_two_functions_of_one_label_are_not_guessed() -> None:
    """The list of the esd-toolkit writes it "Utilites", and datasets may do so."""
    for text in ("Utilities", "Utilites"):
        assert local_government_lists.find([text], FUNCTION) == Identifiers(others=(text,))
    for number in (41, 92):
        uri = f"http://id.esd.org.uk/function/{number}"
        assert local_government_lists.label(uri) == "Utilities"


@pytest.mark.parametrize("kind", ["", SERVICE])
@pytest.mark.parametrize(
    "text",
    ["Bins", "Environment, waste", "a\nb", "24 hour care", "http://id.esd.org.uk/list/services"]
    + ["http://id.esd.org.uk/circumstance/7", "http://id.esd.org.uk/service/x", "service"]
    + ["http://id.esd.org.uk/service/579abc", "http://a.example/?x=id.esd.org.uk/service/579"]
    + ["http://notesd.org.uk/service/579", "http://a.example/a,b", "1234567890123", "579abc"],
)
def test_other_texts_are_kept(text: str, kind: str) -> None:
    assert local_government_lists.find([text], kind) == Identifiers(others=(text,))


@pytest.mark.parametrize("kind", ["", SERVICE])
@pytest.mark.parametrize("text", ["", ";", ", ,", "-", "{}", "[]", "[null]", "\u200b"])
def test_signs_without_words_are_ignored(text: str, kind: str) -> None:
    assert local_government_lists.find([text, "Bins"], kind) == Identifiers(others=("Bins",))
    assert (
        local_government_lists.find([f"{text}, http://a.example/"], kind).others[-1]
        == "http://a.example/"
    )
    assert "" not in local_government_lists.find([f"{text}, http://a.example/"], kind).others


@pytest.mark.parametrize("text", ["None", "n/a", "N/A.", "null", "Not applicable", "nan"])
def test_words_for_none_are_ignored(text: str) -> None:
    assert local_government_lists.find(
        [text, TOILETS, f"{TOILETS}, {text}"], SERVICE
    ) == Identifiers(services=(TOILETS,))
    assert local_government_lists.find([text]).others == (text,)


def test_joined_uris_are_split() -> None:
    assert local_government_lists.find([TOILETS + STREETS]) == Identifiers((STREETS,), (TOILETS,))


@pytest.mark.parametrize("text", [f"Public toilets ({TOILETS})", f"{TOILETS} - Public toilets"])
@pytest.mark.parametrize("kind", ["", SERVICE])
def test_a_label_beside_its_identifier_is_a_text(text: str, kind: str) -> None:
    found = local_government_lists.find([text], kind)
    assert found.services == (TOILETS,)
    assert found.others[0].strip(" -") == "Public toilets"


@pytest.mark.parametrize("text", ["579 Public toilets", "579 - Public toilets", "Toilets (579)"])
def test_a_number_in_a_sentence_is_no_identifier(text: str) -> None:
    assert local_government_lists.find([text], SERVICE) == Identifiers(others=(text,))


def test_texts_beside_identifiers_are_kept() -> None:
    found = local_government_lists.find([f"Bins {TOILETS} http://a.example/1 http://a.example/2"])
    assert found == Identifiers(
        (), (TOILETS,), ("Bins", "http://a.example/1", "http://a.example/2")
    )
    two = local_government_lists.find(["http://a.example/1, http://a.example/2"])
    assert two.others == ("http://a.example/1", "http://a.example/2")


def test_identifiers_that_are_in_no_list_are_found() -> None:
    uri = "http://id.esd.org.uk/service/999999"
    assert local_government_lists.find([uri]) == Identifiers(services=(uri,))
    assert (
        local_government_lists.label(uri),
        local_government_lists.path(uri),
        local_government_lists.parent_functions([uri]),
    ) == ("", (), ())


def test_an_identifier_has_label_and_parents() -> None:
    assert local_government_lists.label(TOILETS) == "Public toilets"
    assert local_government_lists.path(TOILETS) == (
        "Environmental protection",
        "Street care and cleaning",
        "Public toilets",
    )
    assert local_government_lists.path(ENVIRONMENT) == ("Environmental protection",)
    assert local_government_lists.parent_functions([TOILETS]) == (STREETS, ENVIRONMENT)
    assert local_government_lists.parent_functions([ENVIRONMENT]) == ()
    assert local_government_lists.parent_functions([STREETS, TOILETS]) == (ENVIRONMENT, STREETS)


def test_every_identifier_has_a_path_to_its_label() -> None:
    for name in ("functions", "services"):
        for row in vocabulary.load(name).rows:
            assert local_government_lists.path(row["uri"])[-1] == row["label"]
            assert (
                len(local_government_lists.path(row["uri"]))
                == len(local_government_lists.parent_functions([row["uri"]])) + 1
            )


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """The portal's own folder of lists."""
    yield tmp_path
    vocabulary.use(None)


def test_own_list_of_a_portal_may_have_a_circle(folder: Path) -> None:
    rows = [
        f"{ENVIRONMENT},Green,{STREETS},Environment",
        f"{STREETS},Lanes,{ENVIRONMENT},Environment",
    ]
    text = "# title: Ours\nuri,label,parent,theme\n" + "\n".join(rows) + "\n"
    (folder / "functions.csv").write_text(text, encoding="utf-8")
    assert local_government_lists.label(STREETS) == "Street care and cleaning"
    vocabulary.use(folder)
    assert local_government_lists.label(STREETS) == "Lanes"
    assert local_government_lists.path(TOILETS) == ("Green", "Lanes", "Public toilets")
    assert local_government_lists.path(ENVIRONMENT) == ("Lanes", "Green")
    assert local_government_lists.find(["Lanes"], FUNCTION).functions == (STREETS,)


@pytest.mark.parametrize(
    "text",
    ["esd.org.uk/" * 90_000, "1," * 300_000, "(" * 1_000_000 + "esd", "service " * 120_000]
    + ["a." * 400_000 + "esd", "0" * 900_000 + "x", " " * 900_000 + "1x", "[" * 100_000]
    + [f"{TOILETS}x " * 25_000, ", http" * 150_000],
    ids=range(10),
)
def test_a_text_of_a_megabyte_takes_little_time(text: str) -> None:
    # Long enough that quadratic work would exceed the test's bound.
    local_government_lists.find([text], SERVICE)
