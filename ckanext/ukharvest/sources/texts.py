"""Source status as text: the card at the top of a source's page, and sentences about its runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.deletions import FLOOR, is_more_than_half
from ckanext.ukharvest.core.outcomes import RunMode, RunOutcome
from ckanext.ukharvest.core.problems.texts import find_text
from ckanext.ukharvest.core.records import EMPTY_LIST
from ckanext.ukharvest.core.schedule import FREQUENCIES
from ckanext.ukharvest.core.status_rules import CurrentRun, Health, SourceStatus
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.lib import texts
from ckanext.ukharvest.lib.texts import (
    age,
    duration,
    format_time,
    gettext,
    labelled,
    number,
    part,
    show_message,
    ungettext,
)

Run = Mapping[str, Any]  # as ``harvest.run.runs.list_runs`` returns it


# What a run that failed, or found no records, did to the datasets. English.
UNHARMED = _("Nothing was imported, and nothing was deleted.")


def pending_deletions(count: int) -> str:
    """Return how many datasets wait for a decision."""
    return ungettext("{n} dataset would be deleted", "{n} datasets would be deleted", count)


# What has happened so far where deletions are pending. English.
NOTHING_DELETED = _(
    "Nothing has been deleted. The rest of the run is done; only the deletions wait for a decision."
)


# What a failed record means for its dataset. English.
OLD_VERSIONS = _("Datasets imported earlier keep their old version until this is fixed.")


# What a stopped run did with its records. English.
STOPPED_RECORDS = _(
    "Records not imported yet are left for the next run. Imported records are kept, and "
    "nothing is deleted."
)


def not_seen(count: int) -> str:
    """Return what missing records mean for their datasets."""
    return ungettext(
        "{n} record is not in the source, or its settings leave it out. Its dataset is kept for "
        "now.",
        "{n} records are not in the source, or its settings leave them out. Their datasets are "
        "kept for now.",
        count,
    )


def missing_heading(missing: Mapping[str, int]) -> str:
    """Return how many records are missing; ``missing``: as ``core.deletions.Shortfall``."""
    label = texts.HEALTHS[Health.SHRUNK].text
    return labelled(label, part(missing["records"], missing["of"]))


def started_by(run: Run) -> str:
    """Return who started a run, or decided on the deletions that it is for."""
    mode, user = run["mode"], run["asked_by"]
    if mode == RunMode.APPROVAL:
        return gettext("Decided by {user}.", user=user or tk._("Command line"))
    return labelled(tk._("Started by"), user or tk._("Schedule or command line"))


def stopped_by(user: str) -> str:
    """Return who stopped a run, "" without a user."""
    return gettext("Stopped by {user}.", user=user) if user else ""


def before_deletion(missing: Mapping[str, int]) -> str:
    """Return who will be asked before the datasets are deleted, and after how many runs."""
    return ungettext(
        "If they are missing from the next complete run too, an administrator of the "
        "organisation will be asked before they are deleted.",
        "If they are missing from the next {n} complete runs too, an administrator of the "
        "organisation will be asked before they are deleted.",
        missing["asks_after"],
    )


def describe_limit(count: int, datasets: int, max_share: float) -> str:
    """Return which limit ``count`` pending deletions passed, of those of ``core.deletions``.

    "" for none: sources of other organisations list the datasets too, or the source had fewer
    datasets at the run.

    Args:
        datasets: of the source, the pending ones included.
        max_share: share of the datasets, 0 to 1, that a run deletes without approval.
    """
    if is_more_than_half(count, datasets):
        max_share = 0.5
    elif count <= max(FLOOR, max_share * datasets):
        return ""
    return gettext(
        "This portal asks before deleting more than {most} of a source's datasets.",
        most=f"{round(100 * max_share)}%",
    )


# Actions of a card that lead to a page, or that a page asks about: label, and what follows the
# source's URL, or the endpoint. English.
ACTIONS: Mapping[str, tuple[str, str]] = {
    "review": (_("Review the deletions"), "/deletions"),
    "compare": (_("Compare the datasets"), "/identifiers"),
    "mend": (_("Problems to fix"), "/problems"),
    "watch": (_("Test"), "/check"),
    "settings": (_("Correct the URL"), "harvest.edit"),
    "start": (_("Start first run"), "harvester.refresh"),
    "refresh": (_("Run now"), "harvester.refresh"),
    "decide": (_("Decide"), "/approval"),
}


def action_link(action: str, name: str) -> tuple[str, str]:
    """Return label and URL of an action of a card of the source of this name."""
    label, place = ACTIONS[action]
    if place.startswith("/"):
        return tk._(label), f"{tk.h.url_for('harvest.read', id=name)}{place}"
    return tk._(label), str(tk.h.url_for(place, id=name))


WARNING, DANGER, PRIMARY, GOOD, CALM = "is-warning", "is-danger", "is-primary", "is-good", ""
REFRESH, CHECK = ("refresh", "check")


@dataclass(frozen=True, slots=True)
class Card:
    """The card.

    Attributes:
        css: CSS class of its edge.
        kind, value: of its badge (``lib.texts.KINDS``).
        actions: of "start", "refresh", "check", "stop", "review", "compare", "mend", "settings",
            "switch_on", "watch", "decide"; the first is the main one.
    """

    css: str
    kind: str
    value: str
    heading: str
    text: tuple[str, ...]
    actions: tuple[str, ...]


def rough(seconds: float) -> str:
    """Return a duration that changes rarely: full minutes, from one minute on."""
    return duration(seconds if seconds < 60 else seconds // 60 * 60)


def run_card(status: SourceStatus, run: CurrentRun) -> Card:
    """Return the card of a run that is queued or in progress."""
    by = {"mode": run.mode, "asked_by": run.asked_by}
    heading, text = texts.STATES[run.state].text, _RUN_TEXTS[run.state](status, run)
    if run.state == "queued" and run.status == "New":  # else a consumer takes it within seconds
        heading = gettext(
            "Scheduled to start within {minutes} minutes", minutes=status.cron_minutes
        )
    elif run.state in ("importing", "deleting"):
        heading = labelled(heading, part(run.done, run.total))
    if run.state in ("queued", "deleting"):
        text = (started_by(by), *text)
    # Approved deletions cannot be stopped.
    can_stop = run.mode != RunMode.APPROVAL and run.state not in ("finishing", "stopping")
    css = {"queued": CALM, "stopping": CALM, "stuck": DANGER}.get(run.state, PRIMARY)
    return Card(css, "state", run.state, heading, text, ("stop",) if can_stop else ())


def _queued(_status: SourceStatus, run: CurrentRun) -> tuple[str, ...]:
    ahead = ungettext("{n} run is ahead of it.", "{n} runs are ahead of it.", run.queue_position)
    return (ahead,) if run.queue_position else ()


def _gathering(status: SourceStatus, run: CurrentRun) -> tuple[str, ...]:
    return labelled(tk._("Records"), number(run.seen)), _running_for(status, run)


def _running_for(status: SourceStatus, run: CurrentRun) -> str:
    elapsed = (status.now - (run.gather_started or run.created)).total_seconds()
    return labelled(texts.OUTCOMES[RunOutcome.RUNNING].text, rough(elapsed))


def _how_far(status: SourceStatus, run: CurrentRun) -> tuple[str, ...]:
    text = []
    if run.eta_seconds is not None:
        text.append(gettext("About {time} left.", time=rough(run.eta_seconds)))
    if run.lost:
        text.append(texts.format_counts({"lost": run.lost}))
    return (*text, _running_for(status, run))


def _ending(status: SourceStatus, run: CurrentRun) -> tuple[str, ...]:
    within = gettext(
        "Figures and search are updated within {time}.", time=duration(status.cron_minutes * 60)
    )
    return (stopped_by(run.stopped_by), within) if run.stopped_by else (within,)


def _stuck(status: SourceStatus, run: CurrentRun) -> tuple[str, ...]:
    return (
        labelled(tk._("Last progress"), age(run.moved, status.utc)),
        tk._("The site's harvest consumers may be down. Sysadmins can see this too."),
    )


_RUN_TEXTS: Mapping[str, Callable[[SourceStatus, CurrentRun], tuple[str, ...]]] = {
    "queued": _queued,
    "gathering": _gathering,
    "importing": _how_far,
    "deleting": _how_far,
    "finishing": _ending,
    "stopping": _ending,
    "stuck": _stuck,
}

LONGEST = 300  # characters of an error in a heading; the run's page has all of it


def status_card(status: SourceStatus) -> Card:
    """Return the card of a source: of what it does now, else of how it is."""
    if status.current is not None:
        return run_card(status, status.current)
    if status.state == "checking":
        heading = texts.STATES["checking"].text
        text = (ungettext("{n} record read", "{n} records read", status.checked),)
        return Card(PRIMARY, "state", "checking", heading, text, ("watch", REFRESH))
    return health_card(status)


def health_card(status: SourceStatus, value: str = "") -> Card:
    """Return the card of a source's health, or of another that applies to it as well."""
    value = value or status.value
    return _HEALTHS[value](status, texts.HEALTHS[value].text)


