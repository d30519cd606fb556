"""The fields of datasets and resources as parts of forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ckanext.ukharvest.core.values import (
    frequencies,
    local_government_lists,
    multivalue,
    theme_names,
)
from ckanext.ukharvest.core.values.formats import SCHEMA_TYPES
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.fields import ADDRESS, ADDRESSES, DATE, FLAG, NAMES, URIS, Field
from ckanext.ukharvest.rendering import values

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
        yield note, tuple(unlisted)
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


def _frequencies(translate: Translate) -> Choices:
    values = [row["value"] for row in vocabulary.load("frequencies").rows]
    return [("", [(value, frequencies.frequency_label(value, translate)) for value in values])]


_CHOICES: dict[str, Callable[[Translate], Choices]] = {
    # Functions below their top-level functions, which can be chosen too; services under functions.
    "functions": lambda _translate: _by_path("functions", slice(1)),
    "services": lambda _translate: _by_path("services", slice(-1)),
    "themes": lambda translate: [
        ("", [(name, translate(theme_names.title(name))) for name in theme_names.names()])
    ],
    "frequencies": _frequencies,
}


def _suggestions(field: Field) -> tuple[tuple[str, tuple[Option, ...]], ...]:
    if field.vocabulary:
        known = vocabulary.load(field.vocabulary)
        return (("", tuple(Option(known.key(row), known.label(row)) for row in known.rows)),)
    if field.key == "schema_type":
        return (("", tuple(Option(name, name) for name in SCHEMA_TYPES)),)
    return ()
