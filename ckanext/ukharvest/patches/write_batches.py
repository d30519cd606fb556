"""What CKAN leaves to our writer while it is active (write_batch.py).

CKAN's actions roll back the whole transaction when they refuse one dataset, CKAN 2.11's
package_owner_org_update commits when a dataset leaves an organisation, and jobs that plugins
enqueue meanwhile would run before the commit. CKAN sends a request to Solr for each dataset; those
of a batch go in one after the commit (harvest/index/search_index.py, compat.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ckan import model

from ckanext.ukharvest import write_batch
from ckanext.ukharvest.fields import BY_HARVEST
from ckanext.ukharvest.harvest.index import pending_index


def rollback_of(stock: Callable[[], None]) -> Callable[[], None]:
    """Leave rollbacks to the savepoint around them."""

    def rollback() -> None:
        batch = write_batch.current()
        if not (batch and batch.is_in_savepoint):
            stock()

    return rollback


def commit_of(stock: Callable[[], None]) -> Callable[[], None]:
    """Flush inside a savepoint instead of ending the transaction around it.

    In a trial, a commit of a plugin's hook is refused (``write_batch.collect``): in a run it would
    end the transaction of other datasets too.
    """

    def commit() -> None:
        batch = write_batch.current()
        if batch and batch.is_in_savepoint and batch.hook_savepoint is None:
            model.Session.flush()
        else:
            stock()

    return commit


def validation_of(stock: Callable[..., Any]) -> Callable[..., Any]:
    """Let a trial end with the validation of its dataset: nothing that is refused comes after.

    Saving takes four times as long as validating.
    """

    def plugin_validate(
        plugin: Any, context: Any, data_dict: Any, schema: Any, action: str
    ) -> tuple[Any, Any]:
        data, errors = stock(plugin, context, data_dict, schema, action)
        batch = write_batch.written()
        is_saved = action in ("package_create", "package_update") and context.get(BY_HARVEST)
        goes_on = batch and batch.compares and action == "package_update"
        if batch and batch.is_trial and is_saved and not errors and not goes_on:
            raise write_batch.Validated
        return data, errors

    return plugin_validate


def saving_of(stock: Callable[..., Any]) -> Callable[..., Any]:
    """Let a trial that compares end with the saving: other plugins are not told of it."""

    def package_dict_save(data: Any, context: Any, *args: Any, **more: Any) -> Any:
        saved = stock(data, context, *args, **more)
        batch = write_batch.written()
        if batch and batch.compares and context.get(BY_HARVEST):
            model.Session.flush()
            raise write_batch.Validated
        return saved

    return package_dict_save


def queue_of(stock: Callable[..., Any]) -> Callable[..., Any]:
    """Hold background jobs until the commit."""

    def get_queue(*args: Any, **more: Any) -> Any:
        batch = write_batch.written()
        queue = stock(*args, **more)
        return write_batch.HeldQueue(queue, batch) if batch else queue

    return get_queue


def deferred_listener(stock: Callable[..., None]) -> Callable[..., None]:
    """Mark datasets as to be indexed, instead of indexing them at a commit (CKAN 2.11)."""

    def notify(self: Any, entity: Any, operation: str) -> None:
        if write_batch.written() and type(entity).__name__ == "Package":
            pending_index.mark_pending(entity.id)
        else:
            stock(self, entity, operation)

    return notify


def deferred_action(stock: Callable[..., None]) -> Callable[..., None]:
    """Mark datasets as to be indexed, instead of indexing them in an action (CKAN 2.12)."""

    def index_update_package(context: Any, id_: str, *args: Any, **more: Any) -> None:
        if write_batch.written():
            pending_index.mark_pending(id_)
        else:
            stock(context, id_, *args, **more)

    return index_update_package
