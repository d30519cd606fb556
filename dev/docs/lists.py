"""Lists in files that people write, made from the registry of source types and from ``fields.py``.

The presets for ckanext-scheming are such a list, and nothing else.
"""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from ckanext.ukharvest import fields
from ckanext.ukharvest.dataset_schema import validator_of
from ckanext.ukharvest.fields import DATASET, FIELDS, RESOURCE, Field
from ckanext.ukharvest.rendering.values import INDEXED, all_facets
from ckanext.ukharvest.source_types import TYPES

from .generated import ROOT

_SCHEMING = "ckanext/ukharvest/scheming"
_WIDTH = 128  # characters of a line in Markdown


def lists() -> Mapping[Path, str]:
    """Return the files with their lists as they are to be."""
    made = {"setup.cfg": _entry_points, "test.ini": _plugins, "mkdocs.yml": _pages}
    made |= {"docs/install.md": _plugins, "docs/README.md": _links}
    made |= {"docs/portal/form.md": _form_fields, "docs/portal/search.md": _facets}
    made |= {"docs/reference/settings.md": _default_facets}
    made |= {f"{_SCHEMING}/presets.json": _presets, f"{_SCHEMING}/dataset.yaml": _example}
    paths = {ROOT / name: make for name, make in made.items()}
    return {path: make(path.read_text(encoding="utf-8")) for path, make in paths.items()}


_NAMES = sorted(TYPES.ours)
_PLUGINS = [TYPES[name].plugin for name in _NAMES]


def _entry_points(text: str) -> str:
    form = "    {0} = ckanext.ukharvest.harvesters.plugins:{0}\n"
    others = re.sub(form.format(r"ukharvest_\w+").replace(".", r"\."), "", text)
    first = "    ukharvest = ckanext.ukharvest.plugin:UkharvestPlugin\n"
    return others.replace(first, first + "".join(map(form.format, _PLUGINS)))


def _plugins(text: str) -> str:
    def line(match: re.Match[str]) -> str:
        others = (name for name in match[1].split() if name not in {"ukharvest", *_PLUGINS})
        return "ckan.plugins = " + " ".join(("ukharvest", *_PLUGINS, *others))

    # The line that has them all, not one that shows some.
    all_types = r"^ckan\.plugins = (ukharvest (?:ukharvest_\w+ ){5}.*)$"
    return re.sub(all_types, line, text, count=1, flags=re.MULTILINE)


def _pages(text: str) -> str:
    form = "      - sources/{}.md\n"
    for name in _NAMES:
        text = text.replace(form.format(name), "")
    first = form.format("README")
    return text.replace(first, first + "".join(map(form.format, _NAMES)))


def _links(text: str) -> str:
    kinds = sorted((TYPES[name] for name in _NAMES), key=lambda kind: kind.title.casefold())
    start = "- [Source types](sources/README.md), with their fields, options and problems: "
    lines = [start]
    for number, kind in enumerate(kinds, 1):
        link = f"[{kind.title}](sources/{kind.name}.md){', ' if number < len(kinds) else ''}"
        if len(lines[-1] + link.rstrip()) > _WIDTH:
            lines.append("  ")
        lines[-1] += link
    made = "\n".join(line.rstrip() for line in lines)
    return re.sub(re.escape(start) + r"[\s\S]*?(?=\n- )", lambda _match: made, text)


_STORED = {
    fields.TEXT: "text",
    fields.URIS: "URLs such as `http://id.esd.org.uk/service/579`, with spaces between them",
    fields.ADDRESSES: "JSON list of URLs",
    fields.ADDRESS: "URL",
    fields.NAME: "[listed value](vocabularies.md), such as `R/P1M`",
    fields.NAMES: "JSON list of such values",
    fields.DATE: "ISO 8601: a day, month or year",
    fields.FLAG: "`true`, or nothing",
}


def _rows(text: str, head: str, rows: Iterable[str], by_hand: Iterable[str] = ()) -> str:
    """Return a text with other rows below a table's head.

    Args:
        head: the line, or a part of it, above the line of dashes.
        by_hand: what the rows contain that people write; these come last.
    """
    start = text[: text.index("\n", text.index("|---", text.index(head))) + 1]
    lines = text[len(start) :].splitlines(keepends=True)
    number = next(n for n, line in enumerate((*lines, "")) if not line.startswith("|"))
    kept = [line for line in lines[:number] if any(name in line for name in by_hand)]
    return start + "".join((*rows, *kept, *lines[number:]))


def _form_fields(text: str) -> str:
    alike: dict[str, list[str]] = {}
    for field in FIELDS:
        alike.setdefault(_STORED[field.kind], []).append(f"`{field.key}`{_of_resources(field)}")
    rows = (f"| {', '.join(names)} | {stored} |\n" for stored, names in alike.items())
    return _rows(text, "| field | stored as |", rows)


def _of_resources(field: Field) -> str:
    return " of resources" if field.of == RESOURCE else ""


def _facets(text: str) -> str:
    rows = [
        f"| {own[0].facet} | `{INDEXED[name]}` | "
        f"{', '.join(f'`{field.key}`{_of_resources(field)}' for field in own)} |\n"
        for name, own in fields.FACETS.items()
    ]
    others = [f"`{INDEXED[name]}`" for name in INDEXED if name not in fields.FACETS]
    return _rows(text, "| facet | field in the index |", rows, others)


def _default_facets(text: str) -> str:
    row = r"^(\| `ckanext\.ukharvest\.facets` \| )[^|]*\|"
    return re.sub(row, lambda match: f"{match[1]}{all_facets()} |", text, flags=re.MULTILINE)


def _preset(field: Field) -> str:
    return "ukharvest_" + field.key.replace("-", "_")


def _presets(_text: str) -> str:
    presets = [
        {
            "preset_name": _preset(field),
            "values": {
                "ukharvest_field": field.key,
                "validators": f"{validator_of(field)} ignore_missing",
                "form_snippet": "ukharvest_field.html",
                "display_snippet": "ukharvest_field.html",
            },
        }
        for field in FIELDS
    ]
    about = "Fields of ckanext-ukharvest; see docs/portal/form.md"
    made = {"scheming_presets_version": 1, "about": about, "presets": presets}
    return json.dumps(made, indent=2) + "\n"


def _example(text: str) -> str:
    """Return the example of a schema; CKAN's own fields, which are written by hand, come first."""
    own = r"- field_name: \S+\n(?:  .*\n)*?  preset: ukharvest_.*\n"
    of_ckan, of_files = re.sub(own, "", text).split("\nresource_fields:\n")

    def made(of: str) -> str:
        return "".join(map(_example_field, (field for field in FIELDS if field.of == of)))

    return f"{of_ckan}{made(DATASET)}\nresource_fields:\n{of_files}{made(RESOURCE)}"


def _example_field(field: Field) -> str:
    help_ = f"  help_text: {json.dumps(field.help)}\n" if field.help else ""
    return f"- field_name: {field.key}\n  label: {field.label}\n{help_}  preset: {_preset(field)}\n"
