"""Alembic environment of this plugin; CKAN calls it with the address of its own database."""

from __future__ import annotations

import click
from alembic import context
from sqlalchemy import engine_from_config, pool

from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest.database import State


def run_migrations() -> None:
    """Run the migrations inside one transaction, under this plugin's own version table.

    Raises:
        ClickException: no migration here has made the tables, or it is not known which; says what
            to do.
    """
    settings = context.config.get_section(context.config.config_ini_section) or {}
    engine = engine_from_config(settings, prefix="sqlalchemy.", poolclass=pool.NullPool)
    with engine.connect() as connection:  # of its own: a query begins a transaction
        if database.is_unversioned(connection):
            raise click.ClickException(database.UNVERSIONED)
    with engine.connect() as connection:
        context.configure(connection=connection, target_metadata=None, version_table=database.TABLE)
        heads = context.get_context().get_current_heads()
        state = database.state_of(heads)
        if state in (State.UNRELEASED, State.AHEAD):
            version = ", ".join(heads)
            raise click.ClickException(f"{database.TEXTS[state]} (Version {version}.)")
        with context.begin_transaction():
            context.run_migrations()


run_migrations()
