"""The records that a run may delete, as a table."""

from __future__ import annotations

import random

import pytest

from ckanext.ukharvest.core.deletions import DeletionPlan, KnownRecord, Shortfall, plan


def source(size: int, missed: int = 0) -> dict[str, KnownRecord]:
    """Return ``size`` active records, all missed as often."""
    return {f"g{number}": KnownRecord(missed, active=True) for number in range(size)}


def split(known: dict[str, KnownRecord], gone: int) -> tuple[list[str], list[str]]:
    """Return the guids of the first ``gone`` records, and of the others."""
    guids = list(known)
    return guids[:gone], guids[gone:]


@pytest.mark.parametrize(
    ("size", "gone", "held"),
    [
        pytest.param(1, 0, False, id="1-none"),
        pytest.param(2, 1, False, id="2-half"),
        pytest.param(3, 1, False, id="3-a-third"),
        pytest.param(3, 2, True, id="3-two-thirds"),
        pytest.param(5, 2, False, id="5-two"),
        pytest.param(5, 3, True, id="5-three"),
        pytest.param(10, 5, False, id="10-half"),
        pytest.param(10, 6, True, id="10-six"),
        pytest.param(10, 9, True, id="10-nine"),
        pytest.param(11, 5, False, id="11-five"),
        pytest.param(11, 6, True, id="11-six"),
        pytest.param(20, 10, False, id="20-half-is-ten"),
        pytest.param(21, 10, False, id="21-ten-is-the-floor"),
        pytest.param(22, 11, True, id="22-above-floor-and-share"),
        pytest.param(55, 11, False, id="55-eleven-is-the-share"),
        pytest.param(54, 11, True, id="54-eleven-is-more-than-the-share"),
        pytest.param(1000, 200, False, id="1000-the-share"),
        pytest.param(1000, 201, True, id="1000-above-the-share"),
        pytest.param(1000, 999, True, id="1000-nearly-all"),
    ],
)
def test_large_deletions_wait_for_approval(size: int, gone: int, held: bool) -> None:
    known = source(size, missed=1)
    lost, seen = split(known, gone)
    result = plan(known, seen, complete=True)
    assert (result.held if held else result.delete) == tuple(lost)
    assert (result.delete if held else result.held) == ()
    assert bool(result.reason) == held
    assert result.missing == ()
    assert result.back == tuple(seen)


@pytest.mark.parametrize(
    ("size", "gone", "share", "floor", "held"),
    [
        pytest.param(100, 7, 0.07, 0, False, id="share-is-decimal"),
        pytest.param(100, 8, 0.07, 0, True, id="above-a-decimal-share"),
        pytest.param(100, 50, 1.0, 0, False, id="share-off"),
        pytest.param(100, 51, 1.0, 100, True, id="half-rule-stays"),
        pytest.param(100, 11, 0.0, 10, True, id="no-share"),
        pytest.param(100, 10, 0.0, 10, False, id="floor-alone"),
        pytest.param(100, 1, 0.0, 0, True, id="nothing-without-a-word"),
    ],
)
def test_limits_of_deletions_can_be_set(
    size: int, gone: int, share: float, floor: int, held: bool
) -> None:
    known = source(size, missed=1)
    lost, seen = split(known, gone)
    result = plan(known, seen, complete=True, max_share=share, floor=floor)
    assert (result.held if held else result.delete) == tuple(lost)


@pytest.mark.parametrize(
    ("missed", "after_runs", "due"),
    [
        pytest.param(0, 1, True, id="at-once"),
        pytest.param(0, 2, False, id="first-of-two"),
        pytest.param(1, 2, True, id="second-of-two"),
        pytest.param(5, 2, True, id="overdue"),
        pytest.param(1, 3, False, id="second-of-three"),
        pytest.param(2, 3, True, id="third-of-three"),
    ],
)
def test_a_dataset_is_due_after_n_complete_runs(missed: int, after_runs: int, due: bool) -> None:
    known = {
        "gone": KnownRecord(missed, active=True),
        "a": KnownRecord(0, active=True),
        "b": KnownRecord(0, active=True),
    }
    result = plan(known, ["a", "b"], complete=True, after_runs=after_runs)
    assert result == DeletionPlan(delete=("gone",) if due else (), missing=() if due else ("gone",))


