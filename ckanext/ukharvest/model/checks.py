"""Checks that anybody may start: source previews with a text or file of their own.

They are rows of ``SourcePreview`` with ``given``. Each call commits.
"""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest import model as tables
from ckanext.ukharvest.model import SourcePreview
from ckanext.ukharvest.model.source_previews import (
    KEPT,
    NO_CONTENT,
    WAITING,
    execute,
    get,
    is_wanted,
)

Session = model.Session

_IS_CHECK = SourcePreview.given.isnot(None)


def add(user_name: str, **values: Any) -> SourcePreview:
    """Add a check that waits to start; ``values``: columns of ``SourcePreview``."""
    check = SourcePreview(id=str(uuid.uuid4()), user_name=user_name, state=WAITING, **values)
    Session.add(check)
    Session.commit()
    return check


def find(id_: str) -> SourcePreview | None:
    """Return a check, None if there is none or its day is over."""
    check = get(id_)
    is_kept = check is not None and check.given is not None and expiry(check) > tables.utcnow()
    return check if is_kept else None


def expiry(check: SourcePreview) -> dt.datetime:
    """Return when a check is deleted."""
    return check.created + KEPT


def load_content(id_: str) -> tuple[bytes | None, bytes | None]:
    """Return the bytes that a check was given, and those of the schema."""
    columns = sa.select(SourcePreview.content, SourcePreview.schema_content)
    found = Session.execute(columns.where(SourcePreview.id == id_)).first()
    Session.commit()
    return (found[0], found[1]) if found else (None, None)


def count_under_way() -> int:
    """Count the checks that wait or run."""
    return int(Session.query(SourcePreview).filter(_IS_CHECK, is_wanted()).count())


def count_stored(*, of_visitors: bool) -> int:
    """Count the stored checks of users or of visitors."""
    is_visitors = SourcePreview.user_name == ""
    whose = is_visitors if of_visitors else ~is_visitors
    return int(Session.query(SourcePreview).filter(_IS_CHECK, whose).count())


def drop_contents() -> int:
    """Delete the bytes of checks whose worker has ended; return their number."""
    has_bytes = sa.or_(SourcePreview.content.isnot(None), SourcePreview.schema_content.isnot(None))
    return execute(sa.update(SourcePreview).where(has_bytes, ~is_wanted()).values(**NO_CONTENT))
