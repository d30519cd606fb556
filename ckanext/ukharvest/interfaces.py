"""CKAN plugin interfaces, for other extensions to change how this one works."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckan.plugins import Interface

from ckanext.ukharvest.core.values.stars import DatasetStars, Stars

__all__ = ["DatasetStars", "IUkHarvestStars", "Stars"]


class IUkHarvestStars(Interface):
    """Change the stars of openness of datasets, and their reasons.

    All methods are optional: ``plugins.implements(IUkHarvestStars, inherit=True)``. Plugins are
    called in the order of ``ckan.plugins``; each gets the result of the one before. They are
    called at each import and edit, and by ``ckan ukharvest stars`` for all datasets in a row: use
    no network, and no database query per dataset. An SQL error fails the dataset's transaction.
    Any other exception, or a result that is no ``Stars`` from 0 to 5, is logged, and the result
    before it is kept.

    A dataset is a dict with ``id``, ``name``, ``title``, ``notes``, ``type``, ``license_id``,
    ``url``, ``owner_org``, ``private``, ``extras`` (a list of dicts with ``key`` and ``value``;
    while a dataset is saved, fields of the portal's own schema are keys of the dataset instead)
    and ``resources``: dicts with ``id``, ``url``, ``format``, ``mimetype``, ``name``,
    ``description``, ``resource_type``, ``size``, ``hash``, ``url_type`` and their own fields.
    Keys without a value can be missing.
    """

    def stars_of_formats(self) -> Mapping[str, int]:
        """Return format label ("CSV") → stars, for formats to change or add."""
        return {}

    def stars_of_resource(
        self, package: Mapping[str, Any], resource: Mapping[str, Any], found: Stars
    ) -> Stars:
        """Return the stars of a resource; return ``found`` to change nothing.

        ``found.code`` is "dead-link" if link checks found the resource's link dead.
        """
        del package, resource
        return found

    def stars_of_dataset(self, package: Mapping[str, Any], found: DatasetStars) -> DatasetStars:
        """Return the stars of a dataset; return ``found`` to change nothing."""
        del package
        return found

    def stars_reason(self, found: Stars) -> str:
        """Return the reason as text in the user's language, "" for the default text.

        Needed for codes of the plugin's own, which else show their ``detail``.
        """
        del found
        return ""
