"""The demo's CKAN: its ini, its tables, its sysadmin."""

from __future__ import annotations

import json
import secrets
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from stack import console, venv
from stack.console import StackError, step
from stack.paths import ROOT, Stamp, digest, log_file
from stack.postgres import Postgres
from stack.site import Site

HERE = Path(__file__).parent
SYSADMIN = "demo"
# Search by place, and views of files, as most portals have them.
OTHERS = ("spatial_metadata", "spatial_query", "resource_proxy", "image_view", "text_view")


@dataclass(frozen=True)
class Portal:
    """One version's demo portal: what is made before it runs."""

    site: Site

    @property
    def name(self) -> str:
        return f"demo-{self.site.ckan}"

    @property
    def ini(self) -> Path:
        return self.site.folder / "demo.ini"

    @cached_property
    def types(self) -> dict[str, str]:
        """Return the extension's source types, name → title."""
        program = (
            "import json; from ckanext.ukharvest.source_types import TYPES;"
            " print(json.dumps({name: kind.title for name, kind in TYPES.items()}))"
        )
        result = self._run([self.program("python"), "-c", program])
        return dict(json.loads(result))

    def program(self, name: str) -> Path:
        return venv.program(name, self.site.ckan)

    def environment(self) -> dict[str, str]:
        """Return the environment of CKAN's processes, whose output goes to logs at once."""
        return {**venv.environment_of_ckan(), "PYTHONUNBUFFERED": "1"}

    def write_ini(self, address: str) -> str:
        """Write the ini for a portal at that URL; return its text."""
        pages = ("ukharvest", "ukharvest_form", "ukharvest_map_view")
        types = (f"ukharvest_{kind.replace('-', '_')}" for kind in self.types)
        plugins = [*pages, *types, "harvest", *OTHERS]
        more = {
            "SECRET_KEY": self._secrets()["secret key"],
            "ckan.site_id": self.name,
            "ckan.site_url": address,
            "ckan.plugins": " ".join(plugins),
            "ckan.i18n_directory": str(self._make_languages()),
            "extra_template_paths": str(HERE / "templates"),
        }
        self.ini.touch(mode=0o600)
        return self.site.write_ini(HERE / "demo.ini", self.ini, more).read_text()

    def _make_languages(self) -> Path:
        """Return a folder of languages for CKAN, with Welsh, as docs/install.md describes it."""
        folder = self.site.folder / "i18n"
        (folder / "cy").mkdir(parents=True, exist_ok=True)
        (french,) = venv.folder(self.site.ckan).glob("lib/python3*/site-packages/ckan/i18n/fr")
        shutil.copytree(french, folder / "fr", dirs_exist_ok=True)
        return folder

    @property
    def password(self) -> str:
        """Return the sysadmin's password."""
        return self._secrets()["password"]

    @property
    def token(self) -> str:
        """Return the sysadmin's token for the API."""
        return self._secrets()["token"]

    def _secrets(self, **learnt: str) -> dict[str, str]:
        """Return the secrets, made at the first call; only the checkout's owner may read them."""
        path = self.site.folder / "secrets.json"
        if path.is_file():
            known = {**json.loads(path.read_text()), **learnt}
        else:
            words = ("secret key", "password")
            known = {"token": "", **{word: secrets.token_urlsafe(16) for word in words}, **learnt}
        path.touch(mode=0o600)
        path.write_text(json.dumps(known, indent=2))
        return known

    def prepare(self) -> None:
        """Bring the tables up to date and make the sysadmin, unless both are done."""
        stamp = self._stamp()
        if stamp.is_current():
            return
        with step("CKAN: tables and their migrations"):
            self.ckan(*venv.UPGRADES)
        with step(f"CKAN: the sysadmin {SYSADMIN}"):
            self._sign_up()
        stamp.write()

    def _stamp(self) -> Stamp:
        made = Postgres().folder / "initialised"
        # Says nothing about another cluster: its database may have been made again.
        cluster = str(made.stat().st_mtime_ns) if made.is_file() else Postgres().url
        migrations = sorted(ROOT.glob("ckanext/ukharvest/migration/**/*.py"))
        wanted = digest(migrations, cluster, self.site.name)
        return Stamp(self.site.folder / "stamp-demo", wanted)

    def _sign_up(self) -> None:
        """Make the sysadmin, or set the password of an older database's, and make a token."""
        known = f"SELECT 1 FROM \"user\" WHERE name = '{SYSADMIN}'"
        is_known = Postgres().query(self.site.database_url, known)
        lines = (
            f"user setpass {SYSADMIN} --password={self.password}"
            if is_known
            else f"user add {SYSADMIN} password={self.password} email=demo@thornmere.example",
            f"sysadmin add {SYSADMIN}",
            f"user token add {SYSADMIN} bin/demo --quiet",
        )
        answer = self._run(venv.ckan_commands(self.site.ckan, self.ini), "\n".join(lines))
        self._secrets(token=answer.split()[-1])

    def empty(self) -> None:
        """Empty the database, the index and the queues."""
        if not self._stamp().path.is_file():
            return
        with step("CKAN: emptying the demo"):
            # First, so that an interrupted run counts neither as made nor as empty.
            Stamp(self._stamp().path, "being emptied").write()
            self.ckan("harvester purge-queues", "db clean --yes")

    def ckan(self, *lines: str) -> None:
        """Run commands of ckan; their output goes to the log."""
        command = venv.ckan_commands(self.site.ckan, self.ini, *lines)
        console.run(command, log_file(self.name), env=self.environment(), cwd="/")

    def _run(self, command: Sequence[str | Path], given: str = "") -> str:
        """Run a program and return its output."""
        options: dict[str, Any] = {"env": self.environment(), "cwd": "/", "text": True}
        result = subprocess.run(command, input=given, capture_output=True, check=False, **options)
        if result.returncode:
            raise StackError(
                f"{result.stderr.strip()}\n\n{Path(command[0]).name} failed; see above"
            )
        return str(result.stdout)
