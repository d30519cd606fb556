"""The generated catalogue: always the same, with all shapes, and none of it lost."""

from __future__ import annotations

from collections import Counter

from lxml import etree

from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.parsers.gemini import parser as gemini
from tests import gemini_catalogue


def test_it_is_the_same_every_time() -> None:
    made = gemini_catalogue.records(20)
    assert made == gemini_catalogue.records(20)
    assert made != gemini_catalogue.records(20, seed=7)


def test_it_has_all_shapes() -> None:
    made = gemini_catalogue.records()
    assert len({each.guid for each in made}) == len(made) == 300
    assert set(Counter(each.kind for each in made)) == set(gemini_catalogue.KINDS)
    documents = [each.document for each in made]
    for sign in (b"\xef\xbb\xbf<?xml", b'encoding="ISO-8859-1"', b"<?xml-stylesheet", b"<!--"):
        assert any(sign in each for each in documents), sign
    roots = {etree.fromstring(each).prefix for each in documents}
    assert roots == {"gmd", "ns1", None}
    for sign in ('"http://www.opengis.net/gml"', "gmx:Anchor", "gco:nilReason", "operatesOn"):
        assert any(sign in each.element for each in made), sign


def test_faults_in_the_fake_catalogue_lose_no_record() -> None:
    read = [
        gemini.parse(RawRecord(each.guid, each.element), {})
        for each in gemini_catalogue.records()[:100]
    ]
    assert {problem.code for each in read for problem in each.problems} == {
        "converted-extent",
        "unknown-reference-system",
    }
    kinds = {each.spatial["type"] for each in read if each.spatial}
    assert kinds == {"Polygon", "MultiPolygon", "Point"}
    assert "uk-ogl" in {each.licence.id for each in read if each.licence}
    assert any(each.coupled for each in read)
