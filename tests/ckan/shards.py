"""Parts of tests/ckan that take about as long, so that each can be run on a core of its own.

Of whole files, whose tests share consumers: pytest-split and pytest-shard divide files.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

# Seconds of a test of each file: what test_NAME.py takes by the reports (.stack/results/*.xml), by
# the number of its tests. Measured on two quiet cores; measure again if the halves of bin/test
# differ by a tenth. Files that are not listed are near this:
OTHERS = 0.4
SECONDS = dict(line.split() for line in Path(__file__).with_name("seconds.txt").open())


def files_of_shard(items: Iterable[pytest.Item], shard: str) -> set[Path]:
    """Return the files of one of several parts that take about as long: "1/2" is the first half."""
    number, _, parts = shard.partition("/")
    weights: dict[Path, float] = {}
    for item in items:
        seconds = float(SECONDS.get(item.path.stem.removeprefix("test_"), OTHERS))
        weights[item.path] = weights.get(item.path, 0) + seconds
    shards: list[set[Path]] = [set() for _ in range(int(parts))]
    sizes = [0.0] * int(parts)
    for path, weight in sorted(weights.items(), key=lambda pair: -pair[1]):
        smallest = sizes.index(min(sizes))
        shards[smallest].add(path)
        sizes[smallest] += weight
    return shards[int(number) - 1]
