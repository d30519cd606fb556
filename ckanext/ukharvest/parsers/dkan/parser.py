"""Datasets of DKAN sites: packages of DKAN 7, entries of DKAN 2's data.json.

DKAN 7 prints a package with its page templates: dates and sizes are formatted for people, empty
fields are left out, and ``private`` is the node's status, so that true means published. DKAN 2's
metastore holds Project Open Data 1.1, with references in place of some values if requested.

A package of DKAN 7 is rewritten as a CKAN package. ``dkan_additional_fields`` is what DKAN's own
exports add: the fields of the Drupal node.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta, timezone
from typing import Any

from ckanext.ukharvest.core.errors import ParseError, SkipRecord
from ckanext.ukharvest.core.fingerprint import canonical_json
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import DatasetRecord, RawRecord
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.parsers import package_dict as package
from ckanext.ukharvest.parsers import table, uk_fields
from ckanext.ukharvest.parsers.ckan import parser as ckan
from ckanext.ukharvest.parsers.data_json import parser as datajson
from ckanext.ukharvest.parsers.json_fields import Fields, as_object
from ckanext.ukharvest.parsers.reporting import ignore, parse_value
from ckanext.ukharvest.parsers.table import TAKEN_OF_DATASET, Field, FieldValues, row

# "Thu, 09/01/2016 - 01:31", "mar, 10/12/2019 - 09:23", "Date changed  Thu, 09/01/2016 - 01:31".
_PRINTED = re.compile(
    r"(?:(?P<weekday>[^\W\d_]{2,12})\.?,\s*)?"
    r"(?<!\d)(?P<first>\d{1,2})[/.-](?P<second>\d{1,2})[/.-](?P<year>\d{4})"
    r"(?:[\s,-]+(?P<time>\d{1,2}:\d\d(?::\d\d)?))?"
)
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?)?")

# First letters of day names, Monday first, in the languages of DKAN sites: English, French,
# Spanish, Italian, German, Dutch, Portuguese, Swedish, Welsh.
_DAYS = (
    "mon lun mo ma seg man llun",
    "tue mar di ter tis maw",
    "wed mer mie mi wo qua ons",
    "thu jeu jue gio do qui tor iau",
    "fri ven vie fr vr sex fre gwe",
    "sat sam sab sa za lor sad",
    "sun dim dom so zo son sul",
)
_WEEKDAY = {name: number for number, names in enumerate(_DAYS) for name in names.split()}


def iso(text: str, *, month_first: bool = False) -> str:
    """Return a printed date as ISO 8601 text; return other text unchanged.

    Args:
        month_first: how to read an ambiguous date such as 09/01/2016.
    """
    if iso_date := _ISO.search(text):
        return iso_date[0]
    match = _PRINTED.search(text)
    if match is None:
        return text
    order = _order(match)
    month, day = int(match["first"]), int(match["second"])
    if not (month_first if order is None else order):
        month, day = day, month
    printed_day = _calendar_day(int(match["year"]), month, day)
    if printed_day is None:
        return text
    time = match["time"]
    return f"{printed_day}T{time:0>5}" if time else printed_day.isoformat()


def is_month_first(texts: Iterable[str]) -> bool:
    """Tell from dates printed by one site whether it puts the month first (American dates).

    A number above 12 is not a month, and only one reading falls on the day of the week given in the
    text. If no date decides, the day comes first.
    """
    orders = (_order(match) for text in texts if (match := _PRINTED.search(text)))
    return next((order for order in orders if order is not None), False)


def _order(match: re.Match[str]) -> bool | None:
    """Return True if the month is first, False if the day is, None if undecided."""
    first, second, year = int(match["first"]), int(match["second"]), int(match["year"])
    american, british = _calendar_day(year, first, second), _calendar_day(year, second, first)
    if american is None or british is None:
        return None if american == british else american is not None
    weekday = _weekday(match["weekday"] or "")
    if american == british or weekday is None:
        return None
    fits = [day.weekday() == weekday for day in (american, british)]
    return fits[0] if fits[0] != fits[1] else None


def _calendar_day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _weekday(name: str) -> int | None:
    """Return the day of the week whose name begins like this name or abbreviation, Monday 0."""
    plain = unicodedata.normalize("NFKD", name.lower())
    letters = "".join(char for char in plain if char.isalpha())
    beginnings = (letters[:length] for length in (4, 3, 2))
    return next((_WEEKDAY[beginning] for beginning in beginnings if beginning in _WEEKDAY), None)


_MORE = "dkan_additional_fields"
_DATES = ("metadata_created", "metadata_modified", "revision_timestamp")
_FILE_DATES = ("created", "last_modified")

# Fields with another meaning than in CKAN (private: published; state: in capital letters), and
# internal fields of Drupal.
_LEFT_OUT = frozenset(
    ("private", "state", "type", "path", "log_message", "description", "nid", "uuid")
    + ("creator_user_id", "revision_timestamp", _MORE)
)

# The keys of DKAN's field "frequency" (DKAN Dataset Content Types, field_frequency).
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
    for file in files if isinstance(files, list) else ():
        if isinstance(file, Mapping):
            yield from (clean_text(file.get(key)) for key in _FILE_DATES)


def _dates(fields: Fields) -> FieldValues:
    """Return dates as in DKAN's own data.json: the node's dates are those of the dataset."""
    month_first = is_month_first(_printed(fields.data))
    texts = {key: package.text_of(fields.get(key)) for key in _DATES}
    dates = {key: iso(text, month_first=month_first) for key, text in texts.items()}
    more = _more(fields)
    # Of a dataset that DKAN has harvested itself: the node's dates are those of that harvest.
    issued, modified = (
        iso(package.text_of(more.get(key)), month_first=month_first)
        for key in ("field_harvest_source_issued", "field_harvest_source_modified")
    )
    return {
        "metadata_modified": dates["metadata_modified"] or dates["revision_timestamp"],
        "data_issued": package.text(fields, ("data_issued",))
        or _read(issued)
        or _read(dates["metadata_created"])
        or issued
        or dates["metadata_created"],
        "data_modified": package.text(fields, ("data_modified",))
        or _read(modified)
        or _read(dates["metadata_modified"])
        or modified,
    }


def _read(text: str) -> str:
    """Return a date, "" for other text: one report of it is enough."""
    return parse_value(text, parse_date, ignore, "")


def _files(fields: Fields) -> FieldValues:
    """Rewrite dates as ISO 8601, media types alone."""
    files = fields.get("resources")
    if not isinstance(files, list):
        return {}
    month_first = is_month_first(_printed(fields.data))
    return {"resources": [_file(file, month_first) for file in files]}


def _file(resource: Any, month_first: bool) -> Any:
    if not isinstance(resource, Mapping):
        return resource
    texts = {key: clean_text(resource.get(key)) for key in _FILE_DATES}
    mimetype = clean_text(resource.get("mimetype"))
    return {
        **resource,
        **{key: iso(text, month_first=month_first) for key, text in texts.items() if text},
        # Without a slash it is the file's ending once more.
        "mimetype": "" if mimetype and "/" not in mimetype else resource.get("mimetype"),
        "size": resource.get("size"),
    }


def _name(fields: Fields, names: table.Names) -> str:
    """Return the last part of the page's path."""
    return _last(next(filter(None, map(fields.get, names)), None))


