"""Packages of DKAN 7 rewritten as CKAN packages; fields not listed below are already the same.

``dkan_additional_fields`` is what DKAN's own exports add: the fields of the Drupal node.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

from ckanext.ukharvest.core.mapping_table import Field, FieldValues
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.markup import plain_text
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.parsers import package_dict as package
from ckanext.ukharvest.parsers import uk_fields, unread_fields
from ckanext.ukharvest.parsers.dkan.values import is_month_first, iso
from ckanext.ukharvest.parsers.json_fields import Fields, value_text
from ckanext.ukharvest.parsers.portal_fields import TAKEN_OF_DATASET

_MORE = "dkan_additional_fields"
_DATES = ("metadata_created", "metadata_modified", "revision_timestamp")
_FILE_DATES = ("created", "last_modified")

# Fields with another meaning than in CKAN (private: published; state: in capital letters), and
# internal fields of Drupal.
LEFT_OUT = frozenset(
    ("private", "state", "type", "path", "log_message", "description", "nid", "uuid")
    + ("creator_user_id", "revision_timestamp", _MORE)
)

# The keys of DKAN's field "frequency" (dkan_dataset_content_types, field_frequency).
_FREQUENCIES = (
    ("daily", "weekly", "monthly", "annually", "continuously", "irregularly", "decennial")
    + ("quadrennial", "bimonthly", "semiweekly", "biweekly", "semiannual", "biennial")
    + ("triennial", "three times a week", "three times a month", "quarterly")
    + ("three times a year", "semimonthly")
)


def _printed(flat: Mapping[str, Any]) -> Iterator[str]:
    """Yield all dates that a package prints, from which their day-month order is detected."""
    yield from (clean_text(flat.get(key)) for key in _DATES)
    files = flat.get("resources")
    for each in files if isinstance(files, list) else ():
        if isinstance(each, Mapping):
            yield from (clean_text(each.get(key)) for key in _FILE_DATES)


def _notes(fields: Fields) -> FieldValues:
    return {"notes": package.first(fields, "notes", "description")}


def _dates(fields: Fields) -> FieldValues:
    """Return dates as in DKAN's own data.json: the node's dates are those of the dataset."""
    month_first = is_month_first(_printed(fields.data))
    texts = {key: package.text_of(fields.get(key)) for key in _DATES}
    found = {key: iso(text, month_first=month_first) for key, text in texts.items()}
    more = _more(fields)
    # Of a dataset that DKAN has harvested itself: the node's dates are those of that harvest.
    issued, modified = (
        iso(value_text(more.get(f"field_harvest_source_{each}")), month_first=month_first)
        for each in ("issued", "modified")
    )
    return {
        "metadata_modified": found["metadata_modified"] or found["revision_timestamp"],
        "data_issued": package.first(fields, "data_issued")
        or _read(issued)
        or _read(found["metadata_created"]),
        "data_modified": package.first(fields, "data_modified")
        or _read(modified)
        or _read(found["metadata_modified"]),
    }


def _read(text: str) -> str:
    """Return a date, "" for other text: one report of it is enough."""
    try:
        return parse_date(text)
    except ValueError:
        return ""


def _files(fields: Fields) -> FieldValues:
    """Rewrite dates as ISO 8601, media types alone."""
    month_first = is_month_first(_printed(fields.data))
    files = fields.get("resources")
    if not isinstance(files, list):
        return {}
    return {"resources": [_file(each, month_first) for each in files]}


def _file(resource: Any, month_first: bool) -> Any:
    if not isinstance(resource, Mapping):
        return resource
    texts = {key: clean_text(resource.get(key)) for key in _FILE_DATES}
    mimetype = clean_text(resource.get("mimetype"))
    return {
        **resource,
        **{key: iso(text, month_first=month_first) for key, text in texts.items()},
        "mimetype": mimetype if "/" in mimetype else "",  # else the file's ending once more
        "size": resource.get("size"),
    }


def _name(fields: Fields) -> FieldValues:
    """Return the last part of the page's path."""
    return {"name": _last(fields.get("name") or fields.get("path"))}


def _groups(fields: Fields) -> FieldValues:
    """Return groups by the last part of their path; the first is the publisher, as in data.json."""
    found = [
        {**group, "name": _last(group.get("name"))}
        for group in fields.items("groups", strict=False)
        if isinstance(group, Mapping)
    ]
    return {"groups": found, "organization": fields.get("organization") or next(iter(found), None)}


def _last(value: Any) -> str:
    return clean_text(value).rpartition("/")[2]


def _contact(fields: Fields) -> FieldValues:
    more = _more(fields)
    if fields.has("contact-name", "contact-email"):
        return {}
    return {
        "contact-name": value_text(more.get("field_contact_name")),
        "contact-email": value_text(more.get("field_contact_email")),
    }


