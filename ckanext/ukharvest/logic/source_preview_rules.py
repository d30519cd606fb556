"""Checks before a source preview or a dry run starts: options, permissions and limits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import authz
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config, source_types
from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import Blocked, ConfigError, UkharvestError
from ckanext.ukharvest.core.http.urls import origin
from ckanext.ukharvest.logic import own_pages, schema, source_rules
from ckanext.ukharvest.logic.schema import invalid
from ckanext.ukharvest.model import privileged_options, source_previews
from ckanext.ukharvest.texts import gettext

MOST_A_MINUTE = 10
MOST_CHECKS = 3  # at the same time: each can occupy a background worker for ten minutes

Errors = dict[Any, list[str]]


def validate_input(
    user: str, data_dict: dict[str, Any], source: HarvestSource | None
) -> dict[str, str]:
    """Return ``source_type``, ``url`` and ``config`` of a preview, checked as when saving a source.

    A new source without options needs no type: it is found.

    Args:
        user: name of the user who starts it.
        data_dict: as sent to ``ukharvest_source_preview_create``.
        source: the saved source whose form is tested, None for a new one.

    Raises:
        ValidationError: saving would refuse it, or the user may not use its options.
    """
    data = schema.validate(data_dict, schema.source_preview_create_schema())
    name, url, text = data["source_type"], data["url"], data["config"]
    errors: Errors = {}
    kind = source_types.find(name)
    if not name and (source or text):
        errors["source_type"] = [tk._("Choose what you publish")]
    elif name and (kind is None or kind.name not in config.our_type_names()):
        errors["source_type"] = [
            tk._(
                "Sources of this type cannot be tested. Save the source and start its first "
                "run instead."
            )
        ]
    try:
        if not url:
            raise tk.Invalid(tk._("Enter the URL of the catalogue"))
        config.guard().check_url(url)
        own_pages.refuse(url, name)
    except Blocked as exc:
        errors["url"] = [exc.message]
    except tk.Invalid as exc:
        errors["url"] = [str(exc.error)]
    if kind and not errors:
        text = _checked_options(user, kind, url, text, source, errors)
    if errors:
        raise tk.ValidationError(errors)
    return {"source_type": name, "url": url, "config": text}


def _checked_options(  # noqa: PLR0913
    user: str,
    kind: source_types.SourceType,
    url: str,
    text: str,
    source: HarvestSource | None,
    errors: Errors,
) -> str:
    """Return the options, checked as when saving and running; add messages to ``errors``.

    A preview must not read with options that the user may not set.
    """
    data = {
        ("config",): text,
        ("url",): url,
        ("source_type",): kind.name,
        ("id",): source.id if source else "",
    }
    faults: Errors = {("config",): []}
    try:
        source_rules.check_config(("config",), data, faults, {"user": user})
        source_rules.check_credential(("url",), url, data, faults)
        if not faults["config",] and not authz.is_sysadmin(user):
            _check_reach(kind, url, data["config",], source)
    except tk.Invalid as exc:
        faults["config",] = [str(exc.error)]
    except UkharvestError as exc:
        faults["config",] = [exc.message]
    if messages := faults["config",]:
        errors["config"] = messages
    return str(data["config",] or "")


def _check_reach(
    kind: source_types.SourceType, url: str, text: str, source: HarvestSource | None
) -> None:
    """Refuse options that reach further than a run that this user could start.

    Everybody can see a saved source, but a test leaves no trace: it may use a secret only where
    the saved source does already.

    Raises:
        ConfigError: with the name of the option.
    """
    declared = (*kind.options, *source_types.COMMON_OPTIONS)
    values = options.validate(json.loads(text or "{}"), declared)
    if source:
        privileged_options.check(kind, source.id, values)
    if not values["credential"]:
        return
    stored = source_rules.parse_options(source.config) if source else {}
    if (
        source is None
        or stored.get("credential") != values["credential"]
        or origin(url) != origin(source.url)
    ):
        raise ConfigError(
            tk._(
                "credential: only a sysadmin can test with a secret that the saved source does not"
                " use, or at another server"
            ),
            field="credential",
        )


def check_rate(user: str) -> None:
    """Refuse more previews and dry runs than a user may start in a minute."""
    if source_previews.started_lately(user) >= MOST_A_MINUTE:
        raise invalid(
            "test",
            gettext(
                "You have started {n} tests in the last minute. Wait a minute.", n=MOST_A_MINUTE
            ),
        )


def check_queue(user: str) -> None:
    """Refuse a dry run while the user has another one, or the portal too many."""
    under_way = source_previews.dry_runs_under_way()
    if user in under_way:
        raise invalid(
            "test", tk._("Another dry run of yours is in progress. Wait for it, or stop it.")
        )
    if len(under_way) >= MOST_CHECKS:
        raise invalid(
            "test",
            gettext(
                "{n} dry runs of other sources are in progress. Try again in ten minutes.",
                n=len(under_way),
            ),
        )


def is_under_way(preview: Mapping[str, Any]) -> bool:
    """Tell whether a preview, as ``ukharvest_source_preview_show`` returns it, has not ended."""
    return preview["state"] in source_previews.UNDER_WAY
