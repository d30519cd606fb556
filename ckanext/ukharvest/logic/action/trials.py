"""Look at a source without changing anything: before it is saved, or between two runs."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import authz
from redis.exceptions import RedisError

from ckanext.ukharvest import config, trial_job
from ckanext.ukharvest.check.trial import failed
from ckanext.ukharvest.core.moments import iso
from ckanext.ukharvest.core.problem_words import LOST, PROBLEM, STOP
from ckanext.ukharvest.logic import trial_rules
from ckanext.ukharvest.logic.source_state import type_label
from ckanext.ukharvest.logic.sources import source_of
from ckanext.ukharvest.model import Trial, trials
from ckanext.ukharvest.words import trials as words
from ckanext.ukharvest.words.problems import shown


def ukharvest_source_test(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Look at a source that is not saved: its first records as they would arrive. Who may save it.

    A background worker reads at most 20 records, for at most a minute, and writes nothing. A
    user's earlier test that is still under way ends; there may be ten a minute.

    :param source_type: name of the source type, such as ``data_json``
    :type source_type: string
    :param url: address of the source
    :type url: string
    :param config: its options as JSON, as harvest_source_create takes them (optional)
    :type config: string
    :param id: id or name of the saved source whose form is tested (optional)
    :type id: string

    :returns: as :py:func:`ukharvest_trial_show`, which to ask for what was found
    :rtype: dictionary
    """
    source = source_of({"source_id": data_dict["id"]}) if data_dict.get("id") else None
    tk.check_access("ukharvest_source_test", context, {"id": source and source.id})
    user = context["user"]
    given = trial_rules.checked(user, data_dict, source)
    trial_rules.check_number(user)
    trials.stop_tests(user)
    trials.forget_tests(user)
    return _started(trials.add(user, **given), context, at_front=True)


