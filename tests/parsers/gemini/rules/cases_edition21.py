"""Records for the rules that only GEMINI 2.1 has."""

from __future__ import annotations

from tests.iso_spelling import el, nil, text
from tests.parsers.gemini.rules.documents import dataset

_LICENCE = text("gmd:useLimitation", "Open Government Licence v3.0")


def _limited(licence: str = _LICENCE) -> str:
    """Return constraints as 2.1 has them: a block on access, and the licence."""
    return "{access}" + el("gmd:resourceConstraints", el("gmd:MD_Constraints", licence))


CASES = {
    "gemini-25-restricted": (dataset(), dataset(constraints=_limited())),
    "gemini-25-other": (dataset(access_text=""), dataset(constraints=_limited())),
    "gemini-26-needed": (dataset(), dataset(constraints=_limited())),
    "gemini-26-value": (
        dataset(constraints=_limited(text("gmd:useLimitation", " "))),
        dataset(constraints=_limited(nil("gmd:useLimitation", "unknown"))),
    ),
    "gemini-17-reason": (dataset(crs=text("gmd:code", "")), dataset(crs=nil("gmd:code"))),
    "gemini-21-reason": (
        dataset(format_version=text("gmd:version", "")),
        dataset(format_version=nil("gmd:version", "missing")),
    ),
    "gemini-41-pass": (
        dataset(**{"pass": nil("gmd:pass", "unknown")}),
        dataset(**{"pass": el("gmd:pass", el("gco:Boolean", "false"))}),
    ),
}
