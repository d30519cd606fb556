"""The fields of ``fields.FIELDS`` as parts of a form: their options and current values.

A form works without scripts: a list of values is a ``<select multiple>`` whose groups show the
hierarchy, URLs are rows of inputs. With scripts, CKAN's own ``autocomplete`` makes a search box of
each select.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ckanext.ukharvest.core.values import (
    frequencies,
    local_government_lists,
    multivalue,
    theme_names,
)
from ckanext.ukharvest.core.values.schema_types import SCHEMA_TYPES
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.fields import ADDRESS, ADDRESSES, DATE, FLAG, NAMES, URIS, Field
from ckanext.ukharvest.presentation.rendering import values as shown_values

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
    kept = set(multivalue.submitted_texts(resource.pop(KEPT, None))) & current.keys()
    if resource.get("upload") or _file(resource) != _file(current):
        kept -= OF_FILES
    for name in kept:
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
        found = multivalue.addresses(value, field.vocabulary)
        rows = (*found.urls, *found.others, *[""] * EMPTY_ROWS)
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
        kind = (
            local_government_lists.FUNCTION
            if field.vocabulary == "functions"
            else local_government_lists.SERVICE
        )
        found = local_government_lists.find(texts, kind)
        own, other = found.functions, found.services
        uris = (*own, *other) if kind == local_government_lists.FUNCTION else (*other, *own)
        return [*uris, *found.others]
    if field.kind == NAMES:
        texts = [text for each in texts for text in shown_values.texts(each)]
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
    choices: Iterable[tuple[str, list[tuple[str, str]]]], values: list[str], translate: Translate
) -> Iterator[tuple[str, tuple[Option, ...]]]:
    """Yield the choices as options; values that are not among them come first."""
    offered = list(choices)
    known = {value for _label, options in offered for value, _text in options}
    note = translate("not in the list")
    unlisted = [Option(each, f"{each} ({note})", True) for each in values if each not in known]
    if unlisted:
        yield translate("Not in the list"), tuple(unlisted)
    for label, options in offered:
        yield label, tuple(Option(value, text, value in values) for value, text in options)


def _functions(_translate: Translate) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Return functions below their top-level functions, which can be chosen too."""
    yield from _by_path("functions", lambda path: path[:1])


def _services(_translate: Translate) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Return services under their functions."""
    yield from _by_path("services", lambda path: path[:-1])


def _by_path(
    name: str, head: Callable[[tuple[str, ...]], tuple[str, ...]]
) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    groups: dict[str, list[tuple[str, str]]] = {}
    for row in vocabulary.load(name).rows:
        number = row["uri"].rpartition("/")[2]
        label = " › ".join(head(local_government_lists.path(row["uri"])))
        groups.setdefault(label, []).append((row["uri"], f"{row['label']} ({number})"))
    yield from groups.items()


def _themes(translate: Translate) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    yield "", [(name, translate(theme_names.title(name))) for name in theme_names.names()]


def _frequencies(translate: Translate) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    rows = vocabulary.load("frequencies").rows
    yield "", [(row["value"], translate(row["label"])) for row in rows]


_CHOICES: dict[str, Callable[[Translate], Iterator[tuple[str, list[tuple[str, str]]]]]] = {
    "functions": _functions,
    "services": _services,
    "themes": _themes,
    "frequencies": _frequencies,
}


def _suggestions(field: Field) -> tuple[tuple[str, tuple[Option, ...]], ...]:
    if field.vocabulary:
        rows = vocabulary.load(field.vocabulary).rows
        return (("", tuple(Option(row["url"], row["title"]) for row in rows)),)
    if field.key == "schema_type":
        return (("", tuple(Option(each, each) for each in SCHEMA_TYPES)),)
    return ()
