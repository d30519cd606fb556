"""The stage of an attack: a hostile publisher, a canary beside it, and DNS that lies."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ckanext.ukharvest.core.errors import UkharvestError
from ckanext.ukharvest.core.http.guard import Guard
from tests.publisher import Publisher, Request, Response
from tests.security.canary import Canary
from tests.security.features import Feature

PUBLISHER = "127.0.0.2"  # allowed; 127.0.0.1 and ::1 are the portal's own network
NAME = "data.council.example"
ALLOWED = (f"{PUBLISHER}/32",)
OPEN = ("0.0.0.0/0", "::/0")

Change = Callable[["Stage", int, Request, Response], Response]


class Hostile(Publisher):
    """A publisher whose answers an attack changes: ``change`` gets the number of the request."""

    def __init__(self, port: int) -> None:
        super().__init__(host=PUBLISHER, port=port)
        self.change: Callable[[int, Request, Response], Response] | None = None

    def respond(self, request: Request) -> Response:
        response = super().respond(request)
        return self.change(len(self.requests), request, response) if self.change else response


@dataclass
class Stage:
    """A publisher, a canary on the same port, and the answers of DNS: addresses per look-up."""

    publisher: Hostile
    canary: Canary
    answers: Sequence[Sequence[str]] = ((PUBLISHER,),)
    looked_up: list[str] = field(default_factory=list)

    def clear(self) -> None:
        """Forget what was served, asked and looked up, and the attack."""
        self.publisher.routes.clear()
        self.publisher.requests.clear()
        self.publisher.change = None
        self.canary.hits = 0
        self.looked_up.clear()

    def guard(self, allow: Sequence[str] = ALLOWED) -> Guard:
        return Guard(allow, resolve=self.resolve)

    def resolve(self, host: str, port: int, **how: Any) -> Sequence[tuple[Any, ...]]:
        """Look up a name of ours as the attack says; anything else as the machine does."""
        if host.rstrip(".") != NAME:
            # The tests' own network guard does not know the forms with a dot.
            return socket.getaddrinfo(host.lower().rstrip("."), port, **how)
        self.looked_up.append(host)
        found = self.answers[min(len(self.looked_up), len(self.answers)) - 1]
        return [
            entry for each in found for entry in socket.getaddrinfo(each, port, type=how["type"])
        ]


@dataclass(frozen=True)
class Attack:
    """One row.

    Attributes:
        start: returns the URL to begin with, given the feature's path.
        change: changes an answer.
        answers: what DNS says, a list of addresses for each look-up; the last repeats.
        followed: kinds of feature, or source types, that an open guard would let follow it; "all".
    """

    name: str
    start: Callable[[Stage, str], str] = lambda stage, path: stage.publisher.url(path)
    change: Change | None = None
    answers: Sequence[Sequence[str]] = ((PUBLISHER,),)
    followed: tuple[str, ...] = ()

    def is_followed(self, feature: Feature) -> bool:
        return bool({"all", feature.kind, feature.about} & set(self.followed))


def play(attack: Attack, feature: Feature, stage: Stage, *, is_open: bool = False) -> str:
    """Run a feature under an attack; return what came of it, an error's message too."""
    stage.clear()
    stage.answers = attack.answers
    path = feature.serve(stage.publisher)
    change = attack.change
    if change:
        stage.publisher.change = lambda *answer: change(stage, *answer)
    try:
        return feature.run(attack.start(stage, path), stage.guard(OPEN if is_open else ALLOWED))
    except UkharvestError as exc:
        return exc.message
