"""Template helpers of the pages of sources, and of all our pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from ckan.plugins import toolkit as tk

from ckanext.ukharvest import config
from ckanext.ukharvest.core.outcomes import RunMode, RunOutcome
from ckanext.ukharvest.core.problems.texts import SEVERITIES
from ckanext.ukharvest.core.status_rules import SourceStatus
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest.sources import source_status
from ckanext.ukharvest.lib import actions as action_tools
from ckanext.ukharvest.lib import texts
from ckanext.ukharvest.lib.lookups import once
from ckanext.ukharvest.lib.permissions import may_harvest
from ckanext.ukharvest.lib.slots import Slot, Task, ToDo, facts_of
from ckanext.ukharvest.sources import model as source_model
from ckanext.ukharvest.sources.description import type_label
from ckanext.ukharvest.sources.texts import action_link, frequency_words, health_card


def ukharvest_page_numbers(number: int, pages: int) -> list[int | None]:
    """Return the page numbers that a pager shows, with None for each gap."""
    shown = {1, pages, *range(number - 1, number + 2)} & set(range(1, pages + 1))
    numbers: list[int | None] = []
    for page in sorted(shown):
        if numbers and page - (numbers[-1] or 0) > 1:
            numbers.append(None)
        numbers.append(page)
    return numbers


# Blueprints of ckanext-harvest, and of CKAN for its dataset type; ours begin with "ukharvest".
_STOCK = ["harvest", "harvester"]


def ukharvest_may_harvest() -> bool:
    """Tell whether the user may add or edit sources."""
    return not tk.current_user.is_anonymous and may_harvest(tk.current_user.name)


def ukharvest_in_navigation() -> bool:
    """Tell whether the header has a link to the sources for the user."""
    who = config.navigation()
    return who == "everyone" or (who == "editors" and ukharvest_may_harvest())


def ukharvest_own_pages() -> list[str]:
    """Return the blueprints for which the link in the header is active."""
    current = tk.request.blueprint or ""
    is_ours = current.startswith("ukharvest") and current != "ukharvest_portal"
    return [*_STOCK, current] if is_ours else _STOCK


def ukharvest_notice() -> str:
    """Return the sysadmin's notice to editors of sources, "" for other users."""
    if not ukharvest_may_harvest():
        return ""
    return str(
        action_tools.parse_notice(once("notice", lambda: database.load_note(database.NOTICE)))[
            "text"
        ]
    )


WIDTH, HEIGHT = 600, 120
MOST = 30  # bars
LEAST = 2  # pixels of a part that is not empty
FEWEST = 5  # runs: fewer are seen in the table at a glance


