"""Changes between two versions of a dataset, field by field, as texts for people.

Both versions are dicts as ``package_show`` gives them. Missing, ``None`` and ``""`` are equal, and
so is what only reads differently: the order of files, the order and case of keywords, blanks, and
the spelling of a date.
"""

from __future__ import annotations

import contextlib
import difflib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from ckanext.ukharvest.core.values.dates import plain_moment

DATASET, RESOURCES = "dataset", "resources"
# Parts of two texts.
SAME, OLD, NEW = "same", "old", "new"

MOST = 100  # changes listed for one update
LONGEST = 400  # characters of a value
_CONTEXT = 60  # characters kept before and after the difference in a long text

# Fields that say nothing about the data: ids, counts, values that CKAN computes.
_OF_PACKAGE = frozenset(
    ("id", "name", "type", "state", "resources", "extras", "metadata_created", "revision_id")
    + ("metadata_modified", "creator_user_id", "isopen", "license_title", "organization")
    + ("num_resources", "num_tags", "relationships_as_object", "relationships_as_subject")
    + ("tracking_summary", "plugin_data", "import_source", "harvest_source_id", "license_url")
    + ("harvest_object_id", "harvest_source_title", "harvest_source_reference", "owner_org")
    + ("spatial_harvester", "harvest")
)
_OF_RESOURCE = frozenset(
    ("id", "package_id", "position", "state", "created", "last_modified", "metadata_modified")
    + ("cache_url", "cache_last_updated", "hash", "datastore_active", "mimetype_inner", "url_type")
    + (
        "resource_type",
        "revision_id",
        "tracking_summary",
        "plugin_data",
        "ckan_url",
        "on_same_domain",
    )
)

# Fields that list keywords, in no order.
_KEYWORDS = frozenset(("tags", "tags_translated", "keyword", "keywords"))

Package = Mapping[str, Any]
Readable = Callable[[str, str], str]


class FieldChange(NamedTuple):
    """One field that differs between the two versions.

    Attributes:
        field: the field's key; RESOURCES if a resource was added ("old" is "") or removed.
        of: DATASET, or the name of the resource that the field belongs to.
        old, new: texts for people, shortened; both "" if only hidden parts of the value differ.
    """

    field: str
    of: str
    old: str
    new: str


def is_changed(before: Package, after: Package) -> bool:
    """Tell whether anything differs; ``after`` may be a dict that is not saved yet."""
    return next(_raw(before, after), None) is not None


def differing_fields(before: Package, after: Package) -> set[str]:
    """Return the names of the fields in which two versions differ; RESOURCES for any of files."""
    names = {key for key, *_texts in _fields(_flat(before), _flat(after), DATASET)}
    files = [{RESOURCES: version.get(RESOURCES)} for version in (before, after)]
    names |= {RESOURCES} if is_changed(*files) else set()
    return names | {key for key in ("name", "owner_org") if before.get(key) != after.get(key)}


def list_changes(before: Package, after: Package, readable: Readable) -> list[FieldChange]:
    """Return the changes, sorted by field key, resources last.

    Args:
        readable: takes a field's key and text, returns the text for people.
    """
    changes = []
    for key, of, old, new in _raw(before, after):
        if key == "license_id":
            old = _licence(before) or old
            new = _licence(after) or new
        words = (readable(key, old), readable(key, new))
        changes.append(
            FieldChange(key, of, *(_windows(*words) if words[0] != words[1] else ("", "")))
        )
    return changes


def _licence(package: Package) -> str:
    return str(package.get("license_title") or "")


def _raw(before: Package, after: Package) -> Iterator[tuple[str, str, str, str]]:
    yield from _fields(_flat(before), _flat(after), DATASET)
    old, new = _resources(before), _resources(after)
    for id_ in [*old, *(one for one in new if one not in old)]:
        if id_ not in new:
            yield RESOURCES, DATASET, _with_address(old[id_]), ""
        elif id_ not in old:
            yield RESOURCES, DATASET, "", _with_address(new[id_])
        else:
            pair = [
                {key: value for key, value in resource.items() if key not in _OF_RESOURCE}
                for resource in (old[id_], new[id_])
            ]
            name = str(new[id_].get("name") or new[id_].get("url") or "")
            yield from _fields(pair[0], pair[1], name[:LONGEST])


