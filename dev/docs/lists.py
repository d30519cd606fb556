"""Lists of all source types in files that people write: their lines are made from the registry."""

import re
from collections.abc import Mapping
from pathlib import Path

from ckanext.ukharvest.source_types import TYPES

from .generated import ROOT

_WIDTH = 128  # characters of a line in Markdown


def lists() -> Mapping[Path, str]:
    """Return the files with their lists as they are to be."""
    made = {"setup.cfg": _entry_points, "test.ini": _plugins, "mkdocs.yml": _pages}
    made |= {"docs/install.md": _plugins, "docs/README.md": _links}
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
