"""Moves of a base URL, and records matched by them."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.base_urls import BaseMove, find_moves, infer_move, is_below, match

OLD, NEW = "https://old.example", "https://new.example"


@pytest.mark.parametrize(
    ("old", "new", "url", "moved"),
    [
        ("/catalogue", "/data", "/catalogue/1", "/data/1"),
        ("/catalogue/", "/data", "/catalogue", "/data"),
        ("/catalogue/data.json", "/open/data.json", "/catalogue/1#it", "/open/1#it"),
        ("/a/x/data.json", "/b/x/data.json", "/a/y", "/b/y"),
        ("/catalogue/data.json", "/open/data.json?v=2", "/files/1.csv", "/files/1.csv"),
        ("/data.ttl", "/data.ttl", "/data.ttl/title", "/data.ttl/title"),
        ("", "/data", "/set/1", "/data/set/1"),
    ],
)
def test_the_longest_base_first(old: str, new: str, url: str, moved: str) -> None:
    moves = find_moves(OLD + old, NEW + new)
    assert next(filter(None, (move.apply(OLD + url) for move in moves))) == NEW + moved


def test_either_scheme() -> None:
    moves = find_moves("https://old.example/a", "https://new.example/b")
    assert BaseMove("http://old.example/a", "https://new.example/b") in moves
    assert BaseMove("http://old.example/a", "http://new.example/b") in moves
    assert all(old != new for old, new in find_moves(f"{OLD}/a", f"{OLD}/b"))


def test_is_below_compares_whole_parts_of_a_path() -> None:
    assert is_below(f"{OLD}/a/b", f"{OLD}/a")
    assert is_below(f"{OLD}/a?b", f"{OLD}/a")
    assert not is_below(f"{OLD}/ab", f"{OLD}/a")
    assert not is_below("https://old.example.evil/a", OLD)


def test_records_match_by_guid_with_the_base_replaced() -> None:
    moves = find_moves(f"{OLD}/catalogue", f"{NEW}/data")
    known = ["1", f"{OLD}/catalogue/2", f"{OLD}/set/3", f"{OLD}/catalogue/4", "5"]
    listed = ["1", f"{NEW}/data/2", f"{NEW}/set/3", "6", f"{NEW}/data/7"]
    found = match(known, listed, moves)
    assert found.same == ["1"]
    assert found.moved == {
        BaseMove(f"{OLD}/catalogue", f"{NEW}/data"): [f"{OLD}/catalogue/2"],
        BaseMove(OLD, NEW): [f"{OLD}/set/3"],
    }
    assert found.missing == [f"{OLD}/catalogue/4", "5"]
    assert found.added == 2


def test_the_same_guid_wins_over_a_replaced_one() -> None:
    moves = find_moves(f"{OLD}/a", f"{NEW}/a")
    found = match([f"{OLD}/a/1"], [f"{NEW}/a/1", f"{OLD}/a/1"], moves)
    assert (found.same, found.moved, found.added) == ([f"{OLD}/a/1"], {}, 1)


def test_a_move_is_inferred_from_two_urls_of_one_file() -> None:
    files = BaseMove("https://files.old.example/x", "https://cdn.example")
    assert infer_move(f"{files.old}/a/1.csv", f"{files.new}/a/1.csv") == files
    assert infer_move(f"{OLD}/1.csv", f"{NEW}/1.csv") == BaseMove(OLD, NEW)
    assert infer_move(f"{OLD}/1.csv", f"{NEW}/2.csv") is None
    assert infer_move(OLD, NEW) is None
