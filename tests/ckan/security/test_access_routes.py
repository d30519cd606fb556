"""Who may request each page of ours: one table of all routes and roles.

A new route without its row fails. GET changes nothing for anybody, POST nothing for whom it
refuses.
"""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests.helpers import CKANTestApp
from lxml import html

from ckanext.ukharvest import features
from tests.ckan.access import ROLES, Headers, stored_state
from tests.ckan.routes import FORM, PRIVATE, READ, SENT, WITHOUT_TOKEN, Place, filled

pytestmark = pytest.mark.in_process

Session = model.Session


def status_of(app: CKANTestApp, method: str, url: str, headers: Headers) -> int:
    Session.remove()
    name = {"name": "somewhere"} if "/edit/" in url else {}
    data: dict[str, Any] = {} if method == "get" else {"data": {**FORM, **name}}
    answer = getattr(app, method)(url, headers=headers, follow_redirects=False, **data)
    if answer.status_code == 302 and "/user/login" in answer.headers["Location"]:
        return 403
    return int(answer.status_code)


def wrong_answers(
    app: CKANTestApp, people: dict[str, Headers], method: str, url: str, who: frozenset[str]
) -> list[tuple[str, str, str, int]]:
    """Return the answers that the table does not expect."""
    found = []
    # CKAN 2.11's own page of a dataset fails for the token of a deleted user.
    asked = [role for role in ROLES if role != "deleted user" or tk.check_ckan_version("2.12.0b0")]
    for role in asked:
        status = status_of(app, method, url, people[role])
        if (status >= 400) if role in who else (status not in (403, 404)):
            found.append((method, url, role, status))
    return found


def test_each_route_has_its_row(app: CKANTestApp) -> None:
    names = {each.name for each in features.blueprints()}
    routes: dict[str, set[str]] = {"GET": set(), "POST": set()}
    for rule in app.flask_app.url_map.iter_rules():
        if rule.endpoint.partition(".")[0] in names:
            for method in routes:
                routes[method] |= {rule.rule} if method in (rule.methods or ()) else set()
    assert routes["GET"] ^ READ.keys() == set()
    assert routes["POST"] ^ SENT.keys() == set()
    assert set(PRIVATE) <= set(READ)


def test_pages_by_role(app: CKANTestApp, busy_place: Place, people: dict[str, Headers]) -> None:
    wrong = []
    before = stored_state()
    for route, who in READ.items():
        wrong += wrong_answers(app, people, "get", filled(route, busy_place), who)
    for route, who in PRIVATE.items():
        wrong += wrong_answers(app, people, "get", filled(route, busy_place, private=True), who)
    assert not wrong, "\n".join(map(str, wrong))
    after = stored_state()
    assert [name for name in {*after, *before} if after.get(name) != before.get(name)] == []


def test_forms_by_role(app: CKANTestApp, busy_place: Place, people: dict[str, Headers]) -> None:
    wrong = []
    for route, who in SENT.items():
        url, before = filled(route, busy_place), stored_state()
        others = [role for role in ROLES if role not in who]
        for role in others:
            status = status_of(app, "post", url, people[role])
            wrong += [] if status in (403, 404) else [("post", url, role, status)]
        after = stored_state()
        changed = [name for name in {*after, *before} if after.get(name) != before.get(name)]
        wrong += [("post", url, "changed", changed)] if changed else []
        for role in sorted(who, key=ROLES.index):
            status = status_of(app, "post", url, people[role])
            wrong += [("post", url, role, status)] if status >= 400 else []
    assert not wrong, "\n".join(map(str, wrong))


