"""Readers of the fields of a CKAN package dict, also used for DKAN 7.

CKAN 2.0 to 2.12 (docs.ckan.org, package_show): extras as a list of ``{key, value}``, in the old
REST API as an object; tags as objects or names; None for unset fields.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ckanext.ukharvest.core.fingerprint import canonical_json
from ckanext.ukharvest.core.records import Agent, Licence, RawRecord, RemoteGroup
from ckanext.ukharvest.core.values import licences, multivalue, parties
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.languages import choose_language, read_languages
from ckanext.ukharvest.core.values.licences import read_licence
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.places import read_box
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.parsers import table, uk_fields
from ckanext.ukharvest.parsers.json_fields import Fields, load_object, value_text
from ckanext.ukharvest.parsers.reporting import ignore, read_tags
from ckanext.ukharvest.parsers.table import FieldValues

_NAME = re.compile(r"[a-z0-9_-]{2,100}")  # ckan.logic.validators.name_validator


def load(raw: RawRecord) -> dict[str, Any]:
    """Return a record's package dict.

    Raises:
        ParseError: not a JSON object, or the record has no identity.
    """
    data = load_object(raw)
    table.require(raw, raw.guid, "id", "missing-identifier")
    return data


def extras(value: Any) -> dict[str, Any]:
    """Return extras by name, from a list or an object; deleted ones are left out."""
    if isinstance(value, Mapping) and not _is_pair(value):
        values = list(value.values())
        if not (values and all(map(_is_pair, values))):
            return {key: _unquoted(item) for key, item in value.items()}
        value = values  # PHP writes a list with gaps as an object
    by_name: dict[str, Any] = {}
    for pair in value if isinstance(value, list) else ():
        if _is_pair(pair) and pair.get("state") != "deleted":
            by_name.setdefault(clean_text(pair["key"]), _unquoted(pair.get("value")))
    return by_name


def _is_pair(item: Any) -> bool:
    return isinstance(item, Mapping) and "key" in item


def _unquoted(value: Any) -> Any:
    """Decode the text of an extra from CKAN before 2.3, which wrote it as a JSON string."""
    if isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == '"':
        with contextlib.suppress(ValueError, RecursionError):
            return json.loads(value)
    return value


# CKAN fills it from license_id with its register's URL, which may be of another version.
_COMPUTED = "license_url"


def flatten(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields and extras as one object.

    A filled field wins over an extra of its name, unless CKAN computes the field.
    """
    flat = {key: value for key, value in data.items() if key != "extras"}
    for key, value in extras(data.get("extras")).items():
        if key and (is_blank(flat.get(key)) or (key == _COMPUTED and not is_blank(value))):
            flat[key] = value
    return flat


def is_blank(value: Any) -> bool:
    """Tell whether a value is empty: None, blanks, an empty list or object."""
    return value in (None, [], {}) or (isinstance(value, str) and not value.strip())


def text_of(value: Any) -> str:
    """Return a value as an extra's text: JSON if not a text, of a one-item list its item."""
    if is_blank(value):
        return ""
    if isinstance(value, list) and len(value) == 1:
        return text_of(value[0])
    return canonical_json(value) if isinstance(value, (list, Mapping)) else clean_text(value)


def with_more(fields: Fields, key: str, more: Sequence[str]) -> str:
    """Return a field's text with more texts appended; unchanged if there are none."""
    own = fields.get(key)
    texts = (*split_list(own), *more) if more else (text_of(own),)
    return ", ".join(dict.fromkeys(filter(None, texts)))


def names(value: Any) -> tuple[str, ...]:
    """Return the names in a list of texts or of objects with a name: tags, themes."""
    items = value if isinstance(value, list) else [value]
    texts = (value_text(_named(item)) for item in items if not _is_deleted(item))
    return tuple(dict.fromkeys(filter(None, texts)))


def _named(item: Any) -> Any:
    if isinstance(item, Mapping):
        return item.get("name") or item.get("display_name") or item.get("title")
    return item


def _is_deleted(item: Any) -> bool:
    return isinstance(item, Mapping) and item.get("state") == "deleted"


def tags(fields: Fields, keys: table.Names) -> tuple[str, ...]:
    """Return tags within CKAN's rules; a text is split at commas."""
    return read_tags(fields, names(fields.get(keys[0])), keys[0])


def group(value: Any) -> RemoteGroup | None:
    """Return an organisation or group, given as an object or as its name."""
    if isinstance(value, Mapping):
        keys = ("id", "name", "title", "display_name")
        id_, name, *titles = (clean_text(choose_language(value.get(key))) for key in keys)
        title = next(filter(None, titles), "")
        return RemoteGroup(id_, name, title) if id_ or name else None
    name = clean_text(value)
    return RemoteGroup(name=name) if name else None


def groups(fields: Fields, keys: table.Names) -> tuple[RemoteGroup, ...]:
    """Return the groups of the remote site that a package is in."""
    items = fields.items(keys[0], strict=False)
    remote_groups = (group(item) for item in items if not _is_deleted(item))
    return tuple(dict.fromkeys(remote for remote in remote_groups if remote))


def dataset_name(fields: Fields, keys: table.Names) -> str:
    """Return a dataset's name on the remote site, if it can be one here."""
    name = value_text(fields.get(keys[0])).lower()
    return name if _NAME.fullmatch(name) else ""


