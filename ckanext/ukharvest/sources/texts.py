"""Source status: the card at the top of a source's page."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.deletions import FLOOR, is_more_than_half
from ckanext.ukharvest.core.outcomes import RunMode, RunOutcome
from ckanext.ukharvest.core.problems.texts import find_text
from ckanext.ukharvest.core.records import EMPTY_LIST
from ckanext.ukharvest.core.schedule import FREQUENCIES
from ckanext.ukharvest.core.status_rules import Health
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.harvest.runs import CurrentRun
from ckanext.ukharvest.harvest.source_status import SourceStatus
from ckanext.ukharvest.lib import texts
from ckanext.ukharvest.lib.texts import age, duration, format_time, gettext, number, ungettext


def missing_heading(missing: Mapping[str, int]) -> str:
    """Return how many records are missing; ``missing``: as ``core.deletions.Shortfall``."""
    return gettext(
        "{n} of {of} records are missing from the source",
        n=number(missing["records"]),
        of=number(missing["of"]),
    )


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
        return str(tk._("This portal asks before deleting more than half of a source's datasets."))
    if count <= max(FLOOR, max_share * datasets):
        return ""
    return gettext(
        "This portal asks before deleting more than {most} of a source's datasets.",
        most=f"{round(100 * max_share)}%",
    )


def unchanged_datasets(datasets: int) -> str:
    """Return what an empty list means for the datasets of a source."""
    return (
        str(tk._("There are no records to import."))
        if not datasets
        else ungettext("Your dataset is unchanged.", "Your {n} datasets are unchanged.", datasets)
    )


def after_an_empty_list(missing: Mapping[str, int] | None) -> str:
    """Return what happens to the datasets of a source that keeps listing no records.

    Args:
        missing: None if no run counts its records as missing, because an empty list proves nothing.
    """
    return (
        before_deletion(missing)
        if missing
        else str(tk._("Nothing is deleted as long as the source lists no records."))
    )


WARNING, DANGER, PRIMARY, GOOD, CALM = "is-warning", "is-danger", "is-primary", "is-good", ""
REFRESH, CHECK = ("refresh", "check")

Run = Mapping[str, Any]  # as model.runs makes it


@dataclass(frozen=True, slots=True)
class StatusFacts:
    """The facts from which the card is made.

    Attributes:
        last: figures of the last run that ended, None before any.
        judged: figures of the run that decides the health: the last that was not stopped.
        frequency: as in ckanext-harvest.
        checked: records read so far by a dry run in progress.
        max_share: share of the datasets, 0 to 1, above which the portal asks before it deletes.
        notice: heading of a feature, where its runs work; "" for none.
        cron_minutes: minutes between two starts of the portal's cron job.
        now: naive UTC.
    """

    health: SourceStatus
    now: dt.datetime
    last: Run | None = None
    judged: Run | None = None
    frequency: str = "MANUAL"
    checked: int = 0
    max_share: float = 1.0
    notice: str = ""
    cron_minutes: int = 10


@dataclass(frozen=True, slots=True)
class Card:
    """The card.

    Attributes:
        css: CSS class of its edge.
        kind, value: of its badge (``lib.texts.KINDS``).
        actions: of "start", "refresh", "check", "stop", "review", "compare", "mend", "settings",
            "switch_on", "watch"; the first is the main one.
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


def minutes(value: int) -> str:
    return ungettext("{n} minute", "{n} minutes", value)


def run_card(facts: StatusFacts, run: CurrentRun) -> Card:
    """Return the card of a run that is queued or in progress."""
    return _CARDS[run.state](facts, run)


def _stop(run: CurrentRun) -> tuple[str, ...]:
    """Return the action to stop; approved deletions cannot be stopped."""
    return () if run.mode == RunMode.APPROVAL else ("stop",)


def _queued(facts: StatusFacts, run: CurrentRun) -> Card:
    heading = gettext("Scheduled to start within {time}", time=minutes(facts.cron_minutes))
    text = [_asked_for(run)]
    if run.queue_position:
        text.append(
            ungettext("{n} run is ahead of it.", "{n} runs are ahead of it.", run.queue_position)
        )
    return Card(CALM, "state", "queued", heading, tuple(text), _stop(run))


