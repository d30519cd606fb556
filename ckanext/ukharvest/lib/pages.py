"""Calls of actions, CSRF tokens, paging, CSV answers and checks of requests, for all pages."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from ckan.lib.helpers import Page
from ckan.plugins import toolkit as tk
from flask import Blueprint, Response, current_app, jsonify, redirect
from flask import abort as flask_abort
from flask.blueprints import BlueprintSetupState
from flask_wtf.csrf import validate_csrf
from markupsafe import Markup
from wtforms import ValidationError as BadToken

from ckanext.ukharvest import config
from ckanext.ukharvest.core.values.text import as_cell, clean_text
from ckanext.ukharvest.harvest.records import conflicts
from ckanext.ukharvest.lib import actions as action_tools
from ckanext.ukharvest.lib import lookups, slots, texts
from ckanext.ukharvest.lib.actions import collect_pages, context
from ckanext.ukharvest.lib.texts import gettext
from ckanext.ukharvest.reading.budget import MIB

PER_PAGE = 50
CSV_PAGE = 1000  # results of one call
LAST_PAGE = 1_000_000  # PostgreSQL takes no offset of any size


def has_page(endpoint: str) -> bool:
    """Tell whether the portal has a page: it lacks those of features that are removed.

    False outside an application, as in code that calls actions by itself.
    """
    return bool(current_app) and endpoint in current_app.view_functions


def ask(action: str, **data: Any) -> Any:
    """Call an action and return its result; on an error abort with 400, 403 or 404."""
    try:
        return _call(action, data)
    except tk.ValidationError as exc:
        summary = exc.error_summary.items()
        return tk.abort(400, " ".join(f"{field}: {message}." for field, message in summary))


def _call(action: str, data: dict[str, Any]) -> Any:
    """Call an action; abort with 403 or 404 if the user may not, or there is nothing of this id.

    Anonymous users get 404 instead of 403, so that private objects are not revealed.
    """
    try:
        return tk.get_action(action)(context(), data)
    except tk.NotAuthorized as exc:
        refuse_fragment()
        return abort_not_found() if tk.current_user.is_anonymous else tk.abort(403, str(exc))
    except tk.ObjectNotFound:
        return abort_not_found()


def abort_not_found() -> NoReturn:
    """Abort with 404."""
    tk.abort(404, tk._("Page not found"))
    raise AssertionError  # tk.abort does not come back


def refuse_fragment() -> None:
    """Abort with a bare 403 if htmx requests a part of a page, which then stays unchanged.

    An open page requests its parts every few seconds, also after the session has ended: htmx would
    insert a login page, and each ``tk.abort`` would add a flash message for the next page.
    """
    if tk.request.headers.get("HX-Request"):
        flask_abort(Response(status=403))


def load_dataset(name_or_id: str) -> dict[str, Any]:
    """Return a dataset from package_show, or abort as CKAN's page of the dataset does."""
    try:
        return dict(tk.get_action("package_show")(context(), {"id": name_or_id}))
    except tk.ObjectNotFound:
        return abort_not_found()
    except tk.NotAuthorized as exc:
        is_revealed = tk.config.get("ckan.auth.reveal_private_datasets")
        return tk.abort(403, str(exc)) if is_revealed else abort_not_found()


def check_token() -> None:
    """Abort with 403 if a sent form has no valid CSRF token."""
    # ckan.csrf_protection.ignore_extensions can switch off CKAN's check for extensions' routes.
    if not current_app.config.get("WTF_CSRF_ENABLED", True):
        return
    field = current_app.config.get("WTF_CSRF_FIELD_NAME", "csrf_token")
    try:
        validate_csrf(tk.request.form.get(field))
    except BadToken:
        tk.abort(403, tk._("The form is out of date: go back, reload the page and try again"))


def url_filters(names: Iterable[str]) -> dict[str, str]:
    """Return the filters of these names that the URL has."""
    return {name: text for name in names if (text := tk.request.args.get(name, ""))}


