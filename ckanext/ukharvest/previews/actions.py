"""Actions: start, show and stop tests; move a source after the test of its new URL."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

from ckan import authz, model
from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.http.urls import safe_url
from ckanext.ukharvest.core.outcomes import PreviewKind
from ckanext.ukharvest.core.problems.texts import PROBLEM
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest.background import PERSON, queue_position
from ckanext.ukharvest.harvest.consumers.failures import try_to_queue
from ckanext.ukharvest.harvest.gather import previews as source_previews
from ckanext.ukharvest.harvest.gather.previews import SourcePreview
from ckanext.ukharvest.harvest.sources.source_moves import move_records, preview_kind
from ckanext.ukharvest.lib import check_texts, schema
from ckanext.ukharvest.lib.lookups import CLEARING_FIRST, source_of
from ckanext.ukharvest.lib.schema import invalid
from ckanext.ukharvest.lib.texts import describe_problem
from ckanext.ukharvest.previews import auth as preview_auth
from ckanext.ukharvest.previews import jobs as preview_jobs
from ckanext.ukharvest.previews import moves as move_rules
from ckanext.ukharvest.previews import rules as preview_rules
from ckanext.ukharvest.previews import schema as preview_schema
from ckanext.ukharvest.previews import searches
from ckanext.ukharvest.previews import texts as preview_texts
from ckanext.ukharvest.previews.proposals import describe_proposals
from ckanext.ukharvest.reading.source_preview import failed
from ckanext.ukharvest.reading.type_detection import DATA
from ckanext.ukharvest.sources import approvals
from ckanext.ukharvest.sources import rules as source_rules
from ckanext.ukharvest.sources.description import type_label

Session = model.Session
_OF_SAVED = {"way": "url", "name": "", "schema": ""}


def show_preview(preview: SourcePreview, context: Any) -> dict[str, Any]:
    """Return a test as ``ukharvest_source_preview_show`` does."""
    kind, name = preview_kind(preview), preview.source_type
    state, result, finished = preview.state, preview.result, preview.finished
    if source_previews.is_lost(preview):
        over = "worker" if state == source_previews.RUNNING else "queue"
        state, result = source_previews.DONE, failed(None, over=over)
        finished = preview.heartbeat or preview.created
    if result:
        result = _with_texts(result, sees_inside=authz.is_sysadmin(context.get("user")))
    may_change = preview_auth.may_change(context, preview)
    is_open = authz.is_authorized_boolean(
        "ukharvest_source_preview_show", {"user": ""}, {"preview": preview}
    )
    label = tk._("Data with a schema") if name == DATA else name and type_label(name)
    shown = {
        "id": preview.id,
        "kind": kind.value,
        "source_id": preview.source_id,
        "source_type": name,
        "type_label": label,
        **{key: (preview.given or _OF_SAVED)[key] for key in _OF_SAVED},
        "url": preview.url if may_change or not preview.url else safe_url(preview.url),
        "config": preview.config if may_change else "",
        "may_change": may_change,
        "is_open": is_open,
        "created": iso(preview.created),
        "finished": iso(finished),
        "expires": iso(source_previews.preview_expiry(preview)),
        "state": state,
        "stage": preview.stage,
        "done": preview.done,
        "heading": preview_texts.heading(kind, state, result, label),
        "result": result,
        "proposals": [],
        "form_values": {},
    }
    if state == source_previews.WAITING:
        shown |= queue_position(PERSON + preview.id)
    if state in source_previews.UNDER_WAY:
        now = state, preview.stage, preview.done, shown.get("seconds")
        return {**shown, "text": [preview_texts.progress(*now)], "steps": preview_texts.steps(*now)}
    replaced = preview.stage == source_previews.REPLACED
    stopped = [tk._("It ended because another test was started.")] if replaced else []
    shown["text"] = [*stopped, *preview_texts.sentences(kind, result)]
    if kind == PreviewKind.TEST and preview_auth.may_add(context):
        shown["text"] += _taken(preview, result)
        shown["proposals"], shown["form_values"] = describe_proposals(context, result or {})
    if kind == PreviewKind.MOVE and result and result["move"]:
        result["move"] = move_rules.summary(preview)
    return shown


def _taken(preview: SourcePreview, result: dict[str, Any] | None) -> list[str]:
    """Return that another source has the URL and the options, as saving would say."""
    found, given = (result or {}).get("lookup") or {}, preview.given or {}
    own_id = (given.get("tried") or {}).get("source_id") or ""
    url = found.get("url") or preview.url
    other = url and source_rules.find_other_source(url, preview.config, own_id)
    return [other] if other else []


def _with_texts(result: dict[str, Any], *, sees_inside: bool) -> dict[str, Any]:
    """Add texts in the user's language; remove what only sysadmins may see.

    Args:
        sees_inside: the user may see what servers of the portal's own network answered.
    """
    held, error, report = result["held"], result["error"], result["report"]
    shown = {
        **result,
        "problems": [{**problem, **_texts_of(problem)} for problem in result["problems"]],
        "held": [{**field, "label": preview_texts.held_label(field["name"])} for field in held],
        "error": error and {**error, **_texts_of(error)},
    }
    if result["detected_type"]:
        shown["detected_label"] = type_label(result["detected_type"])
    if report:
        summary = check_texts.summarise(SimpleNamespace(**report))
        shown["report"] = {**report, "summary": summary}
    if result["is_inside"] and not sees_inside:
        asked = [{**request, "media_type": "", "size": 0} for request in shown["asked"]]
        shown |= {"excerpt": "", "asked": asked}
    return shown


def _texts_of(problem: dict[str, Any]) -> dict[str, str]:
    texts = describe_problem(problem["code"], PROBLEM, problem.get("field", ""))
    tip = " ".join(filter(None, (texts.wanted, texts.tip)))
    return {"title": texts.title, "tip": tip, "snippet": texts.snippet}


def ukharvest_source_preview_create(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Start a test: read a source, a text or a file without saving anything.

    Give ``source_id``, or one of ``url``, ``text`` and ``upload``. A background job reads.

    A saved source (``source_id``, for users who may update it) is read to its end, for up to ten
    minutes, and compared with what is here: as it is, or with ``url``, ``source_type`` or
    ``config`` as it would be there, which :py:func:`ukharvest_source_move` saves. One that is under
    way already is returned. A user can have one, a portal three at the same time.

    Anything else is for logged-in users, and for everybody if
    ``ckanext.ukharvest.check.visitors`` is set; ``config``, ``owner_org`` and ``id`` are for users
    who may add or update the source. With one of the last two the records of a URL also go through
    the portal's own form and other extensions' hooks, as in a run; nothing is saved. At most 20
    records are read, for up to a minute. Of a URL the type is found; users who may add sources need
    not have the exact one. A new test of a URL stops the one before. Everybody may start ten tests
    a minute.

    :param source_id: id or name of the saved source (optional)
    :type source_id: string
    :param near: with ``source_id`` alone: look for the source near its URL, on the same host, and
        compare what is there as at a new URL; once a day, unless it was broken off (optional,
        default: ``False``)
    :type near: bool
    :param url: URL to read (optional)
    :type url: string
    :param text: the text to read (optional)
    :type text: string
    :param upload: the file to read, sent as ``multipart/form-data`` (optional)
    :type upload: file
    :param source_type: name of a source type, such as ``data_json``, or ``data`` for data with a
        schema (optional, default: what is found; with ``source_id`` that of the source)
    :type source_type: string
    :param config: options of the source as JSON, as in harvest_source_create (optional, default:
        ""; with ``source_id`` those of the source)
    :type config: string
    :param id: id or name of the saved source whose form has ``url`` and ``config`` (optional)
    :type id: string
    :param owner_org: id or name of the organisation that a new source would belong to (optional)
    :type owner_org: string
    :param schema_url: URL of the schema of data (optional)
    :type schema_url: string
    :param schema_text: the schema itself (optional)
    :type schema_text: string
    :param schema_upload: file of the schema (optional)
    :type schema_upload: file

    :returns: as :py:func:`ukharvest_source_preview_show`, which returns the result later
    :rtype: dictionary
    """
    user = context.get("user") or ""
    if data_dict.get("source_id"):
        schema.refuse_both(data_dict, "source_id", "id")
        source = source_of(data_dict)
        tk.check_access("ukharvest_source_preview_create", context, {"id": source.id})
        if schema.validate(data_dict, preview_schema.source_search_schema())["near"]:
            return show_preview(searches.search(source, is_watched=True), context)
        preview, is_new = move_rules.add_dry_run(user, source, data_dict)
        return _start(preview, context) if is_new else show_preview(preview, context)
    source = source_of({"source_id": data_dict["id"]}) if data_dict.get("id") else None
    asked = {**data_dict, "id": source and source.id}
    tk.check_access("ukharvest_source_preview_create", context, asked)
    preview_rules.check_limits(user, of_saved=False)  # before any work: a refusal costs nothing
    columns = preview_rules.validate(user, data_dict, source)
    if user and columns["content"] is None:
        source_previews.stop_tests(user)
        source_previews.delete_tests(user)
    return _start(source_previews.add_preview(user, **columns), context)


