"""Checks that compare record rows, datasets, current objects and the search index."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

import ckan.plugins.toolkit as tk
import sqlalchemy as sa
from ckan import model
from ckan.lib import search
from ckanext.harvest.model import HarvestObject, HarvestSource

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core.errors import RejectedByCkan
from ckanext.ukharvest.core.outcomes import RecordOutcome
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.harvest.index import pending_index
from ckanext.ukharvest.harvest.model import Record, utcnow
from ckanext.ukharvest.harvest.run.prune import count_prunable
from ckanext.ukharvest.harvest.sources import dataset_adoption
from ckanext.ukharvest.lib.checks import (
    CURRENT,
    ERROR,
    EXAMPLES,
    INDEX,
    INFO,
    ORPHANS,
    PRUNE,
    STUCK,
    WARNING,
    Finding,
    check,
    examples,
)

Session = model.Session

LONG = datetime.timedelta(hours=1)  # that datasets may wait for the index
BATCH = 1000  # ids per query to Solr or PostgreSQL


@check("form", "The portal's own form accepts most records of each source.")
def refused_by_form() -> Iterator[Finding]:
    """Find sources of which the form refused most records, in their last run or a test since."""
    rows = ((_REFUSED_IN_RUNS, "their last run"), (_REFUSED_IN_TESTS, "their last test"))
    for statement, when in rows:
        sources = [
            f"{name} ({refused:,} of {number:,})"
            for name, refused, number in Session.execute(
                statement, {"rejected": RejectedByCkan.code, "errored": RecordOutcome.ERRORED}
            )
        ]
        if sources:
            yield Finding(
                ERROR,
                "form",
                f"The portal's own form refused most records of {counted(len(sources), 'source')}"
                f" in {when}: {examples(sources)}.",
                "'ckan ukharvest run SOURCE --dry-run' names the fields. Correct the form, or give"
                " the source default values, or its option package_schema the value stock.",
            )


_REFUSED_IN_RUNS = sa.text(
    """
    SELECT package.name, counted.refused, counted.number
      FROM (SELECT source_id, count(*) AS number,
                   count(*) FILTER (WHERE outcome = :errored AND error ->> 'code' = :rejected)
                     AS refused
              FROM ukharvest_record WHERE NOT removed GROUP BY source_id) AS counted
      JOIN harvest_source ON harvest_source.id = counted.source_id AND harvest_source.active
      JOIN package ON package.id = counted.source_id
     WHERE counted.refused * 2 > counted.number
     ORDER BY counted.refused DESC, package.name
    """
)
# Of tests that no run has followed.
_REFUSED_IN_TESTS = sa.text(
    """
    SELECT package.name, CAST(test.refused ->> 'records' AS integer) AS refused,
           CAST(test.refused ->> 'tried' AS integer) AS tried
      FROM (SELECT DISTINCT ON (source_id) source_id, finished, result -> 'refused' AS refused
              FROM ukharvest_trial WHERE source_id IS NOT NULL AND finished IS NOT NULL
             ORDER BY source_id, created DESC) AS test
      JOIN package ON package.id = test.source_id
     WHERE CAST(test.refused ->> 'records' AS integer) * 2
           > CAST(test.refused ->> 'tried' AS integer)
       AND NOT EXISTS (SELECT 1 FROM ukharvest_job AS report
                        WHERE report.source_id = test.source_id
                          AND report.started > test.finished)
     ORDER BY refused DESC, package.name
    """
)


@check("records", "Records, datasets and current objects agree.")
def records() -> Iterator[Finding]:
    """Find record rows whose dataset is gone, and current objects without a record row."""
    is_imported = Record.outcome.in_((RecordOutcome.ADDED, RecordOutcome.UPDATED))
    yield from _report(
        Session.query(Record.guid).filter(is_imported, Record.package_id.is_(None)),
        WARNING,
        "records",
        "Records whose dataset was purged ({count:,}): {some}.",
        "The next run of their source imports them again.",
    )
    yield from _report(
        Session.query(model.Package.name)
        .join(Record, Record.package_id == model.Package.id)
        .filter(is_imported, Record.removed.is_(False), model.Package.state != "active"),
        INFO,
        "records",
        "Harvested datasets deleted by hand, which stay deleted ({count:,}): {some}.",
        "Only a forced run brings them back.",
    )
    yield from _report(
        orphans().with_entities(HarvestObject.guid),
        WARNING,
        "records",
        "Current harvest objects without a record ({count:,}): {some}.",
        "Run 'ckan ukharvest doctor --fix': their source adopts them. Then run the source; records "
        "that it no longer has go missing, and their datasets are deleted as usual.",
        ORPHANS,
    )


def orphans() -> Any:
    """Return a query of current harvest objects that no record row stands for."""
    # Until a run of ours has read a source to its end it is still to be adopted: nothing is wrong.
    was_read = dataset_adoption.was_read(HarvestObject.harvest_source_id)
    known = sa.exists().where(
        Record.source_id == HarvestObject.harvest_source_id, Record.guid == HarvestObject.guid
    )
    return (
        Session.query(HarvestObject)
        .join(HarvestSource, HarvestSource.id == HarvestObject.harvest_source_id)
        .filter(
            HarvestObject.current.is_(True),
            HarvestSource.type.in_(config.our_type_names()),
            was_read,
            ~known,
        )
    )


_OF_ONE_SOURCE = sa.func.count(sa.distinct(HarvestObject.harvest_source_id)) == 1


def ambiguous() -> Any:
    """Return a query of datasets with several current harvest objects, grouped by dataset."""
    return (
        Session.query(model.Package.name)
        .join(HarvestObject, HarvestObject.package_id == model.Package.id)
        .filter(HarvestObject.current.is_(True), model.Package.state == "active")
        .group_by(model.Package.id, model.Package.name)
        .having(sa.func.count() > 1)
    )


def ambiguous_in_source() -> Any:
    """Return those of ``ambiguous`` whose current harvest objects are all of one source."""
    return ambiguous().having(_OF_ONE_SOURCE)


@check("current", "Each dataset has one current object.")
def current_objects() -> Iterator[Finding]:
    """Find datasets with several current objects."""
    yield from _report(
        ambiguous_in_source(),
        WARNING,
        "current",
        "Datasets with more than one current harvest object ({count:,}): {some}.",
        "Run 'ckan ukharvest doctor --fix': the newest one stays current.",
        CURRENT,
    )
    yield from _report(
        ambiguous().having(~_OF_ONE_SOURCE),
        ERROR,
        "current",
        "Datasets written by more than one harvest source ({count:,}): {some}.",
        "Decide which source they belong to, and take the records out of the other.",
    )


@check("duplicates", "No record has two datasets.")
def duplicates() -> Iterator[Finding]:
    """Find records with more than one active dataset, within a source or an organisation."""
    in_source = (
        Session.query(HarvestObject.guid)
        .join(model.Package, model.Package.id == HarvestObject.package_id)
        .filter(
            HarvestObject.current.is_(True),
            HarvestObject.guid != "",
            model.Package.state == "active",
        )
        .group_by(HarvestObject.harvest_source_id, HarvestObject.guid)
        .having(sa.func.count(sa.distinct(HarvestObject.package_id)) > 1)
    )
    yield from _report(
        in_source,
        ERROR,
        "duplicates",
        "Records of one source with more than one dataset ({count:,}): {some}.",
        "Keep the dataset that the source's run updates, and delete the others.",
    )
    guids = (
        sa.select(model.Package.owner_org, compat.dataset_extra("guid").label("guid"))
        .where(model.Package.state == "active", model.Package.type == "dataset")
        .subquery()
    )
    in_organization = (
        Session.query(guids.c.guid)
        .filter(guids.c.guid.isnot(None))
        .group_by(guids.c.owner_org, guids.c.guid)
        .having(sa.func.count() > 1)
    )
    yield from _report(
        in_organization,
        WARNING,
        "duplicates",
        "GUIDs of more than one dataset of an organisation ({count:,}): {some}.",
        "See whether two sources list the same records, and delete one of them.",
    )


def _report(
    query: Any, level: str, code: str, message: str, what_to_do: str, fix: str = ""
) -> Iterator[Finding]:
    """Report the number of a query's results and the first few."""
    query = query.order_by(None)
    count = Session.query(sa.func.count()).select_from(query.subquery()).scalar()
    if count:
        some = examples([value for (value,) in query.limit(EXAMPLES + 1)])
        yield Finding(level, code, message.format(count=count, some=some), what_to_do, fix)


