"""Masks for what differs between two recordings of the same portal: ids, times, tokens, ports."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import platform
import re
import zlib
from typing import Any

import sqlalchemy as sa
from ckan import model

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_MONTHS = "January February March April May June July August September October November December"
_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in _MONTHS.split())
_CLOCK = r"\d{1,2}:\d\d(?::\d\d)?(?:\.\d+)?(?: ?[ap]\.?m\.?)?"
_DAY = r"(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? )?"
_DATE = re.compile(
    rf"(?P<iso>\b20\d\d-\d\d-\d\d)(?:(?:[T ]|%20)\d\d(?::|%3A)\d\d(?:(?::|%3A)\d\d)?(?:\.\d+)?)?"
    r"(?:Z|\+00:?00)?"
    rf"|{_DAY}\b(?P<day>\d{{1,2}}) (?P<month>{_MONTH}) (?P<year>20\d\d)(?:(?:,| at)* {_CLOCK})?"
    rf"|{_DAY}\b(?P<month2>{_MONTH}) (?P<day2>\d{{1,2}}), (?P<year2>20\d\d)(?:(?:,| at)* {_CLOCK})?"
)
_UNIT = "(?:ms|s|seconds?|minutes?|min|hours?|h)"
_PLAIN = (
    (re.compile(r'(name="_csrf_token" value=")[^"]*'), r"\1‹token›"),
    (re.compile(r'(name="(?:since|version)" value=")[0-9a-f]{16}'), r"\1‹hash›"),
    (re.compile(r"eyJ[\w-]+\.[\w-]+\.[\w-]+"), "‹token›"),
    (re.compile(r"(/unsubscribe/)[\w.-]+"), r"\1‹token›"),
    (re.compile(rf"\b(today|tomorrow|yesterday)(,| at)* {_CLOCK}", re.I), "‹time›"),
    (re.compile(rf"\b(?!03:00\b){_CLOCK}\b(?: ?UTC)?"), "‹clock›"),
    (re.compile(r"\bT?\d{2}:\d{2}:\d{2}(\.\d+)?\b"), "‹clock›"),
    (re.compile(rf"\b\d+(\.\d+)? ?{_UNIT}\b(?: \d+ {_UNIT}\b)*"), "‹duration›"),
    (re.compile(r"(?:\b[Jj]ust now\b|(?:\b\d+ days?|‹duration›) ago\b)"), "‹ago›"),
    (re.compile(r"\bin (?:\d+ days?\b|‹duration›)"), "in ‹duration›"),
    (re.compile(r"(/webassets/[\w-]+/)[0-9a-f]{8}"), r"\1‹hash›"),
    (re.compile(r"(127\.0\.0\.1|localhost):\d{4,5}"), r"\1:‹port›"),
    (re.compile(r"0x[0-9a-f]{6,}"), "‹address›"),
    (re.compile(rf"\b{re.escape(platform.node())}:\d+"), "‹machine›:‹process›"),
    (re.compile(rf"\b{re.escape(platform.node())}\b"), "‹machine›"),
    (re.compile(r"\b\d+(\.\d+)? ?[kKMG]i?B\b"), "‹size›"),
)
_NAMED = """
SELECT id, 'dataset ' || name FROM package UNION ALL
SELECT id, 'group ' || name FROM "group" UNION ALL
SELECT id, 'user ' || name FROM "user" UNION ALL
SELECT r.id, 'resource ' || r.position || ' of ' || p.name
  FROM resource r JOIN package p ON p.id = r.package_id UNION ALL
SELECT j.id, 'run ' || row_number() OVER (PARTITION BY j.source_id ORDER BY j.created, j.id)
  || ' of ' || coalesce(p.name, '?') FROM harvest_job j LEFT JOIN package p ON p.id = j.source_id
UNION ALL
SELECT o.id, 'object ' || o.guid || ' ' || row_number() OVER (
    PARTITION BY o.harvest_source_id, o.guid ORDER BY o.gathered, o.id)
  || ' of ' || coalesce(p.name, '?')
  FROM harvest_object o LEFT JOIN package p ON p.id = o.harvest_source_id
