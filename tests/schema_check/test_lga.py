"""Twenty schemas and files like those of the LGA, judged as csvlint's documented rules say.

Where csvlint itself would find more or less, ``DIFFERENCES`` has the reason.
"""

from __future__ import annotations

import pytest

from tests.schema_check.lga import CASES, Case
from tests.schema_check.support import check

NAMES = [f"{number}-{case.name}" for number, case in enumerate(CASES, 1)]

# Case → what csvlint's code would find instead, and why we do not.
DIFFERENCES = {
    "1-Spend": "each URI is an error: the type URI is unknown to it; we read it as anyURI",
    "2-Spend": "as before",
    "13-PlanningApplications": "no missing value: it ignores booleans that are texts",
    "14-PremisesLicences": "as before",
    "17-GritBins": "beside the ragged row, the missing cell as an empty value",
    "18-Allotments": "beside the blank row, each required cell of it",
    "20-BusinessRates": "a warning for the header's space; we note it",
    "21-Councillors": "columns by position: emails are judged as wards; we go by name",
}


def test_there_are_twenty_cases() -> None:
    assert len(CASES) >= 20
    assert set(DIFFERENCES) <= set(NAMES)


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_files_of_the_lga_are_checked_by_its_rules(case: Case) -> None:
    found = check(case.csvlint(), case.data())
    assert found.reason == ""
    assert found.values["schema_type"] == "csvlint"
    assert tuple(found.found) == case.found


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_oddities_of_the_schema_are_noted(case: Case) -> None:
    notes = " ".join(check(case.csvlint(), case.data()).notes)
    assert ("UTF-16 without a byte order mark" in notes) == (case.codec == "utf-16-le")
    assert ("as the text" in notes) == case.text_flags
    assert ("type URI" in notes) == any(column[1] == "URI" for column in case.columns)


def test_a_bad_escape_in_a_schema_is_named_with_its_line() -> None:
    schema = CASES[-7].csvlint().replace(b"(^$)", b"\\d")
    assert "is not valid JSON (line" in check(schema, CASES[-7].data()).reason
