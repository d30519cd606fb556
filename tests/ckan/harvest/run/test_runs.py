"""One run has the same figures on its page, in lists, actions, mail and command."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp

from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import FIGURES, Portal, figures
from tests.publisher import Publisher

PATH = "/data.json"
EXPECTED = {
    "added": 1,
    "updated": 2,
    "not modified": 4,
    "missing": 1,
    "deleted": 0,
    "errored": 1,
}


@pytest.fixture
def job(portal: Portal, publisher: Publisher) -> dict[str, Any]:
    """A run with every figure above zero."""
    publisher.serve(PATH, catalogue(8))
    source = portal.source(publisher.url(PATH), name="figures")
    portal.run(source)
    records = [dataset(n) for n in range(7)]
    records[0]["description"] = records[1]["description"] = "Changed."
    records[2]["title"] = ""
    publisher.serve(PATH, catalogue([*records, dataset(99)]))
    return portal.run(source)


@pytest.fixture
def headers() -> dict[str, str]:
    """Return a sysadmin's token."""
    user = factories.Sysadmin()
    return {"Authorization": factories.APIToken(user=user["name"])["token"]}


def stats_of(job: dict[str, Any]) -> dict[str, int]:
    return {key: job["stats"].get(key, 0) for key in FIGURES}


WORDS = {
    "Added": "added",
    "Updated": "updated",
    "Unchanged": "not modified",
    "Missing": "missing",
    "Deleted": "deleted",
    "Failed": "errored",
}


def on_the_page(page: str) -> dict[str, int]:
    """Return the figures of a run's own page: Added <strong>1</strong>."""
    found = re.findall(r"([A-Z][a-z ]+) <strong>(\d+)</strong>", page)
    return {WORDS[word]: int(number) for word, number in found if word in WORDS}


def in_the_row(page: str, job_id: str) -> dict[str, int]:
    """Return the figures of a run in a list of runs: <td data-label="Added">1</td>."""
    row = re.search(rf'<tr role="row" id="job-{job_id}">.*?</tr>', page, re.DOTALL)
    assert row
    found = re.findall(r'data-label="([\w ]+)">(\d+)<', row[0])
    return {WORDS[word]: int(number) for word, number in found if word in WORDS}


def test_api_pages_and_command_show_the_same_figures(
    app: CKANTestApp,
    job: dict[str, Any],
    headers: dict[str, str],
    ckan: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    source = job["source_id"]

    def ask(action: str, **data: str) -> list[Any]:
        address = f"/api/3/action/{action}"
        by_get = app.get(address, query_string=data, headers=headers).json["result"]
        by_post = app.post(address, json=data, headers=headers).json["result"]
        return [by_get, by_post]

    for result in ask("harvest_job_show", id=job["id"]):
        assert stats_of(result) == EXPECTED
    for result in ask("harvest_job_list", source_id=source):
        assert stats_of(next(each for each in result if each["id"] == job["id"])) == EXPECTED
    for result in ask("harvest_source_show_status", id=source):
        assert stats_of(result["last_job"]) == EXPECTED
    for result in ask("harvest_source_show", id=source):
        assert stats_of(result["status"]["last_job"]) == EXPECTED

    page = app.get(f"/harvest/figures/job/{job['id']}", headers=headers).body
    assert on_the_page(page) == EXPECTED
    assert "title" in page
    columns = {key: number for key, number in EXPECTED.items() if key != "missing"}
    for address in ("/harvest/figures/job", "/harvest/admin/figures"):
        assert in_the_row(app.get(address, headers=headers).body, job["id"]) == columns

    text = ckan("harvester", "jobs").stdout
    block = text.split(f"Job id: {job['id']}")[1].split("Job id:")[0]
    for name, number in EXPECTED.items():
        assert f"{name}: {number}\n" in block


@pytest.mark.ckan_config("ckan.harvest.status_mail.all", "true")
def test_the_mail(
    with_request_context: None,
    mail_server: Any,
    portal: Portal,
    publisher: Publisher,
    job: dict[str, Any],
) -> None:
    factories.Sysadmin(email="admin@somewhere.example")
    mail_server.clear_smtp_messages()
    job = portal.run(job["source_id"])
    assert figures(job) == {"not modified": 7, "deleted": 1, "errored": 1}
    texts = {_body(message[3]) for message in mail_server.get_smtp_messages()}
    assert texts
    for text in texts:
        for line in ("Added: 0", "Updated: 0", "Unchanged: 7", "Not seen: 0", "Deleted: 1"):
            assert line in text.splitlines()
        assert "Failed: 1" in text.splitlines()  # as the run before, which had its text


def _body(message: str) -> str:
    from email import message_from_string

    part = message_from_string(message)
    payload = part.get_payload(decode=True)
    assert isinstance(payload, bytes)
    return payload.decode().replace("\r\n", "\n")
