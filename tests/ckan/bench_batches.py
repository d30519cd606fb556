"""Benchmark of first harvests with batches; run by hand: bin/test tests/ckan/bench_batches.py -s."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.ckan.harvesting import Consumers, Portal, act, figures, write_ini
from tests.publisher import Publisher, Response

RECORDS = 400


def record(number: int) -> dict[str, Any]:
    return {
        "@type": "dcat:Dataset",
        "identifier": f"https://data.example.gov.uk/id/{number}",
        "title": f"Dataset {number} of the county",
        "description": f"What the county counted in ward {number}. " * 5,
        "keyword": ["wards", "counts", f"ward {number % 50}"],
        "modified": "2026-05-01",
        "accessLevel": "public",
        "publisher": {"name": "County"},
        "contactPoint": {"fn": "Open data", "hasEmail": "mailto:data@county.example"},
        "license": "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/",
        "distribution": [
            {
                "@type": "dcat:Distribution",
                "title": f"File {n}",
                "mediaType": "text/csv",
                "downloadURL": f"https://data.example.gov.uk/{number}/{n}.csv",
            }
            for n in range(3)
        ],
    }


@pytest.mark.parametrize("batch", [100, 1, 100, 1])
def test_speed(
    batch: int,
    tables: None,
    organization: dict,
    ini: str,
    workers: Any,
    tmp_path: Path,
    publisher: Publisher,
) -> None:
    body = json.dumps(
        {
            "conformsTo": "https://project-open-data.cio.gov/v1.1/schema",
            "dataset": [record(n) for n in range(RECORDS)],
        }
    )
    publisher.routes["/data.json"] = Response(
        body.encode(), headers={"Content-Type": "application/json"}
    )
    workers.stop()
    ini = write_ini(
        ini,
        {"ckanext.ukharvest.batch_size": str(batch), "ckan.search.solr_commit": "false"},
        tmp_path / "b.ini",
    )
    portal = Portal(organization["id"])
    source = portal.source(publisher.url("/data.json"))
    with Consumers(ini, log=tmp_path / "log") as consumers:
        time.sleep(5)
        started = time.monotonic()
        job = act("ukharvest_run_create", source_id=source, mode="normal")["id"]
        consumers.wait(job)
        took = time.monotonic() - started
        job = portal.finish(job)
    print(f"\nBATCH {batch}: {RECORDS / took:.1f} records/s", figures(job))
    print((tmp_path / "log").read_text()[-1500:])
