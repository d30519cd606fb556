"""What one CKAN uses of the stack: a database, a Redis number, a core, a folder.

There are two for each version of CKAN, one for the tests and one for the demo, so that
neither wipes the other's data.
"""

from __future__ import annotations

import configparser
from dataclasses import dataclass
from pathlib import Path

from . import debian, venv
from .paths import CKAN_VERSIONS, DEFAULT_CKAN, ROOT, make_folder
from .postgres import Postgres
from .redis import Redis
from .service import Service
from .solr import Solr

PURPOSES = ("test", "demo")


def services() -> tuple[Service, ...]:
    return (Postgres(), Redis(), Solr())


def start_services() -> None:
    """Install and start whatever is not named by an environment variable."""
    postgres, redis, solr = services()
    debian.ensure(
        [
            *(debian.PSQL if postgres.external else debian.POSTGRES),
            *(() if redis.external else debian.REDIS),
            *(() if solr.external else debian.SOLR),
        ]
    )
    for service in (postgres, redis, solr):
        service.start()


@dataclass(frozen=True)
class Site:
    """The part of the stack that is one CKAN's own."""

    ckan: str = DEFAULT_CKAN
    purpose: str = "test"

    @property
    def name(self) -> str:
        return f"ckan_{self.purpose}-{self.ckan}"

    @property
    def folder(self) -> Path:
        return make_folder("sites", self.name)

    @property
    def database_url(self) -> str:
        return Postgres().database_url(self.name)

    @property
    def redis_url(self) -> str:
        # Number 0 is left to whoever connects without naming one. Counted from the oldest
        # version, so that a new version does not renumber the others.
        age = len(CKAN_VERSIONS) - CKAN_VERSIONS.index(self.ckan)
        return Redis().database_url(2 * age - 1 + PURPOSES.index(self.purpose))

    @property
    def solr_url(self) -> str:
        return Solr().core_url(self.name)

    @property
    def storage(self) -> Path:
        return make_folder("sites", self.name, "storage")

    def ensure(self) -> None:
        """Make the database and the core, if they are not there."""
        Postgres().ensure_database(self.name, durable=self.purpose != "test")
        Solr().ensure_core(self.name, venv.ckan_schema(self.ckan))

    def empty_database(self) -> None:
        """Make the database anew."""
        Postgres().drop_database(self.name)
        Postgres().ensure_database(self.name, durable=self.purpose != "test")

    def variables(self) -> dict[str, str]:
        """What `bin/stack env` prints, for scripts that set up a CKAN of their own."""
        return {
            "STACK_CKAN": self.ckan,
            "STACK_VENV": str(venv.folder(self.ckan)),
            "STACK_SITE": self.name,
            "STACK_SITE_FOLDER": str(self.folder),
            "STACK_STORAGE": str(self.storage),
            "STACK_DATABASE_URL": self.database_url,
            "STACK_REDIS_URL": self.redis_url,
            "STACK_SOLR_URL": self.solr_url,
        }

    def write_test_ini(self) -> Path:
        """test.ini with the addresses of this stack in place of the stock ones.

        A whole copy: CKAN 2.11 does not look for the logging sections behind `use = config:`.
        """
        ini = configparser.RawConfigParser()
        ini.optionxform = str  # type: ignore[assignment,method-assign]
        ini.read(ROOT / "test.ini")
        ini["app:main"].update(
            {
                "ckan.site_id": self.name,
                "ckan.storage_path": str(self.storage),
                "sqlalchemy.url": self.database_url.replace("%", "%%"),
                "ckan.redis.url": self.redis_url.replace("%", "%%"),
                "solr_url": self.solr_url,
            }
        )
        path = self.folder / "test.ini"
        with path.open("w") as out:
            ini.write(out)
        return path


def ensure_site(ckan: str = DEFAULT_CKAN, purpose: str = "test") -> Site:
    """A site that is ready for CKAN: environment, services, database and core."""
    venv.ensure(ckan)
    start_services()
    site = Site(ckan, purpose)
    site.ensure()
    return site
