"""When a link works, cannot be reached, is away with its server, or is dead."""

from __future__ import annotations

import datetime as dt

import pytest

from ckanext.ukharvest.core.link_states import (
    HostRecord,
    LinkFault,
    LinkHistory,
    LinkState,
    after_check,
    dead_text,
    fault_of_status,
    host_of,
    next_check,
    parse_dead,
)

START = dt.datetime(2026, 11, 1)  # noqa: DTZ001 - naive UTC
OTHERS_WORK = HostRecord(worked=dt.datetime(2027, 1, 1), tried=20)  # noqa: DTZ001


def checked(
    *checks: tuple[float, str],
    host: HostRecord = HostRecord(),  # noqa: B008
    has_worked: bool = True,
) -> LinkHistory:
    """Return the history after checks: days after START, and the fault."""
    history = LinkHistory(worked=START - dt.timedelta(30) if has_worked else None)
    for days, fault in checks:
        now = START + dt.timedelta(days=days)
        history = after_check(history, LinkFault(fault), now, host)
    return history


def test_a_link_that_works() -> None:
    found = checked((0, "not-found"), (1, ""))
    assert found == LinkHistory(
        LinkState.WORKS, tried=START + dt.timedelta(1), worked=START + dt.timedelta(1)
    )
    assert next_check(found, 30) == dt.timedelta(days=30)


def test_a_link_that_failed_for_less_than_a_week_is_not_dead() -> None:
    assert checked((0, "gone")).state is LinkState.FAILING
    assert checked((0, "not-found"), (9, "not-found")).state is LinkState.FAILING
    soon = checked((0, "not-found"), (1, "not-found"), (6.9, "not-found"))
    assert (soon.state, soon.dead_since) == (LinkState.FAILING, None)


@pytest.mark.parametrize("fault", ["not-found", "gone", "unknown-name", "blocked"])
def test_three_definite_answers_over_a_week_make_a_dead_link(fault: str) -> None:
    found = checked((0, fault), (3, fault), (7, fault))
    assert (found.state, found.dead_since) == (LinkState.DEAD, START)
    assert next_check(found, 30) == dt.timedelta(days=30)


@pytest.mark.parametrize(
    "fault",
    ["timeout", "server-error", "login", "certificate", "access-refused", "bot-filter", "redirect"],
)
def test_other_answers_never_make_a_dead_link(fault: str) -> None:
    found = checked(*((day, fault) for day in range(0, 300, 10)), host=OTHERS_WORK)
    assert found.state is LinkState.FAILING
    assert found.faults == 30


@pytest.mark.parametrize("fault", ["not-found", "gone", "unknown-name"])
def test_a_link_that_never_worked_is_dead_after_two_checks_a_day_apart(fault: str) -> None:
    found = checked((0, fault), (1, fault), has_worked=False)
    assert (found.state, found.dead_since) == (LinkState.DEAD, START)
    assert checked((0, fault), (0.9, fault), has_worked=False).state is LinkState.FAILING
    assert checked((0, fault), (1, "timeout"), has_worked=False).state is not LinkState.DEAD
    assert checked((0, fault), (1, fault)).state is LinkState.FAILING
    refused = (0, "refused"), (0, "blocked"), (9, fault)
    for checks in (refused, (*refused, (9.5, fault))):
        found = checked(*checks, host=OTHERS_WORK, has_worked=False)
        assert found.state is LinkState.FAILING
    found = checked(*refused, (10, fault), host=OTHERS_WORK, has_worked=False)
    assert (found.state, found.dead_since) == (LinkState.DEAD, START + dt.timedelta(days=9))


def test_other_faults_between_do_not_count() -> None:
    between = [(0, "not-found"), (2, "server-error"), (4, "not-found"), (8, "timeout")]
    assert checked(*between, host=OTHERS_WORK).state is LinkState.FAILING
    found = checked(*between, (9, "not-found"), host=OTHERS_WORK)
    assert found.state is LinkState.DEAD
    late = checked((0, "server-error"), (20, "gone"), (20.1, "gone"), (20.2, "gone"))
    assert late.state is LinkState.FAILING


def test_a_dead_link_is_dead_until_it_works() -> None:
    dead = [(0, "gone"), (3, "gone"), (7, "gone")]
    assert checked(*dead, (40, "timeout")).dead_since == START
    assert checked(*dead, (40, "not-asked")).state is LinkState.DEAD
    assert checked(*dead, (40, "")).state is LinkState.WORKS
    again = checked(*dead, (40, ""), (50, "gone"))
    assert (again.state, again.failed_since) == (LinkState.FAILING, START + dt.timedelta(days=50))


@pytest.mark.parametrize("fault", ["refused", "timeout", "connection", "server-error"])
def test_an_unreachable_server_makes_no_dead_link(fault: str) -> None:
    found = checked(*((day, fault) for day in range(0, 300, 10)))
    assert found.state is LinkState.AWAY
    gone_for_a_week = HostRecord(worked=START - dt.timedelta(days=1), tried=50, failed=50)
    assert checked((0, fault), (3, fault), (8, fault), host=gone_for_a_week).state is LinkState.AWAY
    # Most of a host fails, though one link works now and then.
    most = HostRecord(worked=dt.datetime(2027, 1, 1), tried=50, failed=40)  # noqa: DTZ001
    assert checked((0, fault), (3, fault), (8, fault), host=most).state is LinkState.AWAY


def test_a_port_that_refuses_on_a_host_that_works_is_dead() -> None:
    found = checked((0, "refused"), (3, "refused"), (8, "refused"), host=OTHERS_WORK)
    assert found.state is LinkState.DEAD


def test_a_link_that_was_not_requested_keeps_its_check() -> None:
    found = checked((0, ""), (30, "not-asked"))
    assert (found.state, found.tried, found.worked) == (LinkState.AWAY, START, START)
    assert next_check(found, 30) == dt.timedelta(days=1)


def test_the_pauses_after_failures_double_up_to_the_usual_one() -> None:
    days = [
        next_check(checked(*((day, "timeout") for day in range(number))), 30).days
        for number in range(1, 8)
    ]
    assert days == [1, 2, 4, 8, 16, 30, 30]


@pytest.mark.parametrize(
    ("status", "fault"),
    [
        (200, ""),
        (304, ""),
        (404, "not-found"),
        (410, "gone"),
        (401, "login"),
        (403, "access-refused"),
        (429, "too-many-requests"),
        (400, "client-error"),
        (405, "client-error"),
        (500, "server-error"),
        (503, "server-error"),
    ],
)
def test_faults_of_statuses(status: int, fault: str) -> None:
    assert fault_of_status(status) == fault


def test_refusal_is_more_precise_than_status() -> None:
    assert fault_of_status(403, "needs-login") == LinkFault.LOGIN
    assert fault_of_status(503, "bot-filter") == LinkFault.BOT_FILTER
    assert fault_of_status(403, "access-refused") == LinkFault.FORBIDDEN
    assert fault_of_status(200, "bot-filter") == LinkFault.NONE


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://Data.Example/a", "data.example"),
        ("HTTPS://user:pass@data.example:8443?x=@y", "data.example"),
        ("http://[2001:DB8::1]:80/a:b@c", "[2001:db8::1]"),
        ("http://", ""),
        ("nothing", ""),
    ],
)
def test_the_host_of_a_url(url: str, host: str) -> None:
    assert host_of(url) == host


def test_the_text_of_a_dead_link() -> None:
    assert parse_dead(dead_text(START, "gone")) == (START.date(), "gone")
    assert parse_dead("CSV") == (None, "")
