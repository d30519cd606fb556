"""Parts of tests/ckan that take about as long, so that each can be run on a core of its own.

Of whole files, whose tests share consumers: pytest-split and pytest-shard divide files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

# Seconds of a test of each file: what FOLDER/test_NAME.py takes by the reports
# (.stack/results/*.xml), by the number of its tests. Measured on two quiet cores; measure again if
# the halves of bin/test differ by a tenth. Files that are not listed are near this:
OTHERS = 0.4
HERE = Path(__file__).parent
SECONDS = dict(line.split() for line in (HERE / "seconds.txt").open())


def files_of(folders: Mapping[str, str]) -> set[Path]:
    """Return the files test_NAME.py of names in folders below this one.

    Raises:
        FileNotFoundError: there is no such file.
    """
    places = ((folder, name) for folder, names in folders.items() for name in names.split())
    files = {HERE / folder / f"test_{name}.py" for folder, name in places}
    if missing := sorted(file for file in files if not file.is_file()):
        raise FileNotFoundError(missing[0])
    return files


def files_of_shard(items: Iterable[pytest.Item], shard: str) -> set[Path]:
    """Return the files of one of several parts that take about as long: "1/2" is the first half."""
    number, _, parts = shard.partition("/")
    weights: dict[Path, float] = {}
    for item in items:
        seconds = float(SECONDS.get(_place(item.path), OTHERS))
        weights[item.path] = weights.get(item.path, 0) + seconds
    shards: list[set[Path]] = [set() for _ in range(int(parts))]
    sizes = [0.0] * int(parts)
    for path, weight in sorted(weights.items(), key=lambda pair: -pair[1]):
        smallest = sizes.index(min(sizes))
        shards[smallest].add(path)
        sizes[smallest] += weight
    return shards[int(number) - 1]


def _place(file: Path) -> str:
    """Return the file's name in seconds.txt: "runs/pages" for runs/test_pages.py."""
    folder = file.parent.relative_to(HERE)
    return (folder / file.stem.removeprefix("test_")).as_posix()
