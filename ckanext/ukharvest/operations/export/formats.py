"""The formats of the export: how each begins, writes a dataset and ends."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ckanext.ukharvest.operations.export import data_json, rdf
from ckanext.ukharvest.operations.export.dataset import Catalogue, Dataset, read

Package = Mapping[str, Any]


class ExportedDataset:
    """A dataset as the formats need it; each of them is made once, however many formats."""

    def __init__(self, package: Package, catalogue: Catalogue) -> None:
        self.package = package
        self._catalogue = catalogue

    @cached_property
    def dataset(self) -> Dataset:
        """Return what the package dict says."""
        return read(self.package, self._catalogue)

    @cached_property
    def n_triples(self) -> str:
        """Return the dataset as N-Triples."""
        return rdf.triples(self.dataset, self.package, self._catalogue)


@dataclass(frozen=True, slots=True)
class Format:
    """A format of the export.

    Attributes:
        title: for the manifest and the link; a name, which is not translated.
        file: name of the file without ".gz".
        begin: the text before the first dataset.
        render: a dataset's text.
        between, end: texts between two datasets and after the last.
        needs_dcat: whether ckanext-dcat has to be installed.
    """

    title: str
    file: str
    media_type: str
    begin: Callable[[Catalogue], str]
    render: Callable[[ExportedDataset], str]
    between: str = ""
    end: str = ""
    needs_dcat: bool = False


FORMATS = {
    "data_json": Format(
        "data.json (DCAT-US)",
        "data.json",
        "application/json",
        data_json.begin,
        lambda each: data_json.render(each.dataset),
        between=",\n",
        end="\n]}\n",
    ),
    "jsonl": Format(
        "JSON Lines (package_show)",
        "datasets.jsonl",
        "application/jsonl",
        lambda _catalogue: "",
        lambda each: json.dumps(each.package, ensure_ascii=False) + "\n",
    ),
    "turtle": Format(
        "Turtle (DCAT-AP)",
        "catalogue.ttl",
        "text/turtle",
        rdf.begin_turtle,
        lambda each: rdf.turtle(each.n_triples),
        needs_dcat=True,
    ),
    "ntriples": Format(
        "N-Triples (DCAT-AP)",
        "catalogue.nt",
        "application/n-triples",
        rdf.begin_n_triples,
        lambda each: each.n_triples,
        needs_dcat=True,
    ),
}


def unavailable(names: Iterable[str]) -> list[str]:
    """Return those formats that this portal cannot write: ckanext-dcat is not installed."""
    return [name for name in names if FORMATS[name].needs_dcat and not rdf.is_available()]
