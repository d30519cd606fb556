"""Backups: of the database with pg_dump, and of the index by a copy of its files."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from functools import partial
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

    def save_database(self) -> None:
        self._run("pg_dump", "--format=custom", f"--file={self._dump}")

    def save_index(self) -> None:
        solr = self._services.solr
        data = self._data()
        copy = partial(shutil.copytree, data, self._index, dirs_exist_ok=True)
        self._services.kill(solr, signal.SIGTERM, 0, copy)

    def restore_database(self) -> None:
        model.Session.remove()
        model.meta.engine.dispose()
        self._run("pg_restore", "--clean", "--if-exists", "--single-transaction", str(self._dump))

    def restore_index(self) -> None:
        data = self._data()

        def swap() -> None:
            shutil.rmtree(data)
            shutil.copytree(self._index, data)
            owner = os.stat(data.parent)
            for parent, folders, files in os.walk(data):
                for name in (".", *folders, *files):
                    os.chown(os.path.join(parent, name), owner.st_uid, owner.st_gid)

        self._services.kill(self._services.solr, signal.SIGTERM, 0, swap)

    def _data(self) -> Path:
        """Ask Solr where its files are."""
        url, _, core = config["solr_url"].rpartition("/")
        query = {"action": "STATUS", "core": core, "wt": "json"}
        answer = requests.get(f"{url}/admin/cores", params=query, timeout=30).json()
        return Path(answer["status"][core]["dataDir"])

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
