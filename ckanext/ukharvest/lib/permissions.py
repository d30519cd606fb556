"""Permissions of the current user, and the source or dataset that a request names."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, TypeVar

import sqlalchemy as sa
from ckan import authz, model
from ckan.plugins import toolkit as tk
from ckanext.harvest.model import HarvestJob, HarvestSource
from flask import g, has_request_context

from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.harvest.gather import objects
from ckanext.ukharvest.harvest.model import SourceState
from ckanext.ukharvest.harvest.records import record_history
from ckanext.ukharvest.harvest.run import runs
from ckanext.ukharvest.harvest.run.runs import RunRow

T = TypeVar("T")
LONGEST_NUMBER = 18  # digits that always fit into PostgreSQL's bigint
# Who may do what: the words of every refusal, English.
LOG_IN = _("Log in to do this.")
MEMBERS = _("Only members of the organisation may see this.")
EDITORS = _("Only editors of the organisation may do this.")
ADMINISTRATORS = _("Only administrators of the organisation may do this.")
SYSADMINS = _("Only sysadmins may do this.")
_KEPT = "ukharvest_once"  # an attribute of the application context, of pages alone


def begin_page() -> None:
    """Let ``once`` keep values while a request that only reads is answered.

    Not in consumers and commands: they have one request context, made up by ckanext-harvest, for
    their whole life. Not in a POST: it can change what was loaded.
    """
    setattr(g, _KEPT, {} if tk.request.method in ("GET", "HEAD") else None)


def end_page(_exc: BaseException | None) -> None:
    """Forget what ``once`` kept."""
    setattr(g, _KEPT, None)


def once(key: Hashable, load: Callable[[], T]) -> T:
    """Return ``load()``; while a page is made, the value of its first call."""
    known: dict[Any, Any] | None = getattr(g, _KEPT, None) if has_request_context() else None
    if known is None:
        return load()
    if key not in known:
        known[key] = load()
    return known[key]  # type: ignore[no-any-return]


def not_found() -> tk.ObjectNotFound:
    """Return the error of an action for a name, id or number that nothing has."""
    return tk.ObjectNotFound(tk._("Nothing has this name or id."))


def may(context: Any, action: str, **data: str | None) -> bool:
    """Tell whether the user may call an action, by the action's own auth function.

    Args:
        context: action context of the user; with ``ignore_auth`` everything is allowed.
        action: name of the action.
        data: data_dict for the auth function, most often ``id``.

    Raises:
        ObjectNotFound: there is no object of this name or id.
    """
    if context.get("ignore_auth"):
        return True
    question = ("may", action, context.get("user") or "", *sorted(data.items()))
    return once(question, lambda: _asked(action, context, data))


def may_if_exists(context: Any, action: str, **data: str | None) -> bool:
    """Do the same as ``may``, but return False if the object does not exist."""
    try:
        return may(context, action, **data)
    except tk.ObjectNotFound:
        return False


def readable_organisations(context: Any) -> list[str] | None:
    """Return ids of the organisations whose private datasets the user may read, None for all."""
    user = context.get("user") or ""
    if context.get("ignore_auth") or authz.is_sysadmin(user):
        return None
    return sorted({id_ for id_, _role in roles_of(user)})


def may_harvest(user: str) -> bool:
    """Tell whether the user may add or edit sources of some organisation."""
    if authz.is_sysadmin(user):
        return True
    may_manage = authz.get_roles_with_permission("update_dataset")
    return any(role in may_manage for _id, role in roles_of(user))


def roles_of(user: str) -> set[tuple[str, str]]:
    """Return organisation id → role of a user."""
    return once(("roles", user), lambda: _load_roles(user))


def _load_roles(user: str) -> set[tuple[str, str]]:
    """Return active organisation id → role of a user; two statements.

    Roles that cascade on this portal also count in the organisations below.
    """
    query = (
        sa.select(model.Member.group_id, model.Member.capacity)
        .join(model.Group, model.Group.id == model.Member.group_id)
        .join(model.User, model.User.id == model.Member.table_id)
        .where(
            model.Member.table_name == "user",
            model.Member.state == "active",
            model.Group.is_organization,
            model.Group.state == "active",
            model.User.name == user,
        )
    )
    roles = {(row[0], row[1]) for row in model.Session.execute(query)}
    cascading = authz.check_config_permission("roles_that_cascade_to_sub_groups")
    tops = {role: [id_ for id_, own in roles if own == role] for role in cascading or ()}
    for role, ids in tops.items():
        if ids:
            roles |= {(row[0], role) for row in model.Session.execute(_BELOW, {"ids": ids})}
    return roles


# A member row of type organisation names the organisation below (ckanext-hierarchy).
_BELOW = sa.text(
    """
    WITH RECURSIVE below(id) AS (
        SELECT group_id FROM member
         WHERE table_id = ANY (CAST(:ids AS text[])) AND table_name = 'group' AND state = 'active'
         UNION
        SELECT member.group_id FROM member
          JOIN below ON member.table_id = below.id
         WHERE member.table_name = 'group' AND member.state = 'active'
    )
    SELECT id FROM below
    """
)


def _asked(action: str, context: Any, data: dict[str, Any]) -> bool:
    # A separate context: auth functions store what they load in the one that they get.
    own = {"user": context.get("user") or "", "model": model, "session": model.Session}
    if "auth_user_obj" in context:
        own["auth_user_obj"] = context["auth_user_obj"]
    try:
        tk.check_access(action, own, data)
    except tk.NotAuthorized:
        return False
    return True


TYPE = "harvest"  # CKAN's dataset type of sources; also the first part of their URLs


class SourceRow(NamedTuple):
    """A source with its dataset and organisation, the portal's notice and the stored schedule."""

    package: model.Package
    source: HarvestSource
    organization: model.Group | None
    notice: str
    schedule: dict[str, Any] | None


