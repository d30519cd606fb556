"""What a source's page says first: what it does or how it is, and what to do next.

One sentence as heading, one or two below it, and what can be done, the first thing to do first.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core.problems import TIPS
from ckanext.ukharvest.core.values import shorten
from ckanext.ukharvest.words import run_card
from ckanext.ukharvest.words.cards import (
    CALM,
    CHECK,
    DANGER,
    GOOD,
    PRIMARY,
    REFRESH,
    WARNING,
    Card,
    Told,
)
from ckanext.ukharvest.words.numbers import number, ungettext
from ckanext.ukharvest.words.source_words import FREQUENCIES
from ckanext.ukharvest.words.times import age, in_words

LONGEST = 300  # characters of an error in a heading; the run's page has all of it


def card(told: Told) -> Card:
    """Return what the page says."""
    health = told.health
    if health.current is not None:
        return run_card.card(told, health.current)
    if health.state in _STATES:
        return _STATES[health.state](told)
    return _HEALTHS[health.value](told)


def _checking(told: Told) -> Card:
    text = ungettext("{n} record read.", "{n} records read.", told.checked)
    heading = tk._("Checking, without changing anything")
    return Card(PRIMARY, "state", "checking", heading, (text,), ("watch",))


def _held(told: Told) -> Card:
    count = told.health.held
    if told.may_decide:
        heading = ungettext(
            "Waiting for your decision: {n} dataset would be deleted",
            "Waiting for your decision: {n} datasets would be deleted",
            count,
        )
    else:
        heading = ungettext(
            "Waiting for an administrator's decision: {n} dataset would be deleted",
            "Waiting for an administrator's decision: {n} datasets would be deleted",
            count,
        )
    why = tk._(
        "That is {share} of the datasets of this source; this portal asks above {most}, and always"
        " above half. Nothing has been deleted."
    ).format(
        share=_percent(count / max(told.health.datasets, count)), most=_percent(told.max_share)
    )
    return Card(WARNING, "state", "held", heading, (why,), ("review", REFRESH, CHECK))


def _percent(share: float) -> str:
    return f"{round(100 * share)} %"


def _off(told: Told) -> Card:
    text = ungettext(
        "Its {n} dataset stays in the catalogue but is not updated.",
        "Its {n} datasets stay in the catalogue but are not updated.",
        told.health.datasets,
    )
    if not told.health.datasets:
        text = tk._("It has no datasets here, and nothing is brought in.")
    return Card(CALM, "state", "off", tk._("Switched off"), (text,), ("switch_on",))


def _new(told: Told) -> Card:
    if told.last:  # and it was stopped, or there were health to speak of
        heading, text = tk._("No run has come to its end so far"), _last_run(told)
        return Card(CALM, "outcome", "stopped", heading, text, (REFRESH, CHECK))
    text = (tk._("Nothing has been brought in so far."),)
    return Card(CALM, "state", "new", tk._("Not run yet"), text, ("start", CHECK))


def _good(told: Told) -> Card:
    return Card(GOOD, "health", "healthy", tk._("All good"), _last_run(told), (REFRESH, CHECK))


def _last_run(told: Told) -> tuple[str, ...]:
    last = told.last or {}
    when = age(last.get("finished"), told.now.replace(tzinfo=dt.timezone.utc))
    if last.get("outcome") == "stopped":
        return (_stopped(when, last.get("stopped_by")), tk._("What it brought in stays."))
    counts = last.get("counts") or {}
    text = [tk._("Last run {when}: {figures}.").format(when=when, figures=in_figures(counts))]
    if counts.get("missing"):
        text.append(
            ungettext(
                "{n} record was not seen: its dataset stays for now.",
                "{n} records were not seen: their datasets stay for now.",
                counts["missing"],
            )
        )
    if last.get("reason") and not last.get("complete"):
        text.append(_sentence(last["reason"]))  # why not all was read
    return tuple(text)


def _stopped(when: str, who: str | None) -> str:
    if not who:
        return str(tk._("The last run, {when}, was stopped.").format(when=when))
    text = tk._("The last run, {when}, was stopped by {user}.")
    return str(text.format(when=when, user=who))


def in_figures(counts: Mapping[str, int]) -> str:
    """Return a run's figures such as "3 updated, 397 unchanged"; "no records" for none."""
    words: tuple[tuple[str, Callable[[], str]], ...] = (
        ("added", lambda: tk._("{n} added")),
        ("updated", lambda: tk._("{n} updated")),
        ("unchanged", lambda: tk._("{n} unchanged")),
        ("deleted", lambda: tk._("{n} deleted")),
        ("lost", lambda: tk._("{n} lost")),
    )
    found = [say().format(n=number(counts[key])) for key, say in words if counts.get(key)]
    return ", ".join(found) or str(tk._("no records"))


