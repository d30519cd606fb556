"""The table of the fields that pages show: label, place, renderer, and when each is shown."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from ckanext.ukharvest import fields
from ckanext.ukharvest.core.dataset_changes import RESOURCES
from ckanext.ukharvest.core.values.multivalue import is_yes
from ckanext.ukharvest.rendering import inspire, values
from ckanext.ukharvest.rendering.values import Portal, Renderer

# Places of a field: rows that most people look for, all other rows, the part of the page that shows
# it instead, and technical fields without a place.
MAIN, MORE, HIDDEN = "main", "more", "hidden"
HEAD, AREA, CONTACT, HARVEST_BOX = "head", "area", "contact", "harvest box"
# What INSPIRE's guide requires a field of: all location data, or services. Such a row says if the
# source does not give it.
LOCATION, SERVICE = "location", "service"


class DatasetField(NamedTuple):
    """A field of a dataset or resource.

    Attributes:
        label: English; "" for that made from the key. Fields of one label are one row.
        place: MAIN, MORE, HIDDEN, or the part of the page that shows it: HEAD, AREA, CONTACT or
            HARVEST_BOX; it is a row only where that part leaves it out.
        render: returns a stored value as markup; None: as any extra (``values.render_extra``).
        unless: key of a field that says more: with it this one is not shown.
        unless_same: key of a field that may say the same in other words: with the same text this
            one is not shown.
        required_of: LOCATION or SERVICE, if the page names it where it is missing.
        is_contact: it holds a person's name or contact details, which may have to be removed.
    """

    label: str = ""
    place: str = MORE
    render: Renderer | None = None
    unless: str = ""
    unless_same: str = ""
    required_of: str = ""
    is_contact: bool = False


# Renderers of lists with more than labels.
_RENDERERS: Mapping[str, Renderer] = {
    "themes": values.render_themes,
    "functions": values.render_functions,
    "services": values.render_services,
    "frequencies": values.render_interval,
}


def _renderer(field: fields.Field) -> Renderer | None:
    if own := _RENDERERS.get(field.vocabulary):
        return own
    if field.kind == fields.FLAG:
        return values.render_flag
    is_address = field.kind in (fields.ADDRESS, fields.ADDRESSES)
    if not is_address and not field.vocabulary:
        return None
    facet = field.facet_name or (field.key if field.facet else "")
    return values.render_listed(field.vocabulary, facet, is_address=is_address)


_OWN = {
    (field.of, field.key): DatasetField(field.label, render=_renderer(field))
    for field in fields.FIELDS
}


def _own(key: str, **more: Any) -> dict[str, DatasetField]:
    """Return the row of a dataset's field of ``fields.FIELDS``, with its place on the page."""
    return {key: _OWN[fields.DATASET, key]._replace(**more)}


def _others(of: str, rows: Collection[str]) -> dict[str, DatasetField]:
    """Return the fields of ``fields.FIELDS`` that are no row yet: a page shows them last."""
    return {key: row for (owner, key), row in _OWN.items() if owner == of and key not in rows}


def _mail(text: str, _portal: Portal) -> Markup:
    return inspire.mail_to(text)


# Keys with blanks are no extras: the page builds them from several, or knows them otherwise.
ADDED, CHANGED, WEB_PAGE = "this site: added", "this site: changed", "this site: url"
AUTHOR, MAINTAINER, VERSION = "this site: author", "this site: maintainer", "this site: version"
PERIOD = "period covered"
COUPLED_DATASETS, COUPLED_SERVICES = "coupled datasets", "coupled services"
WHOLES, PARTS = "part of", "parts"
# The limits of a box, and the sides that stand before them.
BOX = {"bbox-west-long": "W", "bbox-east-long": "E", "bbox-south-lat": "S", "bbox-north-lat": "N"}

