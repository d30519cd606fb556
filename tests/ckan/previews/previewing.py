"""Tests of sources through actions and the jobs worker."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
import sqlalchemy as sa
from ckan import model
from ckan.lib import jobs
from ckan.tests.helpers import call_action

from ckanext.ukharvest.harvest import background
from tests.publisher import Publisher

PATH = "/data.json"


def as_(user: dict[str, str], action: str, **fields: Any) -> Any:
    context = {"user": user["name"], "model": model, "session": model.Session}
    return tk.get_action(action)(context, fields)


def start_preview(user: dict[str, str], publisher: Publisher, **fields: Any) -> Any:
    given = {"source_type": "data_json", "url": publisher.url(PATH), **fields}
    return as_(user, "ukharvest_source_preview_create", **given)


def work() -> None:
    """Run the queued jobs as a jobs worker does, but for checks of links to hosts of no test."""
    for job in jobs.get_queue().jobs:
        if job.func is not background.work_for_minutes:
            job.func(*job.args)
    call_action("job_clear")
    model.Session.remove()


def count(*tables_: Any) -> list[int]:
    return [model.Session.scalar(sa.select(sa.func.count()).select_from(each)) for each in tables_]
