"""Resources of a CKAN package dict."""

from __future__ import annotations

from ckanext.ukharvest.core.records import Period, ResourceRecord
from ckanext.ukharvest.core.translations import OF_RESOURCE
from ckanext.ukharvest.core.values import formats, multivalue, schema_types
from ckanext.ukharvest.core.values.file_facts import read_checksums, read_size
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.parsers import json_fields, table, uk_fields
from ckanext.ukharvest.parsers import package_dict as package
from ckanext.ukharvest.parsers.json_fields import Fields, read_resources
from ckanext.ukharvest.parsers.table import Field

_READ = frozenset(
    ("id", "url", "name", "title", "description", "format", "mimetype", "size", "resource_type")
    + ("created", "last_modified", "schema_url", "schema_type", "date", "extras")
    + tuple(OF_RESOURCE)
)

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
            part.report("missing-url", "url", "missing; expected the file's web address")
        return None
    word = clean_text(part.get("resource_type")).lower().removesuffix(".upload")
    period = _period(part)
    size, unread = read_size(clean_text(part.get("size")), part.reporter("size"))
    label = _format(part, url)
    schema_url, schema_facts = _schema(part, label)
    return ResourceRecord(
        url=url,
        id=package.text_of(part.get("id")),
        name=plain_line(package.first(part, "name", "title")),
        description=plain_text(package.text_of(part.get("description"))),
        format=label,
        mimetype=formats.without_registry(clean_text(part.get("mimetype"))),
        kind=_KINDS.get(word, "" if word else "data"),
        size=size,
        issued=package.date(part, "created"),
        modified=package.date(part, "last_modified"),
        temporal=period,
        schema_url=schema_url,
        extras=_extras(part, word) | schema_facts | unread | ({} if period else _undated(part)),
        translations=json_fields.resource_translations(part.data),
    )


def _format(part: Fields, url: str) -> str:
    """Return CKAN's label; an unknown format is kept as given."""
    name = clean_text(part.get("format"))
    mimetype = clean_text(part.get("mimetype"))
    known = formats.label(name)
    return known or name or formats.label(mimetype) or formats.of_url(url)


def _period(part: Fields) -> Period | None:
    """Return the date of one file of a time series (data.gov.uk's ``date``)."""
    date = package.date(part, "date")
    return Period(date) if date else None


def _schema(part: Fields, label: str) -> tuple[str, dict[str, str]]:
    """Return the URL of a file's schema, and extras: its language, and what is not a URL."""
    key = "schema_url"
    addresses = multivalue.addresses(part.get(key), "schemas")
    own = tuple(filter(uk_fields.is_definition, addresses.urls))
    urls = [address for address in addresses.urls if address not in own]
    url = next(iter(urls), "")
    others = (*urls[1:], *addresses.others)
    if others:
        shown = shorten(others[0], 80)
        part.report("bad-url", key, f"'{shown}'; expected one web address, that of a schema")
    stated = schema_types.name(package.text_of(part.get("schema_type")))
    kind = stated or schema_types.guess(url, label)
    facts = {
        "schema_type": kind,
        "conforms_to": package.with_more(part, "conforms_to", others),
        "described_by": package.with_more(part, "described_by", own),
    }
    return url, {name: value for name, value in facts.items() if value}


def _extras(part: Fields, word: str) -> dict[str, str]:
    """Return all other fields under their own names, checksums as in every format."""
    flat = package.flatten(part.data)
    facts = dict(package.unread_fields(flat, _READ | table.PORTAL_FIELDS_OF_RESOURCE))
    if word:
        facts["resource_type"] = word
    return facts | read_checksums([(facts.get("hash", ""), facts.get("hash_algorithm", ""))])


def _undated(part: Fields) -> dict[str, str]:
    """Return values that should be dates but are not, unchanged; report them."""
    text = package.text_of(part.get("date"))
    return {"date": text} if text else {}


RESOURCE_MAPPING = (
    Field(("url",), "url"),
    Field(("id",), "id"),
    Field(("name", "title"), "name"),
    Field(("description",), "description"),
    Field(("mimetype", "format"), "mimetype, format"),
    Field(("resource_type",), "kind"),
    Field(("size",), "size"),
    Field(("created", "last_modified"), "issued, modified"),
    Field(("schema_url", "schema_type"), "schema_url; extra schema_type"),
    Field(("date",), "temporal"),
    Field((*OF_RESOURCE,), "translations"),
    Field(("every other field and extra",), "extras"),
)