@pytest.mark.parametrize(
    ("size", "gone", "after_runs", "expected"),
    [
        pytest.param(11, 9, 2, Shortfall(9, 11, 1), id="nearly-all"),
        pytest.param(11, 9, 3, Shortfall(9, 11, 2), id="two-more-runs"),
        pytest.param(12, 12, 2, Shortfall(12, 12, 1), id="all"),
        pytest.param(11, 5, 2, None, id="less-than-half"),
        pytest.param(100, 21, 2, Shortfall(21, 100, 1), id="more-than-the-share"),
        pytest.param(100, 20, 2, None, id="the-share"),
        pytest.param(1, 1, 2, Shortfall(1, 1, 1), id="the-only-one"),
        pytest.param(11, 9, 1, None, id="held-at-once"),
    ],
)
def test_a_later_deletion_that_needs_approval_is_foretold(
    size: int, gone: int, after_runs: int, expected: Shortfall | None
) -> None:
    known = source(size)
    _lost, seen = split(known, gone)
    assert plan(known, seen, complete=True, after_runs=after_runs).shortfall == expected
    assert plan(known, seen, complete=False, after_runs=after_runs).shortfall is None


def test_a_shortfall_is_what_later_runs_do() -> None:
    """For any number of missed runs, simulated by runs."""
    random_ = random.Random(3)
    for _round in range(300):
        size, after_runs = random_.randrange(1, 40), random_.randrange(2, 5)
        known = {
            f"g{number}": KnownRecord(random_.randrange(after_runs), active=True)
            for number in range(size)
        }
        _lost, seen = split(known, random_.randrange(size + 1))
        first = plan(known, seen, complete=True, after_runs=after_runs)
        if first.held:
            assert first.shortfall is None
            continue
        asked = _first_question(known, seen, after_runs)
        found = first.shortfall and (first.shortfall.records, first.shortfall.asks_after)
        assert found == asked


def _first_question(
    known: dict[str, KnownRecord], seen: list[str], after_runs: int
) -> tuple[int, int] | None:
    for run in range(after_runs + 1):
        result = plan(known, seen, complete=True, after_runs=after_runs)
        if result.held:
            return len(result.held), run
        known = {
            guid: KnownRecord(state.missed + 1 if guid in result.missing else 0, active=True)
            for guid, state in known.items()
            if guid not in result.delete
        }
    return None


def test_a_record_that_its_source_marks_deleted_is_deleted() -> None:
    result = plan(source(4), ["g2", "g3"], complete=True, said_deleted=["g0", "unheard-of"])
    assert result == DeletionPlan(delete=("g0",), missing=("g1",))


def test_marked_deletions_count_towards_approval() -> None:
    known = source(4) | {"g1": KnownRecord(1, active=True), "g2": KnownRecord(1, active=True)}
    result = plan(known, ["g3"], complete=True, said_deleted=["g0"])
    assert (result.delete, result.held) == ((), ("g0", "g1", "g2"))


@pytest.mark.parametrize("said", [False, True], ids=["missing", "said-deleted"])
def test_what_is_held_stays_held(said: bool) -> None:
    known = {
        **source(8, missed=1),
        **{f"n{number}": KnownRecord(0, active=True) for number in range(9)},
    }
    lost, _seen = split(known, 8)
    new = [guid for guid in known if guid not in lost]
    assert plan(known, new, complete=True).delete == tuple(lost)
    gone = lost if said else ()
    result = plan(known, new, complete=True, held=lost, said_deleted=gone, after_runs=9)
    assert (result.held, result.delete, result.missing) == (tuple(lost), (), ())
    assert result.reason == "8 deletions of an earlier run still to be approved"
    # What is due now goes, unless together they are too many.
    result = plan(known, new[1:], complete=True, held=lost, after_runs=1, floor=20)
    assert (result.held, result.delete) == ((*lost, "n0"), ())  # 9 of 17
    known["n9"] = KnownRecord(0, active=True)
    result = plan(known, [*new[1:], "n9"], complete=True, held=lost, after_runs=1, floor=20)
    assert (result.held, result.delete) == (tuple(lost), ("n0",))  # 9 of 18


def test_held_deletion_ends_when_its_record_is_listed() -> None:
    known = source(3, missed=2)
    result = plan(known, ["g0", "g1"], complete=True, held=["g0", "g1"])
    assert (result.held, result.delete, result.back) == ((), ("g2",), ("g0", "g1"))
    assert result.reason == ""


def test_a_record_that_is_listed_is_never_deleted() -> None:
    result = plan(source(2), ["g0", "g1"], complete=True, said_deleted=["g0"])
    assert result == DeletionPlan()


