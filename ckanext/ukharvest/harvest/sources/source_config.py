"""A source's options, and its state between runs."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from ckan import model
from ckanext.harvest.model import HarvestJob, HarvestSource

from ckanext.ukharvest import config, dataset_schema
from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import ConfigError, SourceError, UkharvestError
from ckanext.ukharvest.core.fingerprint import canonical_json, fingerprint
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import Copy, Ending, RawRecord, RecordLimits, Source, Validators
from ckanext.ukharvest.harvest.database import ensure_source_state
from ckanext.ukharvest.harvest.gather import objects
from ckanext.ukharvest.harvest.hooks import plugin_hooks
from ckanext.ukharvest.harvest.http_client import open_client
from ckanext.ukharvest.harvest.model import SourceState, utcnow
from ckanext.ukharvest.harvest.records.record_rows import Stamp, known_records, stored_organization
from ckanext.ukharvest.harvest.sources import decision_log
from ckanext.ukharvest.harvest.sources.dataset_adoption import FoundDataset
from ckanext.ukharvest.interfaces import SourceFacts
from ckanext.ukharvest.mapping import package_mapper
from ckanext.ukharvest.reading.record_classifier import KnownRecord, RecordClass, RecordClassifier
from ckanext.ukharvest.reading.records import SourceRead
from ckanext.ukharvest.source_types.source_type import (
    OWN_TYPE,
    PACKAGE_SCHEMA,
    STOCK,
    SourceType,
)

Session = model.Session


@dataclass(frozen=True)
class Setting:
    """A source with its validated options, for one call of a stage."""

    kind: SourceType
    id: str
    url: str
    owner_org: str
    options: Mapping[str, Any]
    limits: RecordLimits = field(default_factory=config.record_limits)
    title: str = ""
    name: str = ""

    @cached_property  # asked for each record
    def import_rules(self) -> tuple[object, ...]:
        """Return the import rules: what besides its content decides a record's result.

        Parser, mapper, options, limits and other extensions' hooks (``IUkHarvest``). Options and
        limits at their defaults are left out, so that a release that adds one does not import every
        record of every portal again.
        """
        defaults = {option.name: option.default for option in self.kind.all_options}
        chosen: dict[str, Any] = {
            name: value for name, value in self.options.items() if value != defaults.get(name)
        }
        usual = asdict(RecordLimits())
        limits = {k: value for k, value in asdict(self.limits).items() if value != usual[k]}
        if limits:
            chosen["limits"] = limits
        if hooks := plugin_hooks.hook_versions(self.kind.name, self.options[OWN_TYPE]):
            chosen["hooks"] = hooks
        chosen.pop(PACKAGE_SCHEMA, None)
        if self.is_stock:
            chosen[PACKAGE_SCHEMA] = STOCK
        return (self.kind.parser.VERSION, package_mapper.VERSION, canonical_json(chosen))

    def old_guids(self, raw: RawRecord) -> Iterator[str]:
        """Yield other identities under which an earlier harvester may have stored a record.

        Older forms of its guid, and that which a plugin gives it, if its content was read.
        """
        yield from self.kind.old_guids(raw)
        if raw.content is not None and plugin_hooks.plugins_with("record_guid"):
            try:
                record = self.kind.parse(raw, self.options, self.limits)
                own_guid = plugin_hooks.record_guid(record, raw, self.facts)
            except UkharvestError:  # its import will say so
                return
            if own_guid:
                yield own_guid

    @cached_property
    def is_stock(self) -> bool:
        """Return whether records are saved by the stock harvester's validators, not the form's."""
        chosen = self.options.get(PACKAGE_SCHEMA) or config.package_schema()
        has_stock = dataset_schema.has_stock_schema(self.kind.name)
        return chosen == STOCK and has_stock and not dataset_schema.scheming_decides()

    @cached_property
    def hook_options(self) -> dict[str, Any]:
        """Return the options that plugins declare for their hooks, without those at defaults."""
        declared = self.kind.portal_options
        return {o.name: self.options[o.name] for o in declared if self.options[o.name] != o.default}

    @cached_property
    def facts(self) -> SourceFacts:
        """Return what plugins are told about the source."""
        return SourceFacts(
            id=self.id,
            type=self.kind.name,
            url=self.url,
            owner_org=self.owner_org,
            options=self.options,
            own_type=self.options[OWN_TYPE],
            title=self.title,
            name=self.name,
        )

    @cached_property
    def import_rules_hash(self) -> str:
        """Return a short hash of the type and the import rules, stored with each record."""
        text = canonical_json([self.kind.name, *self.import_rules])
        return hashlib.blake2b(text.encode("utf-8"), digest_size=8).hexdigest()

    def stamp(self, raw: RawRecord, fingerprint: str = "") -> Stamp:
        """Return the stamp to store for a record whose content was read.

        Args:
            fingerprint: of its content, if it is known.
        """
        return Stamp(
            fingerprint or self.fingerprint(raw.content or ""),
            self.import_rules_hash,
            raw.url,
            raw.etag,
            raw.modified,
        )

    def fingerprint(self, content: str, rules: Sequence[object] | None = None) -> str:
        """Return the fingerprint of the relevant content and the import rules.

        Args:
            rules: the import rules of another time; None for the present ones.
        """
        if self.kind.volatile:
            content = self.kind.volatile.sub("", content)
        rules = self.import_rules if rules is None else rules
        return fingerprint(content, self.kind.parser.FORM, rules)

    def keeps_organisation(self, known: KnownRecord) -> bool:
        """Tell whether an import would give a record's dataset to the same organisation again.

        True if that cannot be told, of rows without an organisation, and of datasets that are not
        active. Where tables of values decide, ``value_tables`` finds what they come to concern.
        """
        if not known.owner_org or not known.is_active or known.has_own_organisation:
            return True
        return known.owner_org == stored_organization(self.owner_org)


def read_options(kind: SourceType, text: str | None) -> dict[str, Any]:
    """Return the source's options with defaults filled in.

    Raises:
        ConfigError: the text is no JSON object, an option is unknown or invalid, or a profile is
            not installed.
    """
    try:
        stored = json.loads(text) if text and text.strip() else {}
    except ValueError as exc:
        raise ConfigError(f"configuration: not valid JSON ({exc})", field="config") from exc
    if not isinstance(stored, dict):
        raise ConfigError(
            'configuration: expected a JSON object such as {"option": "value"}', field="config"
        )
    kind = kind.for_options(stored)
    if kind.own_type:
        stored.setdefault(OWN_TYPE, kind.own_type)
    read = options.validate(stored, kind.all_options)
    if read.get(plugin_hooks.OPTION):
        plugin_hooks.check_profiles(read[plugin_hooks.OPTION])
    return read


def setting_of(kind: SourceType, source: HarvestSource, text: str | None = None) -> Setting:
    """Return a source's validated setting.

    Args:
        text: the options that a sysadmin will give it; None for those that it has.

    Raises:
        ConfigError: see ``read_options``; or an option needs a sysadmin's confirmation.
    """
    package = model.Session.get(model.Package, source.id)
    owner = (package.owner_org if package else None) or source.publisher_id or ""
    chosen = read_options(kind, source.config if text is None else text)
    kind = kind.for_options(chosen)
    if text is None:
        check_privileged_options(kind, source.id, chosen)
    title = (package.title if package else "") or source.title or ""
    name = package.name if package else ""
    return Setting(kind, source.id, source.url, owner, chosen, title=title, name=name)


def keeps_stock_schema(kind: SourceType, options: Mapping[str, Any]) -> bool:
    """Tell whether a source that a stock harvester filled goes on with that one's validators.

    So it does on a portal with a form of its own that the stock harvester went past, unless the
    source's options say otherwise.

    Args:
        options: of the source, as stored.
    """
    is_open = not options.get(PACKAGE_SCHEMA) and config.package_schema() != STOCK
    return (
        is_open and dataset_schema.has_foreign_form() and dataset_schema.has_stock_schema(kind.name)
    )


def keep_stock_schema(kind: SourceType, source: HarvestSource) -> bool:
    """Let an adopted source go on with its stock harvester's validators; the caller commits.

    Returns:
        Whether its options changed.
    """
    stored = options.parse_options(source.config)
    if not keeps_stock_schema(kind, stored):
        return False
    source.config = json.dumps({**stored, PACKAGE_SCHEMA: STOCK}, indent=2)
    if package := Session.get(model.Package, source.id):
        package.extras["config"] = source.config
    confirmed = {**decision_log.confirmed_options(source.id), PACKAGE_SCHEMA: STOCK}
    decision_log.confirm_options(source.id, "", confirmed)
    Session.flush()
    return True


def check_privileged_options(kind: SourceType, source_id: str, found: Mapping[str, Any]) -> None:
    """Refuse options that reach outside the organisation unless a sysadmin confirmed them.

    The form refuses them too, but a source may be older than that check, of another harvester or
    changed by SQL.

    Args:
        found: all options of the source, converted.

    Raises:
        ConfigError: names the first such option.
    """
    options_of_type = kind.for_options(found).all_options
    declared = [option for option in options_of_type if option.sysadmin_only]
    used = [option for option in declared if found[option.name] != option.default]
    if not used:
        return
    known = decision_log.confirmed_options(source_id)
    allowed = options.validate({o.name: known[o.name] for o in used if o.name in known}, used)
    for option in used:
        if found[option.name] != allowed[option.name]:
            raise ConfigError(
                f"{option.name}: reaches outside the source's organisation and no sysadmin has "
                "confirmed it; a sysadmin opens the source's form, looks at it and saves",
                field=option.name,
                code="not-confirmed",
            )


@dataclass(frozen=True, slots=True)
class SyncState:
    """Sync state of earlier reads; its attributes are those of ``Source``."""

    validators: Mapping[str, Validators] = field(default_factory=dict)
    interface: str = ""
    since: str = ""
    resume: str = ""
    copies: Mapping[str, Copy] = field(default_factory=dict)

    def source(self, setting: Setting, http: HttpClient) -> Source:
        """Return the reader's input."""
        return Source(
            setting.url,
            setting.options,
            http,
            validators=self.validators,
            interface=self.interface,
            since=self.since,
            resume=self.resume,
            copies=self.copies,
            limits=setting.limits,
            own_site=config.own_site(),
        )


