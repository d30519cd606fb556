"""Write the dump of a portal that this commit has filled; run by hand, at each version of CKAN:

bin/test [--ckan VERSION] tests/ckan/portal_dumps/make.py -o python_files=make.py
"""

from __future__ import annotations

import os

import pytest
from ckan import __version__, model

from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Portal, act, figures
from tests.ckan.portal_dumps import dump
from tests.ckan.portal_dumps.portal import (
    CATALOGUE,
    FAULTY,
    GONE,
    HELD,
    LEFT,
    RECORDS,
    changed,
    places,
    publishers,
    serve_last,
)
from tests.contract import SERVERS, items

pytestmark = pytest.mark.in_process
NAME = os.environ.get("UKHARVEST_DUMP", "before-floors")


def test_write_the_dump(portal: Portal) -> None:
    with publishers() as found:
        for type_, serve in sorted(SERVERS.items()):
            served = serve(found[type_], items(RECORDS))
            url = found[type_].url(served.path)
            source = portal.source(url, type_, name=type_, frequency="DAILY")
            assert figures(portal.run(source)) == {"added": RECORDS}
            serve(found[type_], items(RECORDS - 1))
            portal.run(source)
            serve(found[type_], changed())
            assert figures(portal.run(source)) == {"updated": 1, "not modified": RECORDS - 1}
        found[HELD].serve(CATALOGUE, catalogue(LEFT + GONE))
        held = portal.source(found[HELD].url(CATALOGUE), name=HELD, frequency="WEEKLY")
        portal.run(held)
        serve_last(found)
        for _ in range(2):
            job = portal.run(held)
        assert job["ukharvest"]["outcome"] == "held"
        faulty = portal.source(found[FAULTY].url(CATALOGUE), name=FAULTY)
        portal.run(faulty)
        act("ukharvest_mail_update", source_id=faulty, addresses=["data@council.test"])
        act("ukharvest_dry_run_create", source_id=faulty)  # it waits for a jobs worker
        model.Session.remove()
        version = ".".join(__version__.split(".")[:2])
        dump.write(dump.path(NAME, version), places(found))
