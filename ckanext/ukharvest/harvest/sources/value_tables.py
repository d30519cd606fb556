"""Which organisation, groups, licence, theme … a record's values become: tables, and other sites'.

A source's own rows come before those of its option ``organisations``, and these before the
portal's. With the option ``remote_orgs`` the organisations of the portal are rows too, by name and
title. Each record stores the values that it came with and what they became; when the tables change,
those that would come out differently are imported again, and no others (``mark_outdated``).
"""

from __future__ import annotations

import hashlib
import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckan.plugins import toolkit as tk

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core.fingerprint import canonical_json
from ckanext.ukharvest.core.outcomes import RecordOutcome
from ckanext.ukharvest.core.records import DatasetRecord, Problem, RemoteGroup
from ckanext.ukharvest.core.values.tags import slug
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.harvest.database import ensure_source_state
from ckanext.ukharvest.harvest.model import Record, SourceState, ValueMapping
from ckanext.ukharvest.harvest.records import record_rows
from ckanext.ukharvest.mapping import record_values
from ckanext.ukharvest.mapping.record_values import GROUP, OF_PORTAL, ORGANISATION, fold

log = logging.getLogger(__name__)
Session = model.Session

CREATE, ONLY_LOCAL = "create", "only_local"


@dataclass
class ValueTable:
    """The rows that apply to a source.

    Attributes:
        ours: field and folded value → organisation's id, group's name, or value here.
        missing: the same → what a row names and the portal lacks.
        others: fields of rows that are none of ``record_values.FIELDS``.
        options: the source's.
    """

    options: Mapping[str, Any]
    ours: dict[tuple[str, str], str] = field(default_factory=dict)
    missing: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def others(self) -> frozenset[str]:
        """Return the fields of rows that are extras."""
        return record_values.other_fields({name for name, _value in self.ours})

    @property
    def digest(self) -> str:
        """Return a hash of the rows, "" without any."""
        if not self.ours:
            return ""
        text = canonical_json(sorted([*key, ours] for key, ours in self.ours.items()))
        return hashlib.blake2b(text.encode("utf-8"), digest_size=8).hexdigest()

    def find(self, field: str, text: str) -> str:
        """Return what a publisher's value becomes, "" if no row has it."""
        ours = self.ours.get((field, fold(text)), "")
        if not ours and field == ORGANISATION and self.options["remote_orgs"]:
            return self.ours.get((field, slug(text)), "")  # the name of one that was created
        return ours

    def apply(self, record: DatasetRecord) -> tuple[record_values.MappedValues, str]:
        """Return a record with the portal's values, and the id of its organisation or "".

        Creates the organisation if the source's options say so; commits then.
        """
        owner, problems = self._find_owner(record)
        mapped = record_values.map_values(record, self.find, self.others)
        problems += self._lost_groups(mapped)
        record = replace(mapped.record, problems=(*mapped.record.problems, *problems))
        return mapped._replace(record=record), owner

    def _find_owner(self, record: DatasetRecord) -> tuple[str, tuple[Problem, ...]]:
        texts = list(record_values.publishers(record))
        if owner := next(filter(None, (self.find(ORGANISATION, text) for text in texts)), ""):
            return owner, ()
        keys = ((ORGANISATION, fold(text)) for text in texts)
        if lost := next(filter(None, map(self.missing.get, keys)), ""):
            return "", (_not_here(lost),)
        policy, parent = self.options["remote_orgs"], self.options["parent_organisation"]
        group, problems = map_organisation(record, policy, parent)
        if group is None:
            return "", problems
        owner = str(group.id)  # created just now: it is a row from now on, as it is for later runs
        self.ours |= {(ORGANISATION, fold(key)): owner for key in (owner, group.name, group.title)}
        return owner, problems

    def has_group(self, group: RemoteGroup) -> bool:
        """Tell whether a row has a group of the site that a record came from."""
        return any(self.find(GROUP, text) for text in (group.name, group.title))

    def _lost_groups(self, mapped: record_values.MappedValues) -> tuple[Problem, ...]:
        keys = ((GROUP, fold(text)) for text in mapped.stored.get(GROUP, ()))
        lost = dict.fromkeys(filter(None, map(self.missing.get, keys)))
        return check_groups(lost, "groups")


