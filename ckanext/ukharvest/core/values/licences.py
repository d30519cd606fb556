"""Licences under CKAN's ids, found by exact id, URL or title, or named in a sentence.

To call closed data open does harm; to miss a licence only costs a look at its text. So no licence
is found in a sentence that denies something, nor in a text that reserves anything. ``read_licence``
decides by all that a record's fields say, for every format.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Licence, ResourceRecord
from ckanext.ukharvest.core.values.markup import plain_text
from ckanext.ukharvest.core.values.text import fold_name, is_redacted, shorten
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.core.vocabularies.vocabulary import Vocabulary, parts

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


_EDITION_WORD = re.compile(
    r"[\s_-]+(?:international|unported|generic)(?:\s+(?:public\s+)?licen[sc]e)?$", re.IGNORECASE
)

# Longer texts are not names; runs of dashes and dots in them would take the patterns hours.
_LONGEST_NAME = 200

# Longer terms are not read, since one part may withdraw what another grants; reading a million
# characters takes 5 s.
_LONGEST_TERMS = 20_000

# Placeholders of systems for "no licence chosen" (Socrata: "No license provided"; CKAN's id
# "notspecified"), and what people type there.
_PLACEHOLDERS = frozenset(
    ("nolicenceprovided", "nolicence", "licencenotspecified", "notspecified", "notprovided")
    + ("notapplicable", "none", "na", "null", "nil", "unknown", "unspecified", "undefined", "tbc")
)


def find(value: str) -> Licence | None:
    """Return the licence that a text names, None if it names none ("", "n/a", redacted).

    Known are CKAN's ids with their SPDX forms, titles, and URLs of the texts, regardless of case,
    version and spelling of "licence". A known licence has CKAN's title, and the URL as given, which
    holds the version; if a sentence names it, the title is the whole text (see
    ``describe_licence``). An unknown one has id "" and the text as title or URL.
    """
    if len(value) > _LONGEST_TERMS:
        return _find(value)
    return _finder_of(vocabulary.load("licences"), vocabulary.load("open_licences"))(value)


# A catalogue's records have the same terms, and one record's are read several times; a long text
# takes 4 ms. A pass over all datasets alternates between hundreds of texts.
@lru_cache(maxsize=1)
def _finder_of(_register: Vocabulary, _open: Vocabulary) -> Callable[[str], Licence | None]:
    return lru_cache(maxsize=1024)(_find)


_LINK = re.compile(r"\[([^\[\]]{0,200})\]\((\S{1,2000}?)\)")  # as ``plain_text`` writes it


def _find(value: str) -> Licence | None:
    if "<" in value:
        value = _LINK.sub(r"\1 \2", plain_text(value))
    text = " ".join(value.split())
    if _squash(text) in _PLACEHOLDERS or not _squash(text) or is_redacted(text):
        return None
    if is_web_url(text):
        return _by_address(text) or Licence(url=text)
    bare = "https://" + text
    licence = _by_name(text) or (_by_address(bare) if "/" in text and is_web_url(bare) else None)
    return licence or _in_sentences(text, value) or Licence(title=text)


def describe_licence(licence: Licence) -> str:
    """Return a source's text about a licence beyond its name, or without one."""
    known = _known().title(licence.id)
    return "" if known is not None and licence.title in ("", known) else licence.title


# Licences of CKAN's register that let everybody use the data.
_OPEN = frozenset(
    ("uk-ogl", "cc-by", "cc-by-sa", "cc-zero", "odc-pddl", "odc-odbl", "odc-by", "gfdl")
    + ("other-open", "other-pd", "other-at")
)
# Extras with the terms of a resource, in CKAN and in ckanext-dcat.
_OF_FILES = ("license_id", "license_url", "license", "licence_url", "licence", "rights")


def of_dataset(
    own: Licence | None,
    terms: Iterable[str],
    files: Iterable[ResourceRecord],
    report: Callable[[str, str], None],
) -> Licence | None:
    """Return a dataset's licence, or the one that all of its files name instead.

    It is open only if the terms of all files allow it: a file's terms can take back what the
    dataset's grant. Documents about the data do not count.

    Args:
        own: the source's licence of the dataset, known or not.
        terms: the dataset's other texts on rights, access and use.
        report: called with a problem's code and text.
    """
    data = [file for file in files if file.kind != "documentation"]
    others = list(terms)
    if own is None:
        of_files = list(map(_of_file, data))
        own = next(iter(of_files), None)
        if own is None or not all(other and _same(other, own) for other in of_files):
            return None
    elif own.id in _OPEN:
        others = []  # read with the licence
    of_files = [file.licence for file in data]
    others += [file.extras[name] for file in data for name in _OF_FILES if name in file.extras]
    narrower = [
        other for other in (*of_files, *map(find, others)) if other and other.id not in _OPEN
    ]
    return _narrowed([own], narrower, report) if own.id in _OPEN and narrower else own


