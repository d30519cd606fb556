"""Client of the running site's API, as any outside program would use it."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from stack.console import StackError

# Everything is on loopback: the machine's proxy settings are ignored.
direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
ROWS = 500


class ApiError(StackError):
    """The site refused or failed a request."""


class NotFound(ApiError):
    """Nothing of that name exists."""


@dataclass(frozen=True)
class Api:
    """The actions of the site at a URL."""

    address: str
    token: str = ""

    def __call__(self, action: str, **fields: Any) -> Any:
        url = f"{self.address}/api/3/action/{action}"
        headers = {"Content-Type": "application/json", "Authorization": self.token}
        request = urllib.request.Request(url, json.dumps(fields).encode(), headers)  # noqa: S310 - our own site
        try:
            with direct.open(request, timeout=120) as answer:
                return json.load(answer)["result"]
        except urllib.error.HTTPError as error:
            said = error.read().decode(errors="replace")
            kind = NotFound if error.code == 404 else ApiError
            raise kind(f"{action}: the site answered {error.code}: {said[:500]}") from error
        except OSError as error:
            raise ApiError(f"{action}: no answer from {self.address} ({error})") from error

    def datasets(self, source_id: str) -> Iterator[dict[str, Any]]:
        """Return all datasets that the search finds for a harvest source."""
        start = 0
        while True:
            fields = {"fq": f'harvest_source_id:"{source_id}"', "rows": ROWS, "start": start}
            found = self("package_search", **fields)["results"]
            yield from found
            if len(found) < ROWS:
                return
            start += ROWS


def fetch(url: str) -> bytes:
    """Return the bytes at a URL.

    Raises:
        FileNotFoundError: 404.
        OSError: any other error.
    """
    try:
        with direct.open(url, timeout=30) as answer:
            return bytes(answer.read())
    except urllib.error.HTTPError as error:
        if error.code == 404:
            raise FileNotFoundError(url) from error
        raise


def tell(url: str, **values: object) -> Any:
    """Send JSON to a publisher's control route; return its answer."""
    body = json.dumps(values).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})  # noqa: S310 - our own site
    # The benchmark's publisher writes 100,000 records before it answers.
    with direct.open(request, timeout=300) as answer:
        return json.load(answer)
