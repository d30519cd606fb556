"""Many sources at once."""

from __future__ import annotations

import csv
import datetime as dt
import io
import uuid
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckan.tests.helpers import CKANTestApp

from ckanext.ukharvest.harvest.model import utcnow


def many(count: int, organization_id: str) -> None:
    """Insert sources with two runs each."""
    now = utcnow()
    ids = [str(uuid.uuid4()) for _number in range(count)]
    rows = [
        {"id": id_, "n": number, "org": organization_id, "now": now - dt.timedelta(minutes=number)}
        for number, id_ in enumerate(ids)
    ]
    _insert(
        "INSERT INTO package (id, name, title, type, state, owner_org, private, metadata_created,"
        " metadata_modified) VALUES (:id, 'many-' || :n, 'Catalogue of council ' || :n, 'harvest',"
        " 'active', :org, false, :now, :now)",
        rows,
    )
    _insert(
        "INSERT INTO harvest_source (id, url, title, type, active, created, frequency, next_run)"
        " VALUES (:id, 'https://council-' || :n || '.example/data.json', 'x',"
        " CASE WHEN :n % 3 = 0 THEN 'ckan' ELSE 'data_json' END, true, :now, 'DAILY', :now)",
        rows,
    )
    for round_ in (0, 1):
        jobs = [{**row, "job": f"{row['id']}-{round_}"} for row in rows]
        _insert(
            "INSERT INTO harvest_job (id, source_id, status, created, gather_started,"
            " gather_finished, finished) VALUES (:job, :id, 'Finished', :now, :now, :now, :now)",
            jobs,
        )
        _insert(
            "INSERT INTO ukharvest_job (job_id, source_id, outcome, started, finished)"
            " VALUES (:job, :id, CASE WHEN :n % 50 = 0 THEN 'failed' ELSE 'finished' END,"
            " :now, :now)",
            jobs,
        )
    model.Session.commit()


def _insert(statement: str, rows: Sequence[dict[str, Any]]) -> None:
    model.Session.execute(sa.text(statement), list(rows))


def rows(app: CKANTestApp, query: str = "", **more: Any) -> list[dict[str, str]]:
    answer = app.get(f"/harvest/sources.csv{query}", **more)
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(answer.body)))
