"""The fields of ``fields.FIELDS`` as parts of a form: what there is to choose, and what is chosen.

A form works without scripts: a list of values is a ``<select multiple>`` whose groups show the
hierarchy, addresses are rows of inputs. CKAN's own ``autocomplete`` makes a search box of each
select where scripts run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ckanext.ukharvest.core import frequencies, lga, listed, theme_names, vocabulary
from ckanext.ukharvest.core.schema_types import SCHEMA_TYPES
from ckanext.ukharvest.fields import ADDRESS, ADDRESSES, DATE, FLAG, NAMES, URIS, Field
from ckanext.ukharvest.shown import values as shown_values

# Parts of a form that a field can be.
SELECT, INPUT, ROWS, CHECKBOX = "select", "input", "rows", "checkbox"

EMPTY_ROWS = 2  # that a list of addresses has beside those that are filled

# What CKAN's own form shows of a resource, or CKAN sets itself.
OF_RESOURCES = frozenset(
    ("id", "package_id", "position", "state", "created", "metadata_modified", "save", "upload")
    + ("clear_upload", "url", "url_type", "name", "description", "format", "datastore_active")
)
# What is known of a file, and which another file has otherwise.
OF_FILES = frozenset(
    ("hash", "size", "mimetype", "mimetype_inner", "last_modified")
    + ("cache_url", "cache_last_updated")
)

# What a form says of a resource: the names of what it does not show and that is to stay.
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
        values: what is in it, as a person wrote it or as it is stored.
        groups: label ("" for none) → options; of a SELECT, or what an input suggests.
        is_multiple: several can be chosen.
        example: what an empty input shows.
    """

    widget: str
    values: tuple[str, ...]
    groups: tuple[tuple[str, tuple[Option, ...]], ...] = ()
    is_multiple: bool = False
    example: str = ""


def keep(current: Mapping[str, Any], resource: dict[str, Any]) -> None:
    """Give a resource that a form sent what the form did not show.

    Not sent as hidden inputs: a field that another extension's form shows would be sent twice.

    Args:
        current: the resource as it is.
        resource: what was sent, which may have another file or link.
    """
    kept = set(listed.sent(resource.pop(KEPT, None))) & current.keys()
    if resource.get("upload") or _file(resource) != _file(current):
        kept -= OF_FILES
    for name in kept:
        resource.setdefault(name, current[name])


def _file(resource: Mapping[str, Any]) -> str:
    """A link, or the name of a file; CKAN shows its address, and the form sends its name."""
    url = str(resource.get("url") or "")
    return url.rpartition("/")[2] if resource.get("url_type") == "upload" else url


def part(field: Field, value: Any, translate: Translate) -> Part:
    """Return what a form shows for a field.

    Args:
        value: as stored, as a client or form sent it, or None.
        translate: English words → the reader's.
    """
    if field.kind == FLAG:
        return Part(CHECKBOX, tuple(filter(listed.is_yes, listed.sent(value))))
    if field.kind == ADDRESSES:
        found = listed.addresses(value, field.vocabulary)
        rows = (*found.urls, *found.others, *[""] * EMPTY_ROWS)
        return Part(ROWS, rows, _suggestions(field), example="https://")
    choices = _CHOICES.get(field.vocabulary)
    if choices and field.kind != ADDRESS:
        values = _chosen(field, value)
        groups = tuple(_groups(choices(translate), values, translate))
        return Part(SELECT, tuple(values), groups, field.kind in (URIS, NAMES))
    example = {ADDRESS: "https://", DATE: "2019-04"}.get(field.kind, "")
    return Part(INPUT, tuple(listed.sent(value)[:1]), _suggestions(field), example=example)


def _chosen(field: Field, value: Any) -> list[str]:
    """Return what is chosen in a select, in the form of its options where that is known."""
    texts = listed.sent(value)
    if field.kind == URIS:
        kind = lga.FUNCTION if field.vocabulary == "functions" else lga.SERVICE
        found = lga.find(texts, kind)
        own, other = found.functions, found.services
        uris = (*own, *other) if kind == lga.FUNCTION else (*other, *own)
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
    """Functions under that at the top, which can be chosen itself."""
    yield from _by_path("functions", lambda path: path[:1])


def _services(_translate: Translate) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Services under their functions."""
    yield from _by_path("services", lambda path: path[:-1])


def _by_path(
    name: str, head: Callable[[tuple[str, ...]], tuple[str, ...]]
) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    groups: dict[str, list[tuple[str, str]]] = {}
    for row in vocabulary.load(name).rows:
        number = row["uri"].rpartition("/")[2]
        label = " › ".join(head(lga.path(row["uri"])))
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