def _groups(fields: Fields) -> FieldValues:
    """Return groups by the last part of their path; the first is the publisher, as in data.json."""
    groups = [
        {**group, "name": _last(group.get("name"))}
        for group in fields.items("groups", strict=False)
        if isinstance(group, Mapping)
    ]
    organization = fields.get("organization") or next(iter(groups), None)
    return {"groups": groups, "organization": organization}


def _last(value: Any) -> str:
    return clean_text(value).rpartition("/")[2]


def _contact(fields: Fields) -> FieldValues:
    if fields.has("contact-name", "contact-email"):
        return {}
    more = _more(fields)
    return {
        "contact-name": package.text_of(more.get("field_contact_name")),
        "contact-email": package.text_of(more.get("field_contact_email")),
    }


def _shape(node: Fields, names: table.Names) -> str:
    area = as_object(node.get(names[0]))
    sides = [clean_text(area.get(side)) for side in ("left", "bottom", "right", "top")]
    return clean_text(area.get("wkt")) or (",".join(sides) if all(sides) else "")


def _period(node: Fields, names: table.Names) -> table.Several:
    """Return the time covered, given in seconds since 1970 (Drupal's date field)."""
    area = as_object(node.get(names[0]))
    start, end = (_day(clean_text(area.get(key))) for key in ("value", "value2"))
    return table.Several({"temporal_coverage-from": start, "temporal_coverage-to": end})


