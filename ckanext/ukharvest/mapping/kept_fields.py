"""Keep what people own of a dataset when its record is imported again (decision 0010).

A field that the source supplies now, or supplied at its last import, is the source's. Any other is
a person's, or another extension's, and stays. ``SuppliedFields`` says which are the source's.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from ckanext.ukharvest.core.base_urls import BaseMove
from ckanext.ukharvest.core.records import HARVEST_EXTRAS, OF_RESOURCE, ResourceRecord, extra_values
from ckanext.ukharvest.core.values.text import clean_text

# Query parameters that publishers change without changing the file: DataShare's version,
# cache busters, session tokens. Ignored when resources are matched.
VOLATILE_PARAMETERS = {"version", "v", "ver", "t", "ts", "timestamp", "_", "cachebuster", "sid"}


def match_resources(
    new: Sequence[ResourceRecord], old: list[dict[str, Any]], keys: Mapping[str, str]
) -> list[dict[str, Any] | None]:
    """Return for each new resource the existing one that matches it, or None.

    Evidence is a pair of functions whose values for a new and an existing resource are compared;
    None means that the resource has no such evidence. The strongest evidence comes first.

    Args:
        old: resources of the dataset, as package_show has them.
        keys: id → ``match_key`` of the last import.
    """
    evidence: tuple[
        tuple[Callable[[ResourceRecord], Any], Callable[[dict[str, Any]], Any]], ...
    ] = (
        (lambda n: match_key(n) if n.id else None, lambda o: keys.get(o["id"])),
        # ckanext-harvest's CKAN harvester creates resources with their remote ids.
        (lambda n: n.id or None, lambda o: o["id"]),
        (lambda n: (n.url, n.name), lambda o: (o.get("url"), o.get("name") or "")),
        (
            lambda n: (_stable(n.url), n.name),
            lambda o: (_stable(o.get("url")), o.get("name") or ""),
        ),
        (lambda n: _stable(n.url), lambda o: _stable(o.get("url"))),
        # A person changed its URL and name; the last import stored the original ones.
        (match_key, lambda o: keys.get(o["id"])),
    )
    matches: list[dict[str, Any] | None] = [None] * len(new)
    free = list(old)
    for of_new, of_old in evidence:
        by_value: dict[Any, list[dict[str, Any]]] = {}
        for one in free:
            by_value.setdefault(of_old(one), []).append(one)
        for index, resource in enumerate(new):
            value = of_new(resource)
            if matches[index] is None and value is not None and by_value.get(value):
                matches[index] = by_value[value].pop(0)
        taken = {one["id"] for one in matches if one}
        free = [one for one in free if one["id"] not in taken]
    if free and None in matches:
        _match_moved(new, old, matches, {one["id"] for one in free})
    return matches


def _match_moved(
    new: Sequence[ResourceRecord],
    old: Sequence[dict[str, Any]],
    matches: list[dict[str, Any] | None],
    free: Collection[str],
) -> None:
    """Add the matches of files that moved to another path or host.

    They have the same title and format, or without a title the same file name and format, and no
    other file of either version of the dataset has. A file whose source states no format may have
    had any, which was found at its old link.

    Args:
        free: ids of the existing resources that match none yet.
    """
    for has_format in (True, False):
        after = [_description(one.name, one.url, one.format if has_format else "") for one in new]
        before = [
            _description(one.get("name"), one.get("url"), one.get("format") if has_format else "")
            for one in old
        ]
        times_after, times_before = Counter(after), Counter(before)
        found = dict(zip(before, old, strict=True))
        for index, value in enumerate(after):
            is_open = matches[index] is None and (has_format or not new[index].format)
            if is_open and value and times_after[value] == times_before[value] == 1:
                matches[index] = found[value] if found[value]["id"] in free else None


def _description(
    name: str | None, url: str | None, format_: str | None
) -> tuple[str, str] | tuple[()]:
    """Return what tells a file without its address; () if nothing does."""
    title = clean_text(name or "").casefold()
    if not title:
        file = _stable(url).rpartition("/")[2]
        title = f"/{file}" if "." in file.partition("?")[0] else ""
    return (title, (format_ or "").casefold()) if title else ()


def match_key(resource: ResourceRecord) -> str:
    """Return a resource's stored key, which still matches when its URL and name were edited."""
    return key_of(resource.id, resource.url)


def key_of(id_: str, url: str) -> str:
    """Return the match key of a resource with this id in its source, "" for none, and this URL."""
    return f"id:{id_}" if id_ else f"url:{_stable(url)}"


def move_key(move: BaseMove, key: str) -> str:
    """Return the match key of a resource whose base URL was replaced; "" if it has another."""
    sort, colon, url = key.partition(":")
    moved = move.apply(url)
    return f"{sort}{colon}{moved}" if moved else ""


