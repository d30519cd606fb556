"""Messages for people: a template with named places, and what stands in them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any


class Message(str):
    """A sentence in English, or a part of one, that still knows what it was made of.

    It is the text itself, wherever one is expected; ``str()`` of it, and of an error that was
    raised with it, is still the message. What else is done to a text (``+``, ``strip``) returns a
    plain one: a message within a message is an argument.

    Args:
        template: a constant that translators find, with places as in ``str.format``.
        arguments: by place: numbers, texts, other messages, errors that stand for their message.

    Attributes:
        template, arguments: the same; each argument is a value of JSON, or a message.
    """

    __slots__ = ("arguments", "template")

    template: str
    arguments: dict[str, Any]

    def __new__(cls, template: str, /, **arguments: Any) -> Message:
        message = super().__new__(cls, template.format(**arguments))
        message.template = template
        message.arguments = {
            name: value if isinstance(value, (str, int, float)) else str(value)
            for name, value in arguments.items()
        }
        return message

    def __str__(self) -> str:
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        return (self.template,), self.arguments


def wording_of(message: str) -> list[Any] | None:
    """Return what a message is made of, as a value of JSON; None for a plain text.

    Also None for numbers that JSON does not have, which PostgreSQL refuses: NaN, infinity.

    Returns:
        Its template and its arguments, in which a list stands for a message.
    """
    if not isinstance(message, Message):
        return None
    arguments = message.arguments
    if any(isinstance(value, float) and not math.isfinite(value) for value in arguments.values()):
        return None
    values = {name: wording_of(value) or value for name, value in arguments.items()}
    return [message.template, values]


def translate_message(text: str, wording: Any, translate: Callable[[str], str]) -> str:
    """Return a message in the language of ``translate``, such as ``tk._``.

    Args:
        text: the message in English, which is returned without a wording.
        wording: as ``wording_of`` returned it.
    """
    if not wording:
        return text
    template, arguments = wording
    values = {
        name: translate_message("", value, translate) if isinstance(value, list) else value
        for name, value in arguments.items()
    }
    return str(translate(template)).format(**values)