"""
# The list of tables by their sizes, which PostgreSQL estimates.
_SIZES = re.compile(
    r'(?s)<tbody[^>]*>((?:(?!</tbody>).)*data-label="Rows \(estimate\)".*?)</tbody>'
)
_ESTIMATE = re.compile(r'(?s)(data-label="Rows \(estimate\)">)\s*[\d,]+')
# Columns and keys whose values are random, or differ with the machine.
_SECRET = re.compile(
    r"password|apikey|_version_|indexed_ts|salt$|token|seconds$|duration|bytes$|package_hash|index_id"
)
_HASH = re.compile("[0-9a-f]{16}")
# Lists in no order: of pending deletions, and of errors as ckanext-harvest counts them.
_UNORDERED = {"guids", "gather_error_summary", "object_error_summary"}


class Masks:
    """Replaces ids by the names of what they stand for, and times near the recording's."""

    def __init__(self) -> None:
        self._began = dt.datetime.now(dt.timezone.utc).date()
        self._names: dict[str, str] = {}

    def learn(self) -> None:
        """Load the names of all ids that the portal has now."""
        model.Session.remove()
        with model.meta.engine.connect() as connection:
            self._names.update(map(tuple, connection.execute(sa.text(_NAMED))))

    def text(self, text: str) -> str:
        """Return a text with masks."""
        text = UUID.sub(lambda match: f"‹{self._names.get(match[0], 'id')}›", text)
        text = _DATE.sub(self._date, text)
        for pattern, mask in _PLAIN:
            text = pattern.sub(mask, text)
        return text

    def value(self, value: Any) -> Any:
        """Return a JSON value with masks; sorted keys, embedded JSON as values."""
        if isinstance(value, dict):
            for key in _UNORDERED & value.keys():
                if isinstance(value[key], list):
                    value = {**value, key: sorted(value[key], key=str)}
            pairs = sorted((self.text(str(key)), each) for key, each in value.items())
            return {
                key: "‹masked›" if _is_random(key, each) else self.value(each)
                for key, each in pairs
            }
        if isinstance(value, list) and all(map(_is_size, value)):
            value = sorted(({**each, "bytes": 0, "rows": 0} for each in value), key=str)
        if isinstance(value, (list, tuple)):
            return [self.value(each) for each in value]
        if isinstance(value, str):
            if value.startswith("\\x78"):  # bytes that zlib made
                value = zlib.decompress(bytes.fromhex(value[2:])).decode()
            if value[:1] in ("{", "["):
                with contextlib.suppress(ValueError):
                    return {"json": self.value(json.loads(value))}
            return self.text(value)
        if isinstance(value, (int, float, bool)) or value is None:
            return value
        return self.text(str(value))

    def html(self, body: str) -> list[str]:
        """Return a page's text and tags, one a line, without CKAN's frame."""
        title = re.search(r"<title>(.*?)</title>", body, re.S)
        _, start, main = body.partition('<div class="main')
        if start:
            main, _, _ = main.partition('<footer class="site-footer')
            body = f"<title>{title[1] if title else ''}</title>{start}{main}"
        body = _SIZES.sub(_by_name, self.text(body))
        lines = re.split(r"(<[^>]*>)", body)
        return [line for line in (" ".join(each.split()) for each in lines) if line]

    def _date(self, match: re.Match[str]) -> str:
        if match["iso"]:
            found = match["iso"]
        else:
            month = (match["month"] or match["month2"])[:3]
            number = [name[:3] for name in _MONTHS.split()].index(month) + 1
            day = int(match["day"] or match["day2"])
            found = f"{match['year'] or match['year2']}-{number:02}-{day:02}"
        try:
            days = (dt.date.fromisoformat(found) - self._began).days
        except ValueError:
            return match[0]
        return "‹time›" if -8 <= days <= 400 else match[0]


def _is_random(key: str, value: Any) -> bool:
    """Tell whether a key's value is; of versions, the hash of a state: there are ids in it."""
    is_hash = key == "version" and isinstance(value, str) and _HASH.fullmatch(value)
    return value not in (None, "") and bool(is_hash or _SECRET.search(key))


def _is_size(value: Any) -> bool:
    """Tell whether a value is an entry of the same list as JSON."""
    return isinstance(value, dict) and {"name", "bytes", "rows"} == value.keys()


def _by_name(match: re.Match[str]) -> str:
    """Return the rows of a table, in the order of their text, without estimates."""
    rows = re.findall(r"(?s)<tr.*?</tr>", match[1])
    plain = (_ESTIMATE.sub(r"\1‹rows›", row.replace(" is-zero", "")) for row in rows)
    return f"<tbody>{''.join(sorted(plain))}</tbody>"