def _day(seconds: str) -> str:
    """Return the day of a time in seconds; other text, and a year, unchanged, to be read."""
    if not seconds.lstrip("-").isdecimal() or re.fullmatch("[12][0-9]{3}", seconds):
        return seconds
    try:
        # Counted from 1970: fromtimestamp refuses earlier times on some systems.
        moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=int(seconds))
    except (OverflowError, ValueError):
        return seconds
    return moment.date().isoformat()


def _frequency(fields: Fields) -> FieldValues:
    key = "update_frequency"
    text = package.text(fields, (key,)) or package.text_of(_more(fields).get("field_frequency"))
    known = text.isdecimal() and len(text) < 3 and int(text) < len(_FREQUENCIES)
    return {key: _FREQUENCIES[int(text)] if known else text}


# Once more what the package itself has.
_SAID_ELSEWHERE = frozenset(("field_resources", "field_tags", "og_group_ref", "field_topic"))


def _node_pairs(node: Fields, names: table.Names) -> table.Several:
    """Return the fields that a dataset's author has added."""
    texts = table.Several()
    pairs = node.get(names[0])
    for pair in pairs if isinstance(pairs, list) else ():
        if isinstance(pair, Mapping) and (key := clean_text(pair.get("first"))):
            texts.setdefault(key, clean_text(pair.get("second")))
    return texts


def _unread(fields: Fields, barren: set[str]) -> Iterator[tuple[str, str]]:
    """Yield name and text of each field of the Drupal node of which no row made anything."""
    for key, text in package.unread_members(_more(fields), _READ - barren):
        is_taken = key in TAKEN_OF_DATASET or fields.has(key)
        yield uk_fields.PREFIX + key if is_taken else key, text


def _more(fields: Fields) -> Mapping[str, Any]:
    return as_object(fields.get(_MORE))


# Fields of a package that have another form than CKAN's.
_OF_PACKAGE = (
    row("notes description", "notes", package.text),
    Field(
        (*_DATES, "field_harvest_source_issued", "field_harvest_source_modified"),
        "metadata_modified, data_issued, data_modified",
        _dates,
    ),
    Field(("resources",), "resources", _files),
    row("name path", "name", _name),
    Field(("groups",), "groups, organization", _groups),
    Field(("field_contact_name", "field_contact_email"), "contact-name, contact-email", _contact),
    Field(("field_frequency",), "update_frequency", _frequency),
)
# Fields of the Drupal node; field_odfe_… are DKAN's US federal extras. The package's own value
# wins over one of the same name, and of two rows the first.
_OF_NODE = (
    row("field_granularity", "granularity", table.first_words),
    row("field_public_access_level", "access_level", table.first_words),
    row("field_data_dictionary_type", "data_dictionary_type", table.first_words),
    row("field_odfe_bureau_code", "bureau_code", table.first_words),
    row("field_odfe_program_code", "program_code", table.first_words),
    row("field_odfe_data_quality", "data_quality", table.first_words),
    row("field_odfe_investment_uii", "primary_it_investment_uii", table.first_words),
    row("field_odfe_system_of_records", "system_of_records", table.first_words),
    row("field_odfe_is_part_of", "is_part_of", table.first_words),
    row("field_odfe_conforms_to", "conforms_to", table.first_words),
    row("field_odfe_rights", "rights", table.first_words),
    row("field_odfe_language", "language", table.first_words),
    row("field_odfe_landing_page", "landing_page", table.first_words),
    row("field_odfe_category", "category", table.first_words),
    row("field_data_dictionary", "data_dictionary", table.paragraph),
    row("field_related_content", "related_content", package.text),
    row("field_spatial", "spatial", _shape),
    row("field_spatial_geographical_cover", "spatial-text", table.first_words),
    row("field_temporal_coverage", "temporal_coverage-from, temporal_coverage-to", _period),
    row("field_topic.value", "themes", table.texts),
    row("field_additional_info", "extras", _node_pairs),
)
_PACKAGE_MAPPING = (
    *_OF_PACKAGE,
    *_OF_NODE,
    Field(("every other field of dkan_additional_fields",), "extras"),
)
_READ = table.names_read(_PACKAGE_MAPPING) | _SAID_ELSEWHERE