_F = DatasetField
FIELDS = {
    # What the data is.
    "data_modified": _F("Last modified", place=MAIN, render=inspire.render_day),
    "frequency-of-update": _F(
        "Frequency of update", place=MAIN, render=inspire.render_frequency, required_of=LOCATION
    ),
    **_own("update_frequency", place=MAIN, unless_same="frequency-of-update"),
    **_own("theme-primary", place=MAIN),
    **_own("theme-secondary"),
    **_own("mandate"),
    PERIOD: _F("Temporal extent", place=MAIN, render=lambda text, _portal: escape(text)),
    **_own("temporal_coverage-from", place=MAIN, unless=PERIOD),
    **_own("temporal_coverage-to", place=MAIN, unless=PERIOD),
    "temporal-text": _F("Temporal extent"),
    "geographic_coverage": _F("Geographic coverage", AREA, unless_same="spatial-text"),
    "spatial-text": _F("Geographic coverage", AREA),
    "spatial-coverage": _F("Geographic coverage", AREA, unless_same="spatial-text"),
    ADDED: _F("Added to this site", place=MAIN),
    CHANGED: _F("Last changed on this site", place=MAIN),
    **_own("schema"),
    **_own("codelist"),
    # The record.
    "metadata-date": _F("Metadata date", render=inspire.render_day),
    "guid": _F("Harvest GUID", HARVEST_BOX),
    "uri": _F("Identifier"),
    "harvest_source_reference": _F("Identifier"),
    # Location data.
    "spatial": _F("Extent", AREA, required_of=LOCATION),
    "spatial-reference-system": _F(
        "Spatial reference system",
        render=inspire.render_system,
        unless="spatial-reference-systems",
        required_of=LOCATION,
    ),
    "spatial-reference-systems": _F("Spatial reference system", render=inspire.render_systems),
    "dataset-reference-date": _F(
        "Dataset reference date", render=inspire.render_dates, required_of=LOCATION
    ),
    "responsible-party": _F(
        "Responsible party",
        HEAD,
        render=inspire.render_parties,
        unless="responsible-organisation",
        required_of=LOCATION,
        is_contact=True,
    ),
    "responsible-organisation": _F(
        "Responsible party", HEAD, render=inspire.render_parties, is_contact=True
    ),
    "access_constraints": _F(
        "Limitations on public access", render=inspire.render_constraints, required_of=LOCATION
    ),
    "resource-type": _F("Resource type", render=inspire.render_codes, required_of=LOCATION),
    "metadata-language": _F(
        "Metadata language", render=inspire.render_languages, required_of=LOCATION
    ),
    "spatial-data-service-type": _F(
        "Spatial data service type", render=inspire.render_codes, required_of=SERVICE
    ),
    COUPLED_DATASETS: _F("Coupled datasets"),
    COUPLED_SERVICES: _F("Coupled services"),
    "coupled-resource": _F("Coupled datasets", unless=COUPLED_DATASETS),
    # Only if given.
    "date_update_future": _F("Next update", render=inspire.render_day),
    "data_issued": _F("First issued", render=inspire.render_day),
    **_own("la_function"),
    **_own("la_service"),
    **_own("unpublished"),
    WEB_PAGE: _F("Web page"),
    AUTHOR: _F("Author"),
    MAINTAINER: _F("Maintainer", CONTACT, unless="contact-name"),
    VERSION: _F("Version"),
    "hierarchy-level-name": _F("Resource type"),
    "UKLP": _F("UK Location data"),
    "alternative-title": _F("Alternative title"),
    "title_translated": _F("In other languages", render=values.render_translations),
    "notes_translated": _F("In other languages", render=values.render_translations),
    "tags_translated": _F("In other languages", render=values.render_translations),
    "resource-identifier": _F("Identifier"),
    WHOLES: _F("Part of", place=MAIN),
    PARTS: _F("Contains", place=MAIN),
    **dict.fromkeys(
        ("parent-identifier", "parent_identifier", "is_part_of", "in_series"),
        _F("Part of (identifier)"),
    ),
    "topic-category": _F("Topic category", render=inspire.render_codes),
    "inspire-themes": _F("INSPIRE theme", render=values.render_inspire_themes),
    "dcat_subject": _F(
        "Themes in the publisher's words",
        render=values.render_subjects,
        unless_same="theme-primary",
    ),
    "theme": _F(
        "Themes in the publisher's words",
        render=values.render_subjects,
        unless="dcat_subject",
        unless_same="theme-primary",
    ),
    "subject": _F(
        "Themes in the publisher's words", render=values.render_subjects, unless="dcat_subject"
    ),
    "keywords": _F("Keyword"),
    "purpose": _F("Purpose"),
    "additional-information": _F("Additional information"),
    "language": _F("Language", render=inspire.render_languages),
    "service-type-version": _F("Version"),
    "spatial_uri": _F("Geographic coverage"),
    **dict.fromkeys(BOX, _F("Extent", unless="spatial")),
    "bbox-original": _F("Extent"),
    "vertical-extent": _F("Vertical extent"),
    "spatial-resolution": _F("Spatial resolution"),
    "equivalent-scale": _F("Equivalent scale"),
    "spatial-representation-type": _F("Spatial representation type", render=inspire.render_codes),
    "temporal-extents": _F("Temporal extent"),
    "maintenance-note": _F("Maintenance information"),
    "progress": _F("State", render=inspire.render_codes),
    "lineage": _F("Lineage"),
    "quality-scope": _F("Quality scope", render=inspire.render_codes),
    "conformity": _F("Conformity"),
    "data-format": _F("Data format"),
    "character-set": _F("Character encoding"),
    "provider": _F("Provider", HEAD, is_contact=True),
    "distributor": _F("Distributor", render=inspire.render_parties, is_contact=True),
    "credit": _F("Credit"),
    "dcat_publisher_name": _F("Publisher", HEAD, is_contact=True),
    "dcat_publisher_email": _F("Publisher", render=_mail, is_contact=True),
    "dcat_publisher_uri": _F("Publisher", HEAD),
    "contact-name": _F("Contact", CONTACT, is_contact=True),
    "contact-email": _F("Contact", CONTACT, _mail, is_contact=True),
    "contact-phone": _F("Contact", CONTACT, is_contact=True),
    "contact-web": _F("Contact", CONTACT),
    "foi-name": _F("Freedom of information", CONTACT, is_contact=True),
    "foi-email": _F("Freedom of information", CONTACT, _mail, is_contact=True),
    "foi-phone": _F("Freedom of information", CONTACT, is_contact=True),
    "foi-web": _F("Freedom of information", CONTACT),
    "licence": _F("Licence"),
    "licence_url": _F("Licence", render=values.render_licence),
    "license_url": _F("Licence", render=values.render_licence, unless="licence_url"),
    "rights": _F("Rights"),
    "limitations-on-public-access": _F(
        "Limitations on public access",
        render=inspire.render_constraints,
        unless_same="access_constraints",
    ),
    "access-restrictions": _F("Limitations on public access", render=inspire.render_constraints),
    "use-restrictions": _F("Use constraints", render=inspire.render_constraints),
    "security-classification": _F("Security classification", render=inspire.render_codes),
    "aggregation-info": _F("Related resource"),
    "graphic-preview-file": _F("Preview picture"),
    "graphic-preview-description": _F("Preview picture"),
    "metadata-contact": _F(
        "Metadata point of contact", render=inspire.render_parties, is_contact=True
    ),
    "metadata-contact-email": _F("Metadata point of contact", render=_mail, is_contact=True),
    "metadata-standard-name": _F("Metadata standard name"),
    "metadata-standard-version": _F("Metadata standard name"),
    "metadata_uri": _F("Identifier", unless="uri"),
    **dict.fromkeys(
        (
            *("import_source", "harvest_object_id", "harvest_source_id", "harvest_source_title"),
            *("spatial_harvester", "graphic-preview-type", "spatial-resolution-units"),
            "spatial-original",
        ),
        _F(place=HIDDEN),
    ),
}
FIELDS |= _others(fields.DATASET, FIELDS)
LABELS = {key: field.label for key, field in FIELDS.items() if field.label}
TECHNICAL = frozenset(key for key, field in FIELDS.items() if field.place == HIDDEN)

