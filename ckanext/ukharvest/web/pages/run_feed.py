"""A source's runs as an Atom feed (RFC 4287); the public sees the results, but no errors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import ckan.plugins.toolkit as tk
from lxml import etree

from ckanext.ukharvest import config
from ckanext.ukharvest.core.outcomes import RunOutcome
from ckanext.ukharvest.presentation.messages import status_labels as status
from ckanext.ukharvest.presentation.messages.run_counts import format_counts
from ckanext.ukharvest.web.pages.common import context

ATOM = "http://www.w3.org/2005/Atom"
ENTRIES = 30
MOST = 5 * ENTRIES  # runs that are loaded to find these
PUBLIC_OUTCOMES = (
    RunOutcome.FINISHED,
    RunOutcome.ERRORS,
    RunOutcome.HELD,
    RunOutcome.DECIDED,
    RunOutcome.SETTLED,
    RunOutcome.UNCHANGED,
    RunOutcome.EMPTY,
    RunOutcome.SHRUNK,
)
ENDED_OUTCOMES = (*PUBLIC_OUTCOMES, RunOutcome.FAILED, RunOutcome.STOPPED)
OF_DATASETS = ("added", "updated", "deleted")
# Characters that are not allowed in XML.
_UNWRITABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def build_feed(source: Mapping[str, Any]) -> bytes:
    """Return the feed of a source that ``source_frame.find`` returned, as UTF-8."""
    default: Any = {None: ATOM}
    feed = etree.Element(f"{{{ATOM}}}feed", nsmap=default)
    page = tk.h.url_for("harvest.read", id=source["name"], _external=True)
    own = tk.h.url_for("ukharvest_source.feed", name=source["name"], _external=True)
    runs = _runs(source)
    _add(feed, "id", _id("source", source["id"]))
    _add(feed, "title", tk._("Runs of {title}").format(title=source["title"]))
    # Atom requires ``updated``; a feed without entries has the earliest time.
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
    """Return the source's last ended runs that the user may see."""
    asked = context() if source["may_manage"] else {"ignore_auth": True}
    outcomes = ENDED_OUTCOMES if source["may_manage"] else PUBLIC_OUTCOMES
    found: list[dict[str, Any]] = []
    # Load more pages if failed runs, which the public does not see, leave too few.
    for offset in range(0, MOST, ENTRIES):
        wanted = {"source": source["id"], "limit": ENTRIES, "offset": offset}
        listed = tk.get_action("ukharvest_run_list")(asked, wanted)
        found += (
            row for row in listed["results"] if row["finished"] and row["outcome"] in outcomes
        )
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
        title = f"{status.find('outcome', row['outcome']).text}: {format_counts(counts)}"
    else:
        changed = {key: counts[key] for key in OF_DATASETS}
        title = format_counts(changed) if any(changed.values()) else tk._("Nothing changed")
    _add(entry, "id", _id("run", row["id"]))
    _add(entry, "title", title)
    _add(entry, "updated", row["finished"])
    etree.SubElement(entry, f"{{{ATOM}}}link", rel="alternate", href=address, type="text/html")
    if source["may_manage"] and row["reason"]:
        _add(entry, "summary", row["reason"])


def _id(kind: str, id_: str) -> str:
    """Return a tag URI (RFC 4151), which stays the same if the page's URL changes."""
    host = urlsplit(config.site_url()).hostname or "localhost"
    return f"tag:{host},2026:harvest-{kind}/{id_}"


def _add(parent: etree._Element, name: str, words: str) -> None:
    etree.SubElement(parent, f"{{{ATOM}}}{name}").text = _UNWRITABLE.sub("", words)