def _renamed(status: SourceStatus, label: str) -> Card:
    count = status.renamed
    heading = ungettext(
        "{n} dataset may have a new identifier", "{n} datasets may have new identifiers", count
    )
    review = ("review",) if status.held else ()
    actions = ("compare", *review, REFRESH, CHECK)
    text = (texts.meaning(count),)
    return Card(WARNING, "state", "held", labelled(label, heading), text, actions)


def _held(status: SourceStatus, label: str) -> Card:
    if status.renamed:
        return _renamed(status, label)
    count = status.held
    datasets = max(status.datasets, count)
    share = gettext(
        "{missing} of {datasets} datasets are no longer in the source, or its settings leave them "
        "out. That is {share}.",
        missing=number(count),
        datasets=number(datasets),
        share=f"{round(100 * count / datasets)}%",
    )
    text = (share, describe_limit(count, datasets, status.max_share), tk._(NOTHING_DELETED))
    heading = labelled(label, pending_deletions(count))
    return Card(WARNING, "state", "held", heading, _some(*text), ("review", REFRESH, CHECK))


def _off(status: SourceStatus, label: str) -> Card:
    sentence = tk._("The source is not harvested. Its datasets are kept as they are.")
    text = (sentence,) if status.datasets else ()
    return Card(CALM, "state", "off", label, text, ("switch_on",))


