"""Identifiers that mean the same dataset in every source."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.deletions import is_globally_unique


@pytest.mark.parametrize(
    "guid",
    [
        "0b2c4a9e-6d0c-4c5e-9a51-0d4a6f0f7d11",
        "{0B2C4A9E-6D0C-4C5E-9A51-0D4A6F0F7D11}",
        "0b2c4a9e6d0c4c5e9a510d4a6f0f7d11",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "https://data.somewhere.example/id/parking",
        "http://opendatacommunities.org/data/imd",
        "https://data.example/inventory/0b2c4a9e-6d0c-4c5e-9a51-0d4a6f0f7d11",
        "urn:x-wmo:md:int.wmo.wis::ABC",
        "doi:10.5285/1234",
        "oai:eprints.somewhere.example:17",
    ],
)
def test_uris_uuids_and_digests_are_unique(guid: str) -> None:
    assert is_globally_unique(guid)


@pytest.mark.parametrize(
    "guid",
    [
        "",
        "1",
        "parking",
        "public-conveniences-and-car-parks-locations",
        "dataset:1",
        "http://localhost/1",
        "urn:",
        "2026-11-21",
        "E07000107",
        "1234567890123456789012345678901",
    ],
)
def test_short_and_local_names_are_not(guid: str) -> None:
    assert not is_globally_unique(guid)
