"""The tests' own tools: the publisher, recorded publishers and the network guard."""

from __future__ import annotations

import json
from http.client import HTTPConnection
from pathlib import Path

import pytest

from ckanext.ukharvest.core.errors import BadStatus
from ckanext.ukharvest.core.http.client import HttpClient
from tests.publisher import PLACE, Publisher, recorded

ROUTES = [
    {"get": "/data.json?page=1", "file": "page1.json"},
    {"get": "/old", "status": 301, "headers": {"Location": f"{PLACE}/data.json?page=1"}},
    {"get": "/gone", "status": 410},
    {"post": "/csw", "contains": 'startPosition="11"', "file": "records2.xml"},
    {"post": "/csw", "file": "records1.xml"},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    case = tmp_path / "small"
    case.mkdir()
    (case / "routes.json").write_text(json.dumps(ROUTES))
    (case / "page1.json").write_text(json.dumps({"next": f"{PLACE}/data.json?page=2"}))
    (case / "records1.xml").write_text("<one/>")
    (case / "records2.xml").write_text("<two/>")
    return tmp_path


def test_a_recorded_publisher_answers_what_its_folder_says(folder: Path, http: HttpClient) -> None:
    with recorded("small", folder) as publisher:
        reply = http.get(publisher.url("/old"))
        assert reply.url == publisher.url("/data.json?page=1")
        assert reply.media_type == "application/json"
        assert json.loads(reply.content) == {"next": publisher.url("/data.json?page=2")}
        assert (
            publisher.neutral(reply.content.decode()) == f'{{"next": "{PLACE}/data.json?page=2"}}'
        )
        for body, answer in ((b'<q startPosition="11"/>', b"<two/>"), (b"<q/>", b"<one/>")):
            url = publisher.url("/csw")
            assert http.post(url, body=body, content_type="text/xml").content == answer
        for path, status in (("/gone", 410), ("/data.json", 404), ("/csw", 404)):
            with pytest.raises(BadStatus) as caught:
                http.get(publisher.url(path))
            assert caught.value.status == status


def test_an_answer_to_head_has_no_body(publisher: Publisher) -> None:
    # A body that was sent would be taken for the next answer on the connection.
    publisher.serve("/data.json", b"{}")
    connection = HTTPConnection(publisher.base.removeprefix("http://"))
    for method, body in (("HEAD", b""), ("GET", b"{}")):
        connection.request(method, "/data.json")
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (200, body)
    connection.close()


def test_routes_may_change_while_the_publisher_runs(publisher: Publisher, http: HttpClient) -> None:
    publisher.serve("/a", {"version": 1})
    assert http.get(publisher.url("/a")).content == b'{"version": 1}'
    publisher.serve("/a", ["two"])
    assert http.get(publisher.url("/a")).content == b'["two"]'
    assert publisher.paths == ["/a", "/a"]
