"""Texts about tests: progress and result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.outcomes import PreviewKind, PreviewState, RunOutcome
from ckanext.ukharvest.core.problems.texts import Severity
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.lib.texts import (
    describe_problem,
    duration,
    format_counts,
    gettext,
    labelled,
    ngettext,
    number,
    ungettext,
)
from ckanext.ukharvest.rendering.fields import LABELS as LABELS_OF_DATASETS
from ckanext.ukharvest.rendering.fields import OF_CKAN, PERIOD
from ckanext.ukharvest.rendering.values import label_for_key
from ckanext.ukharvest.sources.filter_rules import LABELS

Result = Mapping[str, Any]


def progress(state: str, stage: str, done: int, seconds: int | None = None) -> str:
    """Return a preview's current step.

    Args:
        seconds: while it waits: how long at most, None if nobody knows.
    """
    if state == "waiting":
        text = tk._("Waiting for a background worker")
        begins = gettext("It starts within {time}.", time=duration(seconds))
        return str(text) if seconds is None else f"{text}. {begins}"
    if stage == "reading":
        return ungettext("{n} record read", "{n} records read", done)
    return str(tk._(_STAGES.get(stage, _STAGES["connecting"])))


def steps(state: str, stage: str, done: int, seconds: int | None = None) -> list[dict[str, str]]:
    """Return the steps of a preview under way: each one's ``text``, and ``state`` as a run's.

    Args:
        state, stage, done, seconds: as ``progress`` takes them.
    """
    if state == "waiting":
        return [{"text": progress(state, stage, done, seconds), "state": RunOutcome.QUEUED}]
    order = [stage if stage in _BEFORE else "connecting", "listing", "reading", "comparing"]
    place = 0 if stage in _BEFORE else order.index(stage)
    states = (
        [RunOutcome.FINISHED] * place + [RunOutcome.RUNNING] + [RunOutcome.QUEUED] * (3 - place)
    )
    return [
        {"text": progress(state, step, done), "state": step_state}
        for step, step_state in zip(order, states, strict=True)
    ]


def milestone(done: int) -> int:
    """Return a round number not above ``done``, so that screen readers announce few changes."""
    return int(done - done % max(10, 10 ** (len(str(done)) - 1)))


# English, as the other tables of texts here.
_STAGES = {
    "connecting": _("Connecting"),
    "searching": _("Looking for a source at this URL and near it"),
    "listing": _("Reading the list"),
    "comparing": _("Comparing with this site"),
}
_BEFORE = ("", "connecting", "searching")  # stages without an answer of the source

SAVED = (PreviewKind.DRY_RUN, PreviewKind.MOVE)


def heading(kind: str, state: str, result: Result | None, label: str = "") -> str:
    """Return the result in a few words; ``label``: of the source type that was found."""
    if state in (PreviewState.WAITING, PreviewState.RUNNING):
        return str(tk._("Test in progress"))
    if result and result["report"]:
        return str(result["report"]["summary"])
    if result is None or result["verdict"] == "unfinished":
        return str(tk._("Stopped"))
    if kind == PreviewKind.MOVE:
        return str(tk._("What is at the new URL"))
    some_failed = result["verdict"] == "problems" and result["fates"].get("lost")
    verdict = "errors" if some_failed else result["verdict"]
    text = str(tk._(_VERDICTS[verdict]))
    return labelled(label, text) if result["lookup"] else text


_VERDICTS = {
    "yes": _("This works"),
    "problems": _("This works, with problems"),
    "errors": _("Some records failed"),
    "no": _("This does not work yet"),
}


def sentences(kind: str, result: Result | None) -> Iterator[str]:
    """Yield the results: how many records, how long a run takes, what it would do."""
    if result is None or result["report"]:
        return
    lookup = result["lookup"] or {}
    if lookup.get("why_not"):
        yield lookup["why_not"]
    if lookup.get("how") == "place":
        yield gettext("Found near the URL that you entered: {url}", url=lookup["url"])
    if result["read"]:
        yield from _of_records(result)
        if kind in SAVED and result["changes"]:
            yield from _would_do(result)
    elif not result["error"] and not result["over"]:
        yield str(tk._("No records found"))
    yield from _of_end(result)
    if result["estimate_seconds"] and kind not in SAVED:
        seconds = result["estimate_seconds"]
        minutes = round(seconds / 60) if seconds >= 60 else 0  # noqa: PLR2004
        yield (
            gettext("A first run will take about {time}.", time=duration(60 * minutes))
            if minutes
            else tk._("A first run will take less than a minute.")
        )
    if kind == PreviewKind.MOVE and result["move"]:
        yield from _of_move(result["move"])


def _of_records(result: Result) -> Iterator[str]:
    """Yield how many were read, and how many of them have problems, failed or are skipped."""
    count, fates = result["count"], result["fates"]
    read = ngettext(
        "Read {read} of {n} record in {time}.",
        "Read {read} of {n} records in {time}.",
        count,
        n=number(count) + ("" if result["count_is_exact"] else "+"),
        read=number(result["read"]),
        time=duration(max(1, result["seconds"])),
    )
    others = {key: fates[key] for key in ("lost", "skipped") if fates.get(key)}
    problems = fates.get("problems")
    faulty = labelled(tk._("With problems"), number(problems)) if problems else ""
    are_all = [key for key in others if fates[key] == result["read"]]
    figures = ", ".join(filter(None, (faulty, "" if are_all else format_counts(others))))
    yield f"{read} {figures}".strip()
    if refused := (result.get("refused") or {}).get("records"):
        yield ungettext(
            "This portal’s own form refuses {n} record.",
            "This portal’s own form refuses {n} records.",
            refused,
        )
    for key in are_all:
        yield str(tk._(_NOTHING[key]))


# How a test ends whose every record ends so, in English.
_NOTHING = {
    "lost": _("All fail: a run would import nothing. The problems below say why."),
    "skipped": _("All are skipped: a run would import nothing. The records below say why."),
}


def _would_do(result: Result) -> Iterator[str]:
    changes = {key: result["changes"].get(key, 0) for key in ("added", "updated", "unchanged")}
    yield labelled(tk._("In a run"), format_counts(changes) or tk._("none"))
    if taken := result["takes_over"]:
        yield ungettext(
            "This is the first run here. It adopts {n} dataset that is here already.",
            "This is the first run here. It adopts {n} datasets that are here already.",
            taken,
        )
    adopted = result.get("adopted") or {}
    if adopted:
        yield labelled(tk._("Datasets here that change"), number(adopted["changed"]))
        yield labelled(tk._("Datasets here that stay as they are"), number(adopted["unchanged"]))
    if files := adopted.get("files_count"):
        yield labelled(tk._("Files that go"), number(files))
    if missing := result["changes"].get("missing", 0) or adopted.get("missing"):
        yield ungettext(
            "{n} dataset here is no longer in the source, or the settings leave it out.",
            "{n} datasets here are no longer in the source, or the settings leave them out.",
            missing,
        )


def _of_end(result: Result) -> Iterator[str]:
    """Yield why the test ended before the source did, or what a run could not delete."""
    if result["over"] == "fault":
        fault = describe_problem("error", Severity.LOST)
        yield f"{fault.title}. {fault.tip}"
    elif over := _OVER.get(result["over"]):
        yield str(tk._(over))
    has_datasets = bool(result.get("datasets") or result.get("takes_over"))
    # Of an empty list the sentence above says all that there is to say before a first run.
    if result["complete"] is False and (result["read"] or result["error"] or has_datasets):
        text = (
            tk._("The source could not be read completely, so nothing would be deleted: {reason}")
            if has_datasets
            else tk._("The source could not be read completely: {reason}")
        )
        yield text.format(reason=result["reason"])


def _of_move(move: Mapping[str, Any]) -> Iterator[str]:
    """Yield which of the source's datasets are at the new URL; ``move``: a ``MoveResult``."""
    yield ngettext(
        "{found} of the {n} dataset of this source is at the new URL.",
        "{found} of the {n} datasets of this source are at the new URL.",
        move["datasets"],
        found=number(move["same"] + move["moved"]),
        n=number(move["datasets"]),
    )
    if move["added"]:
        yield ungettext(
            "The next run would add {n} dataset.",
            "The next run would add {n} datasets.",
            move["added"],
        )
    if move["dropped"]:
        yield gettext(
            "The new type does not have these options, which are dropped: {names}.",
            names=", ".join(move["dropped"]),
        )


