"""No value of a parameter is a server error."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.lib.search import SearchError, SearchQueryError
from ckanext.harvest.logic import HarvestJobExists

from tests.ckan.access import Headers
from tests.ckan.access_rows import TABLE, Row, filled
from tests.security.payloads import ODD_TEXTS, ODD_VALUES, SENT

pytestmark = pytest.mark.in_process

Session = model.Session
# What CKAN's API answers with 4xx.
REFUSALS = (tk.NotAuthorized, tk.ObjectNotFound, tk.ValidationError)
# And ckanext-harvest's own error of a source that has a run already.
OTHERS = (SearchQueryError, SearchError, HarvestJobExists)

FEW: list[Any] = [["a", "b"], 5, 10**25, float("inf"), {"a": 1}, None, *SENT.values()]
# ckanext-harvest does not document all of its parameters.
MORE = {
    "harvest_job_list": ("source_id", "status"),
    "harvest_job_show": ("id", "attr"),
    "harvest_job_report": ("id",),
    "harvest_log_list": ("limit", "offset", "per_page", "level"),
    "harvest_object_list": ("source_id", "only_current"),
    "harvest_object_show": ("id", "attr", "dataset_id"),
    "harvest_source_list": ("organization_id", "only_active", "only_to_run"),
}
# Do all their work, whatever they are asked for.
WORK = {"harvest_sources_reindex", "harvest_jobs_run", "harvest_job_create_all"}


def first_rows() -> Iterator[Row]:
    """Yield the first row of each action."""
    known = set()
    for row in TABLE:
        if row.action not in known and row.action not in WORK:
            known.add(row.action)
            yield row


def parameters(row: Row) -> list[str]:
    text = tk.get_action(row.action).__doc__ or ""
    documented = re.findall(r":param (\w+):", text)
    return sorted({*documented, *row.given, *MORE.get(row.action, ())})


def server_errors(
    place: dict[str, str], user: str, values: Iterable[Any]
) -> list[tuple[str, str, str, str]]:
    """Call each action with each value in each of its parameters; return what went wrong."""
    place["last run"] = place["run"]
    wrong = []
    for row in first_rows():
        valid = filled(row.given, place)
        without = [{key: valid[key] for key in valid if key != name} for name in valid]
        cases = [("without", "", rest) for rest in without]
        cases += [
            (name, repr(value)[:40], {**valid, name: value})
            for name in parameters(row)
            for value in values
        ]
        for name, value, asked in cases:
            try:
                tk.get_action(row.action)({"user": user}, asked)
            except (*REFUSALS, *OTHERS) as exc:
                str(exc)
            except Exception as exc:  # noqa: BLE001 - the test lists them
                wrong.append((row.action, name, value, repr(exc)[:200]))
            finally:
                Session.rollback()
    return wrong


def test_no_parameter_is_a_server_error(place: dict[str, str], people: dict[str, Headers]) -> None:
    wrong = server_errors(place, "", FEW)
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.giant  # 46 values, and each role: the test above has a few, for visitors
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("user", ["", "editor", "sysadmin"])
def test_no_odd_value_is_a_server_error(
    place: dict[str, str], people: dict[str, Headers], user: str
) -> None:
    # What a text can do is the same for all roles that get beyond the right to call the action.
    texts = SENT.values() if user else ODD_TEXTS
    wrong = server_errors(place, user, [*ODD_VALUES, *texts])
    assert not wrong, "\n".join(map(str, wrong))
