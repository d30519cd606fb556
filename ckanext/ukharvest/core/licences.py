"""Licences under CKAN's ids, found by exact id, address or title, or named in a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from ckanext.ukharvest.core import licence_phrases as phrases
from ckanext.ukharvest.core import vocabulary
from ckanext.ukharvest.core.records import Licence, ResourceRecord
from ckanext.ukharvest.core.text import is_redacted
from ckanext.ukharvest.core.vocabulary import Vocabulary, parts
from ckanext.ukharvest.core.web import is_web_url

_EDITION_WORD = re.compile(
    r"[\s_-]+(?:international|unported|generic)(?:\s+(?:public\s+)?licen[sc]e)?$", re.IGNORECASE
)

# Longer texts are no names; runs of dashes and dots in them would take the patterns hours.
_LONGEST_NAME = 200

# Longer terms are not read, since a part of them may take back what another gives; reading a
# million characters takes 5 s.
_LONGEST_TERMS = 20_000

# What systems write where nobody chose a licence (Socrata: "No license provided"; CKAN's id
# "notspecified"), and what people type there.
_PLACEHOLDERS = frozenset(
    ("nolicenceprovided", "nolicence", "licencenotspecified", "notspecified", "notprovided")
    + ("notapplicable", "none", "na", "null", "nil", "unknown", "unspecified", "undefined", "tbc")
)


def find(value: str) -> Licence | None:
    """Return the licence that a text names, None if it names none ("", "n/a", redacted).

    Known are CKAN's ids with their SPDX forms and titles, without regard to case, version and
    spelling of "licence", and the addresses of their texts; what is not known keeps id "" and has
    the text as title or url. A known licence has CKAN's title, and the address as given, which
    holds the version; one that a sentence names has the whole text as title (see ``words``).
    """
    return _find(value) if len(value) > _LONGEST_TERMS else _finder()(value)


# A catalogue's records have the same terms, and one record's are asked for more than once; a long
# text takes 4 ms. In a pass over all datasets hundreds of texts take turns.
@vocabulary.derived("licences")
def _finder(_read: Vocabulary) -> Callable[[str], Licence | None]:
    return lru_cache(maxsize=1024)(_find)


def _find(value: str) -> Licence | None:
    text = " ".join(value.split())
    if _squash(text) in _PLACEHOLDERS or not _squash(text) or is_redacted(text):
        return None
    if is_web_url(text):
        return _by_address(text) or Licence(url=text)
    bare = "https://" + text
    found = _by_name(text) or (_by_address(bare) if "/" in text and is_web_url(bare) else None)
    return found or _in_sentences(text, value) or Licence(title=text)


def words(licence: Licence) -> str:
    """What a source says of a licence beyond its name, or for want of one."""
    known = _known().title(licence.id)
    return "" if known is not None and licence.title in ("", known) else licence.title


# Names under which resources have terms as extras, in CKAN and in ckanext-dcat.
_OF_FILES = ("license_id", "license_url", "license", "licence_url", "licence", "rights")


def of_dataset(own: Licence | None, rights: str, files: Iterable[ResourceRecord]) -> Licence | None:
    """Return a dataset's licence, or the one that its terms or its files name in its place.

    That of files counts only where each has it: one without may be anything. Documents about the
    data do not count.

    Args:
        own: what the source gives for the dataset's licence, known or not.
        rights: its terms in words.
    """
    if own is not None:
        return own
    if found := _meant(rights):
        return found
    given = [_of_file(file) for file in files if file.kind != "documentation"]
    first = next(iter(given), None)
    if first is None or any(each is None or not _same(each, first) for each in given):
        return None
    return first


def _of_file(file: ResourceRecord) -> Licence | None:
    if file.licence is not None:
        return file.licence
    return next(filter(None, (_meant(file.extras.get(name, "")) for name in _OF_FILES)), None)


def _meant(terms: str) -> Licence | None:
    """The licence that terms name; the terms themselves stay where they are."""
    found = find(terms)
    return replace(found, title=_known().title(found.id) or "") if found and found.id else None


def _same(one: Licence, other: Licence) -> bool:
    """Tell whether two are one licence, whose versions need not be the same."""
    return one.id == other.id if one.id else one == other


def agreed(named: Iterable[Licence], texts: Iterable[str]) -> Licence | None:
    """Return the one licence that texts give; None where they give several, or hold back.

    Too long a text may hold anything back.

    Args:
        named: the licences that the texts name, in their order.
        texts: all that is said.
    """
    found = {licence.id: licence for licence in reversed(list(named))}
    # The Open Government Licence says of itself that it goes with CC BY.
    if found.keys() == {"uk-ogl", "cc-by"}:
        del found["cc-by"]
    if "cc-nc" in found:
        return found["cc-nc"]
    if len(found) != 1 or any(len(t) > _LONGEST_TERMS or phrases.holds_back(t) for t in texts):
        return None
    return next(iter(found.values()))


def one_of(found: Sequence[Licence]) -> Licence | None:
    """Return the licence that a source gives in several places, unknown ones beside it; else None.

    Where known ones differ, or words beside one hold something back, it gives none.
    """
    return agreed(
        (each for each in found if each.id), [each.title for each in found if not each.id]
    )


def together(found: Sequence[Licence]) -> Licence:
    """Return licences of which none counts as one that is not known, with their words."""
    if any(each.id for each in found):
        return Licence(title="; ".join(dict.fromkeys(each.url or each.title for each in found)))
    title = next((each.title for each in found if each.title), "")
    return Licence(title=title, url=next((each.url for each in found if each.url), ""))


def _in_sentences(text: str, value: str) -> Licence | None:
    """The one licence that a text gives in words; None where it gives several, or takes back."""
    named: list[Licence] = []
    if len(value) > _LONGEST_TERMS:
        return None
    for sentence in phrases.statements(value):
        urls = filter(is_web_url, phrases.addresses(sentence))
        named += filter(None, map(_by_address, urls))
        for licence_id, name in phrases.named(sentence):
            licence = _known().by_id.get(licence_id, Licence())
            named.append(replace(licence, url=_url_of(name, licence)))
    found = agreed(named, [value])
    return replace(found, title=text) if found and found.id else None


def _by_name(text: str) -> Licence | None:
    found = _known().by_name.get(_name(text)) if len(text) <= _LONGEST_NAME else None
    return replace(found, url=_url_of(text, found)) if found else None


def _by_address(url: str) -> Licence | None:
    address = _address(url)
    # Registers that name licences by id: opendefinition.org/licenses/cc-by, spdx.org, the EU's.
    register = re.fullmatch(
        r"(?:opendefinition\.org|spdx\.org)/licences/([\w.-]+)"
        r"|publications\.europa\.eu/resource/authority/licence/([\w.-]+)",
        address,
    )
    if register:
        found = _known().by_name.get(_name(register[1] or register[2]))
        return replace(found, url=url) if found else None
    known = _known()
    for pattern, licence_id in known.addresses:
        if pattern.fullmatch(address):
            return replace(known.by_id[licence_id], url=url)
    return None


def _url_of(text: str, licence: Licence) -> str:
    """Return the address of the very version that a name such as CC-BY-NC-4.0 or OGL v2 means."""
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
    return re.sub(r"[\W_]+", "", text.lower()).replace("license", "licence")


def _name(text: str) -> str:
    """Write a licence's id or title so that versions, editions and spelling do not matter."""
    text = re.sub(r"^the\s+", "", text.strip().lower())
    text = _EDITION_WORD.sub("", text)
    text = re.sub(r"(?:[\s_.,-]+(?:version\s*|v\.?\s*)?|v)\d(?:[._-]\d)?$", "", text)
    return re.sub(r"licence$", "", _squash(text)) or _squash(text)


