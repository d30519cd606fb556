"""A source's listing: find which datasets it really lists, before they are adopted by guid."""

from __future__ import annotations

from collections.abc import Sequence

from ckan import model
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest.core.errors import SourceError
from ckanext.ukharvest.engine import sync_state
from ckanext.ukharvest.engine.http_client import open_client
from ckanext.ukharvest.engine.source_config import Setting, read_options
from ckanext.ukharvest.model.adoption import Found
from ckanext.ukharvest.model.record_state import known_records
from ckanext.ukharvest.reading.record_classifier import RecordClass, RecordClassifier
from ckanext.ukharvest.reading.records import SourceRead
from ckanext.ukharvest.source_types import SourceType


def find_listed(
    source: HarvestSource, kind: SourceType, text: str | None, candidates: Sequence[Found]
) -> set[str]:
    """Read a source's whole listing; return the ids of the candidates that it lists.

    Saves nothing, and ends the session's transaction. A record that cannot be read is listed all
    the same; one that the source marks as deleted is not.

    Args:
        kind, text: the source's type and options once it is adopted.
        candidates: datasets that the source may claim.

    Raises:
        SourceError, ConfigError: the listing cannot be read, or not to its end.
    """
    setting = Setting(kind, source.id, source.url, "", read_options(kind, text))
    known = known_records(source.id)
    saved_state = sync_state.load_for_full_read(setting, known.values())
    known |= {each.guid: each.as_known_record() for each in candidates}
    classifier = RecordClassifier(known, None, kind.old_guids)
    model.Session.commit()  # no transaction stays open while waiting for the source
    listed = set()
    with open_client(setting.options["credential"]) as http:
        read = SourceRead(kind, saved_state.source(setting, http), classifier)
        for record in read:
            if record.record_class is not RecordClass.DELETED:
                match = record.known or known.get(record.raw.guid)
                listed.add(match.package_id if match else "")
        ending = read.ended()
    if not ending.complete:
        raise SourceError(ending.reason or f"{setting.url}: not the whole list was read")
    return {each.package_id for each in candidates if each.package_id in listed}
