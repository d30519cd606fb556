"""Retry a gather or a harvest object after PostgreSQL, Redis, Solr or the disk failed."""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Callable

from ckanext.ukharvest import compat
from ckanext.ukharvest.core.errors import ServiceFailed, SourceError, UkharvestError
from ckanext.ukharvest.engine import dataset_writer
from ckanext.ukharvest.model import retries
from ckanext.ukharvest.model.service_faults import DISK, failing_service

log = logging.getLogger(__name__)

GATHER_PAUSES = (5, 30, 60)  # seconds before a gather starts again


def retry_gather(
    gather: Callable[[], list[str]], abandon: Callable[[UkharvestError], None]
) -> list[str]:
    """Run a gather and return its result; run it again if a service failed.

    Each attempt discards the staged objects of the one before, or resumes after them.

    Args:
        abandon: called with the error if all attempts failed; stores why the run failed.
    """
    for pause in (*GATHER_PAUSES, None):
        try:
            return gather()
        except Exception as exc:
            service = failing_service(exc)
            if not service:
                raise
            error = _gather_failure(service, exc)
        compat.rollback()
        log.warning("%s", error.message)
        if pause is not None:
            log.warning("The gather begins again in %d s", pause)
            time.sleep(pause)
    abandon(error)
    return []


def _gather_failure(service: str, exc: Exception) -> UkharvestError:
    error = SourceError(
        f"The {service} of this portal failed while the source was read: {_first_line(exc)}."
        " Nothing was imported; the next run starts afresh"
    )
    error.retryable = True
    return error


def postpone(object_id: str, exc: Exception) -> None:
    """Let an object wait again after a service, or its batch, failed; it fails at the last attempt.

    Raises:
        sqlalchemy.exc.SQLAlchemyError: that could not be stored.
    """
    service, message = failing_service(exc) or "harvester", _first_line(exc)
    try:
        retries.postpone(object_id, service, message)
    except retries.GivenUp as given_up:
        failure = ServiceFailed(
            f"The {service} of this portal failed at each of {given_up.attempts} attempts to import"
            f" the record; the last error was: {message}"
        )
        dataset_writer.fail(object_id, failure, "Import")


def _first_line(exc: Exception) -> str:
    """Return an error's first line, without the SQL that SQLAlchemy adds."""
    if failing_service(exc) == DISK:
        return f"{exc} (downloads are in {tempfile.gettempdir()})"
    lines = str(getattr(exc, "orig", None) or exc).strip().splitlines()
    return lines[0] if lines else type(exc).__name__