def source_of(data_dict: dict[str, Any]) -> HarvestSource:
    """Return the source that ``source_id`` names, by id or name.

    Raises:
        ValidationError: there is no ``source_id``.
        ObjectNotFound: there is no such source.
    """
    return source_row_of(data_dict).source


def source_row_of(data_dict: dict[str, Any]) -> SourceRow:
    """Return the source that ``source_id`` names, with its dataset and organisation."""
    row = source_row(str(tk.get_or_bust(data_dict, "source_id")))
    if row is None:
        raise not_found()
    return row


def source_row(name_or_id: str) -> SourceRow | None:
    """Return a source with its dataset and organisation, by name or id."""
    row = once(("source", name_or_id), lambda: _load_row(name_or_id))
    if row is not None:
        once(("source", row.package.id), lambda: row)
        once("notice", lambda: row.notice)
    return row


def _load_row(name_or_id: str) -> SourceRow | None:
    """Return a source by name or id, None if there is none; one statement."""
    row = (
        model.Session.query(
            *(model.Package, HarvestSource, model.Group),
            *(database.note_column(database.NOTICE), SourceState.schedule),
        )
        .join(HarvestSource, HarvestSource.id == model.Package.id)
        .outerjoin(SourceState, SourceState.source_id == model.Package.id)
        .outerjoin(model.Group, model.Group.id == model.Package.owner_org)
        .filter(sa.or_(model.Package.id == name_or_id, model.Package.name == name_or_id))
        .first()
    )
    return SourceRow(*row) if row else None


def run_row(job_id: str) -> RunRow:
    """Return a run by its id.

    Raises:
        ObjectNotFound: there is no such run.
    """
    row = once(("run", job_id), lambda: runs.load_row(job_id))
    if row is None:
        raise not_found()
    return row


def is_number(text: str) -> bool:
    """Tell whether a text is a number that a record could have."""
    return text.isdecimal() and len(text) <= LONGEST_NUMBER


def find_record(number: Any) -> record_history.Found:
    """Return a record of a source by its number.

    Raises:
        ObjectNotFound: there is no such record.
    """
    digits = str(number)
    record = record_history.find_record(int(digits)) if is_number(digits) else None
    if record is None:
        raise not_found()
    return record


def find_unended_run(source_id: str) -> str:
    """Return the id of the source's run that has not ended, "" if there is none."""
    query = model.Session.query(HarvestJob.id).filter(
        HarvestJob.source_id == source_id, HarvestJob.status.in_(objects.UNENDED)
    )
    return str((query.first() or ("",))[0])


def run_first() -> str:
    """Return why something has to wait for the end of a run."""
    return str(tk._("A run of this source has not ended. Wait for it, or stop it."))


def clearing_first() -> str:
    """Return why something has to wait while a source is cleared."""
    return str(
        tk._("The source is being cleared, or a run of it is being started. Try again in a minute.")
    )


def dataset_of(name_or_id: str) -> model.Package:
    """Return the dataset of this name or id.

    Raises:
        ObjectNotFound: there is no such dataset.
    """
    package = model.Package.get(name_or_id)
    if package is None:
        raise not_found()
    return package


def organisation_of(name_or_id: str) -> model.Group:
    """Return an active organisation; raise ObjectNotFound if there is none."""
    group = model.Group.get(name_or_id)
    if group is None or not group.is_organization or group.state != "active":
        raise not_found()
    return group


def load_visible_source(context: Any, source_id: str) -> model.Package | None:
    """Return the source as a dataset if the user may see its page, else None."""
    package = model.Package.get(source_id)
    if package is None:
        return None
    may = may_see_source(context, source_id, is_private=package.private, state=package.state)
    return package if may else None


def title_of(source_id: str | None) -> str:
    """Return a source's title, or else its name; "" if there is no such source."""
    package = model.Package.get(source_id) if source_id else None
    return (package.title or package.name) if package else ""


def count_datasets(source_id: str) -> int:
    """Return the number of a source's datasets."""
    return dataset_rows.of_sources([source_id]).get(source_id, 0)


def is_run_of(job_id: str, source_id: str) -> bool:
    """Tell whether the run exists and is of this source."""
    job = HarvestJob.get(job_id)
    return job is not None and job.source_id == source_id


def newest_run(source_id: str) -> str | None:
    """Return the id of the source's latest run, None if it has none."""
    runs = model.Session.query(HarvestJob.id).filter_by(source_id=source_id)
    newest = runs.order_by(HarvestJob.created.desc()).first()
    return str(newest[0]) if newest else None


def may_see_source(context: Any, source_id: str, *, is_private: bool, state: str) -> bool:
    """Tell whether the user may see the page of a source; public, active ones need no query."""
    is_open = state == "active" and not is_private
    return is_open or may_if_exists(context, "package_show", id=source_id)


def is_insider(context: Any, source_id: str) -> bool:
    """Tell whether the user may see a source's runs and errors, because they may update it.

    True with ``ignore_auth`` in the context.
    """
    return may_if_exists(context, "harvest_source_update", id=source_id)
