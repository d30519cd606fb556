"""What actions share: the asking user, pages of results, limits, the portal's notice."""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Callable, Mapping
from typing import Any

from ckan import model
from ckan.plugins import toolkit as tk

from ckanext.ukharvest import config
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.harvest import database, http_client
from ckanext.ukharvest.harvest.model import utcnow


def collect_pages(ask: Callable[[int], Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the results of all pages.

    Args:
        ask: takes an offset and returns a page: a dict with ``count`` and ``results``.
    """
    rows: list[dict[str, Any]] = []
    while True:
        page = ask(len(rows))
        rows.extend(page["results"])
        if not page["results"] or len(rows) >= page["count"]:
            return rows


def context() -> dict[str, Any]:
    """Return an action context of the user who requests the page.

    As in CKAN's own views it includes the user object, else each check would load it again.
    """
    return {
        "user": tk.current_user.name,
        "auth_user_obj": tk.current_user,
        "model": model,
        "session": model.Session,
    }


def show_if_may(action: str, id_: str) -> dict[str, Any]:
    """Return the result of an action for the user of a page, {} if they may not see it."""
    try:
        return dict(tk.get_action(action)({"user": tk.current_user.name}, {"id": id_}))
    except (tk.ObjectNotFound, tk.NotAuthorized):
        return {}


def roll_back() -> None:
    """Roll back what a failed action wrote, so that the page can use the session again."""
    model.Session.rollback()


PERIOD = 60  # seconds
OF_ALL = 300  # requests of all anonymous visitors together


def seconds_to_wait(address: str) -> int:
    """Count a visitor's request; return after how many seconds to try again, 0 if it is allowed.

    Without Redis every request is allowed, and a warning logged.

    Args:
        address: the visitor's, as Flask has it: behind a proxy, WSGI has to be told.
    """
    own = config.visitor_requests()
    if not own:
        return 0
    for name, limit in ((f"visitor:{_client(address)}", own), ("visitors", OF_ALL)):
        if http_client.count_in_redis(name, PERIOD) > limit:
            return PERIOD
    return 0


def count_check(address: str) -> int:
    """Count a visitor's check; return how many came before it in a minute."""
    return http_client.count_in_redis(f"visitor-checks:{_client(address)}", PERIOD) - 1


def _client(address: str) -> str:
    """Return an address, of IPv6 the network of 64 bits that one client has to choose from."""
    try:
        client = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    return (
        str(client)
        if client.version == 4
        else str(ipaddress.ip_network((client, 64), strict=False))
    )


LONGEST = 1000


def read_notice() -> dict[str, Any]:
    """Return {"text", "by": user name, "since": ISO time in UTC}; "text" is "" without a notice."""
    return parse_notice(database.load_note(database.NOTICE))


def parse_notice(stored: str) -> dict[str, Any]:
    """Return a stored note as ``read`` does."""
    return dict(json.loads(stored)) if stored else {"text": "", "by": "", "since": ""}


def write_notice(text: str, user: str) -> dict[str, Any]:
    """Set the notice, or remove it with ""; commit; return it as ``read`` does."""
    notice = {"text": text, "by": user, "since": iso(utcnow())}
    database.set_note(database.NOTICE, json.dumps(notice) if text else "")
    return read_notice()
