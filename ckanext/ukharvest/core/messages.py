"""Messages for people: a template with named places, and what stands in them."""

from __future__ import annotations

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
