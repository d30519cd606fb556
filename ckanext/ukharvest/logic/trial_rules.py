"""What may be looked at before it is saved, by whom, and how much at a time."""

from __future__ import annotations

import json
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import authz
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config, types
from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.address import origin
from ckanext.ukharvest.core.errors import Blocked, ConfigError, UkharvestError
from ckanext.ukharvest.logic import source_rules
from ckanext.ukharvest.model import confirmed, trials

MOST_A_MINUTE = 10
MOST_CHECKS = 3  # under way at a time: each may hold a background worker for ten minutes

Errors = dict[Any, list[str]]


def checked(user: str, data_dict: dict[str, Any], source: HarvestSource | None) -> dict[str, str]:
    """Return what is looked at, as saving the source would have it.

    Args:
        source: the saved source whose form it is.

    Raises:
        ValidationError: saving would refuse it, or the user may not read with its options.
    """
    errors: Errors = {}
    name = str(data_dict.get("source_type") or "")
    kind = types.find(name)
    if not name:
        errors["source_type"] = [tk._("Choose what you publish")]
    elif kind is None or kind.name not in config.our_type_names():
        errors["source_type"] = [
            tk._("Sources of this type cannot be tested; save it, and its first run shows.")
        ]
    url = str(data_dict.get("url") or "").strip()
    if not url:
        errors["url"] = [tk._("Enter the address of the catalogue")]
    else:
        try:
            config.guard().check_url(url)
        except Blocked as exc:
            errors["url"] = [exc.message]
    text = str(data_dict.get("config") or "").strip()
    if kind and not errors:
        text = _checked_options(user, kind, url, text, source, errors)
    if errors:
        raise tk.ValidationError(errors)
    return {"source_type": name, "url": url, "config": text}


def _checked_options(  # noqa: PLR0913 - who wants to read what with what
    user: str,
    kind: types.SourceType,
    url: str,
    text: str,
    source: HarvestSource | None,
    errors: Errors,
) -> str:
    """Check the options as saving and running do: nobody reads with what they may not set."""
    data = {
        ("config",): text,
        ("url",): url,
        ("source_type",): kind.name,
        ("id",): source.id if source else "",
    }
    found: Errors = {("config",): []}
    try:
        source_rules.check_config(("config",), data, found, {"user": user})
        source_rules.check_credential(("url",), url, data, found)
        if not found["config",] and not authz.is_sysadmin(user):
            _check_reach(kind, url, data["config",], source)
    except tk.Invalid as exc:
        found["config",] = [str(exc.error)]
    except UkharvestError as exc:
        found["config",] = [exc.message]
    if messages := found["config",]:
        errors["config"] = messages
    return str(data["config",] or "")


def _check_reach(kind: types.SourceType, url: str, text: str, source: HarvestSource | None) -> None:
    """Refuse what reaches further than a run that this user could start.

    A saved source is there for everybody to see; a test leaves no trace, so with a secret it reads
    what the saved source may read already.

    Raises:
        ConfigError: names the option.
    """
    declared = (*kind.options, *types.COMMON_OPTIONS)
    given = options.validate(json.loads(text or "{}"), declared)
    if source:
        confirmed.check(kind, source.id, given)
    if not given["credential"]:
        return
    stored = source_rules.options_in(source.config) if source else {}
    if (
        source is None
        or stored.get("credential") != given["credential"]
        or origin(url) != origin(source.url)
    ):
        message = tk._(
            "credential: only a sysadmin can test with a secret that the saved source does not"
            " use, or at another server"
        )
        raise ConfigError(message, field="credential")


def check_number(user: str) -> None:
    """Refuse one look more than a user may begin in a minute."""
    if trials.started_lately(user) >= MOST_A_MINUTE:
        words = tk._("You have started {n} tests in the last minute: wait a minute.")
        raise tk.ValidationError({"test": [words.format(n=MOST_A_MINUTE)]})


def check_queue(user: str) -> None:
    """Refuse a check of a whole source while the user has another, or the portal many."""
    under_way = trials.checks_under_way()
    if user in under_way:
        message = tk._("You have another check under way: wait for its end, or stop it.")
        raise tk.ValidationError({"test": [message]})
    if len(under_way) >= MOST_CHECKS:
        words = tk._("{n} checks of other sources are under way: try again in ten minutes.")
        raise tk.ValidationError({"test": [words.format(n=len(under_way))]})
