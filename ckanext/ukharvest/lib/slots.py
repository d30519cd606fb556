"""Slots and facets: what features add to the frames' pages, mails and searches.

A feature lists them as SLOTS and FACETS in one of its modules that ``features.py`` names. The
frames ask for them by place, so that they import no feature.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple


class Slot(NamedTuple):
    """What a feature adds to a place.

    Attributes:
        place: one of ``PLACES``.
        snippet: the template that shows it, with the variable ``facts``; "" where the frame does.
        facts: returns the facts; its parameters and result are those of the place. What is empty
            is not shown.
    """

    place: str
    snippet: str
    facts: Callable[..., Any]


class Facet(NamedTuple):
    """A facet of the dataset search that is no field of a dataset.

    Attributes:
        title: English, for ``_()``.
        label: returns the text of a value.
        is_ranked: the largest value comes first, not the one with the most datasets.
    """

    title: str
    label: Callable[[str], str]
    is_ranked: bool = False


class Task(NamedTuple):
    """One thing that a person has to do.

    Attributes:
        text: what is wrong, in a sentence.
        since: a time as ``lib.texts.moment`` takes it, None if unknown.
        label, url: of the button.
    """

    text: str
    since: Any
    label: str
    url: str


class ToDo(NamedTuple):
    """What a feature lists for people to do at sources.

    Attributes:
        rows: SELECT of ``source_id``, ``whom`` (array of ids of organisations: for those who may
            edit the sources of all of them) and ``facts`` (jsonb), with the parameter ``:now``.
            All features' are one statement, and it runs at each page that a person opens.
        describe: what ``check`` returned, and the name of the source → the task.
        check: facts, and ``is_of_editor`` (not for a sysadmin) → what ``describe`` takes, None if
            there is nothing to do.
    """

    rows: str
    describe: Callable[[Any, str], Task]
    check: Callable[[Mapping[str, Any]], Any] = dict


# Place → parameters and result of the facts; those of places with snippets are the snippets' own.
PLACES: Mapping[str, str] = {
    "dataset": "context, package → facts that ``ukharvest_dataset_show`` returns, by name",
    "dataset_head": "page (those facts), package: below a dataset's title",
    "dataset_badges": "page, package: beside each other, below that",
    "field": "key, package → note (text) after the value of a field",
    "resource": "page, resource: below a resource in a dataset's list",
    "resource_line": "page, resource: the same, in one line with the link to the file",
    "resource_head": "package, resource: below the title on the page of a resource",
    "resource_page": "package, resource: on the page of a resource",
    "list_entry": "row of ``datasets.model.load_badges``: below a dataset in a list",
    "form_field": "key, data, id of the input: below a field in a form",
    "navigation": "none: in place of the link to the sources in the header",
    "own_work": "none: what the user has to do, on the first page after the login and on the "
    "sysadmin's dashboard",
    "to_do": "none → ``ToDo``, whose tasks weekly mails list too",
    "portal_to_do": "none → tasks of sysadmins (``Task``)",
    "search_results": "none: below the results of a search of datasets",
    "dashboard": "the dashboard, as ``ukharvest_dashboard_show`` returns it",
    "help": "none: a section of the page that explains words",
    "portal_pages": "none: a page for everybody, on the home page and above the list of sources: "
    "URL, label, text",
    "source_tabs": "URL of a source → tabs for those who may update it: label, URL, icon, and the "
    "beginnings of other URLs that belong to it",
    "source_mail": "none: a warning beside the box for emails in a source's form",
    "source_status": "context, source id → heading (text) of a source whose runs work",
    "source_failing": "source as ``find_source`` returns it: in the status of one whose runs fail",
    "failure_mail": "source id → text of a line in the email that it fails",
    "problem_groups": "context, source id → groups as ``ukharvest_problem_group_list`` has them",
    "dry_run": "source; type, options and budget to read it with before it is adopted → exit code "
    "and ``PreviewResult`` (None: not read) of a dry run in the terminal",
    "weekly_mail": "source ids → {id: a part of the source's line}",
}

_slots: dict[str, list[Slot]] = {}
_facets: dict[str, Facet] = {}


def register(slots: Iterable[Slot], facets: Mapping[str, Facet]) -> None:
    """Set the slots and facets of all features; a plugin calls it once, at the start.

    Raises:
        ValueError: there is no such place.
    """
    _slots.clear()
    for slot in slots:
        if slot.place not in PLACES:
            raise ValueError(f"There is no place {slot.place!r} for slots")
        _slots.setdefault(slot.place, []).append(slot)
    _facets.clear()
    _facets.update(facets)


def slots_of(place: str) -> tuple[Slot, ...]:
    """Return the slots of a place, in the order of the features."""
    return tuple(_slots.get(place, ()))


def facts_of(place: str, *args: Any) -> list[Any]:
    """Return the facts of the slots of a place, without empty ones."""
    return [facts for slot in slots_of(place) if (facts := slot.facts(*args))]


def facets() -> Mapping[str, Facet]:
    """Return the features' facets by their names in ``ckanext.ukharvest.facets``."""
    return _facets
