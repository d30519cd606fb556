"""What links add to the pages of datasets and sources, and to weekly mails."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ckanext.ukharvest.core.problems.texts import PROBLEM
from ckanext.ukharvest.harvest import links as link_results
from ckanext.ukharvest.lib.permissions import once, readable_organisations
from ckanext.ukharvest.lib.slots import Note, Slot
from ckanext.ukharvest.links import model as link_model
from ckanext.ukharvest.links import texts as link_texts

EXAMPLES = 5  # of a group of problems


def _count(context: Any, source_id: str) -> tuple[int, int]:
    """Return the numbers of a source's links that do not work, and of their datasets.

    Without those of private datasets that the user may not read.
    """
    wanted = link_model.Wanted(source_id, reads=readable_organisations(context))
    question = ("broken links", source_id, context.get("user") or "")
    return once(question, lambda: link_model.count_broken(wanted))


def source_status(context: Any, source_id: str) -> str:
    """Return the heading of a source whose runs work and whose links do not; "" if all do."""
    return link_texts.status_heading(_count(context, source_id)[0])


def problem_groups(context: Any, source_id: str) -> list[dict[str, Any]]:
    """Return a group of the source's links that do not work, [] if all do."""
    number, datasets = _count(context, source_id)
    if not number:
        return []
    wanted = link_model.Wanted(source_id, reads=readable_organisations(context))
    _number, rows = link_model.links(wanted, EXAMPLES, 0)
    nothing = {"record_id": None, "guid": "", "field": "", "line": None}
    examples = [
        {
            **nothing,
            "title": row.title or row.name,
            "message": f"{row.url}: {link_texts.describe_state(link_results.as_dict(row.Link))}",
        }
        for row in rows
    ]
    return [
        {
            "code": link_texts.BROKEN,
            "field": "",
            "severity": str(PROBLEM),
            **link_texts.describe_broken(),
            "records": datasets,
            "occurrences": number,
            "examples": examples,
        }
    ]


def weekly_mail(source_ids: Collection[str]) -> dict[str, Note]:
    """Return the notes of sources with links that do not work."""
    counts = link_model.count_of_sources(source_ids)
    return {
        id_: Note(link_texts.describe_count(number), "ukharvest_links.report")
        for id_, number in counts.items()
        if number
    }


SLOTS = (
    Slot("source_status", "", source_status),
    Slot("problem_groups", "", problem_groups),
    Slot("weekly_mail", "", weekly_mail),
)
