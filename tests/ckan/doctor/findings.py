"""Findings of the doctor, and what causes them."""

from __future__ import annotations

import datetime
import datetime as dt
import json
from typing import Any

from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestObject

from ckanext.ukharvest.harvest.model import JobReport, Worker, utcnow
from ckanext.ukharvest.harvest.run import sweeper
from ckanext.ukharvest.lib.checks import Finding

HOUR = datetime.timedelta(hours=1)


def assert_one(findings: Any, level: str, *words: str) -> Finding:
    """Return the only finding, which has all these words and says what to do."""
    (finding,) = findings
    assert finding.level == level
    text = f"{finding.message} {finding.what_to_do}"
    assert all(word in text for word in words), text
    assert finding.what_to_do
    return finding


def stop_clock(job_id: str, hours: int, **times: Any) -> None:
    """Make a job look as if nothing had happened to it for some hours."""
    then = utcnow() - hours * HOUR
    job = HarvestJob.get(job_id)
    job.created = job.gather_started = then
    job.gather_finished = times.get("gather_finished") and then
    for obj in model.Session.query(HarvestObject).filter_by(harvest_job_id=job_id):
        obj.gathered = then
    for report in model.Session.query(JobReport).filter_by(job_id=job_id):
        report.heartbeat = then
    model.Session.commit()


def make_worker(kind: str, *, seen: dt.timedelta = dt.timedelta(0), busy_with: str = "") -> None:
    now = utcnow()
    id_ = f"host.example:{kind}:{now.isoformat()}"
    model.Session.add(
        Worker(id=id_, kind=kind, started=now, heartbeat=now - seen, busy_with=busy_with)
    )
    model.Session.commit()


PATH = "/data.json"


def swept(moment: datetime.datetime) -> None:
    model.set_system_info(sweeper.NOTE, json.dumps({"at": moment.isoformat()}))
    model.Session.commit()
