"""Results of all parts of the tests: `python -m stack.results`, the last lines of .ci/run."""

from __future__ import annotations

from . import reports
from .paths import STACK

if __name__ == "__main__":
    found = sorted((STACK / "results").glob("*.xml"))
    for report in found:
        seconds = reports.seconds([report])
        print(f"  {report.stem:<33} {seconds:5.0f} s   {reports.count([report])}")
    print()
    for line in (*reports.skips(found), *reports.flaky(found)):
        print(line)
    print(reports.count(found))
