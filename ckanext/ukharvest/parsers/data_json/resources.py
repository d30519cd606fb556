"""Resources of a data.json entry (its distributions, services, pages about it), and its extras.

``extras``, of datasets and distributions, is CKAN's list of ``{"key", "value"}``: our own export
writes there what the schema has no property for. The schema allows other properties.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ckanext.ukharvest.core.fingerprint import canonical_json
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import (
    OF_DATASET,
    OF_RESOURCE,
    ResourceRecord,
    ResourceTranslation,
)
from ckanext.ukharvest.core.values import formats
from ckanext.ukharvest.core.values.identifiers import is_dataset_of_ckan, parse_identifier
from ckanext.ukharvest.core.values.link_protocols import SERVICE_FORMATS
from ckanext.ukharvest.core.values.markup import plain_line
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.parsers import json_fields, package_dict, table, uk_fields
from ckanext.ukharvest.parsers.data_json import shared_fields as parts
from ckanext.ukharvest.parsers.json_fields import Fields, read_resources, value_text, value_url
from ckanext.ukharvest.parsers.package_dict import text_of, unread_members
from ckanext.ukharvest.parsers.table import Field, FieldValues, Row, collect, row

CODES = {
    "bureauCode": (re.compile(r"\d{3}:\d{2}"), "018:10"),
    "programCode": (re.compile(r"\d{3}:\d{3}"), "018:001"),
}


def _codes(fields: Fields, names: table.Names) -> str:
    """Return codes of the US federal budget (OMB circular A-11, appendix C)."""
    (key,) = names
    pattern, example = CODES[key]
    texts = fields.listed(key)
    for code in texts:
        if not pattern.fullmatch(code):
            words = Message(
                "'{code}'; expected a code such as {example}",
                code=shorten(code, 40),
                example=example,
            )
            fields.report("bad-code", key, words)
    return ", ".join(texts)


# Only after the whole source was read is it known whether a collection's parent is in it: the run
# then compares is_part_of with the source's guids. The last two are of DCAT-AP, as our own export
# writes them: JSON lists, as harvests of DCAT store them.
# Fields without a DatasetRecord field, kept as text; our own export writes them back.
ROWS = (
    row("accessLevel", "extra access_level", table.one_per_line),
    row("bureauCode", "extra bureau_code", _codes),
    row("programCode", "extra program_code", _codes),
    row("dataQuality", "extra data_quality", table.one_per_line),
    row("primaryITInvestmentUII", "extra primary_it_investment_uii", table.one_per_line),
    row("systemOfRecords", "extra system_of_records", table.one_per_line),
    row("isPartOf", "extra is_part_of", table.references),
    row("inSeries", "extra in_series", table.references),
    row("otherIdentifier", "extra other_identifier", table.references),
    row("status", "extra status", table.one_per_line),
    row("purpose", "extra purpose", table.one_per_line),
    row("provenance", "extra provenance", table.one_per_line),
    row("scopeNote", "extra scope_note", table.one_per_line),
    row("versionNotes", "extra version_notes", table.one_per_line),
    row("liabilityStatement", "extra liability_statement", table.one_per_line),
    row("spatialResolutionInMeters", "extra spatial_resolution_in_meters", table.one_per_line),
    row("temporalResolution", "extra temporal_resolution", table.one_per_line),
    row("contributor", "extra contributor", table.one_per_line),
    row("rightsHolder", "extra rights_holder", table.one_per_line),
    row("relation", "extra relation", table.references),
    row("isReferencedBy", "extra is_referenced_by", table.references),
    row("applicableLegislation", "extra applicable_legislation", table.reference_list),
    row("hvdCategory", "extra hvd_category", table.reference_list),
)
# Name in the document → CKAN extra.
EXTRAS = {item.names[0]: item.extra for item in ROWS}
REFERENCES = tuple(item.names[0] for item in ROWS if item.reader is table.references)

# Of ``extras``, what is read in other ways: texts in several languages, and the place.
_APART = frozenset((*table.TAKEN_OF_DATASET, *OF_DATASET, "spatial"))
_APART_OF_FILE = frozenset((*table.TAKEN_OF_RESOURCE, *OF_RESOURCE))


def own_fields(fields: Fields) -> dict[str, Any]:
    """Return what ``extras`` has, as CKAN's fields by name."""
    return package_dict.extras(fields.get("extras"))


def own_extras(fields: Fields, *, of_file: bool = False) -> dict[str, str]:
    """Return those of ``own_fields`` that become extras as they are."""
    left_out = _APART_OF_FILE if of_file else _APART
    return dict(package_dict.unread_fields(own_fields(fields), left_out))


_CAPITALS = re.compile(r"(?<=[a-z])(?=[A-Z])")
# Of a service, what ckanext-dcat stores as one text.
_SINGLE = frozenset(
    ("uri", "title", "description", "identifier", "license", "access_rights", "availability")
    + ("modified", "endpoint_description")
)


