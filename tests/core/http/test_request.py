"""The requests and bytes that a client counts."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.errors import Blocked, Unreachable
from ckanext.ukharvest.core.http.client import MeteredClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.http.request import HttpLimits
from tests.conftest import LOOPBACK
from tests.publisher import Publisher


def test_requests_and_received_bytes_are_counted(publisher: Publisher) -> None:
    publisher.serve("/data", b"0123456789", packed=True)
    publisher.redirect("/old", "/data")
    publisher.redirect("/inside", "http://10.1.2.3/")
    with MeteredClient(Guard(LOOPBACK), HttpLimits(retries=0)) as http:
        assert http.get(publisher.url("/old")).content == b"0123456789"
        assert (http.requests, http.received) == (2, 10)
        with pytest.raises(Unreachable):
            http.get("http://127.0.0.1:9/")
        with pytest.raises(Blocked):  # only the redirect was a request
            http.get(publisher.url("/inside"))
    assert (http.requests, http.received) == (4, 10)
