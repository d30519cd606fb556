"""Pages: a run, the problems of a source, and a record, also as CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from ckan import authz
from ckan.plugins import toolkit as tk
from flask import Blueprint, Response

from ckanext.ukharvest.core.errors import NotValid
from ckanext.ukharvest.core.outcomes import CHANGED, WITH_PROBLEMS, RecordState
from ckanext.ukharvest.core.problems.texts import Severity
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.datasets.records import load_text, source_of_record
from ckanext.ukharvest.lib import texts
from ckanext.ukharvest.lib.actions import collect_pages, context
from ckanext.ukharvest.lib.lookups import RUN_FIRST, is_number, newest_run
from ckanext.ukharvest.lib.pages import (
    abort_not_found,
    ask,
    ask_page,
    check_token,
    count_pages,
    csv_response,
)
from ckanext.ukharvest.lib.permissions import ADMINISTRATORS, may, roles_of
from ckanext.ukharvest.lib.slots import Slot
from ckanext.ukharvest.lib.texts import format_time
from ckanext.ukharvest.rendering.source_record import excerpt, lines_of_fields
from ckanext.ukharvest.runs.schema import LARGEST_LIST_OF_PROBLEMS, first_and_last_day
from ckanext.ukharvest.sources import pages as source_pages
from ckanext.ukharvest.sources.steps import describe_request

PER_PAGE = 50
ASKED = ("outcome", "code", "field", "q")  # URL parameters of the filter
Row = dict[str, Any]
# Values by which a list of records can be filtered, in the order of the page.
_FILTERS = (RecordState.LOST, WITH_PROBLEMS, *list(RecordState)[1:])


def source_tabs(base: str) -> list[tuple[str, str, str, tuple[str, ...]]]:
    """Return the tabs of a source's runs and problems, as the place ``source_tabs`` has them."""
    return [
        (tk._("Runs"), f"{base}/job", "clock-rotate-left", ()),
        (tk._("Problems"), f"{base}/problems", "stethoscope", (f"{base}/record",)),
    ]


SLOTS = (Slot("source_tabs", "", source_tabs),)


def list_records(
    address: Callable[..., str], csv: Callable[..., str], default: str = "", **of: str
) -> dict[str, Any]:
    """Return the page of records for the request, and the other variables of the template.

    Problems by kind (``groups``) are shown above the whole list; above those with one kind of
    problem only that.

    Args:
        address: returns the URL of the page with the given filter.
        csv: returns the URL of the CSV file for a problem's code.
        default: the outcome of a request without a filter; ``outcome=`` in its URL means all.
        of: ``source_id`` or ``job_id``.
    """
    wanted = {key: tk.request.args.get(key, "").strip() for key in ASKED}
    is_whole = not any(wanted.values())
    if is_whole and "outcome" not in tk.request.args:
        wanted["outcome"] = default
    records, number = ask_page("ukharvest_record_list", PER_PAGE, **of, **wanted)
    listed = records["listed"]

    def url(**more: Any) -> str:
        values = {**wanted, **more}
        always = ("outcome",) if default else ()
        return address(**{key: value for key, value in values.items() if value or key in always})

    is_part = number > 1 or not is_whole
    has_groups = not is_part or wanted["code"]
    groups = ask("ukharvest_problem_group_list", **of) if has_groups else []
    return {
        "groups": [group for group in groups if is_asked(group, wanted)],
        "is_part": is_part,
        "wanted": wanted,
        "records": records["results"],
        "count": records["count"],
        "total": sum(number for key, number in listed.items() if key != WITH_PROBLEMS),
        "listed": listed,
        # The outcomes with records, and the chosen one.
        "choices": [
            (key, name_of(key), listed.get(key, 0))
            for key in _FILTERS
            if key in listed or key == wanted["outcome"] != CHANGED
        ],
        "page": number,
        "pages": count_pages(records["count"], PER_PAGE, number),
        "url": url,
        "page_url": lambda number: url(page=number) + "#records",
        "address": address,
        "csv": csv,
    }


def is_asked(group: Row, wanted: Mapping[str, str]) -> bool:
    """Tell whether a group is of the code and field in a URL's parameters; "" stands for all."""
    return all(wanted[key] in ("", group[key]) for key in ("code", "field"))


def name_of(outcome: str) -> str:
    """Return the label of an outcome in the filter."""
    is_problems = outcome == WITH_PROBLEMS
    return str(tk._("With problems")) if is_problems else texts.find_label("record", outcome).text


runs = Blueprint("ukharvest_runs", __name__)

COLUMNS = (
    "run",
    "outcome",
    "severity",
    "code",
    "title",
    "message",
    "how_to_fix",
    "field",
    "line",
    "record_identifier",
    "record_title",
    "record_address",
    "record_page",
    "dataset_address",
    "accepted_until",
)


