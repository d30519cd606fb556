"""Entries of data.json: Project Open Data 1.0 and 1.1, DCAT-US 3, and data.gov.uk's dialect.

Specifications: project-open-data.cio.gov/v1.1/schema and its version 1.0; github.com/GSA/dcat-us;
data.gov.uk's guide to DCAT fields, which promised more than was ever read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ckanext.ukharvest.core import licences
from ckanext.ukharvest.core.errors import ParseError, SkipRecord
from ckanext.ukharvest.core.mapping import Field, Found, read_apart
from ckanext.ukharvest.core.options import MAX_RESOURCES, Option
from ckanext.ukharvest.core.records import DatasetRecord, Problem, RawRecord
from ckanext.ukharvest.core.values import (
    clean_tags,
    is_web_url,
    parse_date,
    parse_frequency,
    parse_language,
    shorten,
)
from ckanext.ukharvest.parsers import datajson_parts as parts
from ckanext.ukharvest.parsers import datajson_resources as resources
from ckanext.ukharvest.parsers import uk_fields
from ckanext.ukharvest.parsers.datajson_extras import CODES, EXTRAS, codes, further
from ckanext.ukharvest.parsers.json_fields import Fields, address, load_object, words

VERSION = 2
FORM = "json"

OPTIONS = (
    Option(
        "include_non_public",
        "boolean",
        False,
        "Whether datasets with the access level non-public are harvested too.",
    ),
    MAX_RESOURCES,
)


def identifier(data: Mapping[str, Any]) -> str:
    """A dataset's identity as text, "" if it has none."""
    keys = ("identifier", "uri", "@id")
    return next(filter(None, (parts.identity(data.get(key)) for key in keys)), "")


def parse(raw: RawRecord, options: Mapping[str, Any]) -> DatasetRecord:
    """Read one entry of ``dataset``.

    Raises:
        ParseError: it is no JSON object, or has no title or identity.
        SkipRecord: it is not public, and the options do not ask for such entries.
    """
    data = load_object(raw)
    problems: list[Problem] = []
    fields = Fields(data, problems)
    title = fields.text("title")
    where = raw.called
    if not raw.guid:
        raise ParseError(f"{where}: identifier is missing", code="missing-identifier")
    _check_access(fields, where, options)
    if not title:
        raise ParseError(f"{where}: title is missing; expected a text", code="missing-title")
    found, extras = _collect(fields)
    files = resources.distributions(fields, options.get("max_resources", 1000))
    found["resources"] = tuple(resources.without_repeats([*files, *resources.documents(fields)]))
    found["licence"] = licences.of_dataset(found.get("licence"), found.get("rights", ""), files)
    _report_missing(fields, found)
    if is_web_url(raw.guid):
        extras.setdefault("metadata_uri", raw.guid)
    return DatasetRecord(raw.guid, title, extras=extras, problems=tuple(problems), **found)


def _collect(fields: Fields) -> tuple[Found, dict[str, str]]:
    """Read what MAPPING lists: fields of the record, and extras."""
    found: Found = {}
    extras: dict[str, str] = {}
    for field in MAPPING:
        part = field.read(fields)
        extras.update((key, value) for key, value in part.pop("extras", {}).items() if value)
        for name, value in part.items():
            found[name] = found.get(name) or value
    return found, extras


_LEVELS = ("public", "restricted public", "non-public")


def _check_access(fields: Fields, where: str, options: Mapping[str, Any]) -> None:
    level = words(fields.get("accessLevel")).lower()
    if level in ("non-public", "nonpublic", "private") and not options.get("include_non_public"):
        raise SkipRecord(
            f"{where}: accessLevel is non-public; the option include_non_public brings it in"
        )
    if level and level not in _LEVELS:
        expected = ", ".join(_LEVELS)
        shown = shorten(level, 40)
        fields.report("bad-access-level", "accessLevel", f"'{shown}'; expected one of: {expected}")


# What every portal shows first, and its absence leaves a hole there.
_EXPECTED = (
    ("description", "notes", "what the data is"),
    ("publisher", "publisher", "the name of the body that publishes it"),
    ("contactPoint", "contact", "a name and an e-mail address"),
    ("license", "licence", "the web address of a licence"),
)


def _report_missing(fields: Fields, found: Found) -> None:
    for key, name, expected in _EXPECTED:
        # What was refused is reported already; what is redacted is meant to be missing.
        if not found.get(name) and not fields.is_settled(key):
            fields.report("missing-field", key, f"missing; expected {expected}")


def _notes(fields: Fields) -> Found:
    return {"notes": fields.text("description")}


