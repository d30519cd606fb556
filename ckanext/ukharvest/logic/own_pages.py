"""Refuse the URLs of this portal's own pages as sources: it would import its datasets once more."""

from __future__ import annotations

from urllib.parse import urlsplit

import ckan.plugins.toolkit as tk
from ckan.lib import i18n
from flask import current_app, has_app_context
from werkzeug.exceptions import HTTPException, NotFound

from ckanext.ukharvest import config, source_types
from ckanext.ukharvest.core.errors import Blocked
from ckanext.ukharvest.core.http.urls import origin
from ckanext.ukharvest.readers.ckan_api.site import Site
from ckanext.ukharvest.source_types.portals import CKAN

STATIC = "static"  # endpoint of files, and of all paths that CKAN does not know
# What people uploaded may be the list of another catalogue.
_UPLOADED = ("resource.download", "dataset_resource.download", "file.download")
_STANDARD_PORTS = (80, 443)


def refuse(url: str, type_name: str) -> None:
    """Refuse the URL of a page of this portal.

    Files that were uploaded to it, and other services of its server, are sources like any others.

    Args:
        type_name: of the source, "" if it is not known.

    Raises:
        Invalid: it is one.
    """
    path = _own_path(url)
    if path is None:
        return
    endpoint = _endpoint(path)
    if endpoint == STATIC:
        # CKAN's reader looks for a site at the root of the server too.
        is_site = source_types.find(type_name) is CKAN and not Site.parse(url).is_document
    else:
        is_site = endpoint not in _UPLOADED
    if is_site:
        raise tk.Invalid(
            tk._(
                "This URL is this portal itself, which has these datasets already. Enter the URL "
                "of another site."
            )
        )


def _own_path(url: str) -> str | None:
    """Return the path below the portal's root, None if the URL is of another server or folder."""
    try:
        (_scheme, *own), (_other, *other) = origin(config.site_url()), origin(url)
    except Blocked:
        return None
    ports = {own.pop(), other.pop()}
    if own != other or not (len(ports) == 1 or ports.issubset(_STANDARD_PORTS)):
        return None
    root = str(tk.config.get("ckan.root_path") or "").partition("/{{LANG}}")[0].rstrip("/")
    path = urlsplit(url).path
    if root and path != root and not path.startswith(f"{root}/"):
        return None
    path = path[len(root) :] or "/"
    language, _, rest = path[1:].partition("/")
    return f"/{rest}" if language in i18n.get_locales() else path


def _endpoint(path: str) -> str:
    """Return CKAN's endpoint of a path; "" where it redirects, or expects another method."""
    if not has_app_context():  # some commands
        return STATIC
    try:
        endpoint, _values = current_app.url_map.bind("").match(path, method="GET")
    except NotFound:
        return STATIC
    except HTTPException:
        return ""
    return str(endpoint)
