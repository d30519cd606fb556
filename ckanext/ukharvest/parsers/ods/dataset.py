"""A dataset as Explore API 2.1 and Search API 1.0 show it, under the same names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote

from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.parsers.json_fields import Fields
from ckanext.ukharvest.parsers.table import row

# Prefixes of names in tables.
DEFAULT, DCAT, INSPIRE = "metas.default.", "metas.dcat.", "metas.inspire."
_PAGE = "/explore/dataset/"
# Templates that are read, and those about the portal's own pages and processing.
_KNOWN = ("default", "dcat", "inspire")
_OF_PORTAL = ("explore", "processing", "semantic", "visualization")


@dataclass(frozen=True, slots=True)
class Dataset:
    """The fields of a dataset.

    Attributes:
        own: its top level.
        default: the standard metadata: ``metas.default`` of 2.1, ``metas`` of 1.0.
        dcat, inspire: metadata for other systems: ``metas.dcat`` of 2.1, ``interop_metas.dcat``.
        others: the portal's own and other templates, such as ``metas.custom``: name → fields.
        path: that of ``default`` in the record, for names of fields.
        id: its identity on the portal.
        portal: URL of the portal's home page without a slash at the end, "" if it is not known.
        is_search: it came by Search API 1.0.
    """

    own: Fields
    default: Fields
    dcat: Fields
    inspire: Fields
    others: Mapping[str, Mapping[str, Any]]
    path: str
    id: str
    portal: str
    is_search: bool

    def part(self, prefix: str) -> Fields:
        """Return the fields whose names begin with a prefix."""
        if prefix == DEFAULT:
            return self.default
        return self.dcat if prefix == DCAT else self.inspire

    @property
    def page(self) -> str:
        """URL of its page for people, "" if the portal is not known."""
        return f"{self.portal}{_PAGE}{self.path_id}/" if self.portal else ""

    @property
    def path_id(self) -> str:
        """Its identity as part of a URL's path."""
        return quote(self.id, safe="@")


def dataset_of(data: Mapping[str, Any], guid: str, url: str, problems: list[Problem]) -> Dataset:
    """Return the fields of a dataset; odd shapes count as empty.

    Args:
        guid: its identity, which is its ``dataset_id``.
        url: of its page, as the reader made it, or of another document.
    """
    metas = _object(data.get("metas"))
    is_search = "datasetid" in data or not isinstance(metas.get("default"), Mapping)
    if is_search:
        default, others, place = metas, _object(data.get("interop_metas")), "interop_metas"
        path = "metas."
    else:
        default, others, place = _object(metas["default"]), metas, "metas"
        path = "metas.default."
    portal, is_page, _ = url.partition(_PAGE)
    return Dataset(
        own=Fields(data, problems),
        default=Fields(default, problems, path),
        dcat=Fields(_object(others.get("dcat")), problems, f"{place}.dcat."),
        inspire=Fields(_object(others.get("inspire")), problems, f"{place}.inspire."),
        others={
            name: fields
            for name, fields in {**others, **_object(data.get("extra_metas"))}.items()
            if name not in (*_KNOWN, *_OF_PORTAL) and isinstance(fields, Mapping)
        },
        path=path,
        id=clean_text(guid),
        portal=portal if is_page and "://" in portal else "",
        is_search=is_search,
    )


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


default_row = partial(row, prefix=DEFAULT)
dcat_row = partial(row, prefix=DCAT)
inspire_row = partial(row, prefix=INSPIRE)


def names(prefix: str, *fields: str) -> tuple[str, ...]:
    """Return the names of fields with their prefix."""
    return tuple(prefix + field for field in fields)