def _new(status: SourceStatus, label: str) -> Card:
    if (status.last or {}).get("outcome") == RunOutcome.STOPPED:
        return _good(status, label)
    if status.last:  # at another URL, or there were health to speak of
        return Card(CALM, "state", "new", tk._("New URL, not run yet"), (), (REFRESH, CHECK))
    return Card(CALM, "state", "new", label, (), ("start", CHECK))


def _good(status: SourceStatus, label: str) -> Card:
    actions, last = (REFRESH, CHECK), _last_run(status)
    if (status.last or {}).get("outcome") == RunOutcome.STOPPED:
        stopped = texts.OUTCOMES[RunOutcome.STOPPED].text
        return Card(CALM, "outcome", RunOutcome.STOPPED, stopped, last, actions)
    if status.notice:
        return Card(WARNING, "health", Health.HEALTHY, status.notice, last, ("mend", *actions))
    return Card(GOOD, "health", Health.HEALTHY, label, last, actions)


def _last_run(status: SourceStatus) -> tuple[str, ...]:
    last = status.last or {}
    counts = last.get("counts") or {}
    when = labelled(tk._("Last run"), age(last.get("finished"), status.utc)) if last else ""
    if last.get("outcome") == RunOutcome.STOPPED:
        return _some(when, stopped_by(last.get("stopped_by") or ""), tk._(STOPPED_RECORDS))
    text = [when, texts.format_counts(counts)]
    if counts.get("same"):
        text.append(texts.describe_same(counts["same"]))
    text.extend(texts.describe_progress(last.get("progress") or {}))
    if status.unseen and not last.get("shortfall"):
        text.append(not_seen(status.unseen))
    if last.get("reason") and not last.get("complete"):
        text.append(_sentence(last["reason"]))  # why not all was read
    return _some(*text)


