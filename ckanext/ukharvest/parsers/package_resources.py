"""Resources of a CKAN package dict."""

from __future__ import annotations

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import OF_RESOURCE, Period, ResourceRecord, ResourceTranslation
from ckanext.ukharvest.core.values import formats, multivalue
from ckanext.ukharvest.core.values.file_facts import read_checksums
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.parsers import json_fields, table, uk_fields
from ckanext.ukharvest.parsers import package_dict as package
from ckanext.ukharvest.parsers.json_fields import Fields, read_resources
from ckanext.ukharvest.parsers.table import Field, FieldValues, Row, collect, row

# Values of resource_type in CKAN and data.gov.uk → kind of resource. The value itself is kept
# too; "file.upload" was CKAN 2.0's name for a file.
_KINDS = {
    "file": "data",
    "data": "data",
    "api": "service",
    "service": "service",
    "documentation": "documentation",
}


def resources(fields: Fields, limit: int) -> tuple[ResourceRecord, ...]:
    """Return the files and services of a dataset, at most ``limit``, in their order."""
    return tuple(read_resources(fields, "resources", limit, "too-many-resources", _resource))


def _resource(part: Fields) -> ResourceRecord | None:
    """Return one resource, None if it is deleted; report a missing URL and return None."""
    if clean_text(part.get("state")) == "deleted":
        return None
    # A path alone: CKAN without ckan.site_url, or behind a proxy that it does not know.
    url = part.link("url")
    if not url:
        if not part.is_settled("url"):
            part.report("missing-url", "url", Message("missing; expected the file's web address"))
        return None
    barren: set[str] = set()
    values, extras = collect(RESOURCE_MAPPING, part, barren)
    read = _READ - part.odd({*barren, *_FORMAT[:2]})
    others = dict(package.unread_fields(package.flatten(part.data), read))
    others |= read_checksums([(others.get("hash", ""), others.get("hash_algorithm", ""))])
    return ResourceRecord(url, extras=others | extras, **values)


def _format(part: Fields, keys: table.Names) -> str:
    """Return CKAN's label; an unknown format is kept as given."""
    name, mimetype, url = (clean_text(part.get(key)) for key in keys)
    return formats.label(name) or name or formats.label(mimetype) or formats.of_url(url)


def _kind(part: Fields, keys: table.Names) -> table.Several:
    word = clean_text(part.get(keys[0])).lower().removesuffix(".upload")
    kind = _KINDS.get(word, "" if word else "data")
    return table.Several(kind=kind, extras={keys[0]: word})


def _period(part: Fields, keys: table.Names) -> table.Several:
    """Return the date of one file of a time series (data.gov.uk's ``date``), or its text."""
    date = package.date(part, keys)
    text = "" if date else package.text(part, keys)
    return table.Several(temporal=Period(date) if date else None, extras={keys[0]: text})


def _schema(part: Fields, keys: table.Names) -> table.Several:
    """Return the URL of a file's schema, and extras: its language, and what is not a URL."""
    key, kind = keys
    addresses = multivalue.addresses(part.get(key), "schemas")
    own = tuple(filter(uk_fields.is_definition, addresses.urls))
    url, *urls = [address for address in addresses.urls if address not in own] or [""]
    others = (*urls, *addresses.others)
    if others:
        shown = shorten(others[0], 80)
        part.report(
            "bad-url",
            key,
            Message("'{shown}'; expected one web address, that of a schema", shown=shown),
        )
    stated = formats.schema_type_name(package.text(part, (kind,)))
    extras = {
        kind: stated or (formats.guess_schema_type(url, _format(part, _FORMAT)) if url else ""),
        "conforms_to": package.with_more(part, "conforms_to", others),
        "described_by": package.with_more(part, "described_by", own),
    }
    return table.Several(schema_url=url, extras=extras)


def _translations(part: Fields) -> FieldValues:
    texts = json_fields.ckan_translations(part.data, ResourceTranslation, OF_RESOURCE)
    return {"translations": texts}


_FORMAT = ("format", "mimetype", "url")

RESOURCE_MAPPING: tuple[Field | Row, ...] = (
    Field(("url",), "url"),
    row("id", "id", package.text),
    row("name title", "name", package.line),
    row("description", "description", package.paragraph),
    row(" ".join(_FORMAT), "format", _format),
    row("mimetype", "mimetype", table.types),
    row("resource_type", "kind", _kind),
    row("date", "temporal", _period),
    row("size", "size", table.size),
    row("schema_url schema_type", "schema_url; extra schema_type", _schema),
    row("created", "issued", package.date),
    row("last_modified", "modified", package.date),
    Field((*OF_RESOURCE,), "translations", _translations),
    Field(("every other field and extra",), "extras"),
)
_READ = table.names_read(RESOURCE_MAPPING) | table.PORTAL_FIELDS_OF_RESOURCE | {"extras"}
