"""Rules of GEMINI 2.1 and 2.2 that differ from 2.3: AGI's Schematron of 2.1, release 1.3.

The licence is in useLimitation, and every block of legal constraints is about access. A reference
system's code and a format's version may be replaced by any nilReason.
"""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest.parsers.gemini.rules.checks import needed, value, value_or_reason
from ckanext.ukharvest.parsers.gemini.rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini.rules.rule import GEMINI_21, Failure, Rule

_BLOCKS = "identificationInfo/*/resourceConstraints/*"
_ACCESS = "Limitations on public access"
_USE = "Use constraints"


def _not_restricted(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.classes("MD_LegalConstraints"):
        count = node.codes("accessConstraints").count("otherRestrictions")
        if count != 1:
            said = "has no gmd:accessConstraints with the code otherRestrictions"
            many = "says more than once gmd:accessConstraints with the code otherRestrictions"
            yield Failure(many if count else said, node)


def _without_words(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.classes("MD_LegalConstraints"):
        if node.first("otherConstraints") is None:
            yield Failure("is missing", node)


RULES = (
    Rule(
        "gemini-25-restricted",
        _ACCESS,
        "gmd:MD_LegalConstraints",
        _not_restricted,
        "it once, next to gmd:otherConstraints; the licence goes into a gmd:MD_Constraints",
        '<gmd:MD_RestrictionCode … codeListValue="otherRestrictions"/>',
        number="Gemini2-mi25",
        versions=GEMINI_21,
    ),
    Rule(
        "gemini-25-other",
        _ACCESS,
        "gmd:otherConstraints",
        _without_words,
        "the limitations as text, in every gmd:MD_LegalConstraints",
        "no limitations on public access",
        number="Gemini2-mi25",
        versions=GEMINI_21,
        unless=("gemini-25-restricted",),
    ),
    Rule(
        "gemini-26-needed",
        _USE,
        "gmd:useLimitation",
        needed(f"{_BLOCKS}/useLimitation"),
        "the licence",
        "Open Government Licence v3.0",
        number="Gemini2-mi26",
        versions=GEMINI_21,
        unless=("gemini-a4-constraints",),
    ),
    Rule(
        "gemini-26-value",
        _USE,
        "gmd:useLimitation",
        value_or_reason(f"{_BLOCKS}/useLimitation"),
        "the licence, or the reason why there is none",
        "Open Government Licence v3.0",
        number="Gemini2-mi26-UseLimitation-Nillable",
        versions=GEMINI_21,
    ),
    Rule(
        "gemini-17-reason",
        "Spatial reference system",
        "gmd:code",
        value_or_reason("referenceSystemInfo/*/referenceSystemIdentifier/*/code"),
        "the system's code, or the reason why there is none",
        "urn:ogc:def:crs:EPSG::27700",
        number="Gemini2-mi17-Nillable",
        versions=GEMINI_21,
    ),
    Rule(
        "gemini-21-reason",
        "Data format",
        "gmd:version",
        value_or_reason("distributionInfo/*/distributionFormat/*/version"),
        "the format's version, or the reason why there is none",
        "3.2.1",
        number="Gemini2-mi21-Version-Nillable",
        versions=GEMINI_21,
    ),
    Rule(
        "gemini-41-pass",
        "Conformity",
        "gmd:pass",
        value("dataQualityInfo/*/report/*/result/*/pass"),
        "true or false; where nothing was tested, no gmd:report",
        "<gco:Boolean>false</gco:Boolean>",
        number="Gemini2-mi41-Pass-NotNillable",
        versions=GEMINI_21,
    ),
)
