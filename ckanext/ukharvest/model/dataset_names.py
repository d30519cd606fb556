"""Names of datasets: chosen once, never changed by a harvest."""

from __future__ import annotations

import secrets

from ckan import model

from ckanext.ukharvest.core.values.tags import slug


def free_name(title: str, wanted: str = "") -> str:
    """Return a dataset name that no dataset has, deleted ones included.

    Args:
        wanted: text to make the name from instead of the title; unchanged if CKAN allows it.
    """
    plain = wanted.replace("_", "-")
    base = wanted if wanted and slug(plain) == plain else slug(wanted or title)
    pattern = base.replace("_", r"\_") + "%"
    query = model.Session.query(model.Package.name).filter(model.Package.name.like(pattern))
    taken = {name for (name,) in query}
    if base not in taken:
        return base
    numbered = (f"{base}-{number}" for number in range(2, 1000))
    return next((name for name in numbered if name not in taken), f"{base}-{secrets.token_hex(4)}")
