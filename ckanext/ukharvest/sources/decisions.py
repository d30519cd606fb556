"""What people decided about a source, as actions return it and pages show it."""

from __future__ import annotations

from typing import Any

from ckan.plugins import toolkit as tk
from flask_babel import get_locale

from ckanext.ukharvest.core.outcomes import DecisionKind
from ckanext.ukharvest.core.problems.texts import PROBLEM
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.harvest.model import Decision
from ckanext.ukharvest.lib.texts import describe_problem, gettext, number
from ckanext.ukharvest.rendering.values import format_day

_LABELS = {
    DecisionKind.DELETIONS_APPROVED: _("Deletions approved"),
    DecisionKind.DELETIONS_REFUSED: _("Datasets kept"),
    DecisionKind.NOT_KEPT: _("Datasets no longer kept"),
    DecisionKind.SAME_DATASETS: _("Same datasets under new identifiers"),
    DecisionKind.OTHER_DATASETS: _("Different datasets under new identifiers"),
    DecisionKind.OPTIONS_CONFIRMED: _("Options confirmed"),
    DecisionKind.PROBLEM_ACCEPTED: _("Problem accepted until {day}"),
    DecisionKind.PROBLEM_LISTED_AGAIN: _("Problem listed again"),
    DecisionKind.SWITCHED_OFF: _("Switched off"),
    DecisionKind.SWITCHED_ON: _("Switched on"),
    DecisionKind.MOVED: _("URL changed"),
    DecisionKind.RUN_STOPPED: _("Run stopped"),
    DecisionKind.HANDED_OVER: _("Datasets handed over to {source}"),
    DecisionKind.TAKEN_OVER: _("Datasets taken over from {source}"),
    DecisionKind.JOINED: _("Datasets joined"),
    DecisionKind.NOT_JOINED: _("Different datasets"),
    DecisionKind.PARTED: _("Datasets parted"),
    DecisionKind.SOURCE_ACCEPTED: _("Source accepted"),
    DecisionKind.SOURCE_REFUSED: _("Source not accepted"),
}


def _text(decision: Decision) -> str:
    """Return a decision and what it was about, such as "Datasets kept: 3"."""
    day = format_day(decision.until, get_locale() or "en") if decision.until else ""
    source = (decision.options or {}).get("source", "")
    label = gettext(_LABELS[decision.kind], day=day, source=source)
    detail = ""
    if decision.code:
        detail = describe_problem(decision.code, PROBLEM, decision.field).title
    elif decision.kind == DecisionKind.OPTIONS_CONFIRMED:
        detail = ", ".join(sorted(decision.options or ())) or tk._("none")
    elif decision.kind == DecisionKind.MOVED:
        detail = "{from} → {to}".format(**decision.options)
    elif "title" in (decision.options or ()):
        detail = decision.options["title"]
    elif decision.kind in (DecisionKind.SOURCE_ACCEPTED, DecisionKind.SOURCE_REFUSED):
        detail = decision.options["url"]
    elif decision.number:
        detail = number(decision.number)
    return f"{label}: {detail}" if detail else label


def describe_decision(decision: Decision) -> dict[str, Any]:
    """Return a decision as ``ukharvest_decision_list`` does, without its source."""
    return {
        "created": iso(decision.created),
        "user": decision.user_name,
        "decision": decision.kind,
        "text": _text(decision),
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
