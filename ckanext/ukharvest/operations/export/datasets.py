"""The datasets of the export: what an anonymous visitor may see, in constant memory."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model

from ckanext.ukharvest.model import datasets

log = logging.getLogger(__name__)

PAGE = 200


def read_all() -> Iterator[dict[str, Any] | None]:
    """Yield each public active dataset as ``package_show`` gives it to an anonymous visitor.

    In the order of their ids, which is a keyset: a dataset that is added or removed meanwhile
    neither repeats nor hides another. Memory and transaction last for one page.

    Not by package_search or from the index, which would be faster: only package_show has all that
    portals add to it to hide datasets or fields (auth functions, chained actions, hooks), and
    notices that the index is out of date.

    Yields:
        None for one that could not be read; the log says why.
    """
    last = ""
    while ids := datasets.exported_ids(last, PAGE):
        for id_ in ids:
            try:
                yield _show(id_)
            except (tk.NotAuthorized, tk.ObjectNotFound):
                continue  # hidden by another plugin, or deleted just now
            except Exception:  # noqa: BLE001 - other plugins' code; one dataset must not cost all
                log.exception("Export: dataset %s could not be read", id_)
                model.Session.rollback()
                yield None
        last = ids[-1]
        model.Session.rollback()
        model.Session.expunge_all()


def _show(id_: str) -> dict[str, Any]:
    context = {"model": model, "session": model.Session, "user": "", "ignore_auth": False}
    return dict(tk.get_action("package_show")(context, {"id": id_}))
