"""The plugin ``ukharvest_map_view``: map services and GeoJSON files on a map.

The reader's browser asks the publisher's server itself; nothing goes through this portal. What of
the data reaches the page are attributes and texts that the template escapes; see
``assets/map_view`` for what is made of them.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import ckan.plugins as p
import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core import address, formats
from ckanext.ukharvest.core.errors import Blocked
from ckanext.ukharvest.extent import figure
from ckanext.ukharvest.extent.areas import areas, around

Bounds = list[list[float]]  # [[south, west], [north, east]]

NAME = "ukharvest_map_view"
KINDS = {"WMS": "wms", "GeoJSON": "geojson"}
# ckanext-geoview's views of these formats; where one shows a resource, ours is not needed.
OTHERS = frozenset({"geo_view", "geojson_view"})

MOST_LAYERS = 500
FILTERED_FROM = 20  # layers: as many need a field to find one
MOST_BYTES = 20 * 1024 * 1024  # of a GeoJSON file; more stops a phone

UK: Bounds = [[49.8, -8.7], [60.9, 1.8]]
LEAST = 0.05  # degrees that the map shows at least; a point has no extent of its own

# Parameters of GetCapabilities and GetMap (OGC 06-042, 7.2 and 7.3): the map sets its own.
WMS_PARAMETERS = frozenset(
    {"service", "request", "version", "updatesequence", "layers", "styles", "crs", "srs", "bbox"}
    | {"width", "height", "format", "transparent", "bgcolor", "exceptions"}
)
TILES = "ckanext.spatial.common_map."


class MapViewPlugin(p.SingletonPlugin):
    """Maps of resources; beside the plugin ``ukharvest``, whose templates and assets it uses."""

    p.implements(p.IResourceView, inherit=True)

    def info(self) -> dict[str, Any]:
        return {
            "name": NAME,
            "title": tk._("Map"),
            "default_title": tk._("Map"),
            "icon": "globe",
            "schema": {},
            # In the page itself: a frame would scroll inside the page and hide its height.
            "iframed": False,
        }

    def can_view(self, data_dict: dict[str, Any]) -> bool:
        """True for what the browser can be asked to draw, unless ckanext-geoview does so."""
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
    """Return a resource's address in normal form, "" if it is not http or https."""
    try:
        return address.normal(str(resource.get("url") or ""))
    except Blocked:
        return ""


def view_of(resource: dict[str, Any], package: dict[str, Any]) -> dict[str, Any]:
    """Return what the template draws: url, host, title, layers, settings, sentence.

    Without ``settings``, which are the script's, there is no map, and ``sentence`` says why.
    """
    which, url = kind(resource), web_address(resource)
    view: dict[str, Any] = {"url": url, "host": urlsplit(url).netloc, "layers": [], "settings": {}}
    view["filtered_from"] = FILTERED_FROM
    if not (which and url):
        return {**view, "sentence": tk._("This resource cannot be shown on a map.")}
    settings = {"kind": which, "bounds": bounds(package), **ground()}
    if which == "geojson":
        texts = {**common_texts(), **geojson_texts()}
        return {**view, "settings": {**settings, "url": url, "most": MOST_BYTES, "texts": texts}}
    service = service_of(url, tk.h.ukharvest_link(resource))
    view["title"] = service["title"]
    if not service["layers"]:
        return {**view, "sentence": service["sentence"]}
    texts = {**common_texts(), **wms_texts()}
    # Leaflet would put values in place of words in curly brackets.
    base = service["url"].replace("{", "%7B").replace("}", "%7D")
    settings.update(url=base, version=service["version"], texts=texts)
    return {**view, "layers": service["layers"], "settings": settings}


def service_of(url: str, link: dict[str, Any]) -> dict[str, Any]:
    """Return what is known of a map service: url, version, title, layers, sentence.

    Args:
        url: the resource's address.
        link: what was found there, as ``ukharvest_link_show`` gives it; {} if nobody looked yet.
    """
    own_url, given = without_parameters(url)
    layers = list(link.get("layers") or ())
    named = [name for name in given.get("layers", "").split(",") if name]
    sentence = tk._("The service names no layers that could be shown.")
    if not link:
        sentence = tk._("This portal has not yet looked at which layers the service has.")
    elif link.get("format") != "WMS":
        sentence = tk._("This portal could not read from the service which layers it has.")
    base = web_address({"url": link.get("base_url")}) if layers else ""
    return {
        "url": without_parameters(base)[0] or own_url,
        "version": link.get("version") or given.get("version") or "1.3.0",
        "title": link.get("title") or "",
        "layers": (layers or [{"name": name, "title": ""} for name in named])[:MOST_LAYERS],
        "sentence": sentence,
    }


