"""Page: the changes that harvests made to a dataset."""

from __future__ import annotations

import ckan.plugins.toolkit as tk
from flask import Blueprint, g

from ckanext.ukharvest.web.pages.common import ask, asked_page, count_pages, load_dataset

changes = Blueprint("ukharvest_changes", __name__)

PER_PAGE = 20


@changes.route("/dataset/<id>/harvest-changes")
def read(id: str) -> str:  # noqa: A002 - as in CKAN's routes
    package = load_dataset(id)
    if not tk.h.ukharvest_is_harvested(package):
        tk.abort(404, tk._("This dataset was not harvested."))
    number = asked_page()
    found = ask(
        "ukharvest_dataset_change_list",
        id=package["id"],
        limit=PER_PAGE,
        offset=(number - 1) * PER_PAGE,
    )
    g.pkg_dict = package  # CKAN's templates of datasets use it
    values = {
        "pkg_dict": package,
        "dataset_type": package["type"],
        "changes": found,
        "number": number,
        "pages": count_pages(found["count"], PER_PAGE, number),
        "page_url": lambda each: tk.url_for(
            "ukharvest_changes.read", id=package["name"], page=each
        ),
    }
    return str(tk.render("ukharvest/changes.html", values))
