"""Find what became live in a page: elements, attributes, URLs and scripts of a hostile text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_ADDRESSES = {
    *("href", "src", "action", "formaction", "xlink:href", "srcset", "poster", "data", "cite"),
    *("background", "ping", "manifest", "hx-get", "hx-post", "data-url", "data-href"),
}
_SCHEMES = ("javascript:", "vbscript:", "data:text", "file:", "livescript:")
_DATA = {"application/json", "application/ld+json", "text/plain"}


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.live: list[str] = []
        self._script = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "x-live":
            self.live.append(f"an element {tag}")
        for name, value in given.items():
            if name == "x-live" or (name.startswith("on") and "hurt" in value):
                self.live.append(f"an attribute {name} of {tag}: {value[:80]}")
            if name in _ADDRESSES and _runs(value):
                self.live.append(f"a URL in {name} of {tag}: {value[:80]}")
            if name in ("srcdoc", "style") and ("hurt" in value or "x-live" in value):
                self.live.append(f"an attribute {name} of {tag}")
        self._script = tag if tag in ("script", "style") else ""
        if tag == "script" and given.get("type") in _DATA:
            self._script = ""

    handle_startendtag = handle_starttag

    def handle_endtag(self, _tag: str) -> None:
        self._script = ""

    def handle_data(self, data: str) -> None:
        if self._script and "hurt" in data:
            self.live.append(f"a {self._script}: {data.strip()[:80]}")
        if "6687273883" in data:
            self.live.append(f"a template was evaluated: {data.strip()[:80]}")


def _runs(url: str) -> bool:
    """Tell whether a browser would run a URL; it drops controls and white space in a scheme.

    CKAN's own buttons that do nothing without their script are left out.
    """
    return url != "javascript:void(0);" and re.sub(r"[\x00-\x20]", "", url).lower().startswith(
        _SCHEMES
    )


def live_parts(page: str) -> list[str]:
    """Return what became live in an HTML page, [] if nothing did."""
    found = _Page()
    found.feed(page)
    found.close()
    return found.live