# Why a test ended early.
_TOO_MUCH = _("This is more than a test can read. A run can read more.")
_NO_WORKER = _("No background worker finished the test. Try again, or tell a sysadmin.")
_OVER = {"time": _TOO_MUCH, "size": _TOO_MUCH, "worker": _NO_WORKER, "queue": _NO_WORKER}


def held_label(name: str) -> str:
    """Return the label of a field to filter by; a server's own name stays as it is."""
    return str(tk._(LABELS[name])) if name in LABELS else name


def label(field: str) -> str:
    """Return the label of a record's field, that of a dataset's page."""
    key = _KEYS.get(field, field)
    text = OF_CKAN[key].label if key in OF_CKAN else LABELS_OF_DATASETS.get(key, "")
    return str(tk._(text)) if text else label_for_key(key)


# Record's field → the field of a dataset that has its label.
_KEYS = {
    "publisher": "dcat_publisher_name",
    "contact": "contact-name",
    "licence": "license_id",
    "themes": "theme-primary",
    "translations": "title_translated",
    "schema_urls": "schema",
    "frequency": "frequency-of-update",
    "issued": "data_issued",
    "modified": "data_modified",
    "metadata_modified": "metadata-date",
    "temporal": PERIOD,
    "spatial": "spatial-text",
}
