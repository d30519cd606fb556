"""Backups: of the database with pg_dump, and of the index by a copy of its files."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

import requests
from ckan import model
from ckan.common import config

from tests.ckan.chaos.services import Services
from tests.ckan.servers import postgres


class Backup:
    """Saves and restores the portal's database and its search index.

    Args:
        folder: an empty one.
    """

    def __init__(self, services: Services, folder: Path) -> None:
        self._services = services
        self._dump = folder / "portal.dump"
        self._index = folder / "index"

    def save(self) -> None:
        """Save both, as they are now."""
        self._run("pg_dump", "--format=custom", f"--file={self._dump}")
        self._services.kill(
            self._services.solr,
            signal.SIGTERM,
            0,
            lambda: shutil.copytree(self._data, self._index, dirs_exist_ok=True) and None,
        )

    def restore_database(self) -> None:
        model.Session.remove()
        model.meta.engine.dispose()
        self._run("pg_restore", "--clean", "--if-exists", "--single-transaction", str(self._dump))

    def restore_index(self) -> None:
        def swap() -> None:
            shutil.rmtree(self._data)
            shutil.copytree(self._index, self._data)
            owner = os.stat(self._data.parent)
            for parent, folders, files in os.walk(self._data):
                for name in (".", *folders, *files):
                    os.chown(os.path.join(parent, name), owner.st_uid, owner.st_gid)

        self._services.kill(self._services.solr, signal.SIGTERM, 0, swap)

    def find_data(self) -> None:
        """Ask Solr where its files are; once, while it runs."""
        url, _, core = config["solr_url"].rpartition("/")
        query = {"action": "STATUS", "core": core, "wt": "json"}
        answer = requests.get(f"{url}/admin/cores", params=query, timeout=30).json()
        self._data = Path(answer["status"][core]["dataDir"])

    @staticmethod
    def _run(program: str, *words: str) -> None:
        parts = urlsplit(config["sqlalchemy.url"])
        login, _, host = parts.netloc.rpartition("@")
        role, _, password = login.partition(":")
        url = urlunsplit(parts._replace(netloc=f"{role}@{host}"))
        subprocess.run(
            [postgres.program(program), *words, f"--dbname={url}"],
            env={**os.environ, "PGPASSWORD": unquote(password)},
            check=True,
            timeout=300,
        )
