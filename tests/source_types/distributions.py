"""Distributions of others with a source type, made in a folder as pip installs them."""

from __future__ import annotations

import importlib
from pathlib import Path

# What a distribution's module declares; {more} are further arguments of SourceType.
MODULE = """
from ckanext.ukharvest.parsers.data_json import parser
from ckanext.ukharvest.source_type_api import JsonDocument, Option, Shape, SourceType

def boom(head):
    raise ValueError("boom")

KIND = SourceType(**{{
    "name": {name!r},
    "title": "Fords",
    "description": "Fords of a list",
    "reader": JsonDocument(Shape(keys=("fords",)), guid=parser.identifier),
    "parser": parser,
    "interface": 2,
    {more}
}})
"""

PLUGIN = """
from ckanext.ukharvest.source_type_api import plugin_class

Harvester = plugin_class({name!r})
"""


def install(
    folder: Path,
    distribution: str,
    *,
    name: str = "fords",
    entry: str = "",
    more: str = "",
    code: str = "",
    value: str = "",
    plugin: bool = False,
) -> None:
    """Write a distribution that declares one source type.

    Args:
        name: of the type; ``entry`` is its entry point's, if another.
        more: further arguments of SourceType, as items of a dict.
        code: the module's text instead of MODULE.
        value: the entry point's object, if another than the module's KIND.
        plugin: also declare the type's plugin.
    """
    module = distribution.replace("-", "_")
    (folder / f"{module}.py").write_text(code or MODULE.format(name=name, more=more))
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    points = f"[ukharvest.source_types]\n{entry or name} = {value or module + ':KIND'}\n"
    if plugin:
        (folder / f"{module}_plugin.py").write_text(PLUGIN.format(name=entry or name))
        points += f"[ckan.plugins]\nukharvest_{name} = {module}_plugin:Harvester\n"
    (info / "entry_points.txt").write_text(points)
    # Python remembers a folder's distributions by the folder's time, whose clock may not have
    # moved on since it was last looked at.
    importlib.invalidate_caches()
