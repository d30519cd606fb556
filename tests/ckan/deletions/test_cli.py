"""The command ``ckan ukharvest approve``."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

import click
import pytest
from ckan import model

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.harvest.model import Pending, Record
from tests.ckan.harvesting import Portal

pytestmark = [pytest.mark.in_process, pytest.mark.usefixtures("consumer")]


def test_the_command_shows_the_list_and_asks(
    portal: Portal,
    pending_source: str,
    ckan: Callable[..., subprocess.CompletedProcess[str]],
    cli: Any,
) -> None:
    refused = ckan("ukharvest", "approve", "source-1", check=False)
    assert refused.returncode != 0
    assert "Dataset 00009" in refused.stdout
    assert "6 of 10" in refused.stdout
    declined = cli.invoke(ukharvest, ["approve", "source-1"], input="n\n")
    assert "Delete 6 datasets? [y/N]: n\nAborted!" in declined.output
    assert len(portal.datasets()) == 10
    assert "Deleted: 6." in cli.invoke(ukharvest, ["approve", "source-1", "--yes"]).output
    assert len(portal.datasets()) == 4
    assert "No deletion" in cli.invoke(ukharvest, ["approve", "source-1"]).output
    assert model.Session.query(Record).filter_by(outcome="deleted").count() == 6


def test_command_deletes_only_what_it_showed(
    portal: Portal, pending_source: str, cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def go_missing(*_args: Any, **_more: Any) -> bool:
        """Answer yes, after a run has found one more record missing."""
        record = model.Session.query(Record).filter_by(title="Dataset 00000").one()
        record.missed_runs = 2
        waits = {"kind": "deletion", "source_id": pending_source}
        model.Session.add(Pending(guid=record.guid, **waits))
        model.Session.commit()
        return True

    monkeypatch.setattr(click, "confirm", go_missing)
    done = cli.invoke(ukharvest, ["approve", "source-1"])
    assert "The list has changed since it was shown" in done.output
    assert (done.exit_code, len(portal.datasets())) == (1, 10)
