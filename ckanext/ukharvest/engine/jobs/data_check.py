"""Check the data of resources against their schemas: the last part of a job that checks links.

Within the same budget of requests and bytes, and at the same pace for each host. Data are read
only after their link was found to work, and only if they or their schema changed. Each result is
saved at once. A schema is read once for all its resources.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import IO, Any

import sqlalchemy as sa
from ckan.model import Session

from ckanext.ukharvest import compat, config
from ckanext.ukharvest import model as tables
from ckanext.ukharvest.core.errors import Aborted, SourceError, Unreachable
from ckanext.ukharvest.core.http.client import MeteredClient
from ckanext.ukharvest.core.http.request import HttpLimits
from ckanext.ukharvest.core.link_states import host_of
from ckanext.ukharvest.core.records import Validators
from ckanext.ukharvest.engine import data_results, search_index
from ckanext.ukharvest.engine.http_client import open_metered_client
from ckanext.ukharvest.engine.jobs.interruption import Interruption
from ckanext.ukharvest.model import (
    DataCheck,
    DataSchema,
    data_checks,
    data_schemas,
    link_budget,
    pending_index,
)
from ckanext.ukharvest.model.data_checks import Candidate
from ckanext.ukharvest.model.link_budget import Budget
from ckanext.ukharvest.schema_check.check import check_data
from ckanext.ukharvest.schema_check.files import read_schema
from ckanext.ukharvest.schema_check.json_check import INSTALL
from ckanext.ukharvest.schema_check.report import MIB, Finding, Limits

# Of one request: a server that sends nothing costs ten seconds.
REQUEST = HttpLimits(connect=10, read=10, total=120, max_redirects=5, retries=0, delay=1.0)
MOST_REQUESTS = 1 + REQUEST.max_redirects
SILENT_AFTER = 3  # failed requests in a row after which a host is left alone

Report = Callable[[str, str], None]  # URL of the data or schema, and what was found


def limits() -> Limits:
    """Return the limits of a check, as the portal's ini says."""
    most = config.data_checks_megabytes() * MIB
    return Limits(
        data_bytes=most,
        tree_bytes=min(most, Limits().tree_bytes),
    )


def check_due(
    budget: Budget,
    *,
    until: float | None = None,
    source_id: str | None = None,
    tell: Report = lambda _url, _text: None,
    interruption: Interruption | None = None,
) -> bool:
    """Check the data that are due; the caller holds the lock of link checks.

    Args:
        budget: of a day, with that of link checks.
        until: ``time.monotonic()`` at which to stop; None: check all.
        source_id: only data of this source's datasets.
        tell: called with each result.
        interruption: ends the check; what is under way stays due.

    Returns:
        Whether the check ended before all were checked.

    Raises:
        Aborted: it was interrupted before it knew what is due.
    """
    interruption = interruption or Interruption()
    if not (config.checks_data() and data_checks.are_used()):
        return False
    with interruption.cancels_query():
        known = data_checks.candidates(source_id=source_id)
    changed = [] if source_id else data_checks.forget_others([each.resource_id for each in known])
    if not source_id:
        data_schemas.prune({each.schema_url for each in known})
    Session.commit()
    if not known:
        _index(changed, interruption)
        return False
    checks = limits()
    most = max(checks.data_bytes, checks.schema_bytes) + 1
    request = replace(REQUEST, max_bytes=most)
    client = open_metered_client(request, interruption.sleep)
    interruption.then(client.abort)
    with client:
        walk = _Walk(client, checks, budget, until, tell, interruption)
        walk.check(known)
    _index([*changed, *walk.changed], interruption)
    return walk.is_late


def _index(package_ids: Sequence[str], interruption: Interruption) -> None:
    """Index the datasets whose verdicts changed; after an interruption the next tick does."""
    pending = pending_index.add(sorted(set(package_ids))) if package_ids else {}
    Session.commit()
    if not interruption.is_set():
        search_index.index_or_leave(pending)


