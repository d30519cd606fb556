"""XML in any encoding that it declares."""

from __future__ import annotations

import io
import pkgutil
from encodings import __path__ as modules
from encodings import aliases

import pytest

from ckanext.ukharvest.core import encodings
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.core.xml import repair

URL = "https://council.example/d"


# Of Python's standard library; "mbcs" and "oem" only exist on Windows.
PYTHON = sorted(
    {*aliases.aliases, *aliases.aliases.values(), *(m.name for m in pkgutil.iter_modules(modules))}
)


@pytest.mark.parametrize("name", ["klingon", *PYTHON])
def test_xml_with_any_declared_name_is_read(name: str) -> None:
    problems: list[Problem] = []
    content = f'<?xml version="1.0" encoding="{name}"?>\n<a>Café &amp; x</a>'.encode("cp1252")
    root = repair.parse(content, problems, url=URL)
    (element,) = repair.elements(io.BytesIO(content), [("a",)], [], url=URL)
    assert root.text
    assert element.text == root.text
    if not encodings.find_codec(name):
        assert root.text == "Café & x"
        words = f"the encoding '{name}', which is not one that we read; expected UTF-8"
        assert words in problems[0].message
        assert xml.parse_beginning(content) is not None
