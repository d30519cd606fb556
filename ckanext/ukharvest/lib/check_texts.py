"""What checks of links and of data find, as text; several features show it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.link_states import LinkFault
from ckanext.ukharvest.lib.texts import labelled, number, ungettext


def describe_fault(fault: str, status: int | None = None) -> str:
    """Return why a link failed, as the end of a sentence; "" for no fault."""
    text = _FAULTS[fault]() if fault in _FAULTS else ""
    return str(text.format(status=status or _STATUSES.get(fault, ""))).strip()


def _nothing() -> str:
    return str(tk._("there is nothing at this URL ({status})"))


def _http_error() -> str:
    return str(tk._("the server returned HTTP {status}"))


def _no_connection() -> str:
    return str(tk._("no connection to the server could be made"))


# Statuses of faults that are stored without one.
_STATUSES: dict[str, int] = {LinkFault.NOT_FOUND: 404, LinkFault.GONE: 410, LinkFault.TOO_MANY: 429}
_FAULTS: dict[str, Callable[[], str]] = {
    LinkFault.NOT_FOUND: _nothing,
    LinkFault.GONE: _nothing,
    LinkFault.UNKNOWN_NAME: lambda: tk._("the name of the server is not known"),
    LinkFault.REFUSED: _no_connection,
    LinkFault.BLOCKED: lambda: tk._("the URL does not lead to the public internet"),
    LinkFault.LOGIN: lambda: tk._("the server asks for a login"),
    LinkFault.BOT_FILTER: lambda: tk._("the site’s bot filter refuses this portal"),
    LinkFault.FORBIDDEN: lambda: tk._("the server refuses this portal"),
    LinkFault.TOO_MANY: _http_error,
    LinkFault.CLIENT_ERROR: _http_error,
    LinkFault.SERVER_ERROR: _http_error,
    LinkFault.TIMEOUT: lambda: tk._("the server took too long to answer"),
    LinkFault.CONNECTION: _no_connection,
    LinkFault.CERTIFICATE: lambda: tk._("the server’s certificate is not valid"),
    LinkFault.REDIRECT: lambda: tk._("the server redirects without end"),
    LinkFault.NOT_ASKED: lambda: tk._("the server did not answer at other URLs"),
}


def summarise(check: Any) -> str:
    """Return a result in a few words: "Valid", "3 errors in 1,204 rows".

    Args:
        check: a row of ``DataCheck``.
    """
    if check.verdict == "unchecked":
        return labelled(tk._("Not checked"), check.reason)
    own = _EXTENTS.get(check.unit or "")
    extent = own(check.checked) if own else f"{number(check.checked)} {check.unit}"
    errors = ungettext("{n} error", "{n} errors", check.errors)
    if check.verdict == "valid" and not check.stopped:
        text = tk._("Valid")
    elif not extent:
        text = "{errors}"
    elif check.stopped:
        text = tk._("{errors} in the first {extent}")
    else:
        text = tk._("{errors} in {extent}")
    return str(text.format(errors=errors, extent=extent))


_EXTENTS: dict[str, Callable[[int], str]] = {
    "": lambda _n: "",
    "row": lambda n: ungettext("{n} row", "{n} rows", n),
    "feature": lambda n: ungettext("{n} feature", "{n} features", n),
    "item": lambda n: ungettext("{n} item", "{n} items", n),
}
