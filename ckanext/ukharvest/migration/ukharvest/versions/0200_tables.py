"""Create all tables, and the indexes that ckanext-harvest's tables lack.

Revision ID: 0200
Revises:
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

revision = "0200"
down_revision = None
branch_labels = None
depends_on = None

NEEDED = ("harvest_source", "harvest_job", "harvest_object")

INDEXES = {
    # ckanext-harvest queries these columns without an index (its issue 580). The names have our
    # prefix, so that they cannot collide with indexes that it adds one day.
    "ukharvest_object_job_status": "harvest_object (harvest_job_id, report_status)",
    "ukharvest_object_source_current": "harvest_object (harvest_source_id) WHERE current",
    "ukharvest_object_unfinished": (
        "harvest_object (harvest_job_id) WHERE state NOT IN ('COMPLETE', 'ERROR')"
    ),
    "ukharvest_job_source_created": "harvest_job (source_id, created)",
    # Hashes, because a URL can be longer than the 2,704 bytes that an index takes.
    "ukharvest_record_guid": "ukharvest_record (md5(guid))",
    "ukharvest_record_url": "ukharvest_record (md5(url))",
    "ukharvest_coupling_reference": "ukharvest_coupling (md5(reference))",
    "ukharvest_record_origin_guid": "ukharvest_record (md5(origin_guid)) WHERE origin_guid <> ''",
    "ukharvest_record_absent": "ukharvest_record (source_id) WHERE state IN ('kept', 'missing')",
    "ukharvest_record_same_as": "ukharvest_record (same_as) WHERE same_as IS NOT NULL",
    "ix_ukharvest_link_rescore": "ukharvest_link (id) WHERE rescore",
}
# Until revision 0202.
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
    for name, definition in INDEXES.items():
        op.execute(f"CREATE INDEX IF NOT EXISTS {name} ON {definition}")


def downgrade() -> None:
    """Drop all of it."""
    for name in INDEXES:
        op.execute(f"DROP INDEX IF EXISTS {name}")
    for table in reversed(_tables()):
        op.drop_table(f"ukharvest_{table}")


def _tables() -> dict[str, list[Any]]:
    """Return name without prefix → columns and constraints, in an order that foreign keys allow."""
    return {
        "source": [
            _key("source_id", "harvest_source", primary_key=True),
            *_texts("interface"),
            *_jsons("sync_state", "resume", "held", "changed_identifiers", "schedule"),
            *_jsons("mail", "mailed", "adopted_from"),
            *_times("claimed"),
        ],
        "record": [
            _id(),
            _key("source_id", "harvest_source", nullable=False),
            _text("guid"),
            _key("package_id", "package", "SET NULL", is_deferred=True, index=True),
            *_texts("fingerprint", "package_hash", "import_rules_hash", "owner_org"),
            *_texts("etag", "last_modified", "url"),
            *_jsons("resources", "supplied_fields"),
            # Without indexes, each job that is deleted would scan this table for SET NULL.
            _key("first_seen_job_id", "harvest_job", "SET NULL", index=True),
            _key("last_seen_job_id", "harvest_job", "SET NULL", index=True),
            *_times("first_seen", "last_seen", nullable=False),
            *_numbers("missed_runs"),
            *_texts("outcome"),
            _flag("removed"),
            *_texts("origin_guid"),
            _key("same_as", "package", "SET NULL"),
            sa.Column("state", sa.UnicodeText, sa.Computed(STATE, persisted=True), nullable=False),
            *_texts("title"),
            *_jsons("error"),
            *_times("written"),
            sa.UniqueConstraint("source_id", "guid", name="ukharvest_record_source_id_guid_key"),
        ],
        "problem": [
            _id(),
            _record_id(),
            _key("job_id", "harvest_job", "SET NULL", index=True),
            _text("code"),
            *_texts("field"),
            _text("message"),
            sa.Column("line", sa.Integer),
            _flag("current", default="true"),
            _flag("lost"),
            sa.Column("accepted_until", sa.Date),
        ],
        "coupling": [_id(), _record_id(), _text("reference")],
        "version": [
            _id(),
            _record_id(),
            _key("job_id", "harvest_job", "SET NULL", index=True),
            *_times("created", nullable=False),
            sa.Column("content", sa.LargeBinary, nullable=False),
        ],
        "change": [
            _id(),
            _record_id(),
            _key("job_id", "harvest_job", "SET NULL", index=True),
            *_times("created", nullable=False),
            _text("kind"),
            *_jsons("fields", default="[]"),
        ],
        "job": [
            _id(),
            _key("job_id", "harvest_job", "SET NULL", unique=True),
            _key("source_id", "harvest_source", nullable=False, index=True),
            _text("mode", server_default="normal"),
            *_times("started", "heartbeat", "finished"),
            *_jsons("counts", default="{}"),
            _flag("complete"),
            *_texts("outcome", "reason", "asked_by", "stopped_by"),
            *_jsons("error", "figures"),
        ],
        "decision": [
            _id(),
            _key("source_id", "harvest_source", nullable=False, index=True),
            _key("job_id", "harvest_job", "SET NULL", index=True),
            *_times("created", nullable=False),
            *_texts("user_name"),
            _text("kind"),
            *_numbers("number"),
            *_texts("reason"),
            sa.Column("until", sa.Date),
            *_jsons("options"),
            *_texts("code", "field"),
            sa.Column("record_ids", ARRAY(sa.BigInteger)),
        ],
        "outcome": [
            _id(),
            _key("run_id", "ukharvest_job", type_=sa.BigInteger, nullable=False, index=True),
            _key("record_id", "ukharvest_record", "SET NULL", type_=sa.BigInteger, index=True),
            sa.Column("object_id", sa.UnicodeText, unique=True),
            sa.Column("package_id", sa.UnicodeText),
            *_texts("guid", "title"),
            _text("state"),
            _flag("is_same"),
            _flag("is_unread"),
            *_texts("code"),
            sa.Column("message", sa.UnicodeText),
            sa.Column("line", sa.Integer),
            *_jsons("more"),
            *_times("created", nullable=False),
        ],
        "trial": [
            _text("id", primary_key=True),
            _text("user_name", index=True),
            _key("source_id", "harvest_source", index=True),
            *_texts("source_type", "url", "config", "state", "stage"),
            *_numbers("done"),
            *_times("created", nullable=False),
            *_times("heartbeat", "finished"),
            *_jsons("result", "given"),
            sa.Column("content", sa.LargeBinary),
            sa.Column("schema_content", sa.LargeBinary),
        ],
        "link": [
            _id(),
            *_url(),
            *_texts("format", "version", "base_url", "media_type", "title", "why"),
            *_jsons("layers", default="[]"),
            *_times("checked"),
            *_times("due", nullable=False, index=True),
            *_numbers("faults"),
            _text("host", server_default="", index=True),
            *_texts("state", "fault", "checksum"),
            sa.Column("status", sa.Integer),
            *_times("tried", "worked", "failed_since", "absent_since", "covered"),
            *_numbers("absent"),
            sa.Column("size", sa.BigInteger),
            _flag("rescore"),
        ],
        "link_day": [
            sa.Column("day", sa.Date, primary_key=True),
            *_numbers("requests", "links"),
            *_numbers("received", type_=sa.BigInteger),
        ],
        "data_schema": [
            _id(),
            *_url(),
            *_texts("etag", "last_modified", "checksum", "error"),
            sa.Column("content", sa.LargeBinary),
            *_times("fetched"),
            *_times("due", nullable=False),
            *_numbers("faults"),
        ],
        "data_check": [
            _key("resource_id", "resource", primary_key=True),
            _text("url"),
            _text("schema_url", index=True),
            _text("verdict"),
            *_numbers("errors"),
            *_numbers("checked", type_=sa.BigInteger),
            *_texts("unit", "reason", "stopped", "schema_type"),
            *_jsons("report", default="{}"),
            sa.Column("findings", sa.LargeBinary),
            *_texts("checksum", "etag", "last_modified", "schema_checksum"),
            *_times("link_tried", "found"),
            *_times("tried", nullable=False),
            *_times("due"),
            *_numbers("faults"),
            *_texts("fault"),
        ],
        "stars": [
            _key("package_id", "package", is_deferred=True, primary_key=True),
            *_numbers("stars", type_=sa.SmallInteger),
            *_texts("stars_code", "stars_detail"),
            *_jsons("resources", default="{}"),
            *_times("assessed", nullable=False),
        ],
        "theme": [
            _key("package_id", "package", is_deferred=True, primary_key=True),
            *_texts("theme"),
            *_jsons("theme_secondary", default="[]"),
            *_texts("theme_origin"),
            *_jsons("themes", default="[]"),
            *_times("assessed", nullable=False),
        ],
        "worker": [
            _text("id", primary_key=True),
            _text("kind"),
            *_times("started", "heartbeat", nullable=False),
            *_texts("busy_with"),
            *_times("busy_since"),
        ],
        "claim": [
            _key("harvest_object_id", "harvest_object", primary_key=True),
            _text("worker_id", index=True),
            *_times("since", nullable=False),
        ],
        "index_pending": [
            # No foreign key: a purged dataset has to be removed from the index, too.
            _text("package_id", primary_key=True),
            *_times("since", nullable=False, index=True),
            *_numbers("attempts"),
        ],
        "retry": [
            _key("harvest_object_id", "harvest_object", primary_key=True),
            *_numbers("attempts"),
            *_times("due", nullable=False, index=True),
            *_texts("service", "message"),
        ],
    }


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.BigInteger, primary_key=True)


def _text(name: str, **kwargs: Any) -> sa.Column[str]:
    return sa.Column(name, sa.UnicodeText, nullable=False, **kwargs)


def _texts(*names: str) -> list[sa.Column[str]]:
    return [_text(name, server_default="") for name in names]


def _numbers(*names: str, type_: type[sa.Integer] = sa.Integer) -> list[sa.Column[int]]:
    return [sa.Column(name, type_, nullable=False, server_default="0") for name in names]


def _flag(name: str, default: str = "false") -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean, nullable=False, server_default=default)


def _times(*names: str, **kwargs: Any) -> list[sa.Column[Any]]:
    return [sa.Column(name, sa.DateTime, **kwargs) for name in names]


def _jsons(*names: str, default: str | None = None) -> list[sa.Column[Any]]:
    """Return JSON columns; without a default they may be NULL."""
    return [
        sa.Column(name, JSONB, nullable=default is None, server_default=default) for name in names
    ]


def _url() -> list[sa.Column[Any]]:
    """Return a URL and its SHA-256, which is unique: an index of the URL could be too long."""
    return [_text("url"), sa.Column("url_digest", sa.LargeBinary, nullable=False, unique=True)]


def _key(
    column: str,
    table: str,
    ondelete: str = "CASCADE",
    *,
    type_: type[sa.types.TypeEngine[Any]] = sa.UnicodeText,
    is_deferred: bool = False,
    **kwargs: Any,
) -> sa.Column[Any]:
    """Return a column with a foreign key to the id of a table."""
    deferred: dict[str, Any] = {"deferrable": True, "initially": "DEFERRED"} if is_deferred else {}
    return sa.Column(
        column, type_, sa.ForeignKey(f"{table}.id", ondelete=ondelete, **deferred), **kwargs
    )


def _record_id() -> sa.Column[int]:
    return _key("record_id", "ukharvest_record", type_=sa.BigInteger, nullable=False, index=True)
