"""Checks of /harvest/check."""

from __future__ import annotations

import io
from typing import Any

from ckan import model
from ckan.tests.helpers import CKANTestApp
from lxml import html

from tests.ckan.harvesting import act
from tests.ckan.previews.previewing import work

FORM = "/harvest/check"


def as_user(user: dict[str, str] | None) -> dict[str, Any]:
    return {"headers": {"Authorization": user["token"]}} if user else {}


def send(app: CKANTestApp, user: dict[str, str] | None, **fields: Any) -> Any:
    """Send the form as a browser does."""
    model.Session.remove()
    sent = {key: as_file(value) for key, value in fields.items()}
    multipart = {"content_type": "multipart/form-data", "follow_redirects": False}
    return app.post(FORM, data=sent, **multipart, **as_user(user))


def as_file(value: Any) -> Any:
    return (io.BytesIO(value[1]), value[0]) if isinstance(value, tuple) else value


def checked(app: CKANTestApp, user: dict[str, str] | None, **fields: Any) -> tuple[Any, str]:
    """Check something, and return the result and its page as a visitor sees it."""
    answer = send(app, user, **fields)
    assert answer.status_code == 302, errors_of(answer)
    path = answer.headers["Location"].removeprefix("http://test.ckan.net")
    waiting = app.get(path).body
    assert "Test in progress" in waiting
    work()
    page = app.get(path)
    assert page.headers["X-Robots-Tag"] == "noindex"
    assert "no-store" in page.headers["Cache-Control"]
    return act("ukharvest_source_preview_show", id=path.rpartition("/")[2]), page.body


def errors_of(answer: Any) -> list[str]:
    found = html.fromstring(answer.body).xpath("//*[@role='alert']//li")
    return [" ".join(each.text_content().split()) for each in found]
