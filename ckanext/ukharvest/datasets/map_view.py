"""The plugin ``ukharvest_map_view``: map services and GeoJSON files on a map.

The user's browser requests the publisher's server directly, nothing goes through this portal. The
data reaches the page only as attributes and texts that the template escapes; the script is in
``assets/map_view``.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from ckan import plugins as p
from ckan.plugins import toolkit as tk

from ckanext.ukharvest import config
from ckanext.ukharvest.core.errors import Blocked
from ckanext.ukharvest.core.http import urls
from ckanext.ukharvest.core.values import formats
from ckanext.ukharvest.datasets.provenance import fact
from ckanext.ukharvest.harvest.records import links as link_results
from ckanext.ukharvest.rendering import extent_map
from ckanext.ukharvest.rendering.extent import areas, around

Bounds = list[list[float]]  # [[south, west], [north, east]]

NAME = "ukharvest_map_view"
KINDS = {"WMS": "wms", "GeoJSON": "geojson"}
# ckanext-geoview's views of these formats; if one can show a resource, ours is not offered.
OTHERS = frozenset({"geo_view", "geojson_view"})

MOST_LAYERS = 500
FILTERED_FROM = 20  # layers; with so many the list gets a search field
MOST_BYTES = 20 * 1024 * 1024  # of a GeoJSON file; phones cannot show more

UK: Bounds = [[49.8, -8.7], [60.9, 1.8]]
LEAST = 0.05  # smallest width and height of the map in degrees, for points

# Parameters of GetCapabilities and GetMap (OGC 06-042, 7.2 and 7.3): the map sets its own.
WMS_PARAMETERS = frozenset(
    {"service", "request", "version", "updatesequence", "layers", "styles", "crs", "srs", "bbox"}
    | {"width", "height", "format", "transparent", "bgcolor", "exceptions"}
)
TILES = "ckanext.spatial.common_map."


class MapViewPlugin(p.SingletonPlugin):
    """Maps of resources; needs the plugin ``ukharvest`` for its templates and assets."""

    p.implements(p.IResourceView, inherit=True)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        config.check_order()

    def info(self) -> dict[str, Any]:
        return {
            "name": NAME,
            "title": tk._("Map"),
            "default_title": tk._("Map"),
            "icon": "globe",
            "schema": {},
            # Not in an iframe, which would scroll inside the page.
            "iframed": False,
        }

    def can_view(self, data_dict: dict[str, Any]) -> bool:
        """Tell whether the browser can draw the resource and no view of ckanext-geoview does."""
        resource = data_dict["resource"]
        if not (kind(resource) and web_address(resource)):
            return False
        others = (view for view in p.PluginImplementations(p.IResourceView) if view is not self)
        return not any(
            view.info().get("name") in OTHERS and view.can_view(data_dict) for view in others
        )

    def setup_template_variables(self, context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
        return {"map": view_of(data_dict["resource"], data_dict["package"])}

    def view_template(self, context: Any, data_dict: dict[str, Any]) -> str:
        return "ukharvest/map_view.html"

    def form_template(self, context: Any, data_dict: dict[str, Any]) -> str:
        return ""


def kind(resource: dict[str, Any]) -> str:
    """Return "wms" or "geojson", "" for a resource of another format."""
    return KINDS.get(formats.label(str(resource.get("format") or "")), "")


def web_address(resource: dict[str, Any]) -> str:
    """Return a resource's URL in normal form, "" if it is not http or https."""
    try:
        return urls.normalise(str(resource.get("url") or ""))
    except Blocked:
        return ""


def view_of(resource: dict[str, Any], package: dict[str, Any]) -> dict[str, Any]:
    """Return the template's variables: url, title, layers, settings, sentence.

    ``settings`` are for the script; if they are empty there is no map, and ``sentence`` says why.
    """
    which, url = kind(resource), web_address(resource)
    view: dict[str, Any] = {"url": url, "layers": [], "settings": {}}
    view["filtered_from"] = FILTERED_FROM
    view["sentence"] = tk._("This resource cannot be shown on a map.")
    settings = {"kind": which, "texts": texts_of(which), "bounds": bounds(package), **background()}
    if which == "geojson" and url:
        view["settings"] = {**settings, "url": url, "most": MOST_BYTES, **ground(package)}
    elif which == "wms" and url:
        own = str(resource.get("url") or "")
        link = link_results.find_links([own]).get(own, {})
        service = service_of(url, link)
        view |= {"title": service["title"], "layers": service["layers"]}
        if service["layers"]:
            # Leaflet would replace words in curly brackets by values.
            base = service["url"].replace("{", "%7B").replace("}", "%7D")
            view["settings"] = {**settings, "url": base, "version": service["version"]}
        elif not link:
            view["sentence"] = tk._("This portal has not read the service's list of layers yet.")
    return view


