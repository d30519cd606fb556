"""What is looked up once for a page is not kept for longer."""

from __future__ import annotations

import itertools

import pytest
from ckan.tests.helpers import CKANTestApp

from ckanext.ukharvest.lib import lookups

pytestmark = pytest.mark.in_process


def asked_twice() -> list[int]:
    numbers = itertools.count()
    return [lookups.once("number", lambda: next(numbers)) for _ in range(2)]


def test_command_in_a_made_up_request_keeps_nothing(app: CKANTestApp) -> None:
    """Each command of ckanext-harvest, consumers included, runs inside one."""
    with app.flask_app.test_request_context():
        assert asked_twice() == [0, 1]


@pytest.mark.parametrize(("method", "expected"), [("get", [0, 0]), ("post", [0, 1])])
def test_page_that_only_reads_keeps_what_it_asked(
    app: CKANTestApp, monkeypatch: pytest.MonkeyPatch, method: str, expected: list[int]
) -> None:
    seen: list[list[int]] = []
    hooks = app.flask_app.before_request_funcs

    def note() -> None:
        seen.append(asked_twice())

    monkeypatch.setitem(hooks, None, [*hooks[None], note])
    getattr(app, method)("/harvest/nothing-here", status={"get": 404, "post": 405}[method])
    with app.flask_app.test_request_context():
        assert asked_twice() == [0, 1]
    assert seen == [expected]
