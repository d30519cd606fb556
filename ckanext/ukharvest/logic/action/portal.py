"""Harvesting on the whole portal: the sysadmin's dashboard and notice."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.portal import notice, snapshot


@tk.side_effect_free
def ukharvest_dashboard(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show whether harvesting as a whole is alive, from a snapshot of at most 10 s. Sysadmins.

    :param thorough: also look at every dataset, which takes seconds and is done once a minute at
        most; what is found is shown for a day (optional, default: ``False``)
    :type thorough: boolean

    :returns: ``as_of``; ``attention``: what needs a sysadmin, worst first: ``level`` (``error``,
        ``warning``), ``code``, ``text``, ``what_to_do`` and ``run`` (``id`` and ``source``, or
        null); ``workers``: ``kind`` (``gather``, ``fetch``, ``command``, ``background``),
        ``host``, ``pid``, ``last_seen``, ``alive``, ``busy_with``, ``source``, ``busy_since``;
        ``queues``: what waits to be gathered and imported and in the background; ``runs`` (at
        most 50, of ``runs_count``): ``id``, ``source``, ``state``, ``done``, ``total``, ``lost``,
        ``waiting``, ``begun``, ``started``, ``last_progress`` and ``reason``; ``states``: number
        of all runs by state; ``health``: number of sources
        by health; ``day``: ``runs``, ``failed`` and ``changed`` datasets since ``since``;
        ``hosts``, the slowest of seven days: ``host``, ``requests``, ``failures``, ``median`` and
        ``p95``, upper bounds in seconds; ``tables``: ``name``, ``bytes``, ``rows`` and ``grown``
        by so many bytes since the day ``since``; ``checks``, as ``findings`` of
        :py:func:`ukharvest_doctor`, those that look at every dataset as of ``checks_as_of``
    :rtype: dictionary
    """
    tk.check_access("ukharvest_dashboard", context, data_dict)
    return snapshot.take(thorough=tk.asbool(data_dict.get("thorough", False)))


@tk.side_effect_free
def ukharvest_notice_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show what the portal's sysadmin tells those who look after sources.

    :returns: ``text``, empty if there is no notice, ``by`` (name of a user) and ``since`` (UTC)
    :rtype: dictionary
    """
    tk.check_access("ukharvest_notice_show", context, data_dict)
    return notice.read()


def ukharvest_notice_update(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Tell those who look after sources something, on the list and each source's page. Sysadmins.

    :param text: plain text of at most 1000 characters; empty takes the notice away
    :type text: string

    :returns: as :py:func:`ukharvest_notice_show`
    :rtype: dictionary
    """
    tk.check_access("ukharvest_notice_update", context, data_dict)
    text = str(data_dict.get("text") or "").strip()
    if len(text) > notice.LONGEST:
        message = tk._("Write at most {number} characters.")
        raise tk.ValidationError({"text": [message.format(number=notice.LONGEST)]})
    return notice.write(text, str(context.get("user") or ""))
