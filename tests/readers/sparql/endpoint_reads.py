"""Reads of an endpoint."""

from __future__ import annotations

from typing import Any

from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.http.request import HttpLimits
from ckanext.ukharvest.core.records import RawRecord
from tests.conftest import LOOPBACK, FakeTime
from tests.publishing.dcat import turtle_of
from tests.publishing.records import Item

PREFIXES = (
    "@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> ."
    " @prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix vcard: <http://www.w3.org/2006/vcard/ns#>"
    " . @prefix org: <http://www.w3.org/ns/org#> . @prefix skos:"
    " <http://www.w3.org/2004/02/skos/core#> .\n"
)


def turtle(count: int, **more: Any) -> str:
    return PREFIXES + "".join(turtle_of(each) for each in numbered(count, **more))


def numbered(count: int, **more: Any) -> list[Item]:
    return [Item(number, f"Title {number}", **more) for number in range(count)]


def uri(number: int) -> str:
    return f"https://data.example/id/{number}"


def guids(found: list[RawRecord]) -> list[str]:
    return [each.guid for each in found]


def failures(found: list[RawRecord]) -> dict[str, str]:
    return {each.guid: each.error.code for each in found if each.error}


def quick_client() -> HttpClient:
    fake = FakeTime()
    return HttpClient(Guard(LOOPBACK), HttpLimits(), sleep=fake.sleep, clock=fake.clock)
