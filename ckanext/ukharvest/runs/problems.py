"""Kinds of problems of a run, or of a source as it is now, and which of them to fix first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.errors import DuplicateGuid
from ckanext.ukharvest.core.problems.texts import (
    LOST,
    PROBLEM,
    SEVERITIES,
    STOP,
    Severity,
    find_text,
    weight_of,
)
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.harvest.model import Decision
from ckanext.ukharvest.harvest.sources import accepted_problems
from ckanext.ukharvest.lib import texts as lib_texts
from ckanext.ukharvest.lib.slots import facts_of
from ckanext.ukharvest.parsers.gemini.rules import BY_CODE
from ckanext.ukharvest.runs import model as run_model
from ckanext.ukharvest.runs.model import Scope

STANDARD = "GEMINI 2.3"
_IMPORTED = _("{message} The title of the imported record is “{title}”.")
_NO_STANDARD = {"standard": "", "in_standard": 0}


def list_groups(context: Any, scope: Scope) -> list[dict[str, Any]]:
    """Return the result of ``ukharvest_problem_group_list``."""
    groups = run_model.groups(scope, list(BY_CODE))
    examples = [(group.code, example) for group in groups for example in group.examples]
    name_first_records(scope, examples)
    is_any_accepted = any(group.accepted_until for group in groups)
    accepted = accepted_problems.accepted_kinds(scope.source_id) if is_any_accepted else {}
    of_features = [] if scope.job_id else facts_of("problem_groups", context, scope.source_id)
    rows = [
        *(_group(group, accepted) for group in groups),
        *(_of_feature(group) for groups in of_features for group in groups),
    ]
    return sorted(
        rows,
        key=lambda group: (
            SEVERITIES.index(group["severity"]),
            group["standard"],
            -group["priority"],
            -group["records"],
        ),
    )


def keeps_out(code: str) -> bool:
    """Tell whether an error of this code keeps a dataset out, or stops the run."""
    return find_text(code).severity in (STOP, LOST)


def _of_feature(group: Mapping[str, Any]) -> dict[str, Any]:
    """Return a group that a feature adds; it cannot be accepted."""
    priority = weight_of(group["code"], group["severity"]) * group["records"]
    more = {"snippet": "", "priority": priority, "accepted": None, "can_be_accepted": False}
    return {**group, **_NO_STANDARD, **more}


def _group(group: Any, accepted: Mapping[tuple[str, str], Decision]) -> dict[str, Any]:
    texts = lib_texts.describe_problem(group.code, Severity(group.kind), group.of_field)
    decision = accepted.get((group.code, group.of_field)) if group.accepted_until else None
    is_rule = group.code in BY_CODE and group.kind == PROBLEM
    return {
        "code": group.code,
        "field": group.of_field,
        "priority": weight_of(group.code, texts.severity) * max(group.records, 1),
        **({"standard": STANDARD, "in_standard": group.in_standard} if is_rule else _NO_STANDARD),
        "accepted": {
            "until": group.accepted_until.isoformat(),
            "reason": decision.reason if decision else "",
            "user": decision.user_name if decision else "",
        }
        if group.accepted_until
        else None,
        "can_be_accepted": group.kind == PROBLEM and bool(group.code) and not keeps_out(group.code),
        "severity": texts.severity,
        "title": texts.title,
        "meaning": texts.meaning,
        "tip": texts.tip,
        "snippet": texts.snippet,
        "records": group.records,
        "occurrences": group.occurrences,
        "examples": [{**example, "message": message_of(example)} for example in group.examples],
    }


def message_of(row: Mapping[str, Any]) -> str:
    """Return a row's message; an error of another harvester may have none."""
    return row["message"] or tk._("The reason is shown after the next run that reads the record.")


def name_first_records(scope: Scope, problems: list[tuple[str, dict[str, Any]]]) -> None:
    """Add to the messages about used identifiers the title of the record that has each of them.

    Args:
        problems: code, and the dict with ``guid`` and ``message``.
    """
    used = [problem for code, problem in problems if code == DuplicateGuid.code]
    titles = run_model.titles(scope, {problem["guid"] for problem in used})
    for problem in used:
        if title := titles.get(problem["guid"]):
            message, wording = problem["message"], problem.get("wording")
            problem["message"] = _IMPORTED.format(message=message, title=title)
            problem["wording"] = [_IMPORTED, {"message": wording or message, "title": title}]
