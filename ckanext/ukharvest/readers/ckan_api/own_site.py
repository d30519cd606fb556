"""Refuse to read the portal itself: each run would import all its datasets once more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckanext.ukharvest.core.errors import SourceError
from ckanext.ukharvest.core.records import Source
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.readers.json_api import action

STATUS = "/api/3/action/status_show"
KEY = "ukharvest_portal"  # member of the answer of status_show


def refuse(source: Source, answer: Any, base: str) -> None:
    """Refuse an answer of the portal that reads, whatever host name it was asked under.

    CKAN's answers have its own URL in ``help``. Several portals may have been set up with the same
    one, such as http://localhost:5000, so such a site is asked for its key too.

    Args:
        answer: of one of its actions.
        base: URL of the site.

    Raises:
        SourceError: the answer is the portal's own.
    """
    own = source.own_site
    if own is None or not isinstance(answer, Mapping):
        return
    if not clean_text(answer.get("help")).startswith(f"{own.url}/"):
        return
    try:
        status = action(source.http, base + STATUS)
    except SourceError:
        return
    if isinstance(status, Mapping) and status.get(KEY) == own.key:
        raise SourceError(
            f"{base} is this portal itself, which has these datasets already; expected the URL of"
            " another site",
            code="own-site",
            url=base,
        )
