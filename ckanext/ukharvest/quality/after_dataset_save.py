"""Update a dataset's stars and suggested theme after it is saved.

An error is logged and never blocks the dataset.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from ckanext.ukharvest import stars, themes
from ckanext.ukharvest.model import assessments

log = logging.getLogger(__name__)


def save_assessment(context: Mapping[str, Any], package: Mapping[str, Any]) -> None:
    """Save stars and theme in the transaction that writes the dataset.

    Args:
        context: of the action that wrote it.
        package: as the action has it after validation.
    """
    if package.get("type") == "harvest":  # a harvest source, which CKAN keeps as a dataset
        return
    try:
        columns = {**stars.columns(package), **themes.columns(context, package)}
    except sa.exc.SQLAlchemyError:  # the transaction fails anyway
        raise
    except Exception:
        log.exception("Stars and theme of %s could not be worked out", package["id"])
        return
    assessments.save([{"package_id": package["id"], **columns}])