def _asked_for(run: CurrentRun) -> str:
    return (
        gettext("Requested by {user}.", user=run.asked_by)
        if run.asked_by
        else str(tk._("Started by the schedule or from the command line."))
    )


def _gathering(facts: StatusFacts, run: CurrentRun) -> Card:
    count = ungettext("{n} record found so far.", "{n} records found so far.", run.seen)
    heading = tk._("Reading the list of records")
    text = (count, _running_for(facts, run))
    return Card(PRIMARY, "state", "gathering", heading, text, _stop(run))


def _running_for(facts: StatusFacts, run: CurrentRun) -> str:
    elapsed = (facts.now - (run.started or run.created)).total_seconds()
    return gettext("Running for {time}.", time=rough(elapsed))


def _importing(facts: StatusFacts, run: CurrentRun) -> Card:
    return Card(
        PRIMARY,
        "state",
        "importing",
        gettext(
            "Importing {done} of {total} records", done=number(run.done), total=number(run.total)
        ),
        _how_far(facts, run),
        _stop(run),
    )


def _deleting(facts: StatusFacts, run: CurrentRun) -> Card:
    heading = gettext(
        "Deleting {done} of {total} datasets", done=number(run.done), total=number(run.total)
    )
    text = _how_far(facts, run)
    if run.asked_by:
        text = (gettext("Decided by {user}.", user=run.asked_by), *text)
    return Card(PRIMARY, "state", "deleting", heading, text, _stop(run))


def _how_far(facts: StatusFacts, run: CurrentRun) -> tuple[str, ...]:
    text = []
    if run.eta_seconds is not None:
        text.append(gettext("About {time} left.", time=rough(run.eta_seconds)))
    if run.lost:
        text.append(ungettext("{n} record failed so far.", "{n} records failed so far.", run.lost))
    return (*text, _running_for(facts, run))


def _finishing(facts: StatusFacts, run: CurrentRun) -> Card:
    done = (
        tk._("All are deleted.")
        if run.mode == RunMode.APPROVAL
        else tk._("All records are imported.")
    )
    rest = gettext(
        "Figures and search are updated within {time}.", time=minutes(facts.cron_minutes)
    )
    return Card(PRIMARY, "state", "finishing", tk._("Finishing"), (done, rest), ())


def _stopping(facts: StatusFacts, run: CurrentRun) -> Card:
    text = (
        gettext("Stop requested by {user}.", user=run.stopped_by),
        gettext(
            "Records already imported are kept. This takes up to {time}.",
            time=minutes(facts.cron_minutes),
        ),
    )
    return Card(CALM, "state", "stopping", tk._("Stopping"), text, ())


def _stuck(facts: StatusFacts, run: CurrentRun) -> Card:
    still = rough((facts.now - run.moved).total_seconds())
    heading = gettext("No progress for {time}", time=still)
    text = (tk._("The site's harvest consumers may be down. Sysadmins can see this too."),)
    return Card(DANGER, "state", "stuck", heading, text, _stop(run))


_CARDS: Mapping[str, Callable[[StatusFacts, CurrentRun], Card]] = {
    "queued": _queued,
    "gathering": _gathering,
    "importing": _importing,
    "deleting": _deleting,
    "finishing": _finishing,
    "stopping": _stopping,
    "stuck": _stuck,
}

LONGEST = 300  # characters of an error in a heading; the run's page has all of it


def status_card(facts: StatusFacts) -> Card:
    """Return the card of a source."""
    health = facts.health
    if health.current is not None:
        return run_card(facts, health.current)
    if health.state in _STATES:
        return _STATES[health.state](facts)
    return _HEALTHS[health.value](facts)


def _checking(facts: StatusFacts) -> Card:
    return Card(
        PRIMARY,
        "state",
        "checking",
        tk._("Test in progress: nothing is changed"),
        (ungettext("{n} record read.", "{n} records read.", facts.checked),),
        ("watch",),
    )


def _renamed(facts: StatusFacts) -> Card:
    heading = ungettext(
        "Waiting for a decision: {n} dataset may have a new identifier",
        "Waiting for a decision: {n} datasets may have new identifiers",
        facts.health.renamed,
    )
    text = texts.meaning(facts.health.renamed)
    actions = ["compare", REFRESH, CHECK]
    if facts.health.held:
        actions.insert(1, "review")
    return Card(WARNING, "state", "held", heading, (text,), tuple(actions))


