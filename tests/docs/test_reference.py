"""The pages of docs/reference list every setting, command and action, and no others."""

from __future__ import annotations

import ast
import pkgutil
import re

import yaml

from docs import codes

FOLDER = codes.ROOT / "docs" / "reference"
SETTINGS = (FOLDER / "settings.md").read_text(encoding="utf-8")
ACTIONS = (FOLDER / "actions.md").read_text(encoding="utf-8")
DECLARED = {
    option["key"]: option
    for group in yaml.safe_load((codes.PACKAGE / "config_declaration.yaml").read_text())["groups"]
    for option in group["options"]
}
# Said in words, because it depends on the portal.
IN_WORDS = {"ckanext.ukharvest.http.contact": "the site's URL"}


def test_settings_page_lists_the_declared_settings() -> None:
    listed = re.findall(r"^\| `(ckanext\.ukharvest\.[^`]+)` \|", SETTINGS, re.MULTILINE)
    assert sorted(listed) == sorted(DECLARED)


def test_settings_are_listed_with_their_defaults() -> None:
    offenders = []
    for key, option in DECLARED.items():
        made = option.get("default_callable")
        default = IN_WORDS.get(
            key, pkgutil.resolve_name(made)() if made else option.get("default", "")
        )
        text = str(default).lower() if isinstance(default, bool) else str(default)
        cells = f"| `{key}` | {text} |".replace("|  |", "| |")
        offenders += [] if cells in SETTINGS else [cells]
    assert offenders == []


def test_actions_page_lists_the_registered_actions() -> None:
    names = {
        node.name
        for path in codes.PACKAGE.glob("*/*actions.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }
    table = ACTIONS[ACTIONS.index("|---") : ACTIONS.index("ckanext-harvest's own")]
    listed = {f"ukharvest_{name}" for name in re.findall(r"`(\w+)`", table)} - {"ukharvest_job_id"}
    assert sorted(listed) == sorted(name for name in names if name.startswith("ukharvest_"))
