"""Texts about tests: progress and result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.outcomes import PreviewKind, PreviewState
from ckanext.ukharvest.core.problems.texts import Severity
from ckanext.ukharvest.lib.texts import duration, gettext, ngettext, number, ungettext
from ckanext.ukharvest.reading.type_detection import DATA
from ckanext.ukharvest.sources.filter_rules import LABELS

Result = Mapping[str, Any]


def progress(
    state: str,
    stage: str,
    done: int,
    *,
    most: int,
    position: Mapping[str, Any] | None = None,
) -> str:
    """Return a preview's current step.

    Args:
        most: records that it reads, 0 for all.
        position: while it waits: what for, as ``queue_position`` returns it.
    """
    if state == "waiting":
        return _waiting(position or {})
    if stage == "reading" and most:
        return gettext(
            "Reading records: {done} of at most {most}", done=number(done), most=number(most)
        )
    if stage == "reading":
        return ungettext("{n} record read", "{n} records read", done)
    return str(_STAGES.get(stage, _STAGES[""])())


def _waiting(position: Mapping[str, Any]) -> str:
    """Return what a test waits for, and how long at most."""
    text = str(_WAITS.get(position.get("running", ""), _WAITS[""])())
    seconds = position.get("seconds")
    begins = gettext("It starts within {time}.", time=duration(seconds))
    return text if seconds is None else f"{text}. {begins}"


def milestone(done: int) -> int:
    """Return a round number not above ``done``, so that screen readers announce few changes."""
    return int(done - done % max(10, 10 ** (len(str(done)) - 1)))


_WAITS: dict[str, Callable[[], str]] = {
    "": lambda: tk._("Waiting for a background worker"),
    "links": lambda: tk._("Waiting for a link check to stop"),
    "person": lambda: tk._("Waiting for another test to end"),
    "other": lambda: tk._("Waiting for another background job to end"),
}

_STAGES: dict[str, Callable[[], str]] = {
    "": lambda: tk._("Starting"),
    "connecting": lambda: tk._("Connecting"),
    "searching": lambda: tk._("Looking for a source at this URL and near it"),
    "listing": lambda: tk._("Reading the list"),
}

SAVED = (PreviewKind.DRY_RUN, PreviewKind.MOVE)


def heading(kind: str, state: str, result: Result | None, label: str = "") -> str:
    """Return the result in a few words; ``label``: of the source type that was found."""
    if state in (PreviewState.WAITING, PreviewState.RUNNING):
        return str(tk._("Test in progress"))
    if result and result["report"]:
        return str(_REPORTS[result["report"]["verdict"]]())
    if result is None or result["over"] == "stopped":
        return str(tk._("Stopped"))
    if kind == PreviewKind.MOVE:
        return str(tk._("What is at the new URL"))
    verdict = result["verdict"]
    if verdict != "problems":
        text = str(_VERDICTS[verdict]())
    elif count := count_problem_kinds(result):
        text = ngettext(
            "This works, with {n} thing to fix", "This works, with {n} things to fix", count
        )
    else:
        text = str(tk._("This works in part"))
    return f"{label}: {text}" if result["lookup"] else text


_VERDICTS: dict[str, Callable[[], str]] = {
    "yes": lambda: tk._("This works"),
    "no": lambda: tk._("This does not work yet"),
    "unfinished": lambda: tk._("We could not finish the test"),
}

_REPORTS: dict[str, Callable[[], str]] = {
    "valid": lambda: tk._("The data follow their schema"),
    "invalid": lambda: tk._("The data do not follow their schema"),
    "unchecked": lambda: tk._("The data could not be checked"),
}


def checked_label(name: str, label: str) -> str:
    """Return what is checked: ``label`` of the source type ``name``, or data."""
    text = tk._("Data with a schema") if name == DATA else label
    return str(text or tk._("Not known yet"))


def count_problem_kinds(result: Result) -> int:
    """Count the kinds of problem that are more than a note."""
    return sum(group["severity"] != Severity.NOTE for group in result["problems"])


def sentences(kind: str, result: Result | None) -> Iterator[str]:
    """Yield the results: how many records, how long a run takes, what it would do."""
    if result is None or result["report"]:
        return
    lookup = result["lookup"]
    if lookup and lookup["how"] == "place":
        yield _another_url(lookup)
    if result["read"]:
        yield _read(result)
        yield from _of_these(kind, result)
        if kind in SAVED and result["changes"]:
            yield _would_do(result)
    elif not result["error"] and not result["over"]:
        yield str(tk._("We reached the source, but found no records in it."))
    if over := _OVER.get(result["over"]):
        yield str(over())
    # Of an empty list the sentence above says all that there is to say before a first run.
    if result["complete"] is False and (result["read"] or result["error"] or _has_datasets(result)):
        yield _incomplete(result)
    if result["estimate_seconds"] and kind not in SAVED:
        minutes = round(result["estimate_seconds"] / 60)
        yield (
            gettext("A first run will take about {time}.", time=duration(60 * minutes))
            if minutes
            else gettext("A first run will take less than a minute.")
        )


def _another_url(lookup: Mapping[str, str]) -> str:
    """Return that the test is of another URL than the one that was entered, and why."""
    if not lookup["why_not"]:
        return gettext("Found near the URL that you entered: {url}", url=lookup["url"])
    return gettext(
        "The URL that you entered is not a source: {reason} This test is of another URL of the "
        "same site: {url}",
        reason=lookup["why_not"].rstrip(".") + ".",
        url=lookup["url"],
    )


def _read(result: Result) -> str:
    count, read = result["count"], result["read"]
    values = {
        "read": number(read),
        "count": number(count),
        "time": duration(max(1, result["seconds"])),
    }
    if not result["count_is_exact"]:
        return gettext(
            "Read {read} of at least {count} records in {time}; the source does not say how many"
            " it has.",
            **values,
        )
    if read == count:
        return ngettext(
            "Found {count} record and read it in {time}.",
            "Found {count} records and read them all in {time}.",
            count,
            **values,
        )
    return gettext("Found {count} records. Read the first {read} in {time}.", **values)


def _of_these(kind: str, result: Result) -> Iterator[str]:
    fates = {fate: result["fates"].get(fate, 0) for fate in _FATES}
    if not fates["problems"] and not fates["lost"] and not fates["skipped"]:
        return
    words = tk._("{fine} complete, {problems} with problems, {lost} failed, {skipped} skipped.")
    if kind == PreviewKind.DRY_RUN:  # unchanged records were not parsed
        words = tk._(
            "Of the new and changed ones: {fine} complete, {problems} with problems, {lost} "
            "failed, {skipped} skipped."
        )
    yield words.format(**{fate: number(count) for fate, count in fates.items()})
    if fates["skipped"] == sum(fates.values()) and not result["changes"].get("unchanged"):
        yield str(tk._("All are skipped: a run would import nothing. The records below say why."))


_FATES = ("fine", "problems", "lost", "skipped")


def _would_do(result: Result) -> str:
    changes = {key: result["changes"].get(key, 0) for key in ("added", "updated", "unchanged")}
    text = gettext(
        "A run now would add {added}, update {updated} and leave {unchanged} unchanged.",
        **{key: number(count) for key, count in changes.items()},
    )
    if taken := result["takes_over"]:
        text += " " + ungettext(
            "This is the first run here. It adopts {n} dataset that is here already.",
            "This is the first run here. It adopts {n} datasets that are here already.",
            taken,
        )
    if missing := result["changes"].get("missing", 0):
        text += " " + ungettext(
            "{n} dataset here is no longer in the source.",
            "{n} datasets here are no longer in the source.",
            missing,
        )
    return text


_OVER: dict[str, Callable[[], str]] = {
    "time": lambda: tk._("The test ran out of time. A run has more time."),
    "size": lambda: tk._("It is larger than a test can read. A run can read more."),
    "worker": lambda: tk._("The background worker stopped before it was done. Try again."),
    "queue": lambda: tk._(
        "No background worker was free for half an hour. Try again later, or ask a sysadmin."
    ),
    "fault": lambda: tk._(
        "There is an error on this site, not in the source. A sysadmin can find it in the "
        "site's log."
    ),
}


def _has_datasets(result: Result) -> bool:
    return bool(result.get("datasets") or result.get("takes_over"))


def _incomplete(result: Result) -> str:
    return (
        gettext(
            "The source could not be read completely, so nothing would be deleted: {reason}",
            reason=result["reason"],
        )
        if _has_datasets(result)
        else gettext("The source could not be read completely: {reason}", reason=result["reason"])
    )


def held_label(name: str) -> str:
    """Return the label of a field to filter by; a server's own name stays as it is."""
    return str(tk._(LABELS[name])) if name in LABELS else name


def label(field: str) -> str:
    """Return the label of a record's field, "" for a field that only the source has."""
    return str(_LABELS[field]()) if field in _LABELS else ""


_LABELS: dict[str, Callable[[], str]] = {
    "title": lambda: tk._("Title"),
    "notes": lambda: tk._("Description"),
    "guid": lambda: tk._("Identifier"),
    "url": lambda: tk._("Web page"),
    "publisher": lambda: tk._("Publisher"),
    "contact": lambda: tk._("Contact"),
    "author": lambda: tk._("Author"),
    "licence": lambda: tk._("Licence"),
    "rights": lambda: tk._("Rights"),
    "tags": lambda: tk._("Tags"),
    "themes": lambda: tk._("Themes"),
    "language": lambda: tk._("Language"),
    "translations": lambda: tk._("Languages of the texts"),
    "schema_urls": lambda: tk._("Schemas"),
    "frequency": lambda: tk._("Frequency of update"),
    "issued": lambda: tk._("First issued"),
    "modified": lambda: tk._("Last modified"),
    "metadata_modified": lambda: tk._("Metadata date"),
    "version": lambda: tk._("Version"),
    "temporal": lambda: tk._("Period"),
    "spatial": lambda: tk._("Place"),
}
