"""Check of the link checks of resources."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from typing import Any

from ckanext.ukharvest import config
from ckanext.ukharvest.core.link_states import LinkState
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.model import link_checks, utcnow
from ckanext.ukharvest.operations import link_figures
from ckanext.ukharvest.operations.doctor.finding import INFO, WARNING, Finding

LONG = datetime.timedelta(days=1)


def waiting_links() -> Iterator[Finding]:
    """Find links that wait for a jobs worker; report how many work and how many wait."""
    if not config.checks_links():
        return
    since = utcnow() - LONG
    figures = link_checks.figures(since)
    if figures.waiting and (figures.last is None or figures.last < since):
        yield Finding(
            WARNING,
            "links",
            f"{counted(figures.waiting, 'link')} of resources waited more than a day for a check: "
            "no background worker seems to be running.",
            "Start 'ckan jobs worker' and have your process manager keep it running; or let "
            "cron call "
            "'ckan ukharvest links --check'; or set ckanext.ukharvest.links.check = false.",
        )
    if figures.known or figures.unknown:
        yield Finding(
            INFO,
            "links",
            f"{counted(figures.known + figures.unknown, 'link')} of resources checked"
            f"{_faults(figures)}. {_backlogs()}",
            "'ckan ukharvest links --state dead' lists dead links, 'ckan ukharvest links "
            "--unknown' says why a format was not found.",
        )


def format_backlog(found: Mapping[str, Any]) -> str:
    """Return how many links wait, as a sentence.

    Args:
        found: as ``link_figures.load_figures`` returns it.
    """
    if not found["waiting"]:
        return "No link is waiting to be checked."
    verb = "waits" if found["waiting"] == 1 else "wait"
    return f"{counted(found['waiting'], 'link')} {verb} to be checked."


def format_data(found: Mapping[str, Any]) -> str:
    """Return how many files were checked against their schemas, "" without schemas.

    Args:
        found: as ``link_figures.load_figures`` returns it.
    """
    data = found["data"]
    if not any(data.values()):
        return ""
    valid, invalid, unchecked = (data.get(each, 0) for each in ("valid", "invalid", "unchecked"))
    files = counted(valid + invalid + unchecked, "file")
    return (
        f"{files} checked against a schema: {valid:,} valid, {invalid:,} with errors, "
        f"{unchecked:,} not checkable; {data['waiting']:,} waiting."
    )


def _backlogs() -> str:
    found = link_figures.load_figures()
    return f"{format_backlog(found)} {format_data(found)}".strip()


def _faults(figures: link_checks.Figures) -> str:
    numbers = (
        (figures.unknown, "without a known format"),
        (figures.states[LinkState.FAILING], "not reachable at the last check"),
        (figures.states[LinkState.AWAY], "whose server does not answer"),
        (figures.states[LinkState.DEAD], "dead"),
    )
    return "".join(f"; {number:,} {text}" for number, text in numbers if number)