def without_parameters(url: str) -> tuple[str, dict[str, str]]:
    """Return a service's address without the parameters of WMS, and those, names in lower case."""
    parts = urlsplit(url)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    given = {name.lower(): value for name, value in pairs if name.lower() in WMS_PARAMETERS}
    rest = [(name, value) for name, value in pairs if name.lower() not in WMS_PARAMETERS]
    return urlunsplit(parts._replace(query=urlencode(rest), fragment="")), given


def bounds(package: dict[str, Any]) -> Bounds:
    """Return what the map begins with: the dataset's extent, the UK if it has none."""
    extras = {each["key"]: each["value"] for each in package.get("extras", ())}
    found = areas(str(package.get("spatial") or extras.get("spatial") or ""))
    if not found:
        return UK
    west, south, east, north = around(found)
    if east > 180:  # services know no degrees beyond the date line
        west, east = -180.0, 180.0
    wider, higher = (max(0.0, LEAST - span) / 2 for span in (east - west, north - south))
    return [[south - higher, west - wider], [north + higher, east + wider]]


def ground() -> dict[str, Any]:
    """Return what the map draws below the data: tiles that the portal chose, else our outline.

    Of ckanext-spatial's settings for its maps those of the type "custom" are taken; the attribution
    is markup there too.
    """
    outlines = {
        "uk": tk.h.url_for_static(figure.OUTLINE_UK),
        "world": tk.h.url_for_static(figure.OUTLINE_WORLD),
    }
    # As ckanext-spatial reads them: it declares none, and CKAN warns of each that is asked for.
    chosen = {key: value for key, value in tk.config.items() if key.startswith(TILES)}
    chosen = {key.removeprefix(TILES): value for key, value in chosen.items()}
    url = chosen.get("custom_url") or chosen.get("custom.url")
    if chosen.get("type") != "custom" or not url:
        return {"outlines": outlines}
    options = {key: chosen[key] for key in ("attribution", "subdomains") if chosen.get(key)}
    options.update(maxZoom=18, tms=tk.asbool(chosen.get("tms") or False))
    return {"tiles": {"url": url, "options": options}}


def common_texts() -> dict[str, str]:
    """Return what the script says of any server; the script puts {host} in."""
    return {
        "look": tk._("Open the address"),
        "silent": tk._("{host} does not answer. It may be out of order, or gone for good."),
        "mixed": tk._(
            "This page is read by a secure connection (https) and {host} offers none, so the"
            " browser does not load it here."
        ),
        "forbidden": tk._(
            "This portal's own security policy does not let the browser load anything from {host}."
        ),
    }


def wms_texts() -> dict[str, str]:
    """Return what the script says of a map service."""
    return {
        "loading": tk._("Asking {host} for the picture …"),
        "shown": tk._("The picture is drawn by {host}."),
        "none": tk._("No layer is ticked."),
        "slow": tk._("{host} has sent nothing for 20 seconds; it may be busy."),
        "some": tk._("{missing} of {all} parts of the picture did not come from {host}."),
        "exception": tk._("{host} sent no picture. It says: {words}"),
        "picture": tk._(
            "{host} answers, but sends no picture. It may no longer have a layer that is ticked."
        ),
    }


def geojson_texts() -> dict[str, str]:
    """Return what the script says of a GeoJSON file."""
    return {
        "loading": tk._("Loading the file from {host} …"),
        "shown": tk._("Features in the file: {count}"),
        "table": tk._("Properties of the first 100 features"),
        "no_properties": tk._("This feature has no properties."),
        "large": tk._("The file is larger than 20 MB, too large to be shown here."),
        "status": tk._("{host} does not give the file out: it answers with error {status}."),
        "broken": tk._("The connection to {host} broke off before the file was complete."),
        "refused": tk._(
            "{host} answers, but does not allow other sites to show its files, so the browser"
            " may not draw this one."
        ),
        "not_json": tk._("What {host} sends is not JSON."),
        "not_geojson": tk._("What {host} sends is JSON, but not GeoJSON."),
        "crs": tk._("The file's coordinates are not longitude and latitude but {crs}."),
        "not_degrees": tk._("The file's coordinates are not longitude and latitude in degrees."),
        "empty": tk._("The file holds no feature that lies anywhere."),
    }