def test_no_form_is_sent_without_its_token(
    app: CKANTestApp, busy_place: Place, people: dict[str, Headers], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor with a token that CKAN did not make, whatever the portal ignores for extensions."""
    monkeypatch.setitem(app.flask_app.config, "WTF_CSRF_ENABLED", True)
    field = app.flask_app.config["WTF_CSRF_FIELD_NAME"]
    before, wrong = stored_state(), []
    for route in SENT.keys() - WITHOUT_TOKEN:
        for forged in ({}, {field: "forged"}):
            data, url = {**FORM, **forged}, filled(route, busy_place)
            headers = people["sysadmin"]
            answer = app.post(url, data=data, headers=headers, follow_redirects=False)
            wrong += [] if answer.status_code in (400, 403) else [(route, answer.status_code)]
    assert wrong == []
    assert stored_state() == before


def test_no_proxy_keeps_what_is_for_some(
    app: CKANTestApp, busy_place: Place, people: dict[str, Headers]
) -> None:
    """Pages, parts of pages and redirects of users who are logged in, and every CSV file."""
    asked = [(filled(route, busy_place), "sysadmin") for route in READ]
    asked += [(filled(route, busy_place, private=True), "sysadmin") for route in PRIVATE]
    asked += [(filled(route, busy_place), "anonymous") for route in READ if route.endswith(".csv")]
    kept = []
    for url, role in asked:
        answer = app.get(url, headers=people[role], follow_redirects=False)
        rules = answer.headers.get("Cache-Control", "")
        is_login = role == "anonymous" and answer.status_code == 302
        if (
            answer.status_code < 400
            and not is_login
            and not {"private", "no-store"} & {*rules.split(", ")}
        ):
            kept.append((url, role, rules))
    assert kept == []


def frame_rules(answer: Any) -> list[str]:
    """Return what a response says about frames."""
    names = ("Content-Security-Policy", "X-Frame-Options")
    return [rule for name in names for rule in answer.headers.getlist(name)]


def forms_without_token(page: str) -> list[str]:
    """Return the forms of ours that would be refused, for want of a token."""
    forms = html.fromstring(page).iterfind(".//form[@method]")
    sent = [form for form in forms if form.get("method").lower() == "post"]
    return [str(form.action) for form in sent if "_csrf_token" not in form.fields]


def test_no_other_site_can_frame_a_page(
    app: CKANTestApp, busy_place: Place, people: dict[str, Headers]
) -> None:
    """Pages, forms, confirmations and refusals of every route: a hidden frame gets no clicks."""
    asked = [("get", route, "sysadmin") for route in READ]
    asked += [("post", route, "anonymous") for route in SENT]
    pages = {}
    for method, route, role in asked:
        headers, url = people[role], filled(route, busy_place)
        answer = getattr(app, method)(url, headers=headers, follow_redirects=False)
        if answer.mimetype == "text/html":
            pages[method, route] = answer
    assert {route for method, route in pages if method == "post"} == set(SENT)
    forms = {route for method, route in pages if method == "get"} & set(SENT)
    assert len(forms) > 10
    framed = [
        key for key, answer in pages.items() if "frame-ancestors 'self'" not in frame_rules(answer)
    ]
    assert framed == []
    assert [key for key, answer in pages.items() if forms_without_token(answer.body)] == []
    assert frame_rules(app.get("/about")) == []  # CKAN's own pages stay as the portal has them


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-Frame-Options", "ALLOWALL"),
        ("Content-Security-Policy", "frame-ancestors https://council.example"),
    ],
)
def test_rule_of_the_portal_for_frames_stays(
    app: CKANTestApp, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    """As another plugin sets it, after ours and CKAN's own functions."""

    def set_rule(response: Any) -> Any:
        response.headers[name] = value
        return response

    functions = app.flask_app.after_request_funcs
    monkeypatch.setitem(functions, None, [*functions[None], set_rule])
    assert frame_rules(app.get("/harvest/")) == [value]


def test_other_policies_of_the_portal_stay_beside_ours(
    app: CKANTestApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    def set_policy(response: Any) -> Any:
        response.headers["Content-Security-Policy"] = "img-src 'self'"
        return response

    functions = app.flask_app.after_request_funcs
    monkeypatch.setitem(functions, None, [*functions[None], set_policy])
    assert frame_rules(app.get("/harvest/")) == ["img-src 'self'", "frame-ancestors 'self'"]