def service_of(url: str, link: dict[str, Any]) -> dict[str, Any]:
    """Return what is known about a map service: url, version, title, layers.

    Args:
        url: the resource's URL.
        link: its link check, as ``links.describe_link`` has it; {} if it was never checked.
    """
    own_url, parameters = without_parameters(url)
    layers = list(link.get("layers") or ())
    named = [name for name in parameters.get("layers", "").split(",") if name]
    base = web_address({"url": link.get("base_url")}) if layers else ""
    return {
        "url": without_parameters(base)[0] or own_url,
        "version": link.get("version") or parameters.get("version") or "1.3.0",
        "title": link.get("title") or "",
        "layers": (layers or [{"name": name, "title": ""} for name in named])[:MOST_LAYERS],
    }


def without_parameters(url: str) -> tuple[str, dict[str, str]]:
    """Return a service's URL without WMS parameters, and these parameters by lower-case name."""
    parts = urlsplit(url)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    values = {name.lower(): value for name, value in pairs if name.lower() in WMS_PARAMETERS}
    rest = [(name, value) for name, value in pairs if name.lower() not in WMS_PARAMETERS]
    return urlunsplit(parts._replace(query=urlencode(rest), fragment="")), values


def bounds(package: dict[str, Any]) -> Bounds:
    """Return the first bounds of the map: the dataset's extent, the UK if it has none."""
    extent = areas(fact(package, "spatial"))
    if not extent:
        return UK
    west, south, east, north = around(extent)
    if east > 180:  # services do not accept longitudes beyond 180°
        west, east = -180.0, 180.0
    wider, higher = (max(0.0, LEAST - span) / 2 for span in (east - west, north - south))
    return [[south - higher, west - wider], [north + higher, east + wider]]


def ground(package: dict[str, Any]) -> dict[str, Any]:
    """Return what the map of the dataset's page has on its outline: the boxes, and names."""
    boxes = [area.box for area in areas(fact(package, "spatial")) if not area.is_world]
    return {
        "boxes": [[[south, west], [north, east]] for west, south, east, north in boxes],
        "places": extent_map.PLACES,
    }


def background() -> dict[str, Any]:
    """Return the map's background: the portal's tiles, else our outlines.

    Uses ckanext-spatial's map settings if they are of type "custom"; the attribution is markup, as
    there.
    """
    outlines = {
        "uk": tk.h.url_for_static(extent_map.OUTLINE_UK),
        "world": tk.h.url_for_static(extent_map.OUTLINE_WORLD),
    }
    # Read by prefix: ckanext-spatial declares none, and CKAN warns if an undeclared one is read.
    chosen = {key: value for key, value in tk.config.items() if key.startswith(TILES)}
    chosen = {key.removeprefix(TILES): value for key, value in chosen.items()}
    url = chosen.get("custom_url") or chosen.get("custom.url")
    if chosen.get("type") != "custom" or not url:
        return {"outlines": outlines}
    options = {key: chosen[key] for key in ("attribution", "subdomains") if chosen.get(key)}
    options.update(maxZoom=18, tms=tk.asbool(chosen.get("tms") or False))
    return {"tiles": {"url": url, "options": options}}


def texts_of(which: str) -> dict[str, str]:
    """Return the script's texts; it replaces {host}, and appends what a server says."""
    own = {
        "wms": {
            "look": tk._("Open service"),
            "shown": tk._("The picture is drawn by {host}."),
        },
        "geojson": {
            "look": tk._("Go to file"),
            "shown": tk._("Features in the file: {count}"),
            "table": tk._("Properties of the first 100 features"),
            "large": tk._("The file is larger than 20 MB, which is too large to show here."),
            "not_geojson": tk._("{host} returned something that is not GeoJSON."),
            "not_degrees": tk._(
                "The file's coordinates are not longitude and latitude in degrees."
            ),
            "empty": tk._("The file has no feature with a location."),
        },
    }
    return {
        "silent": tk._("No answer from {host}. The server may be down or no longer exist."),
        "forbidden": tk._("The browser may not load this from {host}."),
        "loading": tk._("Loading from {host} …"),
        "refused": tk._("{host} did not send what this page asked for."),
        **own.get(which, {}),
    }