def test_an_incomplete_run_deletes_and_counts_nothing() -> None:
    known = source(4, missed=1)
    result = plan(known, ["g3"], complete=False, said_deleted=["g0"])
    assert (result.delete, result.missing, result.held, result.back) == ((), (), (), ("g3",))
    assert result.reason == (
        "the read was not complete, so no dataset was deleted or counted as missing"
    )


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
@pytest.mark.parametrize("said", [False, True], ids=["missing", "said-deleted"])
def test_an_empty_source_deletes_nothing(size: int, said: bool) -> None:
    known = source(size, missed=0 if said else 1)
    result = plan(known, [], complete=True, said_deleted=list(known) if said else ())
    assert (result.delete, result.held) == ((), tuple(known))
    assert "no record at all" in result.reason


def test_the_first_empty_run_only_counts() -> None:
    result = plan(source(2), [], complete=True)
    assert (result.delete, result.missing, result.held) == ((), ("g0", "g1"), ())
    assert result.reason == "the source listed no record at all, so nothing was deleted"


def test_an_empty_source_without_datasets_has_an_empty_plan() -> None:
    assert plan({}, [], complete=True) == DeletionPlan()


def test_the_only_dataset_may_be_replaced() -> None:
    result = plan(source(1, missed=1), ["new"], complete=True)
    assert result == DeletionPlan(delete=("g0",))


def test_replacing_every_record_waits_for_approval() -> None:
    known = source(5)
    result = plan(known, [f"n{number}" for number in range(50)], complete=True, after_runs=1)
    assert result.held == tuple(known)


def test_inactive_datasets_are_neither_counted_nor_deleted() -> None:
    known = source(4, missed=1) | {f"old{n}": KnownRecord(9, active=False) for n in range(100)}
    result = plan(known, ["g3", "old1"], complete=True, said_deleted=["old0"])
    assert (result.held, result.missing) == (("g0", "g1", "g2"), ())
    assert result.back == ("g3", "old1")
    assert result.reason == (
        "3 of 4 datasets would be deleted, more than half, so the deletions wait for approval"
    )


def test_the_reason_names_the_figures() -> None:
    known = source(100, missed=1)
    result = plan(known, list(known)[25:], complete=True)
    assert result.reason == (
        "25 of 100 datasets would be deleted, more than 10 and more than 20%, "
        "so the deletions wait for approval"
    )


def test_missing_records_are_counted_while_others_wait() -> None:
    known = source(3, missed=1) | {"late": KnownRecord(0, active=True)}
    result = plan(known, ["new"], complete=True)
    assert (result.held, result.missing) == (("g0", "g1", "g2"), ("late",))


def test_less_than_one_run_is_refused() -> None:
    with pytest.raises(ValueError, match="after_runs"):
        plan({}, [], complete=True, after_runs=0)


@pytest.mark.parametrize("seed", range(20))
def test_no_listed_dataset_is_deleted_at_random(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(200):
        size = chance.choice([0, 1, 2, 3, 5, 9, 10, 11, 30, 60])
        known = {
            f"g{n}": KnownRecord(chance.randrange(4), active=chance.random() < 0.9)
            for n in range(size)
        }
        everything = [*known, *(f"n{n}" for n in range(5))]
        seen = [guid for guid in everything if chance.random() < chance.choice([0, 0.5, 0.9, 1])]
        said = [guid for guid in everything if chance.random() < 0.1]
        complete = chance.random() < 0.8
        result = plan(
            known,
            seen,
            complete=complete,
            said_deleted=said,
            after_runs=chance.choice([1, 2, 3]),
            max_share=chance.choice([0.0, 0.2, 1.0]),
            floor=chance.choice([0, 10]),
        )
        check(result, known, seen, complete)


def check(
    result: DeletionPlan, known: dict[str, KnownRecord], seen: list[str], complete: bool
) -> None:
    delete, held, missing = set(result.delete), set(result.held), set(result.missing)
    active = {guid for guid, state in known.items() if state.active}
    assert not (delete | held | missing) & set(seen)
    assert delete | held | missing == (active - set(seen) if complete else set())
    assert len(delete) + len(held) + len(missing) == len(delete | held | missing)
    assert not (delete and held)
    assert not (delete and not seen)
    assert 2 * len(delete) <= len(active) or len(active) == 1
    assert not held or result.reason
    assert set(result.back) == {guid for guid in seen if guid in known and known[guid].missed}
