"""A document's graph, kept on disk, and the records in it.

Kept in SQLite, not in pyoxigraph's store, which rewrites literals and keeps all of them in memory
(docs/decisions/0011-rdf-and-what-is-no-change.md).

DCAT 3 (https://www.w3.org/TR/vocab-dcat-3/); paging by Hydra, in both of its vocabularies:
PagedCollection (nextPage, totalItems) and PartialCollectionView (next).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator

from ckanext.ukharvest.core.errors import ProtocolError
from ckanext.ukharvest.core.rdf import (
    DATASET_TYPES,
    DCAT,
    OTHER_DATASET_TYPES,
    RDF,
    Triple,
    iri,
    is_node,
    value,
)
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.readers.rdf.file import FORMATS, RdfFile

HYDRA = "http://www.w3.org/ns/hydra/core#"
TYPE = f"<{RDF}type>"

# A larger record is not one dataset: a vocabulary or a whole register is attached to it.
MAX_TRIPLES = 20_000
# Nor does a node with so many statements describe the dataset that links to it.
MAX_FACTS = 1_000

_DATASET, _OTHER, _INSTEAD = 1, 2, 3
# Types of independent nodes: a record has links to them, not their statements.
_RANKS = {
    **{f"<{DCAT}{name}>": _OTHER for name in ("Catalog", "CatalogRecord")},
    **{f"<{HYDRA}{name}>": _OTHER for name in ("PagedCollection", "PartialCollectionView")},
    f"<{HYDRA}Collection>": _OTHER,
    **{f"<{each}>": _DATASET for each in DATASET_TYPES},
    **{f"<{each}>": _INSTEAD for each in OTHER_DATASET_TYPES},
}
_DATASETS = frozenset(f"<{each}>" for each in (*DATASET_TYPES, *OTHER_DATASET_TYPES))
# Predicates from a shared node to all nodes that share it, or from a term to its vocabulary.
LISTS = frozenset(
    f"<{each}>"
    for each in (
        *(DCAT + name for name in ("dataset", "servesDataset", "catalog", "record", "service")),
        *(f"http://www.w3.org/2004/02/skos/core#{name}" for name in ("hasTopConcept", "member")),
        *(f"http://xmlns.com/foaf/0.1/{name}" for name in ("made", "publications")),
    )
)
NOT_FOLLOWED = frozenset(
    f"<http://www.w3.org/2004/02/skos/core#{name}>"
    for name in ("broader", "narrower", "related", "inScheme", "topConceptOf", "broadMatch")
    + ("broaderTransitive", "narrowerTransitive", "exactMatch", "closeMatch", "relatedMatch")
) | {TYPE}


class RdfGraph:
    """The triples of one document in a temporary database; close it when done."""

    def __init__(self) -> None:
        # Without a name, SQLite keeps a small database in memory, and a larger one in a private
        # temporary file.
        self._db = sqlite3.connect("", isolation_level=None)
        self._db.execute("PRAGMA journal_mode = OFF")
        self._db.execute("PRAGMA synchronous = OFF")
        self._records = _DATASET
        self.count = 0  # of the document's triples
        self._too_large: list[str] = []

    def close(self) -> None:
        self._db.close()

    def load(self, triples: Iterable[Triple]) -> None:
        """Replace the content by a document's triples; let their errors pass."""
        self._db.execute("DROP TABLE IF EXISTS triple")
        self._db.execute("DROP TABLE IF EXISTS border")
        self._db.execute("DROP TABLE IF EXISTS kind")
        self._db.execute("CREATE TABLE triple (s TEXT, p TEXT, o TEXT)")
        self._db.execute("BEGIN")
        try:
            cursor = self._db.executemany("INSERT INTO triple VALUES (?, ?, ?)", triples)
            self.count = cursor.rowcount
        finally:
            self._db.execute("COMMIT")
        self._db.execute("CREATE INDEX by_subject ON triple (s)")
        self._find_borders()

    def load_file(self, file: RdfFile) -> None:
        """Replace the content by a document's triples; repair and report what can be repaired.

        Raises:
            ProtocolError: a syntax error that cannot be repaired.
        """
        try:
            # A strict JSON-LD parser silently drops errors.
            self.load(file.triples(strict=file.format != FORMATS["json-ld"]))
        except ProtocolError as exc:
            if exc.code != "rdf-syntax":
                raise
            self.load(file.triples(strict=False))

    def _find_borders(self) -> None:
        """Record which nodes are independent, and which of them are the records."""
        self._db.execute("CREATE TABLE kind (o TEXT PRIMARY KEY, rank INTEGER) WITHOUT ROWID")
        self._db.executemany("INSERT INTO kind VALUES (?, ?)", _RANKS.items())
        self._db.execute(
            "CREATE TABLE border AS SELECT s, min(triple.rowid) AS place, min(rank) AS rank"
            " FROM triple JOIN kind USING (o) WHERE p = ? GROUP BY s",
            (TYPE,),
        )
        self._db.execute("CREATE INDEX by_node ON border (s)")
        is_dcat = self._one("SELECT 1 FROM border WHERE rank = ?", _DATASET)
        self._records = _DATASET if is_dcat else _INSTEAD
        if is_dcat:
            self._db.execute("DELETE FROM border WHERE rank = ?", (_INSTEAD,))
        # Once here, not for each record: 100,000 datasets may share a publisher that lists them.
        self._db.execute(
            "DELETE FROM triple WHERE s NOT IN (SELECT s FROM border)"
            " AND (o IN (SELECT s FROM border) OR p IN (SELECT value FROM json_each(?)))",
            (json.dumps(sorted(LISTS)),),
        )

    @property
    def is_catalogue(self) -> bool:
        """Whether the document has any list of DCAT or Hydra, even an empty one."""
        return self._one("SELECT 1 FROM border")

    def datasets(self) -> Iterator[str]:
        """Yield the datasets that are described, in the document's order.

        A node with only a type is described elsewhere, on another page: it is left out.
        """
        query = (
            "SELECT s FROM border WHERE rank = ? AND EXISTS"
            " (SELECT 1 FROM triple WHERE triple.s = border.s AND p <> ?) ORDER BY place"
        )
        for (node,) in self._db.execute(query, (self._records, TYPE)):
            yield node

    def record(self, dataset: str) -> list[Triple]:
        """Return the triples of a dataset and of the nodes it owns, breadth first."""
        found = [(dataset, predicate, obj) for predicate, obj in self._facts(dataset)]
        waiting = [obj for _, predicate, obj in found if self._is_owned(predicate, obj)]
        waiting = [node for node in dict.fromkeys(waiting) if not self._is_border(node)]
        known = {dataset, *waiting}
        for node in waiting:  # grows
            facts = self._facts(node, MAX_FACTS + 1)
            if len(facts) > MAX_FACTS or len(found) > MAX_TRIPLES:
                self._too_large.append(dataset)
                continue
            for predicate, obj in facts:
                if predicate == TYPE and obj in _DATASETS:
                    continue
                found.append((node, predicate, obj))
                if obj not in known and self._is_owned(predicate, obj):
                    known.add(obj)
                    waiting.append(obj)
        return found

    def values(self, predicate: str) -> list[str]:
        """Return the distinct texts or URLs that any node has under a predicate, sorted."""
        query = "SELECT DISTINCT o FROM triple WHERE p = ?"
        return sorted(value(row[0]) for row in self._db.execute(query, (f"<{predicate}>",)))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Problems of the records that were cut: those that are too large to be one dataset."""
        return tuple(
            Problem(
                "too-many-nodes",
                "",
                f"{shorten(iri(node) or 'a dataset without URI', 200)}: more than"
                f" {MAX_TRIPLES:,} statements belong to it; expected the description of one "
                f"dataset, the rest was ignored",
            )
            for node in self._too_large
        )

    def _is_owned(self, predicate: str, obj: str) -> bool:
        return is_node(obj) and predicate not in NOT_FOLLOWED

    def _facts(self, node: str, limit: int = -1) -> list[tuple[str, str]]:
        query = "SELECT p, o FROM triple WHERE s = ? LIMIT ?"
        return sorted(set(self._db.execute(query, (node, limit))))

    def _is_border(self, node: str) -> bool:
        return self._one("SELECT 1 FROM border WHERE s = ?", node)

    def _one(self, query: str, *values: str | int) -> bool:
        return self._db.execute(query, values).fetchone() is not None
