"""Read JSON APIs over HTTP, above all CKAN's action API.

CKAN wraps every answer: ``{"help": …, "success": true, "result": …}``; a refusal is
``{"success": false, "error": {"__type": …, "message": …}}`` under 400, 403, 404 or 409, from some
proxies and from DKAN also under 200 (docs.ckan.org, "API guide").
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from ckanext.ukharvest.core import json_limits
from ckanext.ukharvest.core.errors import ProtocolError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.error_answers import describe_status, quote_json, refusal_code
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.readers.json_document.stream import JsonFile

ACCEPT = "application/json, */*;q=0.1"

# Statuses under which an interface explains in JSON why it refuses.
REFUSALS = (400, 401, 403, 404, 405, 409, 410, 501)


class Refused(ProtocolError):
    """The server refuses the request: another of its interfaces may work.

    ``status`` is the response's, 200 if only the JSON refuses.
    """

    code = "api-refused"

    def __init__(self, message: str, *, url: str, status: int, code: str = "") -> None:
        super().__init__(message, code=code, url=url)
        self.status = status


def read_json(
    http: HttpClient,
    url: str,
    params: Mapping[str, str | int] | None = None,
    problems: list[Problem] | None = None,
) -> Any:
    """Return the JSON value at a URL.

    Args:
        problems: a problem of the answer as a whole (its encoding) is added to this list, the first
            of each code.

    Raises:
        Refused: a status of refusal; the message has the answer's reason.
        ProtocolError: not JSON, such as an HTML page, which is named by its title.
        FetchError: no usable answer.
    """
    reply = http.get(url, params=params, accept=ACCEPT, allow_status=REFUSALS)
    with closing(reply):
        if reply.status in REFUSALS:
            where = reply.requested_url
            code = refusal_code(reply)
            raise Refused(describe_status(reply, where), url=where, status=reply.status, code=code)
        return parse_json(reply, problems)


def action(
    http: HttpClient,
    url: str,
    params: Mapping[str, str | int] | None = None,
    problems: list[Problem] | None = None,
) -> Any:
    """Return the ``result`` of an action such as ``…/api/3/action/package_search``.

    Raises:
        Refused: also where ``success`` is false.
        ProtocolError, FetchError: as ``read_json``; also where there is no ``result``.
    """
    return result_of(read_json(http, url, params, problems), url)


def result_of(answer: Any, url: str) -> Any:
    """Return the ``result`` of an action's response.

    Raises:
        Refused: ``success`` is false.
        ProtocolError: it is no object with a ``result``.
    """
    if isinstance(answer, Mapping) and answer.get("success", True) in (False, "false"):
        reason = quote_json(answer)
        why = Message("{url} answered success: false", url=url)
        why = Message("{why}: {reason}", why=why, reason=reason) if reason else why
        raise Refused(why, url=url, status=200)
    if not isinstance(answer, Mapping) or "result" not in answer:
        raise wrong_shape(url, answer, "an object with success and result")
    return answer["result"]


def wrong_shape(url: str, value: Any, expected: str) -> ProtocolError:
    """Return the error for JSON of an unexpected shape."""
    return ProtocolError(
        Message(
            "{url} answered {answer}; expected {expected}",
            url=url,
            answer=outline(value),
            expected=expected,
        ),
        code="wrong-shape",
        url=url,
    )


def outline(value: Any) -> str:
    """Return a short description of a JSON value, for a message."""
    if isinstance(value, Mapping):
        names = ", ".join(shorten(str(key), 30) for key in list(value)[:5])
        return (
            Message("an object with {names}", names=names) if names else Message("an empty object")
        )
    if isinstance(value, list):
        return (
            Message("a list of {count:,}", count=len(value)) if value else Message("an empty list")
        )
    return shorten(json.dumps(value), 60)


def parse_json(reply: Reply, problems: list[Problem] | None = None) -> Any:
    """Return the JSON value of a reply, whatever its encoding; ``problems`` as in ``read_json``.

    Raises:
        ProtocolError: not JSON; the message has the line, if known.
    """
    content = reply.content
    try:
        if b"\0" in content[:4]:  # UTF-16 and UTF-32
            return _with_care(reply, problems)
        json_limits.check(content)
        return json.loads(content)
    except (ValueError, RecursionError):
        return _with_care(reply, problems)


def _with_care(reply: Reply, problems: list[Problem] | None) -> Any:
    """Parse JSON that Python's json refused, such as odd encodings; explain errors."""
    file = JsonFile(reply, reply.requested_url, "JSON")
    deque(file.events(), maxlen=0)  # raises a readable error for every fault
    problem = file.problem
    if problems is not None and problem and problem.code not in {known.code for known in problems}:
        problems.append(problem)
    return next(file.items(""))
