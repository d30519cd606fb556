"""What the tests of catalogues have in common."""

from __future__ import annotations

from tests.publishing.csw import gmd

BEST = "POST gmd:MD_Metadata sorted by apiso:Identifier full"


def many(count: int) -> list[str]:
    return [gmd(f"r{number:03}") for number in range(1, count + 1)]