def _address(url: str) -> str:
    """Write a URL as host and path alone, without language, file ending and "deed"."""
    parts = urlsplit(url)
    host = re.sub(r"^www\.", "", (parts.hostname or "").rstrip("."))
    path = unquote(parts.path).lower().replace("license", "licence")
    path = re.sub(r"/+", "/", path).rstrip("/")
    path = re.sub(r"\.(?:html?|pdf|txt|php|rdf|jsonld|json)$", "", path)
    path = re.sub(r"\.[a-z]{2}(?:[-_][a-z]{2,4})?$", "", path)
    path = re.sub(r"/(?:legalcode|deed|index|summary)(?:-plain)?$", "", path)
    return host + path.rstrip("/")


class _Known(NamedTuple):
    """The list ``licences``: CKAN's default register, the same in 2.11 and 2.12."""

    by_id: Mapping[str, Licence]
    by_name: Mapping[str, Licence]  # ids, titles and other names as ``_name`` writes them
    addresses: tuple[tuple[re.Pattern[str], str], ...]  # as ``_address`` writes them, with ids

    def title(self, licence_id: str) -> str | None:
        found = self.by_id.get(licence_id)
        return found.title if found else None


@vocabulary.derived("licences")
def _known(read: Vocabulary) -> _Known:
    by_id = {row["id"]: Licence(row["id"], row["title"], row["text_url"]) for row in read.rows}
    by_name = {
        _name(name): by_id[row["id"]]
        for row in read.rows
        for name in (row["id"], row["title"], *parts(row["names"]))
    }
    addresses = tuple(
        (_pattern(address), row["id"]) for row in read.rows for address in parts(row["addresses"])
    )
    return _Known(by_id, by_name, addresses)


# What stands for something else in the list's addresses; the head of the list tells people.
_SIGNS = {"*": ".*", "#": r"[\d.-]+", "@": "[a-z]{2,3}(?:-[a-z]+)?", "[": "(?:", "]": ")?"}


def _pattern(address: str) -> re.Pattern[str]:
    return re.compile("".join(_SIGNS.get(char) or re.escape(char) for char in address))
