"""What people decided about a source, as actions return it and pages show it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ckan.plugins import toolkit as tk
from flask_babel import get_locale

from ckanext.ukharvest.core.outcomes import DecisionKind
from ckanext.ukharvest.core.problems.texts import PROBLEM
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.harvest.model import Decision
from ckanext.ukharvest.lib.texts import describe_problem, gettext, ngettext, number, ungettext
from ckanext.ukharvest.rendering.values import format_day


def _options(decision: Decision) -> str:
    names = ", ".join(sorted(decision.options or ()))
    return (
        gettext("Confirmed these options: {names}", names=names)
        if names
        else str(tk._("Took back the confirmation of options"))
    )


def _problem(decision: Decision) -> str:
    return describe_problem(decision.code, PROBLEM, decision.field).title


_TEXTS: dict[str, Callable[[Decision], str]] = {
    DecisionKind.DELETIONS_APPROVED: lambda decision: ungettext(
        "Approved the deletion of {n} dataset",
        "Approved the deletion of {n} datasets",
        decision.number,
    ),
    DecisionKind.DELETIONS_REFUSED: lambda decision: ungettext(
        "Kept {n} dataset", "Kept {n} datasets", decision.number
    ),
    DecisionKind.NOT_KEPT: lambda decision: ungettext(
        "Stopped keeping {n} dataset", "Stopped keeping {n} datasets", decision.number
    ),
    DecisionKind.SAME_DATASETS: lambda decision: ungettext(
        "Decided that {n} dataset is the same under a new identifier",
        "Decided that {n} datasets are the same under new identifiers",
        decision.number,
    ),
    DecisionKind.OTHER_DATASETS: lambda decision: ungettext(
        "Decided that {n} dataset and its new record are different",
        "Decided that {n} datasets and their new records are different",
        decision.number,
    ),
    DecisionKind.OPTIONS_CONFIRMED: _options,
    DecisionKind.PROBLEM_ACCEPTED: lambda decision: ngettext(
        "Accepted the problem “{problem}” of {n} record until {day}",
        "Accepted the problem “{problem}” of {n} records until {day}",
        decision.number,
        n=number(decision.number),
        problem=_problem(decision),
        day=format_day(decision.until, get_locale() or "en"),
    ),
    DecisionKind.PROBLEM_LISTED_AGAIN: lambda decision: (
        gettext("Listed the problem “{problem}” again", problem=_problem(decision))
        if decision.user_name
        else gettext(
            "The problem “{problem}” is listed again: other records have it now",
            problem=_problem(decision),
        )
    ),
    DecisionKind.SWITCHED_OFF: lambda _decision: tk._("Switched the source off"),
    DecisionKind.SWITCHED_ON: lambda _decision: tk._("Switched the source on"),
    DecisionKind.RUN_STOPPED: lambda _decision: tk._("Stopped a run"),
    DecisionKind.MOVED: lambda decision: gettext(
        "Changed the URL from {old} to {new}",
        old=decision.options["from"],
        new=decision.options["to"],
    ),
}


def describe_decision(decision: Decision) -> dict[str, Any]:
    """Return a decision as ``ukharvest_decision_list`` does, without its source."""
    return {
        "created": iso(decision.created),
        "user": decision.user_name,
        "decision": decision.kind,
        "text": _TEXTS[decision.kind](decision),
        "number": decision.number,
        "reason": decision.reason,
        "until": decision.until.isoformat() if decision.until else None,
        "run_id": decision.job_id,
        "options": decision.options,
        "code": decision.code,
        "field": decision.field,
    }


def signed(row: dict[str, Any]) -> str:
    """Return the sentence of such a row with its user, for a note."""
    # Not in the f-string, where Python 3.12 and later hide it from the extractor of texts.
    user = row["user"] or tk._("Command line")
    return f"{user}: {row['text']}"
