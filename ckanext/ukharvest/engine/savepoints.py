"""Savepoints around CKAN's actions, which end the whole transaction when they refuse a dataset.

``package_create`` and ``package_update`` call ``Session.rollback()`` when validation fails. On
SQLAlchemy 2 that ends the outermost transaction, savepoints included, so it is held back inside
the block (patches/rollbacks.py): the savepoint is rolled back instead. A commit in the block only
flushes: the batch commits.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

from ckan import model

from ckanext.ukharvest.engine import held_jobs
from ckanext.ukharvest.model import assessments

_is_inside: ContextVar[bool] = ContextVar("ukharvest_savepoint", default=False)


def is_rollback_held() -> bool:
    """Tell whether rollbacks and commits of the session are left to the savepoint around them."""
    return _is_inside.get()


@contextlib.contextmanager
def savepoint() -> Iterator[None]:
    """Undo what the block wrote if it raises; the rest of the transaction stays.

    Undone too: what CKAN notes for its listeners, background jobs and stars.
    """
    session = model.Session()
    noted = {key: set(value) for key, value in getattr(session, "_object_cache", {}).items()}
    rated, jobs = assessments.mark(), held_jobs.mark()
    nested = session.begin_nested()
    token = _is_inside.set(True)
    try:
        yield
        nested.commit()
    except BaseException:
        nested.rollback()
        if hasattr(session, "_object_cache"):
            session._object_cache = noted
        assessments.back_to(rated)
        held_jobs.back_to(jobs)
        raise
    finally:
        _is_inside.reset(token)
