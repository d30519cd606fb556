"""Roles, and what is private: it changes nothing that others get, no title, count, file or figure.

All pages and actions that strangers may read are read twice, first with the private source and the
private dataset deleted, and then with both. Members of the organisation see them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp

from ckanext.ukharvest.lib.permissions import roles_of
from tests.ckan.access import ANY_EDITOR, MEMBERS, USERS, Headers
from tests.ckan.access_rows import TABLE, call
from tests.ckan.harvesting import act
from tests.ckan.routes import READ, filled

pytestmark = [pytest.mark.in_process, pytest.mark.timeout(900)]

Place = dict[str, str]
STRANGERS = ("anonymous", *(role for role in USERS if role not in MEMBERS))
FACETS = (
    '["organization","source_type","harvest_source_title","stars","theme-primary","res_format"]'
)
# Pages and actions of CKAN that list datasets, sources or organisations.
LISTS = (
    "/",
    "/dataset/",
    "/dataset/?q=Dataset",
    "/organization/",
    "/organization/{organization}",
    "/harvest/?q=Source",
    "/harvest/?organization={organization}",
    f"/api/3/action/package_search?facet.field={FACETS}&fl=*",
    f"/api/3/action/package_search?fq=dataset_type:harvest&facet.field={FACETS}&fl=*",
    "/api/3/action/package_list",
    "/api/3/action/organization_show?id={organization}&include_datasets=true",
    "/api/3/action/ukharvest_source_list?q=Source&facets=true",
    "/stats",
)
# Of the private ones themselves: refused, or an action's refusal with their id.
ASKED_FOR = re.compile(r"@private|<resource_id>")
VARYING = re.compile(
    r"_csrf_token.{0,200}?value=\S+|name=\"_csrf_token\" content=\S+|\d{4}-\d\d-\d\d[T ][\d:.+Z]+"
    r"|\d+ \w+ 20\d\d, \d\d:\d\d|\d+ (?:seconds?|minutes?) ago|just now|\"(?:QTime|time)\": \d+"
)
PUBLIC = [route for route, who in READ.items() if who >= ANY_EDITOR]
ACTIONS = [
    row
    for row in TABLE[: next(n for n, row in enumerate(TABLE) if row.action.endswith("_update"))]
    if row.who >= ANY_EDITOR and not ASKED_FOR.search(str(row.given))
    if not row.action.endswith("_create")
]


def answers(app: CKANTestApp, place: Place, headers: Headers) -> Iterator[tuple[str, str]]:
    """Yield what was asked for and answered, without what differs from one call to the next."""
    urls = [filled(route, place) for route in PUBLIC]
    urls += [url.format(**place) for url in LISTS]
    for url in urls:
        answer = app.get(url, headers=headers, follow_redirects=False)
        yield url, f"{answer.status_code} {VARYING.sub('', answer.body)}"
    for row in ACTIONS:
        answer = call(app, row, place, headers)
        yield f"{row.action} {row.given}", VARYING.sub("", answer.body)


def marks(text: str, place: Place) -> list[str]:
    names = ("Hidden source", "Dataset 00001", "/hidden", "private source", "private dataset")
    return [name for name in names if place.get(name, name) in text]


@pytest.fixture
def hidden(place: Place) -> Place:
    """The place, whose private source and dataset are deleted."""
    act("harvest_source_patch", id=place["private source"], title="Hidden source")
    change(place, "deleted")
    return place


def change(place: Place, state: str) -> None:
    for name in ("private source", "private dataset"):
        act("package_patch", id=place[name], state=state)
    model.Session.remove()


def test_private_things_are_seen_by_members_alone(
    app: CKANTestApp, hidden: Place, people: dict[str, Headers]
) -> None:
    before = {role: dict(answers(app, hidden, people[role])) for role in STRANGERS}
    change(hidden, "active")
    differing = []
    for role in STRANGERS:
        after = dict(answers(app, hidden, people[role]))
        differing += [
            (role, asked, marks(text, hidden), first_difference(before[role][asked], text))
            for asked, text in after.items()
            if text != before[role][asked] or marks(text, hidden)
        ]
    assert not differing, "\n".join(map(str, differing))
    for role in MEMBERS:
        seen = {asked: marks(text, hidden) for asked, text in answers(app, hidden, people[role])}
        assert "Hidden source" in seen["/harvest/"], role
        assert "Dataset 00001" in seen["/dataset/"], role


def first_difference(one: str, other: str) -> str:
    at = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    return f"{one[max(0, at - 60) : at + 60]!r} became {other[max(0, at - 60) : at + 60]!r}"


def test_roles_that_cascade_count_at_each_level_below(clean: None) -> None:
    top, middle, bottom = (factories.Organization(image_url="")["id"] for _level in range(3))
    for below, above in ((middle, top), (bottom, middle)):
        act("organization_patch", id=below, groups=[{"name": above}])
    of_two = factories.User(image_url="")["name"]
    act("organization_member_create", id=middle, username=of_two, role="member")
    act("organization_member_create", id=top, username=of_two, role="admin")
    assert roles_of(of_two) >= {(each, "admin") for each in (top, middle, bottom)}
    # Of the roles CKAN hands down an administrator's alone.
    for role in ("member", "editor"):
        user = factories.User(image_url="")["name"]
        act("organization_member_create", id=top, username=user, role=role)
        assert roles_of(user) == {(top, role)}
