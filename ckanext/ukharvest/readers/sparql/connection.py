"""Requests to a SPARQL endpoint by GET or POST, and its responses.

Rows of a SELECT, refusals, and results that the server has cut. SPARQL 1.1 Protocol, section 2.1
(www.w3.org/TR/sparql11-protocol/), Query Results JSON Format
(www.w3.org/TR/sparql11-results-json/) and XML Format (www.w3.org/TR/rdf-sparql-XMLres/). Virtuoso
ends results at its limits with status 200 and says so in headers alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from functools import partial
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import urlencode

from lxml import etree

from ckanext.ukharvest.core.document_kind import html_title
from ckanext.ukharvest.core.errors import BadStatus, ParseError, ProtocolError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.error_answers import describe_status
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.http.urls import safe_url, with_query
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Iteration
from ckanext.ukharvest.core.values.text import clean_text, counted, one_line, shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.readers.json_document.stream import JsonFile
from ckanext.ukharvest.readers.xml_document import not_ours, wrong_root

ROWS = "application/sparql-results+json, application/sparql-results+xml;q=0.9, */*;q=0.1"
TRIPLES = (
    "application/n-triples, text/turtle;q=0.9, application/rdf+xml;q=0.8,"
    " application/ld+json;q=0.7, */*;q=0.1"
)
KIND = "a result of SPARQL"
_EXPECTED = Message("results of SELECT in JSON or XML")

# Statuses under which servers say in words why they refuse a query (protocol, section 2.1.7).
_REPORTED = (400, 403, 404, 405, 406, 408, 411, 413, 414, 415, 422, 431, 501)
_OVERLOADED = (429, 500, 502, 503, 504)
_HEAD = 2048
_ROW = ("sparql", "results", "result")
# Keys of JSON that tell what it is.
_OUTER = ("", "boolean", "results.bindings", "error", "message")


class Refused(BadStatus):
    """The endpoint refuses a query, under an HTTP status of an error."""

    code = "sparql-refused"


class Cut(ProtocolError):
    """A result that the server says is not the whole one."""

    code = "sparql-cut"


class Term(NamedTuple):
    """A value in a row; ``kind`` is uri, bnode or literal, "" where the row has no value."""

    kind: str
    value: str


_UNBOUND = Term("", "")


def place(reply: Reply) -> str:
    """Return the endpoint's URL for messages, without the query, which can be long."""
    return safe_url(reply.requested_url).partition("?")[0]


def rows(reply: Reply, variable: str, most: int) -> list[Term]:
    """Return a variable's values in the rows of a SELECT, the first ``most`` of them.

    Raises:
        ProtocolError: another document, or other variables.
    """
    reply.body.seek(0)
    head = reply.body.read(_HEAD)
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    is_xml = text[:1] == b"<" and html_title(head) is None
    return (_xml_rows if is_xml else _json_rows)(reply, variable, most)


def _refuse_part(reply: Reply) -> None:
    """Raise Cut if Virtuoso's headers say that it ran out of time or reached its limit of rows."""
    state = reply.headers.get("X-SQL-State", "")
    most = reply.headers.get("X-SPARQL-MaxRows", "")
    if state.strip("0 ") or reply.status == 206:
        message = shorten(one_line(reply.headers.get("X-SQL-Message", "")), 200)
        why = Message(
            "only a part of the result: {message}", message=message or Message("it ran out of time")
        )
    elif most:
        why = Message("at most {most} rows", most=shorten(most, 12))
    else:
        return
    url = place(reply)
    raise Cut(Message("{url} gives {why}", url=url, why=why), url=url)


def _json_rows(reply: Reply, variable: str, most: int) -> list[Term]:
    url = place(reply)
    file = JsonFile(reply, url, _EXPECTED)
    outer: dict[str, str] = {}
    names: list[str] = []
    for prefix, event, value in file.events():
        if prefix in _OUTER:
            outer.setdefault(prefix, event if value is None else str(value))
        elif prefix == "head.vars.item":
            names.append(str(value))
    if outer.get("results.bindings") != "start_array":
        raise _other(outer, url)
    _refuse_names(names, variable, url)
    bindings = islice(file.items("results.bindings.item"), most)
    return [_json_term(row, variable) for row in bindings]


def _other(outer: Mapping[str, str], url: str) -> ProtocolError:
    what = Message("an answer to ASK") if "boolean" in outer else Message("JSON of another kind")
    if reason := "boolean" not in outer and (outer.get("error") or outer.get("message")):
        what = Message("an error: {reason}", reason=shorten(one_line(reason), 200))
    message = Message(
        "{url} answered with {what}; expected {expected}", url=url, what=what, expected=_EXPECTED
    )
    return ProtocolError(message, code="wrong-shape", url=url)


