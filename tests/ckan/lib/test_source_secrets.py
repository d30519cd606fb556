"""Secrets and errors of a source: read by its editors alone, secrets in no message and no log.

``marked`` has the secrets that the ini names; these are what people, or other harvesters before us,
have stored with the source itself.
"""

from __future__ import annotations

import html
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from ckan import model
from ckan.tests.helpers import CKANTestApp
from ckanext.harvest.model import (
    HarvestGatherError,
    HarvestObject,
    HarvestObjectError,
    HarvestSource,
)
from markupsafe import escape

from ckanext.ukharvest.harvest.gather.previews import SourcePreview
from ckanext.ukharvest.harvest.model import JobReport, RecordProblem
from tests.ckan.access import Headers
from tests.ckan.access_rows import TABLE, call
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act
from tests.ckan.marked import stored_rows
from tests.ckan.routes import READ, Place, filled
from tests.publisher import Publisher, Response

pytestmark = [pytest.mark.in_process, pytest.mark.timeout(600)]

MARK = "Zq7mark"
PARAMETERS = ("token", "key", "apikey", "sig", "signature", "access_token", "password", "secret")
HEADERS = ("Authorization", "Cookie", "X-Api-Key")
LOGIN = f"council:{MARK}@"
QUERY = "&".join(f"{name}={MARK}" for name in PARAMETERS)
PATH = f"/secret.json?{QUERY}&rows=100"
# As ckanext-harvest and others have stored them.
OPTIONS = {
    "api_key": MARK,
    "password": f"{MARK} with spaces, {MARK}",
    "headers": dict.fromkeys(HEADERS, f"Bearer {MARK}"),
    "parameters": [f"token={MARK}"],
    "default_tags": ["roads"],
}
STRANGERS = ("anonymous", "member", "other admin")  # who else is told apart: test_access_*
# Where messages are stored. The source's own URL and options stand in others.
OF_MESSAGES = (
    *("harvest_gather_error", "harvest_object_error", "harvest_log", "ukharvest_problem"),
    *("ukharvest_job", "ukharvest_outcome", "activity"),
)
# What CKAN has of a source and a dataset, beside the tables of our routes and actions.
OF_CKAN = (
    "/api/3/action/package_show?id={source}",
    "/api/3/action/package_show?id={source}&use_default_schema=true",
    "/api/3/action/package_show?id={dataset}",
    "/api/3/action/package_search?fq=dataset_type:harvest",
    "/api/3/action/package_search?fq=dataset_type:harvest&use_default_schema=true",
    "/api/3/action/package_search?fq=dataset_type:harvest&fl=*",
    "/api/3/action/package_search?fq=dataset_type:harvest&fl=url,validated_data_dict,data_dict",
    '/api/3/action/package_search?fq=dataset_type:harvest&facet.field=["url","config"]',
    "/api/3/action/harvest_source_show?id={source}",
    "/dataset/{dataset}",
    "/dataset/{source}",
    "/organization/{organization}",
)
READING = [row for row in TABLE if row.action.endswith(("_show", "_list", "_report", "_status"))]


@pytest.fixture
def secret_place(
    place: Place, portal: Portal, publisher: Publisher, caplog: pytest.LogCaptureFixture
) -> Place:
    """The place, whose source has a URL and options with secrets, and runs that failed."""
    caplog.set_level(logging.DEBUG)
    id_, url = place["source"], publisher.url(PATH)
    place["open run"] = place["run"]
    store(id_, url, "")
    refusal = "".join(f"<p>{name}: Bearer {MARK}</p>" for name in HEADERS)
    refused = Response(f"<title>Not for {QUERY}</title>{refusal}".encode(), status=403)
    faulty = [dataset(0), dataset(1, modified="the tenth of Brumaire"), dataset(2, title="")]
    for answer in (catalogue(faulty), refused):
        if isinstance(answer, Response):
            publisher.routes[PATH] = answer
        else:
            publisher.serve(PATH, answer)
        job = portal.run(id_, force=True)
    assert job["gather_error_summary"]
    query = model.Session.query(HarvestObject.id).filter_by(harvest_source_id=id_, current=True)
    place["object"] = query.first()[0]
    with_login = url.replace("//", f"//{LOGIN}", 1)
    previews = model.Session.query(SourcePreview).filter(SourcePreview.source_id == id_)
    previews.update({"url": url})
    store(id_, with_login, json.dumps(OPTIONS, indent=1))
    portal.run(id_)
    act("harvest_source_reindex", id=id_)
    return place