def distributions(fields: Fields, limit: int) -> list[ResourceRecord]:
    """Return the files and services of a dataset, at most ``limit``, and samples."""
    code = "too-many-distributions"
    resources = read_resources(fields, "distribution", limit, code, distribution, strict=True)
    for part in fields.objects("sample"):
        if isinstance(part, str):
            fields.report(
                "wrong-type",
                "sample",
                Message("'{part}'; expected an object", part=shorten(part, 60)),
            )
        elif sample := distribution(part):
            resources.append(replace(sample, name=sample.name or "Sample"))
    return resources


def distribution(part: Fields) -> ResourceRecord | None:
    """Return one distribution; report a missing URL and return None."""
    download, access = part.link("downloadURL"), part.link("accessURL")
    endpoint = "" if download or access else _endpoint(part)
    url = download or access or endpoint
    if not url:
        if not part.has("downloadURL", "accessURL"):
            part.report(
                "missing-url", "accessURL", Message("missing; expected accessURL or downloadURL")
            )
        return None
    mimetype, label = _format(part, url)
    if download and not mimetype and not part.has("mediaType"):
        part.report(
            "missing-media-type",
            "mediaType",
            Message("missing; it is needed beside downloadURL"),
        )
    barren: set[str] = set()
    values, extras = collect(RESOURCE_MAPPING, part, barren)
    facts = {
        "schema_type": formats.guess_schema_type(values["schema_url"], label),
        "access_url": access if download and access != download else "",
    }
    is_service = bool(endpoint) or (label in SERVICE_FORMATS and not download)
    return ResourceRecord(
        url,
        id=_id(part, url),
        format=label,
        mimetype=mimetype,
        kind="service" if is_service else "data",
        extras=table.add_unread(
            {name: text for name, text in facts.items() if text} | extras,
            unread_members(part.data, _READ - part.odd({*barren, "format", "mediaType"})),
            of_file=True,
        ),
        **values,
    )


def _endpoint(part: Fields) -> str:
    """Return the URL of the data service that a DCAT-US 3 distribution names instead of its own."""
    for service in part.objects("accessService"):
        if isinstance(service, str):
            return service if is_web_url(service) else ""
        return service.link("endpointURL") or service.link("landingPage")
    return ""


def _services(part: Fields, names: table.Names) -> str:
    """Return services as ckanext-dcat stores them: a JSON list of objects with its names."""
    facts = [
        {"uri": "", **dict(_service_fields(service))}
        if isinstance(service, Fields)
        else {"uri": service}
        for service in part.objects(names[0])
    ]
    return json.dumps(facts, ensure_ascii=False) if facts else ""


def _service_fields(service: Fields) -> Iterator[tuple[str, str | list[str]]]:
    """Yield the names and values of a service's fields; a list unless there can be only one."""
    for key in service.data:
        items = service.items(key, strict=False)
        values = [value_url(item) or value_text(item) or text_of(item) for item in items]
        if values and key != "@type":
            name = "uri" if key == "@id" else _CAPITALS.sub("_", key).lower()
            yield name, values[0] if name in _SINGLE and len(values) == 1 else values


def _id(part: Fields, url: str) -> str:
    identifier = parse_identifier(part.get("identifier")) or parse_identifier(part.get("@id"))
    # Blank nodes are numbered differently in every export.
    return "" if identifier.startswith("_:") or identifier == url else identifier


def _format(part: Fields, url: str) -> tuple[str, str]:
    """Return the media type as given, and CKAN's label."""
    written = value_url(part.get("mediaType"))
    mimetype = formats.media_type(written)
    if written and not mimetype:
        part.report(
            "bad-media-type",
            "mediaType",
            Message(
                "'{written}' is not a media type such as text/csv", written=shorten(written, 40)
            ),
        )
    name = value_text(part.get("format"))
    if not mimetype and formats.label(name):
        mimetype = formats.media_type(name)  # Project Open Data 1.0 has media types there
    # Socrata's value for a file as it was uploaded.
    name = "" if name.casefold() == "original" else name
    label = formats.label(name) or formats.label(written) or formats.of_url(url)
    if name and not (label and formats.label(name)) and not mimetype:
        part.report(
            "unknown-format",
            "format",
            Message("'{name}' is not a known format", name=shorten(name, 40)),
        )
    return mimetype, label


def _schema(part: Fields) -> FieldValues:
    """Return the schema's URL, and the distribution's other facts about its structure."""
    keys = ("schema_url", "conformsTo")
    items = [item for key in keys for item in part.items(key, strict=False)]
    urls = [url for item in items if is_web_url(url := value_url(item))]
    named = ", ".join(value_text(item) for item in items if not is_web_url(value_url(item)))
    described = part.url("describedBy")
    # Reference systems are not schemas.
    schema_url = next(iter(uk_fields.schemas(urls)), "")
    others = ", ".join(filter(None, [*(url for url in urls if url != schema_url), named]))
    facts = {"conforms_to": others, "data_dictionary": _dictionary(part)}
    if schema_url:
        return {"schema_url": schema_url, "extras": {**facts, "described_by": described}}
    return {"schema_url": described, "extras": facts}


