"""What the page of one run says first: what it was, how it ended, and what that means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core.text import one_line
from ckanext.ukharvest.words.numbers import ungettext
from ckanext.ukharvest.words.times import duration, in_words

Run = Mapping[str, Any]  # as ukharvest_run_show returns it
APPROVAL, FORCE = "approval", "force"
# Edges of the card; words/cards.py has the same.
_CSS = {
    "failed": "is-danger",
    "held": "is-warning",
    "errors": "is-warning",
    "running": "is-primary",
}


def heading(run: Run) -> str:
    """Return the page's heading, such as "Run of 20 November 2026, 02:14 UTC"."""
    text = tk._("Deletions of {time}") if run["mode"] == APPROVAL else tk._("Run of {time}")
    return str(text.format(time=in_words(run["started"] or run["created"])))


def css(run: Run) -> str:
    """Return the class of the edge of the card."""
    return _CSS.get(
        run["outcome"], "is-good" if run["outcome"] in ("finished", "unchanged") else ""
    )


def verdict(run: Run) -> list[str]:
    """Return how the run ended, in one to three sentences."""
    return [text for text in (_VERDICTS[run["outcome"]](run), *_further(run)) if text]


def note(run: Run) -> str:
    """Return what else the run says of itself; of deletions that it held, who decided what."""
    if run["outcome"] == "failed":
        return ""  # the verdict has it
    if run["outcome"] != "held":
        return str(run["reason"])
    return "" if run["waits"] else str(run["reason"]).rpartition("; ")[2]


def _finished(run: Run) -> str:
    counts = run["counts"]
    if run["mode"] == APPROVAL:
        return ungettext(
            "{n} dataset was deleted.", "{n} datasets were deleted.", counts["deleted"]
        )
    parts = [
        counts["added"] and ungettext("{n} added", "{n} added", counts["added"]),
        counts["updated"] and ungettext("{n} updated", "{n} updated", counts["updated"]),
        counts["deleted"] and ungettext("{n} deleted", "{n} deleted", counts["deleted"]),
    ]
    what = ", ".join(part for part in parts if part)
    return str(tk._("All went well: {what}.").format(what=what))


def _errors(run: Run) -> str:
    return ungettext(
        "{n} record could not be brought in; a dataset that it has here already stays as it was.",
        "{n} records could not be brought in; datasets that they have here already stay as they"
        " were.",
        run["counts"]["lost"],
    )


def _held(run: Run) -> str:
    return ungettext(
        "{n} dataset would have been deleted, which is a large part of the source, so the run"
        " asked first. All else of it was done.",
        "{n} datasets would have been deleted, which is a large part of the source, so the run"
        " asked first. All else of it was done.",
        run["counts"]["held"],
    )


def _failed(run: Run) -> str:
    said = one_line((run["error"] or {}).get("message") or run["reason"])
    text = tk._("The source could not be read: {message}")
    return str(text.format(message=_sentence(said)))


def _stopped(run: Run) -> str:
    if run["stopped_by"]:
        return str(tk._("It was stopped by {user}.").format(user=run["stopped_by"]))
    return str(tk._("It was stopped before it was done."))


def _unchanged(run: Run) -> str:
    if not run["counts"]["unchanged"]:
        return str(tk._("It found no records."))
    return ungettext(
        "It found nothing new: the one record was unchanged.",
        "It found nothing new: all {n} records were unchanged.",
        run["counts"]["unchanged"],
    )


def _running(run: Run) -> str:
    return str(tk._("This run goes on; what it has done so far stands below."))


def _queued(run: Run) -> str:
    return str(tk._("This run has not begun yet."))


_VERDICTS = {
    "finished": _finished,
    "errors": _errors,
    "held": _held,
    "failed": _failed,
    "stopped": _stopped,
    "unchanged": _unchanged,
    "running": _running,
    "queued": _queued,
}


def _further(run: Run) -> list[str]:
    counts, outcome = run["counts"], run["outcome"]
    if outcome == "failed":
        return [tk._("Nothing was brought in, and nothing was deleted.")]
    if outcome == "stopped":
        return [tk._("What it brought in stays; the next run brings in the rest.")]
    more = []
    if outcome == "held" and counts["lost"]:
        more.append(_errors(run))
    if counts["with_problems"]:
        more.append(
            ungettext(
                "{n} record came in with problems.",
                "{n} records came in with problems.",
                counts["with_problems"],
            )
        )
    if counts["missing"]:
        more.append(
            ungettext(
                "{n} record was not in the source; its dataset stays for now.",
                "{n} records were not in the source; their datasets stay for now.",
                counts["missing"],
            )
        )
    return more


def about(run: Run) -> list[str]:
    """Return how the run came about: who asked for it, how long it took, how much it read."""
    found = [_asked_for(run)]
    if run["mode"] == FORCE:
        found.append(tk._("It imported every record, also unchanged ones."))
    if run["seconds"] is not None:
        found.append(tk._("It took {time}.").format(time=duration(run["seconds"])))
    if run["mode"] != APPROVAL and run["gathered"] and run["outcome"] != "failed":
        found.append(_read(run))
    return [str(each) for each in found]


def _asked_for(run: Run) -> str:
    if run["mode"] == APPROVAL:
        return str(tk._("Decided by {user}.").format(user=run["asked_by"] or tk._("somebody")))
    if run["asked_by"]:
        return str(tk._("Started by {user}.").format(user=run["asked_by"]))
    return str(tk._("Started by the schedule, or by a command."))


def _read(run: Run) -> str:
    if run["complete"]:
        return ungettext(
            "It read the whole source: {n} record.",
            "It read the whole source: {n} records.",
            run["seen"],
        )
    return ungettext(
        "It read {n} record, and not for certain the whole source.",
        "It read {n} records, and not for certain the whole source.",
        run["seen"],
    )


def others_wait(number: int) -> str:
    """Say that other deletions wait than those that somebody looked at."""
    return ungettext(
        "The source has changed since: {n} dataset is missing now. Look again.",
        "The source has changed since: {n} datasets are missing now. Look again.",
        number,
    )


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
