"""Nothing is lost in silence: every property of a format arrives, is a problem, or is listed.

A document of ``complete/`` has every property of its specification, each with another value. What
does not arrive has to stand in the list "Not read" of the documentation, with the reason.
"""

from __future__ import annotations

import csv
import json
from fnmatch import fnmatchcase
from typing import Any

import pytest
from lxml import etree

from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.reading.records import Check, TextClient
from ckanext.ukharvest.source_types import TYPES
from tests.conformance.complete_documents import DOCUMENTS, FOLDER
from tests.conformance.leaves import (
    Leaf,
    leaves_of_iso,
    leaves_of_json,
    leaves_of_xml,
    lost,
    not_read,
    repeated,
)


def leaves_of(name: str) -> list[Leaf]:
    """Return the leaves of a document's record."""
    content = (FOLDER / name).read_bytes()
    place = DOCUMENTS[name].place
    if name.endswith(".xml"):
        root = etree.fromstring(content)
        element = root.find(place) if place else root
        assert element is not None
        is_iso = DOCUMENTS[name].parser == "gemini"
        return list(leaves_of_iso(element) if is_iso else leaves_of_xml(element))
    value: Any = json.loads(content)
    for key in filter(None, place.split(".")):
        value = value[key]
    return [Leaf(DOCUMENTS[name].prefix + path, text) for path, text in leaves_of_json(value)]


def is_listed(name: str, leaf: Leaf) -> bool:
    """Tell whether a leaf stands in the list "Not read" of its document's parser."""
    parser = DOCUMENTS[name].parser
    return any(own == parser and fnmatchcase(leaf.path, field) for own, field in not_read())


def coded(name: str) -> dict[str, str]:
    """Return the paths of a document whose values become other texts, and where these are."""
    with (FOLDER / "coded.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if fnmatchcase(name, row["document"])]
    return {
        leaf.path: row["becomes"]
        for leaf in leaves_of(name)
        for row in rows
        if fnmatchcase(leaf.path, row["field"])
    }


def lost_leaves(name: str, http: HttpClient) -> list[Leaf]:
    """Read a document as ``ukharvest check`` does; return the leaves that do not arrive."""
    document = DOCUMENTS[name]
    location = document.url or str(FOLDER / name)
    client: Any = http
    if document.url:
        client = TextClient(name, (FOLDER / name).read_bytes())
    check = Check(TYPES[document.source_type], location, {}, http=client)
    records = list(check)
    assert len(records) == 1, check.errors
    assert "error" not in records[0], records[0]["error"]
    return lost(leaves_of(name), records[0], coded(name))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_property_arrives_or_is_listed_as_not_read(name: str, http: HttpClient) -> None:
    assert [leaf for leaf in lost_leaves(name, http) if not is_listed(name, leaf)] == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_each_value_of_a_complete_document_can_be_searched(name: str) -> None:
    unclear = repeated(leaves_of(name), coded(name))
    assert [leaf for leaf in unclear if not is_listed(name, leaf)] == []


def test_list_of_what_is_not_read_names_nothing_that_is(http: HttpClient) -> None:
    paths = [
        (document.parser, leaf.path)
        for name, document in DOCUMENTS.items()
        for leaf in (*lost_leaves(name, http), *repeated(leaves_of(name), coded(name)))
    ]
    # Rows about other vocabularies than those of the documents have tests of their own.
    about = [(document.parser, document.prefix) for document in DOCUMENTS.values()]
    read = [
        row
        for row in not_read()
        if any(parser == row[0] and row[1].startswith(prefix) for parser, prefix in about)
        and not any(parser == row[0] and fnmatchcase(path, row[1]) for parser, path in paths)
    ]
    assert read == []
