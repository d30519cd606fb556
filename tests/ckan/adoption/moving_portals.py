"""Portals with harvesters of their own, which move over with the ports beside this module."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from tests import gemini_catalogue
from tests.ckan.adoption.stock_harvests import of_another
from tests.ckan.adoption.takeovers import fill, is_easy
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, extras
from tests.ckan.remote_site import RemoteSite, package
from tests.publisher import Publisher
from tests.publishing.dcat import TURTLE
from tests.publishing.waf import folder_page

RECORDS = 3  # of each source
SPATIAL = {
    "ckan.spatial.validator.profiles": "iso19139eden",
    "ckanext.spatial.harvest.continue_on_validation_errors": "true",
    # Its index of records that have not changed fails on CKAN 2.12.
    "ckanext.spatial.harvest.reindex_unchanged": "False",
}
UNCHANGED = {"reindex_unchanged": "False"}
FLUENT = {"scheming.presets": "ckanext.scheming:presets.json"}
BESIDE = {"ckanext.ukharvest.side_by_side": "true"}


@dataclass(frozen=True)
class Row:
    """A source of a portal.

    Attributes:
        serve: lets a publisher serve its records, the first so many; returns its URL.
        type, theirs: names of its type, ours and the portal's.
        harvester: who filled it, "module:Class".
        options: as the portal stored them.
        hook: what is called for each of its records, "module:Class.method"; "" for nothing.
        left_out: number of records that the portal's harvester and its port leave out.
    """

    serve: Callable[[Publisher, int], str]
    type: str
    theirs: str
    harvester: str
    options: Mapping[str, Any] = field(default_factory=dict)
    hook: str = ""
    left_out: int = 0


class Place:
    """A portal while it is moved: its sources, in the order of its rows, by their ids."""

    def __init__(self, port: Port, portal: Portal, stack: ExitStack) -> None:
        self.portal, self.port = portal, port
        self.publishers = [stack.enter_context(Publisher()) for _row in port.rows]
        self.sources: list[str] = []

    def make_sources(self) -> None:
        for number, (row, publisher) in enumerate(
            zip(self.port.rows, self.publishers, strict=True)
        ):
            url = row.serve(publisher, RECORDS)
            made = self.portal.source(url, row.type, name=f"source-{number}")
            of_another(made, row.theirs, json.dumps(row.options) if row.options else "")
            self.sources.append(made)

    def fill(self, *, again: bool = False) -> None:
        """Let the portal's own harvesters run all sources, in this process."""
        for row, source in zip(self.port.rows, self.sources, strict=True):
            cls = their(row.harvester)
            if row.left_out or again:
                # What it leaves out counts as failed, and what has not changed is "unchanged".
                methods = {"import_stage": lambda self, obj, cls=cls: _imports(cls, self, obj)}
                cls = type("All", (cls,), methods)
            # Not by its constructor: CKAN would take it for an instance of subclasses.
            read = fill(object.__new__(cls), source)
            assert again or read >= RECORDS


def _imports(cls: Any, harvester: Any, obj: Any) -> bool:
    return bool(cls.import_stage(harvester, obj)) or True


@dataclass(frozen=True)
class Port:
    """A portal: its sources, the plugins that filled it, and those that it moves with.

    Attributes:
        settings: before and after.
        check: of its own, once all is moved.
    """

    rows: Sequence[Row]
    before: Sequence[str]
    after: Sequence[str]
    settings: Mapping[str, str]
    check: Callable[[Place, Callable[[str], dict[str, int]]], None]


def their(name: str) -> Any:
    """Return a class: "germany:GermanyPlugin"."""
    module, _colon, cls = name.partition(":")
    return getattr(importlib.import_module(module), cls)


def serve_site(publisher: Publisher, count: int) -> str:
    publisher.routes = RemoteSite([package(n) for n in range(count)])  # type: ignore[assignment]
    return publisher.base


def serve_json(**fields: Any) -> Callable[[Publisher, int], str]:
    def serve(publisher: Publisher, count: int) -> str:
        publisher.serve("/data.json", catalogue([dataset(n, **fields) for n in range(count)]))
        return publisher.url("/data.json")

    return serve


