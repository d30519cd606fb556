"""The UK Cross-Government Metadata Exchange Model, in JSON or YAML, rewritten as data.json.

Specification: https://co-cddo.github.io/ukgov-metadata-exchange-model/. A record is a dcat:Dataset
or a dcat:DataService under names of the model; a distribution is a record of its own, and datasets
name it by its identifier. YAML is read as texts alone, without aliases.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import yaml

from ckanext.ukharvest.core import json_limits
from ckanext.ukharvest.core.document_head import read_head
from ckanext.ukharvest.core.errors import ProtocolError
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.http.urls import safe_url
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values.text import clean_text, shorten

_HEAD = 65_536
_MOST = 5_000_000  # bytes
_MOST_NAMED = 20_000_000  # characters of all datasets, each with the distributions that it names
_MAX_DEPTH = 50
_SIGN = re.compile(
    r"(?:^|[{,\[-])[ \t]*\"?type\"?[ \t]*:[ \t]*\"?dcat:(?:Dataset|DataService|Distribution)\b",
    re.MULTILINE,
)
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # which makes texts of all scalars
# Names of the model → those of data.json.
_NAMES = {
    "type": "@type",
    "licence": "license",
    "updateFrequency": "accrualPeriodicity",
    "servesData": "servesDataset",
    "contactName": "fn",
    "email": "hasEmail",
    "telephone": "hasTelephone",
    "relatedResource": "relation",
}
_FREQUENCY = re.compile(r"freq:(?=\w)")


def is_model(text: str) -> bool:
    """Tell whether a document begins with a record of the model; JSON-LD has a context as well."""
    return '"@context"' not in text and bool(_SIGN.search(text))


def as_data_json(reply: Reply) -> Reply:
    """Return a document of the model as data.json, and every other one as it is.

    Raises:
        ProtocolError: YAML that is broken, too large or too deep, or has aliases; datasets that
            name the same distributions too often.
    """
    head = read_head(reply.body.read(_HEAD))
    reply.body.seek(0)
    if not is_model(head.text):
        return reply
    data = reply.body.read(_MOST + 1)
    reply.body.seek(0)
    try:
        documents = [_load_json(data)] if head.is_json else list(_load_yaml(data, reply))
    except ValueError:
        return reply  # the reader of JSON says what is wrong
    items = [item for document in documents for item in _items(document)]
    files = {
        name: item
        for item in filter(_is_file, items)
        if isinstance(name := item.get("identifier"), str)
    }
    named = {name for item in items for name in _distributions(item)}
    unnamed: list[dict[str, Any]] = [{}] * (sum(map(_is_file, items)) - len(files.keys() & named))
    texts, size = list[str](), 0
    for item in items:
        if not _is_file(item):
            texts.append(json.dumps(_renamed(_with_files(item, files)), ensure_ascii=False))
            size += len(texts[-1])
        if size > _MOST_NAMED:
            url = safe_url(reply.requested_url)
            message = Message(
                "{url} has more than {most:,} bytes once each dataset has the distributions that"
                " it names; expected a smaller document",
                url=url,
                most=_MOST_NAMED,
            )
            raise ProtocolError(message, url=url)
    body = f'{{"dataset": [{", ".join(texts)}], "{DISTRIBUTION}": {json.dumps(unnamed)}}}'
    return replace(reply, body=io.BytesIO(body.encode("utf-8", "replace")))


DISTRIBUTION = "dcat:Distribution"  # in the rewritten document the key of those without a dataset


def _is_file(item: Any) -> bool:
    return isinstance(item, dict) and item.get("type") == DISTRIBUTION


def _load_json(data: bytes) -> Any:
    """Return the value; raise ValueError for a document that is too large or broken."""
    if len(data) > _MOST:
        raise ValueError(Message("too large"))
    json_limits.check(data)
    return json.loads(data)


def _load_yaml(data: bytes, reply: Reply) -> Iterator[Any]:
    def refused(message: str, line: int | None = None) -> ProtocolError:
        url = safe_url(reply.requested_url)
        where = (
            Message(" in line {line} of {url}", line=line, url=url)
            if line
            else Message(": {url}", url=url)
        )
        return ProtocolError(
            Message("the YAML {message}{where}", message=message, where=where), url=url, line=line
        )

    if len(data) > _MOST:
        raise refused(
            Message("is larger than {most:,} bytes; expected a smaller document", most=_MOST)
        )
    depth = 0
    try:
        for event in yaml.parse(data, Loader=_LOADER):
            line = event.start_mark.line + 1
            depth += isinstance(event, yaml.events.CollectionStartEvent)
            depth -= isinstance(event, yaml.events.CollectionEndEvent)
            if depth > _MAX_DEPTH:
                raise refused(
                    Message("is nested more than {max_depth} levels deep", max_depth=_MAX_DEPTH),
                    line,
                )
            if isinstance(event, yaml.events.AliasEvent):
                raise refused(
                    Message(
                        "has the alias *{anchor}; expected none", anchor=shorten(event.anchor, 30)
                    ),
                    line,
                )
        yield from yaml.load_all(data, Loader=_LOADER)  # noqa: S506 - it only makes texts
    except yaml.YAMLError as exc:
        mark = getattr(exc, "problem_mark", None)
        problem = shorten(str(getattr(exc, "problem", "") or "cannot be decoded"), 100)
        raise refused(
            Message("is not valid: {problem}", problem=problem), mark.line + 1 if mark else None
        ) from exc


def _items(document: Any) -> Iterator[Any]:
    """Yield the records of a document: one, a list, or records and lists of them in an object.

    Items that are no objects are yielded too: the reader of JSON reports them.
    """
    if isinstance(document, dict) and "type" not in document:
        document = [item for value in document.values() for item in _listed(value)] or document
    for item in document if isinstance(document, list) else [document]:
        if item not in (None, ""):
            yield item


def _listed(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value if any(isinstance(item, dict) for item in value) else []
    return [value] if isinstance(value, dict) and "type" in value else []


def _distributions(item: Any) -> dict[str | int, Any]:
    """Return a record's distributions, each once: by name, or by number if they are objects."""
    names = item.get("distribution") if isinstance(item, dict) else None
    listed = names if isinstance(names, list) else [names] if names else []
    return {name if isinstance(name, str) else number: name for number, name in enumerate(listed)}


def _with_files(item: Any, files: dict[str, dict[str, Any]]) -> Any:
    """Return a record with the distributions that it names."""
    parts = [
        files.get(key, {"accessURL": value}) if isinstance(key, str) else value
        for key, value in _distributions(item).items()
    ]
    return {**item, "distribution": parts} if parts else item


def _renamed(value: Any) -> Any:
    """Return a record under the names of data.json."""
    if isinstance(value, list):
        return [_renamed(item) for item in value]
    if not isinstance(value, dict):
        text = clean_text(value)
        return "" if text in ("~", "null") else _FREQUENCY.sub("http://purl.org/cld/freq/", text)
    renamed = {_NAMES.get(name, name): _renamed(item) for name, item in value.items()}
    if "@" in str(value.get("email", "")):
        renamed["hasEmail"] = f"mailto:{str(value['email']).removeprefix('mailto:')}"
    return renamed
