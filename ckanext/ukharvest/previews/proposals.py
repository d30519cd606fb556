"""What a test proposes for the form of a new source, with reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.lib.texts import ngettext, number
from ckanext.ukharvest.sources.description import type_label

Row = dict[str, str]


def _row(name: str, label: str, value: str, text: str, reason: str) -> Row:
    """Return a field of the form: its value there, and the texts for people."""
    return {"name": name, "label": label, "value": value, "text": text, "reason": reason}


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
    fields = {row["name"]: row["value"] for row in rows if row["value"]}
    values = {name: value for name, value in fields.items() if name not in _NOTED}
    notes = [f"{row['label']}: {row['value']}" for row in rows if row["name"] in _NOTED]
    if notes:
        values["notes"] = "\n".join(notes)
    return rows, values


# A source has no such fields: they are proposed for its description.
_NOTED = ("contact", "licence")


def _rows(
    context: Any, lookup: Mapping[str, str], found: Mapping[str, Mapping[str, Any]]
) -> Iterator[Row]:
    kind = lookup["source_type"]
    label = type_label(kind)
    yield _row("source_type", tk._("Type"), kind, label, _HOW[lookup["how"]]().format(type=label))
    url = lookup["url"]
    yield _row("url", tk._("URL"), url, url, _NEAREST[lookup["how"]]())
    yield _title(lookup, found.get("publisher"))
    yield _organisation(context, found.get("publisher"))
    labels = {"contact": tk._("Contact"), "licence": tk._("Licence")}
    for name in _NOTED:
        if proposal := found.get(name):
            value = str(proposal["value"])
            yield _row(name, labels[name], value, value, _share(proposal))


def _title(lookup: Mapping[str, str], publisher: Mapping[str, Any] | None) -> Row:
    label = str(tk._("Title"))
    if publisher:
        value = str(publisher["value"])
        return _row("title", label, value, value, _share(publisher))
    if value := lookup["site_title"]:
        return _row("title", label, value, value, tk._("Title of the site's first page"))
    value = urlsplit(lookup["url"]).hostname or ""
    return _row("title", label, value, value, tk._("Name of the server"))


def _organisation(context: Any, publisher: Mapping[str, Any] | None) -> Row:
    label = str(tk._("Organisation"))
    show = tk.get_action("organization_list_for_user")
    offered = show({"user": context["user"]}, {"permission": "create_dataset"})
    wanted = str(publisher["value"]).casefold() if publisher else ""
    for organisation in offered:
        title = organisation["display_name"]
        if wanted and wanted in (title.casefold(), organisation["name"].casefold()):
            return _row(
                "owner_org", label, organisation["id"], title, tk._("Named like the publisher")
            )
    if len(offered) == 1:
        return _row(
            "owner_org",
            label,
            offered[0]["id"],
            offered[0]["display_name"],
            tk._("Your only organisation"),
        )
    return _row("owner_org", label, "", "", tk._("None is named like the publisher"))


def _share(proposal: Mapping[str, Any]) -> str:
    return ngettext(
        "In {n} of {all} record",
        "In {n} of {all} records",
        proposal["of"],
        n=number(proposal["records"]),
        all=number(proposal["of"]),
    )


_HOW = {
    "address": lambda: tk._("The file is {type}"),
    "service": lambda: tk._("The server answers as {type}"),
    "site": lambda: tk._("The page belongs to a site of this kind"),
    "place": lambda: tk._("Found at the usual place of {type}"),
}
_NEAREST = {
    "address": lambda: tk._("The URL that you entered"),
    "service": lambda: tk._("The URL that you entered"),
    "site": lambda: tk._("The site that the page belongs to"),
    "place": lambda: tk._("The nearest URL that works"),
}