def _fields(
    old: Mapping[str, Any], new: Mapping[str, Any], of: str
) -> Iterator[tuple[str, str, str, str]]:
    for key in sorted({*old, *new}):
        pair = _text(old.get(key)), _text(new.get(key))
        if pair[0] != pair[1] and _meaning(key, pair[0]) != _meaning(key, pair[1]):
            yield key, of, *pair


def _meaning(key: str, text: str) -> Any:
    """Return what a field's text says, in one spelling."""
    is_keywords = key in _KEYWORDS
    if text[:1] in ("[", "{"):
        with contextlib.suppress(ValueError, RecursionError):
            return _plain(json.loads(text), is_keywords=is_keywords)
    return _plain(text, is_keywords=is_keywords)


def _plain(value: Any, *, is_keywords: bool) -> Any:
    if isinstance(value, str):
        text = " ".join(value.split())
        return text.casefold() if is_keywords else plain_moment(text)
    if isinstance(value, list):
        items = [_plain(item, is_keywords=is_keywords) for item in value]
        return sorted(items, key=repr) if is_keywords else items
    if isinstance(value, dict):
        return {name: _plain(item, is_keywords=is_keywords) for name, item in value.items()}
    return value


def _flat(package: Package) -> dict[str, Any]:
    """Return a dataset's own fields and its extras; lists of objects as their names."""
    extras = {extra["key"]: extra.get("value") for extra in package.get("extras") or ()}
    flat = {**extras, **package}
    for key in ("tags", "groups"):
        names = (str(one.get("name") or "") for one in package.get(key) or ())
        flat[key] = ", ".join(sorted(names, key=lambda name: (name.casefold(), name)))
    return {key: value for key, value in flat.items() if key not in _OF_PACKAGE}


def _resources(package: Package) -> dict[str, Mapping[str, Any]]:
    many = package.get("resources") or ()
    return {str(resource.get("id") or number): resource for number, resource in enumerate(many)}


def _with_address(resource: Mapping[str, Any]) -> str:
    name, url = (str(resource.get(key) or "") for key in ("name", "url"))
    return f"{name} ({url})" if name and url else name or url


def _text(value: Any) -> str:
    if value is None or value == []:
        return ""
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    return str(value).replace("\r\n", "\n").strip()


def _windows(old: str, new: str) -> tuple[str, str]:
    """Cut long texts to the part that differs."""
    if max(len(old), len(new)) <= LONGEST:
        return old, new
    shortest = min(len(old), len(new))
    start = next((n for n in range(shortest) if old[n] != new[n]), shortest)
    end = next((n for n in range(shortest - start) if old[-1 - n] != new[-1 - n]), shortest - start)
    return _window(old, start, end), _window(new, start, end)


def _window(text: str, start: int, end: int) -> str:
    first = max(0, start - _CONTEXT)
    last = min(len(text), len(text) - end + _CONTEXT)
    cut = text[first:last]
    if len(cut) > LONGEST:
        cut, last = cut[:LONGEST], 0
    return f"{'… ' if first else ''}{cut}{'' if last == len(text) else ' …'}"


_WORDS = re.compile(r"\s+|[^\s]+")


def compare_texts(old: str, new: str) -> list[tuple[str, str]]:
    """Return the parts of both texts as (SAME, OLD or NEW, text).

    Texts with little in common are not mixed: the old text comes first, as a whole.
    """
    if not old or not new:
        return [(kind, text) for kind, text in ((OLD, old), (NEW, new)) if text]
    words = _WORDS.findall(old), _WORDS.findall(new)
    matcher = difflib.SequenceMatcher(None, *words, autojunk=False)
    if matcher.ratio() < 0.4:
        return [(OLD, old), (NEW, new)]
    pieces: list[tuple[str, str]] = []
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        gone, come = "".join(words[0][a1:a2]), "".join(words[1][b1:b2])
        if tag == "equal":
            pieces.append((SAME, gone))
            continue
        pieces += [(kind, text) for kind, text in ((OLD, gone), (NEW, come)) if text]
    return pieces
