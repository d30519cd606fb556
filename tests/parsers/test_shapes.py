"""Nothing vanishes: a known property in an odd shape is kept in an extra, or is a problem."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from ckanext.ukharvest.core.records import DatasetRecord, RawRecord
from ckanext.ukharvest.parsers import oai_dc, package_resources, table
from ckanext.ukharvest.parsers.ckan import parser as ckan
from ckanext.ukharvest.parsers.completion import complete
from ckanext.ukharvest.parsers.data_json import parser as data_json
from ckanext.ukharvest.parsers.data_json import resources as data_json_files
from ckanext.ukharvest.parsers.dcat import distribution
from ckanext.ukharvest.parsers.dcat import parser as dcat
from ckanext.ukharvest.parsers.dcat.node import NAMESPACES
from ckanext.ukharvest.parsers.dkan import parser as dkan
from ckanext.ukharvest.parsers.ods import dataset as ods_dataset
from ckanext.ukharvest.parsers.ods import parser as ods
from ckanext.ukharvest.parsers.opensearch import atom
from ckanext.ukharvest.parsers.opensearch import parser as opensearch
from tests.parsers import carriers, corpus
from tests.parsers.carriers import FILE, PAGE

VALUE = "Zqx"
LABEL, TYPE = (
    "<http://www.w3.org/2000/01/rdf-schema#label>",
    "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>",
)
FIRST, REST, NIL = (
    f"<http://www.w3.org/1999/02/22-rdf-syntax-ns#{name}>" for name in ("first", "rest", "nil")
)
# An object, or several with | between them, and what hangs below it.
IN_RDF: dict[str, tuple[str, ...]] = {
    "text": (f'"{VALUE}"',),
    "second": (f'"word"|"{VALUE}"',),
    "tagged": (f'"{VALUE}"@cy',),
    "uri": (f"<https://zqx.example/{VALUE}>",),
    "node": ("_:n", f'_:n {LABEL} "{VALUE}" .'),
    "other class": ("_:n", f'_:n {LABEL} "{VALUE}" .', f"_:n {TYPE} <https://a.example/X> ."),
    "nested": (
        "_:n",
        "_:n <http://purl.org/dc/terms/description> _:m .",
        f'_:m {LABEL} "{VALUE}" .',
    ),
    "list": ("_:n", f'_:n {FIRST} "{VALUE}" .', f"_:n {REST} {NIL} ."),
}
IN_JSON = {
    "text": VALUE,
    "list": [VALUE],
    "second": ["word", VALUE],
    "lists": [[VALUE]],
    "value": {"@value": VALUE},
    "named": {"name": VALUE},
    "labels": {"prefLabel": ["word", VALUE]},
    "object": {"zz": VALUE},
    "objects": [{"zz": VALUE}],
    "nested": {"x": {"y": VALUE}},
}
IN_XML = {
    "text": f">{VALUE}<",
    "attribute": f' resource="{VALUE}"><',
    "child": f"><zz>{VALUE}</zz><",
    "nested": f"><zz><yy>{VALUE}</yy></zz><",
    "reference": f' xlink:href="https://zqx.example/{VALUE}"><',
    "second": f">word</NAME><NAME>{VALUE}<",
}
# Its attributes are those that it names.
IN_INVENTORY = {name: IN_XML[name] for name in ("text", "child", "nested", "second")}
IN_CELL = {"text": VALUE, "lines": f"word\n{VALUE}", "json": f'{{"zz": "{VALUE}"}}'}
INVENTORY = tuple(
    f"{part}/{name}"
    for part, names in {
        "Dataset": "Description Rights RightsHolder Subjects/Subject Subjects/Subject/Service"
        " Subjects/Subject/Function Relations Relations/Relation"
        " Relations/Relation/DatasetIdentifier RelationType Protected ProtectedText Context"
        " ChargeURL CommittmentDate Modified",
        "Inventory": "Metadata/Publisher Metadata/Title Metadata/Description Creator"
        " Metadata/Coverage/Spatial Title Description",
        "Resource": "Coverage Coverage/Spatial Coverage/TemporalFrom Modified Language",
        "Rendition": "Title Description Availability ConformsTo Modified",
    }.items()
    for name in names.split()
)
IN_NAMESPACE = re.compile("(dc|dct|atom|georss|time|ows):[^/]*$")
DATASET = "<https://a.example/x>"
DCAT = "http://www.w3.org/ns/dcat#"
SCHEMA = NAMESPACES["schema"][0]


def _dcat(subject: str, name: str, value: tuple[str, ...], kind: str = "") -> DatasetRecord:
    prefix, _, local = name.partition(":")
    lines = (
        kind or f"{DATASET} {TYPE} <{DCAT}Dataset> .",
        f'{DATASET} <http://purl.org/dc/terms/title> "T" .',
        f"{DATASET} <{DCAT}distribution> _:f .",
        f"_:f <{DCAT}accessURL> <{FILE}> .",
        *(f"{subject} <{NAMESPACES[prefix][0]}{local}> {of} ." for of in value[0].split("|")),
        *value[1:],
    )
    return dcat.parse(RawRecord(DATASET[1:-1], "\n".join(lines), url=PAGE), {})


def _element(name: str, value: str) -> str:
    space = ' xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f"<{name}{space}{value.replace('NAME', name)}/{name}>"


def _object(path: str, value: Any) -> dict[str, Any]:
    """Return an object with a value at a path of members."""
    name, _, rest = path.partition(".")
    return {name: _object(rest, value) if rest else value}


def _inventory(path: str, value: str) -> DatasetRecord:
    """Parse an inventory with an element at a path below a part of it."""
    part, *names, last = path.split("/")
    inside = _element(last, value)
    for name in reversed(names):
        inside = f"<{name}>{inside}</{name}>"
    above, body = (inside if part == name else "" for name in ("Inventory", "Dataset"))
    resource = carriers.inventory_file()
    if part in ("Rendition", "Resource"):
        resource = resource.replace(f"</{part}>", f"{inside}</{part}>", 1)
    return carriers.inventory(body, above=above, resources=resource)


Carry = Callable[[str, Any], DatasetRecord]
# Format → its names, the shapes, and a record with a property in a shape.
FORMATS: dict[str, tuple[Iterable[Any], dict[str, Any], Carry]] = {
    "dcat": (
        table.names_read(dcat.MAPPING),
        IN_RDF,
        lambda name, value: _dcat(DATASET, name, value),
    ),
    "schema_org": (
        table.names_read(
            row for row in dcat.MAPPING if any(name.startswith("schema:") for name in row.source)
        ),
        IN_RDF,
        lambda name, value: _dcat(DATASET, name, value, f"{DATASET} {TYPE} <{SCHEMA}Dataset> ."),
    ),
    "dcat-file": (
        table.names_read(distribution.RESOURCE_MAPPING),
        IN_RDF,
        lambda name, value: _dcat("_:f", name, value),
    ),
    "data_json": (
        table.names_read(data_json.MAPPING),
        IN_JSON,
        lambda name, value: carriers.data_json(**{name: value}),
    ),
    "data_json-file": (
        table.names_read(data_json_files.RESOURCE_MAPPING),
        IN_JSON,
        lambda name, value: carriers.data_json(distribution=[{"accessURL": FILE, name: value}]),
    ),
    "dkan_2": (
        table.names_read(data_json.MAPPING),
        IN_JSON,
        lambda name, value: carriers.dkan_2(**{name: value}),
    ),
    "ckan": (
        table.names_read(ckan.MAPPING),
        IN_JSON,
        lambda name, value: carriers.ckan(**{name: value}),
    ),
    "ckan-file": (
        table.names_read(package_resources.RESOURCE_MAPPING),
        IN_JSON,
        lambda name, value: carriers.ckan(resources=[{"url": FILE, name: value}]),
    ),
    "dkan_7": (
        [
            name
            for name in table.names_read(dkan.MAPPING)
            if name[:6] != "field_" and name not in ("description", "path")  # Drupal's own
        ],
        IN_JSON,
        lambda name, value: carriers.dkan_7(**{name: value}),
    ),
    "dkan_7-node": (
        [name for name in table.names_read(dkan.MAPPING) if name[:6] == "field_"],
        IN_JSON,
        lambda name, value: carriers.dkan_7(dkan_additional_fields=_object(name, value)),
    ),
    "dkan_7-file": (
        table.names_read(package_resources.RESOURCE_MAPPING),
        IN_JSON,
        lambda name, value: carriers.dkan_7(resources=[{"url": FILE, name: value}]),
    ),
    "geojson": (
        table.names_read(opensearch.MAPPING, "properties."),
        IN_JSON,
        lambda name, value: carriers.geojson(**_object(name, value)),
    ),
    "geojson-own": (
        ("geometry", "bbox", "links"),
        IN_JSON,
        lambda name, value: carriers.geojson({name: value}),
    ),
    "ods": (
        table.names_read(ods.MAPPING, ods_dataset.DEFAULT),
        IN_JSON,
        lambda name, value: carriers.ods({name: value}),
    ),
    "ods-dcat": (
        table.names_read(ods.MAPPING, ods_dataset.DCAT),
        IN_JSON,
        lambda name, value: carriers.ods(dcat={name: value}),
    ),
    "ods-inspire": (
        table.names_read(ods.MAPPING, ods_dataset.INSPIRE),
        IN_JSON,
        lambda name, value: carriers.ods(inspire={name: value}),
    ),
    "ods-own": (
        ("attachments", "alternative_exports", "dataset_uid"),
        IN_JSON,
        lambda name, value: carriers.ods(**{name: value}),
    ),
    "ods-file": (
        ("id", "title", "description", "mimetype", "modified"),
        IN_JSON,
        lambda name, value: carriers.ods(attachments=[{"url": FILE, name: value}]),
    ),
    "table": (
        table.names_read(data_json.MAPPING),
        IN_CELL,
        lambda name, value: corpus.table(**{name: value}),
    ),
    "table-file": (
        [f"distribution.{name}" for name in table.names_read(data_json_files.RESOURCE_MAPPING)],
        IN_CELL,
        lambda name, value: corpus.table(**{"distribution.accessURL": FILE, name: value}),
    ),
    "oai_dc": (
        filter(IN_NAMESPACE.match, table.names_read(oai_dc.MAPPING)),
        IN_XML,
        lambda name, value: carriers.oai_dc(_element(name, value)),
    ),
    "atom": (
        filter(IN_NAMESPACE.match, table.names_read(atom.MAPPING)),
        IN_XML,
        lambda name, value: carriers.atom(_element(name, value).replace("atom:", "")),
    ),
    "inventory": (INVENTORY, IN_INVENTORY, _inventory),
}
# Identity and title, without which there is no record; other names of the title; counters.
APART = {"guid", "title", "id", "identifier", "@id", "@type", "extras", "uri", "name"}
APART |= {"dc:title", "dct:title", "rdfs:label", "foaf:name", "schema:name", "skos:prefLabel"}
APART |= {
    "atom:title",
    "atom:id",
    "dct:identifier",
    "schema:identifier",
    "schema:url",
    "dcat:servesDataset",
    "records_count",
}
# What only goes with another value, or has one of its own: a map of languages.
APART |= {"describedByType", "dataDictionaryType", "resource_type", "titleMap", "keywordMap"}
APART |= {"distribution.extras"}
APART |= {f"{name}_translated" for name in ("title", "notes", "tags", "name", "description")}


def _names(names: Iterable[str], shapes: dict[str, Any]) -> list[str]:
    names = {name for name in names if " " not in name} - APART
    return sorted(name for name in names if shapes is not IN_RDF or ":" in name)


def _is_kept(record: DatasetRecord, name: str) -> bool:
    texts = json.dumps(dataclasses.asdict(dataclasses.replace(record, problems=())), default=str)
    local = re.split("[:/]", name)[-1]
    return VALUE.lower() in texts.lower() or any(
        local in problem.message or VALUE in problem.message or problem.code == "missing-url"
        for problem in record.problems
        if problem.code != "missing-field"
    )


@pytest.mark.parametrize("form", FORMATS)
def test_known_property_in_any_shape_is_kept_or_reported(form: str) -> None:
    names, shapes, carry = FORMATS[form]
    lost = [
        (name, shape)
        for name in _names(names, shapes)
        for shape, value in shapes.items()
        if not _is_kept(complete(carry(name, value)), name)
    ]
    assert lost == LOST.get(form, [])


# Formats some of whose rows read several texts, and a record with all of them.
BESIDE: dict[str, Callable[[dict[str, Any]], DatasetRecord]] = {
    "geojson": lambda members: carriers.geojson(**members),
    "ods": carriers.ods,
    "ods-dcat": lambda members: carriers.ods(dcat=members),
    "ods-inspire": lambda members: carriers.ods(inspire=members),
}
OTHERS = {"authors", "contactPoint", "links", "offerings", "services"}  # objects
OTHERS |= {"abstract", "description", "summary"}  # of which the first counts


@pytest.mark.parametrize("form", BESIDE)
def test_text_in_odd_shape_is_kept_beside_others(form: str) -> None:
    names = [name for name in _names(FORMATS[form][0], IN_JSON) if "." not in name]
    lost = [
        (name, shape)
        for name in names
        for shape in ("lists", "nested")
        if not _is_kept(
            complete(BESIDE[form]({**dict.fromkeys(names, "word"), name: IN_JSON[shape]})), name
        )
        and (form, name) not in {("geojson", other) for other in OTHERS}
    ]
    assert lost == []


# Known, and not worth an extra.
LOST = {
    "dcat": [("cr:recordSet", shape) for shape in ("text", "second", "tagged", "list")],
    **{name: [("format", "text"), ("mediaType", "text")] for name in ("data_json", "dkan_2")},
    "dkan_7-file": [("mimetype", "text")],  # its ending once more
    "atom": [("dc:identifier", "attribute"), ("dc:identifier", "reference")],
}