def _errors(told: Told) -> Card:
    heading = ungettext(
        "Finished with errors: {n} record was lost",
        "Finished with errors: {n} records were lost",
        int(((told.judged or {}).get("counts") or {}).get("lost", 0)),
    )
    stay = tk._("What was brought in earlier keeps its old version here until that is mended.")
    return Card(
        WARNING, "health", "errors", heading, (stay, *_last_run(told)), ("mend", REFRESH, CHECK)
    )


def _failing(told: Told) -> Card:
    message, tip = _failure(told)
    if told.health.failures > 1:
        heading = tk._("The last {n} runs failed: {message}")
    else:
        heading = tk._("The last run failed: {message}")
    text = [tip] if tip else []
    text.append(_unharmed(told))
    if told.health.last_good_run:
        good = in_words(told.health.last_good_run["finished"], day_only=True)
        text.append(tk._("Last good run: {day}.").format(day=good))
    heading = heading.format(n=number(told.health.failures), message=message)
    return Card(DANGER, "health", "failing", heading, tuple(text), ("settings", REFRESH, CHECK))


def _unharmed(told: Told) -> str:
    if not told.health.datasets:
        return str(tk._("Nothing was brought in, and nothing was deleted."))
    return ungettext(
        "Your {n} dataset stays as it was.",
        "Your {n} datasets stay as they were.",
        told.health.datasets,
    )


def _hiccup(told: Told) -> Card:
    message, _tip = _failure(told)
    if told.health.next_run:
        often = tk._("This often passes; the next try is {when}. Nothing was deleted.").format(
            when=in_words(told.health.next_run)
        )
    else:
        often = tk._("This often passes: try again later. Nothing was deleted.")
    heading = tk._("The last try failed: {message}").format(message=message)
    return Card(WARNING, "health", "hiccup", heading, (often,), (REFRESH, CHECK))


def _failure(told: Told) -> tuple[str, str]:
    """The first sentence of the failed run's error, and what to do about it."""
    run = told.judged or {}
    error = run.get("error") or {}
    message = error.get("message") or run.get("reason") or ""
    tip = TIPS.get(error.get("code") or "", "")
    message = shorten(str(message) or tk._("the reason is not known"), LONGEST)
    return message, tk._(tip) if tip else ""


def _late(told: Told) -> Card:
    since = in_words(told.health.since, day_only=True)
    heading = tk._("Overdue since {day}").format(day=since)
    text = tk._(
        "It should run by itself and did not (how often: {frequency}). The site's clock for"
        " harvesting may have stopped: tell the sysadmins."
    ).format(frequency=frequency_words(told.frequency))
    return Card(WARNING, "health", "late", heading, (text,), (REFRESH, CHECK))


def frequency_words(frequency: str) -> str:
    """Return how often a source runs, such as "Every day"."""
    return str(tk._(FREQUENCIES.get(frequency or "MANUAL", frequency)))


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith(".") else f"{text}."


_STATES: Mapping[str, Callable[[Told], Card]] = {
    "checking": _checking,
    "off": _off,
    "held": _held,
}
# The others, off and held, are states too.
_HEALTHS: Mapping[str, Callable[[Told], Card]] = {
    "failing": _failing,
    "late": _late,
    "hiccup": _hiccup,
    "errors": _errors,
    "new": _new,
    "healthy": _good,
}
