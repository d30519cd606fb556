"""Records for the rules on the resource type, its name and a service's operations."""

from __future__ import annotations

from tests.iso_spelling import code, el, nil, text
from tests.parsers.gemini.rules.documents import dataset, service


def _type(word: str) -> str:
    return code("gmd:hierarchyLevel", "MD_ScopeCode", word)


def _name(word: str) -> str:
    return text("gmd:hierarchyLevelName", word)


def _serves(word: str) -> str:
    return el("srv:serviceType", el("gco:LocalName", word))


CASES = {
    "gemini-39-one": (dataset(type=_type("dataset") + _type("service")), dataset()),
    "gemini-39-code": (dataset(type=_type("")), dataset()),
    "gemini-39-list": (dataset(type=_type("Dataset")), dataset(type=_type("series"))),
    "gemini-47-needed": (service(level_name=""), dataset()),
    "gemini-47-value": (service(level_name=_name(" ")), dataset(level_name=_name("Land"))),
    "gemini-47-word": (service(level_name=_name("Service")), dataset(level_name=_name("Land"))),
    "gemini-37-needed": (service(service_type=""), service()),
    "gemini-37-value": (service(service_type=el("srv:serviceType")), service()),
    "gemini-37-list": (service(service_type=_serves("OGC:WMS")), service()),
    "gemini-38-href": (service(operates_on=nil("srv:operatesOn")), service(operates_on="")),
}
