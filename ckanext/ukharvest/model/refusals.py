"""Turn a refusal by CKAN or the database into the record's error."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from ckanext.ukharvest.core.errors import RecordError, RejectedByCkan
from ckanext.ukharvest.core.values.text import one_line

log = logging.getLogger(__name__)


class Rejected(Exception):
    """package_create or package_update refused; the transaction was rolled back."""

    def __init__(self, errors: Mapping[str, Any]) -> None:
        super().__init__(errors)
        self.errors = errors


def is_name_taken(exc: Exception) -> bool:
    """Tell whether another dataset took the name meanwhile."""
    if isinstance(exc, Rejected):
        return "name" in exc.errors
    return "package_name" in str(exc) or "idx_pkg_name" in str(exc)


def rejection(exc: Exception, title: str = "") -> RecordError:
    """Return the error of a refused record; ``title``: the record's."""
    if isinstance(exc, RecordError):
        error = exc
    elif isinstance(exc, Rejected):
        details = "; ".join(f"{key}: {one_line(value)}" for key, value in exc.errors.items())
        error = RejectedByCkan(f"CKAN does not accept the dataset: {details}")
    else:
        log.error("The database refused a record", exc_info=exc)
        error = RejectedByCkan("the database refused the record; the portal's log has the details")
    error.title = title
    return error
