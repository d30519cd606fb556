"""Pages of source previews: tests in the form of a source, look-ups, dry runs and checks.

With scripts the responses are parts of the page (htmx). Without, the page is loaded again; the form
of a source is shown again with the sent values, and a button to get the result.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from ckan.plugins import toolkit as tk
from flask import Blueprint, Response
from werkzeug.datastructures import MultiDict

from ckanext.ukharvest import config
from ckanext.ukharvest.lib.actions import context, roll_back
from ckanext.ukharvest.lib.pages import (
    ask,
    check_token,
    csv_response,
    flash_errors,
    prevent_caching,
)
from ckanext.ukharvest.lib.texts import gettext
from ckanext.ukharvest.previews import moves as move_rules
from ckanext.ukharvest.previews import texts as preview_texts
from ckanext.ukharvest.previews.jobs import BUDGET
from ckanext.ukharvest.previews.rules import is_under_way
from ckanext.ukharvest.reading.type_detection import DATA
from ckanext.ukharvest.rendering.values import label_for_key
from ckanext.ukharvest.rendering.values import render_extra as shown_fact
from ckanext.ukharvest.source_types import TYPES
from ckanext.ukharvest.sources import form as source_form
from ckanext.ukharvest.sources import pages as source_pages
from ckanext.ukharvest.sources.form_values import Form, choose_values

previews = Blueprint("ukharvest_source_previews", __name__)

# Fields that a preview does not need, and that may still be empty or invalid.
_LATER = ("title", "name", "notes", "owner_org", "frequency", "time", "days")
_MISSING = ("title", "dataset_address", "identifier")  # columns of the CSV
_CHECK = "check"  # in the URL of the form for checks, where a source's name would be
_OFFERED = ("url", "source_type", "schema_url")  # fields of it that a link can fill in
_FILES = ("upload", "schema_upload")
# Templates of previews that have a page of their own; dry runs are on a page of their source.
_PAGES = {
    "test": "ukharvest/source_preview/page.html",
    "lookup": "ukharvest/source_form/add.html",
    "check": "ukharvest/check/page.html",
}

_PROGRESS = ("state", "stage", "done", "workers", "before", "running", "seconds")
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
    choose_values(form, source_type)
    tk.h.flash_notice(tk._("The filters were changed as chosen. Test again."))
    return source_form.page(form, source)


def _begun(
    form: Form, source: dict[str, Any] | None
) -> tuple[Preview | None, dict[str, list[str]]]:
    """Start the preview; return it, or field name → messages."""
    sent = source_form.parse_source(form, source)
    faults = source_form.find_errors(form, sent, source)
    if errors := {name: texts for name, texts in faults.items() if name not in _LATER}:
        return None, errors
    data = {"source_type": sent.source_type, "url": sent.url, "config": sent.config}
    data |= {"id": source["id"]} if source else {}
    try:
        return tk.get_action("ukharvest_source_preview_create")(context(), data), {}
    except tk.NotAuthorized:
        return tk.abort(403, tk._("Not authorised to test harvest sources"))  # type: ignore[no-any-return]
    except tk.ValidationError as exc:
        roll_back()
        return None, source_form.assign_to_fields(
            exc.error_dict, sent.source_type, sysadmin=source_form.is_sysadmin()
        )


def _page(
    form: Form,
    source: dict[str, Any] | None,
    preview: Preview | None,
    errors: dict[str, list[str]] | None = None,
) -> str:
    variables = _variables(preview, is_fixed=source is not None) if preview else {}
    return source_form.page(form, source, errors, **variables)


@previews.route("/harvest/test/<uuid:id>")
def show(id: UUID) -> Any:  # noqa: A002 - as in CKAN's routes
    """Show the progress of a preview as a part of its page, or its page."""
    preview = ask("ukharvest_source_preview_show", id=str(id))
    variables = _variables(preview, is_fixed=bool(tk.request.args.get("fixed")))
    is_check = preview["kind"] == "check"
    if is_fragment():
        answer = _progress_part(variables)
        return _private(answer) if is_check else answer
    if preview["source_id"]:
        return _to_page(preview)
    more = {"url": preview["url"], "errors": {}}
    answer = Response(tk.render(_PAGES[preview["kind"]], {**variables, **more}))
    return _private(answer) if is_check else answer


@previews.route("/harvest/test/<uuid:id>/stop", methods=["POST"])
def stop(id: UUID) -> Any:  # noqa: A002
    """Stop a preview."""
    check_token()
    preview = ask("ukharvest_source_preview_stop", id=str(id))
    if preview["kind"] != "test":
        return _reload() if is_fragment() else _to_page(preview)
    form: Form = MultiDict(tk.request.form)
    source = source_form.find_edited_source(form)
    if is_fragment():
        return _region(preview, is_fixed=source is not None)
    return _page(form, source, preview)


def _to_page(preview: Preview) -> Any:
    """Redirect to the page of a preview."""
    pages, source_id = "ukharvest_source_previews", preview["source_id"]
    if preview["kind"] == "dry run":
        return tk.redirect_to(f"{pages}.check", name=source_id)
    if preview["kind"] == "move":
        return tk.redirect_to(f"{pages}.dry_run", name=source_id, id=preview["id"])
    return tk.redirect_to(f"{pages}.show", id=preview["id"])


@previews.route("/harvest/add", methods=["GET", "POST"])
def add() -> Any:
    """Show the form for an address; POST finds out what it is, and shows that page."""
    try:
        tk.check_access("ukharvest_source_preview_create", context(), {})
    except tk.NotAuthorized:
        source_pages.refuse_adding()
    if tk.request.method != "POST":
        return _address_form(tk.request.args.get("url", ""), {})
    check_token()
    url = tk.request.form.get("url", "").strip()
    if url and "://" not in url:
        url = f"https://{url}"
    try:
        preview = tk.get_action("ukharvest_source_preview_create")(context(), {"url": url})
    except tk.ValidationError as exc:
        roll_back()
        return _address_form(url, exc.error_dict)
    return _to_page(preview)


def _address_form(url: str, errors: dict[str, list[str]]) -> str:
    return str(tk.render(_PAGES["lookup"], {"url": url, "errors": errors, "preview": None}))


@previews.route(f"/harvest/{_CHECK}")
def check_form() -> Any:
    """Show the form for a check, filled in from URL parameters."""
    try:
        tk.check_access("ukharvest_check_create", context(), {})
    except tk.NotAuthorized:
        source_pages.refuse()
    return _check_form({name: tk.request.args.get(name, "") for name in _OFFERED}, {})


@previews.route(f"/harvest/{_CHECK}", methods=["POST"])
def create_check() -> Any:
    """Start a check, and show its page."""
    check_token()
    sent = {name: tk.request.form.get(name, "") for name in (*_OFFERED, "text")}
    files = {name: tk.request.files[name] for name in _FILES if name in tk.request.files}
    try:
        return _to_page(tk.get_action("ukharvest_check_create")(context(), {**sent, **files}))
    except tk.NotAuthorized:
        return source_pages.refuse(tk.url_for("ukharvest_source_previews.check_form"))
    except tk.ValidationError as exc:
        roll_back()
        return _check_form(sent, exc.error_dict)


def _check_form(values: dict[str, str], errors: dict[str, list[str]]) -> Response:
    variables = {
        "values": values,
        "errors": errors,
        "types": [(name, _label(name)) for name in sorted(TYPES, key=_label)],
        "data": DATA,
        "megabytes": config.CHECK_MEGABYTES,
        "namesake": _namesake(),
    }
    return prevent_caching(Response(tk.render("ukharvest/check/form.html", variables)))


def _label(name: str) -> str:
    return str(tk._(TYPES[name].title))


def _namesake() -> dict[str, Any] | None:
    """Return a source that has the name of this page, if the user may see it."""
    try:
        shown = tk.get_action("ukharvest_source_show")(context(), {"source_id": _CHECK})
    except (tk.NotAuthorized, tk.ObjectNotFound):
        return None
    return {"id": shown["id"], "title": shown["title"]}


def _private(response: Response) -> Response:
    """Return the response so that neither caches nor search engines keep it."""
    response = prevent_caching(response)
    response.cache_control.no_store = True
    response.headers["X-Robots-Tag"] = "noindex"
    response.headers["Referrer-Policy"] = "same-origin"  # CSRF tokens need it
    return response


@previews.route("/harvest/<name>/check", methods=["GET", "POST"])
def check(name: str) -> Any:
    """Show the latest dry run of a saved source; POST starts one."""
    source = source_pages.find_source(name)
    if tk.request.method == "POST":
        check_token()
        if _call("ukharvest_source_preview_create", source_id=source["id"]):
            tk.h.flash_success(tk._("Dry run started. It changes nothing."))
        return tk.redirect_to("ukharvest_source_previews.check", name=source["name"])
    try:
        asked = {"source_id": source["id"]}
        preview = tk.get_action("ukharvest_source_preview_show")(context(), asked)
    except tk.ObjectNotFound:
        preview = None
    return _dry_run_page(source, preview)


@previews.route("/harvest/<name>/check/<id>", methods=["GET", "POST"])
def dry_run(name: str, id: str) -> Any:  # noqa: A002
    """Show one dry run of a saved source; POST saves the other URL that it read."""
    source = source_pages.find_source(name)
    if tk.request.method != "POST":
        return _dry_run_page(source, _find_dry_run(source, id))
    check_token()
    preview, form = _find_dry_run(source, id), tk.request.form
    if preview["kind"] != "move":
        return tk.abort(404, tk._("Nothing has this name or id."))
    if form.get("source_type"):
        return _start_again(source, preview, form["source_type"])
    if form.get("not_compared"):
        place = {key: preview[key] for key in ("url", "source_type", "config")}
        done = _call("harvest_source_patch", id=source["id"], **place)
        done = done and _call("ukharvest_source_preview_stop", id=id)
        text = tk._("The new URL is saved. It was not compared with the datasets here.")
    else:
        even = bool(form.get("even_if_few_match"))
        asked = {"source_id": source["id"], "dry_run_id": id, "even_if_few_match": even}
        done = _call("ukharvest_source_move", **asked)
        text = move_rules.moved(done) if done else ""
    if not done:
        return tk.redirect_to("ukharvest_source_previews.dry_run", name=source["name"], id=id)
    tk.h.flash_success(text)
    return tk.redirect_to("harvest.read", id=source["name"])


def _start_again(source: dict[str, Any], preview: Preview, source_type: str) -> Any:
    """Start the dry run of the same URL and options as another source type."""
    asked = {"url": preview["url"], "config": preview["config"], "source_type": source_type}
    begun = _call("ukharvest_source_preview_create", source_id=source["id"], **asked) or preview
    return tk.redirect_to("ukharvest_source_previews.dry_run", name=source["name"], id=begun["id"])


@previews.route("/harvest/<name>/check/<id>/missing.csv")
def missing_csv(name: str, id: str) -> Response:  # noqa: A002
    """Send every dataset that the dry run did not find at the new URL."""
    source = source_pages.find_source(name)
    _find_dry_run(source, id)
    rows = [
        {
            **row,
            "dataset_address": tk.url_for("dataset.read", id=row["name"], _external=True),
            "identifier": row["guid"],
        }
        for row in move_rules.list_all_missing(id)
    ]
    return csv_response(rows, _MISSING, f"not-at-the-new-url-{source['name']}")


def _find_dry_run(source: dict[str, Any], id_: str) -> Preview:
    preview = ask("ukharvest_source_preview_show", id=id_)
    is_own = preview["source_id"] == source["id"]
    return dict(preview) if is_own else tk.abort(404, tk._("Nothing has this name or id."))


def _dry_run_page(source: dict[str, Any], preview: Preview | None) -> str:
    return source_pages.render(
        "ukharvest/source_preview/dry_run.html",
        source,
        **_variables(preview),
        few_match=move_rules.few_match(),
    )


def _call(action: str, **data: Any) -> Any:
    """Call an action; return None and say why on the next page if it refuses."""
    try:
        return tk.get_action(action)(context(), data)
    except tk.ValidationError as exc:
        roll_back()
        flash_errors(exc)
        return None


def is_fragment() -> bool:
    """Tell whether htmx asks for a part of the page."""
    return tk.request.headers.get("HX-Request") == "true"


def _progress_part(variables: dict[str, Any]) -> Response:
    """Return the progress of a preview for its open page, and the result at its end.

    In the form of a source the result takes the place of the progress. Other pages are loaded
    again.
    """
    preview = variables["preview"]
    if not is_under_way(preview) and preview["kind"] != "test":
        return _reload()
    if not is_under_way(preview):
        answer = Response(tk.render("ukharvest/source_preview/region.html", variables))
        answer.headers["HX-Retarget"] = "#ukharvest-preview"
        answer.headers["HX-Reswap"] = "outerHTML"
        return answer
    if tk.request.args.get("seen") == variables["seen"]:
        return Response("", status=204)
    return Response(tk.render("ukharvest/source_preview/progress.html", variables))


def _reload() -> Response:
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
        return {"preview": None}
    most = 0 if preview["source_id"] else BUDGET.records
    done = preview_texts.milestone(preview["done"])
    return {
        "preview": preview,
        "is_fixed": is_fixed,
        "says": preview_texts.progress(
            preview["state"], preview["stage"], done, most=most, position=preview
        ),
        # What tells the text of this progress from others.
        "seen": "-".join(str(preview.get(key, "")) for key in _PROGRESS),
        "record": _first_record(preview["result"]),
    }


def _first_record(result: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the first record that would be imported, with all fields."""
    sample = (result or {}).get("sample", ())
    record = next((row for row in sample if row["fate"] in ("fine", "problems")), None)
    if record is None:
        return None
    facts = [
        (preview_texts.label(key) or label_for_key(key), shown_fact(value))
        for key, value in record["fields"]
    ]
    parts = ("name", "format", "url")
    resources = [
        (gettext("Resource {n}", n=number), " · ".join(filter(None, map(resource.get, parts))))
        for number, resource in enumerate(record["resources"], 1)
    ]
    return {"title": record["title"], "rows": [*facts, *resources]}