def load(source_id: str | None, options: Mapping[str, Any]) -> ValueTable:
    """Return the rows that apply to a source.

    Args:
        source_id: None: without those of its own table.
        options: of the source, validated.
    """
    row = ValueMapping
    query = (
        sa.select(row.source_id, row.field, row.value, row.ours)
        .where(sa.or_(row.source_id.is_(None), row.source_id == source_id))
        .order_by(row.id)
    )
    rows: dict[bool, dict[tuple[str, str], str]] = {True: {}, False: {}}
    for of_source, name, value, text in Session.execute(query):
        rows[of_source is not None][name, fold(value)] = text
    option = {(ORGANISATION, fold(name)): text for name, text in options["organisations"].items()}
    every = {**rows[False], **option, **rows[True]}
    table = ValueTable(options)
    for key, text in every.items():
        if key[0] not in OF_PORTAL:
            table.ours[key] = text
    for name in OF_PORTAL:
        named = {key: text for key, text in every.items() if key[0] == name}
        has_all = name == ORGANISATION and bool(options["remote_orgs"])
        if named or has_all:
            here, titles = _groups_here(is_organization=name == ORGANISATION)
            if has_all:
                table.ours |= {(name, fold(text)): id_ for text, id_ in (titles | here).items()}
            table.missing |= {key: text for key, text in named.items() if text not in here}
            table.ours |= {key: here[text] for key, text in named.items() if text in here}
    return table


def _groups_here(*, is_organization: bool) -> tuple[dict[str, str], dict[str, str]]:
    """Return id and name → an organisation's id, or a group's name; and unique title → that."""
    group = model.Group
    query = sa.select(group.id, group.name, group.title).where(
        group.is_organization.is_(is_organization), group.state == "active"
    )
    rows = list(Session.execute(query))
    keys = [(id_ if is_organization else name, id_, name) for id_, name, _title in rows]
    titles = Counter(fold(title or "") for _id, _name, title in rows)
    return (
        {text: key for key, *texts in keys for text in texts},
        {
            title: key
            for (key, *_texts), (_id, _name, title) in zip(keys, rows, strict=True)
            if title and titles[fold(title)] == 1
        },
    )


def find_outdated(source_id: str, options: Mapping[str, Any]) -> set[int]:
    """Return the ids of the records that the tables have come to concern since their last import.

    Costs two statements, unless the tables changed.
    """
    table = load(source_id, options)
    return _find_outdated(source_id, table) if _has_changed(source_id, table) else set()


def _has_changed(source_id: str, table: ValueTable) -> bool:
    """Tell whether a source's records were not compared with these rows yet."""
    state = Session.get(SourceState, source_id)
    return (state.values_digest if state else "") != table.digest


def _find_outdated(source_id: str, table: ValueTable) -> set[int]:
    is_imported = Record.outcome.in_([RecordOutcome.ADDED, RecordOutcome.UPDATED])
    of_source = (Record.source_id == source_id, is_imported)
    query = sa.select(Record.id, Record.source_values).where(*of_source)
    outdated = {id_ for id_, stored in Session.execute(query) if _differs(stored, table)}
    fields = sorted(table.others)
    if not fields:
        return outdated
    # Values of these fields are stored only where a table had them already.
    columns = (compat.dataset_extra(record_values.extra_of(name)) for name in fields)
    query = (
        sa.select(Record.id, *columns)
        .join(model.Package, model.Package.id == Record.package_id)
        .where(*of_source)
    )
    return outdated | {
        id_
        for id_, *texts in Session.execute(query)
        if any(table.find(name, text or "") for name, text in zip(fields, texts, strict=True))
    }


def _differs(stored: record_values.StoredValues | None, table: ValueTable) -> bool:
    if stored is None:  # imported by an earlier release
        return True
    return any(
        (ours or "") != table.find(field, text)
        for field, texts in stored.items()
        for text, ours in texts.items()
    )


def mark_outdated(source_id: str, options: Mapping[str, Any]) -> None:
    """Let the next runs import what the tables have come to concern, and only that; no commit."""
    table = load(source_id, options)
    if not _has_changed(source_id, table):
        return
    if ids := _find_outdated(source_id, table):
        record_rows.forget_content(ids)
    ensure_source_state(source_id).values_digest = table.digest


def _not_here(name: str) -> Problem:
    message = (
        f"organisations: there is no organisation '{shorten(name)}' on this portal; the dataset"
        " went to the source's own organisation"
    )
    return Problem("organisation-not-created", "organisations", message)


