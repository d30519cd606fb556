"""Five stars of openness: the rules (https://5stardata.info/en/).

The list of file types has the stars of each format; the other rules are here, in ckanext-qa's
order, described for users in docs/portal/five-stars.md. They use the metadata, and what link checks
found earlier.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from ckanext.ukharvest.core.link_states import NOTHING, Evidence
from ckanext.ukharvest.core.values import formats, licences
from ckanext.ukharvest.core.values.formats import all_formats as file_types
from ckanext.ukharvest.core.values.stars import HIGHEST, DatasetStars, Stars
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.core.vocabularies.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Terms:
    """Whether everybody may use the data for any purpose, as far as the metadata say.

    Attributes:
        code: "" for an open licence, else why it does not count as open: "no-licence",
            "closed-licence" or "unclear-licence" (not recognised).
        detail: CKAN's id of a closed licence, or the text given as licence.
    """

    code: str
    detail: str = ""


DEAD_LINK = "dead-link"  # the reason of a resource whose link is dead
LINKABLE = 4  # file extensions of RDF formats

# Less exact than the metadata's format, which names the archive's content, or the kind of XML or
# JSON.
_GENERAL = formats.GENERAL


@vocabulary.derived("file_types")
def stars_by_format(_read: Vocabulary) -> Mapping[str, int]:
    """Return format → stars under an open licence, for formats that have any."""
    return {
        file_type.label: file_type.stars
        for file_type in file_types()
        if file_type.stars is not None
    }


_ABOUT_LICENCE = ("closed-licence", "unclear-licence", "no-licence")
_LONGEST = 120


def score_resource(
    *,
    url: str,
    format_: str,
    mimetype: str,
    terms: Terms,
    rules: Mapping[str, int],
    is_linked: bool = False,
    link: Evidence = NOTHING,
) -> Stars:
    """Return the stars of one resource.

    Args:
        url, format_, mimetype: as CKAN has them.
        terms: the licence's terms.
        rules: format → stars; names that are not our labels are compared unchanged.
        is_linked: the dataset is linked to other data (see ``is_linked``).
        link: what the link check found at the URL.
    """
    if link.dead:
        return Stars(0, DEAD_LINK, link.dead)
    label = format_of(url, format_, mimetype, rules, link.format)
    # Data that can be downloaded is worth one star, whatever it is.
    number = rules.get(label, 1)
    if number and terms.code:
        return Stars(0, terms.code, terms.detail)
    if label in rules:
        if is_linked and number == LINKABLE:
            return Stars(HIGHEST, "linked", label)
        return Stars(number, "format" if number else "not-data", label)
    name = label or shorten(format_ or mimetype, _LONGEST)
    return Stars(1, "unknown-format" if name else "no-format", name)


def format_of(
    url: str, format_: str, mimetype: str, rules: Mapping[str, int], checked: str = ""
) -> str:
    """Return the format that counts, "" if none is known.

    What the link check found and then the URL show what is really there, unless they are as general
    as "ZIP" or "XML"; then the publisher's format counts.

    Args:
        checked: what the link check found, "" for nothing.
    """
    seen = formats.of_url(url)
    exact = (label for label in (checked, seen) if label and label not in _GENERAL)
    written = format_.strip()
    named = written if written in rules else formats.label(format_) or formats.label(mimetype)
    return next(exact, "") or named or seen or checked


def score_dataset(resources: Mapping[str, Stars], *, is_unpublished: bool = False) -> DatasetStars:
    """Return the stars of a dataset: those of its best resource, the first of several.

    Args:
        resources: CKAN's id → stars, without documentation, in the dataset's order.
        is_unpublished: the metadata say that the data is not available yet.
    """
    if not resources:
        return DatasetStars(Stars(0, "unpublished" if is_unpublished else "no-data"))
    # Of several without stars, the one that an open licence would fix.
    best = max(resources.values(), key=lambda own: (own.stars, own.code in _ABOUT_LICENCE))
    return DatasetStars(best, resources)


def terms_of(
    licence_id: str, texts: Sequence[str], register: Mapping[str, bool], rights: str = ""
) -> Terms:
    """Return whether a licence is open.

    Args:
        licence_id: as CKAN has it, or the text in its place.
        texts: names, URLs and texts of the licence.
        register: licence id → is open, of the portal's licences.
        rights: further texts, used only if there is nothing else about a licence.
    """
    if licence_id in register and licences.find(licence_id):  # registered, but no licence
        return _terms(licence_id, register)
    names = [text for text in dict.fromkeys((licence_id, *texts)) if text and licences.find(text)]
    sources = names or [rights]
    named = [licence for text in sources if (licence := licences.find(text)) and licence.id]
    agreed = licences.find_agreed_licence(named, sources)
    if agreed and agreed.id in register:
        return _terms(agreed.id, register)
    return Terms("unclear-licence", shorten(names[0], _LONGEST)) if names else Terms("no-licence")


def _terms(licence_id: str, register: Mapping[str, bool]) -> Terms:
    return Terms("") if register[licence_id] else Terms("closed-licence", licence_id)


# Fields that name linked datasets: "links:" and a dataset's name is what the linked open data
# cloud's catalogue asked for; the others are dct:relation, dct:references, the Inventory's "links
# to" and VoID's linksets.
_LINKS = "links:"
_LINKED = ("links_to", "linksets", "references", "related_resource", "relation")
_ADDRESS = re.compile(r"https?://[^\s,;\"'<>\[\]{}|\\]+", re.IGNORECASE)


def is_linked(extras: Mapping[str, str], own: Iterable[str]) -> bool:
    """Tell whether metadata link a dataset to other publishers' data.

    Args:
        extras: the dataset's fields by their names.
        own: the dataset's own URLs; links to their hosts do not count.
    """
    if any(key.startswith(_LINKS) and value.strip(" 0") for key, value in extras.items()):
        return True
    targets = [url for key in _LINKED for url in _ADDRESS.findall(extras.get(key, ""))]
    hosts = {"", *map(_host, own)} if targets else {""}
    return any(_host(url) not in hosts for url in targets)


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def texts_in(value: object) -> Iterator[str]:
    """Yield the texts of a field; lists are stored as JSON."""
    text = value.strip() if isinstance(value, str) else ""
    items: object = [text]
    if text.startswith("["):
        with suppress(ValueError, RecursionError):
            items = json.loads(text)
    for item in items if isinstance(items, list) else [text]:
        if isinstance(item, str) and item.strip():
            yield item.strip()
