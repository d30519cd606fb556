"""Listen to what a portal does beside storing: mails, calls of plugins, output of commands."""

from __future__ import annotations

import email
import email.policy
import smtplib
from collections.abc import Iterator
from typing import Any

import ckan.plugins as p
import click
from ckan.plugins import core
from click.testing import CliRunner

from ckanext.ukharvest.cli import ukharvest

# Commands that change nothing; with the states that they ask about.
READING = (
    "sources", "sources --all --format json", "sources --format csv", "runs --format json", "runs",
    "runs --source faulty", "types --format json", "links --format json", "links --unknown",
    "links --backlog", "stars --report --format json", "stars dataset-00002-of-faulty",
    "vocabulary list --format json", "vocabulary show themes", "doctor", "doctor --format json",
    "approve held", "identifiers renamed", "adopt adopted --undo --dry-run",
    "adopt --all --dry-run", "diff faulty https://data.example/id/faulty/00001",
    "diff pruned https://data.example/id/pruned/00000", "prune --keep-runs 1 --dry-run",
    "run faulty --dry-run", "source move faulty http://127.0.0.1:24801/moved.json --dry-run",
    "sources nothing", "runs --source nothing",
)  # fmt: skip


class Mailbox:
    """Takes mails in place of a server."""

    def __init__(self) -> None:
        self._mails: list[dict[str, Any]] = []
        mailbox = self

        class Server:
            def __init__(self, *_args: Any, **_more: Any) -> None:
                pass

            def __getattr__(self, _name: str) -> Any:
                return lambda *_args, **_more: False

            def sendmail(self, _sender: str, recipients: list[str], text: str) -> None:
                mailbox.add(recipients, text)

        smtplib.SMTP = Server  # type: ignore[misc,assignment]

    def add(self, recipients: list[str], text: str) -> None:
        message = email.message_from_string(text, policy=email.policy.default)
        parts = {
            part.get_content_type(): part.get_content().splitlines()
            for part in message.walk()
            if not part.is_multipart()
        }
        kept = ("Subject", "From", "Reply-To", "List-Unsubscribe", "List-Unsubscribe-Post")
        headers = {name: str(message[name]) for name in kept if message[name]}
        self._mails.append({"to": recipients, **headers, **parts})

    def take(self) -> list[dict[str, Any]]:
        """Return the new mails."""
        mails, self._mails = self._mails, []
        return sorted(mails, key=str)


class Calls(p.SingletonPlugin):
    """A plugin of another extension: notes which hooks are called for what, in order."""

    p.implements(p.IPackageController, inherit=True)
    p.implements(p.IResourceController, inherit=True)
    p.implements(p.IOrganizationController, inherit=True)

    calls: list[str] = []

    def create(self, entity: Any) -> None:
        self.calls.append(f"create {type(entity).__name__} {entity.name}")

    def edit(self, entity: Any) -> None:
        self.calls.append(f"edit {type(entity).__name__} {entity.name}")

    def delete(self, entity: Any) -> None:
        self.calls.append(f"delete {type(entity).__name__} {entity.name}")

    def after_dataset_create(self, _context: Any, pkg_dict: dict[str, Any]) -> None:
        self.calls.append(f"after_dataset_create {pkg_dict['name']} {sorted(pkg_dict)}")

    def after_dataset_update(self, _context: Any, pkg_dict: dict[str, Any]) -> None:
        self.calls.append(f"after_dataset_update {pkg_dict['name']} {sorted(pkg_dict)}")

    def after_dataset_delete(self, _context: Any, pkg_dict: dict[str, Any]) -> None:
        self.calls.append(f"after_dataset_delete {pkg_dict['id']}")

    def before_dataset_index(self, pkg_dict: dict[str, Any]) -> dict[str, Any]:
        self.calls.append(f"before_dataset_index {pkg_dict['name']}")
        return pkg_dict

    def after_resource_create(self, _context: Any, resource: dict[str, Any]) -> None:
        self.calls.append(f"after_resource_create {resource['url']}")

    def after_resource_update(self, _context: Any, resource: dict[str, Any]) -> None:
        self.calls.append(f"after_resource_update {resource['url']}")

    @classmethod
    def take(cls) -> list[str]:
        """Return the new calls."""
        calls, cls.calls = cls.calls, []
        return calls


def listen() -> Mailbox:
    """Load the plugin; return the mailbox."""
    core._PLUGINS_SERVICE["recorder"] = Calls()
    return Mailbox()


def helps(command: click.Command, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the words that show the help of a command and of those below it."""
    yield (*words, "--help")
    for name, below in sorted(getattr(command, "commands", {}).items()):
        yield from helps(below, (*words, name))


def commands() -> list[tuple[str, ...]]:
    """Return the words of each command: all helps, and those that change nothing."""
    return [*helps(ukharvest), *(tuple(line.split()) for line in READING)]


def output(words: tuple[str, ...]) -> dict[str, Any]:
    """Run a command; return its exit code and output."""
    done = CliRunner().invoke(ukharvest, list(words), prog_name="ckan ukharvest", input="")
    result = {"code": done.exit_code, "output": done.output}
    if done.exception and not isinstance(done.exception, SystemExit):
        result["raised"] = repr(done.exception)
    return result
