"""A marked secret in each form: sent to its publisher, and found nowhere on the portal.

The publisher repeats it wherever it can: in records, links to the next page, redirects, headers
and error pages. Afterwards all pages, API answers, mails, log lines, values in Redis, the index
and every column of every table are searched.
"""

# ruff: noqa: F811  # fixtures are imported

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import logging
import zlib
from collections.abc import Iterator
from email.message import EmailMessage
from typing import Any
from urllib.parse import quote

import pysolr
import pytest
import sqlalchemy as sa
from ckan import model
from ckan.cli.cli import ckan as ckan_command
from ckan.lib.redis import connect_to_redis
from ckan.tests.helpers import CKANTestApp

from ckanext.ukharvest.core.http.credentials import parse_credential
from ckanext.ukharvest.model import SourcePreview
from tests.ckan.access import Headers
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act
from tests.ckan.test_access_routes import READ, filled
from tests.ckan.test_access_table import TABLE, call, people, place  # noqa: F401
from tests.ckan.test_mails import Inbox, inbox, server  # noqa: F401
from tests.ckan.test_source_previews import work
from tests.publisher import Publisher, Request, Response

pytestmark = [pytest.mark.in_process, pytest.mark.timeout(180)]

MARK = "Zq7+mark/9f=="
LOGIN = base64.b64encode(f"council:{MARK}".encode()).decode()
SPELLINGS = (MARK, quote(MARK, safe=""), quote(MARK))
FOUND = (*SPELLINGS, LOGIN, MARK.replace("/", r"\/"))
FORMS = {
    "header": (f"X-Api-Key: {MARK}", f"X-Api-Key: {MARK}"),
    "basic": (f"basic council:{MARK}", f"Basic {LOGIN}"),
    "query": (f"query api_key={MARK}", f"api_key={quote(MARK, safe='')}"),
}
# A word that comes with the secrets: what does not find it would not find them.
VISIBLE = "Visiblemark"
COMMANDS = (["doctor"], ["sources"], ["runs", "marked"], ["run", "marked", "--dry-run"])
STORED = {"package", "resource", "harvest_object", "ukharvest_record", "ukharvest_trial", "index"}
SHOWN = {
    *("anonymous /dataset/", "anonymous /harvest/marked", "sysadmin /harvest/marked/problems.csv"),
    *("harvest_object_show", "ukharvest_record_list", "run", "mail"),
    "harvest_gather_error",
}
Place = dict[str, str]


def marks(text: str) -> list[str]:
    return [each for each in FOUND if each.casefold() in text.casefold()]


class Echo(Publisher):
    """A publisher that wants the secret, and repeats it in all that it answers.

    Attributes:
        sent: what has to stand in each request.
        mode: how it answers.
    """

    sent = ""
    mode = "fine"
    elsewhere = ""

    def respond(self, request: Request) -> Response:
        self.requests.append(request)
        given = f"{request.path}\n{request.headers}"
        login = LOGIN if LOGIN in self.sent else ""
        said = f"{VISIBLE} {' '.join(SPELLINGS)} {login} {request.path}"
        if self.sent not in given:
            return Response(f"<title>Give {VISIBLE}</title>".encode(), 401)
        path = request.path.partition("?")[0]
        if self.mode == "fine" and path == "/start":
            query = "?" + self.sent if "api_key" in self.sent else ""
            return Response(status=302, headers={"Location": f"/data.json{query}"})
        headers = {
            "ETag": f'"{self.sent}"',
            "X-Echo": quote(said),
            "Content-Type": "application/json",
        }
        page = f"<html><title>{said}</title><p>{said}</p></html>".encode()
        answers = {
            "fine": Response(self.document(said), headers=headers),
            "refused": Response(page, 403, headers),
            "fault": Response(page, 500, headers),
            "garbage": Response(page, 200, {**headers, "Content-Type": "text/html"}),
            "half": Response(self.document(said)[:300], 200, headers),
            "hang": Response(hang=True),
            "cut": Response(page, cut=-1),
            "elsewhere": Response(status=302, headers={"Location": self.elsewhere + said[12:30]}),
        }
        return answers[self.mode]

    def document(self, said: str) -> bytes:
        """Return a catalogue that has the secrets in every field of its second record."""
        link = f"{self.base}/file.csv?{FORMS['query'][1]}&a=1"
        full = dataset(1, identifier=said, title=said, description=said, keyword=[MARK, "roads"])
        full["contactPoint"] = {"fn": said, "hasEmail": f"mailto:{MARK}@somewhere.example"}
        full["publisher"] = {"@type": "org:Organization", "name": said}
        full |= {"landingPage": link, "license": link, "spatial": said, "modified": said}
        full["distribution"] = [{"title": said, "downloadURL": link, "mediaType": MARK}]
        failed = dataset(2, identifier=MARK, title="", description=said)
        text = json.dumps(catalogue([dataset(0), full, failed]))
        return text.replace("/", r"\/").encode()  # as PHP writes JSON


