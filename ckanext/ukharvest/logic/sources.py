"""Find the harvest source or the dataset that a request names."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest.logic.may import may_if_there


def source_of(data_dict: dict[str, Any]) -> HarvestSource:
    """Return the source that ``source_id`` names, by id or name.

    Raises:
        ValidationError: there is no ``source_id``.
        ObjectNotFound: there is no such source.
    """
    name_or_id = str(tk.get_or_bust(data_dict, "source_id"))
    package = model.Package.get(name_or_id)
    source = HarvestSource.get(package.id if package else name_or_id)
    if source is None:
        raise tk.ObjectNotFound(tk._("There is no harvest source of this name or id."))
    return source


def dataset_of(name_or_id: str) -> model.Package:
    """Return a dataset.

    Raises:
        ObjectNotFound: there is no such dataset.
    """
    package = model.Package.get(name_or_id)
    if package is None:
        raise tk.ObjectNotFound(tk._("There is no dataset of this name or id."))
    return package


def is_insider(context: Any, source_id: str) -> bool:
    """Tell whether who asks may see a source's runs and errors: those who may update it.

    Code that acts for the portal itself (``ignore_auth``) may.
    """
    return may_if_there(context, "harvest_source_update", id=source_id)
