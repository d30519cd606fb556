"""What approval adds to the list of what there is to do, and what cron does for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckan.plugins import toolkit as tk

from ckanext.ukharvest import config
from ckanext.ukharvest.core.outcomes import PendingKind
from ckanext.ukharvest.harvest.database import execute
from ckanext.ukharvest.harvest.model import Pending
from ckanext.ukharvest.lib.slots import Slot, Task, ToDo
from ckanext.ukharvest.lib.texts import labelled
from ckanext.ukharvest.sources.approvals import REFUSED, WAITS

# What waits is for sysadmins: no organisation has an empty id. What was refused is for editors.
_ROWS = f"""
    SELECT pending.source_id,
           CASE WHEN pending.asked ->> 'refused' IS NULL THEN ARRAY[''] ELSE
                ARRAY[package.owner_org] END AS whom,
           pending.asked || jsonb_build_object('since', pending.since) AS facts
      FROM ukharvest_pending AS pending
      JOIN package ON package.id = pending.source_id
     WHERE pending.kind = '{PendingKind.SOURCE}'
"""  # noqa: S608 - no value is put into it


def _check(facts: Mapping[str, Any]) -> Mapping[str, Any] | None:
    is_for = (facts["refused"] is not None) == facts["is_of_editor"]
    return facts if is_for else None


def _task(facts: Mapping[str, Any], name: str) -> Task:
    if facts["refused"] is None:
        text, page = labelled(tk._(WAITS), facts["url"]), "ukharvest_approval.read"
        return Task(text, facts["since"], tk._("Decide"), tk.h.url_for(page, name=name))
    text = labelled(tk._(REFUSED), facts["refused"])
    url = tk.h.url_for("harvest.edit", id=name)
    return Task(text, facts["since"], tk._("Correct the URL"), url)


def _to_do() -> ToDo | None:
    return ToDo(_ROWS, _task, _check) if config.approves_sources() else None


SLOTS = (Slot("to_do", "", _to_do),)


def forget_requests() -> list[str]:
    """Accept all sources as they are while the portal approves none; commit.

    So they count as accepted when it approves them again.
    """
    if not config.approves_sources():
        execute(sa.delete(Pending).where(Pending.kind == PendingKind.SOURCE))
        model.Session.commit()
    return []


TICK = (forget_requests,)
