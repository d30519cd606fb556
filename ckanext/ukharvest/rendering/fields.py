"""The fields of datasets and resources: rows of additional information, and parts of forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from ckanext.ukharvest import fields
from ckanext.ukharvest.core.values import (
    frequencies,
    local_government_lists,
    multivalue,
    theme_names,
)
from ckanext.ukharvest.core.values.formats import SCHEMA_TYPES
from ckanext.ukharvest.core.values.multivalue import is_yes
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.fields import ADDRESS, ADDRESSES, DATE, FLAG, NAMES, URIS, Field
from ckanext.ukharvest.rendering import inspire, values
from ckanext.ukharvest.rendering.values import Portal

# Places of a field: rows that most people look for, all others, and technical fields without one.
MAIN, MORE, HIDDEN = "main", "more", "hidden"
# What INSPIRE's guide requires a field of: all location data, or services. Such a row says if the
# source does not give it.
LOCATION, SERVICE = "location", "service"


class DatasetField(NamedTuple):
    """A field of a dataset's page.

    Attributes:
        label: English; "" for that made from the key.
        place: MAIN, MORE or HIDDEN.
        render: returns a text as markup; None: as any extra (``values``, ``facts``).
        unless: key of a field that says more: with it this one is not shown.
        required_of: LOCATION or SERVICE, if the page names it where it is missing.
    """

    label: str = ""
    place: str = MORE
    render: Callable[[str, Portal], Markup] | None = None
    unless: str = ""
    required_of: str = ""


def _own(key: str, **more: Any) -> dict[str, DatasetField]:
    """Return the row of a field of ``fields.FIELDS``, which has the label."""
    labels = {field.key: field.label for field in fields.FIELDS}
    return {key: DatasetField(labels[key], **more)}


# Keys with blanks are no extras: the page builds them from several, or knows them otherwise.
ADDED, CHANGED, WEB_PAGE = "this site: added", "this site: changed", "this site: url"
AUTHOR, MAINTAINER, VERSION = "this site: author", "this site: maintainer", "this site: version"
PERIOD, HARVEST_URL, HARVEST_DATE = "period covered", "harvest url", "harvest date"
COUPLED_DATASETS, COUPLED_SERVICES = "coupled datasets", "coupled services"

_F = DatasetField
FIELDS = {
    ADDED: _F("Added to this site", place=MAIN),
    CHANGED: _F("Last changed on this site", place=MAIN),
    **_own("theme-primary", place=MAIN),
    **_own("theme-secondary"),
    **_own("mandate"),
    PERIOD: _F("Temporal coverage", place=MAIN, render=lambda text, _portal: escape(text)),
    **_own("temporal_coverage-from", place=MAIN, unless=PERIOD),
    **_own("temporal_coverage-to", place=MAIN, unless=PERIOD),
    "temporal-text": _F("Temporal coverage as given"),
    "geographic_coverage": _F("Geographic coverage", place=MAIN),
    "spatial-text": _F("Geographic coverage", place=MAIN),
    "spatial-coverage": _F("Places named"),
    **_own("schema"),
    **_own("codelist"),
    # The harvest.
    HARVEST_URL: _F("Harvest URL", place=MAIN),
    HARVEST_DATE: _F("Harvest date", place=MAIN),
    "metadata-date": _F("Metadata date", render=inspire.render_day),
    "guid": _F("Harvest GUID", place=MAIN),
    "uri": _F("URI of the dataset"),
    "harvest_source_reference": _F("Source reference"),
    # Location data.
    "spatial": _F("Extent", required_of=LOCATION),
    "spatial-reference-system": _F(
        "Spatial reference system",
        render=inspire.render_system,
        unless="spatial-reference-systems",
        required_of=LOCATION,
    ),
    "spatial-reference-systems": _F("Spatial reference systems", render=inspire.render_systems),
    "dataset-reference-date": _F(
        "Dataset reference date", render=inspire.render_dates, required_of=LOCATION
    ),
    "frequency-of-update": _F(
        "Frequency of update", place=MAIN, render=inspire.render_frequency, required_of=LOCATION
    ),
    "responsible-party": _F(
        "Responsible party",
        render=inspire.render_parties,
        unless="responsible-organisation",
        required_of=LOCATION,
    ),
    "responsible-organisation": _F("Responsible parties", render=inspire.render_parties),
    "access_constraints": _F(
        "Access constraints", render=inspire.render_constraints, required_of=LOCATION
    ),
    "resource-type": _F("Resource type", render=inspire.render_codes, required_of=LOCATION),
    "metadata-language": _F(
        "Metadata language", render=inspire.render_languages, required_of=LOCATION
    ),
    "spatial-data-service-type": _F(
        "Service type", render=inspire.render_codes, required_of=SERVICE
    ),
    COUPLED_DATASETS: _F("Coupled datasets"),
    COUPLED_SERVICES: _F("Coupled services"),
    "coupled-resource": _F("Operates on", unless=COUPLED_DATASETS),
    # Only if given.
    "date_update_future": _F("Next update", render=inspire.render_day),
    "precision": _F("Precision"),
    **_own("update_frequency", place=MAIN),
    "temporal_granularity": _F("Granularity in time"),
    "taxonomy_url": _F("Taxonomy"),
    "data_issued": _F("Data first issued", render=inspire.render_day),
    "data_modified": _F("Data last modified", place=MAIN, render=inspire.render_day),
    **_own("la_function"),
    **_own("la_service"),
    "external_reference": _F("External reference"),
    **_own("unpublished"),
    WEB_PAGE: _F("Web page"),
    AUTHOR: _F("Author"),
    MAINTAINER: _F("Maintainer", unless="contact-name"),
    VERSION: _F("Version"),
    "hierarchy-level-name": _F("Kind, in the publisher's words"),
    "UKLP": _F("UK Location Programme"),
    "INSPIRE": _F("Data for INSPIRE"),
    "alternative-title": _F("Also known as"),
    "title_translated": _F("Title in other languages", render=values.render_translations),
    "notes_translated": _F("Description in other languages", render=values.render_translations),
    "tags_translated": _F("Keywords in other languages", render=values.render_translations),
    "resource-identifier": _F("Identifier of the resource"),
    "parent-identifier": _F("Part of (identifier)"),
    "topic-category": _F("Topic category", render=inspire.render_codes),
    "inspire-themes": _F("INSPIRE theme"),
    "dcat_subject": _F("Themes in the publisher's words"),
    "theme": _F("Themes in the publisher's words", unless="dcat_subject"),
    "subject": _F("Subjects in the publisher's words", unless="dcat_subject"),
    "keywords": _F("Keywords by vocabulary"),
    "purpose": _F("Purpose"),
    "additional-information": _F("Additional information"),
    "language": _F("Language", render=inspire.render_languages),
    "service-type-version": _F("Version of the service"),
    "spatial_uri": _F("Place (URL)"),
    "bbox-west-long": _F("Western limit (longitude)", unless="spatial"),
    "bbox-east-long": _F("Eastern limit (longitude)", unless="spatial"),
    "bbox-south-lat": _F("Southern limit (latitude)", unless="spatial"),
    "bbox-north-lat": _F("Northern limit (latitude)", unless="spatial"),
    "bbox-original": _F("Extent as given"),
    "vertical-extent": _F("Vertical extent"),
    "spatial-resolution": _F("Spatial resolution"),
    "equivalent-scale": _F("Scale, 1 to"),
    "spatial-representation-type": _F("Spatial representation", render=inspire.render_codes),
    "temporal-extents": _F("Periods covered"),
    "maintenance-note": _F("Note on maintenance"),
    "progress": _F("State", render=inspire.render_codes),
    "lineage": _F("Lineage"),
    "quality-scope": _F("Quality is stated for", render=inspire.render_codes),
    "conformity": _F("Conformity"),
    "data-format": _F("Data formats"),
    "character-set": _F("Character set"),
    "provider": _F("Provider"),
    "distributor": _F("Distributor", render=inspire.render_parties),
    "credit": _F("Credit"),
    "dcat_publisher_name": _F("Publisher"),
    "dcat_publisher_email": _F(
        "Publisher's email", render=lambda text, _portal: inspire.mail_to(text)
    ),
    "dcat_publisher_uri": _F("Publisher’s web identifier"),
    "contact-name": _F("Contact"),
    "contact-email": _F("Contact's email", render=lambda text, _portal: inspire.mail_to(text)),
    "contact-phone": _F("Contact's telephone"),
    "foi-name": _F("Contact for freedom of information"),
    "foi-email": _F(
        "Freedom of information email", render=lambda text, _portal: inspire.mail_to(text)
    ),
    "foi-phone": _F("Freedom of information telephone"),
    "foi-web": _F("Freedom of information page"),
    "licence": _F("Licence and conditions of use"),
    "licence_url": _F("Licence link"),
    "license_url": _F("Licence link", unless="licence_url"),
    "rights": _F("Rights"),
    "limitations-on-public-access": _F(
        "Limitations on public access", render=inspire.render_constraints
    ),
    "access-restrictions": _F("Access is restricted by", render=inspire.render_constraints),
    "use-restrictions": _F("Use is restricted by", render=inspire.render_constraints),
    "security-classification": _F("Security classification", render=inspire.render_codes),
    "aggregation-info": _F("Related resources"),
    "graphic-preview-file": _F("Preview picture"),
    "graphic-preview-description": _F("Description of the preview"),
    "metadata-contact": _F("Contact for the record", render=inspire.render_parties),
    "metadata-contact-email": _F(
        "Record contact's email", render=lambda text, _portal: inspire.mail_to(text)
    ),
    "metadata-standard-name": _F("Standard of the record"),
    "metadata-standard-version": _F("Version of the standard"),
    "harvest_source_title": _F("Harvest source"),
    "metadata_uri": _F(unless="uri"),
    **dict.fromkeys(
        ("import_source", "harvest_object_id", "harvest_source_id", "spatial_harvester"),
        _F(place=HIDDEN),
    ),
    **dict.fromkeys(
        ("graphic-preview-type", "spatial-resolution-units", "spatial-original"), _F(place=HIDDEN)
    ),
}
LABELS = {key: field.label for key, field in FIELDS.items() if field.label}
TECHNICAL = frozenset(key for key, field in FIELDS.items() if field.place == HIDDEN)

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
    is_harvested: bool = True,
) -> Rows:
    """Return the rows in the order of FIELDS, without blank ones.

    For harvested location data, rows that INSPIRE requires say if they are not given.

    Args:
        given: a dataset's extras, all that may be shown.
        markup: values that are markup already, for some of the keys or for those with blanks.
    """
    texts, markup = _combined(given, portal), markup or {}
    shown = {key: _render(key, text, portal) for key, text in texts.items() if key not in markup}
    shown |= markup
    # The same in ISO's code and as an interval.
    if shown.get("update_frequency") == shown.get("frequency-of-update"):
        shown.pop("update_frequency", None)
    shown = {
        key: value
        for key, value in shown.items()
        if value and not shown.get(find_field(key).unless)
    }
    missing: dict[str, Markup] = {}
    if is_harvested and is_location_data(given):
        words = escape(portal.translate(NOT_GIVEN))
        missing = dict.fromkeys(_find_missing(given, shown), words)
    all_rows = [
        Row(key, _label(key, portal), value, is_given=key in shown)
        for key, value in sorted({**shown, **missing}.items(), key=_place)
    ]
    known = tuple(row for row in all_rows if row.key in LABELS)
    return Rows(known, tuple(row for row in all_rows if row.key not in LABELS))


def find_field(key: str) -> DatasetField:
    """Return the field of a key; one without a label for other extras."""
    return FIELDS.get(key, DatasetField())


def _place(row: tuple[str, Markup]) -> tuple[int, str]:
    return _ORDER.get(row[0], len(_ORDER)), row[0]


def _label(key: str, portal: Portal) -> str:
    return portal.translate(LABELS[key]) if key in LABELS else values.label_for_key(key)


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
    if number := texts.get("spatial-resolution"):
        unit = given.get("spatial-resolution-units", "")
        texts["spatial-resolution"] = f"{number} {'m' if unit in _METRE else unit}".strip()
    if texts.get("harvest_source_reference") == given.get("guid"):
        texts.pop("harvest_source_reference", None)
    return texts


def _render(key: str, text: str, portal: Portal) -> Markup:
    if render := find_field(key).render:
        return render(text, portal)
    if key in values.RENDERED_KEYS:
        return values.render_value(key, text, portal)
    return values.render_extra(portal.translate(_YES_NO[text]) if text in _YES_NO else text)


def _find_missing(given: Mapping[str, str], shown: Mapping[str, Markup]) -> Iterator[str]:
    """Yield the keys that INSPIRE requires and no row shows."""
    is_service = given.get("resource-type") == "service"
    for key, field in FIELDS.items():
        if field.required_of == LOCATION or (field.required_of == SERVICE and is_service):
            is_drawn = key == "spatial" and given.get(key)  # the page's map shows it
            if key not in shown and field.unless not in shown and not is_drawn:
                yield key


# Widgets of a form.
SELECT, INPUT, ROWS, CHECKBOX = "select", "input", "rows", "checkbox"

EMPTY_ROWS = 2  # empty rows that a list of URLs has besides the filled ones

# Fields of a resource that CKAN's own form shows, or CKAN sets itself.
OF_RESOURCES = frozenset(
    ("id", "package_id", "position", "state", "created", "metadata_modified", "save", "upload")
    + ("clear_upload", "url", "url_type", "name", "description", "format", "datastore_active")
)
# Facts about a file, which differ for another file.
OF_FILES = frozenset(
    ("hash", "size", "mimetype", "mimetype_inner", "last_modified")
    + ("cache_url", "cache_last_updated")
)

# Form value: the names of fields that a resource's form does not show, but keeps.
KEPT = "ukharvest_kept"

Translate = Callable[[str], str]
Choices = list[tuple[str, list[tuple[str, str]]]]  # label of a group → values and texts


@dataclass(frozen=True, slots=True)
class Option:
    """One value that can be chosen."""

    value: str
    text: str
    is_chosen: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """One field of a form.

    Attributes:
        widget: SELECT, INPUT, ROWS or CHECKBOX.
        values: its content, as a person wrote it or as it is stored.
        groups: label ("" for none) → options; of a SELECT, or suggestions of an input.
        is_multiple: several can be chosen.
        example: placeholder of an empty input.
    """

    widget: str
    values: tuple[str, ...]
    groups: tuple[tuple[str, tuple[Option, ...]], ...] = ()
    is_multiple: bool = False
    example: str = ""


def restore_hidden_fields(current: Mapping[str, Any], resource: dict[str, Any]) -> None:
    """Restore a resource's fields that its form did not show.

    Not sent as hidden inputs: a field that another extension's form shows would be sent twice.

    Args:
        current: the resource as saved.
        resource: as sent; it may have another file or link; changed in place.
    """
    names = set(multivalue.submitted_texts(resource.pop(KEPT, None))) & current.keys()
    if resource.get("upload") or _file(resource) != _file(current):
        names -= OF_FILES
    for name in names:
        resource.setdefault(name, current[name])


def _file(resource: Mapping[str, Any]) -> str:
    """Return a link, or the name of a file; CKAN shows its URL, and the form sends its name."""
    url = str(resource.get("url") or "")
    return url.rpartition("/")[2] if resource.get("url_type") == "upload" else url


def build_part(field: Field, value: Any, translate: Translate) -> Part:
    """Return a field's part of the form.

    Args:
        value: as stored, as a client or form sent it, or None.
        translate: English text → the reader's.
    """
    if field.kind == FLAG:
        return Part(CHECKBOX, tuple(filter(multivalue.is_yes, multivalue.submitted_texts(value))))
    if field.kind == ADDRESSES:
        urls = multivalue.addresses(value, field.vocabulary)
        rows = (*urls.urls, *urls.others, *[""] * EMPTY_ROWS)
        return Part(ROWS, rows, _suggestions(field), example="https://")
    choices = _CHOICES.get(field.vocabulary)
    if choices and field.kind != ADDRESS:
        values = _chosen(field, value)
        groups = tuple(_groups(choices(translate), values, translate))
        return Part(SELECT, tuple(values), groups, field.kind in (URIS, NAMES))
    example = {ADDRESS: "https://", DATE: "2019-04"}.get(field.kind, "")
    return Part(
        INPUT, tuple(multivalue.submitted_texts(value)[:1]), _suggestions(field), example=example
    )


def _chosen(field: Field, value: Any) -> list[str]:
    """Return the selected values, in the form of the options if known."""
    texts = multivalue.submitted_texts(value)
    if field.kind == URIS:
        is_function = field.vocabulary == "functions"
        lists = local_government_lists
        own = lists.find(texts, lists.FUNCTION if is_function else lists.SERVICE)
        first, last = own.functions, own.services
        uris = (*first, *last) if is_function else (*last, *first)
        return [*uris, *own.others]
    if field.kind == NAMES:
        texts = [text for value in texts for text in values.texts(value)]
    if field.vocabulary == "themes":
        texts = [theme_names.find(text) or text for text in texts]
    elif field.vocabulary == "frequencies":
        texts = [_frequency(text) for text in texts]
    return list(dict.fromkeys(texts))


def _frequency(text: str) -> str:
    try:
        return frequencies.parse_frequency(text) or text
    except ValueError:
        return text


def _groups(
    choices: Choices, values: list[str], translate: Translate
) -> Iterator[tuple[str, tuple[Option, ...]]]:
    """Yield the choices as options; values that are not among them come first."""
    known = {value for _label, options in choices for value, _text in options}
    note = translate("not in the list")
    unlisted = [Option(text, f"{text} ({note})", True) for text in values if text not in known]
    if unlisted:
        yield translate("Not in the list"), tuple(unlisted)
    for label, options in choices:
        yield label, tuple(Option(value, text, value in values) for value, text in options)


def _by_path(name: str, head: slice) -> Choices:
    """Return the entries of a list under their parents: the part ``head`` of each one's path."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for row in vocabulary.load(name).rows:
        number = row["uri"].rpartition("/")[2]
        label = " › ".join(local_government_lists.path(row["uri"])[head])
        groups.setdefault(label, []).append((row["uri"], f"{row['label']} ({number})"))
    return list(groups.items())


_CHOICES: dict[str, Callable[[Translate], Choices]] = {
    # Functions below their top-level functions, which can be chosen too; services under functions.
    "functions": lambda _translate: _by_path("functions", slice(1)),
    "services": lambda _translate: _by_path("services", slice(-1)),
    "themes": lambda translate: [
        ("", [(name, translate(theme_names.title(name))) for name in theme_names.names()])
    ],
    "frequencies": lambda translate: [
        (
            "",
            [
                (row["value"], translate(row["label"]))
                for row in vocabulary.load("frequencies").rows
            ],
        )
    ],
}


def _suggestions(field: Field) -> tuple[tuple[str, tuple[Option, ...]], ...]:
    if field.vocabulary:
        rows = vocabulary.load(field.vocabulary).rows
        return (("", tuple(Option(row["url"], row["title"]) for row in rows)),)
    if field.key == "schema_type":
        return (("", tuple(Option(name, name) for name in SCHEMA_TYPES)),)
    return ()
