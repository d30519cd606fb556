"""Check the data of resources against their schemas: the last part of a job that checks links."""

from __future__ import annotations

import hashlib
import io
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import IO, Any

import sqlalchemy as sa
from ckan.model import Session

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core.errors import Aborted, SourceError, Unreachable
from ckanext.ukharvest.core.http.client import MeteredClient
from ckanext.ukharvest.core.http.request import HttpLimits, Reply
from ckanext.ukharvest.core.link_states import growing_pause, host_of
from ckanext.ukharvest.core.records import Validators
from ckanext.ukharvest.core.values.text import clean_text, counted
from ckanext.ukharvest.data_checks import model as data_check_model
from ckanext.ukharvest.data_checks.model import Candidate, DataCheck, DataSchema
from ckanext.ukharvest.data_checks.texts import VERDICTS
from ckanext.ukharvest.harvest import background
from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.harvest.background import Shift, Work
from ckanext.ukharvest.harvest.http_client import open_metered_client
from ckanext.ukharvest.harvest.index import search_index
from ckanext.ukharvest.harvest.lists import FeatureFigures
from ckanext.ukharvest.schema_check.check import check_data
from ckanext.ukharvest.schema_check.files import read_schema
from ckanext.ukharvest.schema_check.report import (
    MIB,
    DataReport,
    Finding,
    FindingsCsv,
    Limits,
    Verdict,
    storable,
)
from ckanext.ukharvest.schema_check.tree_check import INSTALL

_PIECE = 1 << 20
_COPIED = ("verdict", "errors", "checked", "unit", "reason", "stopped", "schema_type")


def columns(report: DataReport, findings: Sequence[Finding] = ()) -> dict[str, Any]:
    """Return a report and all its findings."""
    stored = storable(report.as_dict())
    return {
        **{name: stored[name] for name in _COPIED},
        "report": stored,
        "findings": _as_csv(findings, report.place),
        "found": tables.utcnow(),
        "due": None,
        "faults": 0,
        "fault": "",
    }


def unchecked(reason: str, schema_checksum: str = "") -> dict[str, Any]:
    """Return that data were not read, and why."""
    nothing = dict.fromkeys(("checksum", "etag", "last_modified"), "")
    report = DataReport(Verdict.UNCHECKED, reason=reason)
    return {**columns(report), **nothing, "schema_checksum": schema_checksum}


def fault(before: DataCheck | None, message: str, days: int) -> dict[str, Any]:
    """Return that the data could not be read; an earlier result of the same data stays.

    Args:
        before: the last result of this URL and schema.
        message: why, as a sentence.
        days: the most days until the next attempt; it doubles with each failure.
    """
    faults = before.faults + 1 if before else 1
    due = tables.utcnow() + growing_pause(faults, days)
    again = {"faults": faults, "due": due, "fault": clean_text(message)}
    if before and before.checksum:
        return again
    return {**unchecked(f"The data cannot be read: {message}"), **again}


def describe_download(reply: Reply) -> dict[str, str]:
    """Return checksum and validators of a download."""
    digest = hashlib.sha256()
    reply.body.seek(0)
    while piece := reply.body.read(_PIECE):
        digest.update(piece)
    reply.body.seek(0)
    return {
        "checksum": digest.hexdigest(),
        "etag": clean_text(reply.validators.etag),
        "last_modified": clean_text(reply.validators.last_modified),
    }


def _as_csv(findings: Sequence[Finding], place: str) -> bytes | None:
    if not findings:
        return None
    text = io.StringIO()
    write = FindingsCsv(text, place)
    for finding in findings:
        write(finding)
    return zlib.compress(text.getvalue().encode("utf-8", "replace"))


# Of one request: a server that sends nothing costs ten seconds.
REQUEST = HttpLimits(connect=10, read=10, total=120, max_redirects=5, retries=0, delay=1.0)
MOST_REQUESTS = 1 + REQUEST.max_redirects
SILENT_AFTER = 3  # failed requests in a row after which a host is left alone


