"""What a test proposes for the form of a new source, with reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.lib.texts import ngettext, number
from ckanext.ukharvest.sources.description import type_label

Row = dict[str, str]


def _row(name: str, value: str, reason: str = "", text: str = "") -> Row:
    """Return a field of the form: its value there, and the texts for people."""
    return {
        "name": name,
        "label": str(tk._(_LABELS[name])),
        "value": value,
        "text": text or value,
        "reason": reason,
    }


def describe_proposals(
    context: Any, result: Mapping[str, Any]
) -> tuple[list[dict[str, str]], dict[str, str]]:
    """Return the proposals with texts, and the values for the form; empty if no type was found.

    Args:
        context: the action's; its user is who adds the source.
        result: of the test, as it is stored; empty if it has none.
    """
    lookup = result.get("lookup")
    if not lookup:
        return [], {}
    rows = list(_rows(context, lookup, result["proposals"]))
    notes = [f"{row['label']}: {row['value']}" for row in rows if row["name"] in _NOTED]
    fields = {row["name"]: row["value"] for row in rows if row["name"] not in _NOTED}
    fields["notes"] = "\n".join(notes)
    return rows, {name: value for name, value in fields.items() if value}


# A source has no such fields: they are proposed for its description.
_NOTED = ("contact", "licence")


def _rows(
    context: Any, lookup: Mapping[str, str], found: Mapping[str, Mapping[str, Any]]
) -> Iterator[Row]:
    kind, publisher = lookup["source_type"], found.get("publisher")
    yield _row("source_type", kind, text=type_label(kind))
    yield _row("url", lookup["url"])
    if publisher:
        yield _row("title", str(publisher["value"]), tk._("Named like the publisher"))
    else:
        yield _row("title", lookup["site_title"] or urlsplit(lookup["url"]).hostname or "")
    yield _organisation(context, str(publisher["value"]).casefold() if publisher else "")
    for name in _NOTED:
        if proposal := found.get(name):
            yield _row(name, str(proposal["value"]), _share(proposal))


def _organisation(context: Any, wanted: str) -> Row:
    show = tk.get_action("organization_list_for_user")
    offered = show({"user": context["user"]}, {"permission": "create_dataset"})
    for organisation in offered:
        title = organisation["display_name"]
        is_named = wanted and wanted in (title.casefold(), organisation["name"].casefold())
        if is_named or len(offered) == 1:
            reason = (
                tk._("Named like the publisher") if is_named else tk._("Your only organisation")
            )
            return _row("owner_org", organisation["id"], reason, title)
    return _row("owner_org", "")


def _share(proposal: Mapping[str, Any]) -> str:
    return ngettext(
        "In {n} of {all} record",
        "In {n} of {all} records",
        proposal["of"],
        n=number(proposal["records"]),
        all=number(proposal["of"]),
    )


_LABELS = {
    "source_type": _("Type"),
    "url": _("URL"),
    "title": _("Title"),
    "owner_org": _("Organisation"),
    "contact": _("Contact"),
    "licence": _("Licence"),
}
