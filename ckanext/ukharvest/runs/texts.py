"""Texts at the top of a run's page: how it started, how it ended, and what that means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.outcomes import RunMode, RunOutcome
from ckanext.ukharvest.core.values.text import one_line
from ckanext.ukharvest.lib import texts
from ckanext.ukharvest.lib.texts import duration, format_time, gettext, number, ungettext
from ckanext.ukharvest.sources.decisions import signed

# Nothing of them waits any more.
_NO_LONGER_HELD = (RunOutcome.DECIDED, RunOutcome.SETTLED)
_VERDICT_SAYS_WHY = (RunOutcome.FAILED, RunOutcome.EMPTY, RunOutcome.HELD, RunOutcome.SETTLED)
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
        ``heading``, such as "Run of 20 November 2026, 02:14 UTC"; ``css``; ``text``: how it ended,
        in one to three sentences; ``note``: the run's other note, or who decided what about that
        which waited in it; and ``about``: who started it, how long it took, how much it read.
    """
    outcome = run["outcome"]
    time = format_time(run["started"] or run["created"])
    is_approval = run["mode"] == RunMode.APPROVAL
    is_good = outcome in (RunOutcome.FINISHED, RunOutcome.UNCHANGED, *_NO_LONGER_HELD)
    is_said = outcome in _VERDICT_SAYS_WHY or run["stopped_by"]
    decided = "; ".join(signed(decision) for decision in run["decisions"])
    return {
        "heading": gettext("Deletions of {time}", time=time)
        if is_approval
        else gettext("Run of {time}", time=time),
        "css": _CSS.get(outcome, "is-good" if is_good else ""),
        "text": [text for text in (_VERDICTS[outcome](run), *_further(run)) if text],
        "note": "" if is_said else decided or run["reason"],
        "about": _about(run),
    }


def _finished(run: Run) -> str:
    counts = run["counts"]
    if run["mode"] == RunMode.APPROVAL:
        return ungettext(
            "{n} dataset was deleted.", "{n} datasets were deleted.", counts["deleted"]
        )
    changes = {key: counts[key] for key in ("added", "updated", "deleted")}
    return gettext("No errors: {what}.", what=texts.format_counts(changes))


def _errors(run: Run) -> str:
    return ungettext(
        "{n} record could not be imported. If it has a dataset here, the dataset keeps its "
        "earlier version.",
        "{n} records could not be imported. If they have datasets here, the datasets keep "
        "their earlier versions.",
        run["counts"]["lost"],
    )


def _held(run: Run) -> str:
    if run["counts"]["new_identifiers"]:
        return texts.meaning(run["counts"]["new_identifiers"])
    return _held_deletions(run)


def _held_deletions(run: Run) -> str:
    return (
        ungettext(
            "{n} dataset would have been deleted, a large part of the source, so this waited for "
            "a decision. The rest of the run is done.",
            "{n} datasets would have been deleted, a large part of the source, so this waited for "
            "a decision. The rest of the run is done.",
            run["counts"]["held"],
        )
        if run["outcome"] in _NO_LONGER_HELD
        else ungettext(
            "{n} dataset would have been deleted, a large part of the source, so this waits for "
            "a decision. The rest of the run is done.",
            "{n} datasets would have been deleted, a large part of the source, so this waits for "
            "a decision. The rest of the run is done.",
            run["counts"]["held"],
        )
    )


def _failed(run: Run) -> str:
    reason = one_line((run["error"] or {}).get("message") or run["reason"])
    sentence = reason if reason.endswith((".", "!", "?")) else f"{reason}."
    return gettext("The source could not be read: {message}", message=sentence)


def _stopped(run: Run) -> str:
    user = run["stopped_by"]
    return (
        gettext("It was stopped by {user}.", user=user)
        if user
        else gettext("It was stopped before it ended.")
    )


def _shrunk(run: Run) -> str:
    return gettext(
        "{n} of {of} records were missing from the source. Nothing was deleted.",
        n=number(run["shortfall"]["records"]),
        of=number(run["shortfall"]["of"]),
    )


