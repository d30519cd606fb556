"""What a portal's own form refuses of a source's records: counted by field, with its own words.

A trial puts records through the portal's validators and saves nothing; ``harvest/gather/trial.py``
is the only one. Here is what it says of each record, and the sum of that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypedDict

from ckanext.ukharvest.core.dataset_changes import FieldChange
from ckanext.ukharvest.core.records import DatasetRecord, RawRecord
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.reading.adoption_changes import RemovedFile
from ckanext.ukharvest.reading.preview_result import LONGEST, ErrorEntry
from ckanext.ukharvest.reading.record_classifier import KnownRecord

MOST_EXAMPLES = 50  # records that are listed, whatever refuses them
MOST_KINDS = 200  # further ones, one for each field and wording not seen before


@dataclass(frozen=True, slots=True)
class Tried:
    """How the next run would end a record.

    Attributes:
        change: its ``RecordClass``; "" if it failed or is skipped.
        error: why it fails, None if it does not.
        refused: field → words of the portal's form, if that is why.
        skipped: why it is skipped; None if it is not.
        name: of the dataset that is here already, if the trial compares; else "".
        changed: what changes in it.
        files: those of its files that go.
    """

    change: str = ""
    error: ErrorEntry | None = None
    refused: Mapping[str, str] = field(default_factory=dict)
    skipped: str | None = None
    name: str = ""
    changed: Sequence[FieldChange] = ()
    files: Sequence[RemovedFile] = ()


class ReadRecord(NamedTuple):
    """A record to try: with its content, what is known of it, and as it was parsed."""

    raw: RawRecord
    known: KnownRecord | None
    parsed: DatasetRecord | None


# Returns how each record would end, in their order.
Trial = Callable[[Sequence[ReadRecord]], Sequence[Tried]]


class RefusedReason(TypedDict):
    """Words of the form, and the number of records that they are about."""

    text: str
    records: int


class RefusedField(TypedDict):
    """A field for which the form refuses records."""

    field: str
    records: int
    reasons: list[RefusedReason]


class RefusedRecord(TypedDict):
    """A record that the form refuses; ``fields``: field → its words."""

    guid: str
    title: str
    fields: dict[str, str]


class Refused(TypedDict):
    """What the portal's form refuses.

    tried: number of records that were put through it. records: number that it refused. fields:
    those with most records first. examples: the first 50, and one of each further kind.
    """

    tried: int
    records: int
    fields: list[RefusedField]
    examples: list[RefusedRecord]


class Refusals:
    """Adds up refused records: call ``add`` for each record tried, then ``result``."""

    def __init__(self) -> None:
        self._tried = self._records = self._further = 0
        self._reasons: dict[str, dict[str, int]] = {}
        self._of_field: dict[str, int] = {}
        self._examples: list[RefusedRecord] = []

    def add(self, guid: str, title: str, refused: Mapping[str, str]) -> None:
        """Add a record; ``refused`` as in ``Tried``."""
        self._tried += 1
        if not refused:
            return
        self._records += 1
        is_new = False
        fields = {name: shorten(text, LONGEST) for name, text in refused.items()}
        for name, text in fields.items():
            reasons = self._reasons.setdefault(name, {})
            is_new = is_new or text not in reasons
            reasons[text] = reasons.get(text, 0) + 1
            self._of_field[name] = self._of_field.get(name, 0) + 1
        is_first = len(self._examples) < MOST_EXAMPLES
        if is_first or (is_new and self._further < MOST_KINDS):
            self._further += not is_first
            self._examples.append(
                {"guid": guid, "title": shorten(title, LONGEST), "fields": fields}
            )

    def result(self) -> Refused:
        """Return the sum."""
        names = sorted(self._of_field, key=lambda name: (-self._of_field[name], name))
        return {
            "tried": self._tried,
            "records": self._records,
            "fields": [self._field(name) for name in names],
            "examples": self._examples,
        }

    def _field(self, name: str) -> RefusedField:
        reasons = sorted(self._reasons[name].items(), key=lambda pair: (-pair[1], pair[0]))
        listed: list[RefusedReason] = [
            {"text": text, "records": count} for text, count in reasons[:MOST_KINDS]
        ]
        return {"field": name, "records": self._of_field[name], "reasons": listed}
