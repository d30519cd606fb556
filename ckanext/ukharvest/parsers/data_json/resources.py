"""Resources of a data.json entry: its distributions, services, and pages about it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ckanext.ukharvest.core.fingerprint import canonical_json
from ckanext.ukharvest.core.mapping_table import Field, read_apart
from ckanext.ukharvest.core.records import ResourceRecord
from ckanext.ukharvest.core.translations import ResourceTranslation
from ckanext.ukharvest.core.values import formats, schema_types
from ckanext.ukharvest.core.values.file_facts import read_checksums, read_size
from ckanext.ukharvest.core.values.identifiers import parse_identifier
from ckanext.ukharvest.core.values.languages import read_languages
from ckanext.ukharvest.core.values.link_protocols import SERVICE_FORMATS
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.places import geometry_text
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.parsers import package_translations, uk_fields, unread_fields
from ckanext.ukharvest.parsers.data_json import shared_fields as parts
from ckanext.ukharvest.parsers.data_json.extras import own_extras, own_fields
from ckanext.ukharvest.parsers.json_fields import Fields, value_text, value_url
from ckanext.ukharvest.parsers.package_dict import text_of, unread_members

_TRANSLATED = {"title": "name", "description": "description"}
_CAPITALS = re.compile(r"(?<=[a-z])(?=[A-Z])")
# Of a service, what ckanext-dcat stores as one text.
_SINGLE = frozenset(
    ("uri", "title", "description", "identifier", "license", "access_rights", "availability")
    + ("modified", "endpoint_description")
)


def distributions(fields: Fields, limit: int) -> list[ResourceRecord]:
    """Return the files and services of a dataset, at most ``limit``.

    8,327 distributions of one dataset once stopped a harvest of data.gov (GSA/data.gov#4583).
    """
    found: list[ResourceRecord] = []
    key = "distribution"
    for number, part in enumerate(fields.objects(key, strict=True)):
        if number == limit:
            total = len(fields.items(key))
            only = f"{total:,} entries; the first {limit:,} were read"
            fields.report("too-many-distributions", key, only)
            break
        resource = _of_text(fields, part) if isinstance(part, str) else distribution(part)
        if resource is not None:
            found.append(resource)
    for part in fields.objects("sample"):
        resource = None if isinstance(part, str) else distribution(part)
        if resource is not None:
            found.append(replace(resource, name=resource.name or "Sample"))
    return found


def _of_text(fields: Fields, url: str) -> ResourceRecord | None:
    fields.report(
        "wrong-type", "distribution", f"'{shorten(url, 60)}' stands where an object is due"
    )
    if not is_web_url(url):
        return None
    return ResourceRecord(url=url, format=formats.of_url(url), kind="data")


def distribution(part: Fields) -> ResourceRecord | None:
    """Return one distribution; report a missing URL and return None."""
    download = part.link("downloadURL")
    access = part.link("accessURL")
    endpoint = "" if download or access else _endpoint(part)
    url = download or access or endpoint
    if not url:
        if not part.has("downloadURL", "accessURL"):
            part.report("missing-url", "accessURL", "missing; expected accessURL or downloadURL")
        return None
    mimetype, label = _format(part, url)
    if download and not mimetype:
        part.report(
            "missing-media-type", "mediaType", "missing; expected together with downloadURL"
        )
    schema_url, extras = _schema(part)
    extras |= _services(part)
    extras["schema_type"] = schema_types.guess(schema_url, label)
    periods = part.periods("temporal")
    extras.update(periods.extras)
    if download and access and access != download:
        extras["access_url"] = access
    size, unread = read_size(value_text(part.get("byteSize")), part.reporter("byteSize"))
    extras.update(_extras(part) | read_checksums(_checksums(part)) | unread)
    extras.update(own_extras(part, of_file=True))
    is_service = bool(endpoint) or (label in SERVICE_FORMATS and not download)
    return ResourceRecord(
        url=url,
        id=_id(part, url),
        name=plain_line(part.text("title") or part.text("titleMap")) or part.text("accessType"),
        description=plain_text(part.text("description") or part.text("descriptionMap")),
        format=label,
        mimetype=mimetype,
        kind="service" if is_service else "data",
        size=size,
        issued=part.date("issued"),
        modified=part.date("modified"),
        temporal=periods.whole,
        licence=parts.licence(part),
        schema_url=schema_url,
        extras=unread_fields.added_to(
            {key: value for key, value in extras.items() if value},
            unread_members(part.data, _READ),
            of_file=True,
        ),
        translations=package_translations.of_resource(own_fields(part))
        or parts.translations(part, ResourceTranslation, _TRANSLATED),
    )


def _endpoint(part: Fields) -> str:
    """Return the URL of the data service that a DCAT-US 3 distribution names instead of its own."""
    for service in part.objects("accessService"):
        if isinstance(service, str):
            return service if is_web_url(service) else ""
        return service.link("endpointURL") or service.link("landingPage")
    return ""


def _services(part: Fields) -> dict[str, str]:
    """Return services as ckanext-dcat stores them: a JSON list of objects with its names."""
    services = [each for each in part.objects("accessService") if isinstance(each, Fields)]
    found = [{"uri": "", **dict(_service_fields(service))} for service in services]
    return {"access_services": json.dumps(found, ensure_ascii=False)} if found else {}


def _service_fields(service: Fields) -> Iterator[tuple[str, str | list[str]]]:
    """Yield the names and values of a service's fields; a list unless there can be only one."""
    for key in service.data:
        items = service.items(key, strict=False)
        values = [value_url(item) or value_text(item) or text_of(item) for item in items]
        if values and key != "@type":
            name = "uri" if key == "@id" else _CAPITALS.sub("_", key).lower()
            yield name, values[0] if name in _SINGLE and len(values) == 1 else values


def _id(part: Fields, url: str) -> str:
    found = parse_identifier(part.get("identifier")) or parse_identifier(part.get("@id"))
    # Blank nodes are numbered differently in every export.
    return "" if found.startswith("_:") or found == url else found


def _format(part: Fields, url: str) -> tuple[str, str]:
    """Return the media type as given, and CKAN's label."""
    given = value_url(part.get("mediaType"))
    mimetype = formats.media_type(given)
    if given and not mimetype:
        part.report(
            "bad-media-type", "mediaType", f"'{shorten(given, 40)}' is no type such as text/csv"
        )
    name = value_text(part.get("format"))
    if not mimetype and formats.label(name):
        mimetype = formats.media_type(name)  # Project Open Data 1.0 has media types there
    # Socrata's value for a file as it was uploaded.
    name = "" if name.casefold() == "original" else name
    label = formats.label(name) or formats.label(given) or formats.of_url(url)
    if name and not label:
        part.report("unknown-format", "format", f"'{shorten(name, 40)}' is not a known format")
    return mimetype, label


def _checksums(part: Fields) -> Iterator[tuple[str, str]]:
    """Yield value and algorithm of each checksum of DCAT-US 3."""
    for item in part.objects("checksum"):
        if isinstance(item, str):
            yield item, ""
        else:
            yield value_text(item.get("checksumValue")), value_url(item.get("algorithm"))


def _schema(part: Fields) -> tuple[str, dict[str, str]]:
    """Return the schema's URL, and the distribution's other facts about its structure."""
    standards = [value_url(item) for item in part.items("conformsTo", strict=False)]
    urls = [text for text in standards if is_web_url(text)]
    named = ", ".join(
        value_text(item)
        for item, text in zip(part.items("conformsTo", strict=False), standards, strict=True)
        if not is_web_url(text)
    )
    described = part.url("describedBy")
    # Reference systems are not schemas.
    schema_url = next(iter(uk_fields.schemas(urls)), "")
    others = ", ".join(filter(None, [*(url for url in urls if url != schema_url), named]))
    facts = {"conforms_to": others, "data_dictionary": _dictionary(part)}
    if schema_url:
        return schema_url, {**facts, "described_by": described}
    return described, facts


def _dictionary(part: Fields) -> str:
    """Return the Distribution that DCAT-US 3 has for a data dictionary: a JSON list of objects."""
    value = part.get("describedBy")
    more = isinstance(value, Mapping) and {key for key in value if key[:1] != "@"} - {"accessURL"}
    return canonical_json([value]) if more else ""


def _extras(part: Fields) -> dict[str, str]:
    place = parts.place(part)
    languages = read_languages(part.texts("language", strict=False), part.reporter("language"))
    return {
        "rights": parts.rights(part),
        "described_by_type": value_text(part.get("describedByType")),
        "spatial": geometry_text(place.geometry),
        "spatial-text": place.names,
        **place.extras,
        "language": ", ".join(languages),
        "compress_format": formats.without_registry(value_url(part.get("compressFormat"))),
        "package_format": formats.without_registry(value_url(part.get("packageFormat"))),
        "character_encoding": ", ".join(part.texts("characterEncoding", strict=False)),
        # Of two identifiers, the one that is no resource's id.
        "uri": value_text(part.get("@id")) if parse_identifier(part.get("identifier")) else "",
    }


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
    """Yield pages about the dataset and other links to its data, the most important first."""
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
    yield from _pages(fields, "landingPage", "Landing page")


def _pages(
    fields: Fields, key: str, name: str, mimetype: str = "", *, strict: bool = False
) -> Iterator[ResourceRecord]:
    for part in fields.objects(key, strict=strict):
        if isinstance(part, str):
            url, title = fields.parse_value(key, part, fields.parse_url, "bad-url"), ""
        else:
            keys = ("accessURL", "downloadURL", "url", "@id")
            url = next((part.url(each) for each in keys if part.has(each)), "")
            title = plain_line(part.text("title"))
            mimetype = mimetype or value_text(part.get("mediaType"))
        if url:
            label = formats.of_url(url) or formats.label(mimetype) or "HTML"
            yield ResourceRecord(
                url, name=title or name, format=label, mimetype=mimetype, kind="documentation"
            )


RESOURCE_MAPPING = (
    Field(
        ("downloadURL", "accessURL", "accessService"),
        "url; extras access_url, access_services",
        read_apart,
    ),
    Field(("identifier", "@id"), "id; extra uri", read_apart),
    Field(("title", "accessType"), "name", read_apart),
    Field(("description",), "description", read_apart),
    Field(("title", "titleMap", "description", "descriptionMap"), "translations", read_apart),
    Field(("mediaType", "format"), "mimetype, format", read_apart),
    Field(("byteSize",), "size", read_apart),
    Field(("checksum",), "extras hash, hash_algorithm, checksums", read_apart),
    Field(("issued", "modified", "temporal"), "issued, modified, temporal", read_apart),
    Field(
        ("license", "licence", "rights", "accessRights", "accessLevelComment"),
        "licence; extra rights",
        read_apart,
    ),
    Field(
        ("conformsTo", "describedBy", "describedByType"),
        "schema_url; extras schema_type, conforms_to, described_by, described_by_type,"
        " data_dictionary",
        read_apart,
    ),
    Field(
        ("spatial", "language", "compressFormat", "packageFormat", "characterEncoding"),
        "extras spatial, spatial-text, language, compress_format, package_format,"
        " character_encoding",
        read_apart,
    ),
    Field(("extras",), "extras, translations", read_apart),
    Field(("every other field",), "extras", read_apart),
)
_READ = unread_fields.names_of(RESOURCE_MAPPING)