def rewritten(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Return a flat package with CKAN's names and forms of values, without fields of DKAN alone."""
    fields = Fields(flat, [])
    package_dict = dict(flat)
    for item in _OF_PACKAGE:
        package_dict |= {name: value for name, value in item.read(fields).items() if value}
    texts: FieldValues = {}
    node = Fields(_more(fields), [])
    barren: set[str] = set()
    for node_row in _OF_NODE:
        read = {name: text for name, text in node_row.read(node).items() if text}
        barren.update(() if read else (name.partition(".")[0] for name in node_row.names))
        texts = read | texts
    texts = {name: text for name, text in texts.items() if not fields.has(name)}
    values = package_dict | texts | dict(_unread(fields, barren))
    return {key: value for key, value in values.items() if key not in _LEFT_OUT}


VERSION = 4
FORM = "json"

OPTIONS = datajson.OPTIONS


def identifier(data: Mapping[str, Any]) -> str:
    """Return a dataset's identity as text, "" if it has none: the UUID in both versions of DKAN."""
    own = datajson.identifier(data) if _is_pod(data) else ""
    return own or clean_text(data.get("id")) or clean_text(data.get("uuid"))


def names(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names under which a package may be listed, without its identity."""
    paths = (clean_text(data.get(key)) for key in ("name", "path", "url"))
    parts = (name for path in paths for name in (path, path.rpartition("/")[2]))
    own = identifier(data)
    keys = (*parts, clean_text(data.get("nid")))
    return tuple(dict.fromkeys(name for name in keys if name not in ("", own)))


def old_guids(raw: RawRecord) -> tuple[str, ...]:
    """Return the guids stored by data.gov.uk's harvester: the values in ``package_list``."""
    try:
        data = package.load(raw)
    except ParseError:
        return ()
    return () if _is_pod(data) else names(data)


def parse(raw: RawRecord, options: Mapping[str, Any]) -> DatasetRecord:
    """Read one dataset of either DKAN version, detected from its content.

    Raises:
        ParseError: not a JSON object, or without title or identity.
        SkipRecord: it is not public, and the options exclude such entries.
    """
    data = package.load(raw)
    if _is_pod(data):
        plain = {key: _resolved(value) for key, value in data.items() if key[:1] != "%"}
        return datajson.parse(replace(raw, content=canonical_json(plain)), options)
    if is_left_out(data, options):
        name = raw.display_name
        raise SkipRecord(
            Message("{name}: it is non-public; the option include_non_public imports it", name=name)
        )
    content = canonical_json(rewritten(package.flatten(data)))
    limit = {"max_resources": options.get("max_resources", 1000)}
    return ckan.parse(replace(raw, content=content), limit)


def is_left_out(data: Mapping[str, Any], options: Mapping[str, Any]) -> bool:
    """Tell whether a package of DKAN 7 is not public, and the options exclude such ones."""
    if _is_pod(data):
        return False
    level = clean_text(rewritten(package.flatten(data)).get("access_level"))
    return datajson.is_excluded(level.lower(), options)


def _is_pod(data: Mapping[str, Any]) -> bool:
    """Tell whether an object is an entry of data.json, not a package."""
    if any(key in data for key in ("resources", "notes", "metadata_modified")):
        return False
    return any(key in data for key in ("identifier", "distribution", "accessLevel"))


def _resolved(value: Any) -> Any:
    """Return the data of a metastore reference: ``{"identifier": …, "data": …}``."""
    if isinstance(value, list):
        return [_resolved(item) for item in value]
    if not isinstance(value, Mapping) or value.keys() != {"identifier", "data"}:
        return value
    data = value["data"]
    if not isinstance(data, Mapping):
        return data
    plain = {key: item for key, item in data.items() if key[:1] != "%"}
    # A body's identifier is no URL; a distribution's is its own.
    own = {"identifier": value["identifier"]} if {"downloadURL", "accessURL"} & data.keys() else {}
    return {**own, **plain}


# DKAN 7: rewritten for CKAN's parser. DKAN 2: read like data.json.
MAPPING = (*_PACKAGE_MAPPING, *ckan.MAPPING)