def _dictionary(part: Fields) -> str:
    """Return the Distribution that DCAT-US 3 has for a data dictionary: a JSON list of objects."""
    value = part.get("describedBy")
    more = isinstance(value, Mapping) and {key for key in value if key[:1] != "@"} - {"accessURL"}
    return canonical_json([value]) if more else ""


def _own(part: Fields) -> FieldValues:
    texts = json_fields.ckan_translations(own_fields(part), ResourceTranslation, OF_RESOURCE)
    return {"extras": own_extras(part, of_file=True), "translations": texts}


def _translations(part: Fields) -> FieldValues:
    return {
        "translations": parts.translations(
            part, ResourceTranslation, {"title": "name", "description": "description"}
        )
    }


def _uri(part: Fields, names: table.Names) -> str:
    # Of two identifiers, the one that is no resource's id.
    identifier, uri = map(part.get, names)
    return value_text(uri) if parse_identifier(identifier) else ""


ENDPOINTS = frozenset(("endpointURL", "endpointDescription"))


def endpoints(fields: Fields) -> Iterator[ResourceRecord]:
    """Yield the addresses of a service that is a record of its own, and its descriptions."""
    for item in fields.items("endpointURL", strict=False):
        if url := fields.parse_value("endpointURL", value_url(item), fields.parse_url, "bad-url"):
            label = formats.of_url(url)
            label = label if label in SERVICE_FORMATS else "API"
            yield ResourceRecord(url, name="Service", kind="service", format=label)
    yield from _pages(fields, "endpointDescription", "Service description")


def documents(fields: Fields) -> Iterator[ResourceRecord]:
    """Yield pages about the dataset and other links to its data, the most important first.

    What CKAN exports has its page as a landing page, also where that is no file of it.
    """
    for key, kind in (("downloadURL", "data"), ("accessURL", "data"), ("webService", "service")):
        # Project Open Data 1.0: a dataset with one file needed no distribution.
        if url := fields.link(key):
            mimetype, label = _format(fields, url)
            is_data = kind == "data"
            yield ResourceRecord(
                url,
                name="" if is_data else "Web service",
                kind=kind,
                format=label if is_data else formats.of_url(url) or "API",
                mimetype=mimetype if is_data else "",
            )
    for key in ("describedBy", "dataDictionary"):
        mimetype = value_text(fields.get(key + "Type"))
        yield from _pages(fields, key, "Data dictionary", mimetype)
    yield from _pages(fields, "references", "Reference", strict=True)
    yield from _pages(fields, "page", "Documentation")
    if not is_dataset_of_ckan(parse_identifier(fields.get("identifier"))):
        yield from _pages(fields, "landingPage", "Landing page")


def _pages(
    fields: Fields, key: str, name: str, mimetype: str = "", *, strict: bool = False
) -> Iterator[ResourceRecord]:
    for part in fields.objects(key, strict=strict):
        if isinstance(part, str):
            url, title = fields.parse_value(key, part, fields.parse_url, "bad-url"), ""
        else:
            keys = ("accessURL", "downloadURL", "url", "@id")
            url = next((part.url(address_key) for address_key in keys if part.has(address_key)), "")
            title = plain_line(part.text("title"))
            mimetype = mimetype or value_text(part.get("mediaType"))
            if not url:
                fields.report(
                    "bad-url", key, Message("an object without a web address; expected one")
                )
        if url:
            label = formats.of_url(url) or formats.label(mimetype) or "HTML"
            yield ResourceRecord(
                url, name=title or name, format=label, mimetype=mimetype, kind="documentation"
            )


RESOURCE_MAPPING: tuple[Field | Row, ...] = (
    Field(("downloadURL", "accessURL"), "url; extra access_url"),
    # Before the others: it has what they can only have in another form.
    Field(("extras",), "extras, translations", _own),
    Field(("identifier", "@id"), "id"),
    row("identifier @id", "extra uri", _uri),
    row("title titleMap accessType", "name", table.line),
    row("description descriptionMap", "description", table.paragraph),
    Field(("title", "titleMap", "description", "descriptionMap"), "translations", _translations),
    Field(("mediaType", "format"), "mimetype, format"),
    Field(
        ("schema_url", "conformsTo", "describedBy"),
        "schema_url; extras schema_type, conforms_to, described_by, data_dictionary",
        _schema,
    ),
    row("describedByType", "extra described_by_type", table.first_text),
    row("accessService", "extra access_services", _services),
    row("temporal", "temporal", table.period),
    row("byteSize", "size", table.size),
    row("spatial", "extras spatial, spatial-text", table.place_of_file),
    row("language", "extra language", table.language_line),
    row("checksum", "extras hash, hash_algorithm, checksums", table.checksums),
    row("issued", "issued", table.date),
    row("modified", "modified", table.date),
    row("license licence", "licence", parts.licence),
    row("rights accessRights accessLevelComment", "extra rights", table.plain_lines),
    row("compressFormat", "extra compress_format", table.types),
    row("packageFormat", "extra package_format", table.types),
    row("characterEncoding", "extra character_encoding", table.words),
    Field(("every other field",), "extras"),
)
_READ = table.names_read(RESOURCE_MAPPING)
