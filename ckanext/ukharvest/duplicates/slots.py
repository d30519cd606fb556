"""What likely duplicates add to the list of what there is to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.duplicates import model as duplicates
from ckanext.ukharvest.lib.slots import Slot, Task, ToDo
from ckanext.ukharvest.lib.texts import labelled, number


def _task(facts: Mapping[str, Any], _name: str) -> Task:
    title, url = tk._("Likely duplicates"), tk.h.url_for("ukharvest_duplicates.read")
    return Task(labelled(title, number(facts["number"])), facts["since"], title, url)


SLOTS = (Slot("to_do", "", lambda: ToDo(duplicates.TO_DO, _task)),)
