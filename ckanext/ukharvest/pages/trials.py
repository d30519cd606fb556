"""Pages: "Test this source" in the form of a source, and "Check only" of a saved one.

With scripts the answers are parts of the page (htmx); without, the whole form comes back with all
that was typed, and a button asks for the result.
"""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from flask import Blueprint, Response
from werkzeug.datastructures import MultiDict

from ckanext.ukharvest.model import trials as rows
from ckanext.ukharvest.pages import form as source_form
from ckanext.ukharvest.pages import form_check, source_frame
from ckanext.ukharvest.pages.common import ask, check_token, context
from ckanext.ukharvest.pages.form_values import Form
from ckanext.ukharvest.shown.facts import shown as shown_fact
from ckanext.ukharvest.shown.facts import words_of
from ckanext.ukharvest.trial_job import BUDGET
from ckanext.ukharvest.words import trials as words

trials = Blueprint("ukharvest_trials", __name__)

# What a test does not need, and a person may not have thought of yet.
_LATER = ("title", "name", "notes", "owner_org", "frequency", "time", "days")

Trial = dict[str, Any]


@trials.route("/harvest/test", methods=["POST"])
def start() -> Any:
    """Begin a test of what the form says; or show, without scripts, how one is, or a new value."""
    check_token()
    form: Form = MultiDict(tk.request.form)
    source = source_form.edited(form)
    if form.get("trial"):
        return _page(form, source, ask("ukharvest_trial_show", id=form["trial"]))
    used = {"url": form.pop("use_url", ""), "source_type": form.pop("use_type", "")}
    if any(used.values()):
        return _changed(form, source, used)
    trial, errors = _begun(form, source)
    if not _is_fragment():
        return _page(form, source, trial, errors)
    told = [(name, text) for name, texts in errors.items() for text in texts]
    return _region(trial, errors=told, is_fixed=source is not None)


def _changed(form: Form, source: dict[str, Any] | None, used: dict[str, str]) -> str:
    """Put what a test suggested into the form."""
    for name, value in used.items():
        if value:
            form.setlist(name, [value])
    tk.h.flash_notice(tk._("The form was changed as suggested. Test again."))
    return source_form.page(form, source)


def _begun(form: Form, source: dict[str, Any] | None) -> tuple[Trial | None, dict[str, list[str]]]:
    """Begin the test; return it, or messages by name of the form's field."""
    sent = source_form.sent_by(form, source)
    found = form_check.problems(form, sent, source)
    if errors := {name: texts for name, texts in found.items() if name not in _LATER}:
        return None, errors
    data = {"source_type": sent.source_type, "url": sent.url, "config": sent.config}
    if source:
        data["id"] = source["id"]
    try:
        return tk.get_action("ukharvest_source_test")(context(), data), {}
    except tk.NotAuthorized:
        return tk.abort(403, tk._("Not authorised to test harvest sources"))  # type: ignore[no-any-return]
    except tk.ValidationError as exc:
        model.Session.rollback()
        sysadmin = source_form.is_sysadmin()
        return None, form_check.placed(exc.error_dict, sent.source_type, sysadmin=sysadmin)


def _page(
    form: Form,
    source: dict[str, Any] | None,
    trial: Trial | None,
    errors: dict[str, list[str]] | None = None,
) -> str:
    variables = _variables(trial, is_fixed=source is not None) if trial else {}
    return source_form.page(form, source, errors, **variables)


@trials.route("/harvest/test/<id>")
def show(id: str) -> Any:  # noqa: A002 - as in CKAN's routes
    """How far a test or check is, as a part of its page; the result takes the place of all."""
    trial = ask("ukharvest_trial_show", id=id)
    is_fixed = bool(tk.request.args.get("fixed"))
    if not _is_fragment() and trial["source_id"]:
        return tk.redirect_to("ukharvest_trials.check", name=trial["source_id"])
    if not _is_fragment():
        return tk.render("ukharvest/trial/page.html", _variables(trial))
    if trial["state"] not in rows.UNDER_WAY:
        if trial["source_id"]:
            return Response("", headers={"HX-Refresh": "true"})
        answer = Response(_region(trial, is_fixed=is_fixed))
        answer.headers["HX-Retarget"] = "#ukharvest-trial"
        answer.headers["HX-Reswap"] = "outerHTML"
        return answer
    if tk.request.args.get("seen") == _seen(trial):
        return Response("", status=204)
    return tk.render("ukharvest/trial/progress.html", _variables(trial, is_fixed=is_fixed))


