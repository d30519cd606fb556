"""Everything that reaches out to a publisher without CKAN; those with it are in tests/ckan.

A feature serves its usual documents, then runs. The attacks of ``attacks.py`` change what it is
given. ``DOORS`` names every module that sends requests, and the feature that exercises it.
"""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from unittest.mock import patch

from ckanext.ukharvest.check_command import command, data_check
from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.http.request import HttpLimits
from ckanext.ukharvest.core.records import Source
from ckanext.ukharvest.links.check import check_link
from ckanext.ukharvest.readers.numbered_pages import unique
from ckanext.ukharvest.reading.budget import Budget, Watched
from ckanext.ukharvest.reading.records import as_entry
from ckanext.ukharvest.reading.source_preview import SourcePreview
from ckanext.ukharvest.reading.type_detection import Probe, look_up
from ckanext.ukharvest.source_types import TYPES
from ckanext.ukharvest.source_types.source_type import COMMON_OPTIONS, SourceType
from tests.contract import SERVERS
from tests.links.support import XML, request_path, wms
from tests.publisher import Publisher
from tests.publishing.records import items

LIMITS = HttpLimits(connect=2, read=2, total=5, max_bytes=1_000_000, retries=0)
WITHOUT_CKAN = "read", "preview", "check", "lookup", "data", "link"
WITH_CKAN = "harvest", "preview job", "dry run", "check job", "move", "adopt", "link check job"

# Module → which features send its requests. A module that sends requests and is not here fails.
DOORS: dict[str, tuple[str, ...]] = {
    "check_command.command": ("check",),
    "check_command.data_check": ("data",),
    "data_checks.jobs": ("link check job",),
    "harvest.gather.dry_run": ("dry run", "move"),
    "harvest.gather.gather_stage": ("harvest",),
    "harvest.http_client": WITH_CKAN,
    "harvest.batch.preparation": ("harvest",),
    "harvest.sources.source_config": ("adopt",),
    "links.check": ("link",),
    "links.jobs": ("link check job",),
    "previews.jobs": ("check job", "preview job"),
    "readers.csw.reader": ("read",),
    "readers.csw.request": ("read",),
    "readers.dkan_api": ("read",),
    "readers.json_api": ("read",),
    "readers.oaipmh.protocol": ("read",),
    "readers.oaipmh.reader": ("read",),
    "readers.ods": ("read",),
    "readers.opensearch.response": ("read",),
    "readers.numbered_pages": ("read",),
    "readers.rdf.contexts": ("read",),
    "readers.rdf.reader": ("read",),
    "readers.sparql.connection": ("read",),
    "readers.sparql.reader": ("read",),
    "readers.walk": ("read",),
    "readers.waf.folder": ("read",),
    "readers.waf.reader": ("read",),
    "value_tables.files": ("read",),  # a file's contexts, which readers.rdf.contexts requests
    "reading.type_detection": ("lookup",),
    "reading.budget": ("preview",),
    "reading.records": ("check",),
    "schema_check.files": ("data",),
}


@dataclass(frozen=True)
class Feature:
    """A feature that reads a URL.

    Attributes:
        name: its kind, one of ``WITHOUT_CKAN``, and the source type or service.
        serve: gives the publisher its usual documents and returns the path of the first.
        run: reads a URL through a guard and returns what it made of it; raises what it wants to.
    """

    name: str
    serve: Callable[[Publisher], str]
    run: Callable[[str, Guard], str]

    @property
    def kind(self) -> str:
        return self.name.partition(" ")[0]

    @property
    def about(self) -> str:
        """The source type or service."""
        return self.name.partition(" ")[2]


def _client(guard: Guard) -> HttpClient:
    return HttpClient(guard, LIMITS, sleep=lambda _seconds: None)


def _source(kind: SourceType, url: str, http: HttpClient) -> Source:
    return Source(url, options.validate({}, (*kind.options, *COMMON_OPTIONS)), http)


def _read(kind: SourceType, url: str, guard: Guard) -> str:
    """Do what gather, fetch and import read: every record, with its content, parsed."""
    with _client(guard) as http:
        source = _source(kind, url, http)
        found = [as_entry(kind, source, raw) for raw in unique(kind.reader.records(source))]
    return json.dumps(found, default=str)


