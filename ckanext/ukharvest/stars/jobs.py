"""Calculate the stars of datasets again: of all, of one, or of those whose links changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ckan import model

from ckanext.ukharvest import stars
from ckanext.ukharvest.core.values.stars import Stars
from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.harvest.index import search_index
from ckanext.ukharvest.harvest.lists import OwnRow
from ckanext.ukharvest.harvest.records import links as link_results
from ckanext.ukharvest.stars import plugins
from ckanext.ukharvest.stars.model import StarRating, load_ratings

Session = model.Session


@dataclass(frozen=True, slots=True)
class StarsChange:
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


def score_all() -> Iterator[tuple[int, list[StarsChange]]]:
    """Score all live datasets in one pass over the database; commit and index some hundred each.

    Yields:
        How many were scored, and the changes among them.
    """
    plugins.forget_fault()
    rules = stars.Rules()
    for packages in dataset_rows.dataset_chunks():
        changes = _score(rules, packages)
        _index(changes)
        yield len(packages), changes


def score_one(package_id: str) -> list[StarsChange]:
    """Score one dataset; commit, and index it."""
    changes = _score(stars.Rules(), dataset_rows.load_datasets([package_id]))
    _index(changes)
    return changes


def score_locked(package_ids: Sequence[str]) -> tuple[list[StarsChange], set[str]]:
    """Score some datasets; the caller commits.

    Returns:
        The changes, and the ids of datasets that another process is writing.
    """
    packages = dataset_rows.lock_datasets(package_ids)
    changes = _score(stars.Rules(), packages)
    return changes, set(package_ids) - {package["id"] for package in packages}


def _score(rules: stars.Rules, packages: Sequence[dict[str, Any]]) -> list[StarsChange]:
    before = load_ratings([package["id"] for package in packages])
    links = link_results.load_link_evidence(
        stars.url_of(resource) for package in packages for resource in package["resources"]
    )
    rows, changes = [], []
    for package in packages:
        scores = rules.score(package, links)
        row, old = stars.as_columns(scores), before.get(package["id"])
        if old is not None and all(getattr(old, key) == value for key, value in row.items()):
            continue
        rows.append({"package_id": package["id"], **row})
        last = stars.from_columns(old).best if old is not None else None
        if last != scores.best:
            changes.append(StarsChange(package["id"], package["name"], last, scores.best))
    dataset_rows.save_own_rows(StarRating, rows)
    return changes


def _index(changes: Sequence[StarsChange], must_end: Callable[[], bool] = lambda: False) -> None:
    """Commit; index the datasets whose number changed. What the index does not take waits."""
    ids = [change.id for change in changes if change.is_of_number]
    search_index.index_changed(ids, must_end)


CHUNK = 20  # datasets of one transaction, and of one request to the index


def rescore(must_end: Callable[[], bool] = lambda: False) -> None:
    """Calculate them, a transaction for some dozen datasets; index those that changed.

    Links of datasets that another process is writing keep their mark and are met again, and those
    that are left when ``must_end`` returns True.
    """
    last = 0
    while links := link_results.marked_links(last):
        package_ids = link_results.datasets_with_links(links)
        skipped: set[str] = set()
        for start in range(0, len(package_ids), CHUNK):
            if must_end():
                return
            changes, others = score_locked(package_ids[start : start + CHUNK])
            skipped |= others
            _index(changes, must_end)
        link_results.unmark_links(links, skipped)
        Session.commit()
        last = links[-1]


LINKS_CHECKED = (rescore,)
WITH_WRITE = (OwnRow(StarRating, stars.columns),)
