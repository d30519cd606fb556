"""Who may save a source with each option of each source type, over the API: one table."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import source_types
from ckanext.ukharvest.core.options import Option, parse_options
from ckanext.ukharvest.harvest.sources import decision_log
from ckanext.ukharvest.source_types.source_type import COMMON_OPTIONS, SourceType
from tests.ckan.access import (
    EDITORS,
    ROLES,
    SYSADMINS,
    USERS,
    Headers,
    headers_of_roles,
    stored_state,
)

pytestmark = pytest.mark.in_process

# Requests without a valid token are those of nobody: test_access_table.py has all kinds of them.
TOLD_APART = ("anonymous", *USERS)
URL = "https://data.example.gov.uk/catalogue"
SECRET = "https://data.example.gov.uk X-Api-Key: 0123456789"
# Options that reach outside the source's organisation; all others are for its editors too.
FOR_SYSADMINS = {
    *((name, "default_groups") for name in source_types.TYPES),
    *((name, "organisations") for name in source_types.TYPES),
    *((name, "package_schema") for name in source_types.TYPES),
    *((name, "parent_organisation") for name in source_types.TYPES),
    *((name, "remote_orgs") for name in source_types.TYPES),
    ("ckan", "remote_groups"),
}
# Accepted as an option of ckanext-harvest's, to say what to do instead.
FOR_NOBODY = {("ckan", "api_key"), ("ckan", "override_extras")}
# A value of each option that is not its default, where its kind does not tell one.
VALUES: dict[str, Any] = {
    "box": "-6.4,49.9,1.8,55.8",
    "credential": "ours",
    "exclude": ["keyword:test"],
    "exclude_values": ["keyword:test"],
    "default_extras": ["theme=roads"],
    "default_groups": ["transport"],
    "fields": {"title": "name"},
    "filter": (
        '<ogc:Filter xmlns:ogc="http://www.opengis.net/ogc"><ogc:PropertyIsEqualTo>'
        "<ogc:PropertyName>dc:type</ogc:PropertyName><ogc:Literal>dataset</ogc:Literal>"
        "</ogc:PropertyIsEqualTo></ogc:Filter>"
    ),
    "filters": {"accessLevel": ["public"]},
    "fq": "tags:roads",
    "from": "2026-05-01",
    "language": "cy",
    "not_overwrite": ["notes"],
    "organisations": {"Roads Agency": "roads"},
    "include_values": ["keyword:roads"],
    "graphs": ["http://graphs.example/roads"],
    "parameters": ["eo:platform=Sentinel-2"],
    "profiles": ["euro_dcat_ap_2"],
    "query": "SELECT ?dataset WHERE { ?dataset a <http://www.w3.org/ns/dcat#Dataset> }",
    "refine": ["publisher:Leeds City Council"],
    "rows": 50,
    "translations": ["fr"],
    "time_end": "2026-05-31",
    "time_start": "2026-05-01",
    "until": "2026-05-31",
}
OPTIONS = [
    (kind, option)
    for kind in source_types.TYPES.values()
    for option in (*kind.options, *COMMON_OPTIONS)
]


def value_of(option: Option) -> Any:
    if option.name in VALUES:
        return VALUES[option.name]
    if option.choices:
        choice = next(each for each in option.choices if each != option.default)
        return [choice] if option.kind == "list" else choice
    by_kind = {"text": "roads", "integer": 7, "boolean": not option.default, "list": ["roads"]}
    return by_kind[option.kind]


@pytest.fixture
def people(
    organization: dict[str, str], tables: None, ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> dict[str, Headers]:
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.credentials.ours", SECRET)
    factories.Group(name="transport", image_url="")
    return headers_of_roles(organization["id"])


def who_may(kind: SourceType, option: Option) -> frozenset[str]:
    key = (kind.name, option.name)
    if key in FOR_NOBODY:
        return frozenset()
    return SYSADMINS if key in FOR_SYSADMINS else EDITORS


def send(app: CKANTestApp, action: str, headers: Headers, **fields: Any) -> tuple[int, str]:
    model.Session.remove()
    answer = app.post(f"/api/3/action/harvest_source_{action}", json=fields, headers=headers)
    return answer.status_code, answer.body


def refused(status: int, body: str, role: str, option: Option) -> bool:
    """Tell whether an answer refuses a role; who may edit sources is told about the option."""
    if role in EDITORS:
        reason = "only a sysadmin can set it" if option.sysadmin_only else ""
        return status == 409 and f'"{option.name}: ' in body and reason in body
    return status == 403


def test_the_table_names_the_options_that_are_a_sysadmins() -> None:
    reserved = {(kind.name, option.name) for kind, option in OPTIONS if option.sysadmin_only}
    assert reserved == FOR_SYSADMINS
    assert len(OPTIONS) > 80


def test_forbidden_option_is_refused_in_new_source(
    app: CKANTestApp, people: dict[str, Headers], organization: dict[str, str]
) -> None:
    wrong = []
    before = stored_state()
    for number, (kind, option) in enumerate(OPTIONS):
        fields = {
            "title": "Roads",
            "source_type": kind.name,
            "owner_org": organization["id"],
            "config": json.dumps({option.name: value_of(option)}),
        }
        may = who_may(kind, option)
        for role in (role for role in TOLD_APART if role not in may):
            url = f"{URL}/{number}"
            status, body = send(app, "create", people[role], name=f"s-{number}", url=url, **fields)
            if not refused(status, body, role, option):
                wrong.append((kind.name, option.name, role, status, body[:200]))
    assert stored_state() == before, "a refused source leaves nothing"
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize("kind", source_types.TYPES.values(), ids=lambda kind: kind.name)
def test_role_can_create_source_with_its_options(
    app: CKANTestApp, people: dict[str, Headers], organization: dict[str, str], kind: SourceType
) -> None:
    """All options that a role may set at once: a refusal would name the one."""
    for role in ROLES:
        allowed = [each for of, each in OPTIONS if of is kind and role in who_may(kind, each)]
        alone = [each for each in allowed if each.excludes]  # not together with another one
        for part in ([each for each in allowed if each not in alone], alone):
            config = {each.name: value_of(each) for each in part}
            if config:
                name = f"{role}-{len(config)}".replace(" ", "-")
                fields = {"title": "Roads", "source_type": kind.name, "url": f"{URL}/{name}"}
                fields |= {"owner_org": organization["id"], "config": json.dumps(config)}
                status, body = send(app, "create", people[role], name=name, **fields)
                assert status == 200, (role, body)


@pytest.mark.parametrize("action", ["update", "patch"])
def test_options_of_saved_source_follow_the_role(
    app: CKANTestApp, people: dict[str, Headers], organization: dict[str, str], action: str
) -> None:
    """Of a saved source, for the options that reach outside the organisation and one that not."""
    wrong = []
    changes = [*sorted(FOR_SYSADMINS), ("data_json", "default_tags"), ("ckan", "credential")]
    for number, (type_name, name) in enumerate(changes):
        kind = source_types.TYPES[type_name]
        option = next(each for each in (*kind.options, *COMMON_OPTIONS) if each.name == name)
        saved = {
            "name": f"s-{number}",
            "url": f"{URL}/{number}",
            "title": "Roads",
            "source_type": type_name,
            "owner_org": organization["id"],
        }
        status, body = send(app, "create", people["sysadmin"], **saved)
        assert status == 200, body
        source = json.loads(body)["result"]["id"]
        fields = {**saved, "id": source} if action == "update" else {"id": source}
        fields["config"] = json.dumps({name: value_of(option)})
        may = who_may(kind, option)
        before = stored_state()
        for role in (role for role in TOLD_APART if role not in may):
            status, body = send(app, action, people[role], **fields)
            if not refused(status, body, role, option):
                wrong.append((type_name, name, role, status, body[:200]))
        assert stored_state() == before
        for role in sorted(may):
            status, body = send(app, action, people[role], **fields)
            if status != 200:
                wrong.append((type_name, name, role, status, body[:200]))
        stored = HarvestSource.get(source).config
        assert json.loads(stored) == {name: value_of(option)}
    assert not wrong, "\n".join(map(str, wrong))


def test_other_name_of_an_option_follows_the_role(
    app: CKANTestApp, people: dict[str, Headers], organization: dict[str, str]
) -> None:
    option = next(each for each in COMMON_OPTIONS if each.name == "organisations")
    value = value_of(option)
    fields = {"title": "Roads", "source_type": "ckan", "owner_org": organization["id"]}
    fields |= {"name": "roads", "url": URL, "config": json.dumps({option.alias: value})}
    for role in EDITORS - SYSADMINS:
        assert refused(*send(app, "create", people[role], **fields), role, option), role
    status, body = send(app, "create", people["sysadmin"], **fields)
    assert status == 200, body
    source = json.loads(body)["result"]["id"]
    assert decision_log.confirmed_options(source) == {"organisations": value}
    for config in ({option.alias: value}, {option.name: value}, {"default_tags": ["roads"]}):
        patch = {"id": source, "config": json.dumps(config)}
        assert send(app, "patch", people["editor"], **patch)[0] == 200, config
        stored = parse_options(HarvestSource.get(source).config)
        assert value in (stored.get(option.alias), stored.get(option.name)), config
