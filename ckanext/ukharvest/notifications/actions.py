"""Actions: show and set who gets emails about a harvest source."""

from __future__ import annotations

from typing import Any

from ckan import model
from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.harvest import http_client
from ckanext.ukharvest.harvest.model import SourceState, utcnow
from ckanext.ukharvest.lib import schema
from ckanext.ukharvest.lib.lookups import source_of
from ckanext.ukharvest.lib.schema import invalid
from ckanext.ukharvest.lib.texts import gettext
from ckanext.ukharvest.notifications import mails
from ckanext.ukharvest.notifications import model as notification_model
from ckanext.ukharvest.notifications import schema as notification_schema

TESTS_A_DAY = 10  # per user: an editor can send test messages to any address


@tk.side_effect_free
def ukharvest_mail_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show who gets which emails about a harvest source. For users who may update the source.

    :param source_id: id or name of the harvest source
    :type source_id: string

    :returns: ``source_id``; ``people``: editors and administrators of its organisation, and
        sysadmins who are chosen or call this, dicts with ``id``, ``name``, ``display_name`` and
        ``chosen``; ``addresses``: email addresses of other recipients; ``events``: events that
        are mailed at once, of "failed", "recovered", "held"; ``weekly``: "never" or
        "needed"; ``recipients``: number of addresses in all; ``test``: the last test message,
        null for none: a dict with ``asked`` (time of the request), ``at`` (time of sending, null
        while it waits), and the numbers of recipients ``sent`` and ``failed``; ``obstacle``: why
        emails cannot be sent, or the last one could not be, "" if nothing is known
    :rtype: dictionary
    """
    tk.check_access("ukharvest_mail_show", context, data_dict)
    return _shown(str(source_of(data_dict).id), context)


def _shown(source_id: str, context: Any) -> dict[str, Any]:
    state = model.Session.get(SourceState, source_id, populate_existing=True)
    settings = _settings(source_id)
    recipients = notification_model.recipients(notification_model.sources([source_id]))
    return {
        "source_id": source_id,
        "people": [
            {
                "id": user.id,
                "name": user.name,
                "display_name": user.display_name,
                "chosen": user.id in settings.people,
            }
            for user in _people(source_id, settings, context)
        ],
        "addresses": list(settings.addresses),
        "events": list(settings.events),
        "weekly": settings.weekly,
        "recipients": len(recipients.get(source_id, ())),
        "test": ((state and state.mailed) or {}).get("test"),
        "obstacle": mails.describe_obstacle(mails.obstacle()),
    }


def _settings(source_id: str) -> notification_model.Settings:
    state = model.Session.get(SourceState, source_id, populate_existing=True)
    return notification_model.Settings.from_stored(state.mail if state else None).within(
        _organization(source_id)
    )


def _organization(source_id: str) -> str | None:
    return model.Session.get(model.Package, source_id).owner_org  # type: ignore[no-any-return]


def _people(
    source_id: str, settings: notification_model.Settings, context: Any
) -> list[model.User]:
    """Return the users who can be chosen: those who may read what the emails say."""
    group_id = _organization(source_id)
    asking = model.User.get(context.get("user") or "-")
    chosen = {*settings.people, *([asking.id] if asking else ())}
    users = [
        *notification_model.people([group_id]).get(group_id or "", ()),
        *notification_model.sysadmins(chosen),
    ]
    return list({user.id: user for user in users}.values())


def ukharvest_mail_update(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Set who gets which emails about a harvest source. For users who may update the source.

    Replaces all settings: a parameter that is left out is set to its default.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param people: names or ids of users that ``ukharvest_mail_show`` lists (optional, default:
        none)
    :type people: list of strings
    :param addresses: other email addresses, at most 20 (optional, default: none)
    :type addresses: list of strings
    :param events: events that are mailed at once: "failed" (the first of several failures in a
        row), "recovered", "held" (there are pending deletions) (optional, default: none)
    :type events: list of strings
    :param weekly: a summary on Mondays: "never", or "needed" (if a source needs attention)
        (optional, default: "never")
    :type weekly: string
    :param test: change no settings, but queue a test message to all recipients, which the next
        ``ckan harvester run`` sends; ten a day (optional, default: ``False``)
    :type test: bool

    :returns: as :py:func:`ukharvest_mail_show`
    :rtype: dictionary
    """
    tk.check_access("ukharvest_mail_update", context, data_dict)
    source_id = str(source_of(data_dict).id)
    data, errors = schema.convert(data_dict, notification_schema.mail_update_schema())
    if data["test"] and not errors:
        _queue_test(source_id, context.get("user"))
    else:
        notification_model.save(source_id, _checked(source_id, data, errors, context))
    return _shown(source_id, context)


def _checked(
    source_id: str, data: dict[str, Any], errors: schema.Errors, context: Any
) -> notification_model.Settings:
    before = _settings(source_id)
    allowed = {
        key: user.id for user in _people(source_id, before, context) for key in (user.id, user.name)
    }
    if unknown := [person for person in data["people"] if person not in allowed]:
        message = gettext(
            "These people are not editors or administrators of the organisation: {names}.",
            names=", ".join(unknown),
        )
        errors["people"] = [message]
    if errors:
        raise tk.ValidationError(errors)
    chosen = tuple(dict.fromkeys(allowed[person] for person in data["people"]))
    stay = {*chosen, *(address.casefold() for address in data["addresses"])}
    return notification_model.Settings(
        people=chosen,
        addresses=tuple(data["addresses"]),
        events=tuple(data["events"]),
        weekly=data["weekly"],
        # Removing and adding a recipient again also resets an unsubscription.
        not_weekly_to=tuple(name for name in before.not_weekly_to if name in stay),
        organization=_organization(source_id),
    )


def _queue_test(source_id: str, user: Any) -> None:
    """Queue a test message, which the next ``ckan harvester run`` sends."""
    settings = next(iter(notification_model.sources([source_id])), None)
    recipients = notification_model.recipients([settings])[source_id] if settings else []
    if settings is None or not recipients:
        raise invalid(
            "people", tk._("No one gets emails about this source yet. Choose a recipient first.")
        )
    if option := mails.missing_option():
        raise invalid("source_id", mails.describe_unsure(option))
    if notification_model.waiting_test(settings.mailed):
        raise invalid("source_id", mails.describe_waiting_test())
    if http_client.count_in_redis(f"mail-tests:{user}", http_client.DAY) > TESTS_A_DAY:
        raise invalid("source_id", tk._("You sent too many test emails today. Try again tomorrow."))
    notification_model.note_test(
        source_id, {"asked": iso(utcnow()), "at": None, "sent": 0, "failed": 0}
    )
    model.Session.commit()


@tk.side_effect_free
@tk.chained_action
def harvest_get_notifications_recipients(
    original: Any, context: dict[str, Any], data_dict: dict[str, Any]
) -> list[dict[str, str]]:
    """List the recipients of ckanext-harvest's email about an ended run.

    These are sysadmins and administrators, without those who get our email about the same failed
    run (``ukharvest_mail_show``).

    :param source_id: the id of the harvest source
    :type source_id: string
    """
    recipients: list[dict[str, str]] = original(context, data_dict)
    ours = notification_model.told_of_failure(data_dict["source_id"])
    return [recipient for recipient in recipients if recipient["email"].casefold() not in ours]
