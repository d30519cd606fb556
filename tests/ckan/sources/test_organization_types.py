"""Types of organisations: the form, the facet of datasets, and the filter of sources."""

from __future__ import annotations

import csv
import io
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from lxml import html

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.harvest.index import search_index
from ckanext.ukharvest.harvest.index.pending_index import PendingIndex
from tests.ckan.browser import Visitor
from tests.ckan.harvesting import Portal, act, statements, tick

pytestmark = [pytest.mark.in_process, pytest.mark.usefixtures("portal")]

FIELD = "organization_type"
LOCAL, CENTRAL = "Local Government", "Central Government"


def council(name: str, type_: str = "", **fields: Any) -> dict[str, Any]:
    extras = [{"key": FIELD, "value": type_}] if type_ else []
    more = {"extras": extras, "image_url": "", **fields}
    return dict(factories.Organization(name=name, title=name.title(), **more))


def set_type(organization: dict[str, Any], value: str) -> None:
    """Set an organisation's type, as a script does; "" removes it, as the form does."""
    extras = [{"key": FIELD, "value": value}]
    more = {"extras": extras} if value else {"ukharvest_organization_type": ""}
    act("organization_patch", id=organization["id"], **more)


def facet(fq: str = "") -> dict[str, int]:
    found = call_action("package_search", **{"fq": fq, "facet.field": [FIELD]})
    items = found["search_facets"][FIELD]["items"]
    return {item["display_name"]: item["count"] for item in items}


def waiting() -> set[str]:
    model.Session.remove()
    return {row[0] for row in model.Session.query(PendingIndex.package_id)}


def token(user: dict[str, Any]) -> dict[str, str]:
    return {"Authorization": factories.APIToken(user=user["name"])["token"]}


class TestFacet:
    def test_datasets_are_counted_by_the_type_of_their_organisation(self) -> None:
        borchester = council("borchester", "local-council")
        felpersham = council("felpersham", LOCAL)
        for organization in (borchester, borchester, felpersham, council("none")):
            factories.Dataset(owner_org=organization["id"])
        factories.Dataset(owner_org=council("kept", "Cooperative")["id"])
        factories.Dataset()
        assert facet() == {"Local government": 3, "Cooperative": 1}
        assert call_action("package_search", fq=f'{FIELD}:"{LOCAL}"')["count"] == 3

    def test_data_govs_own_query(self) -> None:
        factories.Dataset(owner_org=council("nasa", "Federal Government")["id"])
        assert call_action("package_search", fq=f'{FIELD}:"Federal Government"')["count"] == 1

    def test_an_extra_of_a_dataset_counts_for_nothing(self) -> None:
        extras = [{"key": FIELD, "value": CENTRAL}]
        factories.Dataset(owner_org=council("none")["id"], extras=extras)
        factories.Dataset(owner_org=council("borchester", LOCAL)["id"], extras=extras)
        assert facet() == {"Local government": 1}

    def test_the_page(self, app: CKANTestApp) -> None:
        factories.Dataset(owner_org=council("borchester", LOCAL)["id"], title="Parking")
        factories.Dataset(owner_org=council("treasury", CENTRAL)["id"], title="Budget")
        page = html.fromstring(app.get("/dataset/").body)
        [part] = page.xpath("//section[h2[contains(., 'Type of organisation')]]")
        assert [each.text_content().strip() for each in part.xpath(".//li/a/span[1]")] == [
            "Central government",
            "Local government",
        ]
        assert FIELD not in part.text_content()
        chosen = app.get(part.xpath(".//a/@href")[1]).body
        assert "Parking" in chosen
        assert "Budget" not in chosen

    def test_sources_are_found_by_it_too(self, portal: Portal) -> None:
        council("other", CENTRAL)
        set_type({"id": portal.organization_id}, LOCAL)
        portal.source("https://data.example/one.json")
        assert facet("type:harvest") == {"Local government": 1}