# CKAN's own fields, which its page shows; named here in lists of changes.
OF_CKAN = {
    "title": _F("Title"),
    "notes": _F("Description"),
    "url": _F("Web page"),
    "version": _F("Version"),
    "license_id": _F("Licence"),
    "author": _F("Author", is_contact=True),
    "author_email": _F("Author", is_contact=True),
    "maintainer": _F("Maintainer", is_contact=True),
    "maintainer_email": _F("Maintainer", is_contact=True),
    "tags": _F("Tags"),
    "groups": _F("Groups"),
    "private": _F("Visibility"),
    RESOURCES: _F("Resources"),
}
OF_RESOURCE = {
    "name": _F("Name"),
    "url": _F("URL"),
    "description": _F("Description"),
    "format": _F("Format"),
    "mimetype": _F("Format"),
    "size": _F("Size"),
    "date": _F("Date"),
    "data_issued": _F("First issued"),
    "data_modified": _F("Last modified"),
    "licence": _F("Licence"),
    "temporal_coverage-from": _F("Covers from"),
    "temporal_coverage-to": _F("Covers until"),
    "name_translated": _F("In other languages", render=values.render_translations),
    "description_translated": _F("In other languages", render=values.render_translations),
}
OF_RESOURCE |= _others(fields.RESOURCE, OF_RESOURCE)

