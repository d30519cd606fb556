"""Formats under CKAN's labels."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.values import formats


@pytest.mark.parametrize(
    "given",
    ["", "n/a", "Original", "data", "Link to the PDF and CSV files", "application/octet-stream"]
    + ["application/x-unheard-of", "1.0", "http://example.org/standard/v2"],
)
def test_unknown_format_has_no_label(given: str) -> None:
    assert formats.label(given) == ""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param("/a.csv", "CSV", id="extension"),
        pytest.param("/a.CSV#row=1", "CSV", id="upper-case"),
        pytest.param("/a%2Ecsv", "CSV", id="encoded"),
        pytest.param("/a.geojson?x=1.2", "GeoJSON", id="query-behind"),
        pytest.param("/rows.csv?accessType=DOWNLOAD", "CSV", id="socrata"),
        pytest.param("/a.csv.zip", "CSV", id="in-zip"),
        pytest.param("/a.shp.zip", "SHP", id="shp-zip"),
        pytest.param("/a.tar.gz", "TAR", id="tar-gz"),
        pytest.param("/v1.2.zip", "ZIP", id="version-in-name"),
        pytest.param("/export?format=xlsx", "XLSX", id="format"),
        pytest.param("/export?exportFormat=CSV", "CSV", id="exportformat"),
        pytest.param("/api/geospatial/ab?method=export&format=Shapefile", "SHP", id="socrata-shp"),
        pytest.param("/api/geospatial/ab?method=export&format=Original", "", id="socrata-original"),
        pytest.param("/wms?SERVICE=WMS&REQUEST=GetCapabilities", "WMS", id="wms"),
        pytest.param("/map?request=GetMap&format=image/png", "WMS", id="get-map"),
        pytest.param("/ows?service=wfs&request=GetCapabilities", "WFS", id="wfs"),
        pytest.param("/ows?service=wfs&request=GetFeature&outputFormat=csv", "CSV", id="wfs-csv"),
        pytest.param(
            "/ows?service=wfs&request=GetFeature&outputFormat=SHAPE-ZIP", "SHP", id="wfs-shp"
        ),
        pytest.param("/geoserver/wms", "WMS", id="path-wms"),
        pytest.param("/arcgis/rest/services/x/FeatureServer/0", "Esri REST", id="feature-server"),
        pytest.param("/rest/services/x/MapServer", "Esri REST", id="map-server"),
        pytest.param("/x/FeatureServer/0?f=json", "Esri REST", id="description"),
        pytest.param("/x/FeatureServer/0/query?where=1&f=geojson", "GeoJSON", id="arcgis-geojson"),
        pytest.param("/x/MapServer/WMSServer?request=GetCapabilities", "WMS", id="arcgis-wms"),
        pytest.param("/sparql", "SPARQL", id="sparql"),
        pytest.param("/ows?SERVICE=Wms&", "WMS", id="service-any-case"),
        pytest.param("/map?request=GetMap&bbox=1,2,3,4&format=image/png", "PNG", id="whole-map"),
        pytest.param("/wms?request=GetLegendGraphic&format=image/png", "PNG", id="legend"),
        pytest.param("/x?request=GetFeature&typename=a", "WFS", id="get-feature"),
        pytest.param(
            "/x?request=GetFeature&outputFormat=application/json", "GeoJSON", id="wfs-json"
        ),
        pytest.param("/x?service=WFS&request=GetFeature&outputFormat=gml2", "GML", id="wfs-gml"),
        pytest.param(
            "/x?service=WFS&request=GetCapabilities&outputFormat=csv", "WFS", id="wfs-capabilities"
        ),
        pytest.param("/x?service=WMTS&request=GetTile&format=image/png", "WMTS", id="tile"),
        pytest.param("/x?service=WCS", "WCS", id="wcs"),
        pytest.param("/csw?service=CSW&request=GetRecordById&id=1", "CSW", id="csw"),
        pytest.param("/x?service=SOS", "SOS", id="sos"),
        pytest.param("/wps?service=WPS", "WPS", id="wps"),
        pytest.param("/wms;jsessionid=12AB", "WMS", id="session"),
        pytest.param("/a.csv;jsessionid=12AB?x=1", "CSV", id="session-of-a-file"),
        pytest.param("/maps/wms?", "WMS", id="question-mark"),
        pytest.param("/ogc/wms/", "WMS", id="slash-behind"),
        pytest.param("/cgi-bin/wms.php?map=1", "WMS", id="script"),
        pytest.param("/wms.exe", "WMS", id="program-of-a-service"),
        pytest.param("/docs/wms.pdf", "PDF", id="about-a-service"),
        pytest.param("/csw/2.0.2/csw.xsd", "XSD", id="schema-of-a-service"),
        pytest.param("/servlet/com.esri.wms.Esrimap", "WMS", id="arcims"),
        pytest.param("/com.esri.wfs.Esrimap?x=1", "WFS", id="arcims-wfs"),
        pytest.param("/arcgis/services/a/MapServer/WFSServer", "WFS", id="arcgis-wfs"),
        pytest.param("/gwc/service/wmts", "WMTS", id="geowebcache"),
        pytest.param("/wmts/1.0.0/WMTSCapabilities.xml", "WMTS", id="wmts-document"),
        pytest.param("/arcgis/rest/services/roads", "Esri REST", id="arcgis-folder"),
        pytest.param("/x/ImageServer", "Esri REST", id="image-server"),
        pytest.param("/MapServer/generateKml?layers=0", "KML", id="generate-kml"),
        pytest.param("/api/collections/roads/items?f=json", "OGC API Features", id="items"),
        pytest.param("/api/collections/roads/items?f=csv", "CSV", id="items-as-csv"),
        pytest.param("/ogc/features/v1", "OGC API Features", id="features"),
        pytest.param("/collections", "", id="museum"),
        pytest.param("/inspire/atom", "Atom Feed", id="atom"),
        pytest.param("/atom/roads/en.xml", "Atom Feed", id="atom-folder"),
        pytest.param("/atom/roads.zip", "ZIP", id="file-of-a-feed"),
        pytest.param("/roads.atom", "Atom Feed", id="atom-extension"),
        pytest.param("/InspirePredefinedDatasetDownload", "Atom Feed", id="inspire-download"),
        pytest.param("/thredds/dodsC/sst.nc", "OPeNDAP", id="opendap"),
        pytest.param("/thredds/dodsC/sst.nc.html", "HTML", id="opendap-page"),
        pytest.param("/thredds/fileServer/sst.nc", "NetCDF", id="thredds-file"),
        pytest.param("/thredds/wms/sst.nc", "WMS", id="thredds-wms"),
        pytest.param("/get.php?file=roads.gpkg", "GPKG", id="file-in-query"),
        pytest.param("/a.gdb.zip", "GDB", id="gdb-zip"),
        pytest.param("/x?service=roads", "", id="other-service"),
        pytest.param("/", "", id="root"),
        pytest.param("", "", id="host-only"),
        pytest.param("/page.aspx?id=3", "", id="program"),
        pytest.param("/download/12345", "", id="number"),
        pytest.param("/v1.0/", "", id="version"),
        pytest.param("/csv/", "", id="folder"),
    ],
)
def test_a_url_shows_its_format(path: str, expected: str) -> None:
    assert formats.of_url("https://example.zip" + path) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("service=WMS&request=GetCapabilities", "WMS", id="service"),
        pytest.param("request=GetMap", "WMS", id="request"),
        pytest.param("request=GetCapabilities", "", id="capabilities-of-what"),
        pytest.param("service=WFS&request=GetFeature&outputFormat=csv", "CSV", id="file"),
        pytest.param("format=csv", "", id="no-service"),
        pytest.param("", "", id="no-query"),
    ],
)
def test_format_is_read_from_a_service_query(query: str, expected: str) -> None:
    assert formats.of_request("https://example.org/wms?" + query) == expected


@pytest.mark.parametrize(
    "unit", ["/atom", "/dodsc/", "/collections/a", ";a", "/wms", "?format=csv&"]
)
def test_long_addresses_take_no_time(unit: str) -> None:
    formats.of_url("https://example.org" + unit * 100_000)


def test_names_can_be_left_out() -> None:
    assert formats.label("access") == "MDB"
    assert formats.label("Access data", unless=("access",)) == ""
    assert formats.label("access, csv", unless=("access",)) == ""


@pytest.mark.parametrize("given", ["", "not a url", "http://["])
def test_text_that_is_no_url_has_no_format(given: str) -> None:
    assert formats.of_url(given) == ""


@pytest.mark.parametrize("given", ["a" * 100_000, "-" * 100_000, "zip " * 50_000, "(a)" * 50_000])
def test_long_texts_have_no_format_and_take_no_time(given: str) -> None:
    assert formats.label(given) == ""
