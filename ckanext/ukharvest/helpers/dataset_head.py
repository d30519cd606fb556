"""Template helpers of what stands beside datasets' titles, on their pages and in lists.

In a list of datasets they take one SQL statement a page: the search remembers which datasets it
found, and the first badge loads those of all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import ckan.plugins.toolkit as tk
from flask import g, has_request_context
from markupsafe import Markup

from ckanext.ukharvest import themes as theming
from ckanext.ukharvest.core.values import theme_names
from ckanext.ukharvest.core.values.stars import Stars
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.helpers.facts import (
    facts_of,
    once_per_request,
    portal,
    search_url,
    ukharvest_is_harvested,
)
from ckanext.ukharvest.model import Assessment, assessments, broken_links, dataset_badges
from ckanext.ukharvest.model.dataset_badges import Listed
from ckanext.ukharvest.presentation.messages import links as link_texts
from ckanext.ukharvest.presentation.rendering import facts as shown_facts
from ckanext.ukharvest.presentation.rendering import inspire
from ckanext.ukharvest.presentation.rendering.dataset_fields import is_location_data
from ckanext.ukharvest.presentation.rendering.values import INDEXED
from ckanext.ukharvest.stars import from_columns
from ckanext.ukharvest.stars import texts as star_texts
from ckanext.ukharvest.themes import choice as themes
from ckanext.ukharvest.themes import texts as theme_texts

LONGEST = 300  # characters of a reason, which may quote a record
FAILED = frozenset(map(str, broken_links.STATES))


def ukharvest_dataset_head(package: dict[str, Any]) -> dict[str, Any]:
    """Return the facts shown under a dataset's title, with two database queries at most.

    Returns:
        ``stars`` (number, None if not rated), ``text`` (of the stars), ``basis`` (what they rest
        on), ``broken`` (how many links do not work and since when, "" if all do), ``theme``
        ({"title", "url", "suggested", "why"}, None for none), ``is_location``, ``publisher`` and,
        for location data, ``provider`` and ``parties`` (markup, "" for none).
    """
    assessment, facts = load_assessment(package), facts_of(package)
    is_location = is_location_data(facts)
    return {
        **_stars(package, assessment),
        "broken": _broken(package),
        "theme": _theme(facts.get("theme-primary", ""), assessment),
        "is_location": is_location,
        "publisher": _publisher(package, facts),
        "provider": facts.get("provider", "") if is_location else "",
        "parties": _parties(facts) if is_location else Markup(""),
    }


def ukharvest_resource_line(package: dict[str, Any], resource: dict[str, Any]) -> dict[str, Any]:
    """Return a resource's line in a list of its dataset's.

    Returns:
        ``stars`` (None if not rated), their ``text``, ``basis`` (what they rest on), ``broken``
        (since when the link does not work, "" if it does), and ``url`` ("" if not http).
    """
    assessment, url = load_assessment(package or {}), str(resource.get("url") or "")
    row = (
        assessment.resources.get(resource.get("id"))
        if assessment and assessment.resources
        else None
    )
    link = load_links(package or {}).get(url)
    return {
        "stars": row[0] if row else None,
        "text": shorten(star_texts.describe_stars(Stars(*row)), LONGEST) if row else "",
        "basis": star_texts.describe_basis(Stars(*row), link) if row else "",
        "broken": link_texts.describe_briefly(link) if link else "",
        "url": url if is_web_url(url) else "",
    }


def ukharvest_contacts(package: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a dataset's contacts: dicts with ``heading`` and ``lines`` (markup).

    Contacts come from extras; for harvested datasets without these, from the maintainer.
    """
    facts = facts_of(package)
    if ukharvest_is_harvested(package) and not any(
        facts.get(f"contact-{part}") for part in ("name", "email")
    ):
        for key, part in (("maintainer", "name"), ("maintainer_email", "email")):
            facts[f"contact-{part}"] = str(package.get(key) or "")
    headings = {"contact": tk._("Contact"), "foi": tk._("Freedom of information")}
    contacts = []
    for prefix, heading in headings.items():
        name, email, phone, web = (
            facts.get(f"{prefix}-{part}", "") for part in ("name", "email", "phone", "web")
        )
        render = shown_facts.render_extra
        lines = (render(name), inspire.mail_to(email), render(phone), render(web))
        if any(lines):
            contacts.append({"heading": heading, "lines": list(filter(None, dict.fromkeys(lines)))})
    return contacts


def ukharvest_licence(package: dict[str, Any]) -> Markup | None:
    """Return a licence that is only given as text by the source; None if CKAN knows the licence."""
    if package.get("license_id") or not ukharvest_is_harvested(package):
        return None
    facts = facts_of(package)
    words = facts.get("licence") or facts.get("rights") or ""
    url = next((facts[key] for key in ("licence_url", "license_url") if facts.get(key)), "")
    if url and is_web_url(url):
        return shown_facts.render_link(url, words or shown_facts.shorten_url(url))
    return shown_facts.render_extra(words) or None


