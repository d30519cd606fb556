"""Records for the rules on conformity and the specifications that it cites."""

from __future__ import annotations

from tests.iso_spelling import code, el, nil, text
from tests.parsers.gemini.rules.documents import (
    NETWORK_REGULATION,
    REGULATION,
    dataset,
    date,
    service,
)


def _title(words: str) -> str:
    return text("gmd:title", words)


_CAPITALS = REGULATION.replace("Commission Regulation", "COMMISSION REGULATION")
_OTHER = _title("Borchester's own profile")
_DATED = date("2011-02-03", "publication")
_CREATED = date("2010-12-08", "creation")
_NOT_TESTED = nil("gmd:pass", "unknown")
_UNTYPED = date("2010-12-08", "")
_BLANK = text("gmd:explanation", "")
_NO_DATE = el(
    "gmd:date",
    el("gmd:CI_Date", el("gmd:date"), code("gmd:dateType", "CI_DateTypeCode", "")),
)

CASES = {
    "gemini-41-data-needed": (
        dataset(specification_title=_title(f"{REGULATION}.")),
        dataset(specification_title=_title(_CAPITALS.replace(" ", "\n ", 1))),
    ),
    "gemini-41-sv-needed": (
        service(specification_title=_OTHER),
        service(specification_title=_title(REGULATION)),
    ),
    "gemini-41-needed": (dataset(report=""), dataset(specification_title=_OTHER)),
    "gemini-41-sv-max": (service(report="{report}{report}"), service()),
    "gemini-41-1089-pass": (
        dataset(**{"pass": nil("gmd:pass")}),
        dataset(**{"pass": _NOT_TESTED}),
    ),
    "gemini-41-1089-date": (dataset(specification_date=_DATED), dataset()),
    "gemini-41-1089-type": (dataset(specification_date=_CREATED), dataset()),
    "gemini-41-976-pass": (service(**{"pass": ""}), service(**{"pass": _NOT_TESTED})),
    "gemini-41-976-date": (service(specification_date=""), service()),
    "gemini-41-976-type": (
        service(specification_date=_CREATED),
        service(specification_date=_CREATED, specification_title=_OTHER),
    ),
    "gemini-41-expl": (dataset(explanation=_BLANK), dataset(explanation=nil("gmd:explanation"))),
    "gemini-42-title": (dataset(specification_title=_title("")), dataset()),
    "gemini-42-date": (dataset(specification_date=_NO_DATE), dataset()),
    "gemini-42-type": (dataset(specification_date=_NO_DATE), dataset()),
    "gemini-w41-capitals": (
        dataset(specification_title=_title(_CAPITALS)),
        service(specification_title=_title(NETWORK_REGULATION)),
    ),
}