def _place(fields: Fields) -> FieldValues:
    more = _more(fields)
    area = more.get("field_spatial")
    area = area if isinstance(area, Mapping) else {}
    sides = [clean_text(area.get(side)) for side in ("left", "bottom", "right", "top")]
    box = ",".join(sides) if all(sides) else ""
    return {
        "spatial": fields.get("spatial") or clean_text(area.get("wkt")) or box,
        "spatial-text": package.first(fields, "spatial-text")
        or value_text(more.get("field_spatial_geographical_cover")),
    }


def _period(fields: Fields) -> FieldValues:
    """Return the time covered, given in seconds since 1970 (Drupal's date field)."""
    area = _more(fields).get("field_temporal_coverage")
    area = area if isinstance(area, Mapping) else {}
    ends = (("temporal_coverage-from", "value"), ("temporal_coverage-to", "value2"))
    return {
        name: package.first(fields, name) or _day(clean_text(area.get(key))) for name, key in ends
    }


def _day(seconds: str) -> str:
    """Return the day of a time in seconds; other text unchanged, to be read or reported."""
    if not seconds.lstrip("-").isdecimal():
        return seconds
    try:
        # Counted from 1970: fromtimestamp refuses earlier times on some systems.
        moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=int(seconds))
    except (OverflowError, ValueError):
        return seconds
    return moment.date().isoformat()


def _frequency(fields: Fields) -> FieldValues:
    key = "update_frequency"
    text = package.first(fields, key) or value_text(_more(fields).get("field_frequency"))
    known = text.isdecimal() and len(text) < 3 and int(text) < len(_FREQUENCIES)
    return {key: _FREQUENCIES[int(text)] if known else text}


def _themes(fields: Fields) -> FieldValues:
    topics = _more(fields).get("field_topic")
    items = topics if isinstance(topics, list) else []
    found = [clean_text(item.get("value")) for item in items if isinstance(item, Mapping)]
    return {"themes": fields.get("themes") or [each for each in found if each]}


# Field of the Drupal node → name in the package; field_odfe_… are DKAN's US federal extras.
_FURTHER = {
    "field_granularity": "granularity",
    "field_public_access_level": "access_level",
    "field_data_dictionary_type": "data_dictionary_type",
    "field_odfe_bureau_code": "bureau_code",
    "field_odfe_program_code": "program_code",
    "field_odfe_data_quality": "data_quality",
    "field_odfe_investment_uii": "primary_it_investment_uii",
    "field_odfe_system_of_records": "system_of_records",
    "field_odfe_is_part_of": "is_part_of",
    "field_odfe_conforms_to": "conforms_to",
    "field_odfe_rights": "rights",
    "field_odfe_language": "language",
    "field_odfe_landing_page": "landing_page",
    "field_odfe_category": "category",
}


# Once more what the package itself has.
_SAID_ELSEWHERE = frozenset(("field_resources", "field_tags", "og_group_ref"))


def _further(fields: Fields) -> FieldValues:
    more = _more(fields)
    found: FieldValues = {name: value_text(more.get(key)) for key, name in _FURTHER.items()}
    found["data_dictionary"] = plain_text(value_text(more.get("field_data_dictionary")))
    found["related_content"] = package.text_of(more.get("field_related_content"))
    pairs = more.get("field_additional_info")
    for pair in pairs if isinstance(pairs, list) else ():
        if isinstance(pair, Mapping) and (key := clean_text(pair.get("first"))):
            found.setdefault(key, clean_text(pair.get("second")))
    # The package's own value wins over one of the same name.
    found = {key: value for key, value in found.items() if not fields.has(key)}
    for key, text in package.unread_members(more, _READ):
        is_taken = key in TAKEN_OF_DATASET or fields.has(key)
        found[uk_fields.PREFIX + key if is_taken else key] = text
    return found


def _more(fields: Fields) -> Mapping[str, Any]:
    found = fields.get(_MORE)
    return found if isinstance(found, Mapping) else {}


MAPPING = (
    Field(("notes", "description"), "notes", _notes),
    Field(
        (*_DATES, "field_harvest_source_issued", "field_harvest_source_modified"),
        "metadata_modified, data_issued, data_modified",
        _dates,
    ),
    Field(("resources",), "resources", _files),
    Field(("name", "path"), "name", _name),
    Field(("groups",), "groups, organization", _groups),
    Field(("field_contact_name", "field_contact_email"), "contact-name, contact-email", _contact),
    Field(("field_spatial", "field_spatial_geographical_cover"), "spatial, spatial-text", _place),
    Field(("field_temporal_coverage",), "temporal_coverage-from, temporal_coverage-to", _period),
    Field(("field_frequency",), "update_frequency", _frequency),
    Field(("field_topic",), "themes", _themes),
    Field(
        (*_FURTHER, "field_data_dictionary", "field_related_content", "field_additional_info")
        + ("every other field of dkan_additional_fields",),
        "extras",
        _further,
    ),
)
_READ = unread_fields.names_of(MAPPING) | _SAID_ELSEWHERE
