"""Check of the mails that notifications send."""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest.operations.doctor.finding import WARNING, Finding
from ckanext.ukharvest.operations.notifications import sending


def refused_mails() -> Iterator[Finding]:
    """Find out whether the mail server took the last mail."""
    if failure := sending.last_failure():
        yield Finding(
            WARNING,
            "mail",
            f"The last mail could not be sent, on {failure['at'][:16]} UTC: {failure['error']}.",
            "Check smtp.server and the other smtp settings, then send a test message from "
            "the Notifications page of a source.",
        )