def load_page(action: str, route: str, filters: Mapping[str, str]) -> Page:
    """Return the page of a list action's results that the URL asks for, for CKAN's pager.

    Args:
        route: endpoint of the page, which takes the filters.
    """
    listed, number = ask_page(action, PER_PAGE, **filters)
    count_pages(listed["count"], PER_PAGE, number)
    return Page(
        collection=listed["results"],
        page=number,
        url=lambda **more: str(tk.url_for(route, **filters, **more)),
        item_count=listed["count"],
        items_per_page=PER_PAGE,
        presliced_list=True,
    )


def ask_page(action: str, per_page: int, **data: Any) -> tuple[Any, int]:
    """Return the page of an action's results that the URL asks for, and its number."""
    number = asked_page()
    return ask(action, **data, limit=per_page, offset=(number - 1) * per_page), number


def load_all(action: str, filters: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return all results of a list action."""
    return collect_pages(lambda offset: ask(action, **filters, limit=CSV_PAGE, offset=offset))


def asked_page() -> int:
    """Return the number of the page that the address asks for, from 1."""
    number: int = tk.h.get_page_number(tk.request.args)
    return min(max(1, number), LAST_PAGE)


def count_pages(count: int, per_page: int, number: int = 1) -> int:
    """Return the number of pages for a list of ``count`` items; 0 for an empty one.

    Redirects to the last page if ``number`` is beyond it, such as in an old link.
    """
    pages = -(-count // per_page)
    if number > max(1, pages):
        asked = {**(tk.request.view_args or {}), **tk.request.args.to_dict(flat=False)}
        last = {**asked, "page": max(1, pages)}
        flask_abort(redirect(tk.url_for(tk.request.endpoint, **last)))
    return pages


def attempt(action: str, **data: Any) -> Any:
    """Call an action; return None and say why on the next page if it refuses the data."""
    try:
        return _call(action, data)
    except tk.ValidationError as exc:
        action_tools.roll_back()
        reasons = conflicts.words_by_field(exc.error_dict)
        words = (f"{field}: {text}" if ": " in field else text for field, text in reasons)
        tk.h.flash_error(" ".join(words))
        return None


def csv_response(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], name: str) -> Response:
    """Return a table as a CSV download; ``name`` is the file name without extension.

    Without control characters, which a terminal that prints the file obeys.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows(
        [
            as_cell(clean_text(cell)) if isinstance(cell := row[column], str) else cell
            for column in columns
        ]
        for row in rows
    )
    response = Response(text.getvalue(), content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return prevent_caching(response)


def prevent_caching(response: Any) -> Any:
    """Mark a response as not to be cached; CKAN would let shared caches store it."""
    tk.request.environ["__no_cache__"] = True
    response.cache_control.no_cache = True
    return response


gate = Blueprint("ukharvest_gate", __name__)

# What everybody may request and costs much: a large record takes seconds to lay out, the figures
# of stars read the rows of all datasets, and an exported file may have to be decompressed.
# tests/ckan/lib/test_actions.py counts the rest.
LIMITED_PAGES = frozenset(
    {"ukharvest_records.raw", "ukharvest_records.readable"}
    | {"ukharvest_stars.report", "ukharvest_stars.report_csv"}
    | {"ukharvest_data_checks.report", "ukharvest_data_checks.report_csv"}
    | {"ukharvest_export.file"}
)
LIMITED_ACTIONS = frozenset({"ukharvest_stars_list", "ukharvest_data_check_list"})
# What takes texts and files; a form has two of them and its other fields.
SIZED_PAGES = frozenset({"ukharvest_source_previews.create_check"})
SIZED_ACTIONS = frozenset({"ukharvest_source_preview_create"})
_OTHER_FIELDS = 64 * 1024  # bytes


@gate.record
def _read_sizes_first(state: BlueprintSetupState) -> None:
    """Call ``refuse_large`` after CKAN's first function: the next one may read the form.

    That is the check of the CSRF token.
    """
    state.app.before_request_funcs.setdefault(None, []).insert(1, refuse_large)


def _is_of_api(actions: frozenset[str]) -> bool:
    """Tell whether a request is the API's, for one of the actions."""
    action = (tk.request.view_args or {}).get("logic_function")
    return tk.request.endpoint == "api.action" and action in actions


def refuse_large() -> Any:
    """Abort with 413 if a text or file to check is too large, before anything reads it."""
    is_action = _is_of_api(SIZED_ACTIONS)
    if not (is_action or tk.request.endpoint in SIZED_PAGES) or tk.request.method != "POST":
        return None
    most = 2 * config.CHECK_MEGABYTES * MIB + _OTHER_FIELDS
    size = tk.request.content_length
    tk.request.max_form_memory_size = most  # Flask's default is half a megabyte
    if size is not None and size <= most:
        return None
    status, message = 411, "The request does not say its length: send Content-Length."
    if size is not None:
        status, message = (
            413,
            gettext(
                "This is larger than {n} MB, which is the most that can be checked here",
                n=config.CHECK_MEGABYTES,
            ),
        )
    if not is_action:
        return tk.abort(status, message)
    response = jsonify(success=False, error={"__type": "Too Large", "message": message})
    response.status_code = status
    return prevent_caching(response)


gate.before_app_request(lookups.begin_page)
gate.teardown_app_request(lookups.end_page)


@gate.before_app_request
def refuse_nul() -> None:
    """Abort with 404 if the URL has %00: PostgreSQL cannot store a NUL."""
    for value in (tk.request.view_args or {}).values():
        if isinstance(value, str) and "\0" in value:
            abort_not_found()


@gate.before_app_request
def keep_from_caches() -> None:
    """Let no shared cache store what a logged-in user gets: CKAN sees to pages alone.

    Not to redirects, files and parts of pages.
    """
    if is_ours() and not tk.current_user.is_anonymous:
        tk.request.environ["__no_cache__"] = True


@gate.before_app_request
def limit_visitors() -> Any:
    """Answer 429 if an anonymous visitor, or all together, request too much of what costs much."""
    is_action = _is_of_api(LIMITED_ACTIONS)
    if not (is_action or tk.request.endpoint in LIMITED_PAGES) or not tk.current_user.is_anonymous:
        return None
    seconds = action_tools.seconds_to_wait(tk.request.remote_addr or "")
    if not seconds:
        return None
    message = tk._("Too many requests. Wait a minute, or log in.")
    response = (
        jsonify(success=False, error={"__type": "Too Many Requests", "message": message})
        if is_action
        else Response(message, content_type="text/plain; charset=utf-8")
    )
    response.status_code, response.headers["Retry-After"] = 429, str(seconds)
    return prevent_caching(response)


def is_ours() -> bool:
    """Tell whether the requested page is one of this extension."""
    return (tk.request.blueprint or "").startswith("ukharvest")


@gate.record
def _forbid_frames_last(state: BlueprintSetupState) -> None:
    """Call ``forbid_frames`` after all other functions, which may set rules of the portal."""
    state.app.after_request_funcs.setdefault(None, []).insert(0, forbid_frames)


def forbid_frames(response: Response) -> Response:
    """Let no other site show our pages in a frame, where it could steer clicks on their buttons.

    Unless the portal has a rule of its own about frames.
    """
    if not is_ours() or response.mimetype != "text/html" or "X-Frame-Options" in response.headers:
        return response
    policies = response.headers.getlist("Content-Security-Policy")
    if not any("frame-ancestors" in policy for policy in policies):
        response.headers.add("Content-Security-Policy", "frame-ancestors 'self'")
    return response


def ukharvest_slot(place: str, *args: Any) -> Markup:
    """Return what features add to a place of a page, "" for nothing.

    Args:
        place: one of ``slots.PLACES``, which says what its arguments are.
    """
    shown = ((slot.snippet, slot.facts(*args)) for slot in slots.slots_of(place))
    return Markup("").join(tk.h.snippet(snippet, facts=facts) for snippet, facts in shown if facts)


def ukharvest_page(endpoint: str, otherwise: str = "", **values: Any) -> str:
    """Return the URL of a feature's page; where the feature is removed of another page, or "".

    Args:
        otherwise: endpoint of that page.
    """
    name = endpoint if has_page(endpoint) else otherwise
    return str(tk.h.url_for(name, **values)) if name else ""


HELPERS = {
    "ukharvest_age": texts.age,
    "ukharvest_day": lambda time: texts.when(time, day_only=True),
    "ukharvest_duration": texts.duration,
    "ukharvest_number": texts.number,
    "ukharvest_status": texts.find_label,
    "ukharvest_time": texts.when,
}
