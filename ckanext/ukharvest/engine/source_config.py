"""Read a harvest source's options, and derive import rules and fingerprints from them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from ckan import model
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config
from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import ConfigError, UkharvestError
from ckanext.ukharvest.core.fingerprint import canonical_json, fingerprint
from ckanext.ukharvest.core.record_limits import RecordLimits
from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.engine import dataset_hooks, profiles
from ckanext.ukharvest.interfaces import SourceFacts
from ckanext.ukharvest.mapping import package_mapper
from ckanext.ukharvest.model import privileged_options
from ckanext.ukharvest.model.record_organizations import stored_organization
from ckanext.ukharvest.model.record_rows import Stamp
from ckanext.ukharvest.reading.record_classifier import KnownRecord
from ckanext.ukharvest.source_types import COMMON_OPTIONS, SourceType


@dataclass(frozen=True)
class Setting:
    """A source with its validated options, for one call of a stage."""

    kind: SourceType
    id: str
    url: str
    owner_org: str
    options: Mapping[str, Any]
    limits: RecordLimits = field(default_factory=config.record_limits)

    @cached_property  # asked for each record
    def import_rules(self) -> tuple[object, ...]:
        """Return the import rules: what besides its content decides a record's result.

        Parser, mapper, options, limits and other extensions' hooks (``IUkHarvest``). Options and
        limits at their defaults are left out, so that a release that adds one does not import every
        record of every portal again.
        """
        defaults = {each.name: each.default for each in (*self.kind.options, *COMMON_OPTIONS)}
        chosen: dict[str, Any] = {
            name: value for name, value in self.options.items() if value != defaults.get(name)
        }
        usual = asdict(RecordLimits())
        limits = {k: value for k, value in asdict(self.limits).items() if value != usual[k]}
        if limits:
            chosen["limits"] = limits
        if hooks := dataset_hooks.hook_versions():
            chosen["hooks"] = hooks
        return (self.kind.parser.VERSION, package_mapper.VERSION, canonical_json(chosen))

    @cached_property
    def facts(self) -> SourceFacts:
        """Return what plugins are told about the source."""
        return SourceFacts(self.id, self.kind.name, self.url, self.owner_org, self.options)

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

    def keeps_organisation(self, raw: RawRecord | None, known: KnownRecord) -> bool:
        """Tell whether an import would give a record's dataset to the same organisation again.

        True if that cannot be told, of rows without an organisation, and with the option
        ``remote_orgs`` of records that were not read; also of datasets that are not active.
        """
        if not known.owner_org or not known.is_active:
            return True
        if not self.options.get("remote_orgs"):
            return known.owner_org == stored_organization(self.owner_org)
        if raw is None or raw.content is None:
            return True
        parser = self.kind.parser
        read_organisation = getattr(parser, "organisation", None)  # faster, if there is one
        try:
            remote = (
                read_organisation(raw)
                if read_organisation
                else parser.parse(raw, self.options).organisation
            )
        except UkharvestError:
            return True  # it was imported, so its organisation is not what is wrong
        ours = self._organisations
        found = (ours.get(remote.id) or ours.get(remote.name)) if remote else None
        return known.owner_org == stored_organization(found or self.owner_org)

    @cached_property
    def _organisations(self) -> Mapping[str, str]:
        """Return id or name → id of each organisation of this portal."""
        group = model.Group
        query = model.Session.query(group.id, group.name).filter(
            group.is_organization.is_(True), group.state == "active"
        )
        return {key: id_ for id_, name in query for key in (id_, name)}


def read_options(kind: SourceType, text: str | None) -> dict[str, Any]:
    """Return the source's options with defaults filled in.

    Raises:
        ConfigError: the text is no JSON object, an option is unknown or invalid, or a profile is
            not installed.
    """
    try:
        found = json.loads(text) if text and text.strip() else {}
    except ValueError as exc:
        raise ConfigError(f"configuration: not valid JSON ({exc})", field="config") from exc
    if not isinstance(found, dict):
        raise ConfigError(
            'configuration: expected a JSON object such as {"option": "value"}', field="config"
        )
    read = options.validate(found, (*kind.options, *COMMON_OPTIONS))
    if read.get(profiles.OPTION):
        profiles.check(read[profiles.OPTION])
    return read


def setting_of(kind: SourceType, source: HarvestSource) -> Setting:
    """Return a source's validated setting.

    Raises:
        ConfigError: see ``read_options``; or an option needs a sysadmin's confirmation.
    """
    package = model.Session.get(model.Package, source.id)
    owner = (package.owner_org if package else None) or source.publisher_id or ""
    found = read_options(kind, source.config)
    privileged_options.check(kind, source.id, found)
    return Setting(kind, source.id, source.url, owner, found)
