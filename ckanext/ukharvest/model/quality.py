"""What ckanext-qa found of resources: it looks at the files themselves.

Its table ``qa`` is read as its versions since 2015 have it; the package is not needed for that.
"""

from __future__ import annotations

from collections.abc import Sequence

import ckan.plugins as p
import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.core.stars import HIGHEST, Stars

Session = model.Session

_COLUMNS = ("package_id", "resource_id", "openness_score", "openness_score_reason", "updated")
_qa = sa.table("qa", *map(sa.column, _COLUMNS))
_attribute = sa.table("pg_attribute", *map(sa.column, ("attrelid", "attname")))


def is_there() -> bool:
    """Tell whether the plugin is loaded and has made its table, with the columns that we read."""
    if not p.plugin_loaded("qa"):
        return False
    query = sa.select(sa.func.count()).where(
        _attribute.c.attrelid == sa.func.to_regclass("qa"), _attribute.c.attname.in_(_COLUMNS)
    )
    return bool(Session.scalar(query) == len(_COLUMNS))


def of(package_ids: Sequence[str]) -> dict[str, Stars]:
    """Return what it found of the resources of these datasets, by resource id."""
    query = (
        sa.select(_qa.c.resource_id, _qa.c.openness_score, _qa.c.openness_score_reason)
        .where(
            _qa.c.package_id.in_(package_ids),
            _qa.c.openness_score.between(0, HIGHEST),
        )
        .order_by(_qa.c.updated)  # of several of one resource the last
    )
    return {id_: Stars(score, "qa", words or "") for id_, score, words in Session.execute(query)}
