"""A dataset without a licence gets that of its files, for every source type with such licences."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from ckanext.ukharvest.core.records import DatasetRecord, RawRecord
from ckanext.ukharvest.parsers.ckan import parser as ckan
from ckanext.ukharvest.parsers.data_json import parser as datajson
from ckanext.ukharvest.parsers.dkan import parser as dkan
from ckanext.ukharvest.stars import rules as stars
from tests.parsers.dcat import turtle

OGL = "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"
WORDS = "Published under the Open Government Licence v3.0. © Borchester Council"
FILES = ("https://a.example/1.csv", "https://a.example/2.csv")


def of_data_json(own: str, key: str, said: str) -> DatasetRecord:
    files = [{"downloadURL": url, "format": "CSV", key: said} for url in FILES]
    entry = {"identifier": "x", "title": "X", "rights": own, "distribution": files}
    return datajson.parse(RawRecord("x", json.dumps(entry)), {})


def _package(own: str, key: str, said: str) -> str:
    resources = [{"id": url[-5], "url": url, key: said} for url in FILES]
    return json.dumps({"id": "x", "name": "x", "title": "X", "rights": own, "resources": resources})


def of_ckan(own: str, key: str, said: str) -> DatasetRecord:
    return ckan.parse(RawRecord("x", _package(own, key, said), url="https://a.example/x"), {})


def of_dkan(own: str, key: str, said: str) -> DatasetRecord:
    return dkan.parse(RawRecord("x", _package(own, key, said), url="https://a.example/x"), {})


def of_dcat(own: str, key: str, said: str) -> DatasetRecord:
    object_ = f"<{said}>" if said.startswith("http") else f'"{said}"'
    files = ", ".join(
        f"[ a dcat:Distribution ; dcat:downloadURL <{url}> ; dct:{key} {object_} ]" for url in FILES
    )
    rights = f'dct:rights "{own}" ; ' if own else ""
    return turtle.parse(f'dct:title "X" ; {rights}dcat:distribution {files}', bare=True)


TYPES = [
    pytest.param(of_data_json, id="data_json"),
    pytest.param(of_ckan, id="ckan"),
    pytest.param(of_dkan, id="dkan"),
    pytest.param(of_dcat, id="dcat_rdf"),
]
Parse = Callable[[str, str, str], DatasetRecord]


def licence_of(record: DatasetRecord) -> tuple[str, str]:
    return (record.licence.id, record.licence.url) if record.licence else ("", "")


@pytest.mark.parametrize("parse", TYPES)
def test_its_files_licence(parse: Parse) -> None:
    assert licence_of(parse("", "license", OGL)) == ("uk-ogl", OGL)


@pytest.mark.parametrize("parse", TYPES)
def test_its_files_rights_in_words_which_stay(parse: Parse) -> None:
    record = parse("", "rights", WORDS)
    assert licence_of(record) == ("uk-ogl", OGL)
    assert [file.extras["rights"] for file in record.resources] == [WORDS, WORDS]


@pytest.mark.parametrize("parse", TYPES)
def test_its_own_rights_in_words_which_stay(parse: Parse) -> None:
    record = parse(WORDS, "license", "https://creativecommons.org/licenses/by/4.0/")
    assert licence_of(record) == ("uk-ogl", OGL)
    assert record.rights == WORDS


@pytest.mark.parametrize("parse", TYPES)
def test_rights_that_hold_back_name_none(parse: Parse) -> None:
    assert licence_of(parse("", "rights", "Not under the Open Government Licence")) == ("", "")


NC = "https://creativecommons.org/licenses/by-nc/4.0/"
ODBL = "https://opendatacommons.org/licenses/odbl/1-0/"


def given_in_data_json(*said: str) -> DatasetRecord:
    return datajson.parse(
        RawRecord("x", json.dumps({"identifier": "x", "title": "X", "license": said})), {}
    )


def given_in_dcat(*said: str) -> DatasetRecord:
    objects = (f"<{each}>" if each.startswith("http") else f'"{each}"' for each in said)
    return turtle.parse(f'dct:title "X" ; dct:license {", ".join(objects)}', bare=True)


@pytest.mark.parametrize("parse", [given_in_data_json, given_in_dcat])
def test_several_licences_of_a_dataset(parse: Callable[..., DatasetRecord]) -> None:
    assert licence_of(parse(OGL, "Open Government Licence"))[0] == "uk-ogl"
    assert licence_of(parse(OGL, NC))[0] == licence_of(parse(NC, OGL))[0] == "cc-nc"
    for others in ((OGL, ODBL), (OGL, "The map needs our permission")):
        record = parse(*others)
        assert record.licence is not None
        assert (record.licence.id, record.licence.url) == ("", "")
        assert all(each in record.licence.title for each in others)
        assert "unknown-licence" in [problem.code for problem in record.problems]
        assert stars.terms_of("", [record.licence.title], {"uk-ogl": True}).code != ""


def test_rights_in_several_places_that_hold_back_name_none() -> None:
    record = turtle.parse('dct:title "X" ; dct:rights "OGL", "No commercial use"', bare=True)
    assert licence_of(record) == ("", "")
    assert set(record.rights.splitlines()) == {"OGL", "No commercial use"}
