"""Work out what a dataset is worth and about, each time that it is written.

No dataset is refused for it: what fails is told in the log.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

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
    try:
        found = {**stars.columns(package), **theming.columns(context, package)}
    except sa.exc.SQLAlchemyError:  # the transaction is lost anyway
        raise
    except Exception:
        log.exception("Stars and theme of %s could not be worked out", package["id"])
        return
    assessments.keep([{"package_id": package["id"], **found}])
