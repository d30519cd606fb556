"""A mail server’s inbox, and the parts of a mail."""

from __future__ import annotations

import email
import email.policy
from email.message import EmailMessage
from typing import Any

from tests.ckan.harvesting import act

TEAM = "team@somewhere.example"


class Inbox:
    """The mail server's inbox; with ``is_away`` it accepts nothing, and never for ``full``."""

    def __init__(self) -> None:
        self.all: list[EmailMessage] = []
        self.sent: list[bytes] = []  # of all, as they came
        self.is_away = False
        self.full = ""

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802
        if self.is_away or self.full in envelope.rcpt_tos:
            return "451 Come back later"
        self.sent.append(envelope.content)
        self.all.append(email.message_from_bytes(envelope.content, policy=email.policy.default))
        return "250 OK"

    def new_mails(self) -> list[EmailMessage]:
        """Return the new mails since the last call, by recipient."""
        found, self.all = sorted(self.all, key=lambda each: each["To"]), []
        return found

    def subjects(self) -> list[str]:
        return [each["Subject"] for each in self.new_mails()]


def choose(source: str, **fields: Any) -> dict[str, Any]:
    settings = {"addresses": [TEAM], "events": ["failed", "recovered", "held"], **fields}
    return dict(act("ukharvest_mail_update", source_id=source, **settings))


def plain(message: EmailMessage) -> str:
    part = message.get_body(("plain",))
    assert part is not None
    return str(part.get_content()).replace("\r\n", "\n")


def marked_up(message: EmailMessage) -> str:
    part = message.get_body(("html",))
    assert part is not None
    return str(part.get_content())
