"""What likely duplicates add to the list of what there is to do."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.duplicates import model as duplicates
from ckanext.ukharvest.lib.slots import Note, Slot, Task, ToDo
from ckanext.ukharvest.lib.texts import labelled, number


def _task(facts: Mapping[str, Any], _name: str) -> Task:
    title, url = tk._("Likely duplicates"), tk.h.url_for("ukharvest_duplicates.read")
    return Task(labelled(title, number(facts["number"])), facts["since"], title, url)


def _weekly_mail(source_ids: Collection[str]) -> dict[str, Note]:
    title = tk._("Likely duplicates")
    return {
        id_: Note(labelled(title, number(pairs)), "ukharvest_duplicates.read")
        for id_, pairs in duplicates.count_of_sources(source_ids).items()
    }


SLOTS = (
    Slot("to_do", "", lambda: ToDo(duplicates.TO_DO, _task)),
    Slot("weekly_mail", "", _weekly_mail),
)