def _tags(fields: Fields) -> Found:
    tags, problems = clean_tags(fields.items("keyword"), "keyword")
    fields.add(problems)
    return {"tags": tags}


def _themes(fields: Fields) -> Found:
    # data.gov.uk's guide: functions and services of local government are themes too.
    themes = fields.texts("theme") + fields.texts("subject", strict=False)
    return uk_fields.authority(uk_fields.Given("", themes, fields.reporter("theme")))


def _dates(fields: Fields) -> Found:
    # POD 1.1 allows a repeating interval as "modified": then it says how often, not when.
    repeats = re.match(r"R\d*/P", words(fields.get("modified")), re.IGNORECASE)
    return {
        "issued": fields.date("issued"),
        "modified": "" if repeats else fields.date("modified"),
        "temporal": fields.period("temporal"),
        "extras": {"created": fields.read("created", parse_date, "bad-date")},
    }


def _frequency(fields: Fields) -> Found:
    for key in ("accrualPeriodicity", "frequency"):
        text = address(fields.get(key))
        if text:
            return {"frequency": fields.parsed(key, text, parse_frequency, "bad-frequency")}
    text = words(fields.get("modified"))
    if text[:1].upper() == "R":
        return {"frequency": fields.parsed("modified", text, parse_frequency, "bad-date")}
    return {}


def _people(fields: Fields) -> Found:
    publisher, hierarchy = parts.publisher(fields)
    contact, phone = parts.contact(fields)
    return {
        "publisher": publisher,
        "contact": contact,
        "author": parts.author(fields),
        "extras": {"publisher_hierarchy": hierarchy, "contact-phone": phone},
    }


def _terms(fields: Fields) -> Found:
    return {"licence": parts.licence(fields), "rights": parts.rights(fields)}


def _language(fields: Fields) -> Found:
    texts = fields.texts("language")
    if len(texts) == 1:
        texts = tuple(filter(None, re.split(r"[\s,;]+", texts[0])))
    tags = [fields.parsed("language", text, parse_language, "bad-language") for text in texts]
    return {"language": tuple(dict.fromkeys(filter(None, tags)))}


def _place(fields: Fields) -> Found:
    geometry, name = parts.place(fields)
    if geometry is None and fields.has("geographicBoundingBox"):
        geometry, _ = parts.place(fields, "geographicBoundingBox")
    return {"spatial": geometry, "spatial_text": name}


def _standards(fields: Fields) -> Found:
    texts = [address(item) for item in fields.items("conformsTo", strict=False)]
    names = [words(item) for item in fields.items("conformsTo", strict=False)]
    urls = uk_fields.schemas(texts)
    # Of a reference system, which is no schema, the address is what is known.
    others = [
        text if is_web_url(text) else name
        for text, name in zip(texts, names, strict=True)
        if text not in urls
    ]
    return {"schema_urls": urls, "extras": {"conforms_to": ", ".join(filter(None, others))}}


def _addresses(fields: Fields) -> Found:
    uri = next((text for text in (words(fields.get(k)) for k in ("uri", "@id")) if text), "")
    landing = fields.items("landingPage", strict=False)
    urls = [address(item) for item in landing]
    return {
        "url": next(filter(is_web_url, urls), ""),
        "version": words(fields.get("version")),
        "extras": {"metadata_uri": uri if is_web_url(uri) else ""},
    }


MAPPING = (
    Field(("identifier", "uri", "@id"), "guid", read_apart),
    Field(("title",), "title", read_apart),
    Field(
        ("distribution", "sample", "dataDictionary", "describedBy", "page", "landingPage")
        + ("references", "webService", "accessURL", "downloadURL"),
        "resources",
        read_apart,
    ),
    Field(("description",), "notes", _notes),
    Field(("keyword",), "tags", _tags),
    Field(("theme", "subject"), "themes; extras la_function, la_service", _themes),
    Field(("issued", "modified", "temporal", "created"), "issued, modified, temporal", _dates),
    Field(("accrualPeriodicity", "frequency", "modified"), "frequency", _frequency),
    Field(
        ("publisher", "contactPoint", "mbox", "contactEmail", "creator"),
        "publisher, contact, author",
        _people,
    ),
    Field(("license", "rights", "accessRights", "accessLevelComment"), "licence, rights", _terms),
    Field(("language",), "language", _language),
    Field(("spatial", "geographicBoundingBox"), "spatial, spatial_text", _place),
    Field(("conformsTo",), "schema_urls; extra conforms_to", _standards),
    Field(("landingPage", "version", "uri", "@id"), "url, version", _addresses),
    Field(tuple(CODES), "extras", codes),
    Field(tuple(EXTRAS), "extras", further),
)