def store(source_id: str, url: str, config: str) -> None:
    """Store what no form accepts any more."""
    model.Session.query(HarvestSource).filter_by(id=source_id).update(
        {"url": url, "config": config}
    )
    package = model.Session.get(model.Package, source_id)
    package.url, package.extras["config"] = url, config
    model.Session.commit()
    model.Session.remove()


def answers(app: CKANTestApp, place: Place, headers: Headers) -> Iterator[tuple[str, str]]:
    for url in (
        *(filled(route, place) for route in READ),
        *(url.format(**place) for url in OF_CKAN),
    ):
        answer = app.get(url, headers=headers, follow_redirects=False)
        yield url, f"{answer.status_code} {answer.headers}\n{answer.body}"
    for row in READING:
        yield f"{row.action} {row.given}", call(app, row, place, headers).body


def inner_texts() -> set[str]:
    """Return the secret, and the messages of runs and records as HTML, JSON and CSV have them."""
    columns = (
        *(HarvestGatherError.message, HarvestObjectError.message, RecordProblem.message),
        JobReport.reason,
    )
    texts = {str(row[0]) for column in columns for row in model.Session.query(column) if row[0]}
    assert len(texts) >= 5
    as_json = {
        json.dumps(text, ensure_ascii=is_ascii)[1:-1] for text in texts for is_ascii in (0, 1)
    }
    return {MARK, *texts, *as_json, *map(html.escape, texts), *map(str, map(escape, texts))}


def test_secrets_and_errors_of_a_source_are_for_its_editors(
    app: CKANTestApp, secret_place: Place, people: dict[str, Headers]
) -> None:
    inner = inner_texts()
    found = [
        (role, asked, seen)
        for role in STRANGERS
        for asked, text in answers(app, secret_place, people[role])
        if (seen := [each for each in inner if each in text])
    ]
    assert not found, "\n".join(map(str, found))
    shown = app.get(OF_CKAN[0].format(**secret_place), headers=people["outsider"]).json["result"][
        "url"
    ]
    assert shown.endswith("/secret.json?" + QUERY.replace(MARK, "…") + "&rows=100")
    whole = f"/api/3/action/harvest_source_show?id={secret_place['source']}"
    for role in ("editor", "sysadmin"):  # who saves it gets it whole
        assert QUERY in app.get(whole, headers=people[role]).json["result"]["url"]
        assert (
            QUERY.replace("&", "&amp;")
            in app.get("/harvest/edit/somewhere", headers=people[role]).body
        )


def test_search_finds_no_secret_of_a_source(
    app: CKANTestApp, secret_place: Place, people: dict[str, Headers], ckan_config: Any
) -> None:
    """Nor its beginning, by which it could be guessed sign by sign."""

    def count(role: str, url: str) -> int:
        answer = app.get(f"/api/3/action/{url}", headers=people[role])
        return int(answer.json["result"]["count"])

    for asked in (
        f"q={MARK}",
        f"q=url:*{MARK[:4]}*",
        f"q=config:*{MARK[:4]}*",
        f"q=extras_config:*{MARK[:4]}*",
        f"q=api_key:*{MARK[:4]}*",
    ):
        assert count("outsider", f"package_search?{asked}&fq=dataset_type:harvest") == 0, asked
    assert count("outsider", f"ukharvest_source_list?q={MARK[:4]}") == 0
    assert count("outsider", "ukharvest_source_list?q=secret.json") == 1
    assert count("editor", f"ukharvest_source_list?q={MARK[:4]}") == 1


def test_no_message_and_no_log_has_a_secret(
    secret_place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    messages = [row for row in stored_rows() if row[0] in OF_MESSAGES]
    assert any("secret.json" in text for _table, text in messages)
    assert [row for row in messages if MARK in row[1]] == []
    assert [line for line in caplog.text.splitlines() if MARK in line] == []
