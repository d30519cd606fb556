"""Match harvested resources with a dataset's existing ones, so that they keep their CKAN ids."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from ckanext.ukharvest.core.base_urls import BaseMove
from ckanext.ukharvest.core.records import ResourceRecord

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
        for candidate in free:
            by_value.setdefault(of_old(candidate), []).append(candidate)
        for index, resource in enumerate(new):
            value = of_new(resource)
            if matches[index] is None and value is not None and by_value.get(value):
                matches[index] = by_value[value].pop(0)
        taken = {match["id"] for match in matches if match}
        free = [resource for resource in free if resource["id"] not in taken]
    return matches


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
