"""Work and memory of each parser grow with its input, and not with the input's square."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import RecordError
from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.source_types import TYPES
from ckanext.ukharvest.source_types.source_type import COMMON_OPTIONS, SourceType
from tests.counting import count_calls
from tests.fuzz import growth

pytestmark = pytest.mark.giant

PARSERS = {kind.parser.__name__.split(".")[-2]: kind for kind in reversed(TYPES.ours.values())}
TIMES = 8
# Twice what is linear: tables are built, and lists grow in steps. Square would be eight times.
SLACK = 2.0
TRIES = 3  # of the processor's time, which other processes disturb


def _parse(kind: SourceType, raw: RawRecord) -> None:
    try:
        kind.parse(raw, options.validate({}, (*kind.options, *COMMON_OPTIONS)))
    except RecordError:
        return  # a title that is no title: the work up to there counts


def _calls(kind: SourceType, raw: RawRecord) -> float:
    return count_calls(_parse, kind, raw)


def _memory(kind: SourceType, raw: RawRecord) -> float:
    tracemalloc.start()
    try:
        _parse(kind, raw)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _processor_time(kind: SourceType, raw: RawRecord) -> float:
    began = time.process_time()
    _parse(kind, raw)
    return time.process_time() - began


@pytest.mark.timeout(180)
@pytest.mark.parametrize("measure", [_calls, _memory], ids=["calls", "memory"])
@pytest.mark.parametrize("name", sorted(PARSERS))
def test_work_grows_with_the_number_of_values(
    name: str, measure: Callable[[SourceType, RawRecord], float]
) -> None:
    kind = PARSERS[name]
    make = growth.lists(kind.parser.__name__, kind.parser.FORM)
    few, many = make(20), make(20 * TIMES)
    _parse(kind, few)  # what is loaded once
    one, all_ = measure(kind, few), measure(kind, many)
    assert all_ <= one * TIMES * SLACK, (one, all_)


@pytest.mark.timeout(180)
@pytest.mark.parametrize("unit", growth.UNITS)
@pytest.mark.parametrize("name", sorted(PARSERS))
def test_work_grows_with_the_length_of_texts(name: str, unit: str) -> None:
    """Measure the processor's time: expressions and C libraries make no calls to count."""
    kind = PARSERS[name]
    make = growth.texts(kind.parser.__name__, kind.parser.FORM, unit)
    few, many = make(4_000), make(4_000 * TIMES)
    _parse(kind, few)
    ratios = []
    for _ in range(TRIES):
        # Some thousandths of a second are the clock's own.
        one = _processor_time(kind, few) + 0.005
        ratios.append(_processor_time(kind, many) / one)
        if ratios[-1] <= TIMES * SLACK:
            return
    pytest.fail(f"{TIMES} times the text costs {min(ratios):.0f} times the work")