def _preview(kind: SourceType, url: str, guard: Guard) -> str:
    with _client(guard) as http:
        watched = Watched(http, Budget(seconds=20.0, request=5.0))
        found = SourcePreview(kind, _source(kind, url, http), watched).run()
    return json.dumps(found, default=str)


def _check(kind: SourceType, url: str, guard: Guard) -> str:
    """Run the command with this guard in place of the one that it makes."""
    out, err = io.StringIO(), io.StringIO()

    def client(_own: Guard, **more: object) -> HttpClient:
        return HttpClient(guard, LIMITS, sleep=lambda _seconds: None, **more)  # type: ignore[arg-type]

    with patch.object(command, "HttpClient", client):
        command.run(kind.name, url, as_json=True, out=out, err=err)
    return out.getvalue() + err.getvalue()


def _lookup(url: str, guard: Guard) -> str:
    with _client(guard) as http:
        probe = Probe(http)
        return f"{look_up(url, probe)} {probe.site_title(url)}"


def _check_data(files: Callable[[str, str], tuple[str, str]], url: str, guard: Guard) -> str:
    """Run the command on data and a schema, one of them the URL and the other a file."""
    out, err = io.StringIO(), io.StringIO()

    def client(_own: Guard, **_more: object) -> HttpClient:
        return _client(guard)

    with tempfile.TemporaryDirectory() as folder, patch.object(data_check, "HttpClient", client):
        location, schema = files(url, folder)
        data_check.run(location, schema, as_json=True, out=out, err=err)
    return out.getvalue() + err.getvalue()


def _data_at_url(url: str, folder: str) -> tuple[str, str]:
    schema = Path(folder, "schema.json")
    schema.write_text(RIVER_SCHEMA)
    return url, str(schema)


def _schema_at_url(url: str, folder: str) -> tuple[str, str]:
    data = Path(folder, "rivers.csv")
    data.write_text("river,length\nCam,69\n")
    return str(data), url


def _link(url: str, guard: Guard) -> str:
    with _client(guard) as http:
        return str(check_link(url, http))


def _serve_type(name: str) -> Callable[[Publisher], str]:
    return lambda publisher: SERVERS[name](publisher, items(3)).path


def _serve_wms(publisher: Publisher) -> str:
    capabilities = request_path("/wms", "WMS", "1.3.0")
    publisher.serve(capabilities, wms(address=publisher.url("/maps?")), headers=XML)
    return capabilities


def _serve_ogc_api(publisher: Publisher) -> str:
    links = [
        {"rel": rel, "href": publisher.url(f"/ogc/{path}"), "type": "application/json"}
        for rel, path in (("data", "collections"), ("conformance", "conformance"))
    ]
    collection = {"id": "rivers", "title": "Rivers", "links": []}
    publisher.serve("/ogc", {"title": "Water", "links": links})
    publisher.serve("/ogc/collections", {"links": [], "collections": [collection]})
    return "/ogc"


def _serve_file(publisher: Publisher) -> str:
    publisher.serve("/rivers.csv", "river,length\nCam,69\nLea,68\n")
    return "/rivers.csv"


RIVER_SCHEMA = json.dumps({"fields": [{"name": "river"}, {"name": "length"}]})


def _serve_schema(publisher: Publisher) -> str:
    publisher.serve("/schema.json", RIVER_SCHEMA)
    return "/schema.json"


_LINKS = {"WMS": _serve_wms, "OGC API": _serve_ogc_api, "file": _serve_file}


def _of_type(kind: SourceType, run: Callable[[SourceType, str, Guard], str]) -> Feature:
    name = run.__name__.lstrip("_")
    return Feature(f"{name} {kind.name}", _serve_type(kind.name), lambda *to: run(kind, *to))


FEATURES = (
    *(_of_type(kind, run) for run in (_read, _preview, _check) for kind in TYPES.values()),
    Feature("lookup address", _serve_type("data_json"), _lookup),
    Feature("data file", _serve_file, partial(_check_data, _data_at_url)),
    Feature("data schema", _serve_schema, partial(_check_data, _schema_at_url)),
    *(Feature(f"link {name}", serve, _link) for name, serve in _LINKS.items()),
)
