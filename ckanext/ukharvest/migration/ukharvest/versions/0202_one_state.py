"""Store what waits for a person in a table of its own, and each fact of a record once.

Pending deletions and changed identifiers were JSON of their source; a record's outcome also said
how its dataset was adopted and that a person kept it; its state is worked out when asked. A run
that ended itself stores whether ckanext-harvest's email about it is due. Consumers look at
running jobs each second, by an index. Background jobs of plugins are rows until they are sent.

Revision ID: 0202
Revises: 0200
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0202"
down_revision = "0200"
branch_labels = None
depends_on = None

# Rows that wait, as the run found them. Its job may have been deleted since.
CARRY_OVER = (
    """
    INSERT INTO ukharvest_pending (source_id, job_id, kind, guid, since)
    SELECT DISTINCT ON (source.source_id, held.guid)
           source.source_id, job.id, 'deletion', held.guid,
           COALESCE(CAST(NULLIF(source.held ->> 'since', '') AS timestamp),
                    now() AT TIME ZONE 'utc')
      FROM ukharvest_source AS source
     CROSS JOIN LATERAL jsonb_array_elements_text(
           CASE jsonb_typeof(source.held -> 'guids') WHEN 'array' THEN source.held -> 'guids'
                ELSE '[]' END) AS held (guid)
      LEFT JOIN harvest_job AS job ON job.id = source.held ->> 'job_id'
    """,
    """
    INSERT INTO ukharvest_pending (source_id, job_id, kind, guid, new_guid, since)
    SELECT DISTINCT ON (source.source_id, pair.guids ->> 0)
           source.source_id, job.id, 'identifier', pair.guids ->> 0, pair.guids ->> 1,
           COALESCE(CAST(NULLIF(source.changed_identifiers ->> 'since', '') AS timestamp),
                    now() AT TIME ZONE 'utc')
      FROM ukharvest_source AS source
     CROSS JOIN LATERAL jsonb_array_elements(
           CASE jsonb_typeof(source.changed_identifiers -> 'pairs') WHEN 'array'
                THEN source.changed_identifiers -> 'pairs' ELSE '[]' END) AS pair (guids)
      LEFT JOIN harvest_job AS job ON job.id = source.changed_identifiers ->> 'job_id'
    """,
    """
    UPDATE ukharvest_job AS run
       SET waits = jsonb_build_object('reason', '', 'moves', '[]'::jsonb, 'missing', 0)
                || COALESCE((SELECT jsonb_build_object('reason', source.held -> 'reason')
                               FROM ukharvest_source AS source
                              WHERE source.held ->> 'job_id' = run.job_id), '{}')
                || COALESCE((SELECT jsonb_build_object(
                                        'moves', source.changed_identifiers -> 'moves',
                                        'missing', source.changed_identifiers -> 'missing')
                               FROM ukharvest_source AS source
                              WHERE source.changed_identifiers ->> 'job_id' = run.job_id), '{}')
      FROM ukharvest_source AS of_run
     WHERE of_run.source_id = run.source_id
       AND run.job_id IN (of_run.held ->> 'job_id', of_run.changed_identifiers ->> 'job_id')
    """,
    """
    UPDATE ukharvest_record
       SET adopted = CASE outcome WHEN 'adopted' THEN 'source'
                                  WHEN 'adopted by guid' THEN 'guid' ELSE '' END,
           kept = outcome = 'kept',
           outcome = CASE WHEN outcome <> 'kept' THEN ''
                          WHEN error IS NOT NULL THEN 'errored' ELSE 'updated' END
     WHERE outcome IN ('adopted', 'adopted by guid', 'kept')
    """,
)
TAKE_BACK = (
    """
    UPDATE ukharvest_record
       SET outcome = CASE WHEN kept THEN 'kept' WHEN adopted = 'guid' THEN 'adopted by guid'
                          ELSE 'adopted' END
     WHERE kept OR adopted <> ''
    """,
    """
    INSERT INTO ukharvest_source (source_id)
    SELECT DISTINCT source_id FROM ukharvest_pending ON CONFLICT (source_id) DO NOTHING
    """,
    """
    UPDATE ukharvest_source AS source
       SET held = (
           SELECT jsonb_build_object('job_id', max(waiting.job_id), 'guids',
                                     jsonb_agg(waiting.guid ORDER BY waiting.id), 'reason',
                                     COALESCE(max(run.waits ->> 'reason'), ''), 'since',
                                     to_char(min(waiting.since), 'YYYY-MM-DD"T"HH24:MI:SS'))
             FROM ukharvest_pending AS waiting
             LEFT JOIN ukharvest_job AS run ON run.job_id = waiting.job_id
            WHERE waiting.source_id = source.source_id AND waiting.kind = 'deletion'
           HAVING count(*) > 0),
           changed_identifiers = (
           SELECT jsonb_build_object('job_id', max(waiting.job_id), 'pairs',
                                     jsonb_agg(jsonb_build_array(guid, new_guid)
                                               ORDER BY waiting.id),
                                     'moves',
                                     COALESCE(jsonb_agg(run.waits -> 'moves') -> 0, '[]'),
                                     'missing', COALESCE(max(CAST(run.waits ->> 'missing'
                                                                  AS integer)), 0),
                                     'since',
                                     to_char(min(waiting.since), 'YYYY-MM-DD"T"HH24:MI:SS'))
             FROM ukharvest_pending AS waiting
             LEFT JOIN ukharvest_job AS run ON run.job_id = waiting.job_id
            WHERE waiting.source_id = source.source_id AND waiting.kind = 'identifier'
           HAVING count(*) > 0)
     WHERE source_id IN (SELECT source_id FROM ukharvest_pending)
    """,
)
# Of revision 0200.
STATE = """
    CASE WHEN outcome = 'deleted' THEN 'deleted'
         WHEN missed_runs > 0 AND outcome = 'kept' THEN 'kept'
         WHEN missed_runs > 0 THEN 'missing'
         WHEN outcome = 'errored' THEN 'lost'
         WHEN outcome IN ('added', 'updated', 'skipped') THEN outcome
         WHEN outcome = 'kept' THEN 'unchanged'
         ELSE 'waiting' END
