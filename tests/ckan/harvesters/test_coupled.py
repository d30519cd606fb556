"""Services and their datasets link to each other, whichever came first."""

from __future__ import annotations

from typing import Any

import pysolr
import pytest
from ckan import model
from ckan.plugins import toolkit as tk
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action, call_auth

from ckanext.ukharvest.harvest.model import Coupling
from tests.ckan.datasets.dataset_pages import rows
from tests.ckan.gemini_records import dataset, service, uuid
from tests.ckan.harvesting import Portal, act, extras, figures, statements
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

RIVERS, SERVICE = uuid(1), uuid(2)
NOT_KNOWN = "Not shown: this site's search failed. Try again later."
BY_IDENTIFIER = "https://catalogue.example/csw?request=GetRecordById&id=" + RIVERS


class Records:
    """Publishes records, each as its own file, and harvests them."""

    def __init__(self, portal: Portal, publisher: Publisher) -> None:
        self.portal = portal
        self.publisher = publisher
        self.sources: dict[str, str] = {}

    def url(self, name: str) -> str:
        return self.publisher.url(f"/{name}.xml")

    def harvest(self, name: str, text: str) -> str:
        """Publish a record under a file name, run its source; return the dataset's id."""
        self.publisher.serve(f"/{name}.xml", text, headers={"Content-Type": "application/xml"})
        if name not in self.sources:
            self.sources[name] = self.portal.source(self.url(name), "gemini-single")
        job = self.portal.run(self.sources[name])
        assert figures(job).keys() <= {"added", "updated"}
        return self.id_of(name)

    def id_of(self, name: str) -> str:
        for each in self.portal.datasets():
            if extras(each)["harvest_source_reference"] == self.url(name):
                return str(each["id"])
        raise LookupError(name)


@pytest.fixture
def records(portal: Portal, publisher: Publisher) -> Records:
    return Records(portal, publisher)


def coupled(id_: str, user: str = "") -> dict[str, list[str]]:
    """Return the titles of coupled datasets that a user sees, anonymous by default."""
    model.Session.remove()
    context = {"user": user, "ignore_auth": False}
    found = call_action("ukharvest_dataset_show", context, id=id_)["coupled"]
    return {key: [each["title"] for each in found[key]] for key in ("datasets", "services")}


@pytest.mark.parametrize("way", ["identifier", "address"])
@pytest.mark.parametrize("order", ["service first", "dataset first"])
def test_both_are_linked_whichever_came_first(records: Records, way: str, order: str) -> None:
    reference = BY_IDENTIFIER if way == "identifier" else records.url("rivers")
    files = {"rivers": dataset(RIVERS), "wms": service(SERVICE, [reference])}
    for name in sorted(files, reverse=order == "service first"):
        records.harvest(name, files[name])
    rivers, wms = records.id_of("rivers"), records.id_of("wms")
    assert coupled(rivers) == {"datasets": [], "services": ["Rivers as a service"]}
    assert coupled(wms) == {"datasets": ["Rivers"], "services": []}


def test_service_can_name_other_datasets(records: Records) -> None:
    rivers = records.harvest("rivers", dataset(RIVERS))
    lakes = records.harvest("lakes", dataset(uuid(3), "Lakes"))
    wms = records.harvest("wms", service(SERVICE, [BY_IDENTIFIER, records.url("nowhere")]))
    assert coupled(wms)["datasets"] == ["Rivers"]
    records.harvest("wms", service(SERVICE, [records.url("lakes")]))
    assert coupled(wms)["datasets"] == ["Lakes"]
    assert coupled(rivers)["services"] == []
    assert coupled(lakes)["services"] == ["Rivers as a service"]


def test_deleted_coupled_dataset_is_not_linked(records: Records) -> None:
    rivers = records.harvest("rivers", dataset(RIVERS))
    wms = records.harvest("wms", service(SERVICE, [BY_IDENTIFIER]))
    act("package_delete", id=rivers)
    assert coupled(wms)["datasets"] == []
    act("harvest_source_clear", id=records.sources["wms"])
    assert model.Session.query(Coupling).count() == 0
    records.harvest("wms", service(SERVICE, [BY_IDENTIFIER]))
    assert coupled(records.id_of("wms"))["datasets"] == []