def _errors(status: SourceStatus, label: str) -> Card:
    counts = (status.judged or {}).get("counts") or {}
    heading = labelled(label, number(counts.get("lost", 0)))
    stay = tk._(OLD_VERSIONS) if status.datasets > counts.get("added", 0) else ""
    text = _some(stay, *_last_run(status))
    return Card(WARNING, "health", Health.ERRORS, heading, text, ("mend", REFRESH, CHECK))


def _empty(status: SourceStatus, label: str) -> Card:
    stay = ""
    if status.missing:
        stay = before_deletion(status.missing)
    elif status.datasets:
        # An empty list proves nothing, so no run counts its records as missing.
        stay = tk._("Nothing is deleted as long as the source lists no records.")
    check = tk._("Check that the source's URL is right, and what the publisher lists there.")
    reason = str((status.last or {}).get("reason") or "")
    text = (
        tk._(UNHARMED),
        stay,
        check,
        *_last_run(status)[:1],
        # Only a reason that the text above does not have.
        _sentence(reason) if reason and EMPTY_LIST not in reason else "",
    )
    return Card(WARNING, "health", Health.EMPTY, label, _some(*text), (REFRESH, CHECK))


def _shrunk(status: SourceStatus, _label: str) -> Card:
    missing = status.missing or {}
    lost = ((status.judged or {}).get("counts") or {}).get("lost")
    text = (before_deletion(missing), *_last_run(status))
    actions = (REFRESH, CHECK, "mend") if lost else (REFRESH, CHECK)
    return Card(WARNING, "health", Health.SHRUNK, missing_heading(missing), text, actions)


def _failing(status: SourceStatus, label: str) -> Card:
    message, tip = _failure(status)
    streak = failed_runs(status.failures, status.since)
    text = _some(tip, tk._(UNHARMED), streak, _last_good_run(status))
    actions = ("settings", REFRESH, CHECK)
    return Card(DANGER, "health", Health.FAILING, labelled(label, message), text, actions)


def _hiccup(status: SourceStatus, label: str) -> Card:
    message, tip = _failure(status)
    text = _some(tip, tk._("This often resolves itself."), tk._(UNHARMED))
    heading = labelled(label, message)
    return Card(WARNING, "health", Health.HICCUP, heading, text, (REFRESH, CHECK))


def failed_runs(failures: int, since: Any) -> str:
    """Return how many runs in a row failed; "" for one."""
    day = format_time(since, day_only=True)
    text = gettext("Failed runs since {day}: {n}", day=day, n=number(failures))
    return text if failures > 1 else ""


def _last_good_run(status: SourceStatus) -> str:
    day = format_time(status.good_ended, day_only=True)
    return labelled(tk._("Last successful run"), day) if day else ""


def _failure(status: SourceStatus) -> tuple[str, str]:
    """Return the first sentence of the failed run's error, and what to do about it."""
    run = status.judged or {}
    error = run.get("error") or {}
    message = show_message(error) if error.get("message") else str(run.get("reason") or "")
    tip = find_text(error.get("code") or "").tip
    return shorten(message, LONGEST), tk._(tip) if tip else ""


def _late(status: SourceStatus, label: str) -> Card:
    due = gettext("was due {date}", date=format_time(status.since, day_only=True))
    text = (tk._("The site's harvest schedule may have stopped: tell a sysadmin."),)
    heading = labelled(label, due)
    return Card(WARNING, "health", Health.LATE, heading, text, (REFRESH, CHECK))


def frequency_words(frequency: str) -> str:
    """Return how often a source runs, such as "Daily"."""
    return str(tk._(FREQUENCIES.get(frequency or "MANUAL", frequency)))


def _some(*text: str) -> tuple[str, ...]:
    return tuple(filter(None, text))


def _sentence(text: str) -> str:
    if not text.startswith(("http:", "https:")):
        text = text[:1].upper() + text[1:]
    return text if text.endswith(".") else f"{text}."


_HEALTHS: Mapping[str, Callable[[SourceStatus, str], Card]] = {
    Health.OFF: _off,
    Health.HELD: _held,
    Health.FAILING: _failing,
    Health.LATE: _late,
    Health.HICCUP: _hiccup,
    Health.EMPTY: _empty,
    Health.SHRUNK: _shrunk,
    Health.ERRORS: _errors,
    Health.NEW: _new,
    Health.HEALTHY: _good,
}
