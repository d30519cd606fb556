"""Nothing is lost, doubled or left running, whatever is killed while three sources are harvested.

The short form runs in CI. The long form, ``bin/test --chaos``, strikes at least 200 times; it
prints its seed, and ``--seed N`` draws the same faults again.
"""

from __future__ import annotations

import time

import pytest

from tests.ckan.chaos.storm import RECORDS, Storm

# The consumers are the storm's own; once in CI is enough.
pytestmark = pytest.mark.in_process


@pytest.mark.giant
@pytest.mark.parametrize("batch_size", [100, 1])
def test_six_faults_in_a_harvest(storm: Storm, batch_size: int) -> None:
    storm.harvest("short", 6, batch_size)
    storm.prove()
    assert sum(storm.struck.values()) == 6


@pytest.mark.long
@pytest.mark.timeout(3 * 3600)
def test_two_hundred_faults(storm: Storm, pytestconfig: pytest.Config) -> None:
    wanted, minutes = (
        int(pytestconfig.getoption("faults")),
        float(pytestconfig.getoption("minutes")),
    )
    end = time.monotonic() + 60 * minutes
    number = 0
    while sum(storm.struck.values()) < wanted and time.monotonic() < end:
        number += 1
        batch_size = 1 if number % 2 else 100
        storm.harvest(f"round-{number}", 12, batch_size)
        storm.change(f"round-{number}", 12, 101 - batch_size)
    storm.prove()
    storm.say(
        f"{sum(storm.struck.values())} faults in {number} rounds over {2 * number * RECORDS:,} "
        f"imports of {number * RECORDS:,} records; {storm.restarts} restarts: {dict(storm.struck)}"
    )
    assert sum(storm.struck.values()) >= wanted, f"in {minutes:.0f} minutes"
