"""Dataset search: index fields, facets, badges of results, and search by place."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

from ckan import plugins as p
from ckan.lib.search import SearchError, SolrConnectionError
from ckan.plugins import toolkit as tk
from flask import g, has_request_context

from ckanext.ukharvest import config, fields
from ckanext.ukharvest.core.values import (
    frequencies,
    gazetteer,
    local_government_lists,
    organization_types,
    theme_names,
)
from ckanext.ukharvest.core.values.geometries import bbox_polygon, bounds, valid_geojson
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.datasets import model as dataset_model
from ckanext.ukharvest.datasets.facts import PART_OF, find_readable
from ckanext.ukharvest.datasets.model import Listed
from ckanext.ukharvest.fields import ADDRESS, ADDRESSES, DATASET, FLAG, Field
from ckanext.ukharvest.harvest.index import index_values
from ckanext.ukharvest.harvest.index.index_values import IndexValues
from ckanext.ukharvest.harvest.run import runs
from ckanext.ukharvest.lib import slots
from ckanext.ukharvest.lib.actions import context
from ckanext.ukharvest.lib.slots import Facet
from ckanext.ukharvest.lib.texts import gettext
from ckanext.ukharvest.mapping.form_fields import STAND_IN
from ckanext.ukharvest.rendering import values as rendering_values
from ckanext.ukharvest.rendering.values import INDEXED

NAME, BOX = "ext_place", "ext_bbox"
SIDES = {"west": 180, "south": 90, "east": 180, "north": 90}  # side → largest number of degrees
PARAMETERS = (NAME, BOX, "ext_prev_extent", *(f"ext_{side}" for side in SIDES))
DRAWN = "ckanext.spatial.common_map.type"


@dataclass(frozen=True, slots=True)
class Place:
    """A place to search for.

    Attributes:
        name: its name, or what was typed; "" for a box without a name.
        box: west, south, east and north as in ``ext_bbox``; "" for none, or if there is an error.
        error: why it cannot be searched for, "" if it can.
        choices: names of places that may be meant instead.
    """

    name: str = ""
    box: str = ""
    error: str = ""
    choices: tuple[str, ...] = ()


def is_offered() -> bool:
    """Tell whether the portal can search by place: ckanext-spatial does it."""
    return p.plugin_loaded("spatial_query")


def read_place(parameters: Mapping[str, Any]) -> Place:
    """Return the place in a search's parameters."""
    if box := str(parameters.get(BOX) or "").strip():
        return _read_box(box.split(","))
    if name := " ".join(str(parameters.get(NAME) or "").split()):
        return _find(name)
    sides = [str(parameters.get(f"ext_{side}") or "").strip() for side in SIDES]
    return _read_box(sides) if any(sides) else Place()


def _find(name: str) -> Place:
    places = gazetteer.find(name)
    if len(places) == 1:
        return Place(places[0].name, ",".join(f"{side:g}" for side in places[0].box))
    shown = name[: gazetteer.LONGEST]
    if places:
        names = tuple(place.name for place in places)
        return Place(shown, "", gettext("Several places are called {name}.", name=shown), names)
    error = gettext("We know no place called {name}.", name=shown)
    return Place(shown, "", error, tuple(place.name for place in gazetteer.similar(name)))


def _read_box(texts: list[str]) -> Place:
    """Read four numbers of degrees: west, south, east, north."""
    try:
        west, south, east, north = (float(text) for text in texts)
    except ValueError:
        west = south = east = north = math.nan
    # False for NaN, too.
    is_valid = all(
        abs(number) <= largest
        for number, largest in zip((west, south, east, north), SIDES.values(), strict=True)
    )
    if is_valid and west <= east and south <= north:
        # Rounded to about ten metres: a drawn box has a dozen digits.
        rounded = (f"{number:.4f}" for number in (west, south, east, north))
        return Place(box=",".join(number.rstrip("0").rstrip(".") for number in rounded))
    error = tk._("The box in the URL must be four numbers of degrees: west, south, east, north.")
    return Place(error=error)


