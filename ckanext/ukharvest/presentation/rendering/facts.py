"""Render values of a dataset's extras.

Lists and objects are stored as JSON, because an extra is one text; pages show neither brackets nor
quotes. Every text is untrusted: it is escaped, and only web URLs become links.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from markupsafe import Markup, escape

from ckanext.ukharvest.core.values.web_addresses import is_web_url

MOST = 100  # items of a list that are shown
DEEPEST = 4  # objects within objects; real ones have two levels

_HEADS = ("title", "name", "text", "code", "identifier", "value")
_LINKS = ("href", "url")


def render_extra(text: str) -> Markup:
    """Return an extra's value as markup; "" for an empty value, such as "[]"."""
    if text[:1] not in ("[", "{"):
        return _text({"True": "yes", "False": "no"}.get(text, text))
    try:
        value = parse_json(text)
    except (ValueError, RecursionError):
        return _text(text)
    return _shown(value, DEEPEST)


def parse_json(text: str) -> Any:
    """Parse JSON, and replace lone surrogates, which no page can hold.

    Raises:
        ValueError, RecursionError: it is no JSON, or too deep.
    """
    return json.loads(json.dumps(json.loads(text), ensure_ascii=False).encode("utf-8", "replace"))


def _shown(value: Any, depth: int) -> Markup:
    if value is None:
        return Markup("")
    if isinstance(value, bool):
        return escape("yes" if value else "no")
    if isinstance(value, (list, dict)) and not depth:
        return _text(json.dumps(value, ensure_ascii=False))
    if isinstance(value, list):
        items = (_shown(item, depth - 1) for item in value[:MOST])
        return render_list(list(filter(None, items)), len(value) - MOST)
    if isinstance(value, dict):
        return _object({str(key): part for key, part in value.items()}, depth)
    return _text(str(value))


def _text(text: str) -> Markup:
    return render_link(text, shorten_url(text)) if is_web_url(text) else escape(text)


def render_link(url: str, words: str) -> Markup:
    """Return a link to another site; ``url`` has to be a web address."""
    return Markup('<a href="{}" title="{}" rel="nofollow noopener">{}</a>').format(url, url, words)


def render_link_or_text(url: str, words: str = "") -> Markup:
    """Return a web URL as a link, labelled by the words or itself; other text unlinked."""
    return render_link(url, words or url) if is_web_url(url) else escape(words or url)


def shorten_url(url: str) -> str:
    """Return a web URL, shortened to its host and its end."""
    last = unquote(urlsplit(url).path).rstrip("/").rpartition("/")[2]
    return f"{host(url)}: {last}" if last else host(url)


def host(url: str) -> str:
    """Return the host of a web URL without "www."."""
    return (urlsplit(url).hostname or "").removeprefix("www.")


def render_list(items: Sequence[Markup], more: int = 0) -> Markup:
    """Return a single value unchanged, several as a list; ``more`` is the number left out."""
    if more > 0:
        items = [*items, escape(f"… +{more:,}")]
    if len(items) < 2:
        return Markup("").join(items)
    rows = Markup("").join(Markup("<li>{}</li>").format(item) for item in items)
    return Markup('<ul class="list-unstyled mb-0">{}</ul>').format(rows)


def _object(value: dict[str, Any], depth: int) -> Markup:
    """Render an object as its name, linked if it has a URL, and the rest in brackets."""
    if isinstance(value.get("keywords"), list):
        return _vocabulary(value, depth)
    if value.keys() == {"type", "value"}:
        return Markup("{}: {}").format(
            *(_shown(value[key], depth - 1) for key in ("type", "value"))
        )
    if "from" in value or "to" in value:
        return _period(value)
    named = next((key for key in _HEADS if value.get(key)), "")
    linked = next((key for key in _LINKS if is_web_url(str(value.get(key, "")))), "")
    head = _shown(value.get(named or linked), depth - 1)
    if linked and named:
        head = render_link(str(value[linked]), str(value[named]))
    rest = [
        Markup("{}: {}").format(label_for_key(key).lower(), text)
        for key, part in value.items()
        if key not in (named, linked) and part != value.get(named)
        if (text := _shown(part, depth - 1))
    ]
    return _with_rest(head, rest)


def _vocabulary(value: dict[str, Any], depth: int) -> Markup:
    words = Markup(", ").join(_shown(word, depth - 1) for word in value["keywords"][:MOST])
    name = str(value.get("vocabulary") or value.get("title") or "")
    return Markup("{}: {}").format(name, words) if name else words


def _period(value: dict[str, Any]) -> Markup:
    ends = [str(value.get(key) or value.get(f"{key}-position") or "…") for key in ("from", "to")]
    about = value.get("description")
    return _with_rest(escape(" – ".join(ends)), [escape(str(about))] if about else [])


def _with_rest(head: Markup, rest: Iterable[Markup]) -> Markup:
    joined = Markup(", ").join(rest)
    return Markup("{} ({})").format(head, joined) if head and joined else head or joined


def label_for_key(key: str) -> str:
    """Return a label for a key that has none."""
    words = " ".join(key.replace("_", " ").replace("-", " ").split())
    return words[:1].upper() + words[1:]