# These replace ckanext-harvest's routes, so links in its templates and emails lead here.
@runs.route("/harvest/<name>/job/<id>")
def run(name: str, id: str) -> str:  # noqa: A002 - as in the stock route
    source = source_pages.find_source(name)
    shown = _run_of(source, id)

    def address(view: str = "run", **asked: Any) -> str:
        return str(tk.url_for(f"ukharvest_runs.{view}", name=source["name"], id=id, **asked))

    return source_pages.render(
        "ukharvest/run.html",
        source,
        run=shown,
        listing=list_records(address, partial(address, "run_csv"), CHANGED, job_id=id),
    )


@runs.route("/harvest/<name>/job/last", endpoint="last")
def last_run(name: str) -> Any:
    source = source_pages.find_source(name)
    newest = newest_run(source["id"])
    if newest is None:
        return tk.abort(404, tk._("This source has not run yet."))
    return tk.redirect_to("ukharvest_runs.run", name=source["name"], id=newest)


@runs.route("/ckan-admin/ukharvest/runs")
def all_runs() -> str:
    """Show the runs of all sources, or those that failed: the list behind the dashboard."""
    if tk.current_user.is_anonymous:
        source_pages.refuse()
    is_failed = tk.request.args.get("failed") == "1"
    listed, number = ask_page("ukharvest_run_list", PER_PAGE, failed=is_failed)
    return str(
        tk.render(
            "ukharvest/all_runs.html",
            {
                "jobs": listed["results"],
                "count": listed["count"],
                "is_failed": is_failed,
                "number": number,
                "pages": count_pages(listed["count"], PER_PAGE, number),
            },
        )
    )


@runs.route("/harvest/<name>/job/<id>/problems.csv")
def run_csv(name: str, id: str) -> Response:  # noqa: A002
    source = source_pages.find_source(name)
    shown = _run_of(source, id)
    start = shown["started"] or shown["created"]
    return _csv(source, f"problems-{source['name']}-{start[:10]}", format_time(start), job_id=id)


@runs.route("/harvest/<name>/problems")
def problems(name: str) -> str:
    source = source_pages.find_source(name)

    def address(view: str = "problems", **asked: Any) -> str:
        return str(tk.url_for(f"ukharvest_runs.{view}", name=source["name"], **asked))

    csv = partial(address, "problems_csv")
    return source_pages.render(
        "ukharvest/problems.html",
        source,
        listing=list_records(address, csv, source_id=source["id"]),
        may_accept=may_accept(source),
    )


def may_accept(source: Row) -> bool:
    """Tell whether the user may accept problems of a source; most often without a query."""
    asker = context()
    roles = roles_of(asker["user"])
    if (source["owner_org"], "admin") in roles:
        return True
    # CKAN knows whether a parent organisation's administrator may.
    is_administrator = "admin" in {role for _id, role in roles}
    return (is_administrator or authz.is_sysadmin(asker["user"])) and may(
        asker, "ukharvest_problem_decide", source_id=source["id"]
    )


@runs.route("/harvest/<name>/problems/accept", methods=["GET", "POST"])
def accept(name: str) -> Any:
    """Ask why and until when a kind of problem is accepted; POST stores it, or lists it again."""
    source = source_pages.find_source(name)
    is_sent = tk.request.method == "POST"
    if is_sent:
        check_token()
    if not may(context(), "ukharvest_problem_decide", source_id=source["id"]):
        return tk.abort(403, tk._(ADMINISTRATORS))
    kind = {key: tk.request.values.get(key, "") for key in ("code", "field")}
    sent = {key: tk.request.form.get(key, "") for key in ("reason", "until", "new_records")}
    errors: dict[str, list[str]] = {}
    if is_sent:
        data = {"source_id": source["id"], "decision": "accept", **kind, **sent}
        data |= {"decision": "list"} if tk.request.form.get("decision") == "list" else {}
        try:
            tk.get_action("ukharvest_problem_decide")(context(), data)
        except tk.ValidationError as exc:
            errors = exc.error_dict
        if not errors.keys() & sent.keys():
            flash_decision(data["decision"], errors)
            return tk.redirect_to("ukharvest_runs.problems", name=source["name"])
    groups = ask("ukharvest_problem_group_list", source_id=source["id"])
    group = next((group for group in groups if is_open(group, **kind)), None)
    if group is None:
        tk.h.flash_notice(tk._("No record of this source has this problem."))
        return tk.redirect_to("ukharvest_runs.problems", name=source["name"])
    days = first_and_last_day()
    values = {"group": group, "sent": sent, "errors": errors, "days": days}
    return source_pages.render("ukharvest/accept_problem.html", source, **values)


def is_open(group: Row, code: str, field: str) -> bool:
    """Tell whether a group is of this kind, and can be accepted."""
    is_kind = (group["code"], group["field"]) == (code, field)
    return is_kind and group["can_be_accepted"] and not group["accepted"]