def serve_turtle(row: str, *others: str) -> Callable[[Publisher, int], str]:
    """Serve rows made of a pattern, and others."""

    def serve(publisher: Publisher, count: int) -> str:
        text = "\n".join([TURTLE, *(row.replace("{0}", str(n)) for n in range(count)), *others])
        publisher.serve("/c.ttl", text, headers={"Content-Type": "text/turtle"})
        return publisher.url("/c.ttl")

    return serve


def serve_waf(publisher: Publisher, count: int, kinds: Sequence[str] = ("dataset",)) -> str:
    """Serve a folder of GEMINI records that ckanext-spatial can read."""
    records = [
        each for each in gemini_catalogue.records() if is_easy(each.element) and each.kind in kinds
    ][:count]
    for record in records:
        content = {"Content-Type": "application/xml"}
        publisher.serve(f"/waf/{record.file}", record.element, headers=content)
    publisher.routes["/waf/"] = folder_page([record.file for record in records])
    return publisher.url("/waf/")


DCAT_HARVESTER = "ckanext.dcat.harvesters:DCATRDFHarvester"
WAF_HARVESTER = "ckanext.spatial.harvesters:WAFHarvester"
PARKS = """<https://data.example/{0}> a dcat:Dataset ; dct:title "Parks {0}" ;
 dct:description "Parks" ; dcat:keyword "transport" ; dcat:distribution
 [ a dcat:Distribution ; dcat:accessURL <https://data.example/{0}.csv> ] ."""
# The themes that data.gov.uk has today.
SLUGS = ("environment", "mapping", "transport")


def check_uk(place: Place, _run: Any) -> None:
    found = place.portal.datasets()
    themes = {each.get("theme-primary") or extras(each).get("theme-primary") for each in found}
    assert themes - {None} <= set(SLUGS), themes


UK_PLUGINS = ("slug_form", "ckan_harvester", "dcat_json_harvester", "dcat_rdf_harvester")
UK_PLUGINS += ("waf_harvester",)
UK = Port(
    [
        Row(
            serve_json(theme=["Environment"], accrualPeriodicity="R/P1M"),
            *("data_json", "dcat_json", "ckanext.dcat.harvesters:DCATJSONHarvester"),
        ),
        Row(serve_site, "ckan", "ckan", "ckanext.harvest.harvesters:CKANHarvester"),
        Row(serve_turtle(PARKS), "dcat_rdf", "dcat_rdf", DCAT_HARVESTER),
        Row(serve_waf, "gemini-waf", "waf", WAF_HARVESTER, UNCHANGED),
    ],
    UK_PLUGINS,
    UK_PLUGINS,
    {"ckanext.ukharvest.vocabularies": "data.gov.uk", **BESIDE},
    check_uk,
)

FINNISH_PLUGINS = ("like_fluent", "scheming_datasets", "finnish_spatial")
FINLAND = {
    "scheming.dataset_schemas": "finland:finland.yaml",
    "ckanext.ukharvest.hooks": "finland_before:SykeHarvester",
    **FLUENT,
}


def check_finland(place: Place, run: Callable[[str], dict[str, int]]) -> None:
    found = place.portal.datasets()
    assert {each["collection_type"] for each in found} == {"Open Data"}
    assert {each["license_id"] for each in found} == {"cc-by"}
    assert "fi" in found[0]["title_translated"]
    owners = {each["organization"]["name"] for each in found}
    assert owners >= {"wold-mapping-board"}
    # A service is left out, as their hook does.
    serve_waf(place.publishers[1], 8, ("dataset", "service"))
    ran = run(place.sources[1])
    assert ran["added"] + ran["not modified"] == 8
    assert ran["not modified"] > RECORDS


FINNISH = Port(
    [
        Row(
            *(serve_site, "ckan", "syke", "finland_before:SykeHarvester", {"license": "cc-by"}),
            "finland_before:SykeHarvester.modify_package_dict",
        ),
        Row(
            *(serve_waf, "gemini-waf", "waf", WAF_HARVESTER, {"license": "cc-by", **UNCHANGED}),
            "finland_before:FinnishSpatial.get_package_dict",
        ),
    ],
    FINNISH_PLUGINS,
    (*FINNISH_PLUGINS, "finland"),
    FINLAND,
    check_finland,
)

