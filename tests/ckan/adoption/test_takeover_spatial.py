"""Sources of ckanext-spatial's harvesters, adopted: no id, name or resource changes.

Its ISO harvesters, and the GEMINI ones as portals of older releases ran them. They cannot import a
record with an XML declaration, so none has one here.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ckan import model
from ckanext.harvest.model import HarvestObject
from ckanext.spatial.harvested_metadata import GeminiDocument
from ckanext.spatial.harvesters import CSWHarvester, DocHarvester, WAFHarvester, gemini
from lxml import etree

from ckanext.ukharvest.harvest.model import Record
from tests import gemini_catalogue
from tests.ckan.adoption.takeovers import fill, ids, is_easy
from tests.ckan.harvesting import Portal, extras, figures
from tests.ckan.servers import nginx, pycsw

COUNT = 6
pytestmark = [
    pytest.mark.in_process,
    pytest.mark.ckan_config("ckan.spatial.validator.profiles", "iso19139eden"),
    pytest.mark.ckan_config("ckanext.spatial.harvest.continue_on_validation_errors", "true"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("records")
    for record in [each for each in gemini_catalogue.records() if is_easy(each.element)][:COUNT]:
        (folder / record.file).write_text(record.element, "utf-8")
    return folder


@pytest.fixture(scope="module")
def web(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[nginx.WebServer]:
    with nginx.serve(folder, tmp_path_factory.mktemp("nginx")) as server:
        yield server


@pytest.fixture(scope="module")
def csw(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[pycsw.Catalogue]:
    with pycsw.serve(folder, tmp_path_factory.mktemp("pycsw") / "records.db") as server:
        yield server


class Undeclared:
    """Removes the declaration that the CSW harvesters themselves put before each record."""

    def fetch_stage(self, harvest_object: HarvestObject) -> bool:
        fetched = super().fetch_stage(harvest_object)  # type: ignore[misc]
        harvest_object.content = harvest_object.content.partition("?>")[2].strip()
        return bool(fetched)


class Csw(Undeclared, CSWHarvester):
    pass


class AsText:
    """Makes a record's content text, as on Python 2; columns refuse the bytes of Python 3."""

    def get_gemini_string_and_guid(self, content: Any, url: str = "") -> tuple[str, str]:
        text, guid = super().get_gemini_string_and_guid(content, url)  # type: ignore[misc]
        return text.decode(), guid


class GeminiWaf(AsText, gemini.GeminiWafHarvester):
    pass


class GeminiDoc(AsText, gemini.GeminiDocHarvester):
    pass


class GeminiCsw(Undeclared, gemini.GeminiCswHarvester):
    pass


class _Addable(type):
    def __add__(cls, others: tuple[type, ...]) -> tuple[type, ...]:
        return (str, *others)


class Str(str, metaclass=_Addable):
    """Stands for Python 2's tuple of string types, to which they add a type."""


@pytest.fixture
def on_python_3(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the GEMINI harvesters write as they did on Python 2."""

    def parsed(document: bytes | str) -> GeminiDocument:
        return GeminiDocument(xml_tree=etree.fromstring(document))

    monkeypatch.setattr(gemini, "GeminiDocument", parsed)
    monkeypatch.setattr(gemini.GeminiHarvester, "_is_wms", lambda *_: False)  # calls the service
    monkeypatch.setattr(gemini, "str", Str, raising=False)
    table = HarvestObject.__table__
    monkeypatch.setattr("ckanext.harvest.model.harvest_object_table", table, raising=False)


@pytest.mark.parametrize(
    ("way", "stock"),
    [
        ("gemini-waf", WAFHarvester),
        ("gemini-waf", GeminiWaf),
        ("gemini-single", DocHarvester),
        ("gemini-single", GeminiDoc),
        ("gemini-csw", Csw),
        ("gemini-csw", GeminiCsw),
    ],
)
def test_a_source_of_the_stock_harvester(
    portal: Portal,
    web: nginx.WebServer,
    csw: pycsw.Catalogue,
    folder: Path,
    way: str,
    stock: type,
    on_python_3: None,
) -> None:
    first = min(path.name for path in folder.iterdir())
    addresses = {
        "gemini-waf": f"{web.url}/",
        "gemini-single": f"{web.url}/{first}",
        "gemini-csw": csw.url,
    }
    count = 1 if way == "gemini-single" else COUNT
    source = portal.source(addresses[way], way)
    assert fill(stock(), source) == count
    before = ids(portal)
    assert len(before) == count
    assert figures(portal.run(source)) == {"updated": count}
    assert ids(portal) == before
    rows = model.Session.query(Record.guid, Record.package_id).filter_by(source_id=source)
    assert {row.package_id: row.guid for row in rows} == {
        each["id"]: extras(each)["guid"] for each in portal.datasets()
    }
    assert figures(portal.run(source)) == {"not modified": count}
    assert ids(portal) == before