def test_a_short_name_means_nothing_in_another_source(records: Records) -> None:
    records.harvest("rivers", dataset("1"))
    wms = records.harvest("wms", service(SERVICE, ["1"]))
    assert coupled(wms)["datasets"] == []


def test_only_a_dataset_that_is_there_can_be_asked_for(records: Records) -> None:
    with pytest.raises(tk.ObjectNotFound):
        call_action("ukharvest_dataset_show", id="nowhere")
    with pytest.raises(tk.ValidationError):
        call_action("ukharvest_dataset_show")


def test_many_datasets_cost_no_more_statements_than_one(records: Records) -> None:
    wms = records.harvest("wms", service(SERVICE, [records.url(f"{n}") for n in range(6)]))
    records.harvest("0", dataset(uuid(100), "Layer 0"))
    assert len(coupled(wms)["datasets"]) == 1
    few = cost(wms)
    for number in range(1, 6):
        records.harvest(f"{number}", dataset(uuid(100 + number), f"Layer {number}"))
    assert coupled(wms)["datasets"] == [f"Layer {n}" for n in range(6)]
    assert cost(wms) == few


def cost(id_: str) -> int:
    model.Session.remove()
    with statements() as sent:
        call_action("ukharvest_dataset_show", {"user": "", "ignore_auth": False}, id=id_)
    return len(sent)


def test_the_pages_of_both_have_links(
    records: Records,
    app: CKANTestApp,
    organization: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    elsewhere = BY_IDENTIFIER.replace(RIVERS, uuid(3))
    rivers = records.harvest("rivers", dataset(RIVERS, "Rivers <script>alert(1)</script>"))
    wms = records.harvest("wms", service(SERVICE, [BY_IDENTIFIER, elsewhere]))
    names = {id_: act("package_show", id=id_)["name"] for id_ in (rivers, wms)}
    page = app.get(f"/dataset/{names[wms]}").body
    assert rows(page)["Coupled datasets"].startswith("Rivers")
    assert rows(page)["Coupled datasets"].count("(not on this site)") == 1
    assert "Coupled services" not in page
    assert f'href="/dataset/{names[rivers]}"' in page
    assert "<script>alert(1)" not in page
    page = app.get(f"/dataset/{names[rivers]}").body
    assert rows(page)["Coupled services"] == "Rivers as a service"
    assert f'<a href="/dataset/{names[wms]}">Rivers as a service</a>' in page

    real = pysolr.Solr.search
    for fault in ("Failed to connect to server", "(HTTP 400): too long"):

        def search(self: pysolr.Solr, q: str, fault: str = fault, **more: Any) -> Any:
            # CKAN's own part of the page searches too, and fails if it cannot.
            if f'id:("{rivers}")' in str(more) or f'id:("{wms}")' in str(more):
                raise pysolr.SolrError(fault)
            return real(self, q, **more)

        with monkeypatch.context() as patch:
            patch.setattr(pysolr.Solr, "search", search)
            found = rows(app.get(f"/dataset/{names[wms]}").body)
            assert found["Coupled datasets"] == NOT_KNOWN, fault
            assert "Coupled services" not in found
            found = rows(app.get(f"/dataset/{names[rivers]}").body)
            assert found["Coupled services"] == NOT_KNOWN, fault
            assert "Coupled datasets" not in found

    act("package_patch", id=rivers, private=True)
    member, stranger = factories.User(), factories.User()
    act("organization_member_create", id=organization["id"], username=member["id"], role="editor")
    for user, shown in (("", 0), (stranger["name"], 0), (member["name"], 1)):
        assert len(coupled(wms, user)["datasets"]) == shown, f"a private dataset, to {user!r}"
    with pytest.raises(tk.NotAuthorized):
        call_auth("ukharvest_dataset_show", {"user": "", "model": model}, id=rivers)
