"""GEMINI 25, 26 and 27: who may see the resource, on what terms, and where to read more."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ckanext.ukharvest.parsers.gemini.rules import lists
from ckanext.ukharvest.parsers.gemini.rules.checks import code, is_class, needed, value_or_reason
from ckanext.ukharvest.parsers.gemini.rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini.rules.rule import DATA, GEMINI_23, Failure, Rule

_BLOCK = "identificationInfo/*/resourceConstraints"
_OTHER = f"{_BLOCK}/*/otherConstraints"
_ACCESS = "Limitations on public access"
_USE = "Use constraints"
_BOTH = "Limitations on public access, use constraints"
_CODE_EXAMPLE = '<gmd:MD_RestrictionCode … codeListValue="otherRestrictions"/>'

# AGI's Schematron accepts only the http URL, exactly once; the standard allows several limitations,
# and the register answers at https as well. gemini-o25-code reports an unknown last part.
_LIMITATION = re.compile(
    lists.LIMITATIONS_ADDRESS.replace("http:", "https?:").replace(".", r"\.") + r"[^/]+"
)


def _no_limitation(metadata: Metadata) -> Iterator[Failure]:
    anchors = metadata.at(f"{_OTHER}/Anchor")
    if any(_LIMITATION.match(anchor.href) for anchor in anchors):
        return
    blocks = [each for each in metadata.at(f"{_BLOCK}/*") if each.codes("accessConstraints")]
    texts = [text for block in blocks for text in block.find_all("otherConstraints")]
    found = "holds no link to a limitation of INSPIRE's list" if texts else "is missing"
    yield Failure(found, next(iter((*texts, *blocks)), metadata.holder(_BLOCK)))


def _one_legal(metadata: Metadata) -> Iterator[Failure]:
    blocks = [each for each in metadata.at(f"{_BLOCK}/*") if is_class(each, "MD_LegalConstraints")]
    if len(blocks) < 2:
        found = "is there only once" if blocks else "is missing"
        yield Failure(found, blocks[0] if blocks else metadata.holder(f"{_BLOCK}/*"))


RULES = (
    Rule(
        "gemini-a4-constraints",
        _BOTH,
        "gmd:resourceConstraints",
        needed(_BLOCK),
        "a block that says who may see the resource and another that says on what terms",
        "no limitations on public access; Open Government Licence v3.0",
        number="AT-4",
    ),
    Rule(
        "gemini-25-value",
        _BOTH,
        "gmd:otherConstraints",
        value_or_reason(_OTHER),
        "a text, or no such element",
        "Open Government Licence v3.0",
        number="AP-1a",
    ),
    Rule(
        "gemini-25-one",
        _ACCESS,
        "gmd:otherConstraints",
        _no_limitation,
        "a gmx:Anchor next to gmd:accessConstraints, with the URL of a limitation as its "
        "xlink:href",
        f"{lists.LIMITATIONS_ADDRESS}noLimitations",
        number="MI-25c",
        versions=GEMINI_23,
        unless=("gemini-a4-constraints",),
    ),
    Rule(
        "gemini-a8-two-legal",
        _BOTH,
        "gmd:MD_LegalConstraints",
        _one_legal,
        "two: one with gmd:accessConstraints and one with gmd:useConstraints, each with its own"
        " gmd:otherConstraints",
        number="AT-8",
        versions=GEMINI_23,
        unless=("gemini-a4-constraints", "gemini-25-one"),
    ),
    Rule(
        "gemini-25-access-code",
        _ACCESS,
        "gmd:accessConstraints",
        code(f"{_BLOCK}/*/accessConstraints"),
        "the code otherRestrictions, with the limitation in gmd:otherConstraints",
        _CODE_EXAMPLE,
        number="AP-3",
    ),
    Rule(
        "gemini-26-use-code",
        _USE,
        "gmd:useConstraints",
        code(f"{_BLOCK}/*/useConstraints"),
        "the code otherRestrictions, with the licence in gmd:otherConstraints",
        _CODE_EXAMPLE,
        number="AP-3",
        versions=GEMINI_23,
    ),
    Rule(
        "gemini-27-value",
        "Additional information",
        "gmd:supplementalInformation",
        value_or_reason("identificationInfo/*/supplementalInformation"),
        "a text, or no such element",
        "How the survey was done: https://maps.borchester.example/about/survey.pdf",
        number="AP-1a",
        types=DATA,
    ),
)
