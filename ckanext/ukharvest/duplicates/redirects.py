"""The redirect from the page of a dataset that was joined to another one."""

from __future__ import annotations

from typing import Any

from ckan.plugins import toolkit as tk
from flask import Blueprint, Response

from ckanext.ukharvest.duplicates.model import find_successor
from ckanext.ukharvest.lib.actions import context
from ckanext.ukharvest.lib.permissions import may

redirects = Blueprint("ukharvest_duplicate_redirects", __name__)


@redirects.after_app_request
def redirect_joined(response: Response) -> Any:
    """Lead from the page of a dataset that is gone to the one that it was joined to.

    Not people who may see the deleted one, as editors may.
    """
    is_gone = response.status_code in (302, 403, 404)  # anonymous users are sent to the login
    if not is_gone or tk.request.endpoint != "dataset.read" or tk.request.method != "GET":
        return response
    name_or_id = str((tk.request.view_args or {}).get("id", ""))
    name = None if "\0" in name_or_id else find_successor(name_or_id)  # PostgreSQL takes no NUL
    is_open = name and may(context(), "package_show", id=name)
    return tk.redirect_to("dataset.read", id=name) if is_open else response
