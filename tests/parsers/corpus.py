"""Carriers of the corpus: for each kind of value, the fields of each format that can have it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from typing import cast
from xml.sax.saxutils import quoteattr

from ckanext.ukharvest.core.records import DatasetRecord
from ckanext.ukharvest.reading.records import TextClient
from tests.parsers import carriers
from tests.parsers.carriers import CARRIERS, FILE, Carrier, element, iso_text, literal, node

OGL = "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"


def table(columns: Mapping[str, str] | None = None, **more: str) -> DatasetRecord:
    """Read a table with one row."""
    text = io.StringIO()
    cells = {"identifier": "x", "title": "T", **(columns or {}), **more}
    csv.writer(text).writerows((cells, map(str, cells.values())))
    return carriers.read_document("dataset_table", TextClient("table", text.getvalue().encode()))


def _iso(path: str, inside: str) -> str:
    """Return markup around content; "a/b" are names of elements of gmd."""
    for name in reversed(path.split("/")):
        inside = f"<gmd:{name}>{inside}</gmd:{name}>"
    return inside


def _iso_period(begin: str, end: str) -> str:
    written = f"<gml:beginPosition>{begin}</gml:beginPosition><gml:endPosition>{end}"
    path = "extent/EX_Extent/temporalElement/EX_TemporalExtent/extent"
    return _iso(path, f"<gml:TimePeriod>{written}</gml:endPosition></gml:TimePeriod>")


def _iso_terms(code: str, *texts: str) -> str:
    restriction = (
        f'<gmd:{code}><gmd:MD_RestrictionCode codeListValue="otherRestrictions"/></gmd:{code}>'
    )
    others = "".join(_iso("otherConstraints", iso_text(text)) for text in texts)
    return _iso("resourceConstraints/MD_LegalConstraints", restriction + others)


def _iso_date(kind: str) -> Carrier:
    def carrier(text: str) -> DatasetRecord:
        code = f'<gmd:CI_DateTypeCode codeListValue="{kind}"/>'
        date = _iso("date", f"<gco:Date>{text}</gco:Date>") + _iso("dateType", code)
        return carriers.gemini(citation=_iso("date/CI_Date", date))

    return carrier


def _iso_party(inside: str, role: str = "pointOfContact") -> DatasetRecord:
    code = _iso("role", f'<gmd:CI_RoleCode codeListValue="{role}"/>')
    return carriers.gemini(_iso("pointOfContact/CI_ResponsibleParty", inside + code))


def _covered(covered: str) -> DatasetRecord:
    return carriers.inventory(resources=f'<Resource Type="Data">{covered}</Resource>')


SHAPE = "schema:spatialCoverage [ schema:geo [ a schema:GeoShape ; schema:{} {} ] ]"

CORPUS: dict[str, dict[str, Carrier]] = {
    # A licence, and a text on rights, access or use beside it.
    "terms": {
        "data_json": lambda a, b: carriers.data_json(license=a, rights=b),
        "data_json-access": lambda a, b: carriers.data_json(license=a, accessLevelComment=b),
        "data_json-rights": lambda a, b: carriers.data_json(license=a, accessRights=b),
        "dkan_2": lambda a, b: carriers.dkan_2(license=a, accessLevelComment=b),
        "dkan_7": lambda a, b: carriers.dkan_7(license_title=a, access_constraints=b),
        "ckan": lambda a, b: carriers.ckan(license_url=a, access_constraints=[b]),
        "ckan-list": lambda a, b: carriers.ckan(
            license_url=a, extras=[{"key": "access_constraints", "value": f'["{b}"]'}]
        ),
        "dcat": lambda a, b: carriers.dcat(
            f"dct:license {node(a)} ; dct:accessRights {literal(b)}"
        ),
        "dcat-statement": lambda a, b: carriers.dcat(
            f"dct:license {node(a)} ; dct:rights [ rdfs:label {literal(b)} ]"
        ),
        "dcat-odrs": lambda a, b: carriers.dcat(
            f"dct:rights [ odrs:dataLicense {node(a)} ; odrs:attributionText {literal(b)} ]"
        ),
        "dcat-file": lambda a, b: carriers.dcat(
            f"dct:license {node(a)} ; dcat:distribution [ dcat:accessURL <{FILE}> ;"
            f" dct:rights {literal(b)} ]"
        ),
        "schema_org": lambda a, b: carriers.schema_org(
            f"schema:license {node(a)} ; dct:accessRights {literal(b)}"
        ),
        "gemini-access": lambda a, b: carriers.gemini(
            _iso_terms("useConstraints", a) + _iso_terms("accessConstraints", b)
        ),
        "gemini-use": lambda a, b: carriers.gemini(_iso_terms("useConstraints", a, b)),
        "oai_dc": lambda a, b: carriers.oai_dc(
            element("dc:rights", a) + element("dct:accessRights", b)
        ),
        "atom": lambda a, b: carriers.atom(
            f'<link rel="license" href={quoteattr(a)}/>{element("rights", b)}'
        ),
        "geojson": lambda a, b: carriers.geojson(license=a, accessRights=b),
        "ods": lambda a, b: carriers.ods({"license_url": a, "attributions": [b]}),
        "ods-access": lambda a, b: carriers.ods({"license_url": a}, dcat={"accessRights": b}),
        "inventory": lambda a, b: carriers.inventory(
            element("Rights", a) + element("ProtectedText", b)
        ),
        "table": lambda a, b: table(license=a, rights=b),
    },
    "language": {
        "data_json": lambda text: carriers.data_json(language=[text]),
        "dkan_2": lambda text: carriers.dkan_2(language=[text]),
        "dkan_7": lambda text: carriers.dkan_7(language=text),
        "ckan": lambda text: carriers.ckan(language=text),
        "dcat": lambda text: carriers.dcat(f"dct:language {literal(text)}"),
        "schema_org": lambda text: carriers.schema_org(f"schema:inLanguage {literal(text)}"),
        "gemini": lambda text: carriers.gemini(_iso("language", iso_text(text))),
        "oai_dc": lambda text: carriers.oai_dc(element("dc:language", text)),
        "atom": lambda text: carriers.atom(element("dc:language", text)),
        "geojson": lambda text: carriers.geojson(lang=text),
        "ods": lambda text: carriers.ods({"language": text}),
        "inventory": lambda text: carriers.inventory(
            resources=f'<Resource Type="Data" Language={quoteattr(text)}/>'
        ),
        "table": lambda text: table(language=text),
    },
    # One text.
    "period": {
        "data_json": lambda text: carriers.data_json(temporal=text),
        "dkan_2": lambda text: carriers.dkan_2(temporal=text),
        "dkan_7": lambda text: carriers.dkan_7(temporal=text),
        "ckan": lambda text: carriers.ckan(temporal=text),
        "dcat": lambda text: carriers.dcat(f"dct:temporal {node(text)}"),
        "schema_org": lambda text: carriers.schema_org(f"schema:temporalCoverage {literal(text)}"),
        "oai_dc": lambda text: carriers.oai_dc(element("dct:temporal", text)),
        "oai_dc-coverage": lambda text: carriers.oai_dc(element("dc:coverage", text)),
        "atom": lambda text: carriers.atom(element("dct:temporal", text)),
        "ods": lambda text: carriers.ods(dcat={"temporal": text}),
        "table": lambda text: table(temporal=text),
    },
    # A beginning and an end.
    "ends": {
        "data_json": lambda a, b: carriers.data_json(temporal={"startDate": a, "endDate": b}),
        "ckan": lambda a, b: carriers.ckan(
            **{"temporal_coverage-from": a, "temporal_coverage-to": b}
        ),
        "ckan-dcat": lambda a, b: carriers.ckan(temporal_start=a, temporal_end=b),
        "ckan-eu": lambda a, b: carriers.ckan(temporal=[{"start_date": a, "end_date": b}]),
        "dcat": lambda a, b: carriers.dcat(
            f"dct:temporal [ dcat:startDate {literal(a)} ; dcat:endDate {literal(b)} ]"
        ),
        "schema_org": lambda a, b: carriers.schema_org(
            f"schema:temporalCoverage [ schema:startDate {literal(a)} ;"
            f" schema:endDate {literal(b)} ]"
        ),
        "gemini": lambda a, b: carriers.gemini(_iso_period(a, b)),
        "oai_dc": lambda a, b: carriers.oai_dc(element("dct:temporal", f"start={a}; end={b};")),
        "atom": lambda a, b: carriers.atom(element("time:start", a) + element("time:end", b)),
        "geojson": lambda a, b: carriers.geojson(startDate=a, completionDate=b),
        "ods": lambda a, b: carriers.ods(
            dcat={"temporal_coverage_start": a, "temporal_coverage_end": b}
        ),
        "inventory": lambda a, b: _covered(f'<Coverage TemporalFrom="{a}" TemporalTo="{b}"/>'),
        "dkan_2": lambda a, b: carriers.dkan_2(temporal={"startDate": a, "endDate": b}),
        "table": lambda a, b: table({"temporal.startDate": a, "temporal.endDate": b}),
    },
    # Several texts.
    "periods": {
        "data_json": lambda *texts: carriers.data_json(temporal=texts),
        "dcat": lambda *texts: carriers.dcat(f"dct:temporal {', '.join(map(literal, texts))}"),
        "schema_org": lambda *texts: carriers.schema_org(
            f"schema:temporalCoverage {', '.join(map(literal, texts))}"
        ),
        "ckan-eu": lambda *texts: carriers.ckan(
            temporal=[
                dict(zip(("start_date", "end_date"), text.split("/"), strict=True))
                for text in texts
            ]
        ),
        "gemini": lambda *texts: carriers.gemini(
            "".join(_iso_period(*text.split("/")) for text in texts)
        ),
        "oai_dc": lambda *texts: carriers.oai_dc(
            "".join(element("dct:temporal", text) for text in texts)
        ),
        "atom": lambda *texts: carriers.atom("".join(element("dc:date", text) for text in texts)),
        "inventory": lambda *texts: _covered(
            "".join(
                '<Coverage TemporalFrom="{}" TemporalTo="{}"/>'.format(*text.split("/"))
                for text in texts
            )
        ),
    },
    "modified": {
        "data_json": lambda text: carriers.data_json(modified=text),
        "dkan_2": lambda text: carriers.dkan_2(modified=text),
        "dkan_7": lambda text: carriers.dkan_7(metadata_modified=text),
        "ckan": lambda text: carriers.ckan(data_modified=text),
        "dcat": lambda text: carriers.dcat(f"dct:modified {literal(text)}"),
        "schema_org": lambda text: carriers.schema_org(f"schema:dateModified {literal(text)}"),
        "gemini": _iso_date("revision"),
        "oai_dc": lambda text: carriers.oai_dc(element("dct:modified", text)),
        "atom": lambda text: carriers.atom(element("dct:modified", text)),
        "geojson": lambda text: carriers.geojson(modified=text),
        "ods": lambda text: carriers.ods({"modified": text}),
        "inventory": lambda text: carriers.inventory(element("Modified", text)),
        "table": lambda text: table(modified=text),
    },
    "issued": {
        "data_json": lambda text: carriers.data_json(issued=text),
        "dkan_2": lambda text: carriers.dkan_2(issued=text),
        "dkan_7": lambda text: carriers.dkan_7(metadata_created=text),
        "table": lambda text: table(issued=text),
        "ckan": lambda text: carriers.ckan(data_issued=text),
        "dcat": lambda text: carriers.dcat(f"dct:issued {literal(text)}"),
        "schema_org": lambda text: carriers.schema_org(f"schema:datePublished {literal(text)}"),
        "gemini": _iso_date("publication"),
        "oai_dc": lambda text: carriers.oai_dc(element("dct:issued", text)),
        "atom": lambda text: carriers.atom(element("published", text)),
        "geojson": lambda text: carriers.geojson(published=text),
        "ods": lambda text: carriers.ods(dcat={"issued": text}),
    },
    # Texts, each a place.
    "place": {
        "data_json": lambda *texts: carriers.data_json(spatial=list(texts)),
        "dkan_2": lambda *texts: carriers.dkan_2(spatial=list(texts)),
        "dkan_7": lambda text: carriers.dkan_7(spatial=text),
        "ckan": lambda *texts: carriers.ckan(spatial=texts[0] if len(texts) == 1 else list(texts)),
        "dcat": lambda *texts: carriers.dcat(f"dct:spatial {', '.join(map(node, texts))}"),
        "dcat-bbox": lambda *texts: carriers.dcat(
            "dct:spatial " + ", ".join(f"[ dcat:bbox {literal(text)} ]" for text in texts)
        ),
        "atom": lambda *texts: carriers.atom(
            "".join(element("dct:spatial", text) for text in texts)
        ),
        "oai_dc": lambda *texts: carriers.oai_dc(
            "".join(element("dct:spatial", text) for text in texts)
        ),
        "oai_dc-coverage": lambda *texts: carriers.oai_dc(
            "".join(element("dc:coverage", text) for text in texts)
        ),
        "geojson": lambda *texts: carriers.geojson(spatial=list(texts)),
        "inventory": lambda *texts: _covered(
            f"<Coverage>{''.join(element('Spatial', text) for text in texts)}</Coverage>"
        ),
        "ods": lambda *texts: carriers.ods(dcat={"spatial": list(texts)}),
        "schema_org": lambda *texts: carriers.schema_org(
            f"schema:spatialCoverage {', '.join(map(node, texts))}"
        ),
        "table": lambda text: table(spatial=text),
    },
    # A polygon as numbers, its latitudes first.
    "latitude_first": {
        "schema_org": lambda text: carriers.schema_org(SHAPE.format("polygon", literal(text))),
        "data_json": lambda text: carriers.data_json(
            spatial={"@type": "Place", "geo": {"@type": "GeoShape", "polygon": text}}
        ),
        "atom": lambda text: carriers.atom(element("georss:polygon", text)),
    },
    # Latitude and longitude, each in a field of its own.
    "point": {
        "data_json": lambda y, x: carriers.data_json(
            spatial={"@type": "Place", "geo": {"latitude": y, "longitude": x}}
        ),
        "dcat": lambda y, x: carriers.dcat(
            f"dct:spatial [ geo:lat {literal(y)} ; geo:long {literal(x)} ]"
        ),
        "schema_org": lambda y, x: carriers.schema_org(
            "schema:spatialCoverage [ schema:geo [ a schema:GeoCoordinates ;"
            f" schema:latitude {literal(y)} ; schema:longitude {literal(x)} ] ]"
        ),
    },
    "size": {
        "data_json": lambda text: carriers.data_json(
            distribution=[{"accessURL": FILE, "byteSize": text}]
        ),
        "dkan_2": lambda text: carriers.dkan_2(
            distribution=[{"accessURL": FILE, "byteSize": text}]
        ),
        "dkan_7": lambda text: carriers.dkan_7(resources=[{"url": FILE, "size": text}]),
        "ckan": lambda text: carriers.ckan(resources=[{"url": FILE, "size": text}]),
        "dcat": lambda text: carriers.dcat(
            f"dcat:distribution [ dcat:accessURL <{FILE}> ; dcat:byteSize {literal(text)} ]"
        ),
        "schema_org": lambda text: carriers.schema_org(
            f"schema:distribution [ schema:contentUrl <{FILE}> ;"
            f" schema:contentSize {literal(text)} ]"
        ),
        "atom": lambda text: carriers.atom(
            f'<link rel="enclosure" href="{FILE}" length="{text}"/>'
        ),
        "geojson": lambda text: carriers.geojson(
            links=[{"rel": "enclosure", "href": FILE, "length": text}]
        ),
        "table": lambda text: table({"distribution.accessURL": FILE, "byteSize": text}),
    },
    "frequency": {
        "data_json": lambda text: carriers.data_json(accrualPeriodicity=text),
        "dkan_2": lambda text: carriers.dkan_2(accrualPeriodicity=text),
        "dkan_7": lambda text: carriers.dkan_7(frequency=text),
        "ckan": lambda text: carriers.ckan(update_frequency=text),
        "dcat": lambda text: carriers.dcat(f"dct:accrualPeriodicity {literal(text)}"),
        "gemini": lambda text: carriers.gemini(
            _iso(
                "resourceMaintenance/MD_MaintenanceInformation/maintenanceAndUpdateFrequency",
                iso_text(text),
            )
        ),
        "oai_dc": lambda text: carriers.oai_dc(element("dct:accrualPeriodicity", text)),
        "geojson": lambda text: carriers.geojson(accrualPeriodicity=text),
        "ods": lambda text: carriers.ods(dcat={"accrualperiodicity": text}),
        "schema_org": lambda text: carriers.schema_org(f"dct:accrualPeriodicity {literal(text)}"),
        "atom": lambda text: carriers.atom(element("dct:accrualPeriodicity", text)),
        "table": lambda text: table(accrualPeriodicity=text),
    },
    # The email address of a contact named C.
    "email": {
        "data_json": lambda text: carriers.data_json(contactPoint={"fn": "C", "hasEmail": text}),
        "dkan_2": lambda text: carriers.dkan_2(contactPoint={"fn": "C", "hasEmail": text}),
        "ckan": lambda text: carriers.ckan(maintainer="C", maintainer_email=text),
        "dcat": lambda text: carriers.dcat(
            f'dcat:contactPoint [ vcard:fn "C" ; vcard:hasEmail {literal(text)} ]'
        ),
        "schema_org": lambda text: carriers.schema_org(
            f'schema:contactPoint [ schema:name "C" ; schema:email {literal(text)} ]'
        ),
        "gemini": lambda text: _iso_party(
            _iso("organisationName", iso_text("C"))
            + _iso(
                "contactInfo/CI_Contact/address/CI_Address/electronicMailAddress", iso_text(text)
            )
        ),
        "geojson": lambda text: carriers.geojson(contactPoint=[{"name": "C", "email": text}]),
        "ods": lambda text: carriers.ods(dcat={"contact_name": "C", "contact_email": text}),
        "table": lambda text: table({"contactPoint.fn": "C", "contactPoint.hasEmail": text}),
        "table-headings": lambda text: table({"Contact name": "C", "Contact email": text}),
    },
    # A publisher as one text.
    "party": {
        "data_json": lambda text: carriers.data_json(publisher=text),
        "dkan_2": lambda text: carriers.dkan_2(publisher=text),
        "ckan": lambda text: carriers.ckan(dcat_publisher_name=text),
        "dcat": lambda text: carriers.dcat(f"dct:publisher {literal(text)}"),
        "schema_org": lambda text: carriers.schema_org(f"schema:publisher {literal(text)}"),
        "gemini": lambda text: _iso_party(_iso("organisationName", iso_text(text)), "publisher"),
        "oai_dc": lambda text: carriers.oai_dc(element("dc:publisher", text)),
        "atom": lambda text: carriers.atom(element("dc:publisher", text)),
        "geojson": lambda text: carriers.geojson(publisher=text),
        "ods": lambda text: carriers.ods({"publisher": text}),
        "inventory": lambda text: carriers.inventory(
            above=f"<Metadata>{element('Publisher', text)}</Metadata>"
        ),
        "table": lambda text: table(publisher=text),
    },
    "url": {
        **{
            name: cast(Callable[..., DatasetRecord], lambda url, read=read: read("A", url))
            for name, read in CARRIERS["file"].items()
        },
        "oai_dc": lambda url: carriers.oai_dc(element("dc:identifier", url)),
        "table": lambda url: table(downloadURL=url),
    },
    "page": {
        "data_json": lambda url: carriers.data_json(landingPage=url),
        "dkan_2": lambda url: carriers.dkan_2(landingPage=url),
        "ckan": lambda url: carriers.ckan(url=url),
        "dcat": lambda url: carriers.dcat(f"dcat:landingPage {literal(url)}"),
        "schema_org": lambda url: carriers.schema_org(f"schema:url {literal(url)}"),
        "gemini": lambda url: carriers.gemini(record=_iso("dataSetURI", iso_text(url))),
        "atom": lambda url: carriers.atom(
            f'<link rel="alternate" type="text/html" href={quoteattr(url)}/>'
        ),
        "table": lambda url: table(landingPage=url),
    },
    "notes": {**CARRIERS["notes"], "table": lambda text: table(description=text)},
    "title": CARRIERS["title"],
    "tag": {**CARRIERS["tag"], "table": lambda text: table(keyword=text)},
}

# DCAT also comes from endpoints of SPARQL, Dublin Core from catalogues of CSW, and ISO 19139 as
# ISO 19115-3, which has no URI of a dataset.
for _kind, _formats in CORPUS.items():
    for _name, _carrier in list(_formats.items()):
        if _name.startswith("dcat"):
            _formats[_name.replace("dcat", "sparql")] = carriers.within("sparql", _carrier)
        elif _name.startswith("oai_dc"):
            _formats[_name.replace("oai_dc", "csw_record")] = carriers.within("csw", _carrier)
        elif _name.startswith("gemini") and _kind != "page":
            _formats[_name.replace("gemini", "iso_19115-3")] = carriers.within("19115-3", _carrier)
