"""Create all tables, and the indexes that ckanext-harvest's tables lack.

Revision ID: 0100
Revises:
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0100"
down_revision = None
branch_labels = None
depends_on = None

NEEDED = ("harvest_source", "harvest_job", "harvest_object")

# ckanext-harvest queries these columns without an index (its issue 580). The names have our prefix,
# so that they cannot collide with indexes that it adds one day.
HARVEST_INDEXES = {
    "ukharvest_object_job_status": "harvest_object (harvest_job_id, report_status)",
    "ukharvest_object_source_current": "harvest_object (harvest_source_id) WHERE current",
    "ukharvest_object_unfinished": (
        "harvest_object (harvest_job_id) WHERE state NOT IN ('COMPLETE', 'ERROR')"
    ),
    "ukharvest_job_source_created": "harvest_job (source_id, created)",
}
# Hashes, because a URL can be longer than the 2,704 bytes that an index takes.
HASH_INDEXES = (
    ("ukharvest_record_guid", "ukharvest_record", "guid"),
    ("ukharvest_record_url", "ukharvest_record", "url"),
    ("ukharvest_coupling_reference", "ukharvest_coupling", "reference"),
)


def upgrade() -> None:
    """Create tables and indexes.

    Raises:
        RuntimeError: ckanext-harvest's tables are missing; says which command to run first.
    """
    existing = set(sa.inspect(op.get_bind()).get_table_names())
    missing = [name for name in NEEDED if name not in existing]
    if missing:
        raise RuntimeError(
            f"The tables of ckanext-harvest are missing ({', '.join(missing)}): run "
            "'ckan db upgrade -p harvest' first, then 'ckan db upgrade -p ukharvest'."
        )
    for table, columns in _tables().items():
        op.create_table(f"ukharvest_{table}", *columns)
    for name, table, column in HASH_INDEXES:
        op.execute(f"CREATE INDEX {name} ON {table} (md5({column}))")
    op.create_index(
        "ix_ukharvest_link_rescore", "ukharvest_link", ["id"], postgresql_where=sa.text("rescore")
    )
    for name, definition in HARVEST_INDEXES.items():
        op.execute(f"CREATE INDEX IF NOT EXISTS {name} ON {definition}")


def downgrade() -> None:
    """Drop all of it."""
    for name in HARVEST_INDEXES:
        op.execute(f"DROP INDEX IF EXISTS {name}")
    for table in reversed(_tables()):
        op.drop_table(f"ukharvest_{table}")


def _tables() -> dict[str, list[Any]]:
    """Return name without prefix → columns and constraints, in an order that foreign keys allow."""
    return {
        "source": _source(),
        "record": _record(),
        "problem": [
            _id(),
            _record_id(),
            _job_id(index=True),
            sa.Column("code", sa.UnicodeText, nullable=False),
            *_texts("field"),
            sa.Column("message", sa.UnicodeText, nullable=False),
            sa.Column("line", sa.Integer),
            _flag("current", default="true"),
            _flag("lost"),
        ],
        "coupling": [_id(), _record_id(), sa.Column("reference", sa.UnicodeText, nullable=False)],
        "version": [
            _id(),
            _record_id(),
            _job_id(index=True),
            _time("created", nullable=False),
            sa.Column("content", sa.LargeBinary, nullable=False),
        ],
        "change": [
            _id(),
            _record_id(),
            _job_id(index=True),
            _time("created", nullable=False),
            sa.Column("kind", sa.UnicodeText, nullable=False),
            _json("fields", default="[]"),
        ],
        "job": _job(),
        "trial": _trial(),
        "link": _link(),
        "link_day": [
            sa.Column("day", sa.Date, primary_key=True),
            _number("requests"),
            _number("received", sa.BigInteger),
            _number("links"),
        ],
        "data_schema": [
            _id(),
            *_url(),
            *_texts("etag", "last_modified", "checksum", "error"),
            sa.Column("content", sa.LargeBinary),
            _time("fetched"),
            _time("due", nullable=False),
            _number("faults"),
        ],
        "data_check": _data_check(),
        "assessment": _assessment(),
        "worker": [
            sa.Column("id", sa.UnicodeText, primary_key=True),
            sa.Column("kind", sa.UnicodeText, nullable=False),
            _time("started", nullable=False),
            _time("heartbeat", nullable=False),
            *_texts("busy_with"),
            _time("busy_since"),
        ],
        "claim": [
            _harvest_object_id(),
            sa.Column("worker_id", sa.UnicodeText, nullable=False, index=True),
            _time("since", nullable=False),
        ],
        "index_pending": [
            # No foreign key: a purged dataset has to be removed from the index, too.
            sa.Column("package_id", sa.UnicodeText, primary_key=True),
            _time("since", nullable=False, index=True),
            _number("attempts"),
        ],
        "retry": [
            _harvest_object_id(),
            _number("attempts"),
            _time("due", nullable=False, index=True),
            *_texts("service", "message"),
        ],
    }


def _source() -> list[Any]:
    return [
        _source_id(primary_key=True),
        *_texts("interface"),
        *(_json(name) for name in ("sync_state", "resume", "held", "schedule")),
        *(_json(name) for name in ("confirmed_options", "mail", "mailed")),
        *(_json(name) for name in ("adopted_from", "set_aside")),
        _time("claimed"),
    ]


def _record() -> list[Any]:
    return [
        _id(),
        _source_id(nullable=False),
        sa.Column("guid", sa.UnicodeText, nullable=False),
        sa.Column("package_id", sa.UnicodeText, _package("SET NULL"), index=True),
        *_texts("fingerprint", "package_hash", "import_rules_hash"),
        *_texts("etag", "last_modified", "url"),
        _json("resources"),
        # Without indexes, each job that is deleted would scan this table for SET NULL.
        _job_id("first_seen_job_id", index=True),
        _job_id("last_seen_job_id", index=True),
        _time("first_seen", nullable=False),
        _time("last_seen", nullable=False),
        _number("missed_runs"),
        *_texts("outcome"),
        _flag("removed"),
        *_texts("title"),
        _json("error"),
        _time("written"),
        sa.UniqueConstraint("source_id", "guid", name="ukharvest_record_source_id_guid_key"),
    ]


def _job() -> list[Any]:
    return [
        _id(),
        _job_id(unique=True),
        _source_id(nullable=False, index=True),
        sa.Column("mode", sa.UnicodeText, nullable=False, server_default="normal"),
        *(_time(name) for name in ("started", "heartbeat", "finished")),
        _json("counts", default="{}"),
        _flag("complete"),
        *_texts("outcome", "reason", "asked_by", "stopped_by"),
        _json("error"),
    ]


def _trial() -> list[Any]:
    return [
        sa.Column("id", sa.UnicodeText, primary_key=True),
        sa.Column("user_name", sa.UnicodeText, nullable=False, index=True),
        _source_id(index=True),
        *_texts("source_type", "url", "config", "state", "stage"),
        _number("done"),
        _time("created", nullable=False),
        _time("heartbeat"),
        _time("finished"),
        _json("result"),
        _json("given"),
        sa.Column("content", sa.LargeBinary),
        sa.Column("schema_content", sa.LargeBinary),
    ]


def _link() -> list[Any]:
    return [
        _id(),
        *_url(),
        *_texts("format", "version", "base_url", "media_type", "title", "why"),
        _json("layers", default="[]"),
        _time("checked"),
        _time("due", nullable=False, index=True),
        _number("faults"),
        sa.Column("host", sa.UnicodeText, nullable=False, server_default="", index=True),
        *_texts("state", "fault", "checksum"),
        sa.Column("status", sa.Integer),
        *(_time(name) for name in ("tried", "worked", "failed_since", "absent_since", "covered")),
        _number("absent"),
        sa.Column("size", sa.BigInteger),
        _flag("rescore"),
    ]


def _data_check() -> list[Any]:
    resource = sa.ForeignKey("resource.id", ondelete="CASCADE")
    return [
        sa.Column("resource_id", sa.UnicodeText, resource, primary_key=True),
        sa.Column("url", sa.UnicodeText, nullable=False),
        sa.Column("schema_url", sa.UnicodeText, nullable=False, index=True),
        sa.Column("verdict", sa.UnicodeText, nullable=False),
        _number("errors"),
        _number("checked", sa.BigInteger),
        *_texts("unit", "reason", "stopped", "schema_type"),
        _json("report", default="{}"),
        sa.Column("findings", sa.LargeBinary),
        *_texts("checksum", "etag", "last_modified", "schema_checksum"),
        _time("link_tried"),
        _time("found"),
        _time("tried", nullable=False),
        _time("due"),
        _number("faults"),
        *_texts("fault"),
    ]


def _assessment() -> list[Any]:
    return [
        sa.Column("package_id", sa.UnicodeText, _package("CASCADE"), primary_key=True),
        _number("stars", sa.SmallInteger),
        *_texts("stars_code", "stars_detail"),
        _json("resources", default="{}"),
        *_texts("theme"),
        _json("theme_secondary", default="[]"),
        *_texts("theme_origin"),
        _json("themes", default="[]"),
        _time("assessed", nullable=False),
    ]


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.BigInteger, primary_key=True)


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(each, sa.UnicodeText, nullable=False, server_default="") for each in names]


def _number(name: str, type_: type[sa.Integer] = sa.Integer) -> sa.Column[int]:
    return sa.Column(name, type_, nullable=False, server_default="0")


def _flag(name: str, default: str = "false") -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean, nullable=False, server_default=default)


def _time(name: str, **kwargs: Any) -> sa.Column[Any]:
    return sa.Column(name, sa.DateTime, **kwargs)


def _json(name: str, default: str | None = None) -> sa.Column[Any]:
    """Return a JSON column; without a default it may be NULL."""
    return sa.Column(name, JSONB, nullable=default is None, server_default=default)


def _url() -> list[sa.Column[Any]]:
    """Return a URL and its SHA-256, which is unique: an index of the URL could be too long."""
    return [
        sa.Column("url", sa.UnicodeText, nullable=False),
        sa.Column("url_digest", sa.LargeBinary, nullable=False, unique=True),
    ]


def _source_id(**kwargs: Any) -> sa.Column[str]:
    key = sa.ForeignKey("harvest_source.id", ondelete="CASCADE")
    return sa.Column("source_id", sa.UnicodeText, key, **kwargs)


def _job_id(name: str = "job_id", **kwargs: Any) -> sa.Column[str]:
    key = sa.ForeignKey("harvest_job.id", ondelete="SET NULL")
    return sa.Column(name, sa.UnicodeText, key, **kwargs)


def _record_id() -> sa.Column[int]:
    key = sa.ForeignKey("ukharvest_record.id", ondelete="CASCADE")
    return sa.Column("record_id", sa.BigInteger, key, nullable=False, index=True)


def _harvest_object_id() -> sa.Column[str]:
    key = sa.ForeignKey("harvest_object.id", ondelete="CASCADE")
    return sa.Column("harvest_object_id", sa.UnicodeText, key, primary_key=True)


def _package(ondelete: str) -> sa.ForeignKey:
    return sa.ForeignKey("package.id", ondelete=ondelete, deferrable=True, initially="DEFERRED")
