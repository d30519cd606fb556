"""A source's runs as an Atom feed; outsiders are told what it brought, not what went wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import ckan.plugins.toolkit as tk
from lxml import etree

from ckanext.ukharvest import config
from ckanext.ukharvest.pages.common import context
from ckanext.ukharvest.words import status
from ckanext.ukharvest.words.source_card import in_figures

ATOM = "http://www.w3.org/2005/Atom"
ENTRIES = 30
MOST = 5 * ENTRIES  # runs that are looked at for so many
OVER = ("finished", "errors", "held", "failed", "stopped", "unchanged")
TOLD_TO_ALL = ("finished", "errors", "held", "unchanged")
OF_DATASETS = ("added", "updated", "deleted")
# Characters that XML has no way to write.
_UNWRITABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def text(source: Mapping[str, Any]) -> bytes:
    """Return the feed of a source that ``source_frame.find`` returned, as UTF-8."""
    default: Any = {None: ATOM}
    feed = etree.Element(f"{{{ATOM}}}feed", nsmap=default)
    page = tk.h.url_for("harvest.read", id=source["name"], _external=True)
    own = tk.h.url_for("ukharvest_source.feed", name=source["name"], _external=True)
    runs = _runs(source)
    _add(feed, "id", _id("source", source["id"]))
    _add(feed, "title", tk._("Runs of {title}").format(title=source["title"]))
    # A feed has to say when it changed; one without entries never did.
    updated = (row["finished"] for row in runs)
    _add(feed, "updated", max(updated, default="1970-01-01T00:00:00+00:00"))
    etree.SubElement(feed, f"{{{ATOM}}}link", rel="self", href=own, type="application/atom+xml")
    etree.SubElement(feed, f"{{{ATOM}}}link", rel="alternate", href=page, type="text/html")
    author = etree.SubElement(feed, f"{{{ATOM}}}author")
    _add(author, "name", tk.config.get("ckan.site_title") or "CKAN")
    for row in runs:
        _entry(feed, row, source, page)
    return bytes(etree.tostring(feed, encoding="utf-8", xml_declaration=True))


def _runs(source: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The source's last runs that ended, as far as who asks is told of them."""
    asked = context() if source["may_manage"] else {"ignore_auth": True}
    told = OVER if source["may_manage"] else TOLD_TO_ALL
    found: list[dict[str, Any]] = []
    # Failures that outsiders are not told of are no reason to forget what was before them.
    for offset in range(0, MOST, ENTRIES):
        wanted = {"source": source["id"], "limit": ENTRIES, "offset": offset}
        listed = tk.get_action("ukharvest_jobs_list")(asked, wanted)
        found += (row for row in listed["results"] if row["finished"] and row["outcome"] in told)
        if len(found) >= ENTRIES or listed["count"] <= offset + ENTRIES:
            break
    return found[:ENTRIES]


def _entry(
    feed: etree._Element, row: Mapping[str, Any], source: Mapping[str, Any], page: str
) -> None:
    entry = etree.SubElement(feed, f"{{{ATOM}}}entry")
    counts, address = row["counts"], page
    if source["may_manage"]:
        names = {"source": source["name"], "id": row["id"], "_external": True}
        address = tk.h.url_for("harvester.job_show", **names)
        title = f"{status.find('outcome', row['outcome']).text}: {in_figures(counts)}"
    else:
        changed = {key: counts[key] for key in OF_DATASETS}
        title = in_figures(changed) if any(changed.values()) else tk._("Nothing changed")
    _add(entry, "id", _id("run", row["id"]))
    _add(entry, "title", title)
    _add(entry, "updated", row["finished"])
    etree.SubElement(entry, f"{{{ATOM}}}link", rel="alternate", href=address, type="text/html")
    if source["may_manage"] and row["reason"]:
        _add(entry, "summary", row["reason"])


def _id(kind: str, id_: str) -> str:
    """An address that stays when pages move (RFC 4151)."""
    host = urlsplit(config.site_url()).hostname or "localhost"
    return f"tag:{host},2026:harvest-{kind}/{id_}"


def _add(parent: etree._Element, name: str, words: str) -> None:
    etree.SubElement(parent, f"{{{ATOM}}}{name}").text = _UNWRITABLE.sub("", words)
