"""The records of a known source, as its next run would take them."""

from __future__ import annotations

from ckanext.ukharvest.reading.record_classifier import KnownRecord, RecordClassifier
from tests.publisher import Publisher
from tests.reading.full_datasets import FULL, datasets
from tests.reading.previewed import PATH, preview


class AllTheSame:
    """Rules by which every content is the same."""

    import_rules_hash = ""

    def fingerprint(self, _content: str) -> str:
        return "same"

    def keeps_organisation(self, _known: KnownRecord) -> bool:
        return True


def here(guid: str, *, fingerprint: str) -> KnownRecord:
    """Return a record that was imported before."""
    return KnownRecord(
        id=1,
        guid=guid,
        package_id=guid,
        fingerprint=fingerprint,
        import_rules_hash="",
        url="",
        etag="",
        last_modified="",
        outcome="added",
        adopted="",
        kept=False,
        missed_runs=0,
        removed=False,
        package_state="active",
        has_current=True,
    )


def test_the_records_of_a_known_source_are_compared(publisher: Publisher) -> None:
    publisher.serve(PATH, datasets(4, **FULL))
    known = {"d0": here("d0", fingerprint="same"), "d1": here("d1", fingerprint="other")}
    found = preview(publisher.url(PATH), classifier=RecordClassifier(known, AllTheSame()))
    assert found["changes"] == {"unchanged": 1, "updated": 1, "added": 2}
    assert [each["change"] for each in found["sample"]] == ["updated", "added", "added"]
