"""Batches of records, and their imports."""

from __future__ import annotations

from typing import Any

from ckanext.harvest import queue

from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import (
    Channel,
    Portal,
)
from tests.publisher import Publisher

PATH = "/data.json"


def source(
    portal: Portal, publisher: Publisher, datasets: Any, path: str = PATH, **fields: Any
) -> str:
    publisher.serve(path, catalogue(datasets))
    return portal.source(publisher.url(path), **fields)


def gather(portal: Portal, source_id: str) -> str:
    job_id = portal.create_job(source_id)
    portal.gather(job_id)
    return job_id


def deliver_one(object_id: str) -> None:
    body = f'{{"harvest_object_id": "{object_id}"}}'
    queue.fetch_callback(Channel(), queue.FakeMethod(body), None, body)
