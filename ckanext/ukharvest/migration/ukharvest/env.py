"""Alembic environment of this plugin; CKAN calls it with the address of its own database."""

from __future__ import annotations

import click
from alembic import context
from sqlalchemy import engine_from_config, pool

from ckanext.ukharvest.model import schema_version
from ckanext.ukharvest.model.schema_version import State


def run_migrations() -> None:
    """Run the migrations inside one transaction, under this plugin's own version table.

    Raises:
        ClickException: no migration here has made the tables, or it is not known which; says what
            to do.
    """
    settings = context.config.get_section(context.config.config_ini_section) or {}
    engine = engine_from_config(settings, prefix="sqlalchemy.", poolclass=pool.NullPool)
    with engine.connect() as connection:  # of its own: a query begins a transaction
        if schema_version.is_unversioned(connection):
            raise click.ClickException(schema_version.UNVERSIONED)
    with engine.connect() as connection:
        context.configure(
            connection=connection, target_metadata=None, version_table=schema_version.TABLE
        )
        heads = context.get_context().get_current_heads()
        state = schema_version.state_of(heads)
        if state in (State.UNRELEASED, State.AHEAD):
            version = ", ".join(heads)
            raise click.ClickException(f"{schema_version.TEXTS[state]} (Version {version}.)")
        with context.begin_transaction():
            context.run_migrations()


run_migrations()