def _of_file(file: ResourceRecord) -> Licence | None:
    if file.licence is not None:
        return file.licence
    return _in_terms(file.extras[name] for name in _OF_FILES if name in file.extras)


def _in_terms(texts: Iterable[str]) -> Licence | None:
    """Return the licence that other terms name; the terms themselves stay where they are."""
    terms = list(texts)
    named = (licence for licence in map(find, terms) if licence and licence.id)
    licence = find_agreed_licence(named, terms)
    if licence and licence.title in {" ".join(text.split()) for text in terms}:
        return replace(licence, title=_known().title(licence.id) or "")
    return licence


def _same(one: Licence, other: Licence) -> bool:
    """Tell whether two are the same licence; their versions may differ."""
    return one.id == other.id if one.id else one == other


def find_agreed_licence(named: Iterable[Licence], texts: Iterable[str]) -> Licence | None:
    """Return the one licence that texts grant; None if they name several, or reserve something.

    A text above the length limit may reserve anything, so that the result is None.

    Args:
        named: the licences that the texts name, in their order.
        texts: all texts about the licence.
    """
    by_id = {licence.id: licence for licence in reversed(list(named))}
    # The Open Government Licence states itself that it is compatible with CC BY.
    if by_id.keys() == {"uk-ogl", "cc-by"}:
        del by_id["cc-by"]
    if "cc-nc" in by_id:
        return by_id["cc-nc"]
    if len(by_id) != 1 or any(len(t) > _LONGEST_TERMS or holds_back(t) for t in texts):
        return None
    return next(iter(by_id.values()))


def find_single_licence(found: Sequence[Licence]) -> Licence | None:
    """Return the licence that a source gives in several places, ignoring unknown ones; else None.

    None if known licences differ, or the text of an unknown one reserves something.
    """
    return find_agreed_licence(
        (licence for licence in found if licence.id),
        [licence.title for licence in found if not licence.id],
    )


def combine_licences(found: Sequence[Licence]) -> Licence:
    """Return several licences as one unknown licence with all their texts."""
    if any(licence.id for licence in found):
        texts = (licence.url or licence.title for licence in found)
        return Licence(title="; ".join(dict.fromkeys(texts)))
    titles = [licence.title for licence in found if licence.title]
    urls = (url for licence in found for url in (licence.url, *addresses(licence.title)) if url)
    return Licence(title="; ".join(dict.fromkeys(titles)), url=next(urls, ""))


def _in_sentences(text: str, value: str) -> Licence | None:
    """Return the one licence that a text grants; None for several or with a reservation."""
    named: list[Licence] = []
    if len(value) > _LONGEST_TERMS:
        return None
    for sentence in statements(value):
        urls = filter(is_web_url, addresses(sentence))
        named += filter(None, map(_by_address, urls))
        for licence_id, name in find_licences(sentence):
            licence = _known().by_id.get(licence_id, Licence())
            named.append(replace(licence, url=_url_of(name, licence)))
    agreed = find_agreed_licence(named, [value])
    return replace(agreed, title=text) if agreed and agreed.id else None


def _by_name(text: str) -> Licence | None:
    licence = _named(_name(text)) if len(text) <= _LONGEST_NAME else None
    return replace(licence, url=_url_of(text, licence)) if licence else None


def _by_address(url: str) -> Licence | None:
    address = _address(url)
    # Registers with URLs by id: opendefinition.org/licenses/cc-by, spdx.org, the EU's.
    register = re.fullmatch(
        r"(?:opendefinition\.org|spdx\.org)/licences/([\w.-]+)"
        r"|publications\.europa\.eu/resource/authority/licence/([\w.-]+)",
        address,
    )
    if register:
        by_name = _named(_name(register[1] or register[2]))
        return replace(by_name, url=url) if by_name else None
    for pattern, licence in (*_known().addresses, *_open().addresses):
        if pattern.fullmatch(address):
            return replace(licence, url=url)
    return None


def _url_of(text: str, licence: Licence) -> str:
    """Return the URL of the version that a name such as CC-BY-NC-4.0 or OGL v2 means."""
    name = _EDITION_WORD.sub("", text.lower())
    match = re.search(r"(\d)(?:[._-](\d))?$", name)
    if match and licence.id == "uk-ogl" and match[1] in "123":
        return licence.url.replace("/version/3/", f"/version/{match[1]}/")
    if match and match[2] and licence.id in ("cc-by", "cc-by-sa", "cc-nc"):
        exact = re.match(r"cc-(by(?:-nc)?(?:-sa|-nd)?)-", re.sub(r"[\s_]+", "-", name))
        kind = exact[1] if exact else licence.id.removeprefix("cc-").replace("nc", "by-nc")
        return f"https://creativecommons.org/licenses/{kind}/{match[1]}.{match[2]}/"
    return licence.url


def _squash(text: str) -> str:
    return fold_name(text).replace("license", "licence")


