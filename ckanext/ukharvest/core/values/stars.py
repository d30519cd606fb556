"""Stars of openness (https://5stardata.info/en/) of a resource or a dataset, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

HIGHEST = 5


@dataclass(frozen=True, slots=True)
class Stars:
    """Stars of one resource, or of a dataset.

    Attributes:
        stars: 0 to 5.
        code: the reason as a stable word: "format", "no-licence", "closed-licence", "no-data" …
        detail: part of the reason: a format's label, a licence's id or text.
    """

    stars: int
    code: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class DatasetStars:
    """Stars of a dataset: those of its best resource.

    Attributes:
        resources: CKAN's resource id → stars; only resources that count.
    """

    best: Stars
    resources: Mapping[str, Stars] = field(default_factory=dict)


# Types of resources (``resource_type``) that are about the data but are not data.
NOT_DATA = frozenset(("documentation", "code", "visualization", "example", "metadata"))
