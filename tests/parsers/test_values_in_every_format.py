"""Each kind of value is read the same in every format that can carry it."""

from __future__ import annotations

from ckanext.ukharvest.core.records import DatasetRecord
from tests.parsers import carriers
from tests.parsers.carriers import Carrier

BY = "https://creativecommons.org/licenses/by/4.0/"
NC = "https://creativecommons.org/licenses/by-nc/4.0/"
ODBL = "https://opendatacommons.org/licenses/odbl/1-0/"
RESERVATION = "Not for commercial use. Permission required."


def licence_id(record: DatasetRecord) -> str:
    return record.licence.id if record.licence else "none"


@carriers.formats("licence")
def test_open_licence_is_read(carrier: Carrier) -> None:
    record = carrier(BY)
    assert licence_id(record) == "cc-by"
    assert "unknown-licence" not in [each.code for each in record.problems]


@carriers.formats("licence")
def test_closed_licence_beside_open_one_wins(carrier: Carrier) -> None:
    assert licence_id(carrier(BY, NC)) == "cc-nc"


@carriers.formats("licence")
def test_reserved_data_is_not_called_open(carrier: Carrier) -> None:
    record = carrier(BY, RESERVATION)
    assert licence_id(record) == ""
    assert record.licence is not None
    assert RESERVATION in record.licence.title


@carriers.formats("licence")
def test_licences_that_differ_are_kept_as_text(carrier: Carrier) -> None:
    record = carrier(BY, ODBL)
    assert licence_id(record) == ""
    assert record.licence is not None
    assert BY in record.licence.title
    assert ODBL in record.licence.title
