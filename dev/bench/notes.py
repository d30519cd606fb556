"""Why a target is missed, where it is: shown below the case in docs/performance.md."""

from __future__ import annotations

_READ_FIRST = (
    "Reason: a run first reads and stages its catalogue and sends it to the fetch consumer, which "
    "takes 0.6 s of these 400 records' {seconds} s (0.9 s of 800 records'); package_create alone "
    "has none of it. Of the fetch consumer's own time 83 % is spent inside CKAN's package_create "
    "and in building documents for the index, which the floor does too (py-spy, 1,000 records). "
    "Tried: telling CKAN's listeners at fewer moments; "
    "they are told once for each dataset already. The rounds differ by more than what is missing."
)

# Title of a case → one sentence or two with the measured reason, and what was tried.
NOTES: dict[str, str] = {
    "First harvest, data.json": _READ_FIRST.format(seconds="8.2"),
    "First harvest, Turtle, with CKAN's activity plugin": _READ_FIRST.format(seconds="11.7"),
    "First harvest, data.json, 800 records and more consumers": (
        "Reason: this run counted the commits of consumers that were woken up and found nothing to "
        "claim. They change no row, so they do not wait for the disk. Counted again at commit "
        "facce42 without them: 0.020 commits a record."
    ),
}
