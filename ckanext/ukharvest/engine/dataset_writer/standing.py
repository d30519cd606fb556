"""Which datasets stand: writing them again would change nothing but what a person has edited."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest.engine.dataset_writer.write import Write, package_hash
from ckanext.ukharvest.model import Record, coupling, record_rows
from ckanext.ukharvest.model.record_organizations import stored_organization

Session, package = model.Session, model.Package


class Standing:
    """What datasets' records came out as at their last import, and who wrote them last.

    Attributes:
        states: dataset id → its state, of those that exist.
    """

    def __init__(self, rows: Iterable[Record]) -> None:
        ids = {row.package_id for row in rows if row.package_id}
        is_current = sa.and_(HarvestObject.package_id == package.id, HarvestObject.current)
        query = (
            Session.query(package.id, package.state, HarvestObject.harvest_source_id)
            .outerjoin(HarvestObject, is_current)
            .filter(package.id.in_(ids))
        )
        known = query.all() if ids else ()
        self.states = {id_: state for id_, state, _source_id in known}
        self._sources = {id_: source_id for id_, _state, source_id in known}

    def is_active(self, row: Record) -> bool:
        """Tell whether a record has an active dataset."""
        return self.states.get(row.package_id or "") == "active"

    def stands(self, row: Record, hashed: str) -> bool:
        """Tell whether an active dataset already is what its record comes out as.

        Not if its harvest objects are gone, or another source wrote it last.

        Args:
            hashed: of ``package_hash``.
        """
        is_own = self._sources.get(row.package_id or "") == row.source_id
        return self.is_active(row) and is_own and row.package_hash == hashed


def leave(writes: Mapping[str, Write], source_id: str, job_id: str) -> set[str]:
    """Save stamps, titles and problems of records whose datasets stand; no commit.

    For records of which only the import rules changed, so that the source record that people see
    stays. Locks the records until the transaction ends.

    Args:
        writes: guid → what the record comes out as.

    Returns:
        Their guids; the others have to be imported.
    """
    rows = record_rows.lock_rows((source_id, guid) for guid in writes)
    standing = Standing(rows.values())
    left: dict[Record, Write] = {
        row: writes[guid]
        for (_source_id, guid), row in rows.items()
        if standing.stands(row, package_hash(writes[guid]))
    }
    for row, write in left.items():
        record_rows.put_title(row, write.record.title)
        record_rows.put_stamp(row, write.stamp)
        row.owner_org = stored_organization(write.defaults.owner_org)
        row.origin_guid = write.record.origin.guid if write.record.origin else ""
        record_rows.mark_seen(row, job_id)
    Session.flush()
    record_rows.replace_problems({row: write.record.problems for row, write in left.items()})
    coupling.replace({row.id: write.record.coupled for row, write in left.items()})
    return {row.guid for row in left}