def load_interface(setting: Setting) -> str:
    """Return the interface that the last successful run found at this URL, "" if none."""
    return str(Session.get(SourceState, setting.id).interface) if _saved(setting) else ""


def _saved(setting: Setting) -> Mapping[str, Any]:
    """Return what the last run saved of this URL, {} if none did."""
    state = Session.get(SourceState, setting.id)
    saved = (state.sync_state or {}) if state else {}
    return saved if saved.get("source") == _identity(setting) else {}


def load_sync_state(setting: Setting, known: Collection[KnownRecord]) -> SyncState:
    """Return a run's sync state, without validators unless the last run imported everything."""
    saved = _saved(setting)
    basic = SyncState(interface=load_interface(setting), copies=find_copies(setting, known))
    if not _is_trusted(saved, setting, known):
        return basic
    documents = {url: Validators(*pair) for url, pair in saved["documents"].items()}
    since = "" if _is_full_read_due(saved, setting) else saved["mark"]
    return replace(basic, validators=documents, since=since)


def load_former_rules(setting: Setting) -> Sequence[object] | None:
    """Return the import rules of the last run that did not fail; None if there was none."""
    saved = _saved(setting)
    return json.loads(saved["salt"]) if saved else None


def load_for_full_read(setting: Setting, known: Collection[KnownRecord]) -> SyncState:
    """Return the sync state for a run that reads every record."""
    return SyncState(
        interface=load_interface(setting), copies=find_copies(setting, known, read_all=True)
    )


