"""Score all datasets, or one, again, in case the rules have changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from ckan.lib import search

from ckanext.ukharvest import compat
from ckanext.ukharvest.core.values.stars import Stars
from ckanext.ukharvest.model import assessments, datasets, link_evidence
from ckanext.ukharvest.quality import stars
from ckanext.ukharvest.quality.stars import plugins

Session = model.Session


@dataclass(frozen=True, slots=True)
class Change:
    """A dataset whose stars or their reason have changed.

    Attributes:
        before: None if it had none.
    """

    id: str
    name: str
    before: Stars | None
    after: Stars

    @property
    def is_of_number(self) -> bool:
        """Whether its number of stars changed, which is all that the search index holds."""
        return self.before is None or self.before.stars != self.after.stars


def score_all() -> Iterator[tuple[int, list[Change]]]:
    """Score all live datasets in one pass over the database; commit after some hundred.

    Yields:
        How many were scored, and the changes among them, to be passed to ``index``.
    """
    plugins.forget_fault()
    rules = stars.Rules()
    for packages in datasets.chunks():
        changes = _score(rules, packages)
        Session.commit()
        yield len(packages), changes


def score_one(package_id: str) -> list[Change]:
    """Score one dataset; commit. Pass the result to ``index``."""
    changes = _score(stars.Rules(), datasets.by_id([package_id]))
    Session.commit()
    return changes


def score_locked(package_ids: Sequence[str]) -> tuple[list[Change], set[str]]:
    """Score some datasets; the caller commits.

    Returns:
        The changes, and the ids of datasets that another process is writing.
    """
    packages = datasets.locked(package_ids)
    changes = _score(stars.Rules(), packages)
    return changes, set(package_ids) - {package["id"] for package in packages}


def _score(rules: stars.Rules, packages: Sequence[dict[str, Any]]) -> list[Change]:
    ids = [package["id"] for package in packages]
    before = datasets.assessed(ids)
    links = link_evidence.load(
        stars.url_of(each) for package in packages for each in package["resources"]
    )
    scored = [(package, rules.score(package, links)) for package in packages]
    rows, changes = [], []
    for package, found in scored:
        row, old = stars.as_columns(found), before.get(package["id"])
        if old is not None and all(getattr(old, key) == value for key, value in row.items()):
            continue
        rows.append({"package_id": package["id"], **row})
        last = stars.from_columns(old).best if old is not None else None
        if last != found.best:
            changes.append(Change(package["id"], package["name"], last, found.best))
    assessments.save(rows)
    return changes


def index(changes: Sequence[Change]) -> None:
    """Index the datasets whose number of stars changed.

    Raises:
        IndexFailed: the index did not take them all.
    """
    ids = [change.id for change in changes if change.is_of_number]
    if not ids:
        return
    try:
        search.rebuild(package_ids=ids)
        search.commit()
    except (search.SearchError, search.SearchIndexError, tk.ObjectNotFound) as exc:
        raise compat.IndexFailed(str(exc)) from exc