def organisation(
    fields: Fields, keys: table.Names = ("organization", "owner_org")
) -> RemoteGroup | None:
    """Return the organisation of the remote site that a package belongs to."""
    organization, owner = map(fields.get, keys)
    if remote := group(organization):
        return remote
    text = clean_text(owner)
    return RemoteGroup(id=text) if text else None


def text(fields: Fields, keys: table.Names) -> str:
    """Return the text of the first field that is not empty, as an extra has it."""
    for key in keys:
        if written := text_of(fields.get(key)):
            return written
    return ""


def line(fields: Fields, keys: table.Names) -> str:
    """Return the same in one line, without markup."""
    return plain_line(text(fields, keys))


def paragraph(fields: Fields, keys: table.Names) -> str:
    """Return the same without markup."""
    return plain_text(text(fields, keys))


# Terms beside the licence: GEMINI's on portals such as data.gov.uk, those of DCAT and data.json.
_TERMS = ("rights", "access_constraints", "use_constraints", "access_rights", "accessLevelComment")


def terms(fields: Fields) -> list[str]:
    """Return a package's texts on rights, access and use beside its licence."""
    return [text for name in _TERMS for text in multivalue.texts(fields.get(name)) if text]


def licence(fields: Fields, keys: table.Names) -> Licence | None:
    """Return the licence known by id, URL or title; else the texts given for it."""
    texts = [(key, text) for key in keys if (text := text_of(fields.get(key)))]
    by_key = [(key, known) for key, text in texts if (known := licences.find(text))]
    key = next((key for key, _ in by_key), "")
    named = [known for _, known in by_key]
    licence = read_licence(named, fields.reporter(key), terms(fields))
    if licence and licence.id:
        url = value_text(fields.get("license_url"))
        exact = is_web_url(url) and licence.id == getattr(licences.find(url), "id", "")
        return Licence(licence.id, licence.title, url) if exact else licence
    if licence and named and not any(known.id for known in named):
        # An id is less clear than a title; both are kept if neither is known.
        return replace(licence, title=max((known.title for known in named), key=len))
    return licence


def agent(fields: Fields, keys: table.Names) -> Agent | None:
    """Return the agent whose name, email address and URL are fields; None without any."""
    name, email, url = (text(fields, (key,)) for key in (*keys, "")[:3])
    agent = parties.read_agent(name, email, url, fields.reporter(keys[1], email))
    return agent if name or agent != Agent() else None


def date(fields: Fields, keys: table.Names) -> str:
    """Return the first of some fields that holds a date."""
    texts = ((key, text(fields, (key,))) for key in keys)
    dates = (fields.parse_value(key, written, parse_date, "bad-date") for key, written in texts)
    return next(filter(None, dates), "")


def addresses(fields: Fields, keys: table.Names) -> table.Several:
    """Return ``schema``, ``codelist`` or ``mandate`` as ``uk_fields.addresses``."""
    (key,) = keys
    return table.Several(uk_fields.addresses(key, fields.get(key), fields.reporter(key)))


def unpublished(fields: Fields, keys: table.Names) -> table.Several:
    """Return whether the data is not yet available, as ``uk_fields.unpublished``."""
    return table.Several(uk_fields.unpublished(text(fields, keys), fields.reporter(keys[0])))


def languages(fields: Fields, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return languages as tags, from a list, a list as JSON text, or names between commas."""
    return read_languages(split_list(fields.get(names[0])), fields.reporter(names[0]))


def split_list(value: Any, separators: str = "") -> tuple[str, ...]:
    """Return the texts of a list, a list as JSON text, or one text with separators."""
    if isinstance(value, str) and value.strip()[:1] == "[":
        with contextlib.suppress(ValueError, RecursionError):
            value = json.loads(value)
    if isinstance(value, str):
        value = re.split(separators, value) if separators else [value]
    return names(value) if not is_blank(value) else ()


_BOX = ("bbox-west-long", "bbox-south-lat", "bbox-east-long", "bbox-north-lat")


def place(fields: Fields) -> FieldValues:
    """Return the geometry (GeoJSON, WKT or numbers), and the source's text for the place."""
    places = fields.places("spatial")
    # GEMINI datasets have four sides, which data.gov.uk stores as extras.
    box = read_box([text(fields, (key,)) for key in _BOX], ignore)
    return places._replace(
        geometry=places.geometry or box, names=text(fields, ("spatial-text",)) or places.names
    ).values


def unread_fields(flat: Mapping[str, Any], read: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the fields that nothing else read, as extras under their own names."""
    known = set(read)
    for key, value in flat.items():
        # A zero character in a name costs the record: PostgreSQL does not store it.
        if key not in known and (text := text_of(value)) and (name := clean_text(key)):
            yield name, text


def unread_members(data: Mapping[str, Any], read: Iterable[str]) -> list[tuple[str, str]]:
    """Return the members of any JSON object that are not read, as extras; case does not matter.

    Keys that begin with ``@`` (of JSON-LD) or ``%`` (of DKAN) say how an object is stored, and are
    left out.
    """
    known = {name.casefold() for name in read}
    others = (key for key in data if key[:1] not in ("@", "%") and key.casefold() not in known)
    return list(unread_fields({key: data[key] for key in others}, ()))
