"""Template helpers of a dataset's page: stars, theme, mark and people, and stars of resources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ckan.plugins.toolkit as tk
from markupsafe import Markup

from ckanext.ukharvest import config, stars, theming
from ckanext.ukharvest.core import theme_names, themes
from ckanext.ukharvest.core.stars import Stars
from ckanext.ukharvest.core.text import shorten
from ckanext.ukharvest.core.web import is_web_url
from ckanext.ukharvest.helpers.facts import (
    facts_of,
    once,
    portal,
    search_address,
    ukharvest_is_harvested,
)
from ckanext.ukharvest.model import Assessment, assessments
from ckanext.ukharvest.shown import facts as shown_facts
from ckanext.ukharvest.shown import inspire, rows
from ckanext.ukharvest.shown.values import INDEXED
from ckanext.ukharvest.theming import texts as theme_texts

LONGEST = 300  # characters of a reason, which may quote a record


def ukharvest_head(package: dict[str, Any]) -> dict[str, Any]:
    """Return what stands under a dataset's title; nothing of it asks the database twice.

    Returns:
        ``stars`` (number, None if it was never counted), ``text`` (the stars in words),
        ``checked`` (when), ``theme`` ({"title", "url", "suggested", "why"}, None for none),
        ``is_location``, ``publisher`` and, of location data, ``provider`` and ``parties``
        (markup, "" for none).
    """
    found, facts = assessment_of(package), facts_of(package)
    is_location = rows.is_location_data(facts)
    return {
        **_stars(found),
        "theme": _theme(facts.get("theme-primary", ""), found),
        "is_location": is_location,
        "publisher": _publisher(package, facts),
        "provider": facts.get("provider", "") if is_location else "",
        "parties": _parties(facts) if is_location else Markup(""),
    }


def ukharvest_resource_line(package: dict[str, Any], resource: dict[str, Any]) -> dict[str, Any]:
    """Return ``stars`` (None if not counted), their ``text`` and ``url`` ("" if it is none)."""
    found, url = assessment_of(package or {}), str(resource.get("url") or "")
    row = found.resources.get(resource.get("id")) if found and found.resources else None
    return {
        "stars": row[0] if row else None,
        "text": shorten(stars.in_words(Stars(*row)), LONGEST) if row else "",
        "url": url if is_web_url(url) else "",
    }


def ukharvest_contacts(package: dict[str, Any]) -> list[dict[str, Any]]:
    """Return whom to ask about a dataset: ``heading`` and ``lines`` (markup) of each.

    Nothing for datasets that were not harvested and do not name anybody in an extra.
    """
    facts = facts_of(package)
    if ukharvest_is_harvested(package) and not any(
        facts.get(f"contact-{part}") for part in ("name", "email")
    ):
        for key, part in (("maintainer", "name"), ("maintainer_email", "email")):
            facts[f"contact-{part}"] = str(package.get(key) or "")
    headings = {"contact": tk._("Contact"), "foi": tk._("Freedom of information")}
    found = []
    for prefix, heading in headings.items():
        lines = [_line(facts.get(f"{prefix}-{part}", "")) for part in ("name", "phone", "web")]
        lines.insert(1, inspire.mail_to(facts.get(f"{prefix}-email", "")))
        if lines := [line for line in dict.fromkeys(lines) if line]:
            found.append({"heading": heading, "lines": lines})
    return found


def ukharvest_licence(package: dict[str, Any]) -> Markup | None:
    """Return a licence that only the source's own words tell of; None where CKAN knows one."""
    if package.get("license_id") or not ukharvest_is_harvested(package):
        return None
    facts = facts_of(package)
    words = facts.get("licence") or facts.get("rights") or ""
    url = next((facts[key] for key in ("licence_url", "license_url") if facts.get(key)), "")
    if url and is_web_url(url):
        return shown_facts.link(url, words or shown_facts.short(url))
    return shown_facts.shown(words) or None


def ukharvest_phone_order() -> bool:
    """Tell whether a dataset's page has the dataset before the sidebar on a phone."""
    return config.phone_order()


def assessment_of(package: Mapping[str, Any]) -> Assessment | None:
    """Return what was worked out of a dataset, asking the database once a request."""
    id_ = str(package.get("id") or "")
    return once("assessment", package, lambda: assessments.of(id_)) if id_ else None


def _stars(found: Assessment | None) -> dict[str, Any]:
    if found is None or found.stars is None:
        return {"stars": None, "text": "", "checked": None}
    best = stars.from_columns(found).best
    return {
        "stars": best.stars,
        "text": shorten(stars.in_words(best), LONGEST),
        "checked": found.assessed,
    }


def _theme(text: str, found: Assessment | None) -> dict[str, Any] | None:
    name = theme_names.find(text)
    if not name:
        return None
    is_suggested = found is not None and found.theme_origin == themes.WORDS and found.theme == name
    return {
        "title": theme_texts.title(name),
        "url": search_address(INDEXED["theme"], name),
        "suggested": is_suggested,
        "why": _why(name, found) if is_suggested else [],
    }


def _why(name: str, found: Assessment | None) -> list[str]:
    ranking = theming.ranking_of(found.themes) if found else ()
    return next((theme_texts.why(each.reasons) for each in ranking if each.theme == name), [])


def _publisher(package: Mapping[str, Any], facts: Mapping[str, str]) -> Markup:
    """Who publishes it, if that is somebody else than the organisation beside it."""
    name, url = facts.get("dcat_publisher_name", ""), facts.get("dcat_publisher_uri", "")
    organisation = package.get("organization") or {}
    if not name or name.casefold() == str(organisation.get("title") or "").casefold():
        return Markup("")
    return shown_facts.link(url, name) if is_web_url(url) else shown_facts.shown(name)


def _parties(facts: Mapping[str, str]) -> Markup:
    for key in ("responsible-organisation", "responsible-party"):
        if facts.get(key) and (value := inspire.value(key, facts, portal())):
            return value
    return Markup("")


def _line(text: str) -> Markup:
    return shown_facts.shown(text) if text else Markup("")
