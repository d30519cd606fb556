"""Places: the same shape is the same geometry in every format that can carry it."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from ckanext.ukharvest.core.records import DatasetRecord
from ckanext.ukharvest.core.values.geometries import bounds
from tests.parsers import carriers
from tests.parsers.carriers import element, literal

BOX = (-1.0, 50.0, 1.0, 52.0)
WKT = "POLYGON((-1 50, 1 50, 1 52, -1 52, -1 50))"
GEOJSON = {
    "type": "Polygon",
    "coordinates": [[[-1, 50], [1, 50], [1, 52], [-1, 52], [-1, 50]]],
}
GML = (
    '<gml:Envelope srsName="{}"><gml:lowerCorner>{}</gml:lowerCorner>'
    "<gml:upperCorner>{}</gml:upperCorner></gml:Envelope>"
)
# The same in the order of the named system.
LATITUDE_FIRST = GML.format("http://www.opengis.net/def/crs/EPSG/0/4326", "50 -1", "52 1")
LONGITUDE_FIRST = GML.format("http://www.opengis.net/def/crs/OGC/1.3/CRS84", "-1 50", "1 52")
SCHEMA = (
    "schema:spatialCoverage [ a schema:Place ; schema:geo [ a schema:GeoShape ; schema:{} {} ] ]"
)
_CKAN = ("bbox-west-long", "bbox-south-lat", "bbox-east-long", "bbox-north-lat")
_ODS = ("westbound_longitude", "southbound_latitude", "eastbound_longitude", "northbound_latitude")
_ISO = ("westBoundLongitude", "southBoundLatitude", "eastBoundLongitude", "northBoundLatitude")


def _sides(names: tuple[str, ...], start: str = "") -> dict[str, str]:
    return {start + name: side for name, side in zip(names, ("-1", "50", "1", "52"), strict=True)}


def _iso_box() -> str:
    sides = "".join(
        f"<gmd:{name}><gco:Decimal>{side}</gco:Decimal></gmd:{name}>"
        for name, side in _sides(_ISO).items()
    )
    return (
        "<gmd:extent><gmd:EX_Extent><gmd:geographicElement><gmd:EX_GeographicBoundingBox>"
        f"{sides}</gmd:EX_GeographicBoundingBox></gmd:geographicElement></gmd:EX_Extent>"
        "</gmd:extent>"
    )


def _inventory(place: str) -> DatasetRecord:
    covered = f"<Coverage>{element('Spatial', place)}</Coverage>"
    return carriers.inventory(resources=f'<Resource Type="Data">{covered}</Resource>')


PLACES: dict[str, Callable[[], DatasetRecord]] = {
    "data_json": lambda: carriers.data_json(spatial="-1,50,1,52"),
    "data_json-numbers": lambda: carriers.data_json(spatial=[-1, 50, 1, 52]),
    "data_json-geojson": lambda: carriers.data_json(spatial=GEOJSON),
    "data_json-text": lambda: carriers.data_json(spatial=json.dumps(GEOJSON)),
    "data_json-wkt": lambda: carriers.data_json(spatial=WKT),
    "data_json-gml": lambda: carriers.data_json(spatial=LATITUDE_FIRST),
    "data_json-schema-org": lambda: carriers.data_json(
        spatial={"@type": "Place", "geo": {"@type": "GeoShape", "box": "50 -1 52 1"}}
    ),
    "dkan_2": lambda: carriers.dkan_2(spatial=WKT),
    "dkan_7": lambda: carriers.dkan_7(spatial=WKT),
    "ckan": lambda: carriers.ckan(spatial=json.dumps(GEOJSON)),
    "ckan-wkt": lambda: carriers.ckan(spatial=WKT),
    "ckan-sides": lambda: carriers.ckan(**_sides(_CKAN)),
    "dcat": lambda: carriers.dcat(f"dct:spatial [ dcat:bbox {literal(WKT)} ]"),
    "dcat-geojson": lambda: carriers.dcat(
        f"dct:spatial [ locn:geometry {literal(json.dumps(GEOJSON))} ]"
    ),
    "dcat-gml": lambda: carriers.dcat(f"dct:spatial [ locn:geometry {literal(LONGITUDE_FIRST)} ]"),
    "dcat-gml-epsg": lambda: carriers.dcat(
        f"dct:spatial [ locn:geometry {literal(LATITUDE_FIRST)} ]"
    ),
    "schema_org-box": lambda: carriers.schema_org(SCHEMA.format("box", '"50 -1 52 1"')),
    "schema_org-polygon": lambda: carriers.schema_org(
        SCHEMA.format("polygon", '"50 -1 50 1 52 1 52 -1 50 -1"')
    ),
    "schema_org-line": lambda: carriers.schema_org(SCHEMA.format("line", '"50 -1 52 1"')),
    "gemini": lambda: carriers.gemini(_iso_box()),
    "oai_dc-dcmi": lambda: carriers.oai_dc(
        element("dc:coverage", "westlimit=-1; southlimit=50; eastlimit=1; northlimit=52")
    ),
    "oai_dc-ows": lambda: carriers.oai_dc(
        '<ows:BoundingBox crs="urn:ogc:def:crs:EPSG::4326"><ows:LowerCorner>50 -1</ows:LowerCorner>'
        "<ows:UpperCorner>52 1</ows:UpperCorner></ows:BoundingBox>"
    ),
    "atom-box": lambda: carriers.atom(element("georss:box", "50 -1 52 1")),
    "atom-polygon": lambda: carriers.atom(element("georss:polygon", "50 -1 50 1 52 1 52 -1 50 -1")),
    "atom-gml": lambda: carriers.atom(
        f"<georss:where>{GML.format('', '50 -1', '52 1')}</georss:where>"
    ),
    "geojson": lambda: carriers.geojson({"geometry": GEOJSON}),
    "geojson-box": lambda: carriers.geojson({"bbox": [-1, 50, 0, 1, 52, 9]}),
    "atom-wkt": lambda: carriers.atom(element("dct:spatial", WKT)),
    "oai_dc-wkt": lambda: carriers.oai_dc(element("dct:spatial", WKT)),
    "oai_dc-coverage": lambda: carriers.oai_dc(element("dc:coverage", WKT)),
    "geojson-wkt": lambda: carriers.geojson(spatial=WKT),
    "inventory": lambda: _inventory(WKT),
    "ods": lambda: carriers.ods(dcat={"spatial": WKT}),
    "ods-sides": lambda: carriers.ods(inspire=_sides(_ODS, "extend_bounding_box_")),
}


@pytest.mark.parametrize("form", PLACES)
def test_a_box_is_the_same_place_in_every_format(form: str) -> None:
    record = PLACES[form]()
    assert record.spatial is not None
    assert bounds(dict(record.spatial)) == BOX
    assert "bad-spatial" not in {problem.code for problem in record.problems}
    assert "spatial-original" not in record.extras
