"""The status card of a source whose run has not ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core.outcomes import RunMode
from ckanext.ukharvest.model.current_run import CurrentRun
from ckanext.ukharvest.presentation.messages.numbers import number, ungettext
from ckanext.ukharvest.presentation.messages.status_parts import (
    CALM,
    DANGER,
    PRIMARY,
    Card,
    StatusFacts,
    minutes,
    rough,
)
from ckanext.ukharvest.texts import gettext


def card(facts: StatusFacts, run: CurrentRun) -> Card:
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


def _finishing(_facts: StatusFacts, run: CurrentRun) -> Card:
    done = (
        tk._("All are deleted. Figures and search are being updated.")
        if run.mode == RunMode.APPROVAL
        else tk._("All records are imported. Figures and search are being updated.")
    )
    return Card(PRIMARY, "state", "finishing", tk._("Finishing"), (done,), ())


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
