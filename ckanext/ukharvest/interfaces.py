"""What other packages can change, as CKAN's plugin interfaces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckan.plugins import Interface

from ckanext.ukharvest.core.stars import DatasetStars, Stars

__all__ = ["DatasetStars", "IUkHarvestStars", "Stars"]


class IUkHarvestStars(Interface):
    """Change how datasets are given stars of openness, and the reasons.

    All methods are optional: ``plugins.implements(IUkHarvestStars, inherit=True)``. Plugins are
    asked in the order of the line ``ckan.plugins``, each given what the one before returned. They
    are asked at each import and edit and by ``ckan ukharvest stars``, ten thousand times in a row:
    ask no network, and no database for each dataset; SQL that fails takes the dataset's transaction
    with it. Any other plugin that raises, or returns what is no ``Stars`` from 0 to 5, is noted in
    the log, and what was there before it stays.

    A dataset is a dict with ``id``, ``name``, ``title``, ``notes``, ``type``, ``license_id``,
    ``url``, ``owner_org``, ``private``, ``extras`` (a list of dicts with ``key`` and ``value``;
    when a dataset is written, fields of the portal's own schema stand beside it instead) and
    ``resources``: dicts with ``id``, ``url``, ``format``, ``mimetype``, ``name``,
    ``description``, ``resource_type``, ``size``, ``hash``, ``url_type`` and fields of their own.
    A name can be missing where it has no value.
    """

    def stars_of_formats(self) -> Mapping[str, int]:
        """Return stars of formats, by label ("CSV"): those that differ, and further ones."""
        return {}

    def stars_of_resource(
        self, package: Mapping[str, Any], resource: Mapping[str, Any], found: Stars
    ) -> Stars:
        """Return the stars of a resource; ``found`` to leave them as they are."""
        del package, resource
        return found

    def stars_of_dataset(self, package: Mapping[str, Any], found: DatasetStars) -> DatasetStars:
        """Return the stars of a dataset; ``found`` to leave them as they are."""
        del package
        return found

    def stars_reason(self, found: Stars) -> str:
        """Return why, in words of the reader's language, "" for the words that there are.

        For codes of one's own; without it their ``detail`` is shown as it is.
        """
        del found
        return ""
