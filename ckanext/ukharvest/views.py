"""Pages: ckanext-harvest's routes that change state, asked for first.

Its own routes act on GET, without a CSRF token: a link in a mail or a crawler with a session is
enough to delete a source. Ours stand at the same addresses before them; GET answers a form that
says what will happen, POST acts. Links of its templates lead to the form.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from ckanext.harvest.logic import HarvestJobExists, HarvestSourceInactiveError
from ckanext.harvest.model import HarvestJob
from flask import Blueprint, current_app
from flask_wtf.csrf import validate_csrf
from wtforms import ValidationError as BadToken

from ckanext.ukharvest.model import ownership
from ckanext.ukharvest.record_views import records
from ckanext.ukharvest.stars_views import stars

log = logging.getLogger(__name__)

blueprint = Blueprint("ukharvest", __name__)

__all__ = ["blueprint", "records", "stars"]  # what CKAN takes from here


@dataclass(frozen=True, slots=True)
class Step:
    """One action that changes state.

    Attributes:
        auth: name of the function that says who may.
        id_key: what that function calls the id of what it is about.
        question: what will happen; may name {title} and {count}.
        button: the word on the button.
        danger: it cannot be undone.
        act: does it and returns the message for the next page.
    """

    auth: str
    id_key: str
    question: Callable[[], str]
    button: Callable[[], str]
    act: Callable[[dict[str, Any], str], str]
    danger: bool = False


def _context() -> dict[str, Any]:
    return {"user": tk.current_user.name, "model": model, "session": model.Session}


def _refresh(context: dict[str, Any], id_: str) -> str:
    tk.get_action("harvest_job_create")(context, {"source_id": id_, "run": True})
    return str(tk._("Harvest will start shortly. Refresh this page for updates."))


def _clear(context: dict[str, Any], id_: str) -> str:
    done = tk.get_action("harvest_source_clear")(context, {"id": id_})
    text = tk._("Harvest source cleared: {count} datasets were removed")
    return str(text.format(count=done["deleted"]))


def _delete(context: dict[str, Any], id_: str) -> str:
    tk.get_action("harvest_source_delete")(context, {"id": id_})
    return str(tk._("Harvest source deleted; its datasets stay"))


def _delete_and_clear(context: dict[str, Any], id_: str) -> str:
    context["clear_source"] = True
    tk.get_action("harvest_source_delete")(context, {"id": id_})
    return str(tk._("Harvest source deleted and cleared"))


def _abort(context: dict[str, Any], id_: str) -> str:
    tk.get_action("harvest_job_abort")(context, {"id": id_})
    return str(tk._("Harvest job stopped"))


STEPS = {
    "refresh": Step(
        "harvest_job_create",
        "source_id",
        lambda: tk._(
            "Harvest {title} now? New and changed records are written to the portal; it has "
            "{count} datasets of this source."
        ),
        lambda: tk._("Harvest now"),
        _refresh,
    ),
    "clear": Step(
        "harvest_source_clear",
        "id",
        lambda: tk._(
            "Clear {title}? This removes {count} datasets for good, with all job reports of the "
            "source. The next run makes the datasets anew, under new addresses."
        ),
        lambda: tk._("Remove all"),
        _clear,
        danger=True,
    ),
    "delete": Step(
        "harvest_source_delete",
        "id",
        lambda: tk._(
            "Delete the harvest source {title}? It is not harvested any more; its {count} "
            "datasets and its job reports stay."
        ),
        lambda: tk._("Delete the source"),
        _delete,
        danger=True,
    ),
    "delete_and_clear": Step(
        "harvest_source_delete",
        "id",
        lambda: tk._(
            "Delete the harvest source {title}, and remove its {count} datasets for good with "
            "all job reports?"
        ),
        lambda: tk._("Delete the source and remove all"),
        _delete_and_clear,
        danger=True,
    ),
    "abort": Step(
        "harvest_job_abort",
        "id",
        lambda: tk._(
            "Stop the running job of {title}? Records that are not imported yet are left for the "
            "next run; what is imported stays."
        ),
        lambda: tk._("Stop the job"),
        _abort,
    ),
}


def _answer(step: Step, source_id: str, about: str) -> Any:
    """Ask on GET, act on POST.

    Args:
        source_id: id or name of the harvest source.
        about: id of what the step is about: the source's or a job's.
    """
    package = model.Package.get(source_id)
    if package is None or package.type != "harvest":
        return tk.abort(404, tk._("Harvest source not found"))
    about = package.id if about == source_id else about
    back = tk.h.url_for("harvester.admin", id=package.name)
    try:
        tk.check_access(step.auth, _context(), {step.id_key: about})
        if tk.request.method != "POST":
            return _form(step, package, back)
        _check_token()
        tk.h.flash_success(step.act(_context(), about))
    except tk.ObjectNotFound as exc:
        return tk.abort(404, str(exc) or tk._("Not found"))
    except tk.NotAuthorized:
        return tk.abort(403, tk._("Not authorised to do this"))
    except HarvestSourceInactiveError:
        tk.h.flash_error(tk._("The source is not active: change its state to active first"))
    except HarvestJobExists:
        tk.h.flash_notice(tk._("A harvest job is waiting or running for this source already"))
    except tk.ValidationError as exc:
        tk.h.flash_error(str(exc))
    return tk.redirect_to(back)


def _form(step: Step, package: model.Package, back: str) -> str:
    count = len(ownership.dataset_ids(package.id))
    question = step.question().format(
        title=f"“{package.title or package.name}”", count=f"{count:,}"
    )
    return str(
        tk.render(
            "ukharvest/confirm.html",
            {"question": question, "button": step.button(), "danger": step.danger, "back": back},
        )
    )


def _check_token() -> None:
    # CKAN can be told to leave extensions' routes alone (ckan.csrf_protection.ignore_extensions).
    if not current_app.config.get("WTF_CSRF_ENABLED", True):
        return
    field = current_app.config.get("WTF_CSRF_FIELD_NAME", "csrf_token")
    try:
        validate_csrf(tk.request.form.get(field))
    except BadToken:
        tk.abort(403, tk._("The form is out of date: go back, reload the page and try again"))


@blueprint.route("/harvest/refresh/<id>", methods=["GET", "POST"])
def refresh(id: str) -> Any:  # noqa: A002 - the name in ckanext-harvest's routes
    return _answer(STEPS["refresh"], id, id)


@blueprint.route("/harvest/clear/<id>", methods=["GET", "POST"])
def clear(id: str) -> Any:  # noqa: A002
    return _answer(STEPS["clear"], id, id)


@blueprint.route("/harvest/delete/<id>", methods=["GET", "POST"])
def delete(id: str) -> Any:  # noqa: A002
    clears = tk.request.args.get("clear", "").lower() in ("true", "1")
    return _answer(STEPS["delete_and_clear" if clears else "delete"], id, id)


@blueprint.route("/harvest/<source>/job/<id>/abort", methods=["GET", "POST"])
def job_abort(source: str, id: str) -> Any:  # noqa: A002
    package = model.Package.get(source)
    job = HarvestJob.get(id)
    if package is None or job is None or job.source_id != package.id:
        return tk.abort(404, tk._("Harvest job not found"))
    return _answer(STEPS["abort"], source, id)