def _held(facts: StatusFacts) -> Card:
    if facts.health.renamed:
        return _renamed(facts)
    count = facts.health.held
    heading = ungettext(
        "Waiting for a decision: {n} dataset would be deleted",
        "Waiting for a decision: {n} datasets would be deleted",
        count,
    )
    datasets = max(facts.health.datasets, count)
    why = gettext(
        "That is {share} of this source's datasets. {limit} Nothing has been deleted.",
        share=f"{round(100 * count / datasets)}%",
        limit=describe_limit(count, datasets, facts.max_share),
    )
    return Card(WARNING, "state", "held", heading, (why,), ("review", REFRESH, CHECK))


def _off(facts: StatusFacts) -> Card:
    text = (
        tk._("It has no datasets here, and nothing is imported."),
        tk._("To import from it again, switch the source on."),
    )
    if facts.health.datasets:
        text = (
            ungettext(
                "Its {n} dataset stays in the catalogue but is not updated.",
                "Its {n} datasets stay in the catalogue but are not updated.",
                facts.health.datasets,
            ),
            tk._("To update them again, switch the source on."),
        )
    return Card(CALM, "state", "off", tk._("Switched off"), text, ("switch_on",))


def _new(facts: StatusFacts) -> Card:
    if facts.last:  # and it was stopped, or there were health to speak of
        heading, text = tk._("No run has finished yet"), _last_run(facts)
        return Card(CALM, "outcome", RunOutcome.STOPPED, heading, text, (REFRESH, CHECK))
    text = (tk._("Nothing has been imported yet."),)
    return Card(CALM, "state", "new", tk._("Not run yet"), text, ("start", CHECK))


def _good(facts: StatusFacts) -> Card:
    if (facts.last or {}).get("outcome") == RunOutcome.STOPPED:
        heading = tk._("The last run was stopped")
        return Card(
            CALM, "outcome", RunOutcome.STOPPED, heading, _last_run(facts), (REFRESH, CHECK)
        )
    if facts.notice:
        actions = ("mend", REFRESH, CHECK)
        return Card(WARNING, "health", Health.HEALTHY, facts.notice, _last_run(facts), actions)
    return Card(
        GOOD, "health", Health.HEALTHY, tk._("All good"), _last_run(facts), (REFRESH, CHECK)
    )


def _last_run(facts: StatusFacts) -> tuple[str, ...]:
    last = facts.last or {}
    when = age(last.get("finished"), facts.now.replace(tzinfo=dt.timezone.utc))
    if last.get("outcome") == RunOutcome.STOPPED:
        user = last.get("stopped_by")
        stopped = (
            gettext("The last run, {when}, was stopped by {user}.", when=when, user=user)
            if user
            else gettext("The last run, {when}, was stopped.", when=when)
        )
        return (stopped, tk._("Records it imported are kept."))
    counts = last.get("counts") or {}
    figures = texts.format_counts(counts)
    text = [gettext("Last run {when}: {figures}.", when=when, figures=figures)]
    if counts.get("same"):
        text.append(texts.describe_same(counts["same"]))
    if counts.get("missing") and not last.get("shortfall"):
        text.append(
            ungettext(
                "{n} record was missing. Its dataset is kept for now.",
                "{n} records were missing. Their datasets are kept for now.",
                counts["missing"],
            )
        )
    if last.get("reason") and not last.get("complete"):
        text.append(_sentence(last["reason"]))  # why not all was read
    return tuple(text)


def _errors(facts: StatusFacts) -> Card:
    counts = (facts.judged or {}).get("counts") or {}
    heading = ungettext(
        "Finished with errors: {n} record failed",
        "Finished with errors: {n} records failed",
        int(counts.get("lost", 0)),
    )
    text = _last_run(facts)
    if facts.health.datasets > counts.get("added", 0):
        stay = tk._("Datasets imported earlier keep their old version until this is fixed.")
        text = (stay, *text)
    return Card(WARNING, "health", Health.ERRORS, heading, text, ("mend", REFRESH, CHECK))


