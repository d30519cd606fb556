"""One CKAN's part of the stack: a database, a Redis number, a core, a folder.

There are six for each version of CKAN: one for the tests, one for more tests beside these, one for
the demo, one to try the documents' commands on, and two for the benchmark. None empties another's
data. The tests' sites have their own servers, which they may stop and start; the others share
theirs.
"""

from __future__ import annotations

import configparser
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from . import debian, venv
from .paths import CKAN_VERSIONS, DEFAULT_CKAN, ROOT, make_folder
from .postgres import Postgres
from .redis import Redis
from .service import Service
from .solr import Solr

PURPOSES = ("test", "demo", "install", "bench", "bench-stock", "more", "batches", "bench-older")
OF_TESTS = ("test", "more", "batches")


# What Debian's packages have to provide for a site.
NEEDS = (*debian.POSTGRES, *debian.REDIS, *debian.SOLR)


def services(instance: str = "") -> tuple[Service, ...]:
    """Return PostgreSQL, Redis and Solr, in the order in which they are started."""
    return (Postgres(instance), Redis(instance), Solr(instance))


def all_services() -> tuple[Service, ...]:
    """Return the demo's services, and those of all tests that were ever started."""
    tests = (each for site in sites_of_tests() for each in site.services)
    return (*services(), *(each for each in tests if each.state.port(each.name)))


def start_services(instance: str = "") -> None:
    """Install and start the services."""
    debian.ensure(NEEDS)
    for service in services(instance):
        service.start()


@dataclass(frozen=True)
class Site:
    """The part of the stack that belongs to one CKAN."""

    ckan: str = DEFAULT_CKAN
    purpose: str = "test"

    @property
    def name(self) -> str:
        return f"ckan_{self.purpose}-{self.ckan}"

    @property
    def folder(self) -> Path:
        return make_folder("sites", self.name)

    @property
    def instance(self) -> str:
        """Return its servers' instance: the tests' sites have their own."""
        return f"{self.purpose}-{self.ckan}" if self.is_for_tests else ""

    @property
    def is_for_tests(self) -> bool:
        return self.purpose in OF_TESTS

    @property
    def services(self) -> tuple[Service, ...]:
        return services(self.instance)

    @property
    def database_url(self) -> str:
        return Postgres(self.instance).database_url(self.name)

    @property
    def redis_url(self) -> str:
        # Number 0 is left to clients that name none. Counted from the oldest version, so that a new
        # version does not renumber the others.
        age = len(CKAN_VERSIONS) - CKAN_VERSIONS.index(self.ckan)
        return Redis(self.instance).database_url(
            len(PURPOSES) * (age - 1) + PURPOSES.index(self.purpose) + 1
        )

    @property
    def solr_url(self) -> str:
        return Solr(self.instance).core_url(self.name)

    @property
    def storage(self) -> Path:
        return make_folder("sites", self.name, "storage")

    def ensure(self) -> None:
        """Make the database and the core, if they are missing."""
        Postgres(self.instance).ensure_database(self.name, durable=not self.is_for_tests)
        Solr(self.instance).ensure_core(self.name, venv.ckan_schema(self.ckan))

    def empty_database(self) -> None:
        """Drop and make the database."""
        postgres = Postgres(self.instance)
        postgres.drop_database(self.name)
        postgres.ensure_database(self.name, durable=not self.is_for_tests)

    def settings(self) -> dict[str, str]:
        """Return the settings of CKAN that make it use this site."""
        return {
            "ckan.site_id": self.name,
            "ckan.storage_path": str(self.storage),
            "sqlalchemy.url": self.database_url,
            "ckan.redis.url": self.redis_url,
            "solr_url": self.solr_url,
        }

    def write_test_ini(self) -> Path:
        """Write test.ini with the URLs of this stack in place of the stock ones."""
        return self.write_ini(ROOT / "test.ini", self.folder / "test.ini", {})

    def write_ini(self, stock: Path, path: Path, more: Mapping[str, str], level: str = "") -> Path:
        """Write a copy of an ini with the URLs of this site; return its path.

        A whole copy: CKAN 2.11 does not look for the logging sections behind `use = config:`.

        Args:
            more: further settings of CKAN.
            level: of the extension's log, if not that of the ini.
        """
        ini = configparser.RawConfigParser()
        ini.optionxform = str  # type: ignore[assignment,method-assign]
        ini.read(stock)
        own = {key: value.replace("%", "%%") for key, value in self.settings().items()}
        ini["app:main"].update({**own, **more})
        if level:
            ini["logger_ckanext"]["level"] = level
        with path.open("w") as out:
            ini.write(out)
        return path


def sites_of_tests() -> list[Site]:
    return [Site(ckan, purpose) for ckan in CKAN_VERSIONS for purpose in OF_TESTS]


def ensure_site(ckan: str = DEFAULT_CKAN, purpose: str = "test") -> Site:
    """Return a site that is ready for CKAN: environment, services, database and core."""
    debian.ensure((*debian.VENV, *NEEDS))
    venv.ensure(ckan)
    site = Site(ckan, purpose)
    start_services(site.instance)
    site.ensure()
    return site
