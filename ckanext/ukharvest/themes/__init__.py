"""The theme of a dataset: from its source, a person or its words.

The harvest writes what ``choice.choose`` returns. A theme that anything else wrote counts as a
person's choice: it stays until it is cleared, or until a forced run of a source that names a theme
itself. What was saved with the dataset's last write tells the two apart (``themes/model.py``).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.values import local_government_lists, multivalue, theme_names
from ckanext.ukharvest.core.values.local_government_lists import FUNCTION, SERVICE
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.dataset_schema import choices
from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.harvest.lists import PROBLEMS, OwnRow
from ckanext.ukharvest.mapping.form_fields import takes
from ckanext.ukharvest.mapping.package_mapper import Defaults
from ckanext.ukharvest.themes import choice as themes
from ckanext.ukharvest.themes.choice import Choice, Ranked, Reason, ThemeFacts
from ckanext.ukharvest.themes.model import DatasetTheme, themes_of

PRIMARY, SECONDARY = "theme-primary", "theme-secondary"
# In the context of a harvest's write: its Decision.
DECISION = "ukharvest_theme_decision"
MOST_REASONS = 10  # reasons stored per theme; the rest only adds to its score

Themes = tuple[str, tuple[str, ...]]  # main theme, further ones
NONE: Themes = ("", ())
Before = tuple[Themes, str]  # themes at the last write, and their origin


@dataclass(frozen=True, slots=True)
class ThemeDecision:
    """What the harvest writes: the theme's origin, and the reasons for each theme."""

    origin: str
    choice: Choice


def set_themes(
    package: dict[str, Any],
    existing: Mapping[str, Any] | None,
    schema: Collection[str],
    defaults: Defaults,
    *,
    forced: bool = False,
    by_hook: Collection[str] = (),
) -> dict[str, Any]:
    """Set the themes of a package dict that the harvest will write.

    Args:
        package: as mapped; changed in place.
        existing: the dataset as package_show gives it, None for a new one.
        schema: names of the dataset type's own fields.
        forced: ignore a person's choice if the source itself names a theme.
        by_hook: names of fields that other extensions' hooks have set: these stay.

    Returns:
        The value for the context of the write, and problems of the record.
    """
    old = stored_themes(existing) if existing else NONE
    before = themes_of(existing["id"]) if existing else None
    is_by_person = before is not None and before[1] == themes.PERSON
    protected = {PRIMARY, SECONDARY}.intersection(defaults.not_overwrite) if old[0] else set()
    default = stored_themes(defaults.extras)
    own = default if protected else stored_themes(package)
    is_default = own[0] == default[0]
    choice = themes.choose(collect_theme_facts(package, () if is_default else (own[0], *own[1])))
    fallback = own if is_default else default
    is_supplied = choice.origin == themes.SOURCE or bool(fallback[0])
    stays = PRIMARY in protected or (is_by_person and not (forced and is_supplied))
    decided, origin = _decide(choice, old, before, fallback, stays=stays)
    if PRIMARY in by_hook:
        decided, origin = own, themes.SOURCE
    if SECONDARY in protected:
        decided = decided[0], tuple(name for name in old[1] if name != decided[0])
    written, problems = _write(package, decided, schema, by_hook)
    decision = ThemeDecision(origin if written[0] else "", choice)
    if existing and is_by_person and decision.origin != themes.PERSON:
        # CKAN 2.12 calls no plugin after a write that changes nothing.
        dataset_rows.lock_dataset(existing["id"])
        row = {"package_id": existing["id"], **_row(written, decision)}
        dataset_rows.save_own_rows(DatasetTheme, [row])
    return {DECISION: decision, PROBLEMS: problems}


def _decide(
    choice: Choice,
    old: Themes,
    before: Before | None,
    fallback: Themes,
    *,
    stays: bool,
) -> tuple[Themes, str]:
    """Return the themes to write, and their origin.

    A choice that stays comes first, then what is certain of the record, the source's default, and
    a theme that was written without our hook, such as by the harvester that had this source before;
    words alone suggest one only where there is none of these.
    """
    is_known = before is not None and before[0] == old
    if old[0] and stays:
        return old, before[1] if before and is_known else themes.PERSON
    if choice.origin in ("", themes.WORDS) and (fallback[0] or (old[0] and not is_known)):
        return (fallback, themes.SOURCE) if fallback[0] else (old, themes.PERSON)
    return (choice.primary, choice.secondary), choice.origin


