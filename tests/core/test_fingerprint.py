"""Equal records have equal fingerprints, different ones do not."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.fingerprint import canonical_json, fingerprint
from tests.counting import count_calls


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param({"b": 1, "a": [True, None]}, '{"a":[true,null],"b":1}', id="sorted"),
        pytest.param({"a": "ŵ"}, '{"a":"ŵ"}', id="unicode"),
        pytest.param([1.0, 1, 0.1], "[1.0,1,0.1]", id="numbers"),
        pytest.param([Decimal("1.10"), Decimal("1E+2")], "[1.1,100.0]", id="decimals"),
        pytest.param("a\ud800", '"a?"', id="half-surrogate"),
        pytest.param("\x00", '"\\u0000"', id="nul"),
    ],
)
def test_canonical_json(value: object, expected: str) -> None:
    assert canonical_json(value) == expected


def test_fingerprint_refuses_values_outside_json() -> None:
    with pytest.raises(TypeError, match="set has no JSON form"):
        canonical_json({1})


@pytest.mark.parametrize(
    ("form", "one", "other"),
    [
        pytest.param("json", '{"a":1,"b":{"c":1,"d":2}}', '{"b":{"d":2,"c":1},"a":1}', id="keys"),
        pytest.param("json", '{"a":"ŵ"}', ' {\n"a" : "\\u0175" } ', id="layout-and-escapes"),
        pytest.param("json", '{"a":1.10}', '{"a":1.1}', id="float"),
        pytest.param("xml", '<a b="1" c="2"/>', "<a c='2'  b='1'></a>", id="attributes"),
        pytest.param(
            "xml", '<?xml version="1.0" encoding="utf-8"?><a>ŵ</a>', "<a>&#373;</a>", id="encoding"
        ),
        pytest.param("xml", "<a><!-- built at 10:15 -->t</a>", "<a>t</a>", id="comment"),
        pytest.param(
            "xml", '<a xmlns:x="urn:x"><x:b/></a>', '<a><x:b xmlns:x="urn:x"/></a>', id="namespace"
        ),
        pytest.param("xml", "<a>\n  <b>t</b>\n  <c/>\n</a>", "<a><b>t</b><c/></a>", id="indented"),
    ],
)
def test_layout_does_not_change_the_fingerprint(form: str, one: str, other: str) -> None:
    assert fingerprint(one, form, ()) == fingerprint(other, form, ())


@pytest.mark.parametrize(
    ("form", "one", "other"),
    [
        pytest.param("json", '{"a":1}', '{"a":2}', id="value"),
        pytest.param("json", '{"a":1}', '{"a":"1"}', id="type"),
        pytest.param("json", '{"a":[1,2]}', '{"a":[2,1]}', id="list-order"),
        pytest.param("json", '{"a":"x"}', '{"a":"x "}', id="blank-in-text"),
        pytest.param("xml", "<a>t</a>", "<a>u</a>", id="text"),
        pytest.param("xml", "<a>t</a>", "<a> t</a>", id="blank-in-leaf"),
        pytest.param("xml", "<a><b/><c/></a>", "<a><c/><b/></a>", id="element-order"),
        pytest.param("xml", "<p>a <b>b</b> <i>c</i></p>", "<p>a <b>b</b><i>c</i></p>", id="mixed"),
        pytest.param(
            "xml",
            '<p xml:space="preserve"> <b/></p>',
            '<p xml:space="preserve"><b/></p>',
            id="preserved",
        ),
        pytest.param("xml", '<a xmlns="urn:x"/>', '<a xmlns="urn:y"/>', id="namespace-name"),
    ],
)
def test_content_changes_the_fingerprint(form: str, one: str, other: str) -> None:
    assert fingerprint(one, form, ()) != fingerprint(other, form, ())


def test_import_rules_change_the_fingerprint() -> None:
    salts = [(), (1,), (1, 2), (12,), (1, {"a": 1}), (1, {"a": 2}), (1, {"a": None})]
    assert len({fingerprint("{}", "json", salt) for salt in salts}) == len(salts)
    one = fingerprint("{}", "json", (1, {"a": 1, "b": 2}))
    assert one == fingerprint("{}", "json", [1, {"b": 2, "a": 1}])
    assert len(one) == 64


def test_the_form_changes_the_fingerprint() -> None:
    expected = (
        "no fingerprint for form 'ods'; there is: "
        "json, json_or_rdf, rdf, xml, xml_or_json, xml_or_rdf"
    )
    with pytest.raises(ValueError, match=expected):
        fingerprint("", "ods", ())


@pytest.mark.parametrize("form", ["json", "xml"])
def test_broken_content_is_a_record_error(form: str) -> None:
    with pytest.raises(ParseError):
        fingerprint("<a>{", form, ())


def test_a_record_with_more_fields_takes_no_more_calls() -> None:
    def cost(fields: int) -> int:
        dataset = {f"field {n}": f"some words of text, number {n} " * 4 for n in range(fields)}
        return count_calls(fingerprint, json.dumps(dataset, indent=1), "json", (1, 1, {}))

    # Otherwise some work is no longer done in C.
    assert cost(400) == cost(40)