@once_per_request
def load_assessment(package: Mapping[str, Any]) -> Assessment | None:
    """Return a dataset's stars and theme, loaded once per request; None if there are none."""
    id_ = str(package.get("id") or "")
    return assessments.find(id_) if id_ else None


@once_per_request
def load_links(package: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return URL → what checks say of the links of a dataset, loaded once per request."""
    urls = [str(resource.get("url") or "") for resource in package.get("resources") or ()]
    return broken_links.of_urls(urls) if package.get("id") else {}


def _broken(package: Mapping[str, Any]) -> str:
    """Return how many links of a dataset do not work, and since when the first."""
    links = load_links(package)
    urls = [str(resource.get("url") or "") for resource in package.get("resources") or ()]
    failed = [links[url] for url in urls if url in links and links[url]["state"] in FAILED]
    since = min((link["dead_since"] or link["failed_since"] or "" for link in failed), default="")
    return link_texts.describe_of_dataset(len(failed), len(urls), since)


def _stars(package: Mapping[str, Any], found: Assessment | None) -> dict[str, Any]:
    if found is None or found.stars is None:
        return {"stars": None, "text": "", "basis": ""}
    rated = from_columns(found)
    urls = {
        resource.get("id"): str(resource.get("url") or "")
        for resource in package.get("resources") or ()
    }
    first = next((id_ for id_, stars in rated.resources.items() if stars == rated.best), "")
    link = load_links(package).get(urls.get(first, ""))
    return {
        "stars": rated.best.stars,
        "text": shorten(star_texts.describe_stars(rated.best), LONGEST),
        "basis": star_texts.describe_basis(rated.best, link),
    }


def _theme(text: str, found: Assessment | None) -> dict[str, Any] | None:
    name = theme_names.find(text)
    if not name:
        return None
    is_suggested = found is not None and found.theme_origin == themes.WORDS and found.theme == name
    return {
        "title": theme_texts.title(name),
        "url": search_url(INDEXED["theme"], name),
        "suggested": is_suggested,
        "why": _why(name, found) if is_suggested else [],
    }


def _why(name: str, found: Assessment | None) -> list[str]:
    ranking = theming.ranking_of(found.themes) if found else ()
    return next((theme_texts.why(theme.reasons) for theme in ranking if theme.theme == name), [])


def _publisher(package: Mapping[str, Any], facts: Mapping[str, str]) -> Markup:
    """Return the publisher as markup, "" if it is the organisation that the page shows anyway."""
    name, url = facts.get("dcat_publisher_name", ""), facts.get("dcat_publisher_uri", "")
    organisation = package.get("organization") or {}
    if not name or name.casefold() == str(organisation.get("title") or "").casefold():
        return Markup("")
    return shown_facts.render_link(url, name) if is_web_url(url) else shown_facts.render_extra(name)


def _parties(facts: Mapping[str, str]) -> Markup:
    for key in ("responsible-organisation", "responsible-party"):
        if facts.get(key) and (value := inspire.render_parties(facts[key], portal())):
            return value
    return Markup("")


_FOUND, _KNOWN = "ukharvest_found", "ukharvest_dataset_badges"


def remember_results(results: Iterable[Any]) -> None:
    """Remember the datasets that a search found until the end of the request."""
    if has_request_context():
        ids = g.setdefault(_FOUND, {})
        ids.update(
            (result["id"], None)
            for result in results
            if isinstance(result, Mapping) and "id" in result
        )


def ukharvest_dataset_badges(package: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a list of datasets shows in addition to CKAN's own.

    Returns:
        ``stars`` (number, None if not rated), ``text`` (of the stars), ``source`` ({"name",
        "title"}, None if it was not harvested) and ``harvested`` (UTC).
    """
    badges = _of(str(package.get("id") or ""))
    if badges is None:
        return {"stars": None, "text": "", "source": None, "harvested": None}
    is_rated = badges.stars is not None
    best = Stars(badges.stars or 0, badges.code or "", badges.detail or "")
    return {
        "stars": badges.stars,
        "text": shorten(star_texts.describe_stars(best), LONGEST) if is_rated else "",
        "source": {"name": badges.source, "title": badges.title} if badges.source else None,
        "harvested": badges.harvested,
    }


def _of(package_id: str) -> Listed | None:
    known: dict[str, Listed | None] = g.setdefault(_KNOWN, {})
    if package_id and package_id not in known:
        ids = {package_id, *g.get(_FOUND, {})} - known.keys()
        known.update(dict.fromkeys(ids))
        known.update(dataset_badges.load_badges(ids))
    return known.get(package_id)