NOT_GIVEN = "Not in the source record"
# Texts of the page that are in no template: translated when rendered.
TEXTS = (NOT_GIVEN, "yes", "no", "{start} to {end}", "from {start}", "until {end}")

# The unit by its register's name, as GEMINI requires it: 9001 is the metre.
_METRE = ("urn:ogc:def:uom:EPSG::9001", "EPSG::9001")
_ORDER = {key: number for number, key in enumerate(LABELS)}
_YES_NO = {"True": "yes", "False": "no"}


@dataclass(frozen=True, slots=True)
class Row:
    """One row.

    Attributes:
        key: of FIELDS, or of another extra.
        is_given: the source gives it; otherwise the value says that it does not.
    """

    key: str
    label: str
    value: Markup
    is_given: bool = True


@dataclass(frozen=True, slots=True)
class Rows:
    """All rows of a dataset: those with a label, and others labelled by their keys."""

    known: tuple[Row, ...]
    others: tuple[Row, ...]

    @property
    def main(self) -> tuple[Row, ...]:
        """The rows that most people look for."""
        return tuple(row for row in self.known if FIELDS[row.key].place == MAIN)

    @property
    def more(self) -> tuple[Row, ...]:
        """All other rows."""
        return (*(row for row in self.known if FIELDS[row.key].place != MAIN), *self.others)


def is_location_data(given: Mapping[str, str]) -> bool:
    """Tell whether a dataset's facts mark it as UK Location or INSPIRE data."""
    says = any(is_yes(given.get(key, "")) for key in ("UKLP", "INSPIRE"))
    return says and given.get("resource-type", "").lower() != "nongeographicdataset"


