"""Requirements on every source type's reader and parser; the CKAN half is in tests/ckan.

Runs for each of our types, so that no new type can omit it.
"""

from __future__ import annotations

import pytest

from ckanext.ukharvest.source_types import TYPES
from ckanext.ukharvest.source_types.source_type import SourceType
from ckanext.ukharvest.testing.contract import (  # noqa: F401
    Serve,
    test_a_change_in_one_record_changes_its_fingerprint_alone,
    test_a_late_failure_stops_the_read,
    test_a_record_without_title_is_lost_alone,
    test_a_redirect_into_internal_space_is_refused,
    test_a_server_that_ignores_the_page_ends,
    test_a_type_says_what_it_is,
    test_all_records_come_with_identity_and_title,
    test_an_oversize_answer_is_refused,
    test_another_document_is_refused_in_words,
    test_parsing_never_fails_in_another_way,
    test_reading_twice_gives_the_same_identities_and_fingerprints,
)
from tests.contract import SERVERS


@pytest.fixture(params=sorted(TYPES.ours))
def kind(request: pytest.FixtureRequest) -> SourceType:
    return TYPES[request.param]


@pytest.fixture
def serve(kind: SourceType) -> Serve:
    return SERVERS[kind.name]


def test_every_type_has_a_publisher_in_the_contract() -> None:
    assert set(SERVERS) == set(TYPES.ours)