def flash_decision(decision: str, errors: dict[str, list[str]]) -> None:
    """Say on the next page what was stored, or why nothing was."""
    if errors:
        tk.h.flash_error(" ".join(text for messages in errors.values() for text in messages))
    elif decision == "accept":
        tk.h.flash_success(tk._("The problem is accepted. It is listed below under “Accepted”."))
    else:
        tk.h.flash_success(tk._("The problem is listed again."))


@runs.route("/harvest/<name>/problems.csv")
def problems_csv(name: str) -> Response:
    source = source_pages.find_source(name)
    return _csv(source, f"problems-{source['name']}", "", source_id=source["id"])


def _run_of(source: Row, id_: str) -> Row:
    shown: Row = ask("ukharvest_run_show", id=id_)
    if shown["source_id"] != source["id"]:
        abort_not_found()
    return shown


def _csv(source: Row, name: str, when: str, **of: str) -> Response:
    asked = {key: tk.request.args.get(key, "") for key in ("code", "field")}
    groups = ask("ukharvest_problem_group_list", **of)
    rows = collect_pages(
        lambda offset: ask(
            "ukharvest_problem_list", **of, **asked, limit=LARGEST_LIST_OF_PROBLEMS, offset=offset
        )
    )
    stops = _of_run(group for group in groups if is_asked(group, asked))
    records = (_of_record(source, row) for row in rows)
    lines = ({"run": when, **line} for line in (*stops, *records))
    return csv_response(lines, COLUMNS, name)


def _of_run(groups: Iterable[Row]) -> Iterator[Row]:
    """Yield lines without a record, with the errors that stopped the run."""
    nothing = dict.fromkeys(COLUMNS, "")
    for group in groups:
        if group["severity"] == Severity.STOP:
            few = {key: group[key] for key in ("severity", "code", "title")}
            few |= {"how_to_fix": group["tip"], "outcome": Severity.STOP}
            for example in group["examples"]:
                yield {**nothing, **few, "message": example["message"]}


def _of_record(source: Row, row: Row) -> Row:
    name, id_ = row["dataset_name"], row["record_id"]
    page = {"name": source["name"], "id": id_, "_external": True}
    return {
        **row,
        "line": row["line"] or "",
        "accepted_until": row["accepted_until"] or "",
        "how_to_fix": f"{row['tip']} {row['snippet']}".strip(),
        "record_page": tk.url_for("ukharvest_record.read", **page) if id_ else "",
        "record_identifier": row["guid"],
        "record_address": row["record_url"],
        "dataset_address": tk.url_for("dataset.read", id=name, _external=True) if name else "",
    }


record = Blueprint("ukharvest_record", __name__)


@record.route("/harvest/<name>/record/<id>", endpoint="read")
def read_record(name: str, id: str) -> str:  # noqa: A002 - as in other routes
    source = source_pages.find_source(name)
    number = _number(id)
    shown: dict[str, Any] = ask("ukharvest_record_show", id=number)
    _check(source, shown["source_id"])
    error = shown["error"]
    # Problems are of the last imported version; if the import failed, the text is newer.
    is_older = bool(error) and error["code"] != NotValid.code
    faults = [*([] if is_older else shown["problems"]), *([error] if error else [])]
    # Size 0: the text is not stored, or the user may not see it.
    text = load_text(number) if shown["content_size"] else ""
    places = lines_of_fields(text, {fault.get("field", "") for fault in faults})
    for fault in faults:
        fault["line"] = fault["line"] or places.get(fault.get("field", ""))
    lines = excerpt(text, {fault["line"] for fault in faults if fault["line"]}) if text else None
    values = {"record": shown, "excerpt": lines, "is_older": is_older}
    values["same_text"] = texts.describe_same(1)
    return source_pages.render("ukharvest/record.html", source, **values)


@record.route("/harvest/<name>/record/<id>", methods=["POST"], endpoint="run")
def import_record(name: str, id: str) -> Any:  # noqa: A002
    """Import the record again."""
    source = source_pages.find_source(name)
    number = _number(id)
    _check(source, source_of_record(number))
    check_token()
    try:
        run = tk.get_action("ukharvest_run_create")(context(), {"record_id": number})
    except tk.NotAuthorized as exc:
        return tk.abort(403, str(exc))
    except tk.ValidationError:
        tk.h.flash_notice(tk._(RUN_FIRST))
    else:
        tk.h.flash_success(describe_request(run, _("Run requested. It imports the record again.")))
    return tk.redirect_to(tk.h.url_for("ukharvest_record.read", name=source["name"], id=number))


def _number(text: str) -> int:
    """Return the number of a record in an address; abort with 404 if it is none."""
    return int(text) if is_number(text) else abort_not_found()


def _check(source: dict[str, Any], source_id: str | None) -> None:
    """Abort with 404 if a record is of another source."""
    if source_id != source["id"]:
        abort_not_found()
