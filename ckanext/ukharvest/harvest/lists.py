"""What features add to the harvest and to cron's work: lists that the harvest goes through.

A module of a feature declares lists of these names, and ``features.register`` fills these here.
So the harvest imports no feature, and a feature is gone with its folder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ckanext.ukharvest.harvest.background import Work

Step = Callable[[], list[str]]  # does one thing, commits, returns a sentence for each thing done

# Called for each record before CKAN validates it, with the package dict, which they may change, the
# dataset as package_show gives it (None for a new one), and of its ``Write`` schema, defaults and,
# by name, forced and by_hook (names of fields that plugins' hooks have set: they stay). They return
# values for the context of the write, and under PROBLEMS further problems of the record.
BEFORE_WRITE: list[Callable[..., dict[str, Any]]] = []
PROBLEMS = "ukharvest_problems"


class OwnRow(NamedTuple):
    """A row that a feature stores for each dataset, in the transaction that writes it.

    Attributes:
        table: the class of its table, with the columns ``package_id`` and ``assessed``.
        columns: called with the context and the package dict of a dataset that was written, by
            whoever; returns the other columns.
    """

    table: Any
    columns: Callable[[Mapping[str, Any], Mapping[str, Any]], dict[str, Any]]


WITH_WRITE: list[OwnRow] = []
# Columns, labelled, of the statement over ``model.Package`` about a page of a list of datasets.
BADGES: list[Any] = []
# Called with a package dict that the API's package_show returns, to which they may add.
WITH_SHOW: list[Callable[[dict[str, Any]], None]] = []
# Called with a source's id after a run of it has ended; they commit.
RUN_ENDED: list[Callable[[str], None]] = []
# Steps of the sweeper: before runs are started, and after those that have ended are closed.
TICK: list[Step] = []
AFTER_TICK: list[Step] = []
# Steps of the sweeper's pruning, which has nothing to do more often than once an hour.
PRUNE: list[Step] = []
# Checks and fixes (``lib/checks.py``) for the doctor.
DOCTOR: list[Any] = []
# Parts of the background job, in their order.
WORK: list[Work] = []
# Called after some links were checked, with a function that tells whether to end at once.
LINKS_CHECKED: list[Callable[[Callable[[], bool]], None]] = []


class IndexField(NamedTuple):
    """A facet field of datasets whose values are not in their package dicts.

    Attributes:
        name: of the facet, as in ``rendering.values.INDEXED``.
        column: SQL of a statement over ``model.Package``; that of all fields is one.
        values: column's value → values of the facet.
    """

    name: str
    column: Any
    values: Callable[[Any], tuple[str, ...]]


INDEX_FIELDS: list[IndexField] = []


class FeatureFigures(NamedTuple):
    """Figures of a feature, for the dashboard, doctor and commands.

    Attributes:
        name: key in what the dashboard's action returns.
        load: returns them for JSON; may look at every resource.
        describe: returns a sentence about them, "" if there is nothing to say.
    """

    name: str
    load: Callable[[], dict[str, Any]]
    describe: Callable[[Mapping[str, Any]], str]


DASHBOARD: list[FeatureFigures] = []

LISTS: dict[str, list[Any]] = {
    name: values for name, values in dict(globals()).items() if isinstance(values, list)
}
