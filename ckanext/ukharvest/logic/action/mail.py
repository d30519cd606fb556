"""Actions: show and set who gets emails about a harvest source."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model

from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.logic import schema
from ckanext.ukharvest.logic.sources import source_of
from ckanext.ukharvest.model import SourceState, notifications, redis_cache, utcnow
from ckanext.ukharvest.operations.notifications import sending
from ckanext.ukharvest.presentation.messages.notification_settings import describe_obstacle

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
        "recipients": len(_recipients(source_id)),
        "test": ((state and state.mailed) or {}).get("test"),
        "obstacle": describe_obstacle(sending.obstacle()),
    }


def _settings(source_id: str) -> notifications.Settings:
    state = model.Session.get(SourceState, source_id, populate_existing=True)
    return notifications.Settings.from_stored(state.mail if state else None).within(
        _organization(source_id)
    )


def _organization(source_id: str) -> str | None:
    return model.Session.get(model.Package, source_id).owner_org  # type: ignore[no-any-return]


def _recipients(source_id: str) -> list[notifications.Recipient]:
    return notifications.recipients(notifications.sources([source_id])).get(source_id, [])


def _people(source_id: str, settings: notifications.Settings, context: Any) -> list[model.User]:
    """Return the users who can be chosen: those who may read what the emails say."""
    group_id = _organization(source_id)
    asking = model.User.get(context.get("user") or "-")
    chosen = {*settings.people, *([asking.id] if asking else ())}
    found = [
        *notifications.people([group_id]).get(group_id or "", ()),
        *notifications.sysadmins(chosen),
    ]
    return list({user.id: user for user in found}.values())


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

    :returns: as :py:func:`ukharvest_mail_show`
    :rtype: dictionary
    """
    tk.check_access("ukharvest_mail_update", context, data_dict)
    source_id = str(source_of(data_dict).id)
    notifications.save(source_id, _checked(source_id, data_dict, context))
    return _shown(source_id, context)


def _checked(source_id: str, data_dict: dict[str, Any], context: Any) -> notifications.Settings:
    data, errors = schema.convert(data_dict, schema.mail_update_schema())
    before = _settings(source_id)
    allowed = {
        key: user.id for user in _people(source_id, before, context) for key in (user.id, user.name)
    }
    if unknown := [each for each in data["people"] if each not in allowed]:
        message = tk._(
            "These people are not editors or administrators of the organisation: {names}."
        )
        errors["people"] = [message.format(names=", ".join(unknown))]
    if errors:
        raise tk.ValidationError(errors)
    chosen = tuple(dict.fromkeys(allowed[each] for each in data["people"]))
    stay = {*chosen, *(each.casefold() for each in data["addresses"])}
    return notifications.Settings(
        people=chosen,
        addresses=tuple(data["addresses"]),
        events=tuple(data["events"]),
        weekly=data["weekly"],
        # Removing and adding a recipient again also resets an unsubscription.
        not_weekly_to=tuple(each for each in before.not_weekly_to if each in stay),
        organization=_organization(source_id),
    )


def ukharvest_mail_test(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Queue a test message to all recipients of a source's emails.

    The next ``ckan harvester run`` sends it. For users who may update the source, ten a day.

    :param source_id: id or name of the harvest source
    :type source_id: string

    :returns: ``recipients``: how many will get it; for the result see ``test`` in
        :py:func:`ukharvest_mail_show`
    :rtype: dictionary
    """
    tk.check_access("ukharvest_mail_test", context, data_dict)
    source_id = str(source_of(data_dict).id)
    settings = next(iter(notifications.sources([source_id])), None)
    recipients = notifications.recipients([settings])[source_id] if settings else []
    if settings is None or not recipients:
        text = tk._("No one gets emails about this source yet. Choose a recipient first.")
        raise tk.ValidationError({"people": [text]})
    if option := sending.missing_option():
        text = tk._("Emails cannot be sent: {reason}. Ask a sysadmin of this site to set it.")
        raise tk.ValidationError({"source_id": [text.format(reason=describe_obstacle(option))]})
    if notifications.waiting_test(settings.mailed):
        text = tk._(
            "A test email is waiting already. It is sent when “ckan harvester run” is next called."
        )
        raise tk.ValidationError({"source_id": [text]})
    if redis_cache.count(f"mail-tests:{context.get('user')}", redis_cache.DAY) > TESTS_A_DAY:
        text = tk._("You have sent {n} test emails since yesterday. Try again tomorrow.")
        raise tk.ValidationError({"source_id": [text.format(n=TESTS_A_DAY)]})
    notifications.note_test(source_id, {"asked": iso(utcnow()), "at": None, "sent": 0, "failed": 0})
    model.Session.commit()
    return {"recipients": len(recipients)}
