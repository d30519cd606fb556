"""Changes that plugins of ``IUkHarvestStars`` make; one that fails changes nothing."""

from __future__ import annotations

import logging
import reprlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, TypeVar, cast

import ckan.plugins as p

from ckanext.ukharvest.core.values.stars import HIGHEST, DatasetStars, Stars
from ckanext.ukharvest.core.values.text import one_line
from ckanext.ukharvest.harvest import http_client
from ckanext.ukharvest.harvest.model import utcnow
from ckanext.ukharvest.interfaces import IUkHarvestStars

log = logging.getLogger(__name__)

_T = TypeVar("_T")
_FAULT, _FAULT_SECONDS = "stars-plugin-fault", 14 * http_client.DAY
_SHORTENED = reprlib.Repr()
_SHORTENED.maxother = 200  # characters


def formats() -> dict[str, int]:
    """Return the stars of formats that plugins change or add."""
    labels: dict[str, int] = {}
    for plugin in _plugins():
        labels.update(_ask(plugin, plugin.stars_of_formats, {}, _are_formats))
    return labels


def apply_to_resource(package: Mapping[str, Any], resource: Mapping[str, Any], own: Stars) -> Stars:
    """Return the stars of a resource after all plugins."""
    for plugin in _plugins():
        ask = partial(plugin.stars_of_resource, package, resource, own)
        own = _ask(plugin, ask, own, _are_stars)
    return own


def apply_to_dataset(package: Mapping[str, Any], own: DatasetStars) -> DatasetStars:
    """Return the stars of a dataset after all plugins."""
    for plugin in _plugins():
        ask = partial(plugin.stars_of_dataset, package, own)
        own = _ask(plugin, ask, own, _are_of_dataset)
    return own


def reason(own: Stars) -> str:
    """Return the first plugin's text for a reason, "" if none has any."""
    texts = (_ask(plugin, partial(plugin.stars_reason, own), "", _is_text) for plugin in _plugins())
    return next(filter(None, texts), "")


def last_fault() -> dict[str, str] | None:
    """Return when the result of which plugin was last ignored, and why; None if none was."""
    return cast("dict[str, str] | None", http_client.load_from_redis(_FAULT))


def forget_fault() -> None:
    """Forget it before all datasets are scored anew."""
    http_client.delete_from_redis(_FAULT)


def _plugins() -> Iterator[Any]:
    return iter(p.PluginImplementations(IUkHarvestStars))


def _ask(plugin: Any, ask: Callable[[], _T], otherwise: _T, is_sound: Callable[[Any], bool]) -> _T:
    """Return a plugin's result, or the value before if the result is invalid."""
    try:
        answer = ask()
        if is_sound(answer):
            return answer
        log.error("Plugin %r: %r are no stars of openness; ignored", plugin.name, answer)
        why = f"{_SHORTENED.repr(answer)} are no stars of openness"
    except Exception as exc:
        log.exception("Plugin %r failed at stars of openness; its answer is ignored", plugin.name)
        why = _SHORTENED.repr(exc)
    fault = {"at": utcnow().isoformat(), "plugin": plugin.name, "error": one_line(why)}
    http_client.save_in_redis(_FAULT, fault, _FAULT_SECONDS)
    return otherwise


def _is_text(answer: Any) -> bool:
    return isinstance(answer, str)


def _is_count(value: Any) -> bool:
    # Python takes True for an int, PostgreSQL does not.
    return type(value) is int and 0 <= value <= HIGHEST


def _are_formats(answer: Any) -> bool:
    return isinstance(answer, Mapping) and all(
        _is_text(label) and _is_count(count) for label, count in answer.items()
    )


def _are_stars(answer: Any) -> bool:
    return (
        isinstance(answer, Stars)
        and _is_count(answer.stars)
        and _is_text(answer.code)
        and _is_text(answer.detail)
    )


def _are_of_dataset(answer: Any) -> bool:
    return (
        isinstance(answer, DatasetStars)
        and all(map(_are_stars, (answer.best, *answer.resources.values())))
        and all(map(_is_text, answer.resources))
    )
