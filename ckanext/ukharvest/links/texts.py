"""States and faults of links as text; sentences are built when a page is rendered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.link_states import NOT_CHECKED, LinkState
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.lib import check_texts
from ckanext.ukharvest.lib.texts import format_time, gettext, ngettext, number, ungettext

BROKEN = "broken-link"  # code of the group of a source's links that do not work


def describe_broken() -> dict[str, str]:
    """Return title, meaning and tip of a source's links that do not work."""
    return {
        "title": tk._("Links that do not work"),
        "meaning": "",
        "tip": tk._(
            "Correct the URLs in the records at the source, or make the files available again. "
            "The portal checks the links again by itself."
        ),
    }


def describe_count(links: int) -> str:
    """Return how many links do not work, as a heading or a part of a line; "" for none."""
    text = ungettext("{n} link does not work", "{n} links do not work", links)
    return text if links else ""


def describe_of_dataset(failed: int, links: int, since: str) -> str:
    """Return how many of a dataset's links do not work, and since when the first; "" for none."""
    text = ngettext(
        "{n} of {links} links has not worked since {since}",
        "{n} of {links} links have not worked since {since}",
        failed,
        n=number(failed),
        links=number(links),
        since=format_time(since, day_only=True),
    )
    return text if failed else ""


def describe_state(link: Mapping[str, Any]) -> str:
    """Return the state of a link as one or two sentences; "" if it was never checked.

    Args:
        link: as ``harvest.records.links.describe_link`` returns it.
    """
    if link["state"] == LinkState.WORKS:
        day = format_time(link["tried"] or link["checked"], day_only=True)
        checked = gettext("Checked on {date}.", date=day)
        return f"{state_label(link['state'])}. {checked}"
    text = describe_briefly(link)
    fault = check_texts.describe_fault(link["fault"], link["status"])
    if fault and link["state"] in (LinkState.FAILING, LinkState.DEAD):
        text = f"{text}: {fault}"
    return text and f"{text}."


def describe_briefly(link: Mapping[str, Any]) -> str:
    """Return that a link does not work and since when, for a line of a list; "" if it works."""
    if link["state"] in (NOT_CHECKED, LinkState.WORKS):
        return ""
    since = format_time(link["dead_since"] or link["failed_since"], day_only=True)
    return gettext("{state} since {since}", state=state_label(link["state"]), since=since)


def describe_last_success(link: Mapping[str, Any]) -> str:
    """Return when a link that fails last worked, "" if that is not known or it works."""
    text = gettext("It last worked on {day}.", day=format_time(link["worked"], day_only=True))
    return text if link["worked"] and link["state"] != LinkState.WORKS else ""


def describe_difference(link: Mapping[str, Any], declared: str) -> str:
    """Return that the format found is not the one in the metadata, "" if they agree."""
    text = gettext(
        "The metadata says {declared}, but the link leads to {found}.",
        declared=declared.strip(),
        found=link["format"],
    )
    return text if link["differs"] else ""


# One for each of STATE_NAMES; English.
LABELS: Mapping[str, str] = {
    NOT_CHECKED: _("Not checked yet"),
    LinkState.WORKS: _("Works"),
    LinkState.FAILING: _("Not reachable"),
    LinkState.AWAY: _("Server not answering"),
    LinkState.DEAD: _("Dead link"),
}


def state_label(state: str) -> str:
    """Return the name of a state on pages, in mails and commands."""
    return str(tk._(LABELS[state]))


HELPERS = {"ukharvest_link_state": state_label}