def check_due(shift: Shift) -> bool:
    """Check the data that are due; the caller holds the lock of link checks.

    Returns:
        Whether the check ended before all were checked.

    Raises:
        Aborted: it was interrupted before it knew what is due.
    """
    source_id, interruption = shift.source_id, shift.interruption
    if not (config.checks_data() and data_check_model.are_used()):
        return False
    with interruption.cancels_query():
        known = data_check_model.candidates(source_id=source_id)
    changed = (
        []
        if source_id
        else data_check_model.forget_others([candidate.resource_id for candidate in known])
    )
    if not source_id:
        data_check_model.prune({candidate.schema_url for candidate in known})
    Session.commit()
    if not known:
        search_index.index_changed(changed, interruption.is_set)
        return False
    checks = Limits.for_bytes(config.data_checks_megabytes() * MIB)
    request = replace(REQUEST, max_bytes=max(checks.data_bytes, checks.schema_bytes) + 1)
    client = open_metered_client(request, interruption.sleep)
    interruption.then(client.abort)
    with client:
        walk = _Walk(client, checks, shift)
        try:
            walk.check(known)
        except Aborted:
            walk.is_late = True
            Session.commit()  # what the requests cost
    search_index.index_changed([*changed, *walk.changed], interruption.is_set)
    return walk.is_late


WORK = (
    Work(
        check_due,
        lambda: (
            config.checks_data()
            and data_check_model.count_due() > 0
            and background.spent_today().allows(MOST_REQUESTS)
        ),
        ask=data_check_model.ask_for_check,
    ),
)


class _Walk:
    """One pass over the data that are due.

    Attributes:
        changed: ids of datasets with a changed verdict.
        is_late: it ended before all were checked.
    """

    def __init__(self, client: MeteredClient, checks: Limits, shift: Shift) -> None:
        self._client, self._checks, self._shift = client, checks, shift
        self._days = config.links_days()
        self._failed: Counter[str] = Counter()  # host → failed requests in a row
        self.changed: list[str] = []
        self.is_late = False

    def check(self, known: Sequence[Candidate]) -> None:
        """Check what is due, as far as time and budget go.

        Raises:
            Aborted: it was interrupted.
        """
        schemas = data_check_model.load_data_schemas([candidate.schema_url for candidate in known])
        for candidate in known:
            if not data_check_model.waits(
                candidate, schemas.get(candidate.schema_url), tables.utcnow()
            ):
                continue
            if not self._may_go_on():
                return
            if candidate.works and data_check_model.is_schema_due(
                schemas.get(candidate.schema_url), tables.utcnow()
            ):
                self._read_schema(candidate.schema_url, schemas.get(candidate.schema_url))
                schemas |= data_check_model.load_data_schemas([candidate.schema_url])
            schema = schemas.get(candidate.schema_url)
            if not candidate.is_due(schema, tables.utcnow()) or not self._may_go_on():
                continue
            try:
                self._save(candidate, self._check(candidate, schema))
            except sa.exc.IntegrityError:  # the resource was purged meanwhile
                compat.rollback()

    def _may_go_on(self) -> bool:
        self.is_late = self._shift.is_late()
        has_budget = background.spent_today().allows(MOST_REQUESTS)
        Session.commit()
        return not self.is_late and has_budget

    def _save(self, candidate: Candidate, values: dict[str, Any]) -> None:
        if data_check_model.save_data_checks(candidate, values):
            self.changed.append(candidate.package_id)
        Session.commit()
        text = values.get("fault") or (values.get("report") or {}).get("summary") or "not changed"
        self._shift.tell(candidate.url, text)

    def _read_schema(self, url: str, known: DataSchema | None) -> None:
        copy = data_check_model.load_file(url)
        Session.commit()
        if self._failed[host_of(url)] >= SILENT_AFTER:
            return
        try:
            file = self._spend(url, lambda: read_schema(url, self._client, self._checks, copy))
            data_check_model.save_file(file, self._days)
        except SourceError as exc:
            faults = known.faults + 1 if known else 1
            data_check_model.save_error(url, exc.message, faults, self._days)
            self._shift.tell(url, exc.message)
        Session.commit()

    def _spend(self, url: str, ask: Callable[[], Any]) -> Any:
        """Send a request, and count what it costs and whether its host answers."""
        requests, received, host = self._client.requests, self._client.received, host_of(url)
        failed, self._failed[host] = self._failed[host] + 1, 0
        try:
            return ask()
        except Unreachable:
            self._failed[host] = failed
            raise
        finally:
            spent = self._client.requests - requests, self._client.received - received
            background.note_spent(*spent, links=0)

    def _check(self, candidate: Candidate, schema: DataSchema | None) -> dict[str, Any]:
        """Return what is new of a resource, as columns of ``DataCheck``."""
        if reason := _why_not(candidate, schema):
            return unchecked(reason, schema.checksum if schema else "")
        if schema is None:
            return unchecked("The server of the schema does not answer.")
        stays = _may_stay(candidate, schema)
        if stays and candidate.link_checksum and candidate.link_checksum == stays.checksum:
            return {"due": None}
        if self._failed[host_of(candidate.url)] >= SILENT_AFTER:
            why = "The server did not answer at other URLs."
            return fault(candidate.last, why, self._days)
        validators = Validators(stays.etag, stays.last_modified) if stays else None
        most = self._checks.data_bytes + 1
        try:
            reply = self._spend(
                candidate.url,
                lambda: self._client.get(candidate.url, validators=validators, first=most),
            )
        except SourceError as exc:
            return fault(candidate.last, exc.message, self._days)
        with reply:
            if reply.not_modified and stays:
                return {"due": None}
            download = describe_download(reply)
            if stays and download["checksum"] == stays.checksum:
                return {"due": None, **download}
            own = self._judge(reply.body, candidate.schema_url)
            return {**own, **download, "schema_checksum": schema.checksum}

    def _judge(self, body: IO[bytes], schema_url: str) -> dict[str, Any]:
        file = data_check_model.load_file(schema_url)
        Session.commit()  # no transaction is open while the check takes its time
        findings: list[Finding] = []
        content = file.content if file else b""
        must_end = self._shift.interruption.is_set
        return columns(
            check_data(body, content, self._checks, on_finding=findings.append, must_end=must_end),
            findings,
        )


