"""Pages: ckanext-harvest's routes that change state, asked for first.

Its own routes act on GET, without a CSRF token: a link in a mail or a crawler with a session is
enough to delete a source. Ours stand at the same addresses before them; GET answers a form that
says what will happen, POST acts. Links of its templates lead to the form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import ckan.plugins.toolkit as tk
from ckanext.harvest.logic import HarvestJobExists, HarvestSourceInactiveError
from ckanext.harvest.model import HarvestJob
from flask import Blueprint

from ckanext.ukharvest import config
from ckanext.ukharvest.model import datasets
from ckanext.ukharvest.pages import source_frame
from ckanext.ukharvest.pages.common import check_token, context
from ckanext.ukharvest.pages.source_frame import find
from ckanext.ukharvest.words.numbers import ungettext

steps = Blueprint("ukharvest", __name__)


@dataclass(frozen=True, slots=True)
class Step:
    """One action that changes state.

    Attributes:
        auth: name of the function that says who may.
        id_key: what that function calls the id of what it is about.
        question: the page's heading; names {title}.
        effects: what will happen, by the number of the source's datasets.
        button: the word on the button.
        act: does it and returns the message for the next page.
        removes: it takes datasets away for good: the source's name has to be typed.
    """

    auth: str
    id_key: str
    question: Callable[[], str]
    effects: Callable[[int], str]
    button: Callable[[], str]
    act: Callable[[dict[str, Any], str], str]
    removes: bool = False


def _refresh(context: dict[str, Any], id_: str) -> str:
    try:
        tk.get_action("ukharvest_run_create")(context, {"source_id": id_, "mode": _mode()})
    except tk.ValidationError as exc:
        if exc.__cause__ is not None:  # what ckanext-harvest said
            raise exc.__cause__ from exc
        raise
    minutes = config.schedule_tick_minutes()
    return ungettext(
        "Refresh asked for. It will start within {n} minute.",
        "Refresh asked for. It will start within {n} minutes.",
        minutes,
    )


def _mode() -> str:
    return "force" if tk.request.values.get("mode") == "force" else "normal"


def _switch_off(context: dict[str, Any], id_: str) -> str:
    tk.get_action("harvest_source_delete")(context, {"id": id_})
    return str(tk._("Switched off. Its datasets stay as they are."))


def _switch_on(context: dict[str, Any], id_: str) -> str:
    tk.get_action("harvest_source_patch")(context, {"id": id_, "state": "active"})
    return str(tk._("Switched on."))


def _clear(context: dict[str, Any], id_: str) -> str:
    count = tk.get_action("harvest_source_clear")(context, {"id": id_})["deleted"]
    return ungettext("{n} dataset was removed.", "{n} datasets were removed.", count)


def _switch_off_and_clear(context: dict[str, Any], id_: str) -> str:
    context["clear_source"] = True
    tk.get_action("harvest_source_delete")(context, {"id": id_})
    return str(tk._("Switched off. Its datasets were removed."))


def _stop(context: dict[str, Any], id_: str) -> str:
    stopped = tk.get_action("ukharvest_run_stop")(context, {"id": id_})
    if stopped["ended"]:
        return str(tk._("The run is stopped. What it had brought in stays."))
    return str(tk._("Stop asked for. What is being read or brought in now is finished first."))


STEPS = {
    "refresh": Step(
        "harvest_job_create",
        "source_id",
        lambda: tk._("Refresh {title}?"),
        lambda count: ungettext(
            "New and changed records are brought in. {n} dataset comes from this source now.",
            "New and changed records are brought in. {n} datasets come from this source now.",
            count,
        ),
        lambda: tk._("Refresh source"),
        _refresh,
    ),
    "force": Step(
        "harvest_job_create",
        "source_id",
        lambda: tk._("Bring in every record of {title} again?"),
        lambda count: ungettext(
            "Unchanged records are brought in as well. Edits made on this site are lost, and "
            "datasets that were deleted here by hand come back. {n} dataset comes from this "
            "source now.",
            "Unchanged records are brought in as well. Edits made on this site are lost, and "
            "datasets that were deleted here by hand come back. {n} datasets come from this "
            "source now.",
            count,
        ),
        lambda: tk._("Force full run"),
        _refresh,
    ),
    "switch_off": Step(
        "harvest_source_delete",
        "id",
        lambda: tk._("Switch off {title}?"),
        lambda count: ungettext(
            "It is not harvested any more, and only those who look after it find it. Its {n} "
            "dataset stays. It can be switched on again.",
            "It is not harvested any more, and only those who look after it find it. Its {n} "
            "datasets stay. It can be switched on again.",
            count,
        ),
        lambda: tk._("Switch off"),
        _switch_off,
    ),
    "switch_on": Step(
        "harvest_source_update",
        "id",
        lambda: tk._("Switch on {title}?"),
        lambda count: ungettext(
            "It is harvested again. {n} dataset comes from it now.",
            "It is harvested again. {n} datasets come from it now.",
            count,
        ),
        lambda: tk._("Switch on"),
        _switch_on,
    ),
    "clear": Step(
        "harvest_source_clear",
        "id",
        lambda: tk._("Remove all datasets of {title}?"),
        lambda count: ungettext(
            "{n} dataset is removed for good, with all that is known of earlier runs. The "
            "source stays: its next run makes the dataset anew, under a new address.",
            "{n} datasets are removed for good, with all that is known of earlier runs. The "
            "source stays: its next run makes the datasets anew, under new addresses.",
            count,
        ),
        lambda: tk._("Remove all"),
        _clear,
        removes=True,
    ),
    "switch_off_and_clear": Step(
        "harvest_source_delete",
        "id",
        lambda: tk._("Switch off {title} and remove all its datasets?"),
        lambda count: ungettext(
            "{n} dataset is removed for good, with all that is known of earlier runs, and "
            "the source is not harvested any more.",
            "{n} datasets are removed for good, with all that is known of earlier runs, and "
            "the source is not harvested any more.",
            count,
        ),
        lambda: tk._("Switch off and remove all"),
        _switch_off_and_clear,
        removes=True,
    ),
    "abort": Step(
        "harvest_job_abort",
        "id",
        lambda: tk._("Stop the run of {title}?"),
        lambda _count: tk._(
            "Records that are not brought in yet are left for the next run; what is in stays, and "
            "nothing is deleted."
        ),
        lambda: tk._("Stop the run"),
        _stop,
    ),
}


def _answer(step: Step, source: dict[str, Any], about: str = "") -> Any:
    """Ask on GET, act on POST.

    Args:
        source: as ``source_frame.find`` returns it.
        about: id of what the step is about, if that is not the source.
    """
    about = about or source["id"]
    try:
        tk.check_access(step.auth, context(), {step.id_key: about})
        if tk.request.method != "POST":
            return _form(step, source)
        check_token()
        if step.removes and (errors := _objections(source)):
            return _form(step, source, errors)
        tk.h.flash_success(step.act(context(), about))
    except tk.ObjectNotFound as exc:
        return tk.abort(404, str(exc) or tk._("Not found"))
    except tk.NotAuthorized:
        return tk.abort(403, tk._("Not authorised to do this"))
    except HarvestSourceInactiveError:
        tk.h.flash_error(tk._("The source is switched off: switch it on first."))
    except HarvestJobExists:
        tk.h.flash_notice(_on_its_way(source["id"]))
    except tk.ValidationError as exc:
        tk.h.flash_error("; ".join(str(each) for each in exc.error_summary.values()))
    return tk.redirect_to("harvest.read", id=source["name"])


def _on_its_way(source_id: str) -> str:
    shown = tk.get_action("ukharvest_source_show")(context(), {"source_id": source_id})
    heading = shown.get("heading", "").lower()
    text = tk._("A run is already on its way ({state}). Nothing was added.")
    return str(text.format(state=heading))


def _objections(source: dict[str, Any]) -> list[str]:
    """Return why a form does not do, in words: it is not of what there is now, or no name in it."""
    sent = tk.request.form
    if sent.get("count") != str(_count(source)):
        return [tk._("The source has changed since: look at the number again.")]
    if sent.get("name", "").strip().casefold() != source["name"].casefold():
        return [tk._("Type the name of the source: {name}").format(name=source["name"])]
    return []


def _form(step: Step, source: dict[str, Any], errors: Sequence[str] = ()) -> str:
    count = _count(source)
    return source_frame.render(
        "ukharvest/confirm.html",
        source,
        question=step.question().format(title=f"“{source['title']}”"),
        effects=step.effects(count),
        button=step.button(),
        removes=step.removes,
        count=count,
        errors=errors,
    )


def _count(source: dict[str, Any]) -> int:
    return datasets.of_sources([source["id"]]).get(source["id"], 0)


@steps.route("/harvest/refresh/<id>", methods=["GET", "POST"])
def refresh(id: str) -> Any:  # noqa: A002 - the name in ckanext-harvest's routes
    return _answer(STEPS["force" if _mode() == "force" else "refresh"], find(id))


@steps.route("/harvest/<id>/switch-off", methods=["GET", "POST"])
def switch_off(id: str) -> Any:  # noqa: A002
    return _answer(STEPS["switch_off"], find(id))


@steps.route("/harvest/<id>/switch-on", methods=["GET", "POST"])
def switch_on(id: str) -> Any:  # noqa: A002
    return _answer(STEPS["switch_on"], find(id))


@steps.route("/harvest/clear/<id>", methods=["GET", "POST"])
def clear(id: str) -> Any:  # noqa: A002
    return _answer(STEPS["clear"], find(id))


@steps.route("/harvest/delete/<id>", methods=["GET", "POST"])
def delete(id: str) -> Any:  # noqa: A002
    """What ckanext-harvest calls deleting a source is switching it off."""
    clears = tk.request.args.get("clear", "").lower() in ("true", "1")
    return _answer(STEPS["switch_off_and_clear" if clears else "switch_off"], find(id))


@steps.route("/harvest/<source>/job/<id>/abort", methods=["GET", "POST"])
def job_abort(source: str, id: str) -> Any:  # noqa: A002
    found = find(source)
    job = HarvestJob.get(id)
    if job is None or job.source_id != found["id"]:
        return tk.abort(404, tk._("There is no run of this source with this id."))
    return _answer(STEPS["abort"], found, id)
