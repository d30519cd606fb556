"""Languages as RFC 5646 tags."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ckanext.ukharvest.core.values.text import shorten

# ISO 639-1, by which a two-letter slip such as "uk-UK" for English is at least a real language.
_CODES = (
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy "
    "da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu "
    "hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb "
    "lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om "
    "or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw "
    "ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu"
)
_TWO = frozenset(_CODES.split())
# ISO 639-2 codes (both kinds) of the languages of Europe and of the larger communities in the UK.
_PAIRS = (
    "eng:en cym:cy wel:cy gla:gd gle:ga cor:kw glv:gv bul:bg ces:cs cze:cs dan:da deu:de "
    "ger:de ell:el gre:el est:et fin:fi fra:fr fre:fr hrv:hr hun:hu isl:is ice:is ita:it "
    "lav:lv lit:lt ltz:lb mlt:mt nld:nl dut:nl nno:nn nob:nb nor:no pol:pl por:pt ron:ro "
    "rum:ro slk:sk slo:sk slv:sl spa:es swe:sv cat:ca eus:eu baq:eu glg:gl ukr:uk rus:ru "
    "tur:tr sqi:sq alb:sq srp:sr bos:bs mkd:mk mac:mk ara:ar urd:ur hin:hi ben:bn pan:pa "
    "guj:gu tam:ta zho:zh chi:zh jpn:ja kor:ko som:so fas:fa per:fa heb:he"
)
_THREE = dict(pair.split(":") for pair in _PAIRS.split())
# The terminological code stands before the bibliographical one.
_TWO_TO_THREE = {two: three for three, two in reversed(_THREE.items())}
_WORDS = {
    "english": "en",
    "britishenglish": "en-GB",
    "welsh": "cy",
    "cymraeg": "cy",
    "gaelic": "gd",
    "irish": "ga",
    "french": "fr",
    "german": "de",
    "spanish": "es",
}
_BETWEEN = re.compile(r"(?:[\s,;|&]|\band\b)+", re.IGNORECASE)
_TAG = re.compile(r"([a-z]{2,3})((?:-[a-z0-9]{1,8})*)", re.IGNORECASE | re.ASCII)


def parse_language(value: str) -> str:
    """Return the RFC 5646 tag of a language: ``en``, ``en-GB``, ``sco``.

    Understands tags in any case or with underscores, ISO 639-2 codes (``eng``), URIs that end in a
    code (EU authority table, Library of Congress, Lexvo), and a few English names.

    Raises:
        ValueError: none of these.
    """
    text = value.strip()
    code = re.split(r"[/#]", text.rstrip("/"))[-1] if "://" in text else text
    code = code.replace("_", "-")
    if word := _WORDS.get(re.sub(r"[\W_]+", "", code).lower()):
        return word
    match = _TAG.fullmatch(code)
    first = match[1].lower() if match else ""
    first = _THREE.get(first, first)
    if not match or (len(first) == 2 and first not in _TWO):
        raise ValueError(
            f"'{shorten(text, 40)}' is not a language; expected an RFC 5646 tag such as en or cy"
        )
    return first + "".join("-" + _subtag(part) for part in match[2].split("-")[1:])


def is_tag(tag: str) -> bool:
    """Tell whether a text is a tag that begins with a code that we know: en, cy-GB, eng."""
    first = tag.replace("_", "-").partition("-")[0].lower()
    return _TAG.fullmatch(tag.replace("_", "-")) is not None and (first in _TWO or first in _THREE)


def read_languages(texts: Iterable[str], report: Callable[[str, str], None]) -> tuple[str, ...]:
    """Return the tags of languages; one text may list several.

    Args:
        report: called with a problem's code and text.
    """
    tags: dict[str, None] = {}
    for text in texts:
        for part in [text] if language_code(text) else _BETWEEN.split(text):
            try:
                tags |= {parse_language(part): None} if part else {}
            except ValueError as exc:
                report("bad-language", str(exc))
    return tuple(tags)


def three_letters(tag: str) -> str:
    """Return the code of ISO 639-2 (terminological) of a tag's language, "" if we do not know it.

    ``cym`` for ``cy`` and ``cy-GB``.
    """
    code = tag.partition("-")[0]
    return _TWO_TO_THREE.get(code, code if len(code) == 3 else "")


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
    if not are_texts or not all(map(is_tag, value)):
        return []
    return [(tag, item) for tag, item in value.items() if item]


def choose_language(value: Any) -> Any:
    """Return the English text of a language map, else its first; other values unchanged."""
    if isinstance(value, str) and "{" not in value:  # as nearly all are
        return value
    pairs = language_pairs(value)
    if not pairs:
        return value
    english = (item for tag, item in pairs if language_code(tag) == "en")
    return next(english, pairs[0][1])


def _by_language(items: list[Any]) -> dict[str, Any]:
    """Return JSON-LD's texts by language, {} if one of the items has none."""
    texts: dict[str, list[Any]] = {}
    for item in items:
        if not isinstance(item, Mapping) or "@value" not in item:
            return {}
        texts.setdefault(str(item.get("@language") or ""), []).append(item["@value"])
    return {tag: values[0] if len(values) == 1 else values for tag, values in texts.items()}
