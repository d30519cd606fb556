"""A check of the doctor that fails is a finding."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest import doctor
from ckanext.ukharvest.lib.checks import Check, Finding

pytestmark = pytest.mark.in_process


def test_a_check_that_fails_is_a_finding_and_stops_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken() -> list[Finding]:
        raise ValueError("no such column\nand more")

    checks = [Check("a", "Fine.", broken), Check("b", "Fine.", list)]
    monkeypatch.setattr(doctor, "checks", lambda: checks)
    first, second = doctor.examine()
    assert (first.level, second.level) == ("error", "ok")
    assert "ValueError: no such column" in first.message


def test_without_tables_one_finding_names_what_was_not_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def without_table() -> list[Finding]:
        model.Session.execute(sa.text("SELECT * FROM ukharvest_missing"))
        return []

    def old() -> list[Finding]:
        return [Finding("error", "migrations", "Old.", "Upgrade.")]

    checks = [Check("a", "Fine.", without_table), Check("migrations", "", old)]
    checks += [Check("b", "Fine.", without_table), Check("c", "Fine.", list)]
    checks += [Check("d", "Fine.", without_table)]
    monkeypatch.setattr(doctor, "CHECKS", checks)
    first, *_others, last = doctor.examine()
    assert (first.code, "ukharvest_missing" in first.message) == ("a", True)
    assert (last.code, last.level) == ("migrations", "error")
    assert last.message.endswith("missing or old: b, d.")
