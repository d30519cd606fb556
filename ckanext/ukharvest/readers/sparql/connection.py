"""Requests to a SPARQL endpoint by GET or POST (SPARQL 1.1 Protocol, section 2.1)."""

from __future__ import annotations

from functools import partial
from urllib.parse import urlencode

from ckanext.ukharvest.core.http.client import HttpClient, Reply
from ckanext.ukharvest.core.http.urls import with_query
from ckanext.ukharvest.readers.sparql.response import Refused, ask

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
        self._is_auto = method == "auto"
        self._methods = ["GET", "POST"] if self._is_auto else [method.upper()]

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
        methods = list(self._methods)
        if len(url) > _LONGEST:
            methods.sort(reverse=True)  # POST first
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
        return ask(send, patient=patient)
