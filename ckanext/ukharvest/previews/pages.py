"""Pages of tests: the forms that start one, and one page for each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

from ckan.plugins import toolkit as tk
from flask import Blueprint, Response
from werkzeug.datastructures import MultiDict

from ckanext.ukharvest import config
from ckanext.ukharvest.harvest.gather import previews as source_previews
from ckanext.ukharvest.lib.actions import context, roll_back, show_if_may
from ckanext.ukharvest.lib.pages import (
    abort_not_found,
    ask,
    attempt,
    check_token,
    csv_response,
    prevent_caching,
    ukharvest_slot,
)
from ckanext.ukharvest.previews import auth as preview_auth
from ckanext.ukharvest.previews import moves as move_rules
from ckanext.ukharvest.previews import texts as preview_texts
from ckanext.ukharvest.reading.type_detection import DATA
from ckanext.ukharvest.rendering.values import render_extra
from ckanext.ukharvest.source_types import TYPES
from ckanext.ukharvest.sources import approvals, schedule_form
from ckanext.ukharvest.sources import form as source_form
from ckanext.ukharvest.sources import pages as source_pages
from ckanext.ukharvest.sources.description import type_label
from ckanext.ukharvest.sources.form_values import Form, read_config

previews = Blueprint("ukharvest_source_previews", __name__)

# Fields that a preview does not need, and that may still be empty or invalid.
_LATER = ("title", "name", "notes", "owner_org", *schedule_form.FIELDS)
_ASKED = ("id", "asks_mail", "mail_me", "same_address")  # of the form beside the source's fields
_MISSING = ("title", "dataset_address", "identifier")  # columns of the CSV
_CHECK = "check"  # in the URL of the form for files, where a source's name would be
_OFFERED = ("url", "source_type", "schema_url")  # fields of it that a link can fill in
_FILES = ("upload", "schema_upload")
_PAGE = "ukharvest/source_preview/page.html"
_PROGRESS = ("state", "stage", "done", "workers", "before", "running", "seconds")
Preview = dict[str, Any]


@previews.route("/harvest/test", methods=["POST"])
def start() -> Any:
    """Test the source that a form sends, and show its page; or the form with its errors."""
    check_token()
    form: Form = MultiDict(tk.request.form)
    source = source_form.find_edited_source(form)
    if source is None:
        _check_may_add()
    sent = source_form.parse_source(form, source)
    faults = source_form.find_errors(form, sent, source)
    if errors := {name: texts for name, texts in faults.items() if name not in _LATER}:
        return source_form.page(form, source, errors)
    data = {"source_type": sent.source_type, "url": sent.url, "config": sent.config}
    data |= {"id": source["id"]} if source else _owner_of(form)
    others = {name: form.getlist(name) for name in (*_LATER, *_ASKED) if name in form}

    def refuse(exc: tk.ValidationError) -> str:
        return source_form.page(form, source, source_form.refused_fields(exc, sent))

    return _test(data, refuse, others)


def _owner_of(form: Form) -> dict[str, str]:
    """Return the organisation of a new source, if it is chosen and the user may add one to it."""
    owner_org = form.get("owner_org", "")
    is_chosen = owner_org not in ("", source_form.NO_OWNER)
    may = is_chosen and preview_auth.may_add(context(), owner_org)
    return {"owner_org": owner_org} if may else {}


def _test(
    data: dict[str, Any],
    refuse: Callable[[tk.ValidationError], Any],
    others: dict[str, list[str]] | None = None,
) -> Any:
    """Start a test and lead to its page.

    Args:
        data: as ``ukharvest_source_preview_create`` takes it.
        refuse: returns the page with the errors.
        others: fields of the form beside the source, for the way back to it.
    """
    try:
        preview = tk.get_action("ukharvest_source_preview_create")(context(), data)
    except tk.ValidationError as exc:
        roll_back()
        return refuse(exc)
    if others:
        source_previews.save_form(preview["id"], others)
    return _to_page(preview)


@previews.route("/harvest/test/<uuid:id>")
def show(id: UUID) -> Any:  # noqa: A002 - as in CKAN's routes
    """Show the page of a test, or its progress as a part of it."""
    preview = _find(id)
    if is_fragment():
        return _private(_progress_part(preview))
    is_url = (preview["kind"], preview["way"]) == ("test", "url") and preview["source_type"] != DATA
    form = _form_of(preview)
    variables = {
        **_variables(preview),
        "url": preview["url"],
        "errors": {},
        "adds": is_url and preview_auth.may_add(context()),
        "form": "edit" if "id" in form else "new" if form else "",
        "few_match": tk._(move_rules.FEW_MATCH),
    }
    if preview["kind"] == "move" and preview["may_change"]:
        place = preview["source_id"], preview["url"], preview["source_type"]
        variables["asks"] = approvals.is_asked(context(), *place)
    if preview["source_id"] and preview["may_change"]:
        source = source_pages.find_source(preview["source_id"])
        return _private(Response(source_pages.render(_PAGE, source, **variables)))
    return _private(Response(tk.render(_PAGE, variables)))


def _find(id_: UUID) -> Preview:
    return dict(ask("ukharvest_source_preview_show", id=str(id_)))


def _form_of(preview: Preview) -> dict[str, list[str]]:
    """Return what the form had besides the source, field → values; {} without one."""
    row = source_previews.find_preview(preview["id"]) if preview["may_change"] else None
    return ((row and row.given) or {}).get("form", {})


@previews.route("/harvest/test/<uuid:id>/stop", methods=["POST"])
def stop(id: UUID) -> Any:  # noqa: A002
    """Stop a test."""
    check_token()
    preview = ask("ukharvest_source_preview_stop", id=str(id))
    return _reload() if is_fragment() else _to_page(preview)


def _to_page(preview: Preview) -> Any:
    """Redirect to the page of a test."""
    return tk.redirect_to("ukharvest_source_previews.show", id=preview["id"])


@previews.route("/harvest/test/<uuid:id>/add")
def add_tested(id: UUID) -> Any:  # noqa: A002
    """Show the form that was tested, or one for a new source filled in with what was found.

    URL parameters: ``chosen`` with ``only`` and ``without`` for what to harvest of the values that
    the records have; ``use_url`` and ``use_type`` for what the test suggests.
    """
    preview, asked = _find(id), tk.request.args
    if preview["source_id"]:
        return abort_not_found()
    form: Form = MultiDict(_form_of(preview))
    source = source_form.find_edited_source(form)
    if source is None:
        _check_may_add()
    values = {key: preview[key] for key in ("url", "source_type")} | preview["form_values"]
    for name, use in (("url", "use_url"), ("source_type", "use_type")):
        values[name] = asked.get(use) or values[name]
    form = MultiDict({**values, **form.to_dict(flat=False)})
    options = read_config(preview["config"]) or {}
    filters = list(_choose(options, preview, asked)) if "chosen" in asked else []
    config_text = json.dumps(options, indent=2) if options else ""
    return source_form.page(form, source, config_text=config_text, tested=preview, filters=filters)


def _choose(options: dict[str, Any], preview: Preview, asked: Any) -> Iterator[tuple[str, str]]:
    """Set the options for the values that were chosen from what the source holds.

    Args:
        asked: ``only`` and ``without``, each an option and a value with a tab between them; what
            the test does not offer is ignored.

    Yields:
        Which were chosen, and a label.
    """
    for field in (preview["result"] or {}).get("held", ()):
        offered = [field["prefix"] + str(value["value"]) for value in field["values"]]
        for name, option in (("only", field["include"]), ("without", field["exclude"])):
            sent = [value for value in offered if f"{option}\t{value}" in asked.getlist(name)]
            before = options.pop(option, [])
            before = before if isinstance(before, list) else [before]
            if values := [value for value in before if value not in offered] + sent:
                options[option] = values
            if sent:
                label = tk._("Only these") if name == "only" else tk._("Without these")
                yield label, ", ".join(sent)


def _check_may_add() -> None:
    """Abort if the user may not add a source to any organisation."""
    if not preview_auth.may_add(context()):
        source_pages.refuse_adding()


@previews.route("/harvest/add", methods=["GET", "POST"])
def add() -> Any:
    """Show the form for a URL; POST tests it, and shows that page."""
    _check_may_add()
    if tk.request.method != "POST":
        return _address_form(tk.request.args.get("url", ""), {})
    check_token()
    url = tk.request.form.get("url", "").strip()
    if not url or " " in url:
        message = tk._("Enter the URL of the catalogue")
        return _address_form(url, {"url": [message]})
    if "://" not in url:
        url = f"https://{url}"
    return _test({"url": url}, lambda exc: _address_form(url, exc.error_dict))


def _address_form(url: str, errors: dict[str, list[str]]) -> str:
    return str(tk.render("ukharvest/source_form/add.html", {"url": url, "errors": errors}))


@previews.route(f"/harvest/{_CHECK}")
def check_form() -> Any:
    """Show the form for a text or file, filled in from URL parameters."""
    try:
        tk.check_access("ukharvest_source_preview_create", context(), {})
    except tk.NotAuthorized:
        source_pages.refuse()
    return _check_form({name: tk.request.args.get(name, "") for name in _OFFERED}, {})


@previews.route(f"/harvest/{_CHECK}", methods=["POST"])
def create_check() -> Any:
    """Start the test of a URL, a text or a file, and show its page."""
    check_token()
    sent = {name: tk.request.form.get(name, "") for name in (*_OFFERED, "text")}
    files = {name: tk.request.files[name] for name in _FILES if name in tk.request.files}
    try:
        return _test({**sent, **files}, lambda exc: _check_form(sent, exc.error_dict))
    except tk.NotAuthorized:
        return source_pages.refuse(tk.url_for("ukharvest_source_previews.check_form"))


def _check_form(values: dict[str, str], errors: dict[str, list[str]]) -> Response:
    variables = {
        "values": values,
        "errors": errors,
        "types": [
            (DATA, tk._("Data with a schema")),
            *((name, type_label(name)) for name in sorted(TYPES, key=type_label)),
        ],
        "megabytes": config.CHECK_MEGABYTES,
        "namesake": show_if_may("harvest_source_show", _CHECK),
    }
    return prevent_caching(Response(tk.render("ukharvest/check/form.html", variables)))


def _private(response: Response) -> Response:
    """Return the response so that neither caches nor search engines keep it."""
    response = prevent_caching(response)
    response.cache_control.no_store = True
    response.headers["X-Robots-Tag"] = "noindex"
    response.headers["Referrer-Policy"] = "same-origin"  # CSRF tokens need it
    return response


@previews.route("/harvest/<name>/check", methods=["GET", "POST"])
def check(name: str) -> Any:
    """Show the latest test of a saved source; POST starts one."""
    source = source_pages.find_source(name)
    asked = {"source_id": source["id"]}
    if tk.request.method == "POST":
        check_token()
        preview = attempt("ukharvest_source_preview_create", **asked)
        here = "ukharvest_source_previews.check"
        return _to_page(preview) if preview else tk.redirect_to(here, name=source["name"])
    try:
        return _to_page(tk.get_action("ukharvest_source_preview_show")(context(), asked))
    except tk.ObjectNotFound:
        return source_pages.render(_PAGE, source, preview=None)


@previews.route("/harvest/<name>/near", methods=["POST"])
def near(name: str) -> Any:
    """Search near the URL of a failing source; return what is known to its open page."""
    source = source_pages.find_source(name)
    check_token()
    attempt("ukharvest_source_preview_create", source_id=source["id"], near=True)
    if is_fragment():
        return Response(ukharvest_slot("source_failing", source))
    return tk.redirect_to("harvest.read", id=source["name"])


@previews.route("/harvest/test/<uuid:id>/move", methods=["POST"])
def move(id: UUID) -> Any:  # noqa: A002
    """Save the new URL of a source that was tested, or test it as another type."""
    check_token()
    preview, form = _find(id), tk.request.form
    if preview["kind"] != "move":
        return abort_not_found()
    asked = {"source_id": preview["source_id"]}
    place = {key: preview[key] for key in ("url", "source_type", "config")}
    if source_type := form.get("source_type"):
        place["source_type"] = source_type
        return _to_page(attempt("ukharvest_source_preview_create", **asked, **place) or preview)
    if form.get("not_compared"):
        done = attempt("harvest_source_patch", id=preview["source_id"], **place)
        done = done and attempt("ukharvest_source_preview_stop", id=preview["id"])
    else:
        even = bool(form.get("even_if_few_match"))
        asked |= {"dry_run_id": preview["id"], "even_if_few_match": even}
        done = attempt("ukharvest_source_move", **asked)
    if not done:
        return _to_page(preview)
    if said := approvals.asked_of(preview["source_id"]):
        tk.h.flash_success(said)
        return tk.redirect_to("harvest.read", id=preview["source_id"])
    begins = form.get("then") == "run"
    if not (begins and attempt("ukharvest_run_create", source_id=preview["source_id"])):
        tk.h.flash_success(tk._(move_rules.MOVED))
    return tk.redirect_to("harvest.read", id=preview["source_id"])


@previews.route("/harvest/test/<uuid:id>/missing.csv")
def missing_csv(id: UUID) -> Response:  # noqa: A002
    """Send every dataset that the test did not find at the new URL."""
    source = source_pages.find_source(_find(id)["source_id"] or "-")
    preview = preview_auth.check_exists(source_previews.find_preview(str(id)))
    rows = [
        {
            **row,
            "dataset_address": tk.url_for("dataset.read", id=row["name"], _external=True),
            "identifier": row["guid"],
        }
        for row in move_rules.list_missing(preview)
    ]
    return csv_response(rows, _MISSING, f"not-at-the-new-url-{source['name']}")


def is_fragment() -> bool:
    """Tell whether htmx asks for a part of the page."""
    return tk.request.headers.get("HX-Request") == "true"


def _progress_part(preview: Preview) -> Response:
    """Return the progress of a test for its open page, which is loaded again at its end."""
    variables = _variables(preview)
    if preview["state"] not in source_previews.UNDER_WAY:
        return _reload()
    if tk.request.args.get("seen") == variables["seen"]:
        return Response("", status=204)
    return Response(tk.render("ukharvest/source_preview/progress.html", variables))


def _reload() -> Response:
    """Return what makes htmx load the open page again."""
    return Response("", headers={"HX-Refresh": "true"})


def _variables(preview: Preview) -> dict[str, Any]:
    """Return the variables of the templates."""
    done = preview_texts.milestone(preview["done"])
    return {
        "preview": preview,
        "says": preview_texts.progress(
            preview["state"], preview["stage"], done, preview.get("seconds")
        ),
        # What tells the text of this progress from others.
        "seen": "-".join(str(preview.get(key, "")) for key in _PROGRESS),
        "label": preview_texts.label,
        "render": render_extra,
    }
