"""Work out what a dataset is worth and about, each time that it is written."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from ckanext.ukharvest import stars, theming
from ckanext.ukharvest.model import assessments

log = logging.getLogger(__name__)


def keep(context: Mapping[str, Any], package: Mapping[str, Any]) -> None:
    """Write it in the transaction that writes the dataset.

    Args:
        context: of the action that wrote it.
        package: as the action has it after validation.
    """
    if package.get("type") == "harvest":  # a harvest source, which CKAN keeps as a dataset
        return
    found = {**stars.columns(package), **theming.columns(context, package)}
    if found:
        assessments.keep([{"package_id": package["id"], **found}])
