"""Likely duplicates of written datasets, found by their files and titles; they wait for a person.

A row of ``Pending`` pairs a record, or its dataset, with the id of another dataset (``new_guid``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sqlalchemy as sa
from ckan import model
from sqlalchemy.dialects.postgresql import JSONB

from ckanext.ukharvest.core.outcomes import DecisionKind, PendingKind

Session = model.Session

MOST_DATASETS = 20  # with a URL; one that more have, such as a home page, is no evidence
MOST_FILES = 10 * MOST_DATASETS  # that are read of a URL: a map service can have 50,000

Row = Mapping[str, str]


def store_duplicates(written: Sequence[Row], copies: Sequence[Row]) -> None:
    """Let likely duplicates wait; two statements, none without datasets; no commit.

    Those have the same title and a URL, or the same URLs, and are no datasets of the same source,
    whose publisher lists both.

    Args:
        written: ``source_id``, ``guid`` and ``package_id`` of records whose datasets are new or
            have changed.
        copies: ``source_id``, ``guid`` and ``other_id`` of records that were refused, because a
            dataset with another title has their identifier.
    """
    if written:
        Session.execute(_FORGET, {"rows": written})
        Session.execute(_FIND, {"rows": written, **_MOST})
    if copies:
        Session.execute(_ADD, {"rows": copies})


_MOST = {"most": MOST_DATASETS, "most_files": MOST_FILES}
_ROWS = sa.bindparam("rows", type_=JSONB)
# What a person said about two datasets, or about a record and a dataset.
_DECIDED = f"""
    EXISTS (SELECT FROM ukharvest_decision AS decision
             WHERE decision.kind = '{DecisionKind.NOT_JOINED}'
               AND decision.options -> 'pair' @> to_jsonb(ARRAY[{{one}}, {{other}}]))
"""
_FORGET = sa.text(
    f"""
    DELETE FROM ukharvest_pending AS pending
     USING jsonb_to_recordset(:rows) AS given (source_id text, guid text)
     WHERE pending.kind = '{PendingKind.DUPLICATE}'
       AND pending.source_id = given.source_id AND pending.guid = given.guid
    """  # noqa: S608 - a text of our own
).bindparams(_ROWS)
_FIND = sa.text(
    f"""
    WITH given AS (
         SELECT * FROM jsonb_to_recordset(:rows)
             AS given (source_id text, guid text, package_id text)),
         mine AS (
         SELECT DISTINCT given.package_id, resource.url
           FROM given JOIN resource ON resource.package_id = given.package_id
          WHERE resource.state = 'active' AND resource.url <> ''),
         listed AS (
         SELECT own.url, others.package_id AS other_id,
                count(*) OVER (PARTITION BY own.url) AS datasets
           FROM (SELECT DISTINCT url FROM mine) AS own
          CROSS JOIN LATERAL (
                SELECT DISTINCT file.package_id
                  FROM (SELECT package_id FROM resource
                         WHERE url = own.url AND state = 'active' LIMIT :most_files) AS file
                 LIMIT :most + 1) AS others),
         pair AS (
         SELECT mine.package_id, listed.other_id, count(*) AS shared
           FROM mine JOIN listed USING (url)
          WHERE listed.datasets <= :most AND listed.other_id <> mine.package_id
          GROUP BY mine.package_id, listed.other_id)
    INSERT INTO ukharvest_pending (source_id, kind, guid, new_guid, since)
    SELECT DISTINCT ON (given.source_id, given.guid) given.source_id, '{PendingKind.DUPLICATE}',
           given.guid, pair.other_id, timezone('utc', now())
      FROM pair
      JOIN given ON given.package_id = pair.package_id
      JOIN package AS own ON own.id = pair.package_id
      JOIN package AS other ON other.id = pair.other_id AND other.type = own.type
       AND other.state = 'active'
     WHERE (lower(trim(own.title)) = lower(trim(other.title))
            OR pair.shared = (SELECT count(*) FROM mine WHERE mine.package_id = own.id)
           AND pair.shared = (SELECT count(DISTINCT resource.url) FROM resource
                               WHERE resource.package_id = other.id AND resource.url <> ''
                                 AND resource.state = 'active'))
       AND NOT EXISTS (SELECT FROM ukharvest_record AS record
                        WHERE record.package_id = other.id
                          AND record.source_id = given.source_id)
       AND NOT EXISTS (SELECT FROM ukharvest_record AS record
                         JOIN ukharvest_pending AS pending
                           ON pending.source_id = record.source_id AND pending.guid = record.guid
                          AND pending.kind = '{PendingKind.DUPLICATE}'
                        WHERE record.package_id = other.id AND pending.new_guid = own.id)
       AND NOT {_DECIDED.format(one="own.id", other="other.id")}
     ORDER BY given.source_id, given.guid, other.metadata_created
        ON CONFLICT (source_id, kind, guid) DO NOTHING
    """  # noqa: S608 - a text of our own
).bindparams(_ROWS)
_ADD = sa.text(
    f"""
    INSERT INTO ukharvest_pending (source_id, kind, guid, new_guid, since)
    SELECT source_id, '{PendingKind.DUPLICATE}', guid, other_id, timezone('utc', now())
      FROM jsonb_to_recordset(:rows) AS given (source_id text, guid text, other_id text)
     WHERE NOT {_DECIDED.format(one="given.guid", other="given.other_id")}
        ON CONFLICT (source_id, kind, guid) DO NOTHING
    """  # noqa: S608 - a text of our own
).bindparams(_ROWS)
