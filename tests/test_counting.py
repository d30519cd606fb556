"""Counted work tells linear from quadratic growth."""

from __future__ import annotations

import pytest

from tests.counting import assert_linear, count_calls


def each_once(count: int) -> None:
    for number in range(count):
        abs(number)


def each_with_all(count: int) -> None:
    for _number in range(count):
        each_once(count)


def test_calls_in_python_and_in_c_are_counted() -> None:
    assert count_calls(each_once, 20) - count_calls(each_once, 10) == 10
    assert count_calls(each_with_all, 20) > 20 * 20


def test_work_that_grows_with_the_square_is_seen() -> None:
    assert_linear(lambda count: count_calls(each_once, count), 100)
    with pytest.raises(AssertionError):
        assert_linear(lambda count: count_calls(each_with_all, count), 10)
