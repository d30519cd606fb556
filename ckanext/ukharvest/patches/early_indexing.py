"""Suspend CKAN's own indexing while our writer is active (model/pending_index.py).

CKAN sends a request to Solr for each dataset; those of a batch go in one (compat.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ckan import logic
from ckan.lib import search

from ckanext.ukharvest import compat, write_batch
from ckanext.ukharvest.compat import Patch
from ckanext.ukharvest.model import pending_index


def _noted_notify(stock: Callable[..., None]) -> Callable[..., None]:
    def notify(self: Any, entity: Any, operation: str) -> None:
        if not write_batch.written() or type(entity).__name__ != "Package":
            stock(self, entity, operation)
        else:
            pending_index.mark(entity.id)

    return notify


def _noted_update(stock: Callable[..., None]) -> Callable[..., None]:
    def index_update_package(context: Any, id_: str, *args: Any, **more: Any) -> None:
        if not write_batch.written():
            stock(context, id_, *args, **more)
        else:
            pending_index.mark(id_)

    return index_update_package


def _patch_action() -> None:
    logic.index_update_package = _noted_update(logic.index_update_package)


def _patch_listener() -> None:
    listener = search.SynchronousSearchPlugin
    listener.notify = _noted_notify(listener.notify)


def _patch_connection() -> None:
    search.index.make_connection = compat.collect_documents(search.index.make_connection)


# CKAN 2.11 indexes by a listener of the session, CKAN 2.12 in package_delete.
_COMMIT = "index-after-commit (for our own writes)"
HOOKS = (
    Patch(_COMMIT, {"ckan.logic:index_update_package": "cea3b933f577"}, _patch_action)
    if compat.INDEXES_IN_ACTIONS
    else Patch(
        _COMMIT, {"ckan.lib.search:SynchronousSearchPlugin.notify": "229b874b0e94"}, _patch_listener
    ),
    Patch(
        "index-in-one-request (for our own writes)",
        {"ckan.lib.search.index:make_connection": "96a7d2bb47f5 6beb018f3fe1"},  # CKAN 2.12, 2.11
        _patch_connection,
    ),
)
