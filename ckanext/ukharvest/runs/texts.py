"""Texts at the top of a run's page: how it started, how it ended, and what that means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.outcomes import RunMode, RunOutcome
from ckanext.ukharvest.lib import texts
from ckanext.ukharvest.lib.texts import duration, format_time, gettext, labelled, number
from ckanext.ukharvest.sources import texts as source_texts
from ckanext.ukharvest.sources.decisions import signed

_VERDICT_SAYS_WHY = (RunOutcome.FAILED, RunOutcome.EMPTY, RunOutcome.HELD, RunOutcome.SETTLED)
# Nothing of them waits any more.
_NO_LONGER_HELD = (RunOutcome.DECIDED, RunOutcome.SETTLED)
Run = Mapping[str, Any]  # as ukharvest_run_show returns it, without these texts
# CSS classes of the card's edge, as in sources/texts.py.
_CSS = {
    RunOutcome.FAILED: "is-danger",
    RunOutcome.HELD: "is-warning",
    RunOutcome.EMPTY: "is-warning",
    RunOutcome.SHRUNK: "is-warning",
    RunOutcome.ERRORS: "is-warning",
    RunOutcome.RUNNING: "is-primary",
}


def describe(run: Run) -> dict[str, Any]:
    """Return the texts of a run's page, and the CSS class of the card's edge.

    Returns:
        ``heading``, such as "Run: 20 November 2026, 02:14 UTC"; ``css``; ``text``: sentences on
        how it ended; ``note``: the run's other note, or who decided what about that
        which waited in it; and ``about``: who started it, how long it took, how much it read.
    """
    outcome = run["outcome"]
    time = format_time(run["started"] or run["created"])
    is_good = outcome in (RunOutcome.FINISHED, RunOutcome.UNCHANGED, *_NO_LONGER_HELD)
    is_said = outcome in _VERDICT_SAYS_WHY or run["stopped_by"]
    decided = "; ".join(signed(decision) for decision in run["decisions"])
    label = tk._("Deletions") if run["mode"] == RunMode.APPROVAL else tk._("Run")
    return {
        "heading": labelled(label, time),
        "css": _CSS.get(outcome, "is-good" if is_good else ""),
        "text": [text for text in _verdict(run) if text],
        "note": "" if is_said else decided or run["reason"],
        "about": _about(run),
    }


def _verdict(run: Run) -> tuple[str, ...]:
    """Return what the label of the outcome, and the figures, do not say."""
    counts, outcome = run["counts"], run["outcome"]
    if outcome == RunOutcome.FAILED:
        error = run["error"] or {}
        reason = texts.show_message(error) if error.get("message") else run["reason"]
        return reason, tk._(source_texts.UNHARMED)
    if outcome == RunOutcome.EMPTY:
        return (tk._(source_texts.UNHARMED),)
    if outcome == RunOutcome.STOPPED:
        return source_texts.stopped_by(run["stopped_by"]), tk._(source_texts.STOPPED_RECORDS)
    missing, shortfall, held = counts["missing"], run["shortfall"], counts["held"]
    is_held = outcome == RunOutcome.HELD
    return (
        texts.meaning(counts["new_identifiers"]) if counts["new_identifiers"] else "",
        source_texts.pending_deletions(held) if held and is_held else "",
        tk._(source_texts.NOTHING_DELETED) if held and is_held else "",
        source_texts.missing_heading(shortfall) if shortfall else "",
        tk._(source_texts.OLD_VERSIONS) if counts["lost"] else "",
        texts.describe_same(counts["same"]) if counts["same"] else "",
        *texts.describe_progress(run["progress"]),
        source_texts.not_seen(missing) if missing and not shortfall else "",
    )


def _about(run: Run) -> list[str]:
    is_approval, is_read = run["mode"] == RunMode.APPROVAL, run["gathered"]
    facts = [
        source_texts.started_by(run),
        tk._("Run again in full") if run["mode"] == RunMode.FORCE else "",
        labelled(tk._("Duration"), duration(run["seconds"])) if run["seconds"] is not None else "",
    ]
    if is_read and not is_approval and run["outcome"] not in _READ_NOTHING:
        facts.append(labelled(tk._("Records"), number(run["seen"])))
        facts.append(
            "" if run["complete"] else gettext("This run may not have read the whole source.")
        )
    return [fact for fact in facts if fact]


# What such a run read is in its verdict.
_READ_NOTHING = (RunOutcome.FAILED, RunOutcome.EMPTY)
