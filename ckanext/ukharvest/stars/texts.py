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


# Number of stars → its meaning, and formats for an example.
_CAPTIONS = (
    (_("Not available, or not openly licensed"), ""),
    (_("Unstructured data"), "PDF"),
    (_("Structured data in a proprietary format"), "Excel"),
    (_("Structured data in an open format"), "CSV"),
    (_("Linkable data, with URLs for things"), "RDF"),
    (_("Linked data, with links to other data"), "RDF"),
)
# Reason's code → its text. Those of formats are the captions.
_TEXTS = {
    DEAD_LINK: _("Dead link{detail}. Give the URL that the data has now"),
    "not-data": _("A page or a program, not data{detail}. Add the URL of the data itself"),
    "unknown-format": _("Format without a rating{detail}. Use a common one, such as CSV"),
    "no-format": _("No format. Give it, such as CSV"),
    "no-licence": _("No licence. Choose one, such as the Open Government Licence"),
    "closed-licence": _("Licence that is not open{detail}. Choose an open one if you can"),
    "unclear-licence": _("Unknown licence{detail}. Give the URL of its text"),
    "no-data": _("No data. Add a file or the URL of a service"),
    "unpublished": _("Not published yet"),
}


def caption(stars: int) -> str:
    """Return the meaning of a number of stars, with an example."""
    text, example = _CAPTIONS[stars]
    return str(tk._(text)) + _bracket(example)


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
    """Return stars and reason, without a full stop at the end."""
    return f"{out_of_five(found.stars)}: {reason(found)}"


def reason(found: Stars) -> str:
    """Return the reason for the stars, and if there are none, what would help."""
    if words := plugins.reason(found):
        return words
    if found.code in ("format", "linked"):
        return str(tk._(_CAPTIONS[found.stars][0])) + _bracket(found.detail)
    if found.code in _TEXTS:
        return str(tk._(_TEXTS[found.code]).format(detail=_bracket(_detail(found))))
    # The detail of an unknown code (a plugin's) is its reason.
    return found.detail or caption(found.stars)


def short(code: str, stars: int) -> str:
    """Return a reason without its detail, for counting datasets."""
    if code in ("format", "linked"):
        return caption(stars)
    return str(tk._(_TEXTS[code]).format(detail="")) if code in _TEXTS else code


def _bracket(text: str) -> str:
    return f" ({text})" if text else ""


def describe_basis(found: Stars, link: Mapping[str, Any] | None) -> str:
    """Return what the stars of a resource rest on, as a sentence; "" if not on its file.

    Args:
        link: as ``links.describe_link`` returns it, None if the link was never checked.
    """
    if found.code not in _ON_FILE:
        return ""
    if is_provisional(link):
        return str(tk._("If the link comes back."))
    worked = link and (link["worked"] or (link["checked"] if link["format"] else None))
    if not worked:
        return gettext("Judged from the metadata alone.")
    return gettext("Checked on {date}.", date=texts.format_time(worked, day_only=True))


def is_provisional(link: Mapping[str, Any] | None) -> bool:
    """Tell whether a link fails without being dead: stars that rest on it count if it returns."""
    return link is not None and link["state"] in (LinkState.FAILING, LinkState.AWAY)


def dead_since(found: Stars) -> str | None:
    """Return the day since which a resource's link is dead, in ISO 8601; None if it is not."""
    day = parse_dead(found.detail)[0] if found.code == DEAD_LINK else None
    return day.isoformat() if day else None


def _detail(found: Stars) -> str:
    if found.code == DEAD_LINK:
        day, fault = parse_dead(found.detail)
        since = texts.format_time(day and f"{day}T12:00", day_only=True)
        return f"{since}: {check_texts.describe_fault(fault)}" if fault else since
    if found.code != "closed-licence":
        return found.detail
    known = model.Package.get_license_register().get(found.detail)
    return str(known.title) if known else found.detail