@check("index", "Database and search index agree.")
def index() -> Iterator[Finding]:
    """Find datasets missing from the search index, and search results without a dataset."""
    missing, lacking = _first(missing_in_index())
    if lacking:
        named = sa.select(model.Package.name).where(model.Package.id.in_(missing))
        names = list(Session.scalars(named.order_by(model.Package.name)))
        yield Finding(
            ERROR,
            "index",
            f"{counted(lacking, 'harvested dataset')} missing from the search index: "
            f"{examples(names)}.",
            "Run 'ckan ukharvest doctor --fix', or 'ckan search-index rebuild -o'.",
            INDEX,
        )
    # Datasets that several ticks could not index.
    waiting = pending_index.measure_backlog(utcnow() - LONG)
    if waiting.oldest:
        yield Finding(
            WARNING,
            "index",
            f"{counted(waiting.number, 'dataset')} not in the search index yet, the oldest since "
            f"{waiting.oldest:%Y-%m-%d %H:%M} UTC; it refused {waiting.refused:,} of them.",
            "Check that Solr answers and that 'ckan harvester run' comes from cron: each tick tries"
            " again. The log says why Solr refuses a document.",
            STUCK,
        )
    # CKAN writes Solr before its database: a crash in between leaves a result without a dataset.
    ghosts, more = _first(without_dataset())
    if more:
        yield Finding(
            ERROR,
            "index",
            f"{counted(more, 'search result')} without a dataset: {examples(ghosts)}.",
            "Run 'ckan ukharvest doctor --fix', or 'ckan search-index rebuild -c'.",
            INDEX,
        )


