"""What links add to the pages of datasets and sources, and to what there is to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.link_states import LinkState
from ckanext.ukharvest.core.problems.texts import PROBLEM
from ckanext.ukharvest.datasets.facts import load_links
from ckanext.ukharvest.harvest.records.links import describe_link
from ckanext.ukharvest.lib.actions import show_if_may
from ckanext.ukharvest.lib.lookups import once
from ckanext.ukharvest.lib.permissions import readable_organisations
from ckanext.ukharvest.lib.slots import Slot, Task, ToDo
from ckanext.ukharvest.lib.texts import labelled, number
from ckanext.ukharvest.links import model as link_model
from ckanext.ukharvest.links import texts as link_texts
from ckanext.ukharvest.links.model import STATES

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
    return link_texts.describe_count(_count(context, source_id)[0])


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
            "message": f"{row.url}: {link_texts.describe_state(describe_link(row.Link))}",
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


def _task(facts: Mapping[str, Any], name: str) -> Task:
    """Return that files of a source's datasets are dead; others may work again by themselves."""
    url = tk.h.url_for("ukharvest_links.report", source=name, state=LinkState.DEAD)
    text = labelled(link_texts.state_label(LinkState.DEAD), number(facts["number"]))
    return Task(text, facts["since"], tk._("Links"), url)


def dataset(_context: Any, package: Mapping[str, Any]) -> dict[str, Any]:
    """Return texts of a dataset's links that do not work, {} if all do."""
    links = load_links(package)
    urls = {
        resource.get("id"): str(resource.get("url") or "")
        for resource in package.get("resources") or ()
    }
    failed = {
        id_: links[url]
        for id_, url in urls.items()
        if url in links and links[url]["state"] in STATES
    }
    if not failed:
        return {}
    since = min(link["dead_since"] or link["failed_since"] or "" for link in failed.values())
    return {
        "links": {
            "text": link_texts.describe_of_dataset(len(failed), len(urls), since),
            "resources": {id_: link_texts.describe_briefly(link) for id_, link in failed.items()},
        }
    }


def dataset_head(page: Mapping[str, Any], _package: Mapping[str, Any]) -> str:
    """Return how many links of a dataset do not work, "" if all do."""
    return str(page["links"]["text"]) if "links" in page else ""


def resource(page: Mapping[str, Any], shown: Mapping[str, Any]) -> str:
    """Return since when a resource's link does not work, "" if it does."""
    return str(page["links"]["resources"].get(shown["id"], "")) if "links" in page else ""


def resource_page(_package: Mapping[str, Any], shown: Mapping[str, Any]) -> dict[str, Any]:
    """Return the link check of a resource, as ``ukharvest_link_show`` does.

    {} if it was never checked or the user may not see it. Also returns ``sentences``: that the
    link works, and whether its format is another than the metadata say.
    """
    link = show_if_may("ukharvest_link_show", shown["id"])
    if not link:
        return {}
    state = "" if link["state"] in STATES else link["text"]  # else it is below the title
    declared = str(shown.get("format") or "")
    sentences = (state, link_texts.describe_difference(link, declared))
    return {**link, "sentences": list(filter(None, sentences))}


def resource_head(package: Mapping[str, Any], shown: Mapping[str, Any]) -> str:
    """Return since when a resource's link does not work and why, "" if it does."""
    link = load_links(package).get(str(shown.get("url") or ""))
    if not link or link["state"] not in STATES:
        return ""
    return f"{link_texts.describe_state(link)} {link_texts.describe_last_success(link)}".strip()


def dashboard(shown: Mapping[str, Any]) -> Any:
    """Return the figures of links, None if links are not checked."""
    return shown.get("links")


SLOTS = (
    Slot("dashboard", "ukharvest/snippets/dashboard_links.html", dashboard),
    Slot("dataset", "", dataset),
    Slot("dataset_head", "ukharvest/snippets/broken_links.html", dataset_head),
    Slot("resource", "ukharvest/snippets/broken_link.html", resource),
    Slot("resource_head", "ukharvest/snippets/link_warning.html", resource_head),
    Slot("resource_page", "ukharvest/snippets/link.html", resource_page),
    Slot("source_status", "", source_status),
    Slot("problem_groups", "", problem_groups),
    Slot("to_do", "", lambda: ToDo(link_model.TO_DO, _task)),
)
