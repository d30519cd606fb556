"""Exports of the whole portal, and the packages in them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from ckanext.ukharvest import config
from ckanext.ukharvest.export import files as export_files

ALL = config.EXPORT_FORMATS
FILES = ("data.json.gz", "datasets.jsonl.gz", "catalogue.ttl.gz", "catalogue.nt.gz")


def export(folder: Path, names: tuple[str, ...] = ALL) -> export_files.Manifest:
    return export_files.export_catalogue(folder, names, lambda _done, _total: None)


def text(folder: Path, name: str) -> str:
    return gzip.decompress((folder / name).read_bytes()).decode()


def packages(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text(folder, "datasets.jsonl.gz").splitlines()]
