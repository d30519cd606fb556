"""What a server answers is named alike by each way to test a source, with a tip that fits."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from ckan.tests.helpers import call_action

from ckanext.ukharvest.check_command import command
from ckanext.ukharvest.previews import jobs as preview_jobs
from ckanext.ukharvest.reading import type_detection
from tests.ckan.previews.previewing import as_, work
from tests.publisher import Publisher, Response

pytestmark = pytest.mark.in_process

SIGN_IN = "<!doctype html><title>Sign in</title><form></form>"
PATH = "/data.json"
# Name → response at PATH, code of the error and words of its message.
ANSWERS: dict[str, tuple[Response | None, str, str]] = {
    "loop": (Response(status=301, headers={"Location": PATH}), "redirect", "redirects in a circle"),
    "401": (Response(b"", 401), "needs-login", "answered 401 Unauthorized"),
    "403": (Response(b"", 403), "access-refused", "answered 403 Forbidden"),
    "filter": (
        Response(b"<title>Just a moment...</title>", 403),
        "bot-filter",
        "answered 403 Forbidden: Just a moment",
    ),
    "404": (Response(b"", 404), "bad-status", "answered 404 Not Found"),
    "429": (Response(b"", 429), "bad-status", "answered 429 Too Many Requests"),
    "500": (Response(b"", 500), "bad-status", "answered 500 Internal Server Error"),
    "503": (Response(b"", 503), "bad-status", "answered 503 Service Unavailable"),
    "hangs": (None, "unreachable", "/data.json"),
    "garbled": (Response(raw=(b"SSH-2.0-OpenSSH\r\n",)), "unreachable", "in HTTP"),
    "page": (Response(SIGN_IN.encode()), "html-page", "title 'Sign in'"),
    "empty": (Response(b""), "empty-document", "is empty"),
}


@pytest.fixture
def publisher(clean: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Publisher]:
    call_action("job_clear")
    monkeypatch.setattr(type_detection, "PROBE_SECONDS", 2.0)
    with Publisher() as serving:
        yield serving


def serve(publisher: Publisher, response: Response | None) -> None:
    def hang(_request: Any) -> Response:
        publisher.closing.wait(60)
        return Response(b"")

    publisher.routes[PATH] = response if response is not None else hang


def find_out(editor: dict[str, Any], url: str, type_: str = "") -> dict[str, Any]:
    fields = {"source_type": type_} if type_ else {}
    begun = as_(editor, "ukharvest_source_preview_create", url=url, **fields)
    work()
    return dict(as_(editor, "ukharvest_source_preview_show", id=begun["id"]))


def form_test(editor: dict[str, Any], url: str) -> dict[str, Any]:
    return find_out(editor, url, "data_json")


def check_command(url: str) -> dict[str, Any]:
    out = io.StringIO()
    code = command.run("", url, as_json=True, allow_private=True, out=out, err=io.StringIO())
    assert code == 2
    [error] = json.loads(out.getvalue())["errors"]
    return dict(error)


# An answer that never comes takes all the time that there is.
IMPATIENT = [
    pytest.mark.ckan_config("ckanext.ukharvest.http.read_timeout", "1"),
    pytest.mark.ckan_config("ckanext.ukharvest.http.total_timeout", "1"),
]


# The readers tell these as they tell 401, 404 and 503.
MARKS = {"hangs": IMPATIENT, **dict.fromkeys(("403", "429", "500"), pytest.mark.giant)}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=MARKS.get(name, ())) for name in ANSWERS]
)
def test_each_way_names_what_the_server_answered(
    editor: dict[str, Any], publisher: Publisher, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    response, code, words = ANSWERS[name]
    if response is None:
        monkeypatch.setattr(type_detection, "PROBE_SECONDS", 0.3)
        monkeypatch.setattr(
            preview_jobs, "REQUEST", replace(preview_jobs.REQUEST, read=1.0, total=1.0)
        )
    serve(publisher, response)
    url = publisher.url(PATH)
    ways: tuple[Callable[[dict[str, Any], str], dict[str, Any]], ...]
    ways = (find_out, form_test)
    for way in ways:
        found = way(editor, url)
        error = found["result"]["error"]
        assert error is not None, (way.__name__, found["result"]["over"], found["text"])
        assert (error["code"], found["heading"]) == (code, "This does not work yet"), way.__name__
        assert words in error["message"], way.__name__
        assert error["tip"]
        assert "Choose the type" not in error["tip"]
        assert ("Name of a secret" in error["tip"]) == (code == "needs-login")
    error = check_command(url)
    assert error["code"] == code
    assert words in error["message"]


def test_a_failing_server_is_named_when_the_time_is_up(
    editor: dict[str, Any], publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def give_one_request(probe: type_detection.Probe) -> None:
        probe.clock = lambda: float(len(publisher.paths))
        probe._ends = 0.5

    monkeypatch.setattr(type_detection.Probe, "__post_init__", give_one_request)
    publisher.serve(PATH, b"", status=500)
    found = find_out(editor, publisher.url(PATH))
    assert found["result"]["error"]["code"] == "bad-status"
    assert len(publisher.paths) == 1


def test_a_busy_server_gets_one_request(editor: dict[str, Any], publisher: Publisher) -> None:
    publisher.serve(PATH, b"", status=503)
    find_out(editor, publisher.url(PATH))
    assert publisher.paths == [PATH]


def test_nothing_known_leads_to_the_form(editor: dict[str, Any], publisher: Publisher) -> None:
    publisher.serve(PATH, {"a": 1})
    error = find_out(editor, publisher.url(PATH))["result"]["error"]
    assert error["code"] == "no-source"
    assert "continue with it and choose the type yourself" in error["tip"]


def test_404_of_a_ckan_source_asks_for_no_login(
    editor: dict[str, Any], publisher: Publisher
) -> None:
    error = find_out(editor, publisher.url("/"), "ckan")["result"]["error"]
    assert "404" in error["message"]
    assert "login" not in f"{error['title']} {error['tip']}"
