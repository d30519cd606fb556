"""Files with rows of tables of values: CSV, and SKOS with labels in several languages."""

from __future__ import annotations

import io
from collections.abc import Iterator

from ckanext.ukharvest.core import rdf
from ckanext.ukharvest.core.errors import ProtocolError
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.values.text import as_cell, clean_text
from ckanext.ukharvest.harvest.http_client import open_client
from ckanext.ukharvest.lib.csv_files import read_rows
from ckanext.ukharvest.readers.rdf.contexts import Contexts
from ckanext.ukharvest.readers.rdf.file import RdfFile

COLUMNS = ("field", "value", "ours")
_SKOS = "<http://www.w3.org/2004/02/skos/core#{}>"
_MATCHES = tuple(map(_SKOS.format, ("exactMatch", "closeMatch", "broadMatch")))
_NOTATION, _PREFERRED = map(_SKOS.format, ("notation", "prefLabel"))
_LABELS = (_PREFERRED, *map(_SKOS.format, ("altLabel", "hiddenLabel")))
_BASE = "https://values.invalid/"  # of relative URIs; nothing is requested there

Row = dict[str, str]


def read(data: bytes, name: str, field: str, language: str) -> list[Row]:
    """Return the rows of a file.

    Args:
        name: of the file; one that ends in .csv is CSV, any other RDF.
        field: that all rows of SKOS are of.
        language: code of the language of the labels that are values here.

    Raises:
        ValueError: with a sentence for people, it cannot be read.
    """
    if name.lower().endswith(".csv"):
        rows = read_rows(data, COLUMNS)
        return [{name: _text(cell) for name, cell in row.items()} for row in rows]
    try:
        return list(_read_skos(data, field, language))
    except ProtocolError as exc:
        raise ValueError(exc.message) from exc


def _text(cell: str) -> str:
    """Return the text of a cell; one that a spreadsheet would run is quoted (``as_cell``)."""
    text = cell.removeprefix("'")
    return text if as_cell(text) == cell else cell


def _read_skos(data: bytes, field: str, language: str) -> Iterator[Row]:
    """Yield a row for the URI and each label of a concept.

    The value here is what the concept matches, else its notation, else its label in the language.
    """
    concepts: dict[str, dict[str, list[str]]] = {}
    reply = Reply(_BASE, _BASE, 200, {}, io.BytesIO(data))
    with open_client() as http:
        file = RdfFile(reply, _BASE, Contexts(http), "")
        try:
            for subject, predicate, term in file.triples(strict=False):
                if predicate in (*_MATCHES, _NOTATION, *_LABELS):
                    concepts.setdefault(subject, {}).setdefault(predicate, []).append(term)
        finally:
            file.close()
    for subject, facts in concepts.items():
        labels = facts.get(_PREFERRED, [])
        labels.sort(key=lambda term: rdf.language(term).partition("-")[0] != language)
        ours = [term for key in (*_MATCHES, _NOTATION) for term in facts.get(key, ())] + labels
        texts = [subject, *(term for key in _LABELS for term in facts.get(key, ()))]
        for text in dict.fromkeys(clean_text(rdf.value(term)) for term in texts):
            if ours and text:
                yield {"field": field, "value": text, "ours": clean_text(rdf.value(ours[0]))}
