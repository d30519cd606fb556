"""Fields with several values, in every notation in use."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core.values import multivalue
from ckanext.ukharvest.core.values.multivalue import Addresses

A, B = "http://a.example/x", "https://b.example/y?v=1,2"
TOILETS = "http://schemas.opendata.esd.org.uk/PublicToilets"


@pytest.mark.parametrize(
    ("value", "urls", "others"),
    [
        (None, (), ()),
        ("", (), ()),
        (f" {A} ", (A,), ()),
        (f"{A}, {B}", (A, B), ()),
        (f"{A} {B};{A}", (A, B), ()),
        (f"{A}\n{B}\n", (A, B), ()),
        (f'["{A}", "{B}"]', (A, B), ()),
        ([A, B, None, ""], (A, B), ()),
        (f'"{A}"', (A,), ()),
        ([{"id": "5", "url": A, "title": "X"}], (A,), ()),
        ([{"id": "5", "title": "X"}, {"@id": B}], (B,), ("X",)),
        ({"fields": []}, (), ('{"fields": []}',)),
        ([["a", 1]], (), ('["a", 1]',)),
        ("www.legislation.gov.uk/ukpga/1972/70", ("https://www.legislation.gov.uk/ukpga/1972/70",))
        + ((),),
        ("Local Government Act 1972, section 3", (), ("Local Government Act 1972, section 3",)),
        (f"The Act, {A}", (A,), ("The Act",)),
        ("public  toilets", (TOILETS,), ()),
        (["Public toilets", "Own columns"], (TOILETS,), ("Own columns",)),
        ("javascript:alert(1)", (), ("javascript:alert(1)",)),
        (5, (), ("5",)),
        ("[", (), ("[",)),
    ],
)
def test_urls_and_other_texts_are_separated(value: Any, urls: Any, others: Any) -> None:
    assert multivalue.addresses(value, "schemas") == Addresses(urls, others)


def test_a_title_counts_only_where_a_register_is_named() -> None:
    assert multivalue.addresses("Public toilets") == Addresses((), ("Public toilets",))


def test_several_values_are_stored_as_a_list_in_json() -> None:
    assert multivalue.as_text([]) == ""
    assert multivalue.as_text([A, "", A, "é"]) == f'["{A}", "é"]'


@pytest.mark.parametrize("value", [True, "true", "True", " YES ", 1, "on"])
def test_yes_is_true(value: Any) -> None:
    assert multivalue.parse_flag(value) == "true"


@pytest.mark.parametrize("value", [False, None, "", "False", "no", 0, "none"])
def test_no_is_empty(value: Any) -> None:
    assert multivalue.parse_flag(value) == ""


def test_neither_yes_nor_no() -> None:
    with pytest.raises(ValueError, match="'Soon' is neither true nor false"):
        multivalue.parse_flag("Soon")


@pytest.mark.parametrize(
    "text",
    [" " * 900_000 + "x", "www." * 200_000, f"{A} " * 50_000, ", " * 400_000, "[" * 900_000],
    ids=range(5),
)
def test_a_text_of_a_megabyte_takes_little_time(text: str) -> None:
    # Long enough that quadratic work would exceed the test's bound.
    multivalue.addresses(text, "schemas")
