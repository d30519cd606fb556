"""Answers of JSON interfaces over HTTP, above all CKAN's action API, told apart from pages.

CKAN wraps every answer: ``{"help": …, "success": true, "result": …}``; a refusal is
``{"success": false, "error": {"__type": …, "message": …}}`` under 400, 403, 404 or 409, from some
proxies and from DKAN also under 200 (docs.ckan.org, "API guide").
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from ckanext.ukharvest.core.errors import ProtocolError
from ckanext.ukharvest.core.http import HttpClient, Reply
from ckanext.ukharvest.core.text import one_line, shorten
from ckanext.ukharvest.readers.json_file import JsonFile
from ckanext.ukharvest.readers.json_outline import MAX_DEPTH

ACCEPT = "application/json, */*;q=0.1"

# Statuses under which an interface says in JSON why it does not answer.
REFUSALS = (400, 401, 403, 404, 405, 409, 410, 501)


class Refused(ProtocolError):
    """The server is there and says no: another interface of it may answer.

    ``status`` is the answer's, 200 where only the JSON says no.
    """

    code = "api-refused"

    def __init__(self, message: str, *, url: str, status: int) -> None:
        super().__init__(message, url=url)
        self.status = status


def read_json(http: HttpClient, url: str, params: Mapping[str, str | int] | None = None) -> Any:
    """Return the JSON value at an address.

    Raises:
        Refused: a status that says no; the message holds what the answer says of it.
        ProtocolError: no JSON, such as an HTML page, which is named by its title.
        FetchError: no usable answer.
    """
    reply = http.get(url, params=params, accept=ACCEPT, allow_status=REFUSALS)
    with closing(reply):
        if reply.status in REFUSALS:
            raise _refusal(reply)
        return parse_json(reply)


def action(http: HttpClient, url: str, params: Mapping[str, str | int] | None = None) -> Any:
    """Return the ``result`` of an action such as ``…/api/3/action/package_search``.

    Raises:
        Refused: also where ``success`` is false.
        ProtocolError, FetchError: as ``read_json``; also where there is no ``result``.
    """
    return result_of(read_json(http, url, params), url)


def result_of(answer: Any, url: str) -> Any:
    """Take the ``result`` out of an action's answer.

    Raises:
        Refused: ``success`` is false.
        ProtocolError: it is no object with a ``result``.
    """
    if isinstance(answer, Mapping) and answer.get("success", True) in (False, "false"):
        why = _reason(answer)
        said = f": {why}" if why else ""
        raise Refused(f"{url} answered success: false{said}", url=url, status=200)
    if not isinstance(answer, Mapping) or "result" not in answer:
        raise wrong_shape(url, answer, "an object with success and result")
    return answer["result"]


def wrong_shape(url: str, value: Any, expected: str) -> ProtocolError:
    """The error for an answer that is JSON, but not of the shape that was expected."""
    return ProtocolError(
        f"{url} answered {outline(value)}; expected {expected}", code="wrong-shape", url=url
    )


def outline(value: Any) -> str:
    """Say in a few words what a JSON value is, for a message."""
    if isinstance(value, Mapping):
        names = ", ".join(shorten(str(key), 30) for key in list(value)[:5])
        return f"an object with {names}" if names else "an empty object"
    if isinstance(value, list):
        return f"a list of {len(value):,}" if value else "an empty list"
    return shorten(json.dumps(value), 60)


def parse_json(reply: Reply) -> Any:
    """Return the JSON value of a reply, whatever its encoding.

    Raises:
        ProtocolError: in words, with the line where there is one.
    """
    url = reply.requested_url
    try:
        value = json.loads(reply.content)
    except (ValueError, RecursionError):
        value = _with_care(JsonFile(reply.body, url=url, charset=reply.charset), url)
    _check_depth(value, url)
    return value


def _with_care(file: JsonFile, url: str) -> Any:
    """Read what Python's own reader refused: an odd encoding, or say what is wrong with it."""
    if file.is_blank:
        raise ProtocolError(
            f"the answer of {url} is empty; expected JSON", code="empty-document", url=url
        )
    depth = 0
    for _prefix, event, _value in file.events():  # finds every fault, in words
        depth += (event in ("start_map", "start_array")) - (event in ("end_map", "end_array"))
        if depth > MAX_DEPTH:
            raise _too_deep(url)
    return next(file.items(""))


def _check_depth(value: Any, url: str) -> None:
    """Refuse what a later step could not go through; level by level, without recursion."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below.extend(each for each in item.values() if isinstance(each, (dict, list)))
            elif isinstance(item, list):
                below.extend(each for each in item if isinstance(each, (dict, list)))
        if not below:
            return
        level = below
    raise _too_deep(url)


def _too_deep(url: str) -> ProtocolError:
    return ProtocolError(
        f"the answer of {url} is nested more than {MAX_DEPTH} levels deep", code="too-deep", url=url
    )


def _refusal(reply: Reply) -> Refused:
    """Why an answer says no, in the words of its JSON, or by its status."""
    why = ""
    try:
        answer = parse_json(reply)
    except ProtocolError:
        pass
    else:
        why = _reason(answer) if isinstance(answer, Mapping) else one_line(answer)
    url = reply.requested_url
    said = f": {shorten(why, 200)}" if why else ""
    return Refused(f"{url} answered {reply.status}{said}", url=url, status=reply.status)


def _reason(answer: Mapping[str, Any]) -> str:
    error = answer.get("error", answer.get("message"))
    if not isinstance(error, Mapping):
        return shorten(one_line(error), 200) if error else ""
    kind = error.get("__type")
    words = {key: each for key, each in error.items() if key != "__type"}
    if isinstance(error.get("message"), str):
        return shorten(f"{error['message']}", 200)
    return shorten(one_line(words) or str(kind or ""), 200)