@tk.side_effect_free
def ukharvest_source_preview_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show progress and result of a test, which are kept for a day.

    For everybody who has its id, unless a secret opened the source, the saved source is not public,
    or it is compared with datasets here (of a new URL, or of a first run): then for the user who
    started it and for users who may update the source.

    :param id: id of the test (optional)
    :type id: string
    :param source_id: instead of ``id``: id or name of a saved source, for its latest test
        (optional)
    :type source_id: string

    :returns: ``id``, ``kind`` ("test", "dry run" of a saved source, or "move": of another URL or
        type than the source has), ``source_id`` (None for an unsaved source), ``source_type``
        ("data" for data with a schema), ``type_label``, ``way`` ("url", "text" or "upload"),
        ``url`` and ``config`` (for users who may stop it), ``name`` (of the file), ``schema`` (its
        URL or file name), ``created``, ``finished``, ``expires`` (when it is deleted),
        ``is_open`` (everybody who has the id may see it), ``may_change`` (the user may stop it),
        ``state`` ("waiting", "running", "done" or "stopped"),
        ``stage``, ``done`` (number of records read), ``heading`` and ``text`` (sentences), until it
        ends ``steps`` [{``text``, ``state`` ("finished", "running" or "queued")}], while it waits
        ``workers``, ``before`` (jobs before it in the queue), ``running`` (what the
        workers are busy with: "links", "person" (a test of another person), "other" or "") and
        ``seconds`` in which it begins at the latest, or None,
        and when it is done ``result``: ``verdict`` ("yes", "problems", "no" or "unfinished"),
        ``over`` (why it ended before the end of the source: "time", "size",
        "enough", "stopped", "worker" or "queue" (no jobs worker), "fault"), ``count`` of records
        and ``count_is_exact``, ``read``, ``complete`` and ``reason``, ``seconds``,
        ``estimate_seconds`` of a first run, ``fates`` and ``changes`` ({word: number}),
        ``datasets`` (number of the source's datasets here), ``takes_over`` (number of datasets
        here that a first run would adopt), ``sample`` of records,
        ``problems`` [{``code``, ``title``, ``tip``, ``snippet``, ``severity``, ``records``,
        ``occurrences``, ``examples``}], ``error`` {``code``, ``title``, ``message``, ``tip``,
        ``url``, ``line``} or None, ``detected_type`` and ``suggested_url`` to use instead,
        ``move`` of a new URL: ``datasets``, ``same``, ``moved``, ``added``,
        ``missing`` (numbers of datasets and records), ``missing_datasets`` [{``guid``, ``title``,
        ``name``}]
        (the first 20), ``few_match``, ``refusal`` (why it cannot be moved, or "") and
        ``dropped`` (names of options that the new type does not have), else None;
        ``lookup`` (if no type was given: ``source_type``, ``url``, ``how`` it was found,
        ``site_title``, and ``why_not``: why the URL that was entered is no source, if another
        is), ``held``: what the records have, for filters [{``name``, ``label``, ``include`` and
        ``exclude`` (options that take the values), ``prefix`` (before each value there), ``of``
        (number of records), ``values`` [{``value``, ``title``, ``records``,
        ``choice`` ("only", "without" or "")}]}], ``refused`` (what the portal's own form refuses of
        a source: ``tried`` and ``records`` (numbers of records), ``fields`` [{``field``,
        ``records``, ``reasons`` [{``text``, ``records``}]}], ``examples`` [{``guid``, ``title``,
        ``fields`` {name: text}}]: the first 50, and one of each further kind; None if no record was
        tried), ``adopted`` (what a first run would change in the datasets that it adopts:
        ``unchanged`` and ``changed`` (numbers of datasets), ``missing`` (of those that the source
        does not list, None if unknown), ``fields`` [{``field``, ``of`` ("dataset" or "file"),
        ``records``, ``examples`` [{``name``, ``old``, ``new``}]}], ``files`` that go [{``name`` of
        the dataset, ``id``, ``title``, ``url``, ``reason``}] and ``files_count``; else None),
        ``asked``: requests and their responses,
        ``excerpt`` of the last, and ``is_inside``: a response came from the portal's own network
        (then only sysadmins get size, type and excerpt), and ``report`` of data with a schema, as
        in :py:func:`ukharvest_data_check_show`, else None. Users who may add sources also get
        ``proposals`` [{``name``, ``label``, ``value``, ``text``, ``reason``}] and ``form_values``
        for the form of a source.
    :rtype: dictionary
    """
    if data_dict.get("source_id"):
        schema.refuse_both(data_dict, "source_id", "id")
        source = source_of(data_dict)
        tk.check_access("ukharvest_source_preview_create", context, {"id": source.id})
        place = {"source_type": source.type, "url": source.url}
        latest = source_previews.latest_dry_run(source.id, **place)
        return show_preview(preview_auth.check_exists(latest), context)
    return show_preview(_load(context, data_dict, "ukharvest_source_preview_show"), context)


def ukharvest_source_preview_stop(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Stop a test; its result so far is kept.

    For the user who started it, of a saved source for users who may update it.

    :param id: id of the test
    :type id: string

    :returns: as :py:func:`ukharvest_source_preview_show`
    :rtype: dictionary
    """
    preview = _load(context, data_dict, "ukharvest_source_preview_stop")
    source_previews.stop_preview(preview.id)
    return show_preview(source_previews.find_preview(preview.id) or preview, context)