def _stable(url: str | None) -> str:
    """Return the URL without its volatile query parameters and fragment."""
    try:
        parts = urlsplit(url or "")
    except ValueError:
        return url or ""
    query = [
        pair
        for pair in parse_qsl(parts.query, keep_blank_values=True)
        if pair[0].casefold() not in VOLATILE_PARAMETERS
    ]
    return urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(query), ""))


# Set by people, not by sources: an update does not change them.
KEPT_FIELDS = ("id", "name", "private", "type")
# Chosen by themes, which knows what a person chose.
_THEMES = ("theme-primary", "theme-secondary")
# Not fields of a form, or decided elsewhere. ckanext-harvest shows the last three, and a form that
# is saved stores them.
_NO_FIELDS = frozenset(
    (*KEPT_FIELDS, *_THEMES, *HARVEST_EXTRAS, "owner_org", "state", "groups", "resources")
    + ("extras", "relationships_as_object", "relationships_as_subject", "plugin_data")
    + ("creator_user_id", "metadata_created", "metadata_modified")
    + ("harvest_object_id", "harvest_source_id", "harvest_source_title")
)
# One fact in several fields: a person's licence does not stay beside another one of the source.
_LICENCE = frozenset(("license_id", "license_url", "licence"))

# Set by CKAN, or facts about the file that CKAN keeps by itself.
_NO_RESOURCE_FIELDS = frozenset(
    ("id", "package_id", "position", "state", "created", "last_modified", "metadata_modified")
    + ("url", "url_type", "hash", "size", "cache_url", "cache_last_updated", "revision_id")
    + ("ckan_url", "on_same_domain", "tracking_summary", "plugin_data")
)
# Facts that another file makes untrue.
_OF_FILE = frozenset(("format", "mimetype", "mimetype_inner"))
# Columns of CKAN's that keep their value unless they are sent.
_STICKY = ("name", "format", "size")
# Values of resources that are copied as they are; others are computed for each answer.
_PLAIN = (str, int, float)


@dataclass(frozen=True, slots=True)
class SuppliedFields:
    """Names of the fields that one import got from its source, its options and plugins.

    Attributes:
        dataset: CKAN's fields, fields of the dataset type and extras.
        groups: names of groups.
        resources: names of fields of each resource that the source gave, in their order.
    """

    dataset: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    resources: tuple[tuple[str, ...], ...] = ()

    def as_stored(self, resource_ids: Iterable[str]) -> dict[str, Any]:
        """Return the value of ``Record.supplied_fields``.

        Args:
            resource_ids: CKAN's ids of the resources, in their order.
        """
        return {
            "dataset": list(self.dataset),
            "groups": list(self.groups),
            "resources": {
                id_: list(names) for id_, names in zip(resource_ids, self.resources, strict=False)
            },
        }


class AddedValues(list[Any]):
    """Values that a hook adds to those that a dataset has in a field, instead of replacing them."""


def add_to_existing(package: dict[str, Any], existing: Mapping[str, Any] | None) -> None:
    """Replace each ``AddedValues`` of a package dict by the dataset's values and those, each once.

    Args:
        existing: the dataset as package_show returns it, None for a new one.
    """
    before = dict(_extras(existing or {})) | {**(existing or {})}
    for key, value in package.items():
        if isinstance(value, AddedValues):
            package[key] = _joined(before.get(key), value)
    for extra in package["extras"]:
        if isinstance(extra["value"], AddedValues):
            joined = _joined(before.get(extra["key"]), extra["value"])
            extra["value"] = json.dumps(joined, ensure_ascii=False)


def _joined(old: Any, added: AddedValues) -> list[Any]:
    if isinstance(old, str) and old:
        try:
            old = json.loads(old)
        except ValueError:
            old = [old]
    values = list(old) if isinstance(old, (list, tuple)) else []
    present = {_identity(value) for value in values}
    return values + [value for value in added if _identity(value) not in present]


def _identity(value: Any) -> str:
    return str(value.get("name") or value) if isinstance(value, Mapping) else str(value)


def list_supplied(
    package: Mapping[str, Any],
    existing: Mapping[str, Any] | None,
    not_overwrite: Collection[str],
    found_formats: Mapping[str, str],
) -> SuppliedFields:
    """Return the names of a package dict's fields that have a value.

    Args:
        package: what the source supplies, before anything is kept.
        existing: the dataset as package_show returns it, None for a new one.
        not_overwrite: fields that the source does not change: those with a value in ``existing``
            are left out.
        found_formats: URL → format found at the link: such a format is not the source's.
    """
    stays = {key for key, _value in _values(existing or {})} & _with_translations(not_overwrite)
    fields = {key for key, _value in _values(package)} - _NO_FIELDS - stays
    groups = () if "groups" in stays else package.get("groups", ())
    return SuppliedFields(
        dataset=tuple(sorted(fields)),
        groups=tuple(sorted({str(group["name"]) for group in groups})),
        resources=tuple(
            tuple(sorted(_resource_fields(resource, found_formats)))
            for resource in package["resources"]
        ),
    )