@trials.route("/harvest/test/<id>/stop", methods=["POST"])
def stop(id: str) -> Any:  # noqa: A002
    """Stop a test or a check."""
    check_token()
    trial = ask("ukharvest_trial_stop", id=id)
    if _is_fragment() and trial["source_id"]:
        return Response("", headers={"HX-Refresh": "true"})
    if trial["source_id"]:
        return tk.redirect_to("ukharvest_trials.check", name=trial["source_id"])
    form: Form = MultiDict(tk.request.form)
    source = source_form.edited(form)
    if _is_fragment():
        return _region(trial, is_fixed=source is not None)
    return _page(form, source, trial)


@trials.route("/harvest/<name>/check", methods=["GET", "POST"])
def check(name: str) -> Any:
    """The latest check of a saved source; POST begins one."""
    source = source_frame.find(name)
    if tk.request.method == "POST":
        check_token()
        try:
            tk.get_action("ukharvest_source_check")(context(), {"source_id": source["id"]})
            tk.h.flash_success(tk._("Check started: it changes nothing."))
        except tk.ValidationError as exc:
            model.Session.rollback()
            tk.h.flash_error(" ".join(text for texts in exc.error_dict.values() for text in texts))
        return tk.redirect_to("ukharvest_trials.check", name=source["name"])
    try:
        asked = {"source_id": source["id"]}
        trial = tk.get_action("ukharvest_trial_show")(context(), asked)
    except tk.ObjectNotFound:
        trial = None
    return source_frame.render("ukharvest/trial/check.html", source, **_variables(trial))


def _is_fragment() -> bool:
    return tk.request.headers.get("HX-Request") == "true"


def _region(
    trial: Trial | None, *, errors: list[tuple[str, str]] | None = None, is_fixed: bool
) -> str:
    variables = {**_variables(trial, is_fixed=is_fixed), "trial_errors": errors}
    return str(tk.render("ukharvest/trial/region.html", variables))


def _variables(trial: Trial | None, *, is_fixed: bool = False) -> dict[str, Any]:
    """What the templates of a trial want; ``is_fixed``: the form cannot change the type."""
    if trial is None:
        return {"trial": None, "is_check": False}
    is_check = trial["source_id"] is not None
    most = 0 if is_check else BUDGET.records
    done = words.milestone(trial["done"])
    return {
        "trial": trial,
        "says": words.progress(trial["state"], trial["stage"], done, most=most),
        "is_check": is_check,
        "is_fixed": is_fixed,
        "seen": _seen(trial),
        "record": _record(trial["result"]),
    }


def _seen(trial: Trial) -> str:
    return "-".join(
        str(trial.get(key, "")) for key in ("state", "stage", "done", "workers", "before")
    )


def _record(result: dict[str, Any] | None) -> dict[str, Any] | None:
    """The first record that would arrive, in full."""
    fine = (
        each for each in (result or {}).get("sample", ()) if each["fate"] in ("fine", "problems")
    )
    found = next(fine, None)
    if found is None:
        return None
    facts = [
        (words.label(key) or words_of(key), shown_fact(value)) for key, value in found["fields"]
    ]
    resources = [
        (tk._("Resource {n}").format(n=number), _resource(each))
        for number, each in enumerate(found["resources"], 1)
    ]
    return {"title": found["title"], "rows": [*facts, *resources]}


def _resource(resource: dict[str, str]) -> str:
    return " · ".join(filter(None, (resource[key] for key in ("name", "format", "url"))))
