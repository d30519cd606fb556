"""Fetch and parse the items of a batch, while no transaction is open."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject, HarvestSource

from ckanext.ukharvest import config, dataset_schema
from ckanext.ukharvest.core.errors import FetchError, ParseError, UkharvestError
from ckanext.ukharvest.core.fingerprint import fingerprint
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import DatasetRecord, Problem, RawRecord, Source
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.harvest.batch.items import Item, Parsed
from ckanext.ukharvest.harvest.hooks import plugin_hooks
from ckanext.ukharvest.harvest.http_client import open_client
from ckanext.ukharvest.harvest.model import Record
from ckanext.ukharvest.harvest.records import record_history
from ckanext.ukharvest.harvest.sources import source_config, value_tables
from ckanext.ukharvest.harvest.sources.source_config import Setting, setting_of
from ckanext.ukharvest.mapping import package_mapper
from ckanext.ukharvest.source_types.source_type import SourceType

Session = model.Session

CONNECTIONS = 4  # with which the files of a batch are read


class Preparation(contextlib.ExitStack):
    """Fetches and parses items of one source; closes its HTTP client at the end of the block."""

    def __init__(
        self, kind: SourceType, source: HarvestSource, setting: Setting | None = None
    ) -> None:
        """Read the source's options.

        Args:
            setting: instead of the source's own.

        Raises:
            ConfigError: they cannot be used.
        """
        super().__init__()
        self._kind = kind
        self._setting = setting or setting_of(kind, source)
        self._schema = dataset_schema.dataset_fields()
        self._resource_schema = dataset_schema.resource_fields()
        self._values = value_tables.load(self._setting.id, self._setting.options)
        self._source: Source | None = None
        self._asked: dict[str, Future[RawRecord]] = {}
        self._versions: dict[str, list[bytes]] = {}
        self._of_options: tuple[Problem, ...] | None = None

    @property
    def has_requested(self) -> bool:
        """Whether anything was requested, which takes time."""
        return self._source is not None

    def load_versions(self, items: Iterable[Item]) -> None:
        """Load the earlier versions of these records in one statement, where they are compared."""
        if self._kind.dated:
            guids = [item.raw.guid for item in items]
            self._versions.update(record_history.contents_of(self._setting.id, guids))

    def ask_ahead(self, items: Iterable[Item]) -> None:
        """Request the contents of these items over a few connections; ``fetch`` waits for each."""
        unread = [item for item in items if item.raw.content is None and not item.is_deletion]
        if len(unread) < 2:
            return
        source = self._open()
        pool = ThreadPoolExecutor(CONNECTIONS, thread_name_prefix="ukharvest-fetch")
        # Before any wait: what is left after a failure is not requested any more.
        self.callback(pool.shutdown, wait=False, cancel_futures=True)
        self._asked = {
            item.object_id: pool.submit(self._kind.reader.fetch, source, item.raw)
            for item in unread
        }

    def _open(self) -> Source:
        if self._source is None:
            http = self.enter_context(open_client(self._setting.options["credential"]))
            saved_state = source_config.SyncState(
                interface=source_config.load_interface(self._setting)
            )
            self._source = saved_state.source(self._setting, http)
        return self._source

    def fetch(self, item: Item) -> None:
        """Fetch the item's content, unless the listing already contained it.

        Raises:
            FetchError, RecordError: the record failed.
        """
        if item.raw.content is not None:
            return
        asked, source = self._asked.pop(item.object_id, None), self._open()
        Session.commit()  # no transaction is open while the network is waited for
        raw = asked.result() if asked else self._kind.reader.fetch(source, item.raw)
        if raw.content is None:
            message = Message("{url} has no content", url=raw.url or raw.guid)
            raise FetchError(message, url=raw.url)
        # The content may be newer than the listing: date and ETag are those of its own response.
        item.raw = replace(item.raw, content=raw.content, modified=raw.modified, etag=raw.etag)
        item.is_fetched = True

    def read(self, item: Item) -> DatasetRecord:
        """Parse the item's record as it is read, without what the portal adds to it.

        Raises:
            SkipRecord: the options leave it out.
            RecordError: the record failed.
        """
        if item.read is not None:
            return item.read
        return self._kind.parse(item.raw, self._setting.options, self._setting.limits)

    def own_guid(self, item: Item, record: DatasetRecord) -> str:
        """Return the identity that a plugin gives a record instead of its guid, "" for none.

        Raises:
            SkipRecord, HookFailed: of the plugin.
        """
        own_guid = plugin_hooks.record_guid(record, item.raw, self._setting.facts)
        return own_guid if own_guid != item.raw.guid else ""

    def parse(self, item: Item, fingerprint: str = "") -> None:
        """Parse the item's record.

        Args:
            fingerprint: of the record's content, if it is known.

        Raises:
            SkipRecord: the options leave it out.
            RecordError: the record failed.
        """
        raw, setting = item.raw, self._setting
        if raw.content is None:
            message = Message("{guid}: there is no content to import", guid=raw.guid)
            raise ParseError(message, url=raw.url)
        item.stamp = setting.stamp(raw, fingerprint)
        record = plugin_hooks.with_plugins_translations(self.read(item))
        names = setting.options.get(plugin_hooks.OPTION)
        profile_fields, problems = (
            plugin_hooks.read_by_profiles(raw.content, names) if names else ({}, ())
        )
        if own_guid := self.own_guid(item, record):
            record = replace(record, guid=own_guid)
        record = _with_parent_checked(record, setting.id, item.job_id)
        mapped, owner_org = self._values.apply(record)
        others = [group for group in record.groups if not self._values.has_group(group)]
        remote, refusals = value_tables.map_groups(others, setting.options.get("remote_groups", ""))
        record = mapped.record
        defaults = _defaults(
            setting, raw, owner_org, (*remote, *mapped.groups), self._resource_schema
        )
        if own_guid and not defaults.reference:
            defaults = replace(defaults, reference=raw.guid)
        problems = (
            *record.problems,
            *self._date_problems(raw, record),
            *problems,
            *refusals,
            *self._option_problems(),
        )
        item.parsed = Parsed(
            record=replace(record, problems=problems),
            defaults=defaults,
            source=setting.facts,
            profile_fields=profile_fields,
            hook_options=setting.hook_options,
            raw=raw,
            own_guid=own_guid,
            schema=self._schema,
            is_stock=self._setting.is_stock,
            values=mapped.stored,
        )

    def _option_problems(self) -> tuple[Problem, ...]:
        """Return problems of options whose values every record gets; found out once."""
        if self._of_options is None:
            self._of_options = (
                *value_tables.check_groups(self._setting.options["default_groups"]),
                *(
                    Problem(
                        "bad-default-extra",
                        "default_extras",
                        Message(
                            "default_extras: '{text}' has no equals sign; expected name=value, so"
                            " the dataset has no such extra",
                            text=shorten(text),
                        ),
                    )
                    for text in self._setting.options["default_extras"]
                    if "=" not in text
                ),
            )
        return self._of_options

    def _date_problems(self, raw: RawRecord, record: DatasetRecord) -> tuple[Problem, ...]:
        if not self._kind.dated:
            return ()
        earlier = map(record_history.unpack_content, self._versions.get(raw.guid, ()))
        return check_date(self._setting, raw, record, earlier)


def _with_parent_checked(record: DatasetRecord, source_id: str, job_id: str) -> DatasetRecord:
    """Return the record, with a problem if its collection (isPartOf) is not in the source."""
    parent = record.extras.get("is_part_of")
    if not parent:
        return record
    in_run = sa.exists().where(HarvestObject.harvest_job_id == job_id, HarvestObject.guid == parent)
    before = sa.exists().where(Record.source_id == source_id, Record.guid == parent)
    if Session.scalar(sa.select(in_run | before)):
        return record
    problem = Problem(
        "missing-parent",
        "isPartOf",
        Message(
            "isPartOf: '{parent}' is not a dataset of this source; expected the identifier of the"
            " collection that the dataset belongs to",
            parent=shorten(parent),
        ),
    )
    return replace(record, problems=(*record.problems, problem))


def _defaults(
    setting: Setting,
    raw: RawRecord,
    owner_org: str,
    groups: Iterable[str],
    resource_schema: frozenset[str],
) -> package_mapper.Defaults:
    """Return what the source adds to a dataset.

    Args:
        owner_org: id of the record's own organisation, "" for the source's.
        groups: names of the record's own groups.
    """
    options = setting.options
    return package_mapper.Defaults(
        owner_org=owner_org or setting.owner_org,
        private=options["visibility"] == "private",
        tags=options["default_tags"],
        groups=tuple(dict.fromkeys((*options["default_groups"], *groups))),
        extras=dict(text.split("=", 1) for text in options["default_extras"] if "=" in text),
        not_overwrite={*options["not_overwrite"], *config.not_overwrite_fields()},
        reference=raw.url if setting.kind.reference_is_address else "",
        language=config.portal_language(),
        resource_schema=resource_schema,
    )


FIELD = "gmd:dateStamp"


def check_date(
    setting: Setting, raw: RawRecord, record: DatasetRecord, earlier: Iterable[str]
) -> tuple[Problem, ...]:
    """Return a problem if the date is not newer than that of the latest different version.

    data.gov.uk's harvester refused such a record; we import it, since the portal would otherwise
    show outdated content.

    Args:
        earlier: contents of the record's versions, the newest first.
    """
    if not record.metadata_modified:
        return ()
    before = _date_before(setting, raw, earlier)
    if not before or not _is_as_old(record.metadata_modified, before):
        return ()
    message = Message(
        "{field}: the record has changed, but its date is {date} and was {before} before; expected"
        " the date of the change (or, if the identifier was copied from another record with the"
        " rest of it, an identifier of its own)",
        field=FIELD,
        date=record.metadata_modified,
        before=before,
    )
    return (Problem("date-not-changed", FIELD, message),)


def _date_before(setting: Setting, raw: RawRecord, earlier: Iterable[str]) -> str:
    """Return the date of the latest version with different content, "" if there is none."""
    parser = setting.kind.parser
    for content in earlier:
        if content == raw.content:
            continue
        try:
            if fingerprint(content, parser.FORM, ()) == fingerprint(
                raw.content or "", parser.FORM, ()
            ):
                continue
            before = RawRecord(raw.guid, content, url=raw.url)
            return parser.parse(before, setting.options).metadata_modified
        except UkharvestError:  # saved by an earlier release of the parser
            return ""
    return ""


def _is_as_old(date: str, before: str) -> bool:
    """Compare at the lower precision; publishers do not change their time zone in between."""
    length = min(len(date), len(before))
    return date == before or date[:length] < before[:length]
