"""What a record is now is one answer everywhere, whoever changed its dataset and by what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import call_action

from ckanext.ukharvest.harvest.model import Pending, Record
from ckanext.ukharvest.harvest.sources import source_status
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act
from tests.ckan.migrations import Ckan, tables_before
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
Session = model.Session


def by_action(ids: list[str]) -> None:
    for id_ in ids:
        call_action("package_delete", id=id_)


def in_bulk(ids: list[str]) -> None:
    organization = model.Package.get(ids[0]).owner_org
    context = {"user": factories.Sysadmin()["name"], "ignore_auth": True}
    call_action("bulk_update_delete", context, datasets=ids, org_id=organization)


def by_purge(ids: list[str]) -> None:
    for id_ in ids:
        call_action("dataset_purge", id=id_)


def by_sql(ids: list[str]) -> None:
    statement = sa.text("UPDATE package SET state = 'deleted' WHERE id = ANY (:ids)")
    Session.execute(statement, {"ids": ids})
    Session.commit()


WAYS = pytest.mark.parametrize("delete", [by_action, in_bulk, by_purge, by_sql])
Delete = Callable[[list[str]], None]


def states(**scope: str) -> dict[str, int]:
    """Return outcome → number of records that a list has of it; rows and numbers agree."""
    found = call_action("ukharvest_record_list", limit=100, **scope)
    rows = [row["outcome"] for row in found["results"]]
    listed = {key: number for key, number in found["listed"].items() if key != "problems"}
    assert listed == {state: rows.count(state) for state in rows}
    for row in found["results"]:
        if row["record_id"] and "source_id" in scope:
            assert act("ukharvest_record_show", id=row["record_id"])["outcome"] == row["outcome"]
    return listed


@WAYS
def test_held_datasets_that_a_person_deletes_wait_no_more(
    portal: Portal, ready_source: SourceMaker, delete: Delete
) -> None:
    source = ready_source(PATH, catalogue(12), then=[catalogue(4)] * 2, name="somewhere")
    run = ready_source.job_id
    ids = [row["dataset_id"] for row in act("ukharvest_pending_list", source_id=source)["results"]]
    assert len(ids) == 8
    delete(ids[:2])
    Session.remove()
    assert act("ukharvest_pending_list", source_id=source)["count"] == 6
    assert source_status.load_statuses([source])[source].held == 6
    assert act("ukharvest_run_show", id=run)["counts"]["held"] == 6
    assert portal.job(run)["stats"]["missing"] == 6
    expected = {"unchanged": 4, "held": 6, "deleted_here": 2}
    assert states(source_id=source) == expected
    assert states(job_id=run)["held"] == 6
    if delete is not by_purge:
        context = {"ignore_auth": False, "user": factories.Sysadmin()["name"]}
        shown = call_action("ukharvest_dataset_show", context, id=ids[0])
        assert shown["state"] == "current"
    assert call_action("ukharvest_dataset_show", id=ids[2])["state"] == "held"
    decided = {"source_id": source, "decision": "approve"}
    assert act("ukharvest_pending_decide", **decided) | {"job_id": ""} == {
        "datasets": 6,
        "deleted": 6,
        "kept": 0,
        "refused": 0,
        "left": 2,
        "job_id": "",
    }
    assert states(source_id=source) == {"unchanged": 4, "deleted": 6, "deleted_here": 2}
    assert act("ukharvest_run_show", id=run)["outcome"] == "decided"
    assert act("ukharvest_run_show", id=run)["counts"]["held"] == 8, "of a run that is decided"


@WAYS
def test_dataset_that_a_person_deleted_has_a_state_of_its_own(
    portal: Portal, publisher: Publisher, ready_source: SourceMaker, delete: Delete
) -> None:
    faulty = {**dataset(1), "license": "as you like"}
    files = [dataset(0), faulty, dataset(2)]
    source = ready_source(PATH, catalogue(files))
    assert act("ukharvest_problem_list", source_id=source)["count"]
    gone = Session.query(Record.package_id).filter(Record.guid.endswith("1")).scalar()
    delete([gone])
    Session.remove()
    is_purged = delete is by_purge  # a record whose dataset is not even in the trash comes back
    state = "waiting" if is_purged else "deleted_here"
    assert states(source_id=source) == {"added": 2, state: 1}
    assert act("ukharvest_problem_list", source_id=source)["count"] == 0
    assert act("ukharvest_problem_group_list", source_id=source) == []
    portal.run(source)
    after = {"unchanged": 2, "added": 1} if is_purged else {"unchanged": 2, "deleted_here": 1}
    assert states(source_id=source) == after
    # Not in the source any more either: nothing waits for it.
    publisher.serve(PATH, catalogue([files[0], files[2]]))
    portal.run(source)
    assert states(source_id=source)["missing" if is_purged else "deleted_here"] == 1


def test_restored_dataset_is_missing_again(portal: Portal, ready_source: SourceMaker) -> None:
    source = ready_source(PATH, catalogue(10), then=[catalogue(9)])
    portal.run(source)
    assert states(source_id=source) == {"unchanged": 9, "deleted": 1}
    Session.execute(sa.text("UPDATE package SET state = 'active' WHERE type = 'dataset'"))
    Session.commit()
    assert states(source_id=source) == {"unchanged": 9, "missing": 1}


FILL = (
    """
    INSERT INTO ukharvest_source (source_id, held, changed_identifiers)
    SELECT :source, jsonb_build_object('job_id', CAST(:job AS text), 'guids',
                                       '["g0", "g1"]'::jsonb, 'reason', 'many are gone',
                                       'since', '2026-11-01T10:00:00'),
           jsonb_build_object('job_id', CAST(:job AS text), 'pairs', '[["g2", "n2"]]'::jsonb,
                              'moves', '[["http://a/", "http://b/"]]'::jsonb, 'missing', 3,
                              'since', '2026-11-02T10:00:00')
    ON CONFLICT (source_id) DO UPDATE
       SET held = excluded.held, changed_identifiers = excluded.changed_identifiers
    """,
    """
    INSERT INTO ukharvest_source (source_id, held) VALUES (:other, 'null')
    ON CONFLICT (source_id) DO UPDATE SET held = excluded.held
    """,
    """
    INSERT INTO ukharvest_record (source_id, guid, first_seen, last_seen, missed_runs, outcome,
                                  error)
    SELECT :source, guid, now(), now(), missed, outcome, CAST(error AS jsonb)
      FROM (VALUES ('g0', 2, 'updated', NULL), ('g1', 3, 'errored', '{"code": "x"}'),
                   ('g2', 0, 'added', NULL), ('a', 0, 'adopted', NULL),
                   ('b', 1, 'adopted by guid', NULL), ('k', 4, 'kept', NULL),
                   ('f', 4, 'kept', '{"code": "x"}'), ('d', 2, 'deleted', NULL),
                   ('s', 0, 'skipped', NULL), ('', 0, '', NULL))
           AS given (guid, missed, outcome, error)
    """,
)
HELD = sa.text("SELECT held, changed_identifiers FROM ukharvest_source WHERE source_id = :source")
OUTCOMES = sa.text(
    "SELECT guid, outcome, state FROM ukharvest_record WHERE source_id = :source ORDER BY guid"
)


def test_migration_carries_over_what_waits_and_each_fact_of_a_record(
    portal: Portal, publisher: Publisher, ckan: Ckan
) -> None:
    publisher.serve(PATH, catalogue(1))
    source, other = (portal.source(publisher.url(PATH) + tail) for tail in ("", "?other"))
    given = {"source": source, "other": other, "job": portal.run(source)["id"]}
    Session.query(Record).delete()
    Session.commit()

    def stored(statement: Any) -> list[Any]:
        return [tuple(row) for row in Session.execute(statement, given)]

    with tables_before("0202", ckan):
        for statement in FILL:
            Session.execute(sa.text(statement), given)
        Session.commit()
        before = stored(HELD), stored(OUTCOMES)
    rows = Session.query(Record).filter_by(source_id=source)
    assert {row.guid: (row.outcome, row.adopted, row.kept) for row in rows} == {
        "g0": ("updated", "", False),
        "g1": ("errored", "", False),
        "g2": ("added", "", False),
        "a": ("", "source", False),
        "b": ("", "guid", False),
        "k": ("updated", "", True),
        "f": ("errored", "", True),
        "d": ("deleted", "", False),
        "s": ("skipped", "", False),
        "": ("", "", False),
    }
    assert {
        (row.source_id, row.job_id, row.kind, row.guid, row.new_guid, str(row.since)[:10])
        for row in Session.query(Pending)
    } == {
        (source, given["job"], "deletion", "g0", "", "2026-11-01"),
        (source, given["job"], "deletion", "g1", "", "2026-11-01"),
        (source, given["job"], "identifier", "g2", "n2", "2026-11-02"),
    }
    waits = act("ukharvest_run_show", id=given["job"])
    assert waits["id"] == given["job"]
    listed = Session.execute(
        sa.text("SELECT waits FROM ukharvest_job WHERE job_id = :job"), given
    ).scalar()
    moves = [["http://a/", "http://b/"]]
    assert listed == {"reason": "many are gone", "moves": moves, "missing": 3}
    with tables_before("0202", ckan):  # down again, as it was
        assert (stored(HELD), stored(OUTCOMES)) == before
