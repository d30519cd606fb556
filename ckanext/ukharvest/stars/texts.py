"""Stars of openness as text; sentences are built from code and detail when a page is rendered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model

from ckanext.ukharvest.core.link_states import LinkState, parse_dead
from ckanext.ukharvest.core.values.stars import Stars
from ckanext.ukharvest.presentation.messages import links, times
from ckanext.ukharvest.stars import plugins
from ckanext.ukharvest.stars.rules import DEAD_LINK
from ckanext.ukharvest.texts import gettext

# Reasons that are about the file, not about its licence or its absence.
_ON_FILE = frozenset(("format", "linked", "not-data", "unknown-format", "no-format"))


def caption(stars: int) -> str:
    """Return the meaning of a number of stars."""
    captions = (
        tk._("Not available, or not openly licensed"),
        tk._("Unstructured data (such as PDF)"),
        tk._("Structured data in a proprietary format (such as Excel)"),
        tk._("Structured data in an open format (such as CSV)"),
        tk._("Linkable data, with URLs for things (such as RDF)"),
        tk._("Linked data, with links to other data"),
    )
    return str(captions[stars])


def out_of_five(stars: int) -> str:
    """Return "0 out of 5" and so on; as symbols alone, none would look like unknown."""
    return gettext("{stars} out of 5", stars=stars)


def describe_stars(found: Stars) -> str:
    """Return stars and reason as one sentence, without a full stop."""
    return f"{out_of_five(found.stars)}: {reason(found)}"


def reason(found: Stars) -> str:
    """Return the reason for the stars, and if there are none, what would help."""
    words = plugins.reason(found)
    if words:
        return words
    texts = _formats() if found.code == "format" else _reasons()
    text = texts.get(str(found.stars) if found.code == "format" else found.code, "")
    # The detail of an unknown code (a plugin's) is its reason.
    text = text or "{detail}"
    return str(text.format(detail=_detail(found))) or caption(found.stars)


def short(code: str, stars: int) -> str:
    """Return a reason without its detail, for counting datasets."""
    if code == "format":
        return caption(stars)
    return str(_kinds().get(code, code))


def describe_basis(found: Stars, link: Mapping[str, Any] | None) -> str:
    """Return what the stars of a resource rest on, as a sentence; "" if not on its file.

    Args:
        link: as ``link_checks.as_dict`` returns it, None if the link was never checked.
    """
    if found.code not in _ON_FILE:
        return ""
    worked = link and (link["worked"] or (link["checked"] if link["format"] else None))
    if not worked:
        return gettext("This rests on the name and metadata of the file alone.")
    day = times.format_time(worked, day_only=True)
    if link and link["state"] == LinkState.WORKS:
        return gettext("This rests on the check of {day}.", day=day)
    return gettext("This rests on the last check that worked, on {day}.", day=day)


def dead_since(found: Stars) -> str | None:
    """Return the day since which a resource's link is dead, in ISO 8601; None if it is not."""
    day, _fault = parse_dead(found.detail) if found.code == DEAD_LINK else (None, "")
    return day.isoformat() if day else None


def _detail(found: Stars) -> str:
    if found.code == DEAD_LINK:
        day, fault = parse_dead(found.detail)
        since = times.format_time(day and f"{day}T12:00", day_only=True)
        return f"{since}, {links.describe_fault(fault)}" if fault else since
    if found.code != "closed-licence":
        return found.detail
    known = model.Package.get_license_register().get(found.detail)
    return str(known.title) if known else found.detail


def _formats() -> dict[str, str]:
    return {
        "1": tk._("unstructured data ({detail}): use a table or another structured format"),
        "2": tk._("structured data in a proprietary format ({detail})"),
        "3": tk._("structured data in an open format ({detail})"),
        "4": tk._("data with URLs for things ({detail})"),
        "5": tk._("data that is linked to other data ({detail})"),
    }


def _reasons() -> dict[str, str]:
    return {
        DEAD_LINK: tk._(
            "its link has been dead since {detail}: give the URL that the data has now"
        ),
        "linked": tk._("data that is linked to other data ({detail})"),
        "not-data": tk._(
            "{detail} is a page or a program, not data: add the URL of the data itself"
        ),
        "unknown-format": tk._(
            "it can be downloaded, but its format, “{detail}”, has no rating: use a format "
            "that many programs read, such as CSV"
        ),
        "no-format": tk._(
            "it can be downloaded, but neither its format nor its URL says what it is: give "
            "the format, such as CSV"
        ),
        "no-licence": tk._(
            "it has no licence, so it is not clear that the data is open: give one, such as "
            "the Open Government Licence"
        ),
        "closed-licence": tk._(
            "its licence, “{detail}”, is not open: if anyone may use the data for any "
            "purpose, choose an open licence such as the Open Government Licence"
        ),
        "unclear-licence": tk._(
            "its licence, “{detail}”, is not a known open licence: give the URL of the "
            "licence's text"
        ),
        "no-data": tk._("there is no data: add a file or the URL of a service"),
        "unpublished": tk._("the data is not published yet"),
    }


def _kinds() -> dict[str, str]:
    return {
        DEAD_LINK: tk._("Dead link"),
        "linked": caption(5),
        "not-data": tk._("A page or a program, not data"),
        "unknown-format": tk._("Format without a rating"),
        "no-format": tk._("No format"),
        "no-licence": tk._("No licence"),
        "closed-licence": tk._("Licence that is not open"),
        "unclear-licence": tk._("Unknown licence"),
        "no-data": tk._("No data"),
        "unpublished": tk._("Not published yet"),
    }
