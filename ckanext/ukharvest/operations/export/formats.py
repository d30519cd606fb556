"""The formats of the export: how each begins, writes a dataset and ends."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ckanext.ukharvest.operations.export import data_json, dcat
from ckanext.ukharvest.operations.export.dataset import Catalogue, Dataset

Package = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Format:
    """A format of the export.

    Attributes:
        title: for the manifest and the link; a name, which is not translated.
        file: name of the file without ".gz".
        begin: the text before the first dataset.
        render: a dataset's text, from what ``dataset.read`` made of it and its package dict.
        between, end: texts between two datasets and after the last.
    """

    title: str
    file: str
    media_type: str
    begin: Callable[[Catalogue], str]
    render: Callable[[Dataset, Package, Catalogue], str]
    between: str = ""
    end: str = ""


FORMATS = {
    "data_json": Format(
        "data.json (DCAT-US)",
        "data.json",
        "application/json",
        data_json.begin,
        lambda dataset, _package, _catalogue: data_json.render(dataset),
        between=",\n",
        end="\n]}\n",
    ),
    "jsonl": Format(
        "JSON Lines (package_show)",
        "datasets.jsonl",
        "application/jsonl",
        lambda _catalogue: "",
        lambda _dataset, package, _catalogue: json.dumps(package, ensure_ascii=False) + "\n",
    ),
    "turtle": Format(
        "Turtle (DCAT-AP)",
        "catalogue.ttl",
        "text/turtle",
        dcat.begin_turtle,
        lambda dataset, _package, catalogue: dcat.turtle(dataset, catalogue),
    ),
    "ntriples": Format(
        "N-Triples (DCAT-AP)",
        "catalogue.nt",
        "application/n-triples",
        dcat.begin_n_triples,
        lambda dataset, _package, catalogue: dcat.n_triples(dataset, catalogue),
    ),
}