def apply_place(search_params: dict[str, Any]) -> None:
    """Set the ``ext_bbox`` of ckanext-spatial from a name or four numbers."""
    extras = search_params.get("extras") or {}
    if is_offered() and not extras.get(BOX) and (box := read_place(extras).box):
        search_params["extras"] = {**extras, BOX: box}


def ukharvest_place() -> dict[str, Any] | None:
    """Return the place in the page's URL, None if the portal cannot search by place.

    With the attributes of ``Place``; ``is_drawn``: the portal has a map to draw on;
    ``parameters``: names of the URL's parameters that a search everywhere leaves out.
    """
    if not is_offered():
        return None
    place = read_place(tk.request.args)
    return {
        "name": place.name,
        "box": place.box,
        "error": place.error,
        "choices": place.choices,
        "is_drawn": bool(tk.config.get(DRAWN)),
        "parameters": list(PARAMETERS),
    }


def titles() -> dict[str, str]:
    """Return the portal's facets in its order: index field → title."""
    known = {name: own[0].facet for name, own in fields.FACETS.items()}
    known |= {name: facet.title for name, facet in _other_facets().items()}
    return {INDEXED[name]: tk._(known[name]) for name in config.facets() if name in known}


def _other_facets() -> dict[str, Facet]:
    """Return the facets that are no field of a dataset."""
    return {**_FACETS, **slots.facets()}


def add_facets(facets: dict[str, str], package_type: str | None) -> dict[str, str]:
    """Return a search's facets with ours added; those that the portal lists keep their place.

    Args:
        facets: index field → title, as ``IFacets`` has them.
        package_type: of what is searched; harvest sources have their own facets.
    """
    return facets if package_type == "harvest" else {**facets, **titles()}


def label(results: dict[str, Any], asked: str | list[str]) -> None:
    """Add labels to a search's facet values.

    A filter value without any result is added with a count of 0: pages label the active filters by
    it.

    Args:
        results: as ``after_dataset_search`` has them.
        asked: the filters of the search, such as ``vocab_ukharvest_theme:"Health"``.
    """
    filters = asked if isinstance(asked, str) else " ".join(asked)
    own = titles()
    labels = {name: _label_of(fields_[0]) for name, fields_ in fields.FACETS.items()}
    labels |= {name: facet.label for name, facet in _other_facets().items()}
    for name, label_of in labels.items():
        field = INDEXED[name]
        facet = results.get("search_facets", {}).get(field)
        if facet is None:
            continue
        facet["title"] = own.get(field, facet["title"])
        present = {item["name"] for item in facet["items"]}
        for value in dict.fromkeys(re.findall(rf'(?<![-!])\b{field}:"([^"\\]*)"', filters)):
            if value not in present:
                facet["items"].append({"name": value, "display_name": value, "count": 0})
        for item in facet["items"]:
            item["display_name"] = label_of(item["name"])
    _label_collections(results.get("search_facets", {}).get(INDEXED[PART_OF]))


def _label_collections(facet: dict[str, Any] | None) -> None:
    """Label collections by their titles; those that the user may not read are no values."""
    if not facet or not facet["items"]:
        return
    try:
        # Outside a request nobody is known to have asked.
        own = context() if tk.current_user else {"user": ""}
        readable = find_readable(own, [item["name"] for item in facet["items"]][:MOST])
    except (SearchError, SolrConnectionError):  # the search itself has just worked
        readable = []
    titles = {package["id"]: package["title"] or package["name"] for package in readable}
    facet["items"] = [
        {**item, "display_name": titles[item["name"]]}
        for item in facet["items"]
        if item["name"] in titles
    ]


