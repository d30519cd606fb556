"""Another extension's star rules: working ones, and one with a bug."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ckan.plugins as p

from ckanext.ukharvest.core.values.stars import DatasetStars, Stars
from ckanext.ukharvest.interfaces import IUkHarvestStars


class SecondStarsPlugin(p.SingletonPlugin):
    """Plugin with its own format, no stars for XLS, and its own office trusted."""

    p.implements(IUkHarvestStars, inherit=True)

    def stars_of_formats(self) -> Mapping[str, int]:
        return {"House format": 3, "XLS": 1}

    def stars_of_resource(
        self, package: Mapping[str, Any], resource: Mapping[str, Any], found: Stars
    ) -> Stars:
        if "password" in str(resource.get("description", "")):
            return Stars(0, "second-locked", "a password")
        return found

    def stars_of_dataset(self, package: Mapping[str, Any], found: DatasetStars) -> DatasetStars:
        if package["name"] == "of-the-statistics-office":
            return DatasetStars(Stars(4, "Judged by the statistics office", ""), found.resources)
        return found

    def stars_reason(self, found: Stars) -> str:
        return f"it is behind {found.detail}" if found.code == "second-locked" else ""


class FaultyStarsPlugin(p.SingletonPlugin):
    """One method raises, the others return nonsense."""

    p.implements(IUkHarvestStars, inherit=True)

    def stars_of_formats(self) -> Any:
        return {"CSV": 17}

    def stars_of_resource(self, package: Any, resource: Any, found: Stars) -> Any:
        raise ZeroDivisionError("a bug that a test put here")

    def stars_of_dataset(self, package: Any, found: DatasetStars) -> Any:
        return 5

    def stars_reason(self, found: Stars) -> Any:
        return None