class TestChange:
    def test_datasets_are_indexed_again_at_the_next_tick(self, portal: Portal) -> None:
        organization = council("borchester", "local")
        datasets = {factories.Dataset(owner_org=organization["id"])["id"] for _number in range(3)}
        source = portal.source("https://data.example/1.json", owner_org=organization["id"])
        other = factories.Dataset(owner_org=council("treasury", CENTRAL)["id"])
        assert facet() == {"Local government": 3, "Central government": 1}
        with statements("INSERT INTO ukharvest_index_pending") as sent:
            set_type(organization, CENTRAL)
        assert len(sent) == 1
        assert waiting() == {*datasets, source}
        assert facet() == {"Local government": 3, "Central government": 1}  # not in the request
        tick()
        assert waiting() == set()
        assert facet() == {"Central government": 4}
        assert other
        set_type(organization, "")
        tick()
        assert facet() == {"Central government": 1}

    def test_any_other_change_indexes_nothing(self) -> None:
        organization = council("borchester", "local")
        factories.Dataset(owner_org=organization["id"])
        act("organization_patch", id=organization["id"], description="About us.")
        set_type(organization, LOCAL)  # another spelling of the same
        assert waiting() == set()

    def test_a_deleted_dataset_is_left_out(self) -> None:
        organization = council("borchester")
        dataset = factories.Dataset(owner_org=organization["id"])
        act("package_delete", id=dataset["id"])
        set_type(organization, LOCAL)
        assert waiting() == set()

    def test_a_refused_change_notes_nothing(self) -> None:
        organization = council("borchester")
        factories.Dataset(owner_org=organization["id"])
        sent = {"id": organization["id"], "name": "", "extras": [{"key": FIELD, "value": LOCAL}]}
        with pytest.raises(tk.ValidationError):
            act("organization_patch", **sent)
        assert waiting() == set()

    def test_a_batch_asks_once_for_all(self) -> None:
        organization = council("borchester", LOCAL)
        ids = [factories.Dataset(owner_org=organization["id"])["id"] for _number in range(3)]

        def cost(number: int) -> int:
            set_type(organization, CENTRAL if number > 1 else LOCAL)
            model.Session.query(PendingIndex).filter(
                PendingIndex.package_id.notin_(ids[:number])
            ).delete(synchronize_session=False)
            model.Session.commit()
            with statements("ukharvest_stars") as sent:
                search_index.catch_up()
            return len(sent)

        set_type(organization, "")
        search_index.catch_up()
        assert cost(1) == cost(3) == 1

    def test_a_tick_does_not_go_on_for_ever(self, monkeypatch: pytest.MonkeyPatch) -> None:
        organization = council("borchester")
        for _number in range(3):
            factories.Dataset(owner_org=organization["id"])
        set_type(organization, LOCAL)
        monkeypatch.setattr(search_index, "BATCH", 2)
        assert search_index.catch_up(most_seconds=-1) == (2, {})
        assert len(waiting()) == 1
        assert search_index.catch_up() == (1, {})


class TestForm:
    @pytest.fixture
    def admin(self) -> dict[str, Any]:
        return dict(factories.Sysadmin(image_url=""))

    def fields(self, page: str) -> dict[str, str]:
        [form] = html.fromstring(page).xpath("//form[@id='organization-edit-form']")
        return {key: value or "" for key, value in form.form_values()}

    def test_a_type_is_chosen_changed_and_removed(
        self, app: CKANTestApp, admin: dict[str, Any]
    ) -> None:
        headers = token(admin)
        new = "/organization/new"
        fields = self.fields(app.get(new, headers=headers).body)
        assert fields["ukharvest_organization_type"] == ""
        sent = {"name": "borchester", "title": "Borchester", "ukharvest_organization_type": LOCAL}
        app.post(new, data={**fields, **sent, "save": ""}, headers=headers)
        assert self.stored() == {FIELD: LOCAL}
        factories.Dataset(owner_org=model.Group.get("borchester").id)
        edit = "/organization/edit/borchester"
        for chosen, stored in ((CENTRAL, {FIELD: CENTRAL}), ("", {})):
            page = app.get(edit, headers=headers).body
            fields = self.fields(page)
            assert FIELD not in fields.values()  # no custom field besides
            fields["ukharvest_organization_type"] = chosen
            app.post(edit, data=fields, headers=headers)
            assert self.stored() == stored
            assert len(waiting()) == 1
        assert self.fields(app.get(edit, headers=headers).body)["ukharvest_organization_type"] == ""

    def stored(self) -> dict[str, str]:
        model.Session.remove()
        return dict(model.Group.get("borchester").extras)

    def test_other_extras_stay(self, app: CKANTestApp, admin: dict[str, Any]) -> None:
        extras = [{"key": "a", "value": "1"}, {"key": FIELD, "value": "Cooperative"}]
        factories.Organization(name="borchester", extras=[*extras, {"key": "z", "value": "2"}])
        edit, headers = "/organization/edit/borchester", token(admin)
        page = app.get(edit, headers=headers).body
        fields = self.fields(page)
        assert fields["ukharvest_organization_type"] == "Cooperative"  # not in the list
        app.post(edit, data=fields, headers=headers)
        assert self.stored() == {"a": "1", FIELD: "Cooperative", "z": "2"}
        fields["ukharvest_organization_type"] = ""
        app.post(edit, data=fields, headers=headers)
        assert self.stored() == {"a": "1", "z": "2"}

    def test_an_organisation_without_a_type_gets_no_extra(
        self, app: CKANTestApp, admin: dict[str, Any]
    ) -> None:
        factories.Organization(name="borchester")
        edit, headers = "/organization/edit/borchester", token(admin)
        app.post(edit, data=self.fields(app.get(edit, headers=headers).body), headers=headers)
        assert self.stored() == {}

    def test_chosen_organisation_type_survives_an_error(
        self, app: CKANTestApp, admin: dict[str, Any]
    ) -> None:
        factories.Organization(name="borchester")
        edit, headers = "/organization/edit/borchester", token(admin)
        fields = {**self.fields(app.get(edit, headers=headers).body), "name": ""}
        fields["ukharvest_organization_type"] = LOCAL
        page = app.post(edit, data=fields, headers=headers).body
        assert self.fields(page)["ukharvest_organization_type"] == LOCAL
        assert self.stored() == {}

    @pytest.mark.parametrize("role", ["editor", "member"])
    def test_organisation_type_needs_the_right_to_edit(self, app: CKANTestApp, role: str) -> None:
        user = factories.User()
        users = [{"name": user["name"], "capacity": role}]
        organization = factories.Organization(name="borchester", users=users)
        sent = {"id": organization["id"], "ukharvest_organization_type": LOCAL}
        answer = app.post(
            "/api/3/action/organization_patch", json=sent, headers=token(user), status=None
        )
        assert answer.status_code == 403
        assert self.stored() == {}

    def test_organisation_type_pages_are_accessible(
        self, visitor: Visitor, admin: dict[str, Any]
    ) -> None:
        council("borchester", LOCAL)
        visitor.page.context.set_extra_http_headers(token(admin))
        visitor.page.goto("/organization/edit/borchester")
        assert visitor.page.get_by_label("Type of organisation").input_value() == LOCAL
        visitor.picture("organisation-form")
        assert visitor.errors == []


