"""Page: what the harvest changed in a dataset."""

from __future__ import annotations

import ckan.plugins.toolkit as tk
from flask import Blueprint, g

from ckanext.ukharvest.pages.common import ask, dataset, pages_of

changes = Blueprint("ukharvest_changes", __name__)

PER_PAGE = 20


@changes.route("/dataset/<id>/harvest-changes")
def read(id: str) -> str:  # noqa: A002 - as in CKAN's routes
    package = dataset(id)
    if not tk.h.ukharvest_is_harvested(package):
        tk.abort(404, tk._("This dataset was not brought in from a harvest source."))
    number = tk.h.get_page_number(tk.request.args)
    found = ask(
        "ukharvest_dataset_changes",
        id=package["id"],
        limit=PER_PAGE,
        offset=(number - 1) * PER_PAGE,
    )
    g.pkg_dict = package  # stock templates of datasets look for it
    values = {
        "pkg_dict": package,
        "dataset_type": package["type"],
        "changes": found,
        "number": number,
        "pages": pages_of(found["count"], PER_PAGE),
        "page_url": lambda each: tk.url_for(
            "ukharvest_changes.read", id=package["name"], page=each
        ),
    }
    return str(tk.render("ukharvest/changes.html", values))
