"""The seeded faults of bin/mutants still apply to the code."""

from __future__ import annotations

from collections import Counter

from tests.mutants import MUTANTS, ROOT

LEAST = 40


def test_each_mutant_applies_and_compiles() -> None:
    broken = []
    for mutant in MUTANTS:
        try:
            source = mutant.apply()
            if mutant.path.suffix == ".py":
                compile(source, str(mutant.path), "exec")
        except (ValueError, SyntaxError) as exc:
            broken.append(f"{mutant.name}: {exc}")
    assert broken == []


def test_each_mutant_has_its_own_name_and_guarantee() -> None:
    assert len(MUTANTS) >= LEAST
    texts = Counter(text for each in MUTANTS for text in (each.name, each.guarantee))
    assert [text for text, number in texts.items() if number > 1] == []


def test_first_tests_of_each_mutant_exist() -> None:
    named = {test for each in MUTANTS for test in each.tests}
    assert [test for test in sorted(named) if not exists(test)] == []
    assert [each.name for each in MUTANTS if not each.tests] == []


def exists(test: str) -> bool:
    """Tell whether there is such a file, folder or test function (path::name)."""
    path, _colons, name = test.partition("::")
    if not name:
        return (ROOT / path).exists()
    return (ROOT / path).is_file() and f"\ndef {name}(" in (ROOT / path).read_text(encoding="utf-8")
