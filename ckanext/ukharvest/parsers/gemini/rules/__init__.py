"""GEMINI's rules for location data records, as rows of tables, and the rules a record breaks.

Specification: UK GEMINI 2.3 of the Association for Geographic Information with the Schematron
that it publishes; GEMINI 2.1 (Schematron 1.3); ISO 19139, table A.1. A module for each part of
the standard holds its rows; ``RULES`` is all of them.
"""

from __future__ import annotations

from ckanext.ukharvest.parsers.gemini.rules import (
    conformity,
    constraints,
    contacts,
    distribution,
    edition21,
    encoding,
    extent,
    identification,
    iso19139,
    iso19139_parts,
    own,
    own_record,
    quality,
    reference_system,
    services,
)

RULES = (
    *encoding.RECORD,
    *services.RULES,
    *contacts.RULES,
    *identification.RULES,
    *encoding.RULES,
    *constraints.RULES,
    *extent.RULES,
    *reference_system.RULES,
    *distribution.RULES,
    *conformity.RULES,
    *quality.RULES,
    *edition21.RULES,
    *own_record.RULES,
    *own.RULES,
    *encoding.REST,
    *iso19139.RULES,
    *iso19139_parts.RULES,
)

BY_CODE = {rule.code: rule for rule in RULES}