def find_copies(
    setting: Setting, known: Collection[KnownRecord], *, read_all: bool = False
) -> dict[str, Copy]:
    """Return URL → the record read there before, without ETag and date if it must be read again.

    Even then its guid shows which record still exists if the URL returns something else, such as a
    maintenance page. URLs with several records are left out: one being unchanged proves nothing
    about the others.

    Args:
        read_all: read every record again.
    """
    if not setting.kind.reference_is_address:
        return {}
    here = [copy for copy in known if copy.url not in ("", setting.url) and not copy.removed]
    counts = Counter(copy.url for copy in here)
    rules = setting.import_rules_hash
    return {
        copy.url: Copy(copy.guid, copy.etag, copy.last_modified)
        if (copy.fails_alike or (copy.is_sound and setting.keeps_organisation(copy)))
        and copy.import_rules_hash == rules
        and not read_all
        else Copy(copy.guid)
        for copy in here
        if counts[copy.url] == 1
    }


def _is_trusted(saved: Mapping[str, Any], setting: Setting, known: Collection[KnownRecord]) -> bool:
    """Tell whether everything that the last run read is imported, with the present import rules."""
    if saved.get("salt") != _import_rules(setting):
        return False
    job = HarvestJob.get(saved["job_id"]) if saved["job_id"] else None
    if job is None or objects.count_unfinished_objects(job.id):
        return False
    if saved.get("owner_org", setting.owner_org) != setting.owner_org:
        return False
    return all(
        row.is_settled and (row.fails_alike or setting.keeps_organisation(row)) for row in known
    )