STREETS = """<https://data.example/{0}> a dcat:Dataset ; dct:title "Straßen {0}" ;
 dct:description "Straßen" ; dcat:distribution <https://data.example/{0}#csv> .
<https://data.example/{0}#csv> a dcat:Distribution ;
 dct:license <http://dcat-ap.de/def/licenses/cc-by> ;
 dcat:accessURL <https://data.example/{0}.csv> ."""
WITHOUT_FILES = """<https://data.example/none> a dcat:Dataset ; dct:title "Straßen" ;
 dct:description "Straßen" ."""
CONTRIBUTOR = "http://dcat-ap.de/def/contributors/x"


def check_germany(place: Place, _run: Any) -> None:
    found = place.portal.datasets()
    assert {json.loads(extras(each)["contributorID"])[0] for each in found} == {CONTRIBUTOR}
    licences = {file["license"] for each in found for file in each["resources"]}
    assert licences == {"http://dcat-ap.de/def/licenses/cc-by/4.0"}


GERMAN = Port(
    [
        Row(
            serve_turtle(STREETS, WITHOUT_FILES),
            *("dcat_rdf", "dcatde_rdf", "germany_before:GermanHarvester"),
            {"contributorID": CONTRIBUTOR, "resources_required": True},
            "germany:GermanyPlugin.before_dataset_save",
            left_out=1,
        )
    ],
    ("german_harvester",),
    ("germany",),
    {},
    check_germany,
)

STOPS = """<https://data.example/ch/{0}> a dcat:Dataset ; dct:identifier "{0}@sorg" ;
 dct:title "Haltestellen {0}"@de, "Arrêts {0}"@fr ; dct:description "Alle"@de, "Tous"@fr ;
 dcat:distribution <https://data.example/ch/{0}#csv> .
<https://data.example/ch/{0}#csv> a dcat:Distribution ;
 dcat:accessURL <https://data.example/ch/{0}.csv> ."""


def check_switzerland(place: Place, _run: Any) -> None:
    found = place.portal.datasets()
    assert found[0]["title"]["fr"].startswith("Arrêts")
    assert {each["identifier"] for each in found} == {f"{n}@sorg" for n in range(RECORDS)}


SWISS = Port(
    [
        Row(
            serve_turtle(STOPS, STOPS.replace("{0}", "out")),
            *("dcat_rdf", "dcat_ch_rdf", "switzerland_before:SwissHarvester"),
            {"excluded_dataset_identifiers": ["out@sorg"]},
            "switzerland:SwitzerlandPlugin.before_dataset_save",
            left_out=1,
        )
    ],
    ("like_fluent", "scheming_datasets", "swiss_harvester"),
    ("like_fluent", "scheming_datasets", "switzerland"),
    {
        "scheming.dataset_schemas": "switzerland:switzerland.yaml",
        "ckanext.dcat.rdf.profiles": "euro_dcat_ap_3 swiss",
        **FLUENT,
    },
    check_switzerland,
)


def serve_victoria(publisher: Publisher, count: int) -> str:
    rows = [dataset(n, accessLevel="public" if n % 3 else "non-public") for n in range(count)]
    publisher.serve("/data.json", catalogue(rows))
    return publisher.url("/data.json")


def check_victoria(place: Place, run: Callable[[str], dict[str, int]]) -> None:
    found = place.portal.datasets()
    assert [each["private"] for each in found] == [True, False, False]
    assert {extras(each)["data_owner"] for each in found} == {"Roads"}
    assert {group["name"] for each in found for group in each["groups"]} == {"transport"}
    # A record that becomes known later keeps what their harvester would have done.
    serve_victoria(place.publishers[0], 4)
    assert run(place.sources[0]) == {"added": 1, "not modified": 3}
    assert [each["private"] for each in place.portal.datasets()] == [True, False, False, True]


VICTORIAN = Port(
    [
        Row(
            serve_victoria,
            *("data_json", "datavic_dcat_json", "victoria_before:VictoriaHarvester"),
            {"default_license": "cc-by", "default_data_owner": "Roads", "category": "transport"},
            "victoria:VictoriaPlugin.before_dataset_save",
        )
    ],
    ("victorian_harvester",),
    ("victoria",),
    {},
    check_victoria,
)

TABLE = {
    "data.gov.uk": UK,
    "finland": FINNISH,
    "germany": GERMAN,
    "switzerland": SWISS,
    "victoria": VICTORIAN,
}
