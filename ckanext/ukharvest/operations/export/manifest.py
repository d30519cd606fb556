"""The manifest: what the export holds, beside its files and under their route."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

from ckanext.ukharvest.operations.export.files import write_atomically

log = logging.getLogger(__name__)

NAME = "manifest.json"
ROUTE = "/catalogue/export"


# ``catalogue`` (the portal's URL), ``date`` (ISO 8601, UTC), ``datasets`` (their number),
# ``left_out`` (public datasets that could not be exported; the log says why), ``without_contact``
# (exported ones for which nobody can be asked), ``unavailable`` (formats of the settings that need
# ckanext-dcat, which is not installed) and ``files``: dicts with ``name`` (ends in .gz), ``title``,
# ``format``, ``media_type``, ``url``, ``datasets``, ``date``, and ``bytes`` and ``sha256`` of the
# compressed file.
Manifest = dict[str, Any]


def load(folder: Path | None) -> Manifest | None:
    """Return the manifest of the last export, None if there is none that can be read."""
    if folder is None:
        return None
    try:
        stored: Any = json.loads((folder / NAME).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        log.exception("The manifest of the export could not be read: %s", folder / NAME)
        return None
    is_whole = isinstance(stored, dict) and isinstance(stored.get("files"), list)
    return stored if is_whole else None


def save(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest.

    Raises:
        ExportError: the disk is full, or refuses.
    """
    text = json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"
    write_atomically(folder / NAME, text.encode("utf-8"))
