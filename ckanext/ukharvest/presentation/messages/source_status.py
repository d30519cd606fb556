"""Source status: the card at the top of a source's page.

A sentence as heading, one or two sentences below it, and the possible actions, the main one first.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core.outcomes import RunOutcome
from ckanext.ukharvest.core.problems.texts import find_text
from ckanext.ukharvest.core.records import EMPTY_LIST
from ckanext.ukharvest.core.schedule import FREQUENCIES
from ckanext.ukharvest.core.source_status import Health
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.presentation.messages import (
    changed_identifiers,
    missing_records,
    run_counts,
    run_status,
)
from ckanext.ukharvest.presentation.messages.numbers import number, ungettext
from ckanext.ukharvest.presentation.messages.status_parts import (
    CALM,
    CHECK,
    DANGER,
    GOOD,
    PRIMARY,
    REFRESH,
    WARNING,
    Card,
    StatusFacts,
)
from ckanext.ukharvest.presentation.messages.times import age, format_time
from ckanext.ukharvest.texts import gettext

LONGEST = 300  # characters of an error in a heading; the run's page has all of it


def card(facts: StatusFacts) -> Card:
    """Return the card of a source."""
    health = facts.health
    if health.current is not None:
        return run_status.card(facts, health.current)
    if health.state in _STATES:
        return _STATES[health.state](facts)
    return _HEALTHS[health.value](facts)


def _checking(facts: StatusFacts) -> Card:
    return Card(
        PRIMARY,
        "state",
        "checking",
        tk._("Dry run in progress: nothing is changed"),
        (ungettext("{n} record read.", "{n} records read.", facts.checked),),
        ("watch",),
    )


def _renamed(facts: StatusFacts) -> Card:
    heading = changed_identifiers.heading(facts.health.renamed, is_you=facts.may_decide)
    text = changed_identifiers.meaning(facts.health.renamed)
    actions = ["compare", REFRESH, CHECK]
    if facts.health.held:
        actions.insert(1, "review")
    return Card(WARNING, "state", "held", heading, (text,), tuple(actions))


def _held(facts: StatusFacts) -> Card:
    if facts.health.renamed:
        return _renamed(facts)
    count = facts.health.held
    heading = (
        ungettext(
            "Waiting for your decision: {n} dataset would be deleted",
            "Waiting for your decision: {n} datasets would be deleted",
            count,
        )
        if facts.may_decide
        else ungettext(
            "Waiting for an administrator's decision: {n} dataset would be deleted",
            "Waiting for an administrator's decision: {n} datasets would be deleted",
            count,
        )
    )
    datasets = max(facts.health.datasets, count)
    why = gettext(
        "That is {share} of this source's datasets. {limit} Nothing has been deleted.",
        share=f"{round(100 * count / datasets)}%",
        limit=missing_records.describe_limit(count, datasets, facts.max_share),
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
    if facts.broken_links:
        heading = ungettext(
            "The last run worked, but {n} link does not",
            "The last run worked, but {n} links do not",
            facts.broken_links,
        )
        actions = ("mend", REFRESH, CHECK)
        return Card(WARNING, "health", Health.HEALTHY, heading, _last_run(facts), actions)
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
    figures = run_counts.format_counts(counts)
    text = [gettext("Last run {when}: {figures}.", when=when, figures=figures)]
    if counts.get("same"):
        text.append(run_counts.describe_same(counts["same"]))
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
    text = [missing_records.unchanged_datasets(facts.health.datasets)]
    if facts.health.datasets:
        missing, is_you = facts.health.missing, facts.may_decide
        text.append(missing_records.after_an_empty_list(missing, is_you=is_you))
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
    text = [missing_records.before_deletion(missing, is_you=facts.may_decide)]
    actions = [REFRESH, CHECK]
    if lost := int(((facts.judged or {}).get("counts") or {}).get("lost", 0)):
        text.append(
            ungettext(
                "{n} record could not be imported.", "{n} records could not be imported.", lost
            )
        )
        actions.append("mend")
    heading = missing_records.heading(missing)
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
    """Return how often a source runs, such as "Every day"."""
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
