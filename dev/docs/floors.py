"""docs/pictures/floors.svg: the floors of tests/test_layers.py, drawn from the ground up."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from html import escape
from pathlib import Path

from . import codes

PATH = codes.ROOT / "docs" / "pictures" / "floors.svg"
_LAYERS = codes.ROOT / "tests" / "test_layers.py"

# The first entry of each floor → what lives there.
_CONTENTS = {
    "core": "records, options, problems, fingerprint; HTTP, XML, values, lists of values",
    "readers": "protocols and paging | formats and their meaning; neither imports the other",
    "source_types": "the registry of source types; options of other harvesters",
    "mapping": "a record as a package dict; fields of ckanext-dcat's profiles",
    "reading": "read a source without saving: previews, dry runs",
    "schema_check": "data against their schema: CSV, JSON, GeoJSON, XML",
    "check_command": "ukharvest check, for publishers",
    "testing": "the contract of source types, for tests",
    "fields": "the UK fields; values, extents and records as people read them",
    "interfaces": "plugin interfaces, CKAN versions, settings, dataset schema",
    "model": "tables and their queries; database migrations",
    "quality": "stars, themes, link checks",
    "presentation.messages": "texts of pages, mails and commands",
    "engine": "gather, fetch and import stages, the one writer of datasets",
    "operations": "sweeper, doctor, mails, dashboard, prune",
    "search": "facets, index fields, search by place",
    "logic": "actions, rights, validators",
    "web": "pages and the map view",
    "helpers": "template helpers and routes",
    "cli": "commands of ckan ukharvest",
    "harvesters": "the plugins, one for each source type",
    "testing.portal": "the contract of source types on a portal, for tests",
    "patches": "repairs of faults in released CKAN and ckanext-harvest",
    "plugin": "the plugins ukharvest and ukharvest_form",
}
WIDTH, ROW, LEFT, TOP = 960, 34, 384, 44
_FONT = 'font-family="system-ui, sans-serif" font-size="14"'
_MONO = 'font-family="ui-monospace, monospace" font-size="13"'


def picture() -> str:
    """Return the picture as SVG; a floor without a description is an error."""
    floors, ckan_from = read_floors()
    return "\n".join([*_svg(floors, ckan_from), ""])


def read_floors() -> tuple[list[tuple[str, ...]], int]:
    """Return the floors, without the package itself, and the number of the first with CKAN."""
    tree = ast.parse(_LAYERS.read_text(encoding="utf-8"))
    values = {
        ast.unparse(node.target if isinstance(node, ast.AnnAssign) else node.targets[0]): node.value
        for node in tree.body
        if isinstance(node, ast.AnnAssign | ast.Assign) and node.value
    }
    floors = [floor for floor in ast.literal_eval(values["FLOORS"]) if floor != ("",)]
    line = values["CKAN_FROM"]
    assert isinstance(line, ast.Call)
    return floors, floors.index(ast.literal_eval(line.args[0]))


def _svg(floors: list[tuple[str, ...]], ckan_from: int) -> Iterator[str]:
    height = TOP + ROW * (len(floors) + 1) + 14
    size = f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title">'
    yield '<title id="title">The floors of ckanext.ukharvest, from the ground up</title>'
    yield f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>'
    yield _text(20, 28, "A module imports from its own floor and from those below it.", _FONT)
    y = TOP
    for number, floor in reversed(list(enumerate(floors))):
        yield from _row(y, floor, "#e8f1f8" if number >= ckan_from else "#eef6ec")
        y += ROW
        if number == ckan_from:
            yield from _line(y)
            y += ROW
    yield "</svg>"


def _row(y: int, floor: tuple[str, ...], colour: str) -> Iterator[str]:
    box = f'x="12" y="{y + 2}" width="{WIDTH - 24}" height="{ROW - 4}" rx="4"'
    yield f'<rect {box} fill="{colour}" stroke="#b1b4b6"/>'
    names = "  ".join(name.replace(".", "/") for name in _outermost(floor))
    yield _text(24, y + 22, names, f'{_MONO} font-weight="bold"')
    yield _text(LEFT, y + 22, _CONTENTS[floor[0]], _FONT)


def _outermost(floor: tuple[str, ...]) -> Iterator[str]:
    """Leave out an entry's folder where the floor names the folder within it, too."""
    for name in floor:
        if not any(other.startswith(f"{name}.") for other in floor):
            yield name


def _line(y: int) -> Iterator[str]:
    middle = y + ROW // 2
    yield (
        f'<line x1="12" y1="{middle}" x2="{WIDTH - 12}" y2="{middle}" stroke="#505a5f"'
        ' stroke-dasharray="6 4"/>'
    )
    label = "above this line: CKAN   ·   below: no CKAN"
    yield f'<rect x="330" y="{middle - 10}" width="312" height="20" fill="#ffffff"/>'
    yield _text(340, middle + 5, label, _FONT)


def _text(x: int, y: int, text: str, font: str) -> str:
    space = ' xml:space="preserve"' if "  " in text else ""
    return f'<text x="{x}" y="{y}" {font} fill="#0b0c0c"{space}>{escape(text)}</text>'


def pictures() -> dict[Path, str]:
    return {PATH: picture()}
