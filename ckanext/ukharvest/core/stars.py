"""Five stars of openness from metadata: the rules (https://5stardata.info/en/)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Stars:
    """Stars of one resource, or of a dataset.

    Attributes:
        stars: 0 to 5.
        code: why, as a stable word such as "format", "no-licence", "closed-licence", "no-data".
        detail: what the reason names: a format's label, a licence's title.
    """

    stars: int
    code: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class DatasetStars:
    """Stars of a dataset: those of its best resource.

    Attributes:
        resources: CKAN's id of a resource → its stars; those that count.
    """

    best: Stars
    resources: Mapping[str, Stars] = field(default_factory=dict)
