"""Make the tables for sources, records, problems and runs; index what harvest's tables lack.

Revision ID: 0001
Revises:
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

NEEDED = ("harvest_source", "harvest_job", "harvest_object")

# ckanext-harvest looks objects up by these without an index (its issue 580). Ours carry our
# name, so that an index that it adds one day does not collide.
HARVEST_INDEXES = {
    "ukharvest_object_job_status": "harvest_object (harvest_job_id, report_status)",
    "ukharvest_object_source_current": "harvest_object (harvest_source_id) WHERE current",
    "ukharvest_object_unfinished": (
        "harvest_object (harvest_job_id) WHERE state NOT IN ('COMPLETE', 'ERROR')"
    ),
    "ukharvest_job_source_created": "harvest_job (source_id, created)",
}


def upgrade() -> None:
    """Make everything, or say which command has to come first."""
    tables = set(sa.inspect(op.get_bind()).get_table_names())
    missing = [name for name in NEEDED if name not in tables]
    if missing:
        raise RuntimeError(
            f"The tables of ckanext-harvest are missing ({', '.join(missing)}): run "
            "'ckan db upgrade -p harvest' first, then 'ckan db upgrade -p ukharvest'."
        )
    _make_source()
    _make_record()
    _make_problem()
    _make_job()
    for name, definition in HARVEST_INDEXES.items():
        op.execute(f"CREATE INDEX IF NOT EXISTS {name} ON {definition}")


def downgrade() -> None:
    """Take everything of ours away again."""
    for name in HARVEST_INDEXES:
        op.execute(f"DROP INDEX IF EXISTS {name}")
    for table in ("problem", "job", "record", "source"):
        op.drop_table(f"ukharvest_{table}")


def _text(name: str) -> sa.Column:
    return sa.Column(name, sa.UnicodeText, nullable=False, server_default="")


def _source(**kwargs: object) -> sa.Column:
    key = sa.ForeignKey("harvest_source.id", ondelete="CASCADE")
    return sa.Column("source_id", sa.UnicodeText, key, nullable=False, **kwargs)


def _job(name: str, **kwargs: object) -> sa.Column:
    key = sa.ForeignKey("harvest_job.id", ondelete="SET NULL")
    return sa.Column(name, sa.UnicodeText, key, **kwargs)


def _make_source() -> None:
    op.create_table(
        "ukharvest_source",
        _source(primary_key=True),
        _text("interface"),
        *(sa.Column(name, JSONB) for name in ("validators", "resume", "held")),
        *(sa.Column(name, JSONB) for name in ("schedule", "recipients")),
    )


def _make_record() -> None:
    package = sa.ForeignKey(
        "package.id", ondelete="SET NULL", deferrable=True, initially="DEFERRED"
    )
    op.create_table(
        "ukharvest_record",
        sa.Column("id", sa.BigInteger, primary_key=True),
        _source(),
        sa.Column("guid", sa.UnicodeText, nullable=False),
        sa.Column("package_id", sa.UnicodeText, package, index=True),
        *(_text(name) for name in ("fingerprint", "etag", "last_modified", "url")),
        sa.Column("resources", JSONB),
        # harvest_job rows are deleted by the thousand when a history is cleared: without
        # indexes each of them would scan this table for SET NULL.
        _job("first_seen_job_id", index=True),
        _job("last_seen_job_id", index=True),
        sa.Column("first_seen", sa.DateTime, nullable=False),
        sa.Column("last_seen", sa.DateTime, nullable=False),
        sa.Column("missed_runs", sa.Integer, nullable=False, server_default="0"),
        _text("outcome"),
        sa.Column("removed", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.UniqueConstraint("source_id", "guid", name="ukharvest_record_source_id_guid_key"),
    )


def _make_problem() -> None:
    record = sa.ForeignKey("ukharvest_record.id", ondelete="CASCADE")
    op.create_table(
        "ukharvest_problem",
        sa.Column("id", sa.BigInteger, primary_key=True),
        sa.Column("record_id", sa.BigInteger, record, nullable=False, index=True),
        sa.Column("code", sa.UnicodeText, nullable=False),
        _text("field"),
        sa.Column("message", sa.UnicodeText, nullable=False),
        sa.Column("line", sa.Integer),
    )


def _make_job() -> None:
    op.create_table(
        "ukharvest_job",
        sa.Column("id", sa.BigInteger, primary_key=True),
        _job("job_id", unique=True),
        _source(index=True),
        sa.Column("mode", sa.UnicodeText, nullable=False, server_default="normal"),
        *(sa.Column(name, sa.DateTime) for name in ("started", "heartbeat", "finished")),
        sa.Column("counts", JSONB, nullable=False, server_default="{}"),
        sa.Column("complete", sa.Boolean, nullable=False, server_default=sa.false()),
        _text("outcome"),
        _text("reason"),
    )
