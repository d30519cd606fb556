"""Actions: the doctor's findings, the sysadmin's dashboard, and the notice to editors."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest import doctor
from ckanext.ukharvest.doctor import dashboard
from ckanext.ukharvest.doctor import schema as doctor_schema
from ckanext.ukharvest.lib import actions as action_tools
from ckanext.ukharvest.lib import schema


@tk.side_effect_free
def ukharvest_doctor_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Check this portal for faults that affect harvesting; changes nothing. Sysadmins only.

    :returns: ``status`` (0 no faults, 1 warnings, 2 errors) and
        ``findings``: dicts with ``level`` (``ok``, ``info``, ``warning``, ``error``), ``code``,
        ``message``, ``what_to_do`` and ``fix`` (of ``ckan ukharvest doctor --fix``, "" if it cannot
        be fixed by a command)
    :rtype: dictionary
    """
    tk.check_access("ukharvest_doctor_show", context, data_dict)
    findings = doctor.examine()
    return {
        "status": doctor.status_of(findings),
        "findings": [finding._asdict() for finding in findings],
    }


@tk.side_effect_free
def ukharvest_dashboard_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show whether harvesting works, from a snapshot at most 10 seconds old. Sysadmins only.

    :param thorough: also check every dataset; this takes seconds, is done at most once a minute,
        and its findings are shown for a day (optional, default: ``False``)
    :type thorough: boolean

    :returns: ``as_of``; ``attention``: what needs a sysadmin, worst first: ``level`` (``error``,
        ``warning``), ``code``, ``text``, ``what_to_do``, and ``run`` (``id`` and ``source``, or
        null); what sources need is in :py:func:`ukharvest_to_do_list`;
        ``workers``: ``kind`` (``gather``, ``fetch``, ``command``, ``background``), ``host``,
        ``pid``, ``last_seen``, ``alive``, ``busy_with``, ``source``, ``busy_since``;
        ``queues``: lengths of the gather, fetch and background queues; ``runs`` (at most 50, of
        ``runs_count``): ``id``, ``source``, ``state``, ``done``, ``total``, ``lost``,
        ``waiting``, ``begun``, ``started``, ``last_progress`` and ``reason``; ``states``: number
        of runs by state; ``health``: number of sources by health; ``day``: ``runs``, ``failed``
        and ``changed`` datasets since ``since``; ``days``: ``day`` (UTC), ``runs``, ``failed`` and
        ``datasets`` (null if they were not counted) of the last 30 days, oldest first;
        ``links``, at most five minutes old (null if links are not checked): ``states`` (number of
        links by ``state``, "unchecked" for those not checked yet), ``waiting`` (links that are
        due), ``requests``, ``megabytes`` and ``links`` of today, ``requests_per_day`` and
        ``megabytes_per_day`` (0: no limit); ``data``, likewise: number of files with each result of
        a check, and ``waiting``; ``tables``: ``name``, ``bytes`` and ``rows``; ``checks``, as
        ``findings`` of :py:func:`ukharvest_doctor_show`; those about every dataset are as of
        ``checks_as_of``
    :rtype: dictionary
    """
    tk.check_access("ukharvest_dashboard_show", context, data_dict)
    return dashboard.load_snapshot(
        **schema.validate(data_dict, doctor_schema.dashboard_show_schema())
    )


@tk.side_effect_free
def ukharvest_notice_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show the sysadmin's notice to editors of sources.

    For users who may add or edit datasets in any organisation.

    :returns: ``text`` ("" if there is no notice), ``by`` (name of a user) and ``since`` (UTC)
    :rtype: dictionary
    """
    tk.check_access("ukharvest_notice_show", context, data_dict)
    return action_tools.read_notice()


def ukharvest_notice_update(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Set the notice to editors, on the list and each page of sources. Sysadmins only.

    :param text: plain text of at most 1000 characters; "" removes the notice (optional, default:
        "")
    :type text: string

    :returns: as :py:func:`ukharvest_notice_show`
    :rtype: dictionary
    """
    tk.check_access("ukharvest_notice_update", context, data_dict)
    text = schema.validate(data_dict, doctor_schema.notice_update_schema())["text"]
    return action_tools.write_notice(text, str(context.get("user") or ""))
