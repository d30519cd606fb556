"""Which harvest objects and jobs are open, whatever their state says.

ckanext-harvest writes WAITING, FETCH, IMPORT, COMPLETE and ERROR, this extension GATHERED as well.
An object in any other state is under way: it keeps its job open until somebody ends it.
"""

from __future__ import annotations

import sqlalchemy as sa
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest.model import staged_objects

ENDED = ("COMPLETE", "ERROR")  # of objects
UNENDED = ("New", "Running")  # of jobs; some ended ones were called "Aborted"
WAITING = "WAITING"


def is_open() -> sa.ColumnElement[bool]:
    """Return the SQL condition that an object is not ended.

    Very old objects have no state; ckanext-harvest takes them for ended.
    """
    return HarvestObject.state.notin_(ENDED)


def is_under_way() -> sa.ColumnElement[bool]:
    """Return the SQL condition that a process took an object and has not ended it."""
    return HarvestObject.state.notin_((*ENDED, WAITING, staged_objects.GATHERED))


def last_sign() -> sa.ColumnElement[sa.DateTime]:
    """Return the SQL expression of the time when a process last took an object, or made it."""
    taken = sa.func.greatest(HarvestObject.fetch_started, HarvestObject.import_started)
    return sa.func.coalesce(taken, HarvestObject.gathered)


def is_over() -> sa.ColumnElement[bool]:
    """Return the SQL condition that a job has ended."""
    return sa.func.coalesce(HarvestJob.status, "").notin_(UNENDED)
