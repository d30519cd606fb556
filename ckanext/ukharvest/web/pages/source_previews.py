"""Pages: source previews in the form of a source, and dry runs of a saved one.

With scripts the responses are parts of the page (htmx). Without, the whole form is shown again with
the sent values, and a button to get the result.
"""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from flask import Blueprint, Response
from werkzeug.datastructures import MultiDict

from ckanext.ukharvest.engine.jobs.source_preview import BUDGET
from ckanext.ukharvest.logic.asker import roll_back
from ckanext.ukharvest.logic.source_preview_rules import is_under_way
from ckanext.ukharvest.presentation.messages import source_previews as words
from ckanext.ukharvest.presentation.rendering.facts import label_for_key
from ckanext.ukharvest.presentation.rendering.facts import render_extra as shown_fact
from ckanext.ukharvest.texts import gettext
from ckanext.ukharvest.web.pages import form as source_form
from ckanext.ukharvest.web.pages import form_check, source_frame
from ckanext.ukharvest.web.pages.common import ask, check_token, context
from ckanext.ukharvest.web.pages.form_values import choose_values
from ckanext.ukharvest.web.pages.option_fields import Form

previews = Blueprint("ukharvest_source_previews", __name__)

# Fields that a preview does not need, and that may still be empty or invalid.
_LATER = ("title", "name", "notes", "owner_org", "frequency", "time", "days")

Preview = dict[str, Any]


@previews.route("/harvest/test", methods=["POST"])
def start() -> Any:
    """Start a preview of the sent form; without scripts also show one or apply its suggestions."""
    check_token()
    form: Form = MultiDict(tk.request.form)
    source = source_form.find_edited_source(form)
    if form.get("preview"):
        return _page(form, source, ask("ukharvest_source_preview_show", id=form["preview"]))
    if form.pop("use_values", ""):
        return _chosen(form, source)
    used = {"url": form.pop("use_url", ""), "source_type": form.pop("use_type", "")}
    if any(used.values()):
        return _changed(form, source, used)
    preview, errors = _begun(form, source)
    if not is_fragment():
        return _page(form, source, preview, errors)
    messages = [(name, text) for name, texts in errors.items() for text in texts]
    return _region(preview, errors=messages, is_fixed=source is not None)


def _changed(form: Form, source: dict[str, Any] | None, used: dict[str, str]) -> str:
    """Show the form with the values that a preview suggested."""
    for name, value in used.items():
        if value:
            form.setlist(name, [value])
    tk.h.flash_notice(tk._("The form was changed as suggested. Test again."))
    return source_form.page(form, source)


def _chosen(form: Form, source: dict[str, Any] | None) -> str:
    """Show the form with the filters that were chosen from what the source holds."""
    source_type = source["source_type"] if source else form.get("source_type", "")
    choose_values(form, source_type, sysadmin=source_form.is_sysadmin())
    tk.h.flash_notice(tk._("The filters were changed as chosen. Test again."))
    return source_form.page(form, source)


def _begun(
    form: Form, source: dict[str, Any] | None
) -> tuple[Preview | None, dict[str, list[str]]]:
    """Start the preview; return it, or field name → messages."""
    sent = source_form.parse_source(form, source)
    found = form_check.find_errors(form, sent, source)
    if errors := {name: texts for name, texts in found.items() if name not in _LATER}:
        return None, errors
    data = {"source_type": sent.source_type, "url": sent.url, "config": sent.config}
    if source:
        data["id"] = source["id"]
    try:
        return tk.get_action("ukharvest_source_preview_create")(context(), data), {}
    except tk.NotAuthorized:
        return tk.abort(403, tk._("Not authorised to test harvest sources"))  # type: ignore[no-any-return]
    except tk.ValidationError as exc:
        roll_back()
        sysadmin = source_form.is_sysadmin()
        return None, form_check.assign_to_fields(
            exc.error_dict, sent.source_type, sysadmin=sysadmin
        )


def _page(
    form: Form,
    source: dict[str, Any] | None,
    preview: Preview | None,
    errors: dict[str, list[str]] | None = None,
) -> str:
    variables = _variables(preview, is_fixed=source is not None) if preview else {}
    return source_form.page(form, source, errors, **variables)


@previews.route("/harvest/test/<id>")
def show(id: str) -> Any:  # noqa: A002 - as in CKAN's routes
    """Show the progress of a preview or dry run as a part of its page, or the result."""
    preview = ask("ukharvest_source_preview_show", id=id)
    is_fixed = bool(tk.request.args.get("fixed"))
    if not is_fragment() and preview["source_id"]:
        return _to_page(preview)
    if not is_fragment():
        return tk.render("ukharvest/source_preview/page.html", _variables(preview))
    if not is_under_way(preview) and not preview["source_id"]:
        answer = Response(_region(preview, is_fixed=is_fixed))
        answer.headers["HX-Retarget"] = "#ukharvest-preview"
        answer.headers["HX-Reswap"] = "outerHTML"
        return answer
    return progress_part(_variables(preview, is_fixed=is_fixed))


