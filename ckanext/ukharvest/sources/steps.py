"""Pages: ckanext-harvest's routes that change state, with a confirmation.

Its own routes act on GET, without a CSRF token: a link in a mail or a crawler with a session is
enough to delete a source. Ours replace them at the same URLs: GET shows a form that says what will
happen, POST acts. Links in its templates lead to the form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ckan.plugins import toolkit as tk
from ckanext.harvest.logic import HarvestJobExists
from flask import Blueprint

from ckanext.ukharvest.core.outcomes import RunMode
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.harvest_actions.actions import refuse_during_run
from ckanext.ukharvest.lib.actions import context
from ckanext.ukharvest.lib.lookups import count_datasets, is_run_of
from ckanext.ukharvest.lib.pages import abort_not_found, check_token
from ckanext.ukharvest.lib.texts import OTHERS_WAIT, gettext, ungettext
from ckanext.ukharvest.sources import pages as source_pages
from ckanext.ukharvest.sources.pages import find_source

steps = Blueprint("ukharvest", __name__)

# The page says whether it waits or reads.
RUN_REQUESTED = _("Run requested.")
RUN_WAITS = _(
    "The run was created, but the portal's queue cannot be reached. It starts by itself when the "
    "queue works again."
)
ALREADY_RUNNING = _("No run was started: one is waiting or running already.")
Act = Callable[[dict[str, Any], str], str]  # of a context and an id → message


@dataclass(frozen=True, slots=True)
class Step:
    """An action that changes state.

    Attributes:
        auth: names of the auth functions, which all have to allow it.
        title: heading of the page and text of its button, English.
        effects: sentences that say what will happen, English.
        act: does it and returns the message for the next page.
        removes: whether it deletes datasets for good: then the user has to type the source's name.
    """

    auth: tuple[str, ...]
    title: str
    effects: tuple[str, ...]
    act: Act
    removes: bool = False


def _refresh(context: dict[str, Any], id_: str) -> str:
    try:
        run = tk.get_action("ukharvest_run_create")(context, {"source_id": id_, "mode": _mode()})
    except tk.ValidationError as exc:
        if type(exc.__cause__) is HarvestJobExists:  # no error: what is asked for happens already
            raise exc.__cause__ from exc
        raise
    return describe_request(run)


def describe_request(run: Mapping[str, Any], requested: str = RUN_REQUESTED) -> str:
    """Return what the next page says of a run that was created.

    Args:
        run: as ``ukharvest_run_create`` returns it.
        requested: said of one that was sent to the gather consumer, English.
    """
    text = requested if run["queued"] else RUN_WAITS
    return str(tk._(text))


def _mode() -> str:
    return RunMode.FORCE if tk.request.values.get("mode") == RunMode.FORCE else RunMode.NORMAL


def _switch_off(context: dict[str, Any], id_: str) -> str:
    tk.get_action("harvest_source_delete")(context, {"id": id_})
    return str(tk._("Switched off"))


def _switch_on(context: dict[str, Any], id_: str) -> str:
    tk.get_action("harvest_source_patch")(context, {"id": id_, "state": "active"})
    return str(tk._("Switched on"))


def _clear(context: dict[str, Any], id_: str) -> str:
    deleted = tk.get_action("harvest_source_clear")(context, {"id": id_})["deleted"]
    return ungettext("{n} dataset was deleted.", "{n} datasets were deleted.", deleted)


def _switch_off_and_clear(context: dict[str, Any], id_: str) -> str:
    refuse_during_run(id_)  # before the source is switched off
    context["clear_source"] = True
    return _switch_off(context, id_)


def _stop(context: dict[str, Any], id_: str) -> str:
    is_ended = tk.get_action("ukharvest_run_stop")(context, {"id": id_})["ended"]
    stopped = tk._("The run was stopped. Records imported before that are kept.")
    return str(stopped if is_ended else tk._("Stopping"))


_HIDDEN = _("It will no longer be harvested, and only its editors can see it.")
_REMOVED = _("Its datasets are deleted for good, with the history of earlier runs.")
STEPS = {
    "refresh": Step(
        ("harvest_job_create",),
        _("Run now"),
        (_("Imports new and changed records."),),
        _refresh,
    ),
    "force": Step(
        ("harvest_job_create",),
        _("Run again in full"),
        (
            _(
                "Imports unchanged records too. Edits to fields that the source supplies are lost, "
                "and datasets that were deleted here by hand come back."
            ),
        ),
        _refresh,
    ),
    "switch_off": Step(
        ("harvest_source_delete",),
        _("Switch off"),
        (_HIDDEN, _("Its datasets are kept. You can switch it on again.")),
        _switch_off,
    ),
    "switch_on": Step(
        ("harvest_source_update",),
        _("Switch on"),
        (_("It will be harvested again."),),
        _switch_on,
    ),
    "clear": Step(
        ("harvest_source_clear",),
        _("Delete all its datasets"),
        (_REMOVED, _("The next run imports them again, with new URLs.")),
        _clear,
        removes=True,
    ),
    "switch_off_and_clear": Step(
        ("harvest_source_delete", "harvest_source_clear"),
        _("Switch off and delete all its datasets"),
        (_REMOVED, _HIDDEN),
        _switch_off_and_clear,
        removes=True,
    ),
    "abort": Step(
        ("ukharvest_run_stop",),
        _("Stop the run"),
        (
            _(
                "Records not imported yet are left for the next run. Imported records are kept, "
                "and nothing is deleted."
            ),
        ),
        _stop,
    ),
}


def _answer(step: Step, source: dict[str, Any], about: str = "") -> Any:
    """Show the confirmation on GET, act on POST.

    Args:
        source: as ``pages.find_source`` returns it.
        about: id of the object that the step changes, if that is not the source.
    """
    about = about or source["id"]
    try:
        for name in step.auth:
            tk.check_access(name, context(), {"id": about, "source_id": about})
        if tk.request.method != "POST":
            return _form(step, source)
        check_token()
        if step.removes and (errors := _objections(source)):
            return _form(step, source, errors)
        tk.h.flash_success(step.act(context(), about))
    except tk.ObjectNotFound:
        return abort_not_found()
    except tk.NotAuthorized as exc:
        return tk.abort(403, str(exc))
    except HarvestJobExists:
        tk.h.flash_notice(tk._(ALREADY_RUNNING))
    except tk.ValidationError as exc:
        tk.h.flash_error("; ".join(map(str, exc.error_summary.values())))
    return tk.redirect_to("harvest.read", id=source["name"])


def _objections(source: dict[str, Any]) -> list[str]:
    """Return errors of a sent form: the source has changed, or its name is not typed correctly."""
    sent = tk.request.form
    if sent.get("count") != str(count_datasets(source["id"])):
        return [tk._(OTHERS_WAIT)]
    if sent.get("name", "").strip().casefold() != source["name"].casefold():
        return [gettext("To go on, type the name of the source: {name}", name=source["name"])]
    return []


def _form(step: Step, source: dict[str, Any], errors: Sequence[str] = ()) -> str:
    count = count_datasets(source["id"])
    return source_pages.render(
        "ukharvest/confirm.html",
        source,
        step=step,
        count=count,
        errors=errors,
    )


@steps.route("/harvest/refresh/<id>", methods=["GET", "POST"])
def refresh(id: str) -> Any:  # noqa: A002 - the name in ckanext-harvest's routes
    return _answer(STEPS["force" if _mode() == RunMode.FORCE else "refresh"], find_source(id))


@steps.route("/harvest/delete/<id>", methods=["GET", "POST"])
def delete(id: str) -> Any:  # noqa: A002
    """Switch a source off, which ckanext-harvest calls deleting it."""
    clears = tk.request.args.get("clear", "").lower() in ("true", "1")
    return _answer(STEPS["switch_off_and_clear" if clears else "switch_off"], find_source(id))


@steps.route("/harvest/<source>/job/<id>/abort", methods=["GET", "POST"])
def job_abort(source: str, id: str) -> Any:  # noqa: A002
    shown_source = find_source(source)
    if not is_run_of(id, shown_source["id"]):
        return abort_not_found()
    return _answer(STEPS["abort"], shown_source, id)


for url, name in (
    ("/harvest/<id>/switch-off", "switch_off"),
    ("/harvest/<id>/switch-on", "switch_on"),
    ("/harvest/clear/<id>", "clear"),
):
    steps.add_url_rule(
        url,
        name,
        lambda id, step=STEPS[name]: _answer(step, find_source(id)),  # noqa: A006
        methods=["GET", "POST"],
    )