def columns(context: Mapping[str, Any], package: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of ``DatasetTheme`` for a package dict that was written."""
    now = stored_themes(package)
    decision = context.get(DECISION)
    if decision is None:
        before = themes_of(package["id"])
        origin = before[1] if before and before[0] == now else themes.PERSON
        decision = ThemeDecision(
            origin if now[0] else "", themes.choose(collect_theme_facts(package))
        )
    return _row(now, decision)


def _row(now: Themes, decision: ThemeDecision) -> dict[str, Any]:
    return {
        "theme": now[0],
        "theme_secondary": list(now[1]),
        "theme_origin": decision.origin,
        "themes": [
            {
                "theme": ranked.theme,
                "score": ranked.score,
                "reasons": [
                    [reason.kind, reason.text[:200], reason.where, reason.points]
                    for reason in ranked.reasons[:MOST_REASONS]
                ],
            }
            for ranked in decision.choice.ranking
        ],
    }


BEFORE_WRITE = (set_themes,)
WITH_WRITE = (OwnRow(DatasetTheme, columns),)


def ranking_of(rows: Sequence[Mapping[str, Any]]) -> tuple[Ranked, ...]:
    """Return the ranking from the rows that ``columns`` stored."""
    return tuple(
        Ranked(row["theme"], row["score"], tuple(Reason(*reason) for reason in row["reasons"]))
        for row in rows
    )


def collect_theme_facts(package: Mapping[str, Any], labels: Sequence[str] = ()) -> ThemeFacts:
    """Return the facts that decide a dataset's theme.

    Args:
        package: package dict, or the form's values.
        labels: themes that its source names besides those of its extras.
    """
    facts = _extras(package)
    tags = tuple(str(tag.get("name", "")) for tag in package.get("tags") or ())
    topics = dict.fromkeys(_texts(facts.get("topic-category")))
    named = (*filter(None, labels), *_texts(facts.get("dcat_subject")))
    inspire = _texts(facts.get("inspire-themes"))
    if not inspire and str(facts.get("UKLP", "")).casefold() == "true":
        inspire = tuple(tag for tag in tags if theme_names.of_inspire(tag)[0])
    find = local_government_lists.find
    return ThemeFacts(
        title=str(package.get("title") or ""),
        notes=str(package.get("notes") or ""),
        tags=tags,
        themes=tuple(text for text in named if text not in topics),
        functions=find(_texts(facts.get("la_function")), FUNCTION).functions,
        services=find(_texts(facts.get("la_service")), SERVICE).services,
        inspire=inspire,
        topics=tuple(topics),
    )


def stored_themes(package: Mapping[str, Any]) -> Themes:
    """Return main theme and further ones of a package dict, as stored names if they have one."""
    facts = _extras(package)
    names = [
        theme_names.find(text) or text
        for text in (clean_text(facts.get(PRIMARY)), *_texts(facts.get(SECONDARY)))
    ]
    return names[0], tuple(dict.fromkeys(name for name in names[1:] if name and name != names[0]))


def _texts(value: Any) -> tuple[str, ...]:
    """Return the texts of a field: a list, a JSON list, or one text."""
    return tuple(filter(None, multivalue.texts(value)))


def _extras(package: Mapping[str, Any]) -> dict[str, Any]:
    """Return extras and the dataset's own fields, which a schema may have in their place."""
    extras = {
        extra["key"]: extra["value"]
        for extra in package.get("extras") or ()
        if not extra.get("deleted") and extra.get("state") != "deleted"
    }
    return {**extras, **{key: value for key, value in package.items() if value}}


def _write(
    package: dict[str, Any], decided: Themes, schema: Collection[str], by_hook: Collection[str]
) -> tuple[Themes, tuple[Problem, ...]]:
    """Put themes into a package dict, as the portal's form spells them.

    Args:
        by_hook: names of fields that stay as they are.

    Returns:
        The themes that the dataset has now, and problems of those that the form does not take.
    """
    primary, style = _spelled(decided[0], PRIMARY, schema)
    spelled = {name: _spelled(name, SECONDARY, schema, style)[0] for name in decided[1]}
    further = list(filter(None, spelled.values())) if primary else []
    is_text = not choices(SECONDARY) or SECONDARY not in schema
    secondary: Any = json.dumps(further) if further and is_text else further
    values = {PRIMARY: primary, SECONDARY: secondary}
    values = {key: value for key, value in values.items() if key not in by_hook}
    extras = [extra for extra in package["extras"] if extra["key"] not in values]
    for key, value in values.items():
        package.pop(key, None)
        if value and key in schema:
            package[key] = value
        elif value:
            extras.append({"key": key, "value": value})
    package["extras"] = sorted(extras, key=lambda extra: extra["key"])
    if PRIMARY in by_hook:
        return decided, ()
    refused = [decided[0]] if decided[0] and not primary else []
    refused += [name for name in decided[1] if primary and not spelled[name]]
    left = (decided[0], tuple(filter(spelled.get, decided[1]))) if primary else NONE
    return left, tuple(map(_not_taken, refused))


def _not_taken(name: str) -> Problem:
    message = f"{PRIMARY}: this portal has no theme '{shorten(name)}', so the theme is left out"
    return Problem("theme-not-taken", PRIMARY, message)


def _spelled(name: str, key: str, schema: Collection[str], style: int = 0) -> tuple[str, int]:
    """Return a theme as a portal's field spells it, "" if the field does not take it.

    CKAN would refuse the dataset otherwise. The field's choices decide, else its validators, else,
    of an extra, the portal's list of themes.

    Args:
        style: for an extra: the place of the spelling among ``theme_names.spellings``.

    Returns:
        The spelling, and its place among them.
    """
    spellings = theme_names.spellings(name)
    if not name or key not in schema:
        return spellings[min(style, len(spellings) - 1)], style
    if allowed := choices(key):
        alike = (text for text in allowed if theme_names.find(text) == name)
        spelled = name if name in allowed else next(alike, "")
    else:
        texts = {text: json.dumps([text]) if key == SECONDARY else text for text in spellings}
        spelled = next((text for text in spellings if takes(schema, key, texts[text])), "")
    return spelled, spellings.index(spelled) if spelled in spellings else style
