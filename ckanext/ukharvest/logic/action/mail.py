"""Who gets mails about a harvest source."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model

from ckanext.ukharvest.core.moments import iso
from ckanext.ukharvest.logic.sources import source_of
from ckanext.ukharvest.model import SourceState, kept, mail, utcnow

MAX_ADDRESSES = 20
TESTS_A_DAY = 10  # of one user: test messages go to whatever addresses an editor types


@tk.side_effect_free
def ukharvest_mail_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show who gets which mails about a harvest source.

    :param source_id: id or name of the harvest source
    :type source_id: string

    :returns: ``source_id``; ``people``: editors and administrators of its organisation, and
        sysadmins who are chosen or ask, each ``id``, ``name``, ``display_name`` and ``chosen``;
        ``addresses``: further recipients; ``events``: what they are told at once, of "failed",
        "recovered", "held"; ``weekly``: "never", "needed" or "always"; ``recipients``: how many
        addresses all of that comes to; ``test``: the last test message, null if there was none:
        ``asked`` (when), ``at`` (when it was sent, null while it waits), and numbers of
        recipients, ``sent`` and ``failed``
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
    }


def _settings(source_id: str) -> mail.Settings:
    state = model.Session.get(SourceState, source_id, populate_existing=True)
    return mail.Settings.of(state.mail if state else None).within(_organization(source_id))


def _organization(source_id: str) -> str | None:
    return model.Session.get(model.Package, source_id).owner_org  # type: ignore[no-any-return]


def _recipients(source_id: str) -> list[mail.Recipient]:
    return mail.recipients(mail.sources([source_id])).get(source_id, [])


def _people(source_id: str, settings: mail.Settings, context: Any) -> list[model.User]:
    """Who can be chosen: insiders, who may read what the mails say."""
    group_id = _organization(source_id)
    asking = model.User.get(context.get("user") or "-")
    chosen = {*settings.people, *([asking.id] if asking else ())}
    found = [*mail.people([group_id]).get(group_id or "", ()), *mail.sysadmins(chosen)]
    return list({user.id: user for user in found}.values())


def ukharvest_mail_update(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Set who gets which mails about a harvest source, as a whole.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param people: names or ids of users, of those whom ``ukharvest_mail_show`` lists (optional)
    :type people: list of strings
    :param addresses: further e-mail addresses, at most 20 (optional)
    :type addresses: list of strings
    :param events: what they are told at once, of "failed" (the first failure of several),
        "recovered", "held" (deletions wait for a decision); default: none (optional)
    :type events: list of strings
    :param weekly: a summary each Monday: "never" (default), "needed" (if a source needs somebody)
        or "always" (optional)
    :type weekly: string

    :returns: as :py:func:`ukharvest_mail_show`
    :rtype: dictionary
    """
    tk.check_access("ukharvest_mail_update", context, data_dict)
    source_id = str(source_of(data_dict).id)
    mail.save(source_id, _checked(source_id, data_dict, context))
    return _shown(source_id, context)


def _checked(source_id: str, data_dict: dict[str, Any], context: Any) -> mail.Settings:
    errors: dict[str, list[str]] = {}
    before = _settings(source_id)
    allowed = {
        key: user.id for user in _people(source_id, before, context) for key in (user.id, user.name)
    }
    people = _texts(data_dict, "people")
    if unknown := [each for each in people if each not in allowed]:
        message = tk._("Choose editors and administrators of the organisation; not: {names}.")
        errors["people"] = [message.format(names=", ".join(unknown))]
    addresses, errors_found = _addresses(_texts(data_dict, "addresses"))
    errors.update(errors_found)
    events = _texts(data_dict, "events")
    if not set(events) <= set(mail.EVENTS):
        errors["events"] = [tk._("Expected some of: failed, recovered, held.")]
    weekly = data_dict.get("weekly") or mail.NEVER
    if weekly not in mail.WEEKLY:
        errors["weekly"] = [tk._("Expected one of: never, needed, always.")]
    if errors:
        raise tk.ValidationError(errors)
    chosen = tuple(dict.fromkeys(allowed[each] for each in people))
    stay = {*chosen, *(each.casefold() for each in addresses)}
    return mail.Settings(
        people=chosen,
        addresses=tuple(addresses),
        events=tuple(events),
        weekly=weekly,
        # Who is taken off and chosen again later begins anew.
        not_weekly_to=tuple(each for each in before.not_weekly_to if each in stay),
        organization=_organization(source_id),
    )


def _texts(data_dict: dict[str, Any], key: str) -> list[str]:
    given = data_dict.get(key) or []
    return [str(each).strip() for each in ([given] if isinstance(given, str) else given)]


def _addresses(given: list[str]) -> tuple[list[str], dict[str, list[str]]]:
    """Return the addresses, each once, and what is wrong with them."""
    found = list({each.casefold(): each for each in given if each}.values())
    is_email = tk.get_validator("email_validator")
    for each in found:
        try:
            is_email(each, {})
        except tk.Invalid:
            text = tk._("{address} is no e-mail address, such as data.team@example.gov.uk.")
            return [], {"addresses": [text.format(address=each)]}
    if len(found) > MAX_ADDRESSES:
        text = tk._("Enter at most {n} addresses; a mailing list is one.")
        return [], {"addresses": [text.format(n=MAX_ADDRESSES)]}
    return found, {}


def ukharvest_mail_test(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Have the next ``ckan harvester run`` send a test message to all who get a source's mails.

    A user may ask for ten a day.

    :param source_id: id or name of the harvest source
    :type source_id: string

    :returns: ``recipients``: how many will get it; what came of it is ``test`` of
        :py:func:`ukharvest_mail_show`
    :rtype: dictionary
    """
    tk.check_access("ukharvest_mail_test", context, data_dict)
    source_id = str(source_of(data_dict).id)
    told = next(iter(mail.sources([source_id])), None)
    recipients = mail.recipients([told])[source_id] if told else []
    if told is None or not recipients:
        text = tk._("Nobody gets mails about this source yet: choose somebody first.")
        raise tk.ValidationError({"people": [text]})
    if mail.waiting_test(told.mailed):
        text = tk._("A test message waits already: it is sent when the site next starts runs.")
        raise tk.ValidationError({"source_id": [text]})
    if kept.count(f"mail-tests:{context.get('user')}", kept.DAY) > TESTS_A_DAY:
        text = tk._("You have sent {n} test messages since yesterday: wait until tomorrow.")
        raise tk.ValidationError({"source_id": [text.format(n=TESTS_A_DAY)]})
    mail.note_test(source_id, {"asked": iso(utcnow()), "at": None, "sent": 0, "failed": 0})
    model.Session.commit()
    return {"recipients": len(recipients)}