def _resource_fields(
    resource: Mapping[str, Any], found_formats: Mapping[str, str]
) -> Iterator[str]:
    for key, value in resource.items():
        is_found = key == "format" and value == found_formats.get(resource.get("url", ""))
        if key != "id" and _is_given(value) and not is_found:
            yield key


def keep_fields(
    package: dict[str, Any],
    existing: Mapping[str, Any],
    before: Mapping[str, Any] | None,
    schema: Collection[str],
    not_overwrite: Collection[str],
) -> None:
    """Add to a package dict what people own of the dataset.

    Args:
        package: what the source supplies; changed in place.
        existing: the dataset as package_show returns it.
        before: ``Record.supplied_fields`` of the last import; None: nothing is removed.
        schema: names of the dataset type's own fields.
        not_overwrite: dataset fields and extras that are not changed once set.
    """
    stays = _with_translations(not_overwrite) - {"extras", "resources"}
    gone = set(before["dataset"]) if before else set()
    taken = _NO_FIELDS | gone | {key for key, _value in _values(package)}
    if _LICENCE & taken - gone:
        taken |= _LICENCE
    for key, value in existing.items():
        # Others than these are computed for each answer.
        is_field = key in package or key in schema
        if _is_given(value) and (key in stays or (is_field and key not in taken)):
            package[key] = value
    for key in KEPT_FIELDS:
        if key in existing:
            package[key] = existing[key]
    extras = extra_values(package)
    for key, value in _extras(existing):
        if key in stays:
            extras[key] = value
        elif key not in taken and key not in package:
            # The dataset type may have got a field of that name meanwhile.
            (package if key in schema else extras)[key] = value
    package["extras"] = [{"key": key, "value": extras[key]} for key in sorted(extras)]
    _keep_groups(package, existing, set(before["groups"]) if before else set())


def _keep_groups(package: dict[str, Any], existing: Mapping[str, Any], gone: set[str]) -> None:
    """Keep the groups that the dataset is in, without those that the source has taken back."""
    supplied = package.get("groups", [])
    names = {group["name"] for group in supplied}
    groups = [
        group
        for group in existing.get("groups", ())
        if group.get("name") not in gone or group.get("name") in names
    ]
    present = {group.get("name") for group in groups}
    groups += [group for group in supplied if group["name"] not in present]
    if groups or "groups" in existing:
        package["groups"] = groups


def keep_resource_fields(
    resource: dict[str, Any],
    existing: Mapping[str, Any],
    gone: Collection[str],
    schema: Collection[str],
) -> None:
    """Add to a resource of a package dict what people own of it.

    Args:
        resource: what the source supplies; changed in place.
        existing: the same resource as package_show returns it.
        gone: the fields that the source supplied at the last import.
        schema: names of the dataset type's own fields of resources.
    """
    is_same_file = _stable(resource.get("url")) == _stable(existing.get("url"))
    for key, value in existing.items():
        if key in _NO_RESOURCE_FIELDS or key in gone or not _is_given(value):
            continue
        # DataStore shows the flag False with each resource that is not stored there.
        is_plain = isinstance(value, _PLAIN) and value is not False
        is_known = is_plain or key in schema or key in OF_RESOURCE
        if is_known and not _is_given(resource.get(key)) and (is_same_file or key not in _OF_FILE):
            resource[key] = value
    for key in _STICKY:
        is_of_another = key in _OF_FILE and not is_same_file and _is_given(existing.get(key))
        if (key in gone or is_of_another) and not _is_given(resource.get(key)):
            resource[key] = ""


def _values(package: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield key and value of a dataset's fields and extras that have one."""
    for key, value in package.items():
        if key != "extras" and _is_given(value):
            yield key, value
    yield from _extras(package)


def _extras(package: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for extra in package.get("extras", ()):
        if _is_given(extra["value"]):
            yield extra["key"], extra["value"]


def _with_translations(not_overwrite: Collection[str]) -> set[str]:
    """Return the names of fields, and of their translations: a title that stays keeps its own."""
    return {*not_overwrite, *(f"{key}_translated" for key in not_overwrite)}


def _is_given(value: Any) -> bool:
    return value not in ("", None, [], {}, ())
