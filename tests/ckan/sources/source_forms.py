"""What a source’s form sends."""

from __future__ import annotations

from typing import Any

from lxml import html


def fields(answer: Any) -> dict[str, list[str]]:
    """Return what the page's form would send unchanged."""
    (form,) = html.fromstring(answer.body).xpath("//form[@id='source-form']")
    found: dict[str, list[str]] = {}
    for name, value in form.form_values():
        # Browsers, unlike lxml, drop a line break right after a textarea's tag.
        found.setdefault(name, []).append(value.removeprefix("\n"))
    return found
