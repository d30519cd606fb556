"""Index the datasets of a batch after its commit."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Mapping

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest import compat
from ckanext.ukharvest.core.errors import RejectedByCkan
from ckanext.ukharvest.core.values.text import one_line
from ckanext.ukharvest.engine import search_index as index
from ckanext.ukharvest.model import record_rows

log = logging.getLogger(__name__)


def index_written(pending: Mapping[str, dt.datetime]) -> dict[str, RejectedByCkan]:
    """Index committed datasets; return package id → error of those that Solr refused.

    If the index or database is down, the records do not fail: the sweeper indexes them later.
    """
    if not pending:
        return {}
    try:
        refused = index.index_pending(pending)
        if refused:
            record_rows.forget_stamps(sorted(refused))
            model.Session.commit()
    except compat.IndexFailed as exc:
        log.warning("%d datasets wait for the search index: %s", len(pending), exc)
        return {}
    except sa.exc.DBAPIError:
        log.warning("%d datasets wait for the search index", len(pending), exc_info=True)
        compat.rollback()
        return {}
    message = "the dataset is stored but the search index does not accept it"
    return {
        id_: RejectedByCkan(f"{message}: {one_line(reason)}", code="index-failed")
        for id_, reason in refused.items()
    }
