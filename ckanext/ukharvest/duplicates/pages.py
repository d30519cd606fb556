"""The page of likely duplicates, where people join and part them."""

from __future__ import annotations

from typing import Any

from ckan.plugins import toolkit as tk
from flask import Blueprint

from ckanext.ukharvest.lib.pages import ask, attempt, check_token, load_page

duplicates = Blueprint("ukharvest_duplicates", __name__)

_LIST = "ukharvest_duplicate_list"


@duplicates.route("/harvest/duplicates", methods=["GET"])
def read() -> str:
    values = {
        "page": load_page(_LIST, "ukharvest_duplicates.read", {}),
        "joined": ask(_LIST, limit=0)["joined"],
    }
    return str(tk.render("ukharvest/duplicates.html", values))


@duplicates.route("/harvest/duplicates", methods=["POST"])
def decide() -> Any:
    check_token()
    form = tk.request.form
    choice, id_ = form.get("choice", ""), form.get("id", "")
    if choice == "undo":
        done = attempt("ukharvest_duplicate_undo", id=id_)
    else:
        keep = form.get("keep", "")
        done = attempt("ukharvest_duplicate_decide", id=id_, decision=choice, keep=keep)
    if done is not None:
        tk.h.flash_success(tk._("Saved."))
    return tk.redirect_to("ukharvest_duplicates.read")
