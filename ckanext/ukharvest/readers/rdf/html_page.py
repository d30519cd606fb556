"""JSON-LD inside an HTML page (JSON-LD 1.1, section 7), as search engines read datasets."""

from __future__ import annotations

import json
import re
from typing import IO, Any

from ckanext.ukharvest.core.xml.parser import push_html_parser

_PIECE = 1 << 20
_MOST = 50 << 20  # bytes of a page
_SCRIPT = re.compile(rb"application/ld\+json", re.IGNORECASE)
# Pages of all kinds have JSON-LD about the site itself.
_DATASETS = re.compile(r"\bData(?:set|setSeries|Catalog|Service)\b|w3\.org/ns/dcat|\bdcat:")


def embedded(body: IO[bytes], charset: str = "") -> bytes | None:
    """Return the JSON-LD of a page as one document; None if it describes no datasets.

    Args:
        body: the page, seekable.
        charset: the server's charset; used only if the bytes are not UTF-8.
    """
    body.seek(0)
    data = body.read(_MOST + 1)
    if len(data) > _MOST or not _SCRIPT.search(data):
        return None
    nodes: list[Any] = []
    for text in _scripts(data, charset):
        try:
            found = json.loads(text, strict=False) if _DATASETS.search(text) else []
        except (ValueError, RecursionError):
            continue
        nodes += found if isinstance(found, list) else [found]
    return json.dumps(nodes, ensure_ascii=False).encode("utf-8", "replace") if nodes else None


def _scripts(data: bytes, charset: str) -> list[str]:
    target = _Scripts()
    try:
        data.decode("utf-8")
        parser = push_html_parser(target, "utf-8")
    except UnicodeDecodeError:
        try:
            parser = push_html_parser(target, charset or None)
        except LookupError:
            parser = push_html_parser(target)
    for start in range(0, len(data), _PIECE):
        parser.feed(data[start : start + _PIECE])
    parser.close()
    return target.texts


class _Scripts:
    """lxml's parser target: collects the scripts of JSON-LD."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._is_inside = False

    def start(self, tag: str, attrib: dict[str, str]) -> None:
        kind = (attrib.get("type") or "").partition(";")[0].strip().lower()
        self._is_inside = tag == "script" and kind == "application/ld+json"
        if self._is_inside:
            self.texts.append("")

    def data(self, text: str) -> None:
        if self._is_inside:
            self.texts[-1] += text

    def end(self, tag: str) -> None:
        self._is_inside = self._is_inside and tag != "script"

    def close(self) -> None:
        """Return nothing: no tree was built."""
