"""Search for harvest sources by ``type:harvest``, and for their type by any of its names.

CKAN keeps a source as a package of type "harvest", and ckanext-harvest excludes those from every
search whose ``fq`` does not name ``dataset_type:harvest``.
"""

from __future__ import annotations

import re
from typing import Any

from ckanext.ukharvest import source_types

# Filters nothing; it tells ckanext-harvest that the query is about sources.
_ALSO_SOURCES = "+(*:* OR dataset_type:harvest)"
_SHOWN_BY = "dataset_type:harvest"  # what ckanext-harvest looks for in fq

_PHRASE = r'\\.|"(?:\\.|[^"\\])*"'
# Where a field's name may begin: not inside another name or after an escape.
_START = r"(?<![\w.\\])"
_NAMES_SOURCES = re.compile(rf'{_PHRASE}|(?P<found>{_START}type:\s*\(?\s*(?:"harvest"|harvest\b))')
_CLAUSE = re.compile(
    rf'(?P<field>{_START}source_type:\s*)(?P<value>"[^"\\]*"|\([^()]*\)|[\w-]+(?![\w*?~:.-]))'
    rf"|{_PHRASE}"
)
_NAME = re.compile(r'"([^"\\]*)"|(?<![\w*?~:.-])([\w-]+)(?![\w*?~:.-])')


def apply(search_params: dict[str, Any]) -> None:
    """Make a search for ``type:harvest`` find sources, under any name of their type.

    Other searches are not changed. Permissions still apply: private and deleted sources stay
    hidden.

    Args:
        search_params: as ``before_dataset_search`` has them.
    """
    query, filters = search_params.get("q"), search_params.get("fq") or ""
    more = search_params.get("fq_list") or []
    texts = [text for text in (query, filters, *more) if isinstance(text, str)]
    is_named = any(match["found"] for text in texts for match in _NAMES_SOURCES.finditer(text))
    if not is_named and not any(_SHOWN_BY in text for text in texts):
        return
    if isinstance(query, str):
        search_params["q"] = _rewritten(query)
    if filters:
        search_params["fq"] = filters = _rewritten(filters)
    if more:
        search_params["fq_list"] = [_rewritten(text) for text in more]
    if is_named and _SHOWN_BY not in filters:
        search_params["fq"] = f"{filters} {_ALSO_SOURCES}".strip()


def _rewritten(text: str) -> str:
    """Replace a source type's name in a query by all its names.

    The inserted text comes from our table of types, never from the query.
    """
    return text if text.lstrip().startswith("{!") else _CLAUSE.sub(_with_all_names, text)


def _with_all_names(match: re.Match[str]) -> str:
    if not match["field"]:
        return match[0]
    if match["value"].startswith("("):
        return f"{match['field']}({_NAME.sub(_other_names, match['value'][1:-1])})"
    return match["field"] + _NAME.sub(_other_names, match["value"])


def _other_names(match: re.Match[str]) -> str:
    names = source_types.names_of(match[1] or match[2] or "")
    return match[0] if len(names) < 2 else "({})".format(" OR ".join(f'"{n}"' for n in names))
