"""The portal itself is no source: neither by its own URL nor under another host name."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

import ckan.plugins.toolkit as tk
import pytest
from ckan.tests import factories
from ckan.tests.helpers import call_action

from ckanext.ukharvest import config
from tests.ckan.harvesting import Portal, act
from tests.ckan.previews.previewing import work
from tests.ckan.remote_site import RemoteSite, package
from tests.publisher import Publisher, Request, Response

pytestmark = pytest.mark.in_process

OWN = "http://test.ckan.net"


@pytest.mark.usefixtures("with_request_context")
@pytest.mark.parametrize(
    ("path", "type_"),
    [
        ("", "ckan"),
        ("/", "ckan"),
        ("/dataset", "ckan"),
        ("/cs_CZ/dataset/", "ckan"),
        ("/api/3/action/package_search?rows=1000", "ckan"),
        ("/portal", "ckan"),
        ("/dataset?q=roads", "dcat_rdf"),
        ("/api/3/action/package_list", "dkan"),
        ("/organization/roads", "gemini-waf"),
        (":80/dataset", "ckan"),
    ],
)
def test_own_urls_are_refused(portal: Portal, path: str, type_: str) -> None:
    with pytest.raises(tk.ValidationError, match="this portal itself"):
        portal.source(f"{OWN}{path}", type_)


@pytest.mark.usefixtures("with_request_context")
@pytest.mark.parametrize(
    ("url", "type_"),
    [
        (f"{OWN}/geonetwork/srv/csw", "gemini-csw"),
        (f"{OWN}/metadata/", "gemini-waf"),
        (f"{OWN}/dataset/roads/resource/list/download/inventory.xml", "inventory"),
        (f"{OWN}:8080/", "ckan"),
        ("https://other.ckan.net/dataset", "ckan"),
    ],
)
def test_other_services_of_its_server_are_sources(portal: Portal, url: str, type_: str) -> None:
    assert portal.source(url, type_)


@pytest.mark.usefixtures("with_request_context")
def test_test_of_own_url_is_refused(portal: Portal) -> None:
    context = {"user": factories.Sysadmin()["name"], "ignore_auth": False}
    with pytest.raises(tk.ValidationError, match="this portal itself"):
        call_action("ukharvest_source_preview_create", context, url=OWN)
    with pytest.raises(tk.ValidationError, match="this portal itself"):
        call_action("ukharvest_source_preview_create", context, url=OWN, source_type="ckan")


def other_name(site: str) -> str:
    """Return the URL of the portal under another name of its host."""
    return f"http://localhost:{urlsplit(site).port}"


def test_run_under_another_name_reads_nothing(portal: Portal, site: str) -> None:
    factories.Dataset(owner_org=portal.organization_id)
    job = portal.run(portal.source(other_name(site), "ckan"))
    assert job["ukharvest"]["outcome"] == "failed"
    assert "is this portal itself" in job["ukharvest"]["reason"]
    assert len(portal.datasets()) == 1


def test_document_of_own_answer_is_refused(portal: Portal, site: str) -> None:
    made = factories.Dataset(owner_org=portal.organization_id)
    url = f"{other_name(site)}/api/3/action/package_show?id={made['name']}"
    assert "this portal itself" in portal.run(portal.source(url, "ckan"))["ukharvest"]["reason"]


def test_test_under_another_name_says_so(portal: Portal, site: str) -> None:
    preview = act("ukharvest_source_preview_create", url=other_name(site), source_type="ckan")
    work()
    result: dict[str, Any] = act("ukharvest_source_preview_show", id=preview["id"])["result"]
    assert result["error"]["code"] == "own-site"


def test_status_shows_key_beside_other_facts(portal: Portal) -> None:
    found = call_action("status_show")
    assert found["ukharvest_portal"] == config.own_site().key
    assert found["site_url"] == OWN
    assert config.own_site().key not in str(tk.config["SECRET_KEY"])


class Namesake(RemoteSite):
    """Another portal that was set up with this one's URL, such as http://localhost:5000."""

    def search(self, request: Request) -> Response:
        found = json.loads(super().search(request).body)
        return self.answer({**found, "help": f"{OWN}/api/3/action/help_show?name=package_search"})

    def answer(self, body: dict[str, Any]) -> Response:
        return Response(json.dumps(body).encode(), headers={"Content-Type": "application/json"})

    def get(self, path: str, default: Any = None) -> Any:
        if path == "/api/3/action/status_show":
            result = {"site_url": OWN, "ukharvest_portal": "another"}
            return self.answer({"success": True, "result": result})
        return super().get(path, default)


def test_another_portal_of_the_same_url_is_read(portal: Portal, publisher: Publisher) -> None:
    publisher.routes = Namesake([package(1)])  # type: ignore[assignment]
    assert portal.run(portal.source(publisher.base, "ckan"))["stats"]["added"] == 1
    assert "/api/3/action/status_show" in publisher.paths
