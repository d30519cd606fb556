"""What the doctor checks of emails."""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest.lib.checks import WARNING, Finding, check
from ckanext.ukharvest.notifications import mails
from ckanext.ukharvest.notifications import model as notification_model


@check("mail", "No mail was refused.", is_quick=True)
def refused_mails() -> Iterator[Finding]:
    """Find out whether mails can be sent, and whether the mail server took the last one."""
    option = mails.missing_option()
    if option and notification_model.sources():
        yield Finding(
            WARNING,
            "mail",
            f"No email can be sent: {option} is not set.",
            f"Set {option} in the settings and restart CKAN, then send a test email from the "
            "Notifications page of a source.",
        )
    elif failure := mails.last_failure():
        yield Finding(
            WARNING,
            "mail",
            f"The last mail could not be sent, on {failure['at'][:16]} UTC: {failure['error']}.",
            "Check smtp.server and the other smtp settings, then send a test email from "
            "the Notifications page of a source.",
        )


DOCTOR = (refused_mails,)
