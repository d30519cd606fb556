"""Check the parameters of actions before anything, the right to call them included, uses them.

A request can send whatever JSON allows, and a URL that repeats a parameter makes a list of it. What
an action does not expect is refused by name: an id that is no text is not found (HTTP 404), any
other value is an error that names its parameter (HTTP 409).
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.lib import schema
from ckanext.ukharvest.lib.lookups import LONGEST_NUMBER, not_found
from ckanext.ukharvest.lib.schema import invalid
from ckanext.ukharvest.lib.texts import gettext

Action = Callable[..., Any]

# NUL, and half of a surrogate pair, which a JSON escape brings in.
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
LARGEST = 2**63 - 1  # of PostgreSQL's bigint
_DOCUMENTED = re.compile(r"^ *:(param|type) (\w+):(.*)", re.MULTILINE)
# Two names of one thing; the action has one of them.
_SAME = {"source": "source_id", "source_id": "source"}

# Parameters of ckanext-harvest's actions, by type. Those of its forms are validated as datasets,
# which expects texts in these fields.
_FORMS = ("harvest_source_create", "harvest_source_update", "harvest_source_patch")
_FIELDS = ("name", "title", "url", "notes", "source_type", "frequency", "config", "type", "state")
_LONGEST_TITLE = 5000  # characters: more is too large for a field of the search index
_TEXTS = ("url", "status", "attr", "level", "guid", "include", "exclude")
_LEVELS = ("debug", "info", "warning", "error", "critical")
_LONGEST_LIFE = 36_500  # days
_FLAGS = (
    *("run", "keep_current", "only_active", "only_to_run", "only_current"),
    *("return_last_job_status", "join_datasets"),
)
_NUMBERS = ("limit", "offset", "per_page", "life_span")
# The columns by which they find an object, if not by its id.
_COLUMNS = {
    "harvest_object_show": ("id", "guid", "package_id", "harvest_job_id", "harvest_source_id"),
    "harvest_job_show": ("id", "source_id"),
}


class Parameters(NamedTuple):
    """The parameters that an action documents.

    Attributes:
        names: all; None for an action that takes any.
        numbers: those that are integers.
    """

    names: Collection[str] | None
    numbers: Collection[str] = ()


def documented(action: Action) -> Parameters:
    """Return the parameters that the docstring of one of our actions lists.

    It is what ``help_show`` and the reference of the API show.
    """
    if action.__doc__ is None:  # python -OO
        return Parameters(None)
    fields = _DOCUMENTED.findall(action.__doc__)
    return Parameters(
        [name for field, name, _text in fields if field == "param"],
        [name for field, name, text in fields if field == "type" and text.strip() == "integer"],
    )


def guard(name: str, action: Action) -> Action:
    """Wrap an action that CKAN gets: it checks the parameters first."""
    is_ours = name.startswith("ukharvest_")
    parameters = documented(action) if is_ours else Parameters(None)

    @functools.wraps(action)
    def guarded(*args: Any) -> Any:
        """Take context and data_dict; chained actions get the original action before these."""
        *others, data_dict = args
        if is_ours:
            return action(*others, check_own(data_dict or {}, parameters))
        check_stock(name, data_dict or {})
        try:
            return action(*args)
        except KeyError as exc:
            # They read a parameter that has to be there with data_dict[name].
            missing = exc.args[0] if exc.args else ""
            if not (isinstance(missing, str) and _is_id(missing)) or missing in data_dict:
                raise
            raise invalid(missing, tk._("Missing value")) from exc

    # CKAN wraps a chained action in an object with only the attributes in its __dict__, and
    # ``help_show`` shows the text of that object without this.
    guarded.__dict__["__doc__"] = action.__doc__
    return guarded


def check_own(data_dict: Mapping[str, Any], parameters: Parameters) -> dict[str, Any]:
    """Return the parameters of one of our actions, by the names that it documents.

    Raises:
        ValidationError: with a message for a parameter that it does not have, or a wrong value.
        ObjectNotFound: an id is not a text.
    """
    names = parameters.names
    data = dict(data_dict) if names is None else _renamed(data_dict, names)
    if names is not None and (unknown := [name for name in data if name not in names]):
        takes = ", ".join(names) or "-"
        text = gettext("Unknown parameter. This action takes: {names}.", names=takes)
        raise tk.ValidationError({name: [text] for name in unknown})
    for name, value in data.items():
        if name in parameters.numbers:
            _check_size(name, value)
            if isinstance(value, str) and not value.strip():
                data[name] = None
        else:
            _check_value(name, value, is_id=_is_id(name))
    return data


def _renamed(data_dict: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    data = dict(data_dict)
    for name in data_dict:
        other = _SAME.get(name, "")
        if name in names or other not in names:
            continue
        if data.get(other) != data[name]:
            schema.refuse_both(data, other, name)
        data[other] = data.pop(name) or data.get(other)
    return data


def check_stock(action: str, data_dict: Mapping[str, Any]) -> None:
    """Check the parameters of an action of ckanext-harvest.

    Raises:
        ValidationError: with a message for the parameter.
        ObjectNotFound: an id is not a text.
    """
    is_form = action in _FORMS
    if action == "harvest_object_create" and not data_dict.get(
        "job_id"
    ):  # its schema fails at none
        raise invalid("job_id", tk._("Missing value"))
    for name, value in data_dict.items():
        # A form may be sent as a dataset is shown, with its organisation as a dict.
        _check_value(name, value, is_id=name in ("id", "owner_org") if is_form else _is_id(name))
        if value is None or value is False:  # so its commands send what was not given
            continue
        if name in (_FIELDS if is_form else _TEXTS) and not isinstance(value, str):
            raise invalid(name, tk._("Expected a text."))
        if name in _FLAGS and not is_form:
            try:
                tk.asbool(value)
            except ValueError:
                raise invalid(name, schema.expected("true", "false")) from None
        if name in _NUMBERS and not is_form:
            _check_number(name, value)
    if is_form and len(data_dict.get("title") or "") > _LONGEST_TITLE:
        raise invalid("title", gettext("Write at most {n} characters.", n=_LONGEST_TITLE))
    _check_choices(action, data_dict)


def _check_choices(action: str, data_dict: Mapping[str, Any]) -> None:
    columns = _COLUMNS.get(action)
    if columns and data_dict.get("attr") not in (None, *columns):
        raise invalid("attr", schema.expected(*columns))
    level = data_dict.get("level")
    if level is not None and str(level).lower() not in _LEVELS:
        raise invalid("level", schema.expected(*_LEVELS))
    if action == "harvest_abort_failed_jobs":
        days = data_dict.get("life_span")
        if days and not 0 < int(days) <= _LONGEST_LIFE:
            raise invalid("life_span", schema.such_as("7")())


def _is_id(name: str) -> bool:
    return name in ("id", "source", "organization") or name.endswith("_id")


def _check_value(name: str, value: Any, *, is_id: bool) -> None:
    """Refuse values that the database cannot take, which would be a server error."""
    if is_id and value is not None:
        if not isinstance(value, str) or _UNSTORABLE.search(value):
            raise not_found()
        return
    for leaf in _leaves(value):
        if isinstance(leaf, str) and _UNSTORABLE.search(leaf):
            raise invalid(name, tk._("Remove the characters that cannot be stored."))
        if isinstance(leaf, (int, float)) and not _is_storable(leaf):
            raise invalid(name, tk._("Expected a number."))


def _leaves(value: Any) -> Iterator[Any]:
    """Yield the texts and numbers of a value as JSON has it, keys included."""
    values = [value]
    while values:
        value = values.pop()
        if isinstance(value, Mapping):
            values += [*value.keys(), *value.values()]
        elif isinstance(value, (list, tuple)):
            values += value
        else:
            yield value


def _is_storable(number: float) -> bool:
    return math.isfinite(number) and abs(number) <= LARGEST


def _check_size(name: str, value: Any) -> None:
    """Refuse what is no number or text, and numbers that the database cannot take.

    The action's own schema says whether the text is a number.
    """
    if isinstance(value, str):
        digits = value.strip().lstrip("-")
        is_storable = not digits.isdecimal() or len(digits) <= LONGEST_NUMBER
    else:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        is_storable = value is None or (is_number and _is_storable(value))
    if not is_storable:
        raise invalid(name, tk._("Expected a number."))


def _check_number(name: str, value: Any) -> None:
    """Accept an integer from 0 on, as a number or as its digits."""
    _check_size(name, value)
    try:
        is_natural = int(value) >= 0
    except ValueError:
        is_natural = False
    if not is_natural:
        raise invalid(name, tk._("Expected a number."))
