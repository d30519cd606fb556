"""The formats that portals meet: CKAN's label, and every other way to say it. Data only.

One line a format: label | file extensions | media types | other names. Labels are those of CKAN
2.12's ``config/resource_formats.json`` where that has the format, else the file extension or the
project's own spelling. Names are compared without case, blanks and punctuation. Sources: IANA's
media type registry, the EU file-type authority table, OGC service types. Against CKAN's list,
``video/mpeg`` is no MP3 here, and ``application/octet-stream`` no format at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

_TABLE = """
CSV | csv | text/csv, text/comma-separated-values, application/csv, text/x-csv, application/x-csv, application/vnd.csv | comma separated values, comma separated values file, comma separated, comma delimited, csv file, csvw
TSV | tsv, tab | text/tab-separated-values, text/tsv | tab separated values, tab delimited, tab separated
PSV | psv | text/pipe-separated-values | pipe separated values
XLS | xls, xlt | application/vnd.ms-excel, application/msexcel, application/x-msexcel, application/x-ms-excel, application/x-excel, application/x-dos_ms_excel, application/xls, application/x-xls, application/excel | excel, ms excel, microsoft excel, excel document, spreadsheet
XLSX | xlsx | application/vnd.openxmlformats-officedocument.spreadsheetml.sheet | excel xlsx, excel2007, office open xml spreadsheet, excel ooxml spreadsheet, ooxml spreadsheet
XLSM | xlsm | application/vnd.ms-excel.sheet.macroenabled.12 |
XLSB | xlsb | application/vnd.ms-excel.sheet.binary.macroenabled.12 |
XLTM | xltm | application/vnd.ms-excel.template.macroenabled.12 |
XLTX | xltx | application/vnd.openxmlformats-officedocument.spreadsheetml.template |
XLAM | xlam | application/vnd.ms-excel.addin.macroenabled.12 |
ODS | ods | application/vnd.oasis.opendocument.spreadsheet | opendocument spreadsheet, open document spreadsheet
JSON | json | application/json, text/json, application/x-json | javascript object notation, json file
NDJSON | ndjson, jsonl, jsonlines | application/x-ndjson, application/ndjson, application/jsonl, application/json-lines, application/jsonlines, application/x-jsonlines | json lines, newline delimited json
JSON-LD | jsonld | application/ld+json | json ld
GeoJSON | geojson | application/geo+json, application/vnd.geo+json, application/geojson, application/x-geojson, application/geo+json-seq | geo json, geographic javascript object notation
TopoJSON | topojson | application/topo+json | topo json
XML | xml | application/xml, text/xml, application/x-xml | xml file, extensible markup language
XSD | xsd | application/xsd+xml | xml schema
XSLT | xsl, xslt | application/xslt+xml |
SHP | shp | application/x-shp, application/x-shapefile, application/vnd.shp, application/x-zipped-shp, application/shp, x-gis/x-shapefile | shapefile, shape file, shape, esri shapefile, esri shape file, shape-zip, arcgis shapefile, zipped shapefile, shpz, tgrshp
GPKG | gpkg | application/geopackage+sqlite3, application/geopackage+vnd.sqlite3, application/x-gpkg, application/geopackage | geopackage, ogc geopackage
FlatGeobuf | fgb | application/flatgeobuf, application/x-flatgeobuf | flat geobuf
GDB | gdb | application/x-filegdb, application/x-esri-filegdb | file geodatabase, filegeodatabase, esri file geodatabase, filegdb, geodatabase, esri geodatabase, sde feature class
Parquet | parquet | application/vnd.apache.parquet, application/parquet, application/x-parquet | apache parquet
GeoParquet | geoparquet | application/vnd.apache.geoparquet | geo parquet
Arrow | arrow, feather | application/vnd.apache.arrow.file, application/vnd.apache.arrow.stream | apache arrow
GML | gml | application/gml+xml, application/gml, text/gml, application/vnd.ogc.gml | geography markup language, gml xml, gml2, gml3, gml31, gml32, gml 2, gml 3, inspire gml
KML | kml | application/vnd.google-earth.kml+xml, application/vnd.google-earth.kml, application/kml | keyhole markup language, google earth
KMZ | kmz | application/vnd.google-earth.kmz+xml, application/vnd.google-earth.kmz, application/kmz |
GPX | gpx | application/gpx+xml | gps exchange format
DXF | dxf | image/vnd.dxf, application/dxf, application/x-dxf | autocad dxf
DWG | dwg | image/vnd.dwg, application/acad, application/dwg | autocad dwg
TAB | | application/x-mapinfo-tab | mapinfo, mapinfo tab
MIF | mif | application/vnd.mif, application/x-mapinfo-mif | mapinfo mif, mapinfo interchange format, mif mid
E00 | e00 | application/x-e00 | arc info interchange, arcinfo interchange file
LAS | las | application/vnd.las | lidar
LAZ | laz | application/vnd.laszip | laszip, compressed lidar
ASC | asc | | esri ascii grid, ascii grid, arc ascii grid, esri ascii raster
QGIS | qgs, qgz | application/x-qgis | qgis project
MXD | mxd | application/x-mxd |
MBTiles | mbtiles | application/vnd.mapbox-vector-tile, application/x-mbtiles | vector tiles, mapbox vector tiles
TIFF | tif, tiff, geotiff, geotif | image/tiff, image/geotiff, image/tiff-fx | geo tiff, geotiff, cog, cloud optimised geotiff, cloud optimized geotiff
ECW | ecw | image/ecw, image/x-ecw | enhanced compression wavelet
MrSID | sid | image/x-mrsid | mrsid
JP2 | jp2, j2k | image/jp2, image/jpx | jpeg 2000, jpeg2000
NetCDF | nc, nc4, cdf, netcdf | application/netcdf, application/x-netcdf | net cdf, network common data form, netcdf3, netcdf4, netcdf 3, netcdf 4, netcdf4 classic
GRIB | grib, grb, grib2, grb2 | application/x-grib, application/x-grib2, application/wmo-grib | grib2
HDF | hdf, h5, hdf5, he5 | application/x-hdf, application/x-hdf5 | hdf4, hdf5, hierarchical data format
Zarr | zarr | application/vnd+zarr, application/vnd.zarr |
RDF | rdf | application/rdf+xml, text/rdf | rdf xml, rdfxml
TTL | ttl | text/turtle, application/x-turtle, application/turtle | turtle, rdf turtle, rdf ttl
N3 | n3 | application/x-n3, text/n3, text/rdf+n3 | n3 triples, notation3, rdf n3
NT | nt | application/n-triples | n triples, ntriples, rdf n triples
NQ | nq | application/n-quads | n quads, nquads
TriG | trig | application/trig, application/x-trig | rdf trig
OWL | owl | application/owl+xml | web ontology language
SKOS | | | skos
SPARQL | rq, sparql | application/sparql-results+xml, application/sparql-query, application/sparql-results+json | sparql endpoint, sparql end point, api sparql, sparqlq
RDFa | | | rdf a, xhtml rdfa
HTML | html, htm, xhtml, shtml | text/html, application/xhtml+xml | web page, webpage, website, web site, html page, hypertext, html simpl
PDF | pdf | application/pdf, application/x-pdf | portable document format, pdf document, pdf a, pdfa1a, pdfa1b, pdfa2a, pdfa2b, pdfa3
DOC | doc | application/msword | word, ms word, microsoft word, word document
DOCX | docx | application/vnd.openxmlformats-officedocument.wordprocessingml.document | word ooxml document
DOCM | docm | application/vnd.ms-word.document.macroenabled.12 |
DOTM | dotm | application/vnd.ms-word.template.macroenabled.12 |
DOTX | dotx | application/vnd.openxmlformats-officedocument.wordprocessingml.template |
ODT | odt | application/vnd.oasis.opendocument.text | opendocument text
RTF | rtf | application/rtf, text/rtf | rich text, rich text format
TXT | txt, text | text/plain | plain text, text file, text, ascii
MD | md, markdown | text/markdown, text/x-markdown | markdown
PPT | ppt | application/vnd.ms-powerpoint | powerpoint, ms powerpoint, microsoft powerpoint, powerpoint presentation
PPTX | pptx | application/vnd.openxmlformats-officedocument.presentationml.presentation |
PPTM | pptm | application/vnd.ms-powerpoint.presentation.macroenabled.12 |
PPSX | ppsx | application/vnd.openxmlformats-officedocument.presentationml.slideshow |
PPSM | ppsm | application/vnd.ms-powerpoint.slideshow.macroenabled.12 |
PPAM | ppam | application/vnd.ms-powerpoint.addin.macroenabled.12 |
POTX | potx | application/vnd.openxmlformats-officedocument.presentationml.template |
POTM | potm | application/vnd.ms-powerpoint.template.macroenabled.12 |
ODP | odp | application/vnd.oasis.opendocument.presentation |
ODG | odg | application/vnd.oasis.opendocument.graphics |
ODC | odc | application/vnd.oasis.opendocument.chart |
ODF | odf | application/vnd.oasis.opendocument.formula |
ODB | odb | application/vnd.oasis.opendocument.database |
EPUB | epub | application/epub+zip |
MDB | mdb | application/x-msaccess, application/msaccess, application/vnd.ms-access, application/mdb | access, ms access, microsoft access, access database
ACCDB | accdb | |
dBase | dbf | application/x-dbf, application/dbase, application/x-dbase, application/dbf | dbase, dbase database
SQL | sql | application/sql, text/x-sql | sql dump
SQLite | sqlite, sqlite3, db3 | application/vnd.sqlite3, application/x-sqlite3 | sqlite database, sqlite 3
SAV | sav | application/x-spss-sav | spss
DTA | dta | application/x-stata-dta, application/x-stata | stata
SAS | sas7bdat, xpt | application/x-sas-data | sas
RData | rdata, rda, rds | application/x-r-data |
R | | text/x-r, text/x-r-source |
Python | py | text/x-python, application/x-python-code | python script
Jupyter | ipynb | application/x-ipynb+json | jupyter notebook
Perl | | text/x-perl | perl script
JS | js | application/x-javascript, text/javascript, application/javascript | javascript
YAML | yaml, yml | application/yaml, application/x-yaml, text/yaml |
GTFS | gtfs | application/x-gtfs, application/gtfs+zip | general transit feed specification
GTFS-RT | | | gtfs realtime, gtfs rt
NeTEx | netex | application/netex+xml |
SIRI | | | siri vm, siri sx
TransXChange | | | transxchange, txc
IATI | | | iati xml
SDMX | | application/vnd.sdmx.data+xml, application/vnd.sdmx.genericdata+xml, application/vnd.sdmx.structurespecificdata+xml | sdmx ml
PC-Axis | px | text/x-px, application/x-px | pc axis, pcaxis
XBRL | xbrl | application/xbrl-instance+xml | ixbrl
ICS | ics, ifb, ical | text/calendar | icalendar, i cal
VCF | vcf | text/vcard, text/x-vcard | vcard
Atom Feed | atom | application/atom+xml | atom, atom feed, inspire atom, inspire atom feed
RSS | rss | application/rss+xml | rss feed, rss 2.0, georss
WMS | | application/vnd.ogc.wms_xml, application/vnd.ogc.wms | web map service, web mapping service, wms srvc, wms c, view service
WFS | | application/vnd.ogc.wfs_xml, application/vnd.ogc.wfs | web feature service, wfs srvc
WCS | | application/vnd.ogc.wcs_xml | web coverage service, wcs srvc
WMTS | | application/vnd.ogc.wmts_xml | web map tile service, wmts srvc
WPS | | | web processing service
CSW | | application/vnd.ogc.csw_xml, application/vnd.ogc.csw | catalogue service for the web, catalog service for the web, catalogue service web
SOS | | application/vnd.ogc.sos_xml | sensor observation service
WMC | | | web map context, ows context
OPeNDAP | | application/x-opendap | dods, opendap dods
TMS | | | tile map service
XYZ | xyz | chemical/x-xyz | xyz tiles, xyz chemical file
OGC API Features | | | ogc api - features, ogcfeat, oapif, oapi features
OGC API | | | ogc api tiles, ogc api records, ogc api coverages
Esri REST | | | arcgis rest, esri rest api, esri rest api endpoint, arcgis geoservices rest api, geoservices rest api, geoservice, arcgis feature service, arcgis rest service, esri feature service, feature service, arcgis rest api
ArcGIS Map Service | | | arcgis map service, map service, esri map service
ArcGIS Map Preview | | | arcgis map preview
ArcGIS Online Map | | | arcgis online map, web map application, arcgis web map
API | | application/openapi+json, application/vnd.oai.openapi, application/vnd.oai.openapi+json | api, rest api, web api, json api, rest, web service, webservice, openapi, swagger
OData | | | odata, odata v4, odata v2
OAI-PMH | | | oai pmh
PNG | png | image/png, image/x-png, image/png8 |
JPEG | jpg, jpeg, jpe | image/jpeg, image/jpg, image/pjpeg | jpg image file
GIF | gif | image/gif |
BMP | bmp | image/x-ms-bmp, image/bmp |
WebP | webp | image/webp |
SVG | svg, svgz | image/svg+xml | scalable vector graphics
MP3 | mp3 | audio/mpeg, audio/mpeg3, audio/x-mpeg-3, audio/mp3 |
MP4 | mp4, m4v | video/mp4, application/mp4 |
MPEG | mpg, mpeg | video/mpeg, video/x-mpeg |
OGG | ogg, oga | audio/ogg, application/ogg |
WAV | wav | audio/x-wav, audio/wav |
WebM | webm | video/webm |
ZIP | zip | application/zip, application/x-zip-compressed, application/x-zip, application/x-compressed, multipart/x-zip, application/zip-compressed | zip file, zipped, zip archive, compressed, compressed file
GZ | gz, gzip | application/gzip, application/x-gzip | gzip file
BZ2 | bz2 | application/x-bzip2, application/x-bzip | bzip2
XZ | xz | application/x-xz |
7Z | 7z | application/x-7z-compressed | 7 zip
TAR | tar, tgz | application/x-tar, application/x-gtar, application/x-ustar, application/tar | tar archive, tgz, tar gz
RAR | rar | application/rar, application/vnd.rar, application/x-rar, application/x-rar-compressed | rar archive
BIN | bin | | binary, binary data
EXE | exe | application/x-msdownload, application/x-dosexec | windows executable program
TORRENT | torrent | application/x-bittorrent | bittorrent
DCR | dcr | application/x-director |
MOP | mop | chemical/x-mopac-input |
"""  # noqa: E501


class Format(NamedTuple):
    """One format: its label, and extensions, media types and names in lower case."""

    label: str
    extensions: tuple[str, ...]
    media_types: tuple[str, ...]
    names: tuple[str, ...]


def formats() -> Iterator[Format]:
    """Read the table."""
    for line in _TABLE.strip().splitlines():
        label, *columns = (cell.strip() for cell in line.split("|"))
        cells = (tuple(part.strip() for part in c.split(",") if part.strip()) for c in columns)
        yield Format(label, *cells)