@previews.route("/harvest/test/<id>/stop", methods=["POST"])
def stop(id: str) -> Any:  # noqa: A002
    """Stop a preview or a dry run."""
    check_token()
    preview = ask("ukharvest_source_preview_stop", id=id)
    if is_fragment() and preview["source_id"]:
        return reload_page()
    if preview["source_id"]:
        return _to_page(preview)
    form: Form = MultiDict(tk.request.form)
    source = source_form.find_edited_source(form)
    if is_fragment():
        return _region(preview, is_fixed=source is not None)
    return _page(form, source, preview)


def _to_page(preview: Preview) -> Any:
    """Redirect to the page of a dry run."""
    name = preview["source_id"]
    if preview["is_move"]:
        return tk.redirect_to("ukharvest_source_move.read", name=name, id=preview["id"])
    return tk.redirect_to("ukharvest_source_previews.check", name=name)


@previews.route("/harvest/<name>/check", methods=["GET", "POST"])
def check(name: str) -> Any:
    """Show the latest dry run of a saved source; POST starts one."""
    source = source_frame.find(name)
    if tk.request.method == "POST":
        check_token()
        try:
            tk.get_action("ukharvest_dry_run_create")(context(), {"source_id": source["id"]})
            tk.h.flash_success(tk._("Dry run started. It changes nothing."))
        except tk.ValidationError as exc:
            roll_back()
            tk.h.flash_error(" ".join(text for texts in exc.error_dict.values() for text in texts))
        return tk.redirect_to("ukharvest_source_previews.check", name=source["name"])
    try:
        asked = {"source_id": source["id"]}
        preview = tk.get_action("ukharvest_source_preview_show")(context(), asked)
    except tk.ObjectNotFound:
        preview = None
    return source_frame.render(
        "ukharvest/source_preview/dry_run.html", source, **_variables(preview)
    )


def is_fragment() -> bool:
    """Tell whether htmx asks for a part of the page."""
    return tk.request.headers.get("HX-Request") == "true"


def progress_part(variables: dict[str, Any]) -> Response:
    """Return the progress of a preview for its open page, which is loaded again at the end.

    Args:
        variables: as ``progress_variables`` returns them.
    """
    if not is_under_way(variables["preview"]):
        return reload_page()
    if tk.request.args.get("seen") == variables["seen"]:
        return Response("", status=204)
    return Response(tk.render("ukharvest/source_preview/progress.html", variables))


def reload_page() -> Response:
    """Return what makes htmx load the open page again."""
    return Response("", headers={"HX-Refresh": "true"})


def _region(
    preview: Preview | None, *, errors: list[tuple[str, str]] | None = None, is_fixed: bool
) -> str:
    variables = {**_variables(preview, is_fixed=is_fixed), "preview_errors": errors}
    return str(tk.render("ukharvest/source_preview/region.html", variables))


def _variables(preview: Preview | None, *, is_fixed: bool = False) -> dict[str, Any]:
    """Return the variables of the templates; ``is_fixed``: the form cannot change the type."""
    if preview is None:
        return {"preview": None, "is_check": False}
    is_check = preview["source_id"] is not None
    most = 0 if is_check else BUDGET.records
    own = {"is_check": is_check, "is_fixed": is_fixed}
    return {**progress_variables(preview, most=most), **own}


def progress_variables(preview: Preview, *, most: int = BUDGET.records) -> dict[str, Any]:
    """Return the variables of the templates that show a preview, dry run or check.

    Args:
        most: number of records that it reads at most, 0 for all.
    """
    done = words.milestone(preview["done"])
    return {
        "preview": preview,
        "says": words.progress(
            preview["state"], preview["stage"], done, most=most, position=preview
        ),
        "seen": _seen(preview),
        "record": _first_record(preview["result"]),
    }


def _seen(preview: Preview) -> str:
    """Return what tells the text of this progress from others."""
    keys = ("state", "stage", "done", "workers", "before", "running", "seconds")
    return "-".join(str(preview.get(key, "")) for key in keys)


def _first_record(result: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the first record that would be imported, with all fields."""
    fine = (
        each for each in (result or {}).get("sample", ()) if each["fate"] in ("fine", "problems")
    )
    found = next(fine, None)
    if found is None:
        return None
    facts = [
        (words.label(key) or label_for_key(key), shown_fact(value))
        for key, value in found["fields"]
    ]
    resources = [
        (gettext("Resource {n}", n=number), _resource(each))
        for number, each in enumerate(found["resources"], 1)
    ]
    return {"title": found["title"], "rows": [*facts, *resources]}


def _resource(resource: dict[str, str]) -> str:
    return " · ".join(filter(None, (resource[key] for key in ("name", "format", "url"))))