def _json_term(row: Any, variable: str) -> Term:
    cell = row.get(variable) if isinstance(row, dict) else None
    if not isinstance(cell, dict) or not isinstance(cell.get("value"), str):
        return _UNBOUND
    return Term(str(cell.get("type", "")), cell["value"])


def _xml_rows(reply: Reply, variable: str, most: int) -> list[Term]:
    url = place(reply)
    terms: list[Term] = []
    reading = Iteration(xml.elements(reply.body, (_ROW,), url=url))
    try:
        for element in reading:
            if len(terms) < most:
                terms.append(_xml_term(element, variable))
    except ParseError as exc:
        raise not_ours(exc, KIND, url, reply.media_type) from exc
    root = reading.result
    if xml.local_name(root) != "sparql":
        raise wrong_root(root, KIND, _EXPECTED, url)
    if root.find("{*}results") is None:
        raise _other({} if root.find("{*}boolean") is None else {"boolean": ""}, url)
    names = [clean_text(part.get("name")) for part in root.iterfind("{*}head/{*}variable")]
    _refuse_names(names, variable, url)
    return terms


def _xml_term(row: etree._Element, variable: str) -> Term:
    for binding in row.iterchildren("{*}binding"):
        value = next(binding.iterchildren(etree.Element), None)
        if binding.get("name") == variable and value is not None:
            return Term(xml.local_name(value), clean_text(str(value.xpath("string()"))))
    return _UNBOUND


def _refuse_names(names: list[str], variable: str, url: str) -> None:
    if names and variable not in names:
        named = shorten(", ".join(names), 200)
        held = f"{counted(len(names), 'variable')} {named}"
        message = Message(
            "the results of {url} have the {held}; expected {variable}",
            url=url,
            held=held,
            variable=variable,
        )
        raise ProtocolError(message, code="wrong-shape", url=url)


_FORM = "application/x-www-form-urlencoded"
_LONGEST = 2_000  # characters of a URL that every server and proxy accepts
# Statuses under which the other method may work. Some proxies answer 400 to a long URL.
_OTHER_METHOD = {
    "GET": (400, 404, 405, 413, 414, 415, 431, 501),
    "POST": (404, 405, 411, 415, 501),
}
_NO_METHOD = (404, 405, 501)  # it is the method that is refused, not this query


class Connection:
    """An endpoint and the methods that it takes.

    Args:
        http: sends the requests.
        url: the endpoint's.
        method: the option: auto, get or post. auto sends short queries by GET, which caches know,
            and long ones by POST; where one is refused, the other is tried.
    """

    def __init__(self, http: HttpClient, url: str, method: str) -> None:
        self._http = http
        self._url = url
        self._methods = ["GET", "POST"] if method == "auto" else [method.upper()]

    def ask(self, query: str, accept: str, *, patient: bool = True) -> Reply:
        """Send a query; return the response, which is a success and whole.

        Args:
            query: the text of the query.
            accept: media types of the result.
            patient: whether a failed request is repeated after a while.

        Raises:
            Refused: an error status, with the server's reason.
            Cut: the server says that the result is not the whole one.
            FetchError: no usable answer.
        """
        url = with_query(self._url, {"query": query})
        methods = sorted(self._methods, reverse=len(url) > _LONGEST)  # of long ones POST first
        try:
            return self._send(methods[0], url, query, accept, patient=patient)
        except Refused as exc:
            if len(methods) == 1 or exc.status not in _OTHER_METHOD[methods[0]]:
                raise
            refused = exc
        try:
            reply = self._send(methods[1], url, query, accept, patient=patient)
        except Refused as exc:
            if refused.status not in _NO_METHOD or exc.status in _NO_METHOD:
                raise refused from None
            self._methods = methods[1:]
            raise
        if refused.status in _NO_METHOD:
            self._methods = methods[1:]
        return reply

    def _send(self, method: str, url: str, query: str, accept: str, *, patient: bool) -> Reply:
        if method == "GET":
            send = partial(self._http.get, url, accept=accept)
        else:
            body = urlencode({"query": query}).encode()
            send = partial(
                self._http.post,
                self._url,
                body=body,
                content_type=_FORM,
                accept=accept,
                idempotent=patient,
            )
        reply = send(allow_status=_REPORTED + _OVERLOADED)
        if reply.status >= 400:
            place_of = place(reply)
            with closing(reply):
                why = describe_status(reply, place_of)
                refused = Refused(why, status=reply.status, url=place_of)
            if not patient or refused.status not in _OVERLOADED:
                raise refused
            try:
                reply = send(allow_status=())
            except BadStatus:
                raise refused from None
        try:
            _refuse_part(reply)
        except Cut:
            reply.close()
            raise
        return reply
