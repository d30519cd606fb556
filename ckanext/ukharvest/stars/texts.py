"""Stars of openness as text; sentences are built from code and detail when a page is rendered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model

from ckanext.ukharvest.core.link_states import LinkState, parse_dead
from ckanext.ukharvest.core.values.stars import Stars
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.lib import check_texts, texts
from ckanext.ukharvest.lib.slots import Facet
from ckanext.ukharvest.lib.texts import gettext
from ckanext.ukharvest.stars import plugins
from ckanext.ukharvest.stars.rules import DEAD_LINK

# Reasons that are about the file, not about its licence or its absence.
_ON_FILE = frozenset(("format", "linked", "not-data", "unknown-format", "no-format"))


_CAPTIONS = (
    _("Not available, or not openly licensed"),
    _("Unstructured data (such as PDF)"),
    _("Structured data in a proprietary format (such as Excel)"),
    _("Structured data in an open format (such as CSV)"),
    _("Linkable data, with URLs for things (such as RDF)"),
    _("Linked data, with links to other data"),
)
# Reason's code, of formats with the number of stars → its text, and one without detail; "" where
# that is the caption.
_TEXTS = {
    "format-1": (_("unstructured data ({detail}): use a table or another structured format"), ""),
    "format-2": (_("structured data in a proprietary format ({detail})"), ""),
    "format-3": (_("structured data in an open format ({detail})"), ""),
    "format-4": (_("data with URLs for things ({detail})"), ""),
    "format-5": (_("data that is linked to other data ({detail})"), ""),
    DEAD_LINK: (
        _("its link has been dead since {detail}: give the URL that the data has now"),
        _("Dead link"),
    ),
    "linked": (_("data that is linked to other data ({detail})"), ""),
    "not-data": (
        _("{detail} is a page or a program, not data: add the URL of the data itself"),
        _("A page or a program, not data"),
    ),
    "unknown-format": (
        _(
            "it can be downloaded, but its format, “{detail}”, has no rating: use a format "
            "that many programs read, such as CSV"
        ),
        _("Format without a rating"),
    ),
    "no-format": (
        _(
            "it can be downloaded, but neither its format nor its URL says what it is: give "
            "the format, such as CSV"
        ),
        _("No format"),
    ),
    "no-licence": (
        _(
            "it has no licence, so it is not clear that the data is open: give one, such as "
            "the Open Government Licence"
        ),
        _("No licence"),
    ),
    "closed-licence": (
        _(
            "its licence, “{detail}”, is not open: if anyone may use the data for any "
            "purpose, choose an open licence such as the Open Government Licence"
        ),
        _("Licence that is not open"),
    ),
    "unclear-licence": (
        _(
            "its licence, “{detail}”, is not a known open licence: give the URL of the "
            "licence's text"
        ),
        _("Unknown licence"),
    ),
    "no-data": (_("there is no data: add a file or the URL of a service"), _("No data")),
    "unpublished": (_("the data is not published yet"), _("Not published yet")),
}


def caption(stars: int) -> str:
    """Return the meaning of a number of stars."""
    return str(tk._(_CAPTIONS[stars]))


def out_of_five(stars: int) -> str:
    """Return "0 out of 5" and so on; as symbols alone, none would look like unknown."""
    return gettext("{stars} out of 5", stars=stars)


FACETS = {
    "stars": Facet(
        _("Stars of openness"),
        lambda stars: out_of_five(int(stars)) if stars in tuple("012345") else stars,
        is_ranked=True,
    )
}


def describe_stars(found: Stars) -> str:
    """Return stars and reason as one sentence, without a full stop."""
    return f"{out_of_five(found.stars)}: {reason(found)}"


def reason(found: Stars) -> str:
    """Return the reason for the stars, and if there are none, what would help."""
    if words := plugins.reason(found):
        return words
    code = f"format-{found.stars}" if found.code == "format" else found.code
    # The detail of an unknown code (a plugin's) is its reason.
    text = tk._(_TEXTS[code][0]) if code in _TEXTS else "{detail}"
    return str(text.format(detail=_detail(found))) or caption(found.stars)


def short(code: str, stars: int) -> str:
    """Return a reason without its detail, for counting datasets."""
    if code in ("format", "linked"):
        return caption(stars)
    return str(tk._(_TEXTS[code][1])) if code in _TEXTS else code


def describe_basis(found: Stars, link: Mapping[str, Any] | None) -> str:
    """Return what the stars of a resource rest on, as a sentence; "" if not on its file.

    Args:
        link: as ``harvest.links.as_dict`` returns it, None if the link was never checked.
    """
    if found.code not in _ON_FILE:
        return ""
    worked = link and (link["worked"] or (link["checked"] if link["format"] else None))
    if not worked:
        return gettext("This rests on the name and metadata of the file alone.")
    day = texts.format_time(worked, day_only=True)
    if link and link["state"] == LinkState.WORKS:
        return gettext("This rests on the check of {day}.", day=day)
    return gettext("This rests on the last check that worked, on {day}.", day=day)


def dead_since(found: Stars) -> str | None:
    """Return the day since which a resource's link is dead, in ISO 8601; None if it is not."""
    day = parse_dead(found.detail)[0] if found.code == DEAD_LINK else None
    return day.isoformat() if day else None


def _detail(found: Stars) -> str:
    if found.code == DEAD_LINK:
        day, fault = parse_dead(found.detail)
        since = texts.format_time(day and f"{day}T12:00", day_only=True)
        return f"{since}, {check_texts.describe_fault(fault)}" if fault else since
    if found.code != "closed-licence":
        return found.detail
    known = model.Package.get_license_register().get(found.detail)
    return str(known.title) if known else found.detail
