"""Hook of mkdocs: pages from the repository's root, and links between them and docs/.

README, CONTRIBUTING and CHANGELOG become pages of the site. Links to other files outside docs/
(modules, tests) have no page there, so their text alone stays.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
# File of the repository's root → page of the site.
PAGES = {
    "README.md": "introduction.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
_PLACES = {page: name for name, page in PAGES.items()}
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*)\]\(([^)\s]+)\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not in docs/."""
    for name, page in PAGES.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links between files of the repository into links between pages."""
    here = _PLACES.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    known = {file.src_uri for file in files}

    def replace(match: re.Match[str]) -> str:
        bang, text, link = match.groups()
        text = _LINK.sub(replace, text)
        target, mark, anchor = link.partition("#")
        if not target or re.match(r"[a-z]+:", target):
            return f"{bang}[{text}]({link})"
        uri = _uri(posixpath.normpath(posixpath.join(posixpath.dirname(here), target)))
        if uri not in known:
            return text
        start = posixpath.dirname(page.file.src_uri)
        return f"{bang}[{text}]({posixpath.relpath(uri, start or '.')}{mark}{anchor})"

    return _LINK.sub(replace, markdown)


def _uri(place: str) -> str:
    """Return a file's place on the site, or its place in the repository if it has none."""
    return PAGES.get(place, place.removeprefix("docs/") if place.startswith("docs/") else place)