def facet_items(field: str, search_facets: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a facet's values in the order of its page.

    Most datasets first; stars in descending order, functions below their parents.
    """
    values: list[dict[str, Any]] = tk.h.get_facet_items_dict(field, search_facets)
    if any(facet.is_ranked and field == INDEXED[name] for name, facet in slots.facets().items()):
        return sorted(values, key=lambda item: item["name"], reverse=True)
    return list(_tree(values)) if field == INDEXED["function"] else values


def _tree(values: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    names = {item["name"] for item in values}
    above = {
        name: next(filter(names.__contains__, local_government_lists.parent_functions([name])), "")
        for name in names
    }

    def below(upper: str, depth: int) -> Iterator[dict[str, Any]]:
        for item in values:
            if above[item["name"]] == upper:
                yield {**item, "display_name": "› " * depth + item["display_name"]}
                yield from below(item["name"], depth + 1)

    return below("", 0)


# The label of a facet's value by the list of its field, else by its kind.
_LABELS: dict[str, Callable[[str], str]] = {
    "themes": lambda name: tk._(theme_names.title(name)),
    "functions": rendering_values.lga_label,
    "services": rendering_values.lga_label,
    "frequencies": lambda interval: frequencies.frequency_label(interval, tk._),
    FLAG: lambda _value: tk._("yes"),
}


def _label_of(field: Field) -> Callable[[str], str]:
    own = _LABELS.get(field.vocabulary) or _LABELS.get(field.kind)
    # Of an address, and of any other text, which is its own label.
    return own or partial(rendering_values.listed_label, name=field.vocabulary)


_FACETS = {
    # Labelled together, since each needs a look at the collection.
    PART_OF: Facet(_("Part of"), str),
    "organization_type": Facet(
        _("Type of organisation"), lambda name: tk._(organization_types.label(name))
    ),
}

_FOUND, _KNOWN = "ukharvest_found", "ukharvest_dataset_badges"


def prepare_results(results: dict[str, Any], asked: str | list[str]) -> None:
    """Label a search's facets, and remember the datasets that it found for their badges.

    Args:
        results, asked: as in ``label``.
    """
    label(results, asked)
    if has_request_context():
        datasets = (
            result for result in results.get("results") or () if isinstance(result, Mapping)
        )
        g.setdefault(_FOUND, {}).update(
            (result["id"], None) for result in datasets if "id" in result
        )


def ukharvest_dataset_badges(package: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a list of datasets shows in addition to CKAN's own.

    Returns:
        ``source`` ({"name", "title"}, None if it was not harvested), ``harvested`` (UTC) and
        ``row`` (of ``load_badges``, for slots of features).
    """
    badges = _of(str(package.get("id") or ""))
    if badges is None:
        return {"source": None, "harvested": None, "row": None}
    return {
        "source": {"name": badges.source, "title": badges.title} if badges.source else None,
        "harvested": badges.harvested,
        "row": badges,
    }


def _of(package_id: str) -> Listed | None:
    known: dict[str, Listed | None] = g.setdefault(_KNOWN, {})
    if package_id and package_id not in known:
        ids = {package_id, *g.get(_FOUND, {})} - known.keys()
        known.update(dict.fromkeys(ids))
        known.update(dataset_model.load_badges(ids))
    return known.get(package_id)


MOST = 100  # values of one field
LONGEST = 1000  # characters of one value
# Solr refuses a dataset with an untokenised text of more than 32,766 bytes.
_REFUSED = 32_766
_WIDTH = 0.0001  # degrees, added on each side; Solr's numbers are no finer


def build_index_fields(package: Mapping[str, Any]) -> dict[str, Any]:
    """Return index fields that are added to CKAN's or replace them.

    Args:
        package: as ``before_dataset_index`` has it.
    """
    values = index_values.values_of_dataset(package["id"])
    # The type of the organisation, never an extra of the dataset of the same name.
    key, type_ = organization_types.KEY, organization_types.find(values.organization_type)
    own_type = {key: type_ or None} if type_ or key in package else {}
    if package.get("type") == "harvest":  # a harvest source, which CKAN keeps as a dataset
        return {**_of_source(package), **own_type}
    return {
        # What CKAN indexes twice: ``extras_*`` keeps all words for the search.
        **{
            key: text[:LONGEST]
            for key, text in package.items()
            if f"extras_{key}" in package
            and isinstance(text, str)
            and len(text) * 4 > _REFUSED
            and len(text.encode()) > _REFUSED
        },
        **_counted(package, values),
        **_extent(package, values.area),
        **own_type,
    }


def _of_source(package: Mapping[str, Any]) -> dict[str, str]:
    """Exclude a source's last errors, which ckanext-harvest shows with it, from searches."""
    status = runs.short_status(package["id"])
    own = {"status": json.dumps(status)} if "status" in package else {}
    dicts = {
        key: json.dumps({**json.loads(package[key]), "status": status})
        for key in ("data_dict", "validated_data_dict")
        if package.get(key)
    }
    return own | dicts


def _extent(package: Mapping[str, Any], area: str) -> dict[str, str]:
    """Return the extent for the search by place where the dataset's own does not do.

    A dataset without one is found by its organisation's area. A point or a line gets some metres of
    width: ckanext-spatial's backend solr-bbox compares areas, and finds no place that has none.
    """
    if not package.get("spatial"):
        where = gazetteer.find_one(area) if area and is_offered() else None
        # ckanext-spatial reads the first if there is the second, and indexes neither.
        return dict.fromkeys(("spatial", "extras_spatial"), where.as_geojson()) if where else {}
    try:
        west, south, east, north = bounds(valid_geojson(json.loads(package["spatial"])))
    except (ValueError, TypeError, RecursionError):
        return {}
    if west != east and south != north:
        return {}
    west, east = max(west - _WIDTH, -180.0), min(east + _WIDTH, 180.0)
    south, north = max(south - _WIDTH, -90.0), min(north + _WIDTH, 90.0)
    return {"spatial": json.dumps(bbox_polygon(west, south, east, north))}


def _counted(package: Mapping[str, Any], known: IndexValues) -> dict[str, list[str]]:
    """Return the facet fields.

    Functions include their parents, so that a branch can be chosen.
    """
    local = [
        rendering_values.parse_local_government(_text(package, f"la_{kind}"), kind)
        for kind in (local_government_lists.FUNCTION, local_government_lists.SERVICE)
    ]
    functions = [uri for uris in local for uri in uris.functions]
    services = [uri for uris in local for uri in uris.services]
    values: dict[str, Iterable[str]] = {
        name: chain.from_iterable(_values(package, field) for field in own)
        for name, own in fields.FACETS.items()
    }
    values |= {
        "function": (*functions, *local_government_lists.parent_functions((*functions, *services))),
        "service": services,
        **known.facets,
    }
    few = {rendering_values.INDEXED[facet]: _few(texts) for facet, texts in values.items()}
    return {field: texts for field, texts in few.items() if texts}


def _text(package: Mapping[str, Any], key: str) -> str:
    """Return the text of an extra, or of a schema's own field, which is stored as an extra."""
    value = package.get(f"extras_{STAND_IN}{key}") or package.get(f"extras_{key}")
    return str(rendering_values.truncate(value) or "")


def _few(values: Iterable[str]) -> list[str]:
    """Return the first distinct values; the rest is not read."""
    distinct: dict[str, None] = {}
    for value in values:
        if len(value) <= LONGEST:
            distinct[value] = None
        if len(distinct) == MOST:
            break
    return list(distinct)


def _values(package: Mapping[str, Any], field: Field) -> Iterator[str]:
    """Yield the facet values of a field; those in its list as the list has them."""
    for text in _texts(package, field):
        if field.vocabulary == "themes":
            yield from filter(None, map(theme_names.find, rendering_values.names(text)))
        elif field.kind in (ADDRESS, ADDRESSES):
            for url in filter(is_web_url, rendering_values.addresses(text)):
                entry = vocabulary.row(field.vocabulary, url) if field.vocabulary else None
                yield entry["url"] if entry else url
        elif text:
            yield text


def _texts(package: Mapping[str, Any], field: Field) -> Iterator[str]:
    """Yield what a dataset, or each of its resources, has in a field."""
    if field.of == DATASET:
        yield _text(package, field.key)
        return
    keys = (field.key, *field.aliases)
    whole = str(package.get("data_dict") or "")
    if any(f'"{key}"' in whole for key in keys):
        for resource in json.loads(whole).get("resources", ()):
            yield from (str(resource[key]) for key in keys if resource.get(key))
