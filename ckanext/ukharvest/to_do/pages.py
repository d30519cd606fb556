"""The page of what there is to do."""

from __future__ import annotations

from ckan.plugins import toolkit as tk
from flask import Blueprint

from ckanext.ukharvest.lib.pages import load_page
from ckanext.ukharvest.sources import pages as source_pages

to_do = Blueprint("ukharvest_to_do", __name__)


@to_do.route("/harvest/to-do")
def read() -> str:
    if tk.current_user.is_anonymous:
        source_pages.refuse()
    page = load_page("ukharvest_to_do_list", "ukharvest_to_do.read", {})
    return str(tk.render("ukharvest/to_do.html", {"page": page}))