@pytest.fixture
def publisher(clean: None) -> Iterator[Publisher]:
    with Echo() as serving:
        yield serving


def harvest(portal: Portal, echo: Echo, other: Publisher, ckan_config: Any) -> str:
    """Run, preview and dry-run a source in every mode; return its id."""
    config = {"credential": "marked"}
    source = portal.source(echo.url("/start"), name="marked", config=config)
    mail = {"addresses": ["data@somewhere.example"], "events": ["failed", "recovered", "held"]}
    act("ukharvest_mail_update", source_id=source, **mail, weekly="always")
    ckan_config["ckanext.ukharvest.http.read_timeout"] = 0.2
    other.serve("/", "nothing here")
    echo.elsewhere = other.base + "/"
    modes = ("fine", "garbage", "refused", "fault", "half", "hang", "cut", "elsewhere", "fine")
    for echo.mode in modes:
        job = portal.run(source, force=True)
        assert (job["ukharvest"]["outcome"] == "finished") == (echo.mode == "fine"), echo.mode
    for echo.mode in ("fine", "garbage"):
        act("ukharvest_dry_run_create", source_id=source)
        work()
        tested = {"source_type": "data_json", "url": echo.url("/start"), "id": source}
        act("ukharvest_source_preview_create", **tested, config=json.dumps(config))
        work()
    return source


def mail_text(mail: EmailMessage) -> str:
    """Return headers and parts of a mail, decoded."""
    parts = [part.get_content() for part in mail.walk() if not part.is_multipart()]
    return "\n".join(map(str, (mail, *mail.values(), *parts)))


def stored_rows() -> Iterator[tuple[str, str]]:
    """Return table and row, as text, of every row of every table."""
    model.Session.remove()
    with model.meta.engine.connect() as connection:
        for table in sa.inspect(model.meta.engine).get_table_names():
            rows = connection.execute(sa.text(f'SELECT to_jsonb(t)::text FROM "{table}" t'))  # noqa: S608  # table names of the database
            yield from ((table, row[0]) for row in rows)


def redis_values() -> Iterator[tuple[str, str]]:
    redis = connect_to_redis()
    read = {
        b"string": lambda key: [redis.get(key)],
        b"list": lambda key: redis.lrange(key, 0, -1),
        b"hash": lambda key: itertools.chain(*redis.hgetall(key).items()),
        b"set": redis.smembers,
        b"zset": lambda key: redis.zrange(key, 0, -1),
    }
    for key in redis.scan_iter():
        for value in read[redis.type(key)](key):
            with contextlib.suppress(zlib.error):
                value = zlib.decompress(value)  # background jobs
            yield key.decode(), value.decode("utf-8", "replace")


def index_documents(ckan_config: Any) -> Iterator[tuple[str, str]]:
    found = pysolr.Solr(ckan_config["solr_url"]).search("*:*", fl="*", rows=1000)
    yield from (("index", json.dumps(each, ensure_ascii=False)) for each in found)


