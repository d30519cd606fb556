"""Calculate the stars of datasets again whose links died, recovered or turned out to be other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ckan import model

from ckanext.ukharvest.engine import search_index
from ckanext.ukharvest.model import link_rescoring, pending_index
from ckanext.ukharvest.quality.stars import all_datasets

Session = model.Session

CHUNK = 20  # datasets of one transaction, and of one request to the index


def rescore(must_end: Callable[[], bool] = lambda: False) -> None:
    """Calculate them, a transaction for some dozen datasets; index those that changed.

    Links of datasets that another process is writing keep their mark and are met again, and those
    that are left when ``must_end`` returns True.
    """
    last = 0
    while links := link_rescoring.marked(last):
        package_ids = link_rescoring.datasets_of(links)
        skipped: set[str] = set()
        for start in range(0, len(package_ids), CHUNK):
            if must_end():
                return
            skipped |= _rescore(package_ids[start : start + CHUNK], must_end)
        link_rescoring.unmark(links, skipped)
        Session.commit()
        last = links[-1]


def _rescore(package_ids: Sequence[str], must_end: Callable[[], bool]) -> set[str]:
    changes, skipped = all_datasets.score_locked(package_ids)
    changed = [each.id for each in changes if each.is_of_number]
    pending = pending_index.add(changed) if changed else {}
    Session.commit()
    if not must_end():  # else the next tick indexes them
        search_index.index_or_leave(pending)
    return skipped
