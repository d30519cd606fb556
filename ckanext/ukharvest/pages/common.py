"""What pages share: whose request it is, asking actions, forms' tokens, tables as files."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from flask import Response, current_app
from flask import abort as flask_abort
from flask_wtf.csrf import validate_csrf
from wtforms import ValidationError as BadToken


def context() -> dict[str, Any]:
    """Return a context for actions, of who asks for the page.

    As CKAN's own pages do, it brings the user along: each check would read them anew.
    """
    return {
        "user": tk.current_user.name,
        "auth_user_obj": tk.current_user,
        "model": model,
        "session": model.Session,
    }


def ask(action: str, **data: Any) -> Any:
    """Return an action's answer, or leave with the page of what is wrong.

    Whom nobody knows is not told that there is something they may not see.
    """
    try:
        return tk.get_action(action)(context(), data)
    except tk.NotAuthorized:
        refuse_part()
        if not tk.current_user.is_anonymous:
            return tk.abort(403, tk._("Not authorised to see this page"))
        return tk.abort(404, tk._("There is nothing of this name or id."))
    except tk.ObjectNotFound:
        return tk.abort(404, tk._("There is nothing of this name or id."))
    except tk.ValidationError as exc:
        return tk.abort(400, str(exc.error_summary))


def refuse_part() -> None:
    """Leave with 403 alone where a page asks for a part of itself: it stays as it is.

    It is the script of an open page that asks, every few seconds, such as when a session is over:
    a login page would stand in place of the part, and each ``tk.abort`` keep one message more for
    the next page.
    """
    if tk.request.headers.get("HX-Request"):
        flask_abort(Response(status=403))


def dataset(name_or_id: str) -> dict[str, Any]:
    """Return a dataset as package_show does, or leave as CKAN's page of the dataset does."""
    hidden = tk._("Dataset not found or you have no permission to view it")
    try:
        return dict(tk.get_action("package_show")(context(), {"id": name_or_id}))
    except tk.ObjectNotFound:
        return tk.abort(404, hidden)
    except tk.NotAuthorized:
        is_told = tk.config.get("ckan.auth.reveal_private_datasets")
        return tk.abort(403 if is_told else 404, hidden)


def check_token() -> None:
    """Leave with 403 if a sent form has not the token of its page."""
    # CKAN can be told to leave extensions' routes alone (ckan.csrf_protection.ignore_extensions).
    if not current_app.config.get("WTF_CSRF_ENABLED", True):
        return
    field = current_app.config.get("WTF_CSRF_FIELD_NAME", "csrf_token")
    try:
        validate_csrf(tk.request.form.get(field))
    except BadToken:
        tk.abort(403, tk._("The form is out of date: go back, reload the page and try again"))


def pages_of(count: int, per_page: int) -> int:
    """Return how many pages a list of so many takes; 0 for an empty one."""
    return -(-count // per_page)


def csv_response(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], name: str) -> Response:
    """Return a table as a file to save; ``name``: the file's, less its end."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([_cell(row[column]) for column in columns] for row in rows)
    response = Response(text.getvalue(), content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return asked_anew(response)


def asked_anew(response: Any) -> Any:
    """Have an answer asked for each time: CKAN would let caches keep it, for everybody."""
    tk.request.environ["__no_cache__"] = True
    response.cache_control.no_cache = True
    return response


def _cell(value: Any) -> Any:
    """A title that begins like a formula would be one in a spreadsheet, and work."""
    is_formula = isinstance(value, str) and value.lstrip().startswith(("=", "+", "-", "@"))
    return f"'{value}" if is_formula else value