def answers(
    app: CKANTestApp, place: Place, people: dict[str, Headers]
) -> Iterator[tuple[str, str]]:
    """Return what pages and read-only actions answer to a sysadmin, and some to everybody."""
    dataset_pages = ("/dataset/{}", "/dataset/activity/{}", "/api/3/action/package_show?id={}")
    urls = [filled(route, place).replace("somewhere", "marked") for route in READ]
    urls += [page.format(place["dataset"]) for page in dataset_pages]
    urls += ["/dataset/", "/api/3/action/package_search?fl=*", "/ukharvest/metrics?token=let-me-in"]
    for role, url in itertools.product(("anonymous", "sysadmin"), urls):
        answer = app.get(url, headers=people[role], follow_redirects=False)
        assert answer.status_code < 500, url
        yield f"{role} {url}", f"{answer.headers}\n{answer.body}"
    for row in TABLE[: next(n for n, row in enumerate(TABLE) if row.action.endswith("_create"))]:
        answer = call(app, row, place, people["sysadmin"])
        text = answer.body if answer.status_code != 200 else json.dumps(answer.json)
        yield row.action, f"{text}\n{answer.body}"


def ids(source: str) -> Place:
    """Return the ids that the tables of actions and routes name, of this source."""
    from ckanext.harvest.model import HarvestJob, HarvestObject

    from ckanext.ukharvest.model import Record

    query = model.Session.query
    record = query(Record).filter(Record.source_id == source, Record.package_id.isnot(None)).first()
    package = act("package_show", id=record.package_id)
    jobs = query(HarvestJob).filter_by(source_id=source).order_by(HarvestJob.created).all()
    objects = query(HarvestObject).filter_by(harvest_source_id=source)
    shown = objects.filter_by(package_id=package["id"]).first()
    failed = objects.filter(HarvestObject.package_id.is_(None)).first()
    found = dict.fromkeys(("dataset", "private dataset"), package["id"])
    found |= dict.fromkeys(("resource", "private resource"), package["resources"][0]["id"])
    found |= dict.fromkeys(("object", "private object"), shown.id)
    preview = query(SourcePreview).filter_by(source_id=source).first()
    return found | {
        "source": source,
        "private source": source,
        "organization": package["owner_org"],
        "run": jobs[1].id,
        "open run": jobs[0].id,
        "failed object": failed.id,
        "record": record.id,
        "guid": record.guid,
        "preview": preview.id,
        "dry run": preview.id,
        "url": "",
    }


@pytest.mark.parametrize("form", FORMS)
def test_a_marked_secret_is_found_nowhere(
    form: str,
    app: CKANTestApp,
    cli: Any,
    portal: Portal,
    publisher: Echo,
    server: Inbox,
    people: dict[str, Headers],
    ckan_config: Any,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given, publisher.sent = FORMS[form]
    text = f"{publisher.base} {given}"
    assert parse_credential(text).value in (MARK, f"Basic {LOGIN}")
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.credentials.marked", text)
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.metrics.token", "let-me-in")
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.http.read_timeout", 5)
    caplog.set_level(logging.DEBUG)
    for name in ("urllib3", "urllib3.connectionpool"):  # the ini of CKAN may have switched it off
        caplog.set_level(logging.DEBUG, name)
        monkeypatch.setattr(logging.getLogger(name), "disabled", False)
    with Publisher() as other, app.flask_app.test_request_context():
        source = harvest(portal, publisher, other, ckan_config)
        foreign = [f"{each.path}\n{each.headers}" for each in other.requests]
    assert foreign
    assert all(publisher.sent in f"{each.path}\n{each.headers}" for each in publisher.requests)
    said = [*stored_rows(), *index_documents(ckan_config), *redis_values()]
    if form == "query":  # pages show what is stored: once is enough
        said += answers(app, ids(source), people)
        for words in COMMANDS:
            said.append((words[0], cli.invoke(ckan_command, ["ukharvest", *words]).output))
    mails = server.new_mails()
    assert "could not be harvested" in str([each["Subject"] for each in mails])
    assert "urllib3.connectionpool" in caplog.text
    said += [("mail", mail_text(each)) for each in mails]
    said += [("log", caplog.text), *(("other server", each) for each in foreign)]
    found = [(where, marks(each)) for where, each in said if marks(each)]
    assert not found, "\n".join(map(str, found))
    # The search finds the word beside the secrets, where records and errors are stored and shown.
    assert {where for where, each in said if VISIBLE in each} >= STORED | (
        SHOWN if form == "query" else set()
    )
