"""Records for the rules on limitations, use constraints and additional information."""

from __future__ import annotations

from tests.iso_spelling import code, nil, text
from tests.parsers.gemini.rules.documents import INSPIRE, dataset, swapped

_LIST = f"{INSPIRE}/metadata-codelist/LimitationsOnPublicAccess"
_TEXT = text("gmd:otherConstraints", "no limitations to public access")
_SECURITY = text(
    "gmd:otherConstraints", "national defence", f"{_LIST}/INSPIRE_Directive_Article13_1b"
)
_SECURE = _LIST.replace("http:", "https:")
_NO_CODE = code("gmd:accessConstraints", "MD_RestrictionCode", "")

CASES = {
    "gemini-a4-constraints": (dataset(constraints=""), dataset()),
    "gemini-25-value": (
        dataset(use_text=nil("gmd:otherConstraints", "")),
        dataset(use_text=nil("gmd:otherConstraints")),
    ),
    # Two limitations, and the current URL of the register, are as good.
    "gemini-25-one": (
        dataset(access_text=_TEXT),
        swapped(dataset(access_text="{access_text}" + _SECURITY), _LIST, _SECURE),
    ),
    "gemini-a8-two-legal": (
        dataset(use=""),
        swapped(dataset(), "gmd:MD_LegalConstraints", "gmi:MI_MD_LegalConstraints"),
    ),
    "gemini-25-access-code": (dataset(access_code=_NO_CODE), dataset()),
    "gemini-26-use-code": (
        dataset(use_code=_NO_CODE.replace("access", "use")),
        dataset(use_code=nil("gmd:useConstraints")),
    ),
    "gemini-27-value": (dataset(supplemental=text("gmd:supplementalInformation", " ")), dataset()),
}
