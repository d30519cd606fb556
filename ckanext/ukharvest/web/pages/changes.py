"""Page: the changes that harvests made to a dataset."""

from __future__ import annotations

import ckan.plugins.toolkit as tk
from flask import Blueprint, g

from ckanext.ukharvest.web.pages.common import ask_page, count_pages, load_dataset

changes = Blueprint("ukharvest_changes", __name__)

PER_PAGE = 20


@changes.route("/dataset/<id>/harvest-changes")
def read(id: str) -> str:  # noqa: A002 - as in CKAN's routes
    package = load_dataset(id)
    if not tk.h.ukharvest_is_harvested(package):
        tk.abort(404, tk._("This dataset was not harvested."))
    listed, number = ask_page("ukharvest_dataset_change_list", PER_PAGE, id=package["id"])
    g.pkg_dict = package  # CKAN's templates of datasets use it
    values = {
        "pkg_dict": package,
        "dataset_type": package["type"],
        "changes": listed,
        "number": number,
        "pages": count_pages(listed["count"], PER_PAGE, number),
        "page_url": lambda page: tk.url_for(
            "ukharvest_changes.read", id=package["name"], page=page
        ),
    }
    return str(tk.render("ukharvest/changes.html", values))
