"""What is wrong with a source that somebody is about to save, in words for the form's fields."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import authz

from ckanext.ukharvest import config, types
from ckanext.ukharvest.core import schedule
from ckanext.ukharvest.core.address import parse
from ckanext.ukharvest.core.errors import Blocked
from ckanext.ukharvest.core.guard import Guard
from ckanext.ukharvest.pages.form_values import Form, Sent, field_name, shown_options
from ckanext.ukharvest.words import source_words

Errors = dict[str, list[str]]
# Every address passes it that is one at all.
_ANYWHERE = Guard(("0.0.0.0/0", "::/0"))
NO_OWNER = "none"  # sent for no organisation; an empty field is a choice not made
# A message of an option begins with its name.
_OPTION = re.compile(r"(\w+): (.+)", re.DOTALL)


def problems(form: Form, sent: Sent, source: Mapping[str, Any] | None) -> Errors:
    """Return messages by name of the field, in the order of the page; {} where all is well.

    Args:
        source: the source that is edited, as ``source_frame.find`` returns it; None for a new one.
    """
    found: Errors = {}
    if not sent.source_type:
        found["source_type"] = [tk._("Choose what you publish")]
    if told := _address(sent.url):
        found["url"] = [told]
    found.update(sent.errors)
    if not form.get("title", "").strip():
        found["title"] = [tk._("Enter a title")]
    # A program may leave the field out where the site lets it.
    if not form.get("owner_org", "" if source is None and not may_be_unowned() else NO_OWNER):
        found["owner_org"] = [tk._("Choose an organisation")]
    if form.get("frequency", schedule.MANUAL) not in source_words.FREQUENCIES:
        found["frequency"] = [tk._("Choose how often")]
    if not schedule.is_time(form.get("time", "").strip()):
        found["time"] = [tk._("Enter a time like 02:00, or none")]
    if not set(form.getlist("days")) <= set(schedule.DAYS):
        found["days"] = [tk._("Choose days of the week")]
    return found


def may_be_unowned() -> bool:
    """Whether a source may belong to no organisation."""
    return bool(authz.check_config_permission("create_unowned_dataset"))


def _address(url: str) -> str:
    if not url:
        return str(tk._("Enter the address of the catalogue"))
    if "://" not in url and not url.startswith(("/", "data:")):
        return str(tk._("Start the address with https:// or http://"))
    try:
        parse(url)
        _ANYWHERE.check_url(url)
    except Blocked as exc:
        return exc.message
    try:
        config.guard().check_url(url)
    except Blocked:
        message = tk._(
            "This address is inside a private network. Sysadmins can allow it in the site's"
            " settings."
        )
        return str(message)
    return ""


def placed(refused: Mapping[str, Any], source_type: str, *, sysadmin: bool) -> Errors:
    """Return an action's errors by name of the form's field; those of options at their fields."""
    found: Errors = {}
    for name, told in refused.items():
        texts = [str(each) for each in told] if isinstance(told, list) else [str(told)]
        for text in texts:
            field, words = _place(name, text, source_type, sysadmin=sysadmin)
            found.setdefault(field, []).append(words)
    return found


def _place(name: str, text: str, source_type: str, *, sysadmin: bool) -> tuple[str, str]:
    kind, match = types.find(source_type), _OPTION.fullmatch(text)
    if name == "config" and kind and match:
        for part, options in shown_options(kind, sysadmin=sysadmin):
            if any(option.name == match[1] for option in options):
                return field_name(part, match[1]), match[2]
    return name, text


def in_order(errors: Errors, source_type: str) -> Errors:
    """Return errors in the order in which the page shows their fields."""
    kind = types.find(source_type)
    shown = dict(shown_options(kind, sysadmin=True)) if kind else {}
    own, common = (
        [field_name(part, each.name) for each in shown.get(part, ())]
        for part in (kind.name if kind else "", "common")
    )
    first = ("source_type", "url", *own, "title", "owner_org", "notes", "frequency", "time", "days")
    order = (*first, "name", *common, "config")
    last = len(order)
    place = {name: number for number, name in enumerate(order)}
    return dict(sorted(errors.items(), key=lambda each: place.get(each[0], last)))
