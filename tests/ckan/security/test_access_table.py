"""Who may call each action: one table, over the API, for all roles and for tokens that ended.

A new action without its row fails. A refused call has changed nothing in the database and queues.
"""

from __future__ import annotations

import ckan.plugins.toolkit as tk
import pytest
from ckan.tests.helpers import CKANTestApp

from tests.ckan.access import ALL, ROLES, Headers, stored_state
from tests.ckan.access_rows import TABLE, call

pytestmark = pytest.mark.in_process

# What a role is answered after another one made the change: it exists, or is gone.
AGAIN = {
    "harvest_job_create": {500},  # ckanext-harvest's
    "harvest_source_delete": {200, 404},
    "ukharvest_duplicate_decide": {404},
    "ukharvest_duplicate_undo": {404},
    "ukharvest_source_move": {404},
}
# Once loaded again, ckanext-harvest also registers its auth functions as actions (one default
# argument collects both). This one is no action; it only returns whether something is allowed.
AUTH_ONLY = {"harvest_sources_clear"}


def test_each_action_has_its_row() -> None:
    tk.get_action("package_show")  # CKAN collects them at the first question
    from ckan.logic import _actions

    registered = {name for name in _actions if "harvest" in name} - AUTH_ONLY
    assert {row.action for row in TABLE} ^ registered == set()
    assert len(registered) > 60


def test_refused_role_changes_nothing(
    app: CKANTestApp, place: dict[str, str], people: dict[str, Headers]
) -> None:
    wrong = []
    before = stored_state()
    for row in TABLE:
        for role in (role for role in ROLES if role not in row.who):
            status = call(app, row, place, people[role]).status_code
            wrong += [] if status == 403 else [(row.action, role, status)]
        after = stored_state()
        changed = [name for name in {*after, *before} if after.get(name) != before.get(name)]
        wrong += [(row.action, "changed", changed)] if changed else []
        before = after
    assert not wrong, "\n".join(map(str, wrong))


def test_allowed_role_can_call_each_action(
    app: CKANTestApp, place: dict[str, str], people: dict[str, Headers]
) -> None:
    """The first of them succeeds; a change that was made already may be refused as such (409)."""
    wrong = []
    for row in TABLE:
        for number, role in enumerate(role for role in ROLES if role in row.who):
            answer = call(app, row, place, people[role])
            allowed = {200} if number == 0 or row.who == ALL else AGAIN.get(row.action, {200, 409})
            if answer.status_code not in allowed:
                wrong.append((row.action, row.given, role, answer.status_code, answer.body[:300]))
    assert not wrong, "\n".join(map(str, wrong))
