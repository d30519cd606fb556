"""Five stars of openness from metadata: the rules (https://5stardata.info/en/).

What a format is worth stands in the list of file types; the rest is here, and is told to people in
docs/portal/five-stars.md. Nothing is looked at but what the metadata say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from ckanext.ukharvest.core import formats, licences, vocabulary
from ckanext.ukharvest.core.format_table import formats as file_types
from ckanext.ukharvest.core.text import shorten
from ckanext.ukharvest.core.vocabulary import Vocabulary

HIGHEST = 5


@dataclass(frozen=True, slots=True)
class Stars:
    """Stars of one resource, or of a dataset.

    Attributes:
        stars: 0 to 5.
        code: why, as a stable word such as "format", "no-licence", "closed-licence", "no-data".
        detail: what the reason names: a format's label, a licence's id or text.
    """

    stars: int
    code: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class DatasetStars:
    """Stars of a dataset: those of its best resource.

    Attributes:
        resources: CKAN's id of a resource → its stars; those that count.
    """

    best: Stars
    resources: Mapping[str, Stars] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Terms:
    """Whether data may be used by everybody for everything, as far as the metadata say.

    Attributes:
        code: "" for an open licence, else why it does not count as open: "no-licence",
            "closed-licence" or "unclear-licence" (none that is known).
        detail: CKAN's id of a closed licence, or what was given for a licence.
    """

    code: str
    detail: str = ""


# Kinds of resources (``resource_type``) that are about data and are none themselves.
NOT_DATA = frozenset(("documentation", "code", "visualization", "example", "metadata"))

LINKABLE = 4  # what RDF in its forms has of its own

# An address that ends in one of these says less than the format that is named beside it: what is
# in an archive, and which kind of XML or JSON it is.
_GENERAL = formats.ARCHIVES | {"XML", "JSON", "TXT", "BIN", "OWL", "API"}


@vocabulary.derived("file_types")
def by_format(_read: Vocabulary) -> Mapping[str, int]:
    """Return format → stars under an open licence, of the formats that tell."""
    return {each.label: each.stars for each in file_types() if each.stars is not None}


_ABOUT_LICENCE = ("closed-licence", "unclear-licence", "no-licence")
_LONGEST = 120


def of_resource(
    *,
    url: str,
    format_: str,
    mimetype: str,
    terms: Terms,
    rules: Mapping[str, int],
    is_linked: bool = False,
) -> Stars:
    """Return the stars of one resource.

    Args:
        url, format_, mimetype: as CKAN has them.
        terms: what may be done with it.
        rules: format → stars; names that are no label of ours are compared as they are.
        is_linked: the dataset is linked to other data (see ``is_linked``).
    """
    label = format_of(url, format_, mimetype, rules)
    found = _of_format(label, format_ or mimetype, rules)
    if is_linked and found.stars == LINKABLE:
        found = Stars(HIGHEST, "linked", label)
    return under(terms, found)


def under(terms: Terms, found: Stars) -> Stars:
    """Return stars under a licence: none without an open one."""
    if found.stars and terms.code:
        return Stars(0, terms.code, terms.detail)
    return found


def _of_format(label: str, given: str, rules: Mapping[str, int]) -> Stars:
    if label in rules:
        stars = rules[label]
        return Stars(stars, "format" if stars else "not-data", label)
    given = label or shorten(given, _LONGEST)
    # It can be had, which is worth one star, whatever it is.
    return Stars(1, "unknown-format" if given else "no-format", given)


def format_of(url: str, format_: str, mimetype: str, rules: Mapping[str, int]) -> str:
    """Return the format that counts, "" if none is known.

    The address tells what is really there, unless it ends in something as general as ".zip" or
    ".xml"; then counts what the publisher says.
    """
    written = format_.strip()
    named = written if written in rules else formats.label(format_) or formats.label(mimetype)
    seen = formats.of_url(url)
    if not seen or (seen in _GENERAL and named):
        return named
    return seen


def of_dataset(resources: Mapping[str, Stars], *, is_unpublished: bool = False) -> DatasetStars:
    """Return the stars of a dataset: of its best resource, the first of several.

    Args:
        resources: CKAN's id → stars, without documentation, in the dataset's order.
        is_unpublished: the dataset says of itself that its data cannot be had yet.
    """
    if not resources:
        return DatasetStars(Stars(0, "unpublished" if is_unpublished else "no-data"))
    # Of several without stars, the one that an open licence would mend.
    best = max(resources.values(), key=lambda each: (each.stars, each.code in _ABOUT_LICENCE))
    return DatasetStars(best, resources)


def terms_of(
    licence_id: str, texts: Sequence[str], register: Mapping[str, bool], rights: str = ""
) -> Terms:
    """Return whether a licence is open.

    Args:
        licence_id: as CKAN has it, or the text that stands in its place.
        texts: names, addresses and words of the licence.
        register: ids of the licences that the portal knows, and whether each is open.
        rights: further words, which count only where nothing is said of a licence.
    """
    if licence_id in register and licences.find(licence_id):  # "notspecified" is in it, and is none
        return _terms(licence_id, register)
    said = dict.fromkeys(filter(None, (licence_id, *texts)))
    given = [text for text in said if licences.find(text)]
    told = _agreed(given or [rights])
    if told in register:
        return _terms(told, register)
    if given:
        return Terms("unclear-licence", shorten(given[0], _LONGEST))
    return Terms("no-licence")


def _terms(licence_id: str, register: Mapping[str, bool]) -> Terms:
    return Terms("") if register[licence_id] else Terms("closed-licence", licence_id)


def _agreed(texts: Sequence[str]) -> str:
    named = [found for text in texts if (found := licences.find(text)) and found.id]
    agreed = licences.agreed(named, texts)
    return agreed.id if agreed else ""


# Where metadata say what a dataset is linked to: "links:" with the name of the other dataset is
# what the catalogue of the linked open data cloud asked for, the others are dct:relation,
# dct:references, the Inventory's "links to" and VoID's linksets.
_LINKS = "links:"
_LINKED = ("links_to", "linksets", "references", "related_resource", "relation")
_ADDRESS = re.compile(r"https?://[^\s,;\"'<>\[\]{}|\\]+", re.IGNORECASE)


def is_linked(extras: Mapping[str, str], own: Iterable[str]) -> bool:
    """Tell whether metadata say that a dataset is linked to data of somebody else.

    Args:
        extras: the dataset's fields by their names.
        own: the dataset's own addresses; links to their hosts are none to others.
    """
    if any(key.startswith(_LINKS) and value.strip(" 0") for key, value in extras.items()):
        return True
    targets = [url for key in _LINKED for url in _ADDRESS.findall(extras.get(key, ""))]
    if not targets:
        return False
    hosts = {"", *map(_host, own)}
    return any(_host(url) not in hosts for url in targets)


def _host(url: str) -> str:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    return host.removeprefix("www.")


def texts_in(value: object) -> Iterator[str]:
    """Yield the texts of a field; lists are stored as JSON."""
    if not isinstance(value, str):
        return
    text = value.strip()
    if text.startswith("["):
        try:
            items = json.loads(text)
        except (ValueError, RecursionError):
            items = None
        if isinstance(items, list):
            yield from (item.strip() for item in items if isinstance(item, str) and item.strip())
            return
    if text:
        yield text
