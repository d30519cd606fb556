"""The tests of all parts, summed up: `python -m stack.results`, the last line of .ci/run."""

from __future__ import annotations

from .paths import STACK
from .testing import count

if __name__ == "__main__":
    print(count(sorted((STACK / "results").glob("*.xml"))))
