"""The page of bin/bench, which is written anew section by section."""

from __future__ import annotations

from pathlib import Path

from bench.results import Case, Side, Target, write

REASON = "- Reason: the disk waits."


def case(title: str, ours: float) -> Case:
    sides = {"ours": Side([ours]), "floor": Side([10.0])}
    return Case(title, "records/s", [Target("ours", "floor", 0.8)], sides)


def section(page: Path, title: str) -> str:
    return page.read_text().partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_other_sections_of_the_page_are_kept(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    write(page, [case("One", 9), case("Two", 9)], size=4, rounds=1, update=False)
    one = section(page, "One")
    write(page, [case("Two", 8.5)], size=4, rounds=1, update=True)
    assert section(page, "One") == one
    assert "measured 0.85: met" in section(page, "Two")
    assert page.read_text().count("\n## ") == 2


def test_reason_stays_only_while_the_target_is_missed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    write(page, [case("One", 5)], size=4, rounds=1, update=False)
    page.write_text(page.read_text().replace("\n- measured", f"\n{REASON}\n- measured"))
    write(page, [case("One", 6)], size=4, rounds=1, update=True)
    assert REASON in section(page, "One")
    write(page, [case("One", 9)], size=4, rounds=1, update=True)
    assert REASON not in page.read_text()