def map_organisation(
    record: DatasetRecord, policy: str, parent: str
) -> tuple[model.Group | None, tuple[Problem, ...]]:
    """Return this portal's organisation of a record, None for the source's own; and problems.

    It is that of the site that the record came from, else the publisher.

    Args:
        policy: "", "only_local" or "create".
        parent: name or id of the organisation that created ones become part of, "" for none.
    """
    remote = record.organisation or _of_publisher(record)
    if remote is None or not policy:
        return None, ()
    group, why = _ours(remote, policy, is_organization=True, parent=parent)
    if group:
        return group, ()
    if not why and record.organisation:
        return None, ()
    name = shorten(remote.name if record.organisation else remote.title)
    why = f"could not be created on this portal: {why}" if why else "is not on this portal"
    message = f"organization: '{name}' {why}; the dataset went to the source's own organisation"
    return None, (Problem("organisation-not-created", "organization", message),)


def _of_publisher(record: DatasetRecord) -> RemoteGroup | None:
    name = record.publisher.name if record.publisher else ""
    return RemoteGroup(name=slug(name), title=name) if name else None


def map_groups(
    remote: Iterable[RemoteGroup], policy: str
) -> tuple[tuple[str, ...], tuple[Problem, ...]]:
    """Return the names of this portal's groups, without those that are missing; and problems.

    Args:
        policy: "", "only_local" or "create".
    """
    names: dict[str, None] = {}
    problems = []
    for theirs in remote if policy else ():
        group, why = _ours(theirs, policy, is_organization=False)
        if group:
            names[str(group.name)] = None
        elif why:
            message = (
                f"groups: '{shorten(theirs.name)}' could not be created on this portal: {why}; the"
                " dataset is not in this group"
            )
            problems.append(Problem("group-not-created", "groups", message))
    return tuple(names), tuple(problems)


def check_groups(names: Iterable[str], field: str = "default_groups") -> tuple[Problem, ...]:
    """Return a problem for each of these groups that is not here.

    Args:
        field: the option or table that names them.
    """
    return tuple(
        Problem(
            "default-group-missing",
            field,
            f"{field}: there is no group '{shorten(name)}' on this portal; the dataset is"
            " not in this group",
        )
        for name in names
        if _find(RemoteGroup(name=name), is_organization=False) is None
    )


def _ours(
    remote: RemoteGroup, policy: str, *, is_organization: bool, parent: str = ""
) -> tuple[model.Group | None, str]:
    """Return the group of this portal; or None, and why it was not created ("": not asked for)."""
    group, why = _find(remote, is_organization=is_organization), ""
    if group is None and policy == CREATE and remote.name:
        why = _create(remote, is_organization=is_organization, parent=parent)
        # Another consumer may have created it at the same time.
        group = _find(remote, is_organization=is_organization)
    return group, why


def _find(remote: RemoteGroup, *, is_organization: bool) -> model.Group | None:
    for reference in filter(None, (remote.id, remote.name)):
        group = model.Group.get(reference)
        if group and group.state == "active" and group.is_organization == is_organization:
            return group
    return None


def _create(remote: RemoteGroup, *, is_organization: bool, parent: str) -> str:
    """Create an organisation or group with its remote id and name; commit.

    Returns:
        Why CKAN refused it, "" if it did not.
    """
    above = _find(RemoteGroup(name=parent), is_organization=True) if parent else None
    if parent and above is None:
        return f"there is no organisation '{shorten(parent)}' to create it below"
    action = "organization_create" if is_organization else "group_create"
    fields: dict[str, Any] = {
        "id": remote.id,
        "name": remote.name,
        "title": remote.title or remote.name,
        "groups": [{"name": above.name}] if above else [],
    }
    context = {"user": config.harvest_user(), "ignore_auth": True}
    try:
        tk.get_action(action)(context, {key: value for key, value in fields.items() if value})
    except (tk.ValidationError, sa.exc.IntegrityError) as exc:
        log.warning("%s of %s was refused: %s", action, remote, exc)
        compat.rollback()
        return _refusal(remote, exc)
    return ""


def _refusal(remote: RemoteGroup, exc: Exception) -> str:
    for reference in filter(None, (remote.id, remote.name)):
        if group := model.Group.get(reference):
            kind = "organisation" if group.is_organization else "group"
            state = "" if group.state == "active" else "deleted "
            return f"a {state}{kind} has this name or id"
    if isinstance(exc, tk.ValidationError):
        return shorten("; ".join(f"{key}: {text}" for key, text in exc.error_summary.items()))
    return "the database refused it"