def _name(text: str) -> str:
    """Normalise a licence's id or title, ignoring versions, editions and spelling."""
    text = re.sub(r"^the\s+", "", text.strip().lower())
    text = _EDITION_WORD.sub("", text)
    text = re.sub(r"(?:[\s_.,-]+(?:version\s*|v\.?\s*)?|v)\d(?:[._-]\d)?$", "", text)
    return re.sub(r"licence$", "", _squash(text)) or _squash(text)


def _address(url: str) -> str:
    """Reduce a URL to host and path, without language, file extension and "deed"."""
    parts = urlsplit(url)
    host = re.sub(r"^www\.", "", (parts.hostname or "").rstrip("."))
    path = unquote(parts.path).lower().replace("license", "licence")
    path = re.sub(r"/+", "/", path).rstrip("/")
    path = re.sub(r"\.(?:html?|pdf|txt|php|rdf|jsonld|json)$", "", path)
    path = re.sub(r"\.[a-z]{2}(?:[-_][a-z]{2,4})?$", "", path)
    path = re.sub(r"/(?:legalcode|deed|index|summary)(?:-plain)?$", "", path)
    return host + path.rstrip("/")


class _Known(NamedTuple):
    """Licences of a list.

    Attributes:
        by_id: CKAN's id → the licence; only of its register, where it is a licence's own.
        by_name: ids, titles and other names as ``_name`` writes them.
        addresses: as ``_address`` writes them.
    """

    by_id: Mapping[str, Licence]
    by_name: Mapping[str, Licence]
    addresses: tuple[tuple[re.Pattern[str], Licence], ...]

    def title(self, licence_id: str) -> str | None:
        licence = self.by_id.get(licence_id)
        return licence.title if licence else None


@vocabulary.derived("licences")
def _known(read: Vocabulary) -> _Known:
    """Return CKAN's default register, the same in 2.11 and 2.12."""
    pairs = [(row, Licence(row["id"], row["title"], row["text_url"])) for row in read.rows]
    known = _read(pairs)
    by_id = {licence.id: licence for _row, licence in pairs}
    by_name = {_name(id_): licence for id_, licence in by_id.items()} | dict(known.by_name)
    return known._replace(by_id=by_id, by_name=by_name)


@vocabulary.derived("open_licences")
def _open(read: Vocabulary) -> _Known:
    """Return open licences that the register lacks; they share ids such as other-at."""
    return _read((row, Licence(row["id"], row["name"], row["text_url"])) for row in read.rows)


def _read(found: Iterable[tuple[Mapping[str, str], Licence]]) -> _Known:
    by_name: dict[str, Licence] = {}
    addresses: list[tuple[re.Pattern[str], Licence]] = []
    for row, licence in found:
        for name in (licence.title, *parts(row["names"])):
            by_name[_name(name)] = licence
        for address in parts(row["addresses"]):
            pattern = "".join(_SIGNS.get(char) or re.escape(char) for char in address)
            addresses.append((re.compile(pattern), licence))
    return _Known({}, by_name, tuple(addresses))


def _named(name: str) -> Licence | None:
    """Return the licence with this name, as ``_name`` writes it."""
    return _known().by_name.get(name) or _open().by_name.get(name)


# Wildcards in the list's addresses; the head of the list explains them.
_SIGNS = {"*": ".*", "#": r"[\d.-]+", "@": "[a-z]{2,3}(?:-[a-z]+)?", "[": "(?:", "]": ")?"}


_OGL = "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"


def read_licence(
    given: Iterable[str | Licence | None],
    report: Callable[[str, str], None],
    terms: Iterable[str] = (),
) -> Licence | None:
    """Return the licence that a record's fields name: the reader of every format.

    Of several it is the one that they agree on (``find_single_licence``). If they do not, it is an
    unknown licence with all of their texts, which is reported.

    Args:
        given: the texts of the fields for the licence, or what ``find`` returned for each.
        report: called with a problem's code and text.
        terms: all other texts on rights, access and use. They can withdraw what the licence grants;
            the licence that they name counts only if the fields for it are empty.
    """
    licences = (find(item) if isinstance(item, str) else item for item in given)
    named = list(filter(None, licences))
    others = list(terms)
    if not named:
        return _in_terms(others)
    return _narrowed(named, list(filter(None, map(find, others))), report)


def _narrowed(
    named: Sequence[Licence], others: Sequence[Licence], report: Callable[[str, str], None]
) -> Licence:
    """Return the licence of some fields if other terms leave it as it is, else all as unknown."""
    licence = find_single_licence(named)
    if licence and others:
        named = [*named, *others]
        licence = find_single_licence(named)
    if licence:
        return licence
    unknown = combine_licences(named)
    shown = shorten(unknown.url or unknown.title, 80)
    expected = Message(
        "'{shown}' is not a known licence; expected one such as {ogl}", shown=shown, ogl=_OGL
    )
    report("unknown-licence", expected)
    return unknown
