"""Languages as RFC 5646 tags."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

from babel import Locale
from babel.core import get_global

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values.text import fold_name, shorten

# Their names in these languages, by which publishers call them.
_LOCALES = ("en", "cy", "ga", "gd", "fr", "de", "es")
_OTHER_NAMES = {"gaelic": "gd"}
# A country that tells one kind of English from another is none of its own.
_COUNTRY = re.compile(r"\b(?:UK|GB|British|United Kingdom|Great Britain)\b", re.IGNORECASE)
_BETWEEN = re.compile(r"[,;/|&\n]|\b(?:and|or)\b", re.IGNORECASE)
_LONGEST = 1000  # characters of a list
# ISO 19115 of North America: "eng; USA" is a language and its country.
_WITH_COUNTRY = re.compile(r"([a-z]{2,3})\s*;\s*[A-Z]{2,3}", re.ASCII)
_TAG = re.compile(r"([a-z]{2,3})((?:-[a-z0-9]{1,8})*)", re.IGNORECASE | re.ASCII)


class _Names(NamedTuple):
    """What Babel knows of languages: codes, other codes of the same, and codes by folded name."""

    codes: frozenset[str]
    aliases: Mapping[str, str]
    by_name: Mapping[str, str]

    def is_code(self, code: str) -> bool:
        return code in self.codes or code in self.aliases


@cache
def _names() -> _Names:
    lists = [Locale(name).languages for name in reversed(_LOCALES)]
    by_name = {fold_name(name): code for names in lists for code, name in names.items()}
    codes = frozenset(lists[-1])
    aliases = {
        alias: code
        for alias, code in get_global("language_aliases").items()
        if len(alias) == 3 and len(code) == 2  # ISO 639-2, both kinds
    }
    return _Names(codes, aliases, by_name | _OTHER_NAMES)


def parse_language(value: str) -> str:
    """Return the RFC 5646 tag of a language: ``en``, ``en-GB``, ``sco``.

    Understands tags in any case or with underscores, ISO 639-2 codes (``eng``), URIs that end in a
    code (EU authority table, Library of Congress, Lexvo), and names in English and a few others.

    Raises:
        ValueError: none of these.
    """
    text = value.strip()
    code = re.split(r"[/#]", text[-_LONGEST:].rstrip("/"))[-1] if "://" in text else text
    code = code.replace("_", "-")
    if len(code) > 3 and (name := _names().by_name.get(fold_name(code))):
        return name.replace("_", "-")
    match = _TAG.fullmatch(code)
    first = match[1].lower() if match else ""
    # Languages that Babel does not name have three small letters in ISO 639-3.
    is_known = _names().is_code(first) or len(first) == 3 and (code[:3] == first or code != text)
    if not match or not is_known:
        raise ValueError(
            Message(
                "'{text}' is not a language; expected an RFC 5646 tag such as en or cy",
                text=shorten(text, 40),
            )
        )
    first = _names().aliases.get(first, first)
    return first + "".join("-" + _subtag(part) for part in match[2].split("-")[1:])


def is_tag(tag: str) -> bool:
    """Tell whether a text is a tag that begins with a code that we know: en, cy-GB, eng."""
    match = _TAG.fullmatch(tag.replace("_", "-"))
    return match is not None and _names().is_code(match[1].lower())


def read_languages(texts: Iterable[str], report: Callable[..., None]) -> tuple[str, ...]:
    """Return the tags of languages; one text may list several.

    Args:
        report: called with a problem's code and text, and the value that is no language.
    """
    tags: dict[str, None] = {}
    for text in texts:
        for part in _parts(text):
            try:
                tags |= {parse_language(part): None}
            except ValueError as exc:
                report("bad-language", str(exc), part)
    return tuple(tags)


def _parts(text: str) -> list[str]:
    """Return the languages in a text: itself, codes between blanks, or names between commas."""
    if len(text) > _LONGEST or language_code(text):
        return [text]
    if match := _WITH_COUNTRY.fullmatch(text.strip()):
        return [match[1]]
    parts: list[str] = []
    for part in filter(None, map(str.strip, _BETWEEN.split(text))):
        words = part.split()
        name = " ".join(_COUNTRY.sub(" ", part).replace("()", " ").split())
        # Names have blanks, too: "Scottish Gaelic".
        parts += words if all(map(is_tag, words)) else [name if language_code(name) else part]
    return parts


def three_letters(tag: str) -> str:
    """Return the code of ISO 639-2 (terminological) of a tag's language, "" if we do not know it.

    ``cym`` for ``cy`` and ``cy-GB``.
    """
    code = tag.partition("-")[0]
    return _three_letters().get(code, code if len(code) == 3 else "")


# ISO 639-2's bibliographical codes, and two languages that Babel counts to others.
_NOT_OWN = frozenset(
    ("alb", "arm", "baq", "bur", "chi", "cze", "dut", "fre", "geo", "ger", "gre", "ice", "mac")
    + ("mao", "may", "per", "prp", "rum", "slo", "tib", "twi", "wel")
)


@cache
def _three_letters() -> dict[str, str]:
    """Return two letters → three; macrolanguages stand last in Babel's list."""
    return {two: three for three, two in _names().aliases.items() if three not in _NOT_OWN}


def language_code(value: str) -> str:
    """Return a language's code as CKAN's locales begin: ``cy`` for ``cym`` or ``cy-GB``.

    "" for what is no language.
    """
    try:
        return parse_language(value).partition("-")[0]
    except ValueError:
        return ""


def _subtag(part: str) -> str:
    """Write a subtag in the case that RFC 5646, section 2.1.1, recommends."""
    if len(part) == 2 and part.isalpha():
        return part.upper()
    return part.capitalize() if len(part) == 4 and part.isalpha() else part.lower()


_TEXT = re.compile(r'\s*\{\s*"[a-z]{2,3}(?:[-_]\w{1,8})*"\s*:', re.IGNORECASE)


def language_pairs(value: Any) -> list[tuple[str, Any]]:
    """Return language tag and text, or list of texts, of each language; [] for other values.

    Empty texts are left out.
    """
    if isinstance(value, str):
        if not _TEXT.match(value):
            return []
        with contextlib.suppress(ValueError, RecursionError):
            value = json.loads(value)
    if isinstance(value, list):
        value = _by_language(value)
    # An object may have an id alone, which is Indonesian too.
    if not isinstance(value, Mapping) or not value.keys() - {"id"}:
        return []
    are_texts = all(item is None or isinstance(item, (str, list)) for item in value.values())
    if not are_texts or not any(value) or not all(map(is_tag, filter(None, value))):
        return []
    return [(tag, item) for tag, item in value.items() if item]


def choose_language(value: Any) -> Any:
    """Return the English text of a language map, else its first; other values unchanged."""
    if value is None or (isinstance(value, str) and "{" not in value):  # as nearly all are
        return value
    pairs = language_pairs(value)
    if not pairs:
        return value
    by_code = {language_code(tag): item for tag, item in reversed(pairs)}
    return by_code.get("en") or by_code.get("") or pairs[0][1]


def _by_language(items: list[Any]) -> dict[str, Any]:
    """Return JSON-LD's texts by language, {} if one of the items has none."""
    texts: dict[str, list[Any]] = {}
    for item in items:
        if not isinstance(item, Mapping) or "@value" not in item:
            return {}
        texts.setdefault(str(item.get("@language") or ""), []).append(item["@value"])
    return {tag: values[0] if len(values) == 1 else values for tag, values in texts.items()}