def _empty(facts: StatusFacts) -> Card:
    text = [unchanged_datasets(facts.health.datasets)]
    if facts.health.datasets:
        text.append(after_an_empty_list(facts.health.missing))
    text.append(tk._("Check that the source's URL is right, and what the publisher lists there."))
    if facts.last:  # of the reasons only one that the text above does not have
        text.append(_last_run(facts)[0])
        reason = str(facts.last.get("reason") or "")
        if reason and EMPTY_LIST not in reason:
            text.append(_sentence(reason))
    return Card(
        WARNING,
        "health",
        Health.EMPTY,
        tk._("The source lists no records"),
        tuple(text),
        (REFRESH, CHECK),
    )


def _shrunk(facts: StatusFacts) -> Card:
    missing = facts.health.missing or {}
    text = [before_deletion(missing)]
    actions = [REFRESH, CHECK]
    if lost := int(((facts.judged or {}).get("counts") or {}).get("lost", 0)):
        text.append(
            ungettext(
                "{n} record could not be imported.", "{n} records could not be imported.", lost
            )
        )
        actions.append("mend")
    heading = missing_heading(missing)
    text += _last_run(facts)
    return Card(WARNING, "health", Health.SHRUNK, heading, tuple(text), tuple(actions))


def _failing(facts: StatusFacts) -> Card:
    message, tip = _failure(facts)
    count, good = facts.health.failures, facts.health.last_good_run
    heading = (
        gettext("The last {n} runs failed: {message}", n=number(count), message=message)
        if count > 1
        else gettext("The last run failed: {message}", message=message)
    )
    text = [tip, _unharmed(facts)]
    if good:
        day = format_time(good["finished"], day_only=True)
        text.append(gettext("Last successful run: {day}.", day=day))
    actions = ("settings", REFRESH, CHECK)
    return Card(DANGER, "health", Health.FAILING, heading, tuple(filter(None, text)), actions)


def _unharmed(facts: StatusFacts) -> str:
    count = facts.health.datasets
    text = ungettext(
        "Your {n} dataset stays as it was.", "Your {n} datasets stay as they were.", count
    )
    return text if count else str(tk._("Nothing was imported."))


def _hiccup(facts: StatusFacts) -> Card:
    message, _tip = _failure(facts)
    often = (
        gettext(
            "This often resolves itself. The next try is {when}. Nothing was deleted.",
            when=format_time(facts.health.next_run),
        )
        if facts.health.next_run
        else gettext("This often resolves itself. Try again later. Nothing was deleted.")
    )
    heading = gettext("The last run failed: {message}", message=message)
    return Card(WARNING, "health", Health.HICCUP, heading, (often,), (REFRESH, CHECK))


def _failure(facts: StatusFacts) -> tuple[str, str]:
    """Return the first sentence of the failed run's error, and what to do about it."""
    run = facts.judged or {}
    error = run.get("error") or {}
    message = error.get("message") or run.get("reason") or ""
    tip = find_text(error.get("code") or "").tip
    message = shorten(str(message) or tk._("reason unknown"), LONGEST)
    return message, tk._(tip) if tip else ""


def _late(facts: StatusFacts) -> Card:
    since = format_time(facts.health.since, day_only=True)
    heading = gettext("Overdue since {day}", day=since)
    text = gettext(
        "It should have run by now (schedule: {frequency}). The site's harvest schedule may "
        "have stopped: tell a sysadmin.",
        frequency=frequency_words(facts.frequency),
    )
    return Card(WARNING, "health", Health.LATE, heading, (text,), (REFRESH, CHECK))


def frequency_words(frequency: str) -> str:
    """Return how often a source runs, such as "Daily"."""
    return str(tk._(FREQUENCIES.get(frequency or "MANUAL", frequency)))


def _sentence(text: str) -> str:
    if not text.startswith(("http:", "https:")):
        text = text[:1].upper() + text[1:]
    return text if text.endswith(".") else f"{text}."


_STATES: Mapping[str, Callable[[StatusFacts], Card]] = {
    "checking": _checking,
    "off": _off,
    "held": _held,
}
# The other values, off and held, are states too.
_HEALTHS: Mapping[str, Callable[[StatusFacts], Card]] = {
    Health.FAILING: _failing,
    Health.LATE: _late,
    Health.HICCUP: _hiccup,
    Health.EMPTY: _empty,
    Health.SHRUNK: _shrunk,
    Health.ERRORS: _errors,
    Health.NEW: _new,
    Health.HEALTHY: _good,
}
