"""A harvest source with its options, as the stages need it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ckan import model
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import mapper
from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.core.fingerprint import canonical_json, fingerprint
from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.harvesters.run import profiles
from ckanext.ukharvest.model import confirmed
from ckanext.ukharvest.model.rows import Stamp
from ckanext.ukharvest.types import COMMON_OPTIONS, SourceType


@dataclass(frozen=True, slots=True)
class Setting:
    """A source with its options read and checked, for one call of a stage."""

    kind: SourceType
    id: str
    url: str
    owner_org: str
    options: Mapping[str, Any]

    @property
    def salt(self) -> tuple[object, ...]:
        """What, besides its content, decides how a record comes out.

        Options at their defaults are left out: a release that adds an option must not import
        every record of every portal again.
        """
        defaults = {each.name: each.default for each in (*self.kind.options, *COMMON_OPTIONS)}
        chosen = {
            name: value for name, value in self.options.items() if value != defaults.get(name)
        }
        return (self.kind.parser.VERSION, mapper.VERSION, canonical_json(chosen))

    @property
    def salt_digest(self) -> str:
        """A short text for the type and the salt, kept with each record."""
        text = canonical_json([self.kind.name, *self.salt])
        return hashlib.blake2b(text.encode("utf-8"), digest_size=8).hexdigest()

    def stamp(self, raw: RawRecord) -> Stamp:
        """Return what has to be remembered of a record with content."""
        return Stamp(
            self.fingerprint(raw.content or ""),
            self.salt_digest,
            raw.url,
            raw.etag,
            raw.modified,
        )

    def fingerprint(self, content: str) -> str:
        """Of what matters in a record's content, and of the salt."""
        if self.kind.volatile:
            content = self.kind.volatile.sub("", content)
        return fingerprint(content, self.kind.parser.FORM, self.salt)


def read_options(kind: SourceType, text: str | None) -> dict[str, Any]:
    """Return the source's options with defaults filled in.

    Raises:
        ConfigError: not a JSON object, an option that the type does not have, or profiles that
            this portal does not have.
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
    package = model.Session.get(model.Package, source.id)
    owner = (package.owner_org if package else None) or source.publisher_id or ""
    found = read_options(kind, source.config)
    confirmed.check(kind, source.id, found)
    return Setting(kind, source.id, source.url, owner, found)
