"""Run ckanext-dcat's profiles over a record's graph after our own parser (option ``profiles``).

Portals have their own profiles for ckanext-dcat, and a source names those it needs. The package is
optional, so it is imported only for sources with the option.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.core.records import Problem

log = logging.getLogger(__name__)

OPTION = "profiles"


def check(names: Sequence[str]) -> None:
    """Check that the profiles are installed.

    Raises:
        ConfigError: ckanext-dcat or a profile is not installed.
    """
    _parser(names)


def read(content: str, names: Sequence[str]) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    """Return the dataset dict that the profiles make from a record's N-Triples, and problems.

    If a profile fails, the dict is empty and there is a problem; the record is still imported.

    Raises:
        ConfigError: see ``check``.
    """
    parser = _parser(names)
    try:
        parser.parse(content, _format="nt")
        return next(iter(parser.datasets()), {}), ()
    except Exception as exc:  # noqa: BLE001 - profiles are other people's code
        log.exception("The profiles %s failed", ", ".join(names))
        message = (
            f"{OPTION}: {', '.join(names)} could not read this dataset ({type(exc).__name__});"
            " the portal's log has the details"
        )
        return {}, (Problem("profile-failed", OPTION, message),)


def _parser(names: Sequence[str]) -> Any:
    try:
        from ckanext.dcat.processors import RDFParser, RDFProfileException
    except ImportError as exc:
        raise ConfigError(
            f"{OPTION}: needs the package ckanext-dcat, which is not installed on this portal",
            field=OPTION,
        ) from exc
    try:
        return RDFParser(profiles=list(names))
    except RDFProfileException as exc:
        raise ConfigError(
            f"{OPTION}: {exc}; expected names of ckanext-dcat's profiles, such as euro_dcat_ap_3",
            field=OPTION,
        ) from exc