def ukharvest_source_tabs(source: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the tabs of a source's pages for who may update it: label, url, icon and active."""
    base = tk.h.url_for("harvest.read", id=source["name"])
    edit = tk.h.url_for("harvest.edit", id=source["name"])
    steps = (tk.h.url_for(f"harvester.{step}", id=source["name"]) for step in ("clear", "delete"))
    settings = (f"{base}/notifications", f"{base}/switch-off", f"{base}/switch-on", *steps)
    tabs = [
        (tk._("Overview"), base, "gauge", ()),
        (tk._("Datasets"), f"{base}/datasets", "sitemap", ()),
        *(tab for tabs in facts_of("source_tabs", base) for tab in tabs),
        (tk._("Edit"), edit, "pen", settings),
    ]
    here = tk.request.script_root + tk.request.path
    return [
        {"label": label, "url": url, "icon": icon, "active": _is_at(here, url, more, base)}
        for label, url, icon, more in tabs
    ]


def _is_at(here: str, url: str, more: Sequence[str], base: str) -> bool:
    below = any(f"{here}/".startswith(f"{start}/") for start in (url, *more))
    return here == base if url == base else below


class Bar(NamedTuple):
    """One bar of a chart.

    Attributes:
        url: where a click on it leads.
        label: what it says, for the mouse.
        heights: kind of a part ("unchanged", "changed", "lost") → number, from the bottom up.
    """

    url: str
    label: str
    heights: Mapping[str, int]


def draw_chart(
    bars: Sequence[Bar], days: Sequence[str], columns: int = MOST, level: int = 0
) -> dict[str, Any]:
    """Return a bar chart for macro "chart" in templates/ukharvest/macros.html.

    Args:
        days: of the first and the last bar, as text.
        columns: how many bars have room.
        level: number at which a line is drawn, 0 for none.

    Returns:
        ``width``, ``height``, ``top`` (the number at the top), ``days``, ``line`` (y of the line,
        None without one) and ``bars``: dicts with ``url``, ``label`` and ``parts``, each with
        ``kind``, ``x``, ``y``, ``width`` and ``height``.
    """
    top = max(1, level, *(sum(bar.heights.values()) for bar in bars))
    step = WIDTH / columns
    drawn = [
        {
            "url": bar.url,
            "label": bar.label,
            "parts": _parts(bar.heights, top, place * step, step * 0.8),
        }
        for place, bar in enumerate(bars)
    ]
    line = round(HEIGHT - level / top * (HEIGHT - 8), 1) if level else None
    size = {"width": WIDTH, "height": HEIGHT}
    return {**size, "top": top, "days": days, "line": line, "bars": drawn}


def ukharvest_run_chart(runs: Sequence[Mapping[str, Any]], datasets: int) -> dict[str, Any] | None:
    """Return a chart of runs, the oldest first: the number of records by result.

    Args:
        runs: as ``ukharvest_run_list`` returns them, the newest first.
        datasets: how many the source has now, for a horizontal line.

    Returns:
        As ``draw_chart``; None if fewer than five runs ended.
    """
    ended = [run for run in runs if run["finished"] and run["mode"] != RunMode.APPROVAL][:MOST]
    if len(ended) < FEWEST:
        return None
    ended.reverse()
    bars = [
        Bar(
            tk.h.url_for("harvester.job_show", source=run["source"], id=run["id"]),
            texts.labelled(texts.format_time(run["started"]), _words(run)),
            _heights(run),
        )
        for run in ended
    ]
    days = [texts.format_time(run["started"], day_only=True) for run in (ended[0], ended[-1])]
    return draw_chart(bars, days, level=datasets)


def _words(run: Mapping[str, Any]) -> str:
    outcome = texts.find_label("outcome", run["outcome"]).text
    return texts.format_counts(run["counts"]) or str(tk._(outcome))


def _heights(run: Mapping[str, Any]) -> dict[str, int]:
    """Return the numbers of records, from the bottom of the bar up; a failed run counts one."""
    counts = run["counts"]
    return {
        "unchanged": counts["unchanged"] + counts["skipped"],
        "changed": counts["added"] + counts["updated"] + counts["deleted"],
        "lost": counts["lost"] or int(run["outcome"] == RunOutcome.FAILED),
    }


def _parts(heights: Mapping[str, int], top: int, x: float, width: float) -> list[dict[str, Any]]:
    parts = []
    bottom = float(HEIGHT)
    for kind, number in filter(itemgetter(1), heights.items()):
        height = max(LEAST, number / top * (HEIGHT - 8))
        bottom -= height
        parts.append(
            {
                "kind": kind,
                "x": round(x, 1),
                "y": round(bottom, 1),
                "width": round(width, 1),
                "height": round(height, 1),
            }
        )
    return parts


def _task(status: SourceStatus, name: str) -> Task:
    """Return what the card of a source's health says, and its first button."""
    card = health_card(status)
    return Task(card.heading, status.to_do_since, *action_link(card.actions[0], name))


SLOTS = (Slot("to_do", "", lambda: ToDo(source_status.TO_DO, _task, source_status.status_to_do)),)
# Functions of other modules that templates call.
HELPERS = {
    "ukharvest_action": action_link,
    "ukharvest_frequency": frequency_words,
    "ukharvest_message": texts.show_message,
    "ukharvest_severities": lambda: SEVERITIES,
    "ukharvest_source_count": source_model.of_organisation,
    "ukharvest_source_type": type_label,
}