"""


def upgrade() -> None:
    """Add tables and columns, carry the rows over, and drop what they come from."""
    op.create_table(
        "ukharvest_pending",
        sa.Column("id", sa.BigInteger, primary_key=True),
        sa.Column(
            "source_id",
            sa.UnicodeText,
            sa.ForeignKey("harvest_source.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column(
            "job_id",
            sa.UnicodeText,
            sa.ForeignKey("harvest_job.id", ondelete="SET NULL"),
            index=True,
        ),
        sa.Column("kind", sa.UnicodeText, nullable=False),
        sa.Column("guid", sa.UnicodeText, nullable=False),
        sa.Column("new_guid", sa.UnicodeText, nullable=False, server_default=""),
        sa.Column("since", sa.DateTime, nullable=False),
        sa.UniqueConstraint("source_id", "kind", "guid", name="ukharvest_pending_source_id_key"),
    )
    op.create_table(
        "ukharvest_held_job",
        sa.Column("id", sa.BigInteger, primary_key=True),
        sa.Column("queue", sa.UnicodeText, nullable=False),
        sa.Column("job_id", sa.UnicodeText, nullable=False),
        sa.Column("title", sa.UnicodeText),
        sa.Column("call", sa.LargeBinary, nullable=False),
        sa.Column("created", sa.DateTime, nullable=False),
    )
    op.add_column(
        "ukharvest_job",
        sa.Column("status_mail_due", sa.Boolean, nullable=False, server_default="false"),
    )
    op.add_column("ukharvest_job", sa.Column("waits", JSONB))
    op.add_column(
        "ukharvest_record",
        sa.Column("adopted", sa.UnicodeText, nullable=False, server_default=""),
    )
    op.add_column(
        "ukharvest_record", sa.Column("kept", sa.Boolean, nullable=False, server_default="false")
    )
    op.execute("DROP INDEX IF EXISTS ukharvest_record_absent")
    op.drop_column("ukharvest_record", "state")
    for statement in CARRY_OVER:
        op.execute(statement)
    op.execute(
        "CREATE INDEX ukharvest_record_absent ON ukharvest_record (source_id) WHERE missed_runs > 0"
    )
    # Consumers ask each second for what is to be done.
    op.execute(
        "CREATE INDEX IF NOT EXISTS ukharvest_job_running ON harvest_job (created)"
        " WHERE status = 'Running'"
    )
    op.drop_column("ukharvest_source", "held")
    op.drop_column("ukharvest_source", "changed_identifiers")


def downgrade() -> None:
    """Do all of it backwards; emails that are due are not sent."""
    op.add_column("ukharvest_source", sa.Column("held", JSONB))
    op.add_column("ukharvest_source", sa.Column("changed_identifiers", JSONB))
    for statement in TAKE_BACK:
        op.execute(statement)
    op.execute("DROP INDEX IF EXISTS ukharvest_job_running")
    op.execute("DROP INDEX ukharvest_record_absent")
    op.add_column(
        "ukharvest_record",
        sa.Column("state", sa.UnicodeText, sa.Computed(STATE, persisted=True), nullable=False),
    )
    op.execute(
        "CREATE INDEX ukharvest_record_absent ON ukharvest_record (source_id)"
        " WHERE state IN ('kept', 'missing')"
    )
    for column in ("kept", "adopted"):
        op.drop_column("ukharvest_record", column)
    for column in ("waits", "status_mail_due"):
        op.drop_column("ukharvest_job", column)
    op.drop_table("ukharvest_held_job")
    op.drop_table("ukharvest_pending")
