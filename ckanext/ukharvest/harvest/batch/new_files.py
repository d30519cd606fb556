"""Files that a harvest adds to a dataset: what CKAN's ``resource_create`` does for one.

``package_update`` neither creates the default views of a new file nor tells plugins of it, such as
those that load files into DataStore.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckan import plugins as p
from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.harvest.consumers.failures import failing_service
from ckanext.ukharvest.write_batch import WriteBatch

log = logging.getLogger(__name__)


def finish_new_files(
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    user: Mapping[str, Any],
    batch: WriteBatch,
) -> tuple[Problem, ...]:
    """Create views of files that are new or have another format; tell plugins of new ones.

    Within the transaction that wrote them; what fails costs the file its views, not the record.

    Args:
        before, after: the dataset as package_show gave it before and after it was written.
        user: of the context of actions.
        batch: that is being written.

    Returns:
        Problems of the record.
    """
    formats = {file["id"]: file.get("format") for file in before["resources"]}
    new = [file for file in after["resources"] if file["id"] not in formats]
    ids = [file["id"] for file in new]
    ids += [id_ for file in after["resources"] if file["format"] != formats.get(id_ := file["id"])]
    context = {"model": model, "session": model.Session, **user}  # plugins expect them
    context |= {"ignore_auth": True, "defer_commit": True}
    why = _try(batch, create_views, after, ids, context)
    for file in new:
        for plugin in p.PluginImplementations(p.IResourceController):
            _try(batch, plugin.after_resource_create, context, file)
    message = Message(
        "views could not be created: {why}; the portal's log has the details", why=why
    )
    return (Problem("view-not-created", "", message),) if why else ()


def create_views(
    package: Mapping[str, Any], resource_ids: Collection[str], context: Mapping[str, Any]
) -> None:
    """Create the portal's default views of some files of a dataset, unless they have them.

    Args:
        package: as package_show gives it.

    Raises:
        Exception: CKAN or a plugin refused a view.
    """
    if not (resource_ids and tk.aslist(tk.config.get("ckan.views.default_views") or "")):
        return
    for resource in package["resources"]:
        if resource["id"] in resource_ids:
            tk.get_action("resource_create_default_resource_views")(
                dict(context), {"resource": resource, "package": package}
            )


def _try(batch: WriteBatch, step: Callable[..., Any], *args: Any) -> str:
    """Do what a plugin may refuse; return the name of its error, "" if there was none.

    Raises:
        Exception: a service failed, or the transaction: what is behind the savepoint does not help.
    """
    try:
        with batch.savepoint():
            step(*args)
    except Exception as exc:
        if failing_service(exc) or isinstance(exc, sa.exc.OperationalError):
            raise
        log.exception("What belongs to a new file could not be done")
        return type(exc).__name__
    return ""
