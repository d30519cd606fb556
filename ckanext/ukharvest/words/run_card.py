"""The card of a source whose run has not ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core.health import APPROVAL
from ckanext.ukharvest.model.current_run import CurrentRun
from ckanext.ukharvest.words.cards import CALM, DANGER, PRIMARY, Card, Told, minutes, rough
from ckanext.ukharvest.words.numbers import number, ungettext


def card(told: Told, run: CurrentRun) -> Card:
    """Return what the page says of a run that goes on or waits."""
    return _CARDS[run.state](told, run)


def _stop(run: CurrentRun) -> tuple[str, ...]:
    """Deletions that somebody approved are carried out in one go."""
    return () if run.mode == APPROVAL else ("stop",)


def _queued(told: Told, run: CurrentRun) -> Card:
    heading = tk._("Scheduled to start within {time}").format(time=minutes(told.tick_minutes))
    text = [_asked_for(run)]
    if run.queue_position:
        text.append(
            ungettext("{n} run is before it.", "{n} runs are before it.", run.queue_position)
        )
    return Card(CALM, "state", "queued", heading, tuple(text), _stop(run))


def _asked_for(run: CurrentRun) -> str:
    if run.asked_by:
        return str(tk._("Asked for by {user}.").format(user=run.asked_by))
    return str(tk._("Asked for by the schedule, or by a command."))


def _gathering(told: Told, run: CurrentRun) -> Card:
    found = ungettext("{n} record found so far.", "{n} records found so far.", run.seen)
    heading = tk._("Reading the list of records")
    text = (found, _running_for(told, run))
    return Card(PRIMARY, "state", "gathering", heading, text, _stop(run))


def _running_for(told: Told, run: CurrentRun) -> str:
    elapsed = (told.now - (run.started or run.created)).total_seconds()
    return str(tk._("Running for {time}.").format(time=rough(elapsed)))


def _importing(told: Told, run: CurrentRun) -> Card:
    heading = tk._("Importing {done} of {total} records").format(
        done=number(run.done), total=number(run.total)
    )
    return Card(PRIMARY, "state", "importing", heading, _how_far(told, run), _stop(run))


def _deleting(told: Told, run: CurrentRun) -> Card:
    heading = tk._("Deleting {done} of {total} datasets").format(
        done=number(run.done), total=number(run.total)
    )
    text = _how_far(told, run)
    if run.asked_by:
        text = (tk._("Decided by {user}.").format(user=run.asked_by), *text)
    return Card(PRIMARY, "state", "deleting", heading, text, _stop(run))


def _how_far(told: Told, run: CurrentRun) -> tuple[str, ...]:
    text = []
    if run.eta_seconds is not None:
        text.append(tk._("About {time} left.").format(time=rough(run.eta_seconds)))
    if run.lost:
        text.append(ungettext("{n} record lost so far.", "{n} records lost so far.", run.lost))
    return (*text, _running_for(told, run))


def _finishing(_told: Told, run: CurrentRun) -> Card:
    done = (
        tk._("All are deleted; the figures and the search follow.")
        if run.mode == APPROVAL
        else tk._("All records are in; the figures and the search follow.")
    )
    return Card(PRIMARY, "state", "finishing", tk._("Finishing"), (done,), ())


def _stopping(told: Told, run: CurrentRun) -> Card:
    text = (
        tk._("Stop asked for by {user}.").format(user=run.stopped_by),
        tk._("Records already brought in stay. This takes up to {time}.").format(
            time=minutes(told.tick_minutes)
        ),
    )
    return Card(CALM, "state", "stopping", tk._("Stopping"), text, ())


def _stuck(told: Told, run: CurrentRun) -> Card:
    still = rough((told.now - run.moved).total_seconds())
    heading = tk._("Nothing has moved for {time}").format(time=still)
    text = (tk._("The site's workers may be down. The sysadmins can see this too."),)
    return Card(DANGER, "state", "stuck", heading, text, _stop(run))


_CARDS: Mapping[str, Callable[[Told, CurrentRun], Card]] = {
    "queued": _queued,
    "gathering": _gathering,
    "importing": _importing,
    "deleting": _deleting,
    "finishing": _finishing,
    "stopping": _stopping,
    "stuck": _stuck,
}
