"""Refuse names that cannot be used, before anything is written."""

import re
import sys

NAMES = {
    "type_name": ("{{ cookiecutter.type_name }}", r"[a-z][a-z0-9_-]{1,39}"),
    "distribution": ("{{ cookiecutter.distribution }}", r"[a-z][a-z0-9-]*[a-z0-9]"),
    "package": ("{{ cookiecutter.package }}", r"[a-z][a-z0-9_]*"),
}

for field, (name, pattern) in NAMES.items():
    if not re.fullmatch(pattern, name):
        sys.exit(f"{field} is {name!r}; expected a name that matches {pattern}")
