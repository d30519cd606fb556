"""Alembic environment of this plugin; CKAN calls it with the address of its own database."""

from __future__ import annotations

from alembic import context
from sqlalchemy import engine_from_config, pool


def run_migrations() -> None:
    """Run the migrations inside one transaction, under this plugin's own version table."""
    settings = context.config.get_section(context.config.config_ini_section) or {}
    engine = engine_from_config(settings, prefix="sqlalchemy.", poolclass=pool.NullPool)
    with engine.connect() as connection:
        context.configure(
            connection=connection, target_metadata=None, version_table="ukharvest_alembic_version"
        )
        with context.begin_transaction():
            context.run_migrations()


run_migrations()
