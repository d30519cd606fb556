"""Licences under CKAN's ids, found by exact id, address or title, or named in a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from ckanext.ukharvest.core import licence_phrases as phrases
from ckanext.ukharvest.core.records import Licence
from ckanext.ukharvest.core.text import is_redacted
from ckanext.ukharvest.core.web import is_web_url


@dataclass(frozen=True, slots=True)
class _Entry:
    """A licence of CKAN's default register (ckan.model.license, the same in 2.11 and 2.12).

    Attributes:
        licence: as CKAN has it.
        names: other ids and titles; versions and spelling do not matter, see ``_name``.
        address: pattern for the whole of its URLs as ``_address`` writes them.
    """

    licence: Licence
    names: tuple[str, ...] = ()
    address: str = r"(?!)"


_DEFINITION = "http://www.opendefinition.org/licenses/"
_COMMONS = r"creativecommons\.org/licences/"
_VERSION = r"(?:/[\d.-]+)?"
# Ported and intergovernmental editions: /by/3.0/igo, /by-sa/2.0/uk, /by/3.0/uk.
_EDITION = _VERSION + r"(?:/[a-z]{2,3}(?:-[a-z]+)?)?"

_REGISTER = (
    _Entry(
        Licence(
            "uk-ogl",
            "UK Open Government Licence (OGL)",
            "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/",
        ),
        ("OGL", "OGL UK", "Open Government Licence", "UK Open Government Licence")
        + ("Open Government Licence (OGL)", "Open Government Licence (United Kingdom)")
        + ("Open Government Licence for public sector information", "OS OpenData Licence"),
        r"nationalarchives\.gov\.uk/doc/open-government-licence(?:-cymraeg|-welsh)?(?:/.*)?"
        r"|nationalarchives\.gov\.uk/information-management/uk-gov-licensing-framework"
        r"/open-government-licence.*"
        r"|reference\.data\.gov\.uk/(?:id|def)/open-government-licence"
        # OS put its OpenData under the OGL in 2015; records kept the address of its own licence.
        r"|(?:ordnancesurvey\.co|os)\.uk/(?:.*/)?os-?opendata-licence",
    ),
    _Entry(
        Licence("cc-by", "Creative Commons Attribution", _DEFINITION + "cc-by"),
        ("Attribution (CC BY)",),
        _COMMONS + "by" + _EDITION,
    ),
    _Entry(
        Licence("cc-by-sa", "Creative Commons Attribution Share-Alike", _DEFINITION + "cc-by-sa"),
        (),
        _COMMONS + "by-sa" + _EDITION,
    ),
    _Entry(
        Licence(
            "cc-nc",
            "Creative Commons Non-Commercial (Any)",
            "http://creativecommons.org/licenses/by-nc/2.0/",
        ),
        ("CC BY-NC", "CC BY-NC-SA", "CC BY-NC-ND", "Creative Commons Attribution Non-Commercial")
        + ("Creative Commons Attribution Non-Commercial Share-Alike",)
        + ("Creative Commons Attribution Non-Commercial No Derivatives",),
        _COMMONS + "(?:by-)?nc(?:-sa|-nd)?" + _EDITION,
    ),
    _Entry(
        Licence("cc-zero", "Creative Commons CCZero", _DEFINITION + "cc-zero"),
        ("CC0", "CCZero", "CC Zero", "Creative Commons Zero", "Creative Commons CC0")
        + ("CC0 1.0 Universal", "CC0 1.0 Universal (CC0 1.0) Public Domain Dedication"),
        r"creativecommons\.org/(?:publicdomain|licences)/(?:zero|cc0)" + _EDITION,
    ),
    _Entry(
        Licence(
            "odc-pddl",
            "Open Data Commons Public Domain Dedication and License (PDDL)",
            _DEFINITION + "odc-pddl",
        ),
        ("PDDL", "ODC PDDL", "Open Data Commons Public Domain Dedication and Licence"),
        r"opendatacommons\.org/licences/pddl" + _EDITION,
    ),
    _Entry(
        Licence(
            "odc-odbl",
            "Open Data Commons Open Database License (ODbL)",
            _DEFINITION + "odc-odbl",
        ),
        ("ODbL", "ODC ODbL", "Open Database Licence", "Open Data Commons Open Database Licence"),
        r"opendatacommons\.org/licences/odbl" + _EDITION,
    ),
    _Entry(
        Licence("odc-by", "Open Data Commons Attribution License", _DEFINITION + "odc-by"),
        (),
        r"opendatacommons\.org/licences/by" + _EDITION,
    ),
    _Entry(
        Licence("gfdl", "GNU Free Documentation License", _DEFINITION + "gfdl"),
        ("GNU FDL", "GFDL 1.3 only", "GFDL 1.3 or later"),
        r"gnu\.org/(?:licences|copyleft)/(?:old-licences/)?fdl(?:-[\d.]+)?",
    ),
    _Entry(Licence("other-open", "Other (Open)")),
    _Entry(
        Licence("other-pd", "Other (Public Domain)"),
        ("Public Domain", "US PD", "U.S. Government Work", "Public Domain Mark"),
        r"creativecommons\.org/(?:publicdomain/mark|licences/publicdomain)"
        + _EDITION
        + r"|usa\.gov/(?:publicdomain/label/[\d.]+|government-works)",
    ),
    _Entry(Licence("other-at", "Other (Attribution)")),
    _Entry(Licence("other-nc", "Other (Non-Commercial)")),
    _Entry(Licence("other-closed", "Other (Not Open)")),
)

_EDITION_WORD = re.compile(
    r"[\s_-]+(?:international|unported|generic)(?:\s+(?:public\s+)?licen[sc]e)?$", re.IGNORECASE
)

# Longer texts are no names; runs of dashes and dots in them would take the patterns hours.
_LONGEST_NAME = 200

# What systems write where nobody chose a licence (Socrata: "No license provided"; CKAN's id
# "notspecified"), and what people type there.
_PLACEHOLDERS = frozenset(
    ("nolicenceprovided", "nolicence", "licencenotspecified", "notspecified", "notprovided")
    + ("notapplicable", "none", "na", "null", "nil", "unknown", "unspecified", "undefined", "tbc")
)


# A catalogue's records have the same terms, and one record's are asked for more than once; a long
# text takes 4 ms.
@lru_cache(maxsize=64)
def find(value: str) -> Licence | None:
    """Return the licence that a text names, None if it names none ("", "n/a", redacted).

    Known are CKAN's ids with their SPDX forms and titles, without regard to case, version and
    spelling of "licence", and the addresses of their texts; what is not known keeps id "" and has
    the text as title or url. A known licence has CKAN's title, and the address as given, which
    holds the version; one that a sentence names has the whole text as title (see ``words``).
    """
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
    known = _TITLES.get(licence.id)
    return "" if known is not None and licence.title in ("", known) else licence.title


def agreed(named: Iterable[Licence], texts: Iterable[str]) -> Licence | None:
    """Return the one licence that texts give; None where they give several, or hold back.

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
    if len(found) != 1 or any(map(phrases.holds_back, texts)):
        return None
    return next(iter(found.values()))


def _in_sentences(text: str, value: str) -> Licence | None:
    """The one licence that a text gives in words; None where it gives several, or takes back."""
    named: list[Licence] = []
    for sentence in phrases.statements(value):
        urls = filter(is_web_url, phrases.addresses(sentence))
        named += filter(None, map(_by_address, urls))
        for licence_id, name in phrases.named(sentence):
            licence = _BY_ID.get(licence_id, Licence())
            named.append(replace(licence, url=_url_of(name, licence)))
    found = agreed(named, [value])
    return replace(found, title=text) if found and found.id else None


def _by_name(text: str) -> Licence | None:
    found = _NAMES.get(_name(text)) if len(text) <= _LONGEST_NAME else None
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
        found = _NAMES.get(_name(register[1] or register[2]))
        return replace(found, url=url) if found else None
    for entry in _REGISTER:
        if re.fullmatch(entry.address, address):
            return replace(entry.licence, url=url)
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


_NAMES = {
    _name(name): entry.licence
    for entry in _REGISTER
    for name in (entry.licence.id, entry.licence.title, *entry.names)
}
_BY_ID = {entry.licence.id: entry.licence for entry in _REGISTER}
_TITLES = {licence.id: licence.title for licence in _BY_ID.values()}
