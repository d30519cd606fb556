"""The server of browser tests waits at a test's end, also if the test sent no request."""

from __future__ import annotations

import threading
import time
import urllib.request
from types import SimpleNamespace
from typing import Any

import pytest

from tests.ckan.browser import Served

pytestmark = pytest.mark.in_process


def test_a_test_ends_without_a_request_and_after_its_last_one() -> None:
    asked, done = threading.Event(), []

    def app(_environ: dict[str, Any], start_response: Any) -> list[bytes]:
        asked.set()
        time.sleep(0.1)
        done.append(True)
        start_response("200 OK", [])
        return [b""]

    served = Served({}, lambda: SimpleNamespace(app=app))
    try:
        served.finish_answers()
        visitor = threading.Thread(target=urllib.request.urlopen, args=(served.address,))
        visitor.start()
        assert asked.wait(30)
        served.finish_answers()
        assert done
        visitor.join()
    finally:
        served.close()
