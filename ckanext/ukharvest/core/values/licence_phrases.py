"""Find licences in sentences, such as "Available under the Open Government Licence v3.0".

To call closed data open does harm; to miss a licence only costs a look at its text. So no licence
is found in a sentence that denies something, nor in a text that reserves anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_VERSION = (
    r"(?:\s*\((?:OGL|ODbL|CC[ -]BY[\w -]*)\))?(?:[\s,:-]*(?:version\s*|v\.?\s*)?\d(?:\.\d)?\b)?"
)
# Canada, its provinces and cities have licences of that name, most with a dash and their own name.
_CANADA = (
    r"(?![\s,(–—-]*(?:of\s+)?(?:alberta|british\s+columbia|canada|manitoba|new\s+brunswick"
    r"|newfoundland|nova\s+scotia|ontario|prince\s+edward|saskatchewan|toronto|yukon)\b)"
)
_ELSEWHERE = rf"{_CANADA}(?!\s*[-–—]\s*(?-i:(?!UK\b|United|V?\d|Version|Crown|Public)[A-Z]))"
_KINDS = r"(?:[\s-]+(?:non-?\s?commercial|no-?\s?deriv\w*|share-?\s?alike))*"
_LETTERS = r"(?:[\s-]+(?:NC|SA|ND)\b)*"

# CKAN's id → pattern of its names. The longest match counts: "CC BY-NC" is not "CC BY".
PHRASES = tuple(
    (licence_id, re.compile(pattern, re.IGNORECASE))
    for licence_id, pattern in (
        ("uk-ogl", rf"\bopen\s+gov(?:ern?men)?t\s+licen[cs]e\b{_ELSEWHERE}{_VERSION}"),
        ("uk-ogl", rf"\bOGL(?:[\s-]?UK)?(?:[\s-]*v?\.?\s?\d(?:\.\d)?)?\b(?!-NC){_CANADA}"),
        ("uk-ogl", r"\b(?:OS|Ordnance\s+Survey)\s+Open\s?Data\s+licen[cs]e\b"),
        ("cc", rf"\bcreative\s+commons[\s:-]+attribution{_KINDS}{_VERSION}{_KINDS}{_LETTERS}"),
        ("cc", rf"\bCC[\s-]BY{_LETTERS}(?:[\s-]*v?\d\.\d\b)?{_LETTERS}"),
        ("cc-zero", r"\bCC[\s-]?(?:0|Zero)\b(?:[\s-]*v?\d\.\d\b)?|\bcreative\s+commons\s+zero\b"),
        ("odc-odbl", rf"\bopen\s+database\s+licen[cs]e\b{_VERSION}|\b(?-i:ODbL)\b"),
        ("odc-pddl", r"\bpublic\s+domain\s+dedication\s+(?:and|&)\s+licen[cs]e\b|\b(?-i:PDDL)\b"),
        ("odc-by", r"\bopen\s+data\s+commons\s+attribution\b"),
    )
)
_ADDRESS = re.compile(r"\b(?:https?://|www\.)[^\s<>\"'|]+", re.IGNORECASE)

# Next to a licence, these phrases do not restrict it.
HARMLESS = (
    r"\bexcept\s+where\s+(?:otherwise\s+)?(?:stated|noted)(?:\s+otherwise)?\b",
    r"\bunless\s+otherwise\s+(?:stated|noted)\b",
    r"\bunless\s+(?:stated|noted)\s+otherwise\b",
    r"\bfree\s+of\s+charge\b",
    r"\bwithout\s+(?:charge|restrictions?|limitations?)\b",
    r"\bcommercial\s+(?:and|or|&)\s+non-?\s?commercial\b",
    r"\bnon-?\s?commercial\s+(?:and|or|&)\s+commercial\b",
    r"\bnot\s+limited\s+to\b",
    r"\bnot\s+restricted\b",
    r"\bno\s+(?:fees?|charges?|permission|royalties)\b",
    # The National Archives' own statement excludes these.
    r"\b(?:not\s+including|excluding|except\s+for)\s+(?:the\s+royal\s+arms\s+and\s+)?"
    r"(?:departmental\s+or\s+agency\s+)?logos\b",
)
# These phrases restrict the use, in whatever sentence.
RESERVED = (
    r"\bnon-?\s?commercial\b",
    r"\b(?:permission|consent|prohibited|forbidden|restricted|confidential)\b",
    r"\b(?:fees?|royalt(?:y|ies)|chargeable|charges?|paid|purchased?)\b",
    r"\bpersonal\s+use\b",
    r"\binternal\s+(?:\w+\s+){0,2}use\b",
    r"\bwithin\s+(?:\w+\s+){0,3}only\b",
    r"\bview(?:ing)?\s+only\b",
    r"\b(?:proprietary|subscribers?|subscriptions?)\b",
    r"\bend[\s-]?user\s+licen[cs]e\b",
    r"\b(?-i:PSMA|PSGA|OSMA)\b",
    r"\bpublic\s+sector\s+(?:mapping|geospatial)\b",
    r"\bthird[\s-]+part(?:y|ies)\b",
    r"\bcommercial\s+(?:use|licen[cs]\w+|re-?use|users?)\b",
    r"\bother\s+(?:terms|conditions|licen[cs]es?|restrictions)\b",
    r"\b(?:some|parts?|portions?|most)\s+of\b",
    r"\blicen[cs]e\s+(?:is\s+)?required\b",
    r"\b(?:not|never)\s+(?:be\s+)?(?:permitted|allowed|copied|shared|re-?distribut\w+)\b",
    r"\bdo\s+not\s+(?:copy|share|publish|re-?distribute)\b",
    r"\bbespoke\s+licen[cs]e",
    r"\b(?:academic|educational|evaluation|internal|research|teaching)\s+(?:use|purposes?)\s+only\b",
    r"\bfor\s+(?:\w+\s+){0,2}(?:bodies|members?|organisations?|partners?|staff|users?)\s+only\b",
    r"\bwith\s+(?:exceptions?|exemptions?|restrictions?)\b",
)
# A licence in the same sentence as one of these is not granted.
DENIED = (
    r"\b(?:not|cannot|never|no\s+longer|neither|nor|unless|except|excepting|excludes?|excluding)\b",
    r"n['’]t\b",
    r"\b(?:excluded|exempt|outside)\b",
    r"\bon\s+request\b",
    r"\bother\s+data(?:\s?sets?)?\b",
    r"\bweb\s?site(?:\s+content)?\s+is\b",
    r"\b(?:other\s+than|instead\s+of|rather\s+than|pending|proposed|planned|draft)\b",
    r"\b(?:formerly|previously|until|may\s+become|might|could|would|if|apply\s+for|applying\s+for)\b",
    r"\b(?:no|non|without|lacks?|lacking)[\s-]+(?:(?:an?|the)\s+)?(?:open|OGL)\b",
    r"\b(?:to|will|shall|should)\s+be\s+(?:\w+\s+)?(?:agreed|available|confirmed|decided|issued"
    r"|licen[cs]ed|made|opened|published|released)\b",
    r"\bwill\s+(?:licen[cs]e|open|publish|release)\b",
    r"\bTB[AC]\b",
    r"\b(?:intends?|intention|awaiting|subject\s+to\s+approval|working\s+towards|withdrawn|refused)\b",
    r"\bunder\s+(?:consideration|review|discussion)\b",
    r"\b(?:similar|equivalent)\s+to\b",
    r"\b(?:in)?compatible\s+with\b",
    # The record's own licence is not its data's.
    r"(?<!\bdata\sand\s)\bmetadata(?:\s+(?:itself|records?))?(?:\s+(?:is|are|only)\b|\s*:)",
)
_HARMLESS, _RESERVED, _DENIED = (
    re.compile("|".join(patterns), re.IGNORECASE) for patterns in (HARMLESS, RESERVED, DENIED)
)
_SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n+")


def holds_back(text: str) -> bool:
    """Tell whether a text reserves something, wherever it names a licence."""
    return _RESERVED.search(_HARMLESS.sub(" ", text)) is not None


def statements(text: str) -> Iterator[str]:
    """Yield the sentences of a text that deny nothing."""
    for sentence in _SENTENCE.split(text):
        if not _DENIED.search(_HARMLESS.sub(" ", _ADDRESS.sub(" ", sentence))):
            yield sentence


def addresses(text: str) -> Iterator[str]:
    """Yield the URLs in a sentence, without the full stop or bracket after them."""
    for match in _ADDRESS.finditer(text):
        url = match[0].rstrip(".,;:!?)]}")
        yield url if "://" in url else "https://" + url


def find_licences(text: str) -> Iterator[tuple[str, str]]:
    """Yield the licences in a sentence as CKAN's id ("" for none of its) and the matched words.

    URLs are not searched.
    """
    words = _ADDRESS.sub(" ", text)
    for licence_id, pattern in PHRASES:
        for match in pattern.finditer(words):
            yield (_commons(match[0]) if licence_id == "cc" else licence_id), match[0].strip()


def _commons(words: str) -> str:
    """Return the id of a Creative Commons licence; "" for NoDerivatives ones, which CKAN lacks."""
    plain = re.sub(r"[\s-]+", " ", words.lower())
    if re.search(r"\bnc\b|non ?commercial", plain):
        return "cc-nc"
    if re.search(r"\bnd\b|no ?deriv", plain):
        return ""
    return "cc-by-sa" if re.search(r"\bsa\b|share ?alike", plain) else "cc-by"