def ukharvest_source_check(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Look at all of a saved source, for ten minutes at most: what its next run would do.

    Nothing is written. While one is under way it is returned, and no other begins; a user may have
    one of all sources under way, a portal three.

    :param source_id: id or name of the harvest source
    :type source_id: string

    :returns: as :py:func:`ukharvest_trial_show`
    :rtype: dictionary
    """
    source = source_of(data_dict)
    tk.check_access("ukharvest_source_check", context, {"source_id": source.id})
    if source.type not in config.our_type_names():
        message = tk._("Sources of this type cannot be looked at; only a run shows what they hold.")
        raise tk.ValidationError({"source_id": [message]})
    if under_way := trials.check_under_way(source.id):
        return _shown(under_way, context)
    user = context["user"]
    trial_rules.check_number(user)
    trial_rules.check_queue(user)
    trials.forget_checks(source.id)
    added = trials.add(
        user,
        source_id=source.id,
        source_type=source.type,
        url=source.url,
        config=source.config or "",
    )
    return _started(added, context, at_front=False)


@tk.side_effect_free
def ukharvest_trial_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show how far a test or a check of a source is, and what it found. Kept for a day.

    :param id: as :py:func:`ukharvest_source_test` or :py:func:`ukharvest_source_check` returned
        it (optional)
    :type id: string
    :param source_id: in place of it, id or name of a saved source: its latest check (optional)
    :type source_id: string

    :returns: ``id``, ``source_id`` (None of an unsaved one), ``source_type``, ``type_label``,
        ``url``, ``created``, ``finished``, ``state`` ("waiting", "running", "done" or "stopped"),
        ``stage``, ``done`` (records read), ``heading`` and ``text`` (sentences) for people,
        ``workers`` and ``before`` (jobs in the queue) while it waits, and ``result`` when it is
        done: ``verdict`` ("yes", "problems", "no" or "unfinished"), ``over`` (why it ended before
        the source's end: "time", "size", "enough", "stopped", "worker" or "queue" (nobody came),
        "fault"), ``count`` of records and ``count_is_exact``, ``read``, ``complete`` and
        ``reason``, ``seconds``,
        ``estimate_seconds`` of a first run, ``fates`` and ``changes`` ({word: number}),
        ``takes_over`` (datasets here that a first run would adopt),
        ``sample`` of records, ``problems`` [{``code``, ``title``, ``tip``, ``severity``,
        ``records``, ``occurrences``, ``examples``}], ``error`` {``code``, ``title``, ``message``,
        ``tip``, ``url``, ``line``} or None, ``detected_type`` and ``suggested_url`` to use
        instead, ``asked``: requests and their answers, ``excerpt`` of the last, and
        ``is_inside``: an answer came from the portal's own network, of which only sysadmins are
        shown size, type and excerpt
    :rtype: dictionary
    """
    if data_dict.get("source_id") and not data_dict.get("id"):
        source = source_of(data_dict)
        tk.check_access("ukharvest_source_check", context, {"source_id": source.id})
        trial = trials.latest_check(source.id)
        if trial is None:
            raise tk.ObjectNotFound(tk._("This source has not been checked since yesterday."))
        return _shown(trial, context)
    return _shown(_found(context, data_dict), context)


def ukharvest_trial_stop(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Stop a test or a check of a source; what was found until then is kept.

    :param id: of the trial
    :type id: string

    :returns: as :py:func:`ukharvest_trial_show`
    :rtype: dictionary
    """
    trial = _found(context, data_dict)
    trials.stop(trial.id)
    return _shown(trials.get(trial.id) or trial, context)


def _found(context: Any, data_dict: dict[str, Any]) -> Trial:
    trial = trials.get(str(tk.get_or_bust(data_dict, "id")))
    if trial is None:
        raise tk.ObjectNotFound(tk._("There is no such test; they are kept for a day."))
    tk.check_access("ukharvest_trial_show", context, {"trial": trial})
    return trial


def _started(trial: Trial, context: Any, *, at_front: bool) -> dict[str, Any]:
    try:
        trial_job.enqueue(trial.id, at_front=at_front)
    except RedisError as exc:
        trials.stop(trial.id)
        message = tk._("The queue of background jobs is out of reach; a sysadmin has to mend it.")
        raise tk.ValidationError({"test": [message]}) from exc
    return _shown(trial, context)


def _shown(trial: Trial, context: Any) -> dict[str, Any]:
    state, result, finished = trial.state, trial.result, trial.finished
    if trials.is_lost(trial):
        over = "worker" if state == trials.RUNNING else "queue"
        state, result = trials.DONE, failed(None, over=over)
        finished = trial.heartbeat or trial.created
    is_check = trial.source_id is not None
    sees_inside = authz.is_sysadmin(context.get("user"))
    answer = {
        "id": trial.id,
        "source_id": trial.source_id,
        "source_type": trial.source_type,
        "type_label": type_label(trial.source_type),
        "url": trial.url,
        "created": iso(trial.created),
        "finished": iso(finished),
        "state": state,
        "stage": trial.stage,
        "done": trial.done,
        "heading": words.heading(state, result, is_check=is_check),
        "result": result and _in_words(result, sees_inside=sees_inside),
    }
    if state in trials.UNDER_WAY:
        most = 0 if is_check else trial_job.BUDGET.records
        answer["text"] = [words.progress(state, trial.stage, trial.done, most=most)]
    else:
        answer["text"] = words.sentences(result, is_check=is_check) if result else []
    if state == trials.WAITING:
        answer |= trial_job.queue_before(trial.id)
    return answer


def _in_words(result: dict[str, Any], *, sees_inside: bool) -> dict[str, Any]:
    """Add what codes mean, in the reader's language; leave out what only sysadmins are shown."""
    found = {**result, "problems": [{**each, **_of(each)} for each in result["problems"]]}
    if error := result["error"]:
        found["error"] = {**error, **_of({**error, "severity": STOP})}
    if result["detected_type"]:
        found["detected_label"] = type_label(result["detected_type"])
    if result.get("is_inside") and not sees_inside:
        found["excerpt"] = ""
        found["asked"] = [{**each, "media_type": "", "size": 0} for each in found["asked"]]
    return found


def _of(problem: dict[str, Any]) -> dict[str, str]:
    severity = problem["severity"]
    said = shown(problem["code"], severity if severity in (STOP, LOST) else PROBLEM)
    return {"title": said.title, "tip": " ".join(filter(None, (said.wanted, said.tip)))}
