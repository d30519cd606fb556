"""Every element of UK GEMINI 2.3 in every shape that publishers use.

An element is a row in one of the tables elements_*.py.
"""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.errors import ParseError
from tests.parsers.gemini import (
    elements_detail,
    elements_metadata,
    elements_place,
    elements_resource,
    elements_terms,
)
from tests.parsers.gemini.elements import SHAPES, TEXT, Element, parsed

ELEMENTS: tuple[Element, ...] = (
    *elements_metadata.ELEMENTS,
    *elements_resource.ELEMENTS,
    *elements_detail.ELEMENTS,
    *elements_terms.ELEMENTS,
    *elements_place.ELEMENTS,
)
CASES = [
    pytest.param(element, shape, id=f"{element.name}-{shape}")
    for element in ELEMENTS
    for shape in SHAPES
    if shape not in element.without and not (shape == "own" and element.own == TEXT)
]
# The numbered elements of UK GEMINI 2.3 that the portal uses; 52 stays in the record's XML.
NUMBERS = {1, 2, 3, 4, 5, 6, 7, 8, 10, 15, 16, 17, 18, 19, 21, 23, 25, 26, 27, 30, 33, 35, 36, 37}
NUMBERS |= {38, 39, 41, 43, 44, 45, 47, 48, 49, 50, 51, 53, 54, 55}


@pytest.mark.parametrize(("element", "shape"), CASES)
def test_an_element_is_read_in_every_shape(element: Element, shape: str) -> None:
    document, expected = element.document(shape), element.expected(shape)
    if isinstance(expected, str) and expected.startswith("missing-"):
        with pytest.raises(ParseError) as caught:
            parsed(document)
        assert caught.value.code == expected
        assert element.prop in caught.value.message
    else:
        assert element.read(parsed(document)) == expected


def test_every_element_has_a_row() -> None:
    words = (element.name.split()[0] for element in ELEMENTS)
    assert {int(word) for word in words if word.isdigit()} == NUMBERS


def test_a_shape_that_is_left_out_has_its_reason() -> None:
    left_out = [each for element in ELEMENTS for each in element.without.items()]
    assert all(shape in SHAPES and reason for shape, reason in left_out)


def test_filled_element_has_no_problem_in_any_shape() -> None:
    for element in ELEMENTS:
        if element.none not in ("missing-identifier", "missing-title"):
            assert parsed(element.document("own")).problems == (), element.name
