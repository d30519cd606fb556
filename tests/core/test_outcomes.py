"""Enumerations of stored values: what tables, files and pages get of them."""

from __future__ import annotations

import csv
import io
import json
from enum import Enum

import pytest

from ckanext.ukharvest.core.outcomes import (
    AdoptedBy,
    DecisionKind,
    PendingKind,
    PreviewState,
    RecordOutcome,
    RunMode,
    RunOutcome,
)
from ckanext.ukharvest.core.problems.texts import Severity
from ckanext.ukharvest.core.status_rules import Health

# Portals have these in their tables, and scripts read them: a change needs a migration.
STORED = {
    RunMode: "normal force approval",
    RunOutcome: "finished held failed stopped errors empty shrunk unchanged decided settled"
    " running queued",
    RecordOutcome: "added updated deleted errored skipped",
    AdoptedBy: "source guid",
    PendingKind: "deletion identifier duplicate source",
    PreviewState: "waiting running done stopped",
    Severity: "stop lost problem note",
    Health: "off held failing late hiccup empty shrunk errors new healthy",
}


@pytest.mark.parametrize("kind", STORED)
def test_stored_values_are_unchanged(kind: type[Enum]) -> None:
    found = [str(each).replace(" ", "_") for each in kind]
    assert found == STORED[kind].split()


def test_a_member_is_written_as_its_value() -> None:
    member = DecisionKind.SAME_DATASETS
    assert (str(member), f"{member}", f"{member:.4}") == (*["same datasets"] * 2, "same")
    assert json.dumps({member: member}) == '{"same datasets": "same datasets"}'
    assert {"same datasets": 1}[member] == 1
    out = io.StringIO()
    csv.writer(out).writerow([member])
    assert out.getvalue().strip() == "same datasets"