class TestSources:
    @pytest.fixture
    def sources(self, portal: Portal) -> Portal:
        set_type({"id": portal.organization_id}, "local")
        portal.source("https://data.example/1.json", name="ours")
        central, none = council("treasury", CENTRAL), council("none")
        portal.source("https://data.example/2.json", name="theirs", owner_org=central["id"])
        portal.source("https://data.example/3.json", name="without", owner_org=none["id"])
        return portal

    @pytest.mark.parametrize(
        ("asked", "names"),
        [(LOCAL, ["ours"]), ("local-council", ["ours"]), ("central", ["theirs"]), ("NHS", [])],
    )
    def test_the_action(self, sources: Portal, asked: str, names: list[str]) -> None:
        found = call_action("ukharvest_source_list", {"user": ""}, organization_type=asked)
        assert [each["name"] for each in found["results"]] == names
        assert found["facets"][FIELD] == {CENTRAL: 1, LOCAL: 1}
        types = {
            each["name"]: each[FIELD] for each in call_action("ukharvest_source_list")["results"]
        }
        assert types == {"ours": LOCAL, "theirs": CENTRAL, "without": ""}

    def test_the_page(self, app: CKANTestApp, sources: Portal) -> None:
        page = html.fromstring(app.get("/harvest/").body)
        [part] = page.xpath("//section[h2[text()='Type of organisation']]")
        texts = [" ".join(each.text_content().split()) for each in part.xpath(".//li/a")]
        assert texts == ["Central government (1)", "Local government (1)"]
        chosen = app.get(part.xpath(".//a/@href")[1]).body
        assert "Type of organisation: Local government" in chosen
        assert "/harvest/ours" in chosen
        assert "/harvest/theirs" not in chosen
        assert f'name="{FIELD}" value="{LOCAL}"' in chosen  # a search keeps the filter
        assert (
            "Type of organisation: Local government"
            in app.get("/harvest/?organization_type=local").body
        )

    def test_the_file(self, app: CKANTestApp, sources: Portal) -> None:
        rows = list(csv.DictReader(io.StringIO(app.get("/harvest/sources.csv").body)))
        assert {each["name"]: each[FIELD] for each in rows} == {
            "ours": LOCAL,
            "theirs": CENTRAL,
            "without": "",
        }
        address = "/harvest/sources.csv?organization_type=local"
        assert [each["name"] for each in csv.DictReader(io.StringIO(app.get(address).body))] == [
            "ours"
        ]

    def test_the_command(self, cli: Any, sources: Portal) -> None:
        words = ["sources", "--organization-type", "local", "--format", "csv"]
        rows = list(csv.DictReader(io.StringIO(cli.invoke(ukharvest, words).output)))
        assert [(each["name"], each[FIELD]) for each in rows] == [("ours", LOCAL)]