def missing_in_index() -> Iterator[list[str]]:
    """Yield ids of harvested datasets that the search index lacks, in batches."""
    for batch in _harvested_ids():
        results = search.make_connection().search(
            "*:*", fq=[_site(), "{!terms f=id}" + ",".join(batch)], fl="id", rows=len(batch)
        )
        yield sorted(set(batch) - {document["id"] for document in results.docs})


def without_dataset() -> Iterator[list[str]]:
    """Yield ids of search results whose dataset does not exist, in batches."""
    for batch in _solr_ids():
        yield sorted(set(batch) - existing(batch))


def _first(batches: Iterator[list[str]]) -> tuple[list[str], int]:
    """Return the first ids, and the number of all."""
    first: list[str] = []
    count = 0
    for batch in batches:
        count += len(batch)
        first.extend(batch[: EXAMPLES + 1 - len(first)])
    return first, count


def _harvested_ids() -> Iterator[list[str]]:
    """Yield ids of active datasets with a current harvest object, in batches."""
    last = ""
    current = sa.exists().where(
        HarvestObject.package_id == model.Package.id, HarvestObject.current.is_(True)
    )
    query = sa.select(model.Package.id).where(model.Package.state == "active", current)
    page = query.order_by(model.Package.id).limit(BATCH)
    while batch := list(Session.scalars(page.where(model.Package.id > last))):
        last = batch[-1]
        yield batch


def existing(ids: list[str]) -> set[str]:
    """Return those of these ids that are of datasets not deleted."""
    return set(
        Session.scalars(
            sa.select(model.Package.id).where(
                model.Package.id.in_(ids), model.Package.state != "deleted"
            )
        )
    )


def _solr_ids() -> Iterator[list[str]]:
    """Yield ids of all datasets of this site in the search index, in batches."""
    solr = search.make_connection()
    cursor = "*"
    while True:
        results = solr.search(
            "*:*",
            fq=[_site(), "+dataset_type:dataset"],
            fl="id",
            rows=BATCH,
            sort="index_id asc",
            cursorMark=cursor,
        )
        if results.docs:
            yield [document["id"] for document in results.docs]
        if not results.docs or results.nextCursorMark == cursor:
            return
        cursor = results.nextCursorMark


def _site() -> str:
    return '+site_id:"{}" +entity_type:package'.format(tk.config.get("ckan.site_id") or "default")


MANY_ROWS = 500_000  # to prune: they slow down queries and backups


@check("storage", "There is nothing to prune.")
def sizes() -> Iterator[Finding]:
    """Report the size of ``harvest_object`` and the share that can be pruned."""
    runs = config.prune_keep_runs()
    prunable = count_prunable(config.our_type_names(), keep_runs=runs)
    if not prunable.objects and not prunable.jobs:
        return
    size = model.Session.scalar(
        sa.text("SELECT pg_size_pretty(pg_total_relation_size('harvest_object'))")
    )
    yield Finding(
        WARNING if prunable.objects > MANY_ROWS else INFO,
        "storage",
        f"The table harvest_object has {size}; {prunable.objects:,} of its rows and "
        f"{prunable.jobs:,} jobs are older than the last {runs} runs of their source.",
        "'ckan ukharvest prune' removes them; cron does it too, little by little.",
        PRUNE,
    )
