"""Read a source at a new URL, and find which of its records are there.

Records are compared by guid. The resources of those that are there show which base URL they moved
to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ckanext.ukharvest.core.base_urls import BaseMove, infer_move, match
from ckanext.ukharvest.mapping.kept_fields import key_of, move_key
from ckanext.ukharvest.reading.preview_result import MoveResult, PreviewResult
from ckanext.ukharvest.reading.record_classifier import Classified
from ckanext.ukharvest.reading.source_preview import SourcePreview

MOST_MOVES = 50  # of resources: publishers have files on a few servers


@dataclass
class MovePreview(SourcePreview):
    """One read of a source at its new URL; ``run`` it once.

    Args:
        moves: as ``core.base_urls.find_moves`` returns them.
        keys: guid → match keys of the resources that the last import wrote, of some records.
    """

    moves: Sequence[BaseMove] = ()
    keys: Mapping[str, Sequence[str]] = field(default_factory=dict)
    _evidence: Counter[BaseMove] = field(default_factory=Counter)
    _is_compared: bool = False

    def run(self) -> PreviewResult:
        """Read the source and return the result, with ``move``."""
        result = super().run()
        result["move"] = self._compare()
        return result

    def _take(self, record: Classified) -> None:
        # A record without content was only listed: its guid is all that is needed.
        if record.raw.content is not None or record.raw.error is not None:
            super()._take(record)

    def _look_at(self, entry: Mapping[str, Any]) -> None:
        """Count the moves that lead from the resources of a known record to those of this one."""
        guids = (entry["guid"], *(move.revert(entry["guid"]) for move in self.moves))
        old = next((self.keys[guid] for guid in guids if guid in self.keys), ())
        new = {key_of(resource["id"], resource["url"]) for resource in entry["resources"]}
        for key in old:
            if new and key not in new:
                self._is_compared = True
                moves = [candidate for candidate in self.moves if move_key(candidate, key) in new]
                self._evidence.update(moves or infer_moves([key], new))

    def _compare(self) -> MoveResult:
        known = self.classifier.known
        matches = match(known, self.classifier.listing.seen, self.moves)

        def count(guids: Sequence[str]) -> int:
            return sum(known[guid].is_active for guid in guids)

        ids = {move: [known[guid].id for guid in guids] for move, guids in matches.moved.items()}
        return {
            "datasets": count(list(known)),
            "same": count(matches.same),
            "moved": sum(map(count, matches.moved.values())),
            "added": matches.added,
            "missing": [known[guid].id for guid in matches.missing if known[guid].is_active],
            "records": [[*move, of_move] for move, of_move in ids.items()],
            "resources": [list(move) for move in self._moves_of_resources()],
            "config": "",
            "dropped": [],
        }

    def _moves_of_resources(self) -> Sequence[BaseMove]:
        """Return the moves of resources, those that match most first; all if none was compared."""
        if not self._is_compared:
            return self.moves
        places = {move: at for at, move in enumerate(self.moves)}

        def order(move: BaseMove) -> tuple[int, int]:
            return -self._evidence[move], places.get(move, len(places))

        return sorted(self._evidence, key=order)[:MOST_MOVES]


def infer_moves(old: Iterable[str], new: Collection[str]) -> Iterator[BaseMove]:
    """Yield the moves from resources to those with the same file names.

    Args:
        old: match keys; one that is in ``new``, or whose file name several of ``new`` have, is left
            out.
        new: match keys.
    """
    for key in old:
        name = key.rpartition("/")[2]
        alike = [key_of_new for key_of_new in new if key_of_new.rpartition("/")[2] == name]
        if key not in new and len(alike) == 1:
            old_url, new_url = (pair.partition(":")[2] for pair in (key, *alike))
            if move := infer_move(old_url, new_url):
                yield move