def field_rows(
    given: Mapping[str, str],
    portal: Portal,
    markup: Mapping[str, Markup] | None = None,
    *,
    elsewhere: Collection[str] = (),
    is_harvested: bool = True,
) -> Rows:
    """Return the rows in the order of FIELDS, without blank ones.

    For harvested location data, rows that INSPIRE requires say if they are not given.

    Args:
        given: a dataset's extras, all that may be shown.
        markup: values that are markup already, for some of the keys or for those with blanks.
        elsewhere: keys of the facts that other parts of the page show; no rows of this table.
    """
    texts, markup = _combined(given, portal), markup or {}
    shown = {key: _render(key, text, portal) for key, text in texts.items() if key not in markup}
    shown |= markup
    shown = {key: value for key, value in shown.items() if value and not _is_said(key, shown)}
    missing: dict[str, Markup] = {}
    if is_harvested and is_location_data(given):
        words = escape(portal.translate(NOT_GIVEN))
        missing = dict.fromkeys(_find_missing(given, shown, elsewhere), words)
    shown = {key: value for key, value in shown.items() if key not in elsewhere}
    groups: dict[tuple[str, bool], list[Row]] = {}
    texts_of = {**shown, **missing}
    for key in sorted(texts_of, key=lambda key: (_ORDER.get(key, len(_ORDER)), key)):
        label = portal.translate(LABELS[key]) if key in LABELS else values.label_for_key(key)
        row = Row(key, label, texts_of[key], is_given=key in shown)
        field = FIELDS.get(key, DatasetField())
        groups.setdefault((field.label or key, field.place == MAIN), []).append(row)
    rows = [_joined(group) for group in groups.values()]
    known = tuple(row for row in rows if row.key in LABELS)
    return Rows(known, tuple(row for row in rows if row.key not in LABELS))


def _joined(group: list[Row]) -> Row:
    """Join the rows of one label; that a field is missing is said only if no other is given."""
    rows = [row for row in group if row.is_given] or group[:1]
    texts: dict[str, Markup] = {}
    for row in rows:
        texts.setdefault(_plain(row.value), row.value)
    return replace(rows[0], value=values.render_list(list(texts.values())))


def find_field(key: str) -> DatasetField:
    """Return the field of a key; one without a label for other extras."""
    return FIELDS.get(key) or OF_CKAN.get(key) or OF_RESOURCE.get(key) or DatasetField()


def _is_said(key: str, shown: Mapping[str, Markup]) -> bool:
    """Tell whether another field says what this one does."""
    field = find_field(key)
    other = shown.get(field.unless_same)
    return bool(shown.get(field.unless)) or (
        other is not None and _plain(other) == _plain(shown[key])
    )


def _plain(value: Markup) -> str:
    return value.striptags().casefold().rstrip(".")


def _combined(given: Mapping[str, str], portal: Portal) -> dict[str, str]:
    """Return the facts, some of them combined, without technical ones."""
    texts = {key: text for key, text in given.items() if key not in TECHNICAL and text}
    # A schema of the portal's own may have a list.
    start, end = (
        values.render_extra(texts.get(f"temporal_coverage-{end}", "")).striptags()
        for end in ("from", "to")
    )
    if period := values.format_period(start, end, portal):
        texts[PERIOD] = period
        # One period without more than its two ends is the same.
        extents = texts.get("temporal-extents", "")
        if len(inspire.items_of(extents) or ()) < 2 and '"description"' not in extents:
            texts.pop("temporal-extents", None)
    if number := texts.get("spatial-resolution"):
        unit = given.get("spatial-resolution-units", "")
        texts["spatial-resolution"] = f"{number} {'m' if unit in _METRE else unit}".strip()
    for key in ("harvest_source_reference", "uri", "metadata_uri"):
        if texts.get(key) == given.get("guid"):
            texts.pop(key, None)
    for key in BOX.keys() & texts.keys():
        side = portal.translate(BOX[key])  # outside: Babel reads no f-string
        texts[key] = f"{side}: {texts[key]}"
    return texts


def _render(key: str, text: str, portal: Portal) -> Markup:
    if render := find_field(key).render:
        return render(text, portal)
    return values.render_extra(portal.translate(_YES_NO[text]) if text in _YES_NO else text)


def _find_missing(
    given: Mapping[str, str], shown: Mapping[str, Markup], elsewhere: Collection[str]
) -> Iterator[str]:
    """Yield the keys that INSPIRE requires and the page does not show."""
    is_service = given.get("resource-type") == "service"
    for key, field in FIELDS.items():
        if field.required_of == LOCATION or (field.required_of == SERVICE and is_service):
            is_shown = key in shown or (key in elsewhere and given.get(key))
            if not is_shown and field.unless not in shown:
                yield key
