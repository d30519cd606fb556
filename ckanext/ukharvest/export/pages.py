"""The files of the exported catalogue, and their manifest; ``files.py`` makes them.

Served by CKAN itself, so that the links work without a line in the web server's settings.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import IO

from ckan.plugins import toolkit as tk
from flask import Blueprint, Response
from werkzeug.wsgi import wrap_file

from ckanext.ukharvest import config
from ckanext.ukharvest.export import files as export_files
from ckanext.ukharvest.lib.slots import Slot

export = Blueprint("ukharvest_export", __name__)

_PIECE = 1 << 16


@export.route(f"{export_files.ROUTE}/<name>")
def file(name: str) -> Response:
    """Send a file: "data.json.gz" as it is, "data.json" as JSON, compressed if the client can.

    404 for any name that is not in the manifest.
    """
    folder = config.export_folder()
    catalogue = export_files.load_manifest(folder)
    if folder is None or catalogue is None:
        return tk.abort(404)  # type: ignore[no-any-return]
    if name == export_files.NAME:
        return _send(folder / name, "application/json")
    for entry in catalogue["files"]:
        path = folder / entry["name"]
        if name == entry["name"]:
            return _send(path, "application/gzip")
        if f"{name}.gz" == entry["name"]:
            response = _send_unpacked(path, entry["media_type"])
            response.headers["Vary"] = "Accept-Encoding"
            return response
    return tk.abort(404)  # type: ignore[no-any-return]


def _send_unpacked(path: Path, media_type: str) -> Response:
    if tk.request.accept_encodings["gzip"] > 0:
        response = _send(path, media_type, mark="packed")
        if response.status_code != 304:
            response.headers["Content-Encoding"] = "gzip"
        return response
    body = _open(path)
    response = Response(_unpack(body), content_type=_with_charset(media_type))
    response.call_on_close(body.close)
    _date(response, os.fstat(body.fileno()), "unpacked")
    response.make_conditional(tk.request.environ)
    return response


def _send(path: Path, media_type: str, mark: str = "") -> Response:
    """Send the bytes of a file, or the part that a broken download still lacks."""
    body = _open(path)
    facts = os.fstat(body.fileno())
    response = Response(
        wrap_file(tk.request.environ, body, _PIECE),
        content_type=_with_charset(media_type),
        direct_passthrough=True,
    )
    response.content_length = facts.st_size
    _date(response, facts, mark)
    size = facts.st_size
    response.make_conditional(tk.request.environ, accept_ranges=True, complete_length=size)
    return response


def _open(path: Path) -> IO[bytes]:
    try:
        return path.open("rb")
    except FileNotFoundError:
        return tk.abort(404)  # type: ignore[no-any-return]


def _date(response: Response, facts: os.stat_result, mark: str) -> None:
    """Set what clients ask with, from the opened file: another may take its place meanwhile."""
    response.set_etag(f"{facts.st_mtime_ns:x}-{facts.st_size:x}{mark and '-'}{mark}")
    response.last_modified = datetime.fromtimestamp(facts.st_mtime, timezone.utc)


def _with_charset(media_type: str) -> str:
    return f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type


def _unpack(body: IO[bytes]) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=body) as unpacked:
        while piece := unpacked.read(_PIECE):
            yield piece


SLOTS = (
    Slot(
        "search_results",
        "ukharvest/snippets/export.html",
        lambda: export_files.load_manifest(config.export_folder()),
    ),
)
