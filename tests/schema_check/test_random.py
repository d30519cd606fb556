"""Random schemas and files: a result each time, and no other exception than ours."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.schema_check.support import XSD, check

_VALUES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8))
_TYPES = st.sampled_from(
    ["string", "integer", "number", "date", "datetime", "time", "year", "yearmonth", "duration"]
    + ["geopoint", "geojson", "object", "array", "boolean", "any", "colour"]
    + [XSD + name for name in ("int", "float", "date", "anyURI", "boolean", "colour")]
)
_CONSTRAINTS = st.dictionaries(
    st.sampled_from(
        ["required", "unique", "pattern", "minimum", "maximum", "minLength", "maxLength", "enum"]
        + ["type", "datePattern", "exclusiveMinimum"]
    ),
    st.one_of(_VALUES, _TYPES, st.lists(_VALUES, max_size=3)),
    max_size=4,
)
_FIELDS = st.fixed_dictionaries(
    {"name": st.sampled_from(["a", "b", "c d"])},
    optional={
        "type": st.one_of(_TYPES, _VALUES),
        "format": st.one_of(_VALUES, st.sampled_from(["any", "array", "object", "%d/%m/%Y"])),
        "constraints": st.one_of(_CONSTRAINTS, _VALUES),
        "trueValues": st.one_of(_VALUES, st.lists(_VALUES, max_size=2)),
        "decimalChar": _VALUES,
        "groupChar": _VALUES,
        "missingValues": st.one_of(_VALUES, st.lists(_VALUES, max_size=2)),
    },
)
_TABLE = st.fixed_dictionaries(
    {"fields": st.lists(_FIELDS, min_size=1, max_size=3)},
    optional={
        "primaryKey": st.one_of(_VALUES, st.lists(st.sampled_from("ab"), max_size=2)),
        "fieldsMatch": _VALUES,
        "missingValues": st.one_of(_VALUES, st.lists(_VALUES, max_size=2)),
    },
)
_JSON = st.recursive(
    _VALUES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                ["type", "properties", "items", "enum", "pattern", "$ref", "features", "geometry"]
                + ["coordinates", "required", "minimum", "anyOf", "not", "a"]
            ),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=12,
)
_CSV = st.one_of(
    st.text(max_size=60),
    st.text(alphabet='ab,;\t"\n\r1.-', max_size=60).map(lambda text: f"a,b\n{text}"),
)


@settings(max_examples=150, deadline=None)
@given(_TABLE, _CSV)
def test_random_tables_raise_nothing(schema: Any, data: str) -> None:
    check(schema, data)


@settings(max_examples=150, deadline=None)
@given(_JSON, _JSON)
def test_random_json_raises_nothing(schema: Any, data: Any) -> None:
    check(schema, data)
    check(None, data)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=80), st.binary(max_size=80))
def test_random_bytes_raise_nothing(schema: bytes, data: bytes) -> None:
    check(schema, data)
    check(json.dumps({"fields": [{"name": "a"}]}), data)
    check(None, data)