def _may_stay(candidate: Candidate, schema: DataSchema) -> DataCheck | None:
    """Return the last result if it holds for as long as the data do not change."""
    last = candidate.last
    if last is None or candidate.is_asked or last.fault or last.schema_checksum != schema.checksum:
        return None
    return None if last.reason == INSTALL else last  # the package may be there by now


def _why_not(candidate: Candidate, schema: DataSchema | None) -> str:
    """Return why the data are not read, as a sentence; "" if they are."""
    if not candidate.works:
        return "The link of these data does not work."
    if schema is not None and not schema.checksum:
        return f"The schema cannot be read: {schema.error}"
    if (
        schema is not None
        and candidate.format
        and candidate.format not in data_check_model.CHECKABLE
    ):
        return (
            f"The file is {candidate.format}; only CSV, JSON, GeoJSON and XML files can be checked."
        )
    return ""


def load_figures() -> dict[str, Any]:
    """Return verdict → number of files, and ``waiting``: files that are due."""
    return {**data_check_model.count_verdicts(), "waiting": data_check_model.count_due()}


def describe_figures(figures: Mapping[str, Any]) -> str:
    """Return how many files were checked against their schemas, "" without schemas.

    Args:
        figures: as ``load_figures`` returns it.
    """
    if not any(figures.values()):
        return ""
    valid, invalid, unchecked = (figures.get(verdict, 0) for verdict in VERDICTS)
    files = counted(valid + invalid + unchecked, "file")
    return (
        f"{files} checked against a schema: {valid:,} valid, {invalid:,} with errors, "
        f"{unchecked:,} not checkable; {figures['waiting']:,} waiting."
    )


DASHBOARD = (FeatureFigures("data", load_figures, describe_figures),)
