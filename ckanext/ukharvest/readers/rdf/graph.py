"""A document's graph, kept on disk, and the records in it.

Kept in SQLite, not in pyoxigraph's store, which rewrites literals and keeps all of them in memory
(docs/decisions/0011-rdf.md).

DCAT 3 (https://www.w3.org/TR/vocab-dcat-3/); paging by Hydra, in both of its vocabularies:
PagedCollection (nextPage, totalItems) and PartialCollectionView (next).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from functools import cached_property

from ckanext.ukharvest.core.errors import ProtocolError
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.rdf import (
    DATASET_TYPES,
    DCAT,
    OTHER_DATASET_TYPES,
    RDF,
    SERVICE_TYPE,
    Triple,
    iri,
    is_node,
    value,
)
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.values.text import counted, shorten
from ckanext.ukharvest.readers.rdf.file import FORMATS, RdfFile
from ckanext.ukharvest.readers.rdf.identity import PAGES

HYDRA = "http://www.w3.org/ns/hydra/core#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
TYPE = f"<{RDF}type>"

# A larger record is not one dataset: a vocabulary or a whole register is attached to it.
MAX_TRIPLES = 20_000
# Nor does a node with so many statements describe the dataset that links to it.
MAX_FACTS = 1_000

_DATASET, _OTHER, _INSTEAD, _SERVICE = 1, 2, 3, 4
# Types of independent nodes: a record has links to them, not their statements.
_RANKS = {
    **{f"<{DCAT}{name}>": _OTHER for name in ("Catalog", "CatalogRecord")},
    **{f"<{HYDRA}{name}>": _OTHER for name in ("PagedCollection", "PartialCollectionView")},
    f"<{HYDRA}Collection>": _OTHER,
    **{f"<{name}>": _DATASET for name in DATASET_TYPES},
    **{f"<{name}>": _INSTEAD for name in OTHER_DATASET_TYPES},
}
_DATASETS = frozenset(f"<{name}>" for name in (*DATASET_TYPES, *OTHER_DATASET_TYPES))
# Predicates from a shared node to all nodes that share it, or from a term to its vocabulary.
LISTS = frozenset(
    f"<{name}>"
    for name in (
        *(DCAT + name for name in ("dataset", "servesDataset", "catalog", "record", "service")),
        *(f"http://www.w3.org/2004/02/skos/core#{name}" for name in ("hasTopConcept", "member")),
        *(f"http://xmlns.com/foaf/0.1/{name}" for name in ("made", "publications")),
    )
)
_PAGES = ("url", "contentUrl")
# Predicates whose objects are pages, files or relations: kept also where they name a dataset.
LINKS = frozenset(
    f"<{name}>"
    for name in (
        *(DCAT + name for name in ("accessURL", "downloadURL", "landingPage")),
        *(DCAT + name for name in ("endpointURL", "endpointDescription")),
        *(f"http://purl.org/dc/terms/{name}" for name in ("relation", "source", "references")),
        *(f"http://xmlns.com/foaf/0.1/{name}" for name in ("page", "homepage")),
        *(f"{start}://schema.org/{name}" for start in ("http", "https") for name in _PAGES),
    )
)
_SERVES, _IN_SERIES = f"<{DCAT}servesDataset>", f"<{DCAT}inSeries>"
_TITLES = {f"<{name}>" for name in ("http://purl.org/dc/terms/title", f"{RDFS}label")}
NOT_FOLLOWED = frozenset(
    f"<http://www.w3.org/2004/02/skos/core#{name}>"
    for name in ("broader", "narrower", "related", "inScheme", "topConceptOf", "broadMatch")
    + ("broaderTransitive", "narrowerTransitive", "exactMatch", "closeMatch", "relatedMatch")
) | {TYPE}


class RdfGraph:
    """The triples of one document in a temporary database; close it when done.

    Args:
        file: the document; what can be repaired in it is repaired and reported.

    Raises:
        ProtocolError: a syntax error that cannot be repaired.
    """

    def __init__(self, file: RdfFile) -> None:
        self.file = file
        # Without a name, SQLite keeps a small database in memory, and a larger one in a private
        # temporary file.
        self._db = sqlite3.connect("", isolation_level=None)
        self._db.execute("PRAGMA journal_mode = OFF")
        self._db.execute("PRAGMA synchronous = OFF")
        self._records = _DATASET
        self.count = 0  # of the document's triples
        self._too_large: list[str] = []
        self._left_out: list[str] = []  # services
        self.links = 0  # members of a list that only link to a page
        try:
            self._load_file()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._db.close()
        self.file.close()

    def _load(self, triples: Iterable[Triple]) -> None:
        """Replace the content by a document's triples; let their errors pass."""
        for table in ("triple", "border", "kind", "inverse"):
            self._db.execute(f"DROP TABLE IF EXISTS {table}")
        self._left_out.clear()
        self._db.execute("CREATE TABLE triple (s TEXT, p TEXT, o TEXT)")
        self._db.execute("BEGIN")
        try:
            cursor = self._db.executemany("INSERT INTO triple VALUES (?, ?, ?)", triples)
            self.count = cursor.rowcount
        finally:
            self._db.execute("COMMIT")
        self._db.execute("CREATE INDEX by_subject ON triple (s)")
        self._find_borders()

    def _load_file(self) -> None:
        # A strict JSON-LD parser silently drops errors.
        attempts = (self.file.format != FORMATS["json-ld"], False, False)
        for number, is_strict in enumerate(attempts):
            try:
                self._load(self.file.triples(strict=is_strict))
                break
            except ProtocolError as exc:
                is_last = number == 2 or (number == 1 and not self.file.repair())
                if exc.code != "rdf-syntax" or is_last:
                    raise

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
        self._find_services()
        # Once here, not for each record: 100,000 datasets may share a publisher that lists them.
        self._db.execute(
            "DELETE FROM triple WHERE s NOT IN (SELECT s FROM border)"
            " AND (p IN (SELECT value FROM json_each(?)) OR o IN (SELECT s FROM border)"
            " AND p NOT IN (SELECT value FROM json_each(?)))",
            (json.dumps(sorted(LISTS)), json.dumps(sorted(LINKS))),
        )

    def _find_services(self) -> None:
        """Record which services serve a dataset, and which are records of their own.

        A service is one if it serves no dataset, has a title, and only catalogues name it. A series
        and its members are recorded in the same way.
        """
        self._db.execute(
            "CREATE TABLE inverse AS SELECT DISTINCT s, p, o FROM triple"
            " WHERE p IN (?, ?) AND o IN (SELECT s FROM border WHERE rank = ?)",
            (_SERVES, _IN_SERIES, self._records),
        )
        self._db.execute("CREATE INDEX by_target ON inverse (o, p)")
        places: dict[str, int] = dict(
            self._db.execute(
                "SELECT s, min(rowid) FROM triple WHERE p = ? AND o = ?"
                " AND s NOT IN (SELECT s FROM border) GROUP BY s",
                (TYPE, f"<{SERVICE_TYPE}>"),
            )
        )
        if not places:
            return
        named = self._db.execute(
            "SELECT o FROM triple WHERE o IN (SELECT value FROM json_each(?)) AND s <> o"
            " AND s NOT IN (SELECT s FROM border WHERE rank = ?)"
            " AND p NOT IN (SELECT value FROM json_each(?))"
            " UNION SELECT s FROM inverse WHERE p = ?",
            (json.dumps(sorted(places)), _OTHER, json.dumps(sorted(LISTS)), _SERVES),
        )
        for node in places.keys() - {node for (node,) in named}:
            facts = {predicate for predicate, _ in self._facts(node)}
            if facts & _TITLES and _SERVES not in facts:
                place = places[node]
                self._db.execute("INSERT INTO border VALUES (?, ?, ?)", (node, place, _SERVICE))
            elif facts - {TYPE}:
                self._left_out.append(node)

    @property
    def is_catalogue(self) -> bool:
        """Whether the document has any list of DCAT or Hydra, even an empty one."""
        return self._one("SELECT 1 FROM border")

    def datasets(self) -> Iterator[str]:
        """Yield the datasets that are described, in the document's order.

        A node with only a type is described elsewhere, on another page: it is left out.
        """
        return self._described(self._records)

    def services(self) -> Iterator[str]:
        """Yield the services that are records of their own, in the document's order."""
        return self._described(_SERVICE)

    def _described(self, rank: int) -> Iterator[str]:
        # A member of a list without a URI, with its page alone, is a link.
        query = (
            "SELECT s, max(p <> ? AND (substr(s, 1, 2) <> '_:' OR p NOT IN (?, ?)))"
            " FROM border JOIN triple USING (s) WHERE rank = ? GROUP BY s"
            " HAVING max(p <> ?) ORDER BY place"
        )
        for node, is_record in self._db.execute(query, (TYPE, *PAGES, rank, TYPE)):
            if is_record:
                yield node
            else:
                self.links += 1

    @cached_property
    def shared_pages(self) -> frozenset[str]:
        """The objects of schema:url that several datasets have."""
        query = (
            "SELECT o FROM border JOIN triple USING (s) WHERE p IN (?, ?) AND rank = ?"
            " GROUP BY o HAVING count(DISTINCT s) > 1"
        )
        return frozenset(obj for (obj,) in self._db.execute(query, (*PAGES, self._records)))

    def record(self, dataset: str) -> list[Triple]:
        """Return the triples of a dataset and of the nodes it owns, breadth first.

        To these belong services that serve it, unless one of its files names them. Of its members,
        a series has the links alone.
        """
        triples = [(dataset, predicate, obj) for predicate, obj in self._facts(dataset)]
        owned = [obj for _, predicate, obj in triples if self._is_owned(predicate, obj)]
        waiting = [node for node in dict.fromkeys(owned) if not self._is_border(node)]
        known = {dataset, *waiting}
        self._follow(dataset, triples, waiting, known)
        services = [node for node in self._inverse(_SERVES, dataset) if node not in known]
        triples += [(node, _SERVES, dataset) for node in services]
        self._follow(dataset, triples, services, known | set(services))
        members = self._inverse(_IN_SERIES, dataset)[:MAX_FACTS]
        return triples + [(node, _IN_SERIES, dataset) for node in members]

    def _follow(
        self, dataset: str, triples: list[Triple], waiting: list[str], known: set[str]
    ) -> None:
        """Add the triples of nodes, and of those below them."""
        for node in waiting:  # grows
            facts = self._facts(node, MAX_FACTS + 1)
            if len(facts) > MAX_FACTS or len(triples) > MAX_TRIPLES:
                self._too_large.append(dataset)
                continue
            for predicate, obj in facts:
                if predicate == TYPE and obj in _DATASETS:
                    continue
                triples.append((node, predicate, obj))
                is_new = obj not in known and self._is_owned(predicate, obj)
                if is_new and (predicate not in LINKS or not self._is_border(obj)):
                    known.add(obj)
                    waiting.append(obj)

    def _inverse(self, predicate: str, node: str) -> list[str]:
        query = "SELECT s FROM inverse WHERE o = ? AND p = ? ORDER BY s"
        return [subject for (subject,) in self._db.execute(query, (node, predicate))]

    def values(self, predicate: str) -> list[str]:
        """Return the distinct texts or URLs that any node has under a predicate, sorted."""
        query = "SELECT DISTINCT o FROM triple WHERE p = ?"
        return sorted(value(text) for (text,) in self._db.execute(query, (f"<{predicate}>",)))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Problems of records too large to be one dataset, and of services left out.

        Those of the document are its file's.
        """
        too_large = tuple(
            Problem(
                "too-many-nodes",
                "",
                Message(
                    "{dataset}: more than {max_triples:,} statements belong to it; expected the"
                    " description of one dataset, the rest was ignored",
                    dataset=shorten(iri(node) or "a dataset without URI", 200),
                    max_triples=MAX_TRIPLES,
                ),
            )
            for node in self._too_large
        )
        if not self._left_out:
            return too_large
        name = shorten(iri(min(self._left_out)) or "a service without URI", 200)
        message = Message(
            "{services} left out, such as {name}; expected a dct:title, and the datasets"
            " of dcat:servesDataset in the same document",
            services=counted(len(self._left_out), "service"),
            name=name,
        )
        return (*too_large, Problem("service-left-out", "dcat:DataService", message))

    def _is_owned(self, predicate: str, obj: str) -> bool:
        return is_node(obj) and predicate not in NOT_FOLLOWED

    def _facts(self, node: str, limit: int = -1) -> list[tuple[str, str]]:
        query = "SELECT p, o FROM triple WHERE s = ? LIMIT ?"
        return sorted(set(self._db.execute(query, (node, limit))))

    def _is_border(self, node: str) -> bool:
        return self._one("SELECT 1 FROM border WHERE s = ?", node)

    def _one(self, query: str, *values: str | int) -> bool:
        return self._db.execute(query, values).fetchone() is not None