def _load(context: Any, data_dict: dict[str, Any], auth: str) -> SourcePreview:
    """Return the test of an id, if the user may do this with it."""
    id_ = str(tk.get_or_bust(data_dict, "id"))
    preview = preview_auth.check_exists(source_previews.find_preview(id_))
    tk.check_access(auth, context, {"preview": preview})
    return preview


def _start(preview: SourcePreview, context: Any) -> dict[str, Any]:
    if try_to_queue(partial(preview_jobs.enqueue, preview)) is None:
        source_previews.stop_preview(preview.id)
        raise invalid(
            "test",
            tk._("No background worker finished the test. Try again, or tell a sysadmin."),
        )
    return show_preview(preview, context)


def ukharvest_source_move(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Save the URL, type and options that were tested; the source's datasets and resources stay.

    For users who may update the source. Refused during a run of the source, without a test that
    read the new URL to its end, and if the source changed since. Where a sysadmin has to accept
    another host or type, the source only asks for that. To change a URL without a test,
    use harvest_source_patch: records that are identified by their URLs are then new ones.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param dry_run_id: id that :py:func:`ukharvest_source_preview_create` returned for another URL
        of the source
    :type dry_run_id: string
    :param even_if_few_match: move it even if fewer than half of its datasets are at the new URL
        (optional, default: ``False``)
    :type even_if_few_match: bool

    :returns: ``id`` and ``name`` of the source, ``url`` and ``source_type`` (new), ``datasets``,
        ``same``, ``moved`` and ``missing``: numbers as the test found them; ``is_asked``: it waits
        for a sysadmin, and all is as before
    :rtype: dictionary
    """
    source_id = source_of(data_dict).id
    tk.check_access("ukharvest_source_move", context, {"source_id": source_id})
    data = schema.validate(data_dict, preview_schema.source_move_schema())
    preview = source_previews.find_preview(data["dry_run_id"])
    is_own = preview is not None and preview.source_id == source_id
    preview = preview_auth.check_exists(preview if is_own else None)
    # The lock stops others from starting a run or saving the source until this is done.
    database.lock_source(source_id)
    try:
        if not database.hold_off_clearing(source_id):
            raise invalid("source_id", tk._(CLEARING_FIRST))
        move_rules.refuse(preview, even_if_few_match=data["even_if_few_match"])
        return _move(context, preview)
    except Exception:
        Session.rollback()
        raise


def _move(context: Any, preview: SourcePreview) -> dict[str, Any]:
    """Move records and source in one transaction, which saving the source commits."""
    preview_id, source_id, move = preview.id, preview.source_id, preview.result["move"]
    place = {"url": preview.url, "source_type": preview.source_type, "config": move["config"]}
    is_asked = approvals.is_asked(context, source_id, place["url"], place["source_type"])
    if not is_asked:
        move_records(source_id, move)
    own = {key: context[key] for key in ("user", "auth_user_obj", "ignore_auth") if key in context}
    own |= {"model": model, "session": Session}
    saved = tk.get_action("harvest_source_patch")(own, {"id": source_id, **place})
    if not is_asked:  # else it would be the latest test of the new URL
        source_previews.delete_preview(preview_id)
    return {
        "id": source_id,
        "name": saved["name"],
        "url": place["url"],
        "source_type": place["source_type"],
        **{key: move[key] for key in ("datasets", "same", "moved")},
        "missing": len(move["missing"]),
        "is_asked": is_asked,
    }