def _unchanged(run: Run) -> str:
    counts = run["counts"]
    if counts["skipped"]:
        figures = texts.format_counts(counts)
        return gettext("It found nothing new: {figures}.", figures=figures)
    if not counts["unchanged"]:
        return str(tk._("It found no records."))
    return ungettext(
        "It found nothing new: the one record was unchanged.",
        "It found nothing new: all {n} records were unchanged.",
        counts["unchanged"],
    )


_VERDICTS: dict[str, Callable[[Run], str]] = {
    RunOutcome.FINISHED: _finished,
    RunOutcome.ERRORS: _errors,
    RunOutcome.HELD: _held,
    RunOutcome.DECIDED: _held,
    RunOutcome.SETTLED: _held,
    RunOutcome.FAILED: _failed,
    RunOutcome.STOPPED: _stopped,
    RunOutcome.EMPTY: lambda _run: gettext("The source listed no records. Nothing was deleted."),
    RunOutcome.SHRUNK: _shrunk,
    RunOutcome.UNCHANGED: _unchanged,
    RunOutcome.RUNNING: lambda _run: gettext(
        "This run is in progress. What it has done so far is shown below."
    ),
    RunOutcome.QUEUED: lambda _run: gettext("This run has not started yet."),
}


def _further(run: Run) -> list[str]:
    counts, outcome = run["counts"], run["outcome"]
    if outcome == RunOutcome.FAILED:
        return [tk._("Nothing was imported, and nothing was deleted.")]
    if outcome == RunOutcome.STOPPED:
        return _left_out(run)
    more = []
    if outcome == RunOutcome.SETTLED:
        more.append(tk._("It no longer waits: the source has changed since."))
    if counts["new_identifiers"] and counts["held"]:
        more.append(_held_deletions(run))
    if outcome in (RunOutcome.HELD, RunOutcome.SHRUNK, *_NO_LONGER_HELD) and counts["lost"]:
        more.append(_errors(run))
    if counts["with_problems"]:
        more.append(
            ungettext(
                "{n} record was imported with problems.",
                "{n} records were imported with problems.",
                counts["with_problems"],
            )
        )
    if counts["same"]:
        more.append(texts.describe_same(counts["same"]))
    if counts["missing"] and outcome != RunOutcome.SHRUNK:
        more.append(
            ungettext(
                "{n} record was not in the source. Its dataset is kept for now.",
                "{n} records were not in the source. Their datasets are kept for now.",
                counts["missing"],
            )
        )
    return more


def _left_out(run: Run) -> list[str]:
    counts = run["counts"]
    done = ("added", "updated", "unchanged", "lost", "skipped")
    left = run["seen"] - sum(counts[outcome] for outcome in done)
    if left <= 0:
        return [tk._("Records it imported are kept.")]
    return [
        ungettext(
            "Records it imported are kept. {n} record was left out: the next run imports it.",
            "Records it imported are kept. {n} records were left out: the next run imports them.",
            left,
        )
    ]


def _about(run: Run) -> list[str]:
    facts = [_asked_for(run)]
    if run["mode"] == RunMode.FORCE:
        facts.append(gettext("It imported every record, even unchanged ones."))
    if run["seconds"] is not None:
        facts.append(gettext("It took {time}.", time=duration(run["seconds"])))
    if run["mode"] != RunMode.APPROVAL and run["gathered"] and run["outcome"] not in _READ_NOTHING:
        facts.append(_read(run))
    return facts


# What such a run read is in its verdict.
_READ_NOTHING = (RunOutcome.FAILED, RunOutcome.EMPTY)


def _asked_for(run: Run) -> str:
    if run["mode"] == RunMode.APPROVAL:
        return gettext("Decided by {user}.", user=run["asked_by"] or tk._("someone"))
    if run["asked_by"]:
        return gettext("Started by {user}.", user=run["asked_by"])
    return str(tk._("Started by the schedule or from the command line."))


def _read(run: Run) -> str:
    return (
        ungettext(
            "It read the whole source: {n} record.",
            "It read the whole source: {n} records.",
            run["seen"],
        )
        if run["complete"]
        else ungettext(
            "It read {n} record, which may not be the whole source.",
            "It read {n} records, which may not be the whole source.",
            run["seen"],
        )
    )