class _Walk:
    """One pass over the data that are due.

    Attributes:
        changed: ids of datasets with a changed verdict.
        is_late: it ended before all were checked.
    """

    def __init__(
        self,
        client: MeteredClient,
        checks: Limits,
        budget: Budget,
        until: float | None,
        tell: Report,
        interruption: Interruption,
    ) -> None:
        self._interruption = interruption
        self._client, self._checks, self._tell = client, checks, tell
        self._budget, self._until = budget, until
        self._days = config.links_days()
        self._failed: Counter[str] = Counter()  # host → failed requests in a row
        self.changed: list[str] = []
        self.is_late = False

    def check(self, known: Sequence[Candidate]) -> None:
        """Check what is due, as far as time and budget go."""
        try:
            self._check_due(known)
        except Aborted:
            self.is_late = True
            Session.commit()  # what the requests cost

    def _check_due(self, known: Sequence[Candidate]) -> None:
        schemas = data_schemas.load([each.schema_url for each in known])
        for each in known:
            if not data_checks.waits(each, schemas.get(each.schema_url), tables.utcnow()):
                continue
            if not self._may_go_on():
                return
            if each.works and data_checks.is_schema_due(
                schemas.get(each.schema_url), tables.utcnow()
            ):
                self._read_schema(each.schema_url, schemas.get(each.schema_url))
                schemas |= data_schemas.load([each.schema_url])
            schema = schemas.get(each.schema_url)
            if not each.is_due(schema, tables.utcnow()) or not self._may_go_on():
                continue
            try:
                self._save(each, self._check(each, schema))
            except sa.exc.IntegrityError:  # the resource was purged meanwhile
                compat.rollback()

    def _may_go_on(self) -> bool:
        is_time_up = self._until is not None and time.monotonic() >= self._until
        self.is_late = is_time_up or self._interruption.is_set()
        spent = link_budget.spent_today()
        Session.commit()
        return not self.is_late and self._budget.allows(spent, MOST_REQUESTS)

    def _save(self, candidate: Candidate, values: dict[str, Any]) -> None:
        if data_checks.save(candidate, values):
            self.changed.append(candidate.package_id)
        Session.commit()
        text = values.get("fault") or (values.get("report") or {}).get("summary") or "not changed"
        self._tell(candidate.url, text)

    def _read_schema(self, url: str, known: DataSchema | None) -> None:
        faults = known.faults if known else 0
        kept = data_schemas.load_file(url)
        Session.commit()
        if self._failed[host_of(url)] >= SILENT_AFTER:
            return
        try:
            file = self._spend(url, lambda: read_schema(url, self._client, self._checks, kept))
            data_schemas.save_file(file, self._days)
        except SourceError as exc:
            data_schemas.save_error(url, exc.message, faults + 1, self._days)
            self._tell(url, exc.message)
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
            link_budget.spend(*spent, links=0)

    def _check(self, each: Candidate, schema: DataSchema | None) -> dict[str, Any]:
        """Return what is new of a resource, as columns of ``DataCheck``."""
        if reason := _why_not(each, schema):
            return data_results.unchecked(reason, schema.checksum if schema else "")
        if schema is None:
            return data_results.unchecked("The server of the schema does not answer.")
        stays = _may_stay(each, schema)
        if stays and each.link_checksum and each.link_checksum == stays.checksum:
            return {"due": None}
        if self._failed[host_of(each.url)] >= SILENT_AFTER:
            why = "The server did not answer at other URLs."
            return data_results.fault(each.last, why, self._days)
        validators = Validators(stays.etag, stays.last_modified) if stays else None
        try:
            reply = self._spend(each.url, lambda: self._get(each.url, validators))
        except SourceError as exc:
            return data_results.fault(each.last, exc.message, self._days)
        with reply:
            if reply.not_modified and stays:
                return {"due": None}
            found = data_results.describe_download(reply)
            if stays and found["checksum"] == stays.checksum:
                return {"due": None, **found}
            own = self._judge(reply.body, each.schema_url)
            return {**own, **found, "schema_checksum": schema.checksum}

    def _get(self, url: str, validators: Validators | None) -> Any:
        return self._client.get(url, validators=validators, first=self._checks.data_bytes + 1)

    def _judge(self, body: IO[bytes], schema_url: str) -> dict[str, Any]:
        file = data_schemas.load_file(schema_url)
        Session.commit()  # no transaction is open while the check takes its time
        findings: list[Finding] = []
        content = file.content if file else b""
        must_end = self._interruption.is_set
        report = check_data(
            body, content, self._checks, on_finding=findings.append, must_end=must_end
        )
        return data_results.columns(report, findings)


def _may_stay(each: Candidate, schema: DataSchema) -> DataCheck | None:
    """Return the last result if it holds for as long as the data do not change."""
    last = each.last
    if last is None or each.is_asked or last.fault or last.schema_checksum != schema.checksum:
        return None
    return None if last.reason == INSTALL else last  # the package may be there by now


def _why_not(each: Candidate, schema: DataSchema | None) -> str:
    """Return why the data are not read, as a sentence; "" if they are."""
    if not each.works:
        return "The link of these data does not work."
    if schema is not None and not schema.checksum:
        return f"The schema cannot be read: {schema.error}"
    if schema is not None and each.format and each.format not in data_checks.CHECKABLE:
        return f"The file is {each.format}; only CSV, JSON, GeoJSON and XML files can be checked."
    return ""
