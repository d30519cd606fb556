"""Work out the stars of all datasets, or of one, again: the rules may have changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from ckan.lib import search

from ckanext.ukharvest import compat, stars
from ckanext.ukharvest.core.stars import Stars
from ckanext.ukharvest.model import assessments, datasets, quality

Session = model.Session


@dataclass(frozen=True, slots=True)
class Change:
    """A dataset whose stars, or the reason for them, are others now.

    Attributes:
        before: None if it had none.
    """

    id: str
    name: str
    before: Stars | None
    after: Stars

    @property
    def is_of_number(self) -> bool:
        """Whether it has more or fewer stars, which is what the search index has of them."""
        return self.before is None or self.before.stars != self.after.stars


def score_all() -> Iterator[tuple[int, list[Change]]]:
    """Score all live datasets in one pass over the database; commits after some hundred.

    Yields:
        How many were looked at, and what changed among them, which ``index`` has to be told.
    """
    rules = stars.Rules()
    for packages in datasets.chunks():
        changes = _score(rules, packages)
        Session.commit()
        yield len(packages), changes


def score_one(package_id: str) -> list[Change]:
    """Score one dataset; commits. ``index`` has to be told what is returned."""
    changes = _score(stars.Rules(), datasets.by_id([package_id]))
    Session.commit()
    return changes


def _score(rules: stars.Rules, packages: Sequence[dict[str, Any]]) -> list[Change]:
    ids = [package["id"] for package in packages]
    before = datasets.assessed(ids)
    judged = quality.of(ids) if quality.is_there() else {}
    rows, changes = [], []
    for package in packages:
        found = rules.score(package, judged)
        row, old = stars.as_columns(found), before.get(package["id"])
        if old is not None and all(getattr(old, key) == value for key, value in row.items()):
            continue
        rows.append({"package_id": package["id"], **row})
        last = stars.from_columns(old).best if old is not None else None
        if last != found.best:
            changes.append(Change(package["id"], package["name"], last, found.best))
    assessments.keep(rows)
    return changes


def index(changes: Sequence[Change]) -> None:
    """Put those with another number of stars into the search index.

    Raises:
        IndexFailed: it did not take them all.
    """
    ids = [change.id for change in changes if change.is_of_number]
    if not ids:
        return
    try:
        search.rebuild(package_ids=ids)
        search.commit()
    except (search.SearchError, search.SearchIndexError, tk.ObjectNotFound) as exc:
        raise compat.IndexFailed(str(exc)) from exc
