"""The licence of a record, from all that its fields say about it, for every format."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ckanext.ukharvest.core.records import Licence
from ckanext.ukharvest.core.values import licences
from ckanext.ukharvest.core.values.text import shorten

_OGL = "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"


def read_licence(
    given: Iterable[Licence | None], report: Callable[[str, str], None], rights: Iterable[str] = ()
) -> Licence | None:
    """Return the licence that a record's fields name: the reader of every format.

    Of several it is the one that they agree on (``find_single_licence``). If they do not, it is an
    unknown licence with all of their texts, which is reported.

    Args:
        given: what ``find`` returned for each text of the fields for the licence.
        report: called with a problem's code and text.
        rights: terms in other fields: they can only withdraw what the licence grants.
    """
    named = list(filter(None, given))
    licence = licences.find_single_licence(named)
    if licence and (others := list(filter(None, map(licences.find, rights)))):
        named += others
        licence = licences.find_single_licence(named)
    if not named or licence:
        return licence
    unknown = licences.combine_licences(named)
    shown = shorten(unknown.url or unknown.title, 80)
    expected = f"'{shown}' is not a known licence; expected one such as {_OGL}"
    report("unknown-licence", expected)
    return unknown
