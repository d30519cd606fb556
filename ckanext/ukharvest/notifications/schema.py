"""Schemas of actions: the parameters that each takes, and how they are checked and converted."""

from __future__ import annotations

from typing import Any

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.lib import schema
from ckanext.ukharvest.lib.schema import Schema, Validator, strict_flag_parameter
from ckanext.ukharvest.notifications import model as notification_model

MAX_ADDRESSES = 20


def list_of_texts(value: Any) -> list[str]:
    texts = value if isinstance(value, (list, tuple)) else [value]
    return [str(text).strip() for text in texts if value]


def are_emails(value: list[str]) -> list[str]:
    """Accept email addresses; drop duplicates, ignoring case."""
    addresses = list({address.casefold(): address for address in value if address}.values())
    for address in addresses:
        try:
            tk.get_validator("email_validator")(address, {})
        except tk.Invalid:
            text = tk._("{address} is not an email address, such as data.team@example.gov.uk.")
            raise tk.Invalid(text.format(address=address)) from None
    if len(addresses) > MAX_ADDRESSES:
        text = tk._("Enter at most {n} email addresses. A mailing list counts as one.")
        raise tk.Invalid(text.format(n=MAX_ADDRESSES))
    return addresses


@tk.validator_args
def mail_update_schema(default: Validator) -> Schema:
    return {
        "people": [default(""), list_of_texts],
        "addresses": [default(""), list_of_texts, are_emails],
        "events": [default(""), list_of_texts, schema.some_of(*notification_model.EVENTS)],
        "weekly": [default(notification_model.NEVER), schema.one_of(*notification_model.WEEKLY)],
        "test": strict_flag_parameter(),
    }
