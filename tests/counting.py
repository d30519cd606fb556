"""Count function calls: the cost of code, independent of the machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def count_calls(function: Callable[..., Any], *args: Any, **options: Any) -> int:
    """Return how many functions, in Python and in C, a call of a function calls."""
    count = 0

    def record(_frame: FrameType, event: str, _arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(record)
    try:
        function(*args, **options)
    finally:
        sys.setprofile(before)
    return count


def assert_linear(cost: Callable[[int], int], few: int, times: int = 10) -> None:
    """Fail if the cost grows faster than the number of items, with a tenth to spare.

    Args:
        cost: the number of items → their cost.
        few: a number of items large enough to outweigh fixed costs.
    """
    one, many = cost(few), cost(few * times)
    assert many <= one * times * 1.1, f"{few}: {one}, {few * times}: {many}"