def _is_full_read_due(saved: Mapping[str, Any], setting: Setting) -> bool:
    days = setting.options.get("full_check_days")
    if days is None:  # a list of the source's changes includes deletions
        return False
    if not saved["full_read"]:
        return True
    age = utcnow() - dt.datetime.fromisoformat(saved["full_read"])
    return bool(age >= dt.timedelta(days=days))


def _identity(setting: Setting) -> str:
    return f"{setting.kind.name} {setting.url}"


def _import_rules(setting: Setting) -> str:
    return canonical_json(list(setting.import_rules))


def save_sync_state(setting: Setting, job_id: str, ending: Ending, *, unread: int) -> None:
    """Save the sync state of a run that did not fail.

    Args:
        unread: number of records that could not be identified or read, or that wait for a decision.
            If any, no validators and no change date are saved, so that the next run reads them
            again.
    """
    state = ensure_source_state(setting.id)
    before = state.sync_state or {}
    if ending.interface or before.get("source") != _identity(setting):
        state.interface = ending.interface
    if ending.unchanged and before:
        return
    is_sure = ending.complete and not unread
    is_full = is_sure and not ending.changes_only
    now = utcnow().isoformat(timespec="seconds")
    documents = ending.validators.items() if is_sure else ()
    mark = ending.mark if is_sure else ""
    state.sync_state = {
        "source": _identity(setting),
        "salt": _import_rules(setting),
        "owner_org": setting.owner_org,
        "job_id": job_id if documents or mark else None,
        "documents": {url: [document.etag, document.last_modified] for url, document in documents},
        "mark": mark,
        "full_read": now if is_full else before.get("full_read", ""),
    }


def save_resume_point(setting: Setting, job_id: str, point: str, since: str) -> None:
    """Save where a gather that is killed after this transaction can resume.

    Args:
        point: the reader's resume point.
        since: the change date that the read started from, "" for none; resuming uses the same.
    """
    ensure_source_state(setting.id).resume = {
        "job_id": job_id,
        "point": point,
        "since": since,
        "source": _identity(setting),
        "salt": _import_rules(setting),
    }


def load_resume_point(
    setting: Setting, job_id: str, known: Collection[KnownRecord]
) -> SyncState | None:
    """Return the sync state that resumes a job's killed gather; None to start again."""
    saved = objects.resume_point_of(setting.id, job_id)
    if (
        not saved
        or saved["source"] != _identity(setting)
        or saved["salt"] != _import_rules(setting)
    ):
        return None
    # No validators: "not modified" would prove nothing about the remaining part.
    return SyncState(
        interface=load_interface(setting),
        since=saved["since"],
        resume=saved["point"],
        copies=find_copies(setting, known),
    )


def find_listed(
    source: HarvestSource, kind: SourceType, text: str | None, candidates: Sequence[FoundDataset]
) -> set[str]:
    """Read a source's whole listing; return the ids of the candidates that it lists.

    Saves nothing, and ends the session's transaction. A record that cannot be read is listed all
    the same; one that the source marks as deleted is not.

    Args:
        kind, text: the source's type and options once it is adopted.
        candidates: datasets that the source may claim.

    Raises:
        SourceError, ConfigError: the listing cannot be read, or not to its end.
    """
    chosen = read_options(kind, text)
    setting = Setting(kind.for_options(chosen), source.id, source.url, "", chosen)
    known = known_records(source.id)
    saved_state = load_for_full_read(setting, known.values())
    known |= {dataset.guid: dataset.as_known_record() for dataset in candidates}
    classifier = RecordClassifier(known, None, setting.old_guids)
    model.Session.commit()  # no transaction stays open while waiting for the source
    listed = set()
    with open_client(setting.options["credential"]) as http:
        read = SourceRead(kind, saved_state.source(setting, http), classifier)
        for record in read:
            if record.record_class is not RecordClass.DELETED:
                match = record.known or known.get(record.raw.guid)
                listed.add(match.package_id if match else "")
        ending = read.ended()
    if not ending.complete:
        raise SourceError(ending.reason or f"{setting.url}: not the whole list was read")
    return {dataset.package_id for dataset in candidates if dataset.package_id in listed}
