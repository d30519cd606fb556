"""Validators of the fields: variants that people write are accepted, invalid values refused."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
import pytest

from ckanext.ukharvest.dataset_schema import validator_of
from ckanext.ukharvest.fields import BY_HARVEST, FIELDS

pytestmark = pytest.mark.in_process

F40, F38 = "http://id.esd.org.uk/function/40", "http://id.esd.org.uk/function/38"
S579, S100 = "http://id.esd.org.uk/service/579", "http://id.esd.org.uk/service/100"
A, B = "https://a.example/x", "http://b.example/y?c=1,2"
SPEND = "http://schemas.opendata.esd.org.uk/Spend"

# Field, sent value, stored value (None: nothing).
ACCEPTED: list[tuple[str, Any, str | None]] = [
    ("la_function", F40, F40),
    ("la_function", [F40, F38], f"{F40} {F38}"),
    ("la_function", ["", F40, F40], F40),
    ("la_function", f"https://id.esd.org.uk/function/40/, {F38}", f"{F40} {F38}"),
    ("la_function", f'["{F40}", "{F38}"]', f"{F40} {F38}"),
    ("la_function", "40", F40),
    ("la_function", 40, F40),
    ("la_function", "Waste Management", F38),
    ("la_function", "http://standards.esd.org.uk/?uri=function%2F40", F40),
    # Kept, though it is in no list.
    ("la_function", "http://id.esd.org.uk/function/99999", "http://id.esd.org.uk/function/99999"),
    ("la_function", "", None),
    ("la_function", [""], None),
    ("la_function", None, None),
    ("la_service", "579;100", f"{S579} {S100}"),
    ("la_service", "esd:service/579", S579),
    ("theme-primary", "environment", "Environment"),
    ("theme-primary", "crime-and-justice", "Crime"),
    ("theme-primary", "Business & Economy", "Economy"),
    ("theme-primary", ["", "Health"], "Health"),
    (
        "theme-primary",
        "http://publications.europa.eu/resource/authority/data-theme/TRAN",
        "Transport",
    ),
    ("theme-primary", "", None),
    ("theme-secondary", ["", "Health", "towns-and-cities"], '["Health", "Towns"]'),
    ("theme-secondary", '["Health"]', '["Health"]'),
    ("theme-secondary", "Health, Transport", '["Health", "Transport"]'),
    ("theme-secondary", ["", ""], None),
    ("schema", [A, "", B], f'["{A}", "{B}"]'),
    ("schema", f"{A}\n{B}", f'["{A}", "{B}"]'),
    ("schema", f'["{A}"]', f'["{A}"]'),
    ("schema", "expenditure exceeding £500", f'["{SPEND}"]'),
    ("codelist", "Local government functions", '["http://id.esd.org.uk/list/functions"]'),
    ("mandate", f" {A} ", f'["{A}"]'),
    ("update_frequency", "Monthly", "R/P1M"),
    ("update_frequency", "R/P1Y", "R/P1Y"),
    ("temporal_coverage-from", "31/03/2020", "2020-03-31"),
    ("temporal_coverage-from", "March 2020", "2020-03"),
    ("temporal_coverage-to", "2020", "2020"),
    ("unpublished", True, "true"),
    ("unpublished", ["", "true"], "true"),
    ("unpublished", "Yes", "true"),
    ("unpublished", "off", None),
    ("unpublished", False, None),
    ("schema_url", A, A),
    ("schema_url", "Expenditure exceeding £500", SPEND),
    ("schema_type", " CSV Lint", "csvlint"),
    ("schema_type", "Own kind", "Own kind"),
]
# Field, sent value, part of the message.
REFUSED: list[tuple[str, Any, tuple[str, ...]]] = [
    ("la_function", "bins", ("'bins'", F40, "Street care and cleaning")),
    ("la_service", ["579", "nothing"], ("'nothing'", S579, "Public toilets")),
    ("theme-primary", "Bins", ("'Bins'", "Crime & Justice", "Transport")),
    ("theme-primary", ["Health", "Crime"], ("2 values", "expected one", "'Health'")),
    ("theme-secondary", ["Health", "Bins"], ("'Bins'", "expected one of")),
    ("schema", "javascript:alert(1)", ("'javascript:alert(1)'", "https://")),
    ("schema_url", f"{A} {B}", ("2 values",)),
    ("update_frequency", "when I like", ("'when I like'", "R/P1Y", "monthly")),
    ("temporal_coverage-from", "spring", ("'spring'", "2024-01")),
    ("temporal_coverage-from", "31/02/2020", ("31/02/2020",)),
    ("unpublished", "perhaps", ("'perhaps'", "true")),
]


def validated(context: dict[str, Any], **sent: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    fields = [field for field in FIELDS if field.key in sent]
    ignore_missing = tk.get_validator("ignore_missing")
    schema = {
        field.key: [tk.get_validator(validator_of(field)), ignore_missing] for field in fields
    }
    return tk.navl_validate(sent, schema, context)  # type: ignore[no-any-return]


def test_common_spellings_are_accepted(subtests: pytest.Subtests) -> None:
    for key, sent, stored in ACCEPTED:
        with subtests.test(key, sent=sent):
            data, errors = validated({}, **{key: sent})
            assert (data.get(key), errors) == (stored, {})
            if stored:
                assert validated({}, **{key: stored})[0][key] == stored


def test_wrong_value_is_refused_with_a_reason(subtests: pytest.Subtests) -> None:
    for key, sent, words in REFUSED:
        with subtests.test(key, sent=sent):
            _data, errors = validated({}, **{key: sent})
            (message,) = errors[key]
            for word in words:
                assert word in message


def test_swapped_function_and_service_are_corrected() -> None:
    swapped = {"la_function": S579, "la_service": f"{F40} {F38}"}
    data, errors = validated({}, **swapped)
    assert (data, errors) == ({"la_function": f"{F40} {F38}", "la_service": S579}, {})
    data, errors = validated({}, la_function=[F40, S579], la_service="")
    assert (data, errors) == ({"la_function": F40, "la_service": S579}, {})
    data, errors = validated({}, la_function="", la_service=F40)
    assert (data, errors) == ({"la_function": F40}, {})
    # The schema has no other field for it.
    assert validated({}, la_function=S579) == ({"la_function": S579}, {})
    _data, errors = validated({}, la_function="", la_service=[F40, "bins"])
    assert list(errors) == ["la_service"]


def test_a_period_ends_after_it_begins() -> None:
    period = {"temporal_coverage-from": "2020-04", "temporal_coverage-to": "31 March 2019"}
    _data, errors = validated({}, **period)
    assert errors == {
        "temporal_coverage-to": [
            "'2019-03-31' is before the start, '2020-04'; expected a later date"
        ]
    }
    period["temporal_coverage-to"] = "2020"
    assert validated({}, **period)[1] == {}


def test_harvested_value_is_not_validated() -> None:
    odd = {"la_function": f"{S579} bins", "theme-primary": "Bins", "schema": "not JSON"}
    assert validated({BY_HARVEST: True}, **odd, la_service="") == (odd, {})
