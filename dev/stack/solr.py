"""Solr 9: jars from Maven Central, a small launcher, one core per site."""

from __future__ import annotations

import json
import pwd
import shutil
import urllib.error
import urllib.request
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from . import console
from .console import StackError, step
from .paths import DEV, MEMORY, Stamp, digest, log_file, make_folder, memory_has_room
from .process import as_user, give_to
from .service import RootlessService

SOURCES = DEV / "solr"
# Solr is on loopback: the machine's proxy settings are ignored.
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Solr(RootlessService):
    name = "solr"
    title = "Solr"
    default_port = 18983
    # 3 s on an idle machine, 20 s beside two others that start on two cores.
    ready_seconds = 180

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/solr"

    @property
    def program(self) -> Path:
        """Return the folder of the launcher, which all instances share."""
        return make_folder("solr")

    @property
    def jars(self) -> Path:
        """Return the folder of the jars, beside other downloads, which CI keeps between runs."""
        return make_folder("cache", f"solr-{digest([SOURCES / 'pom.xml'])}")

    @property
    def home(self) -> Path:
        return self.folder / "home"

    def core_url(self, core: str) -> str:
        return f"{self.url}/{core}"

    def prepare(self) -> None:
        self._make_program()
        self.home.mkdir(exist_ok=True)
        shutil.copy(SOURCES / "solr.xml", self.home)

    def _make_program(self) -> None:
        stamp = Stamp(
            self.program / "stamp",
            digest([SOURCES / "pom.xml", SOURCES / "SolrServer.java", SOURCES / "log4j2.xml"]),
        )
        whole = Stamp(self.jars / "stamp", "whole")
        if stamp.is_current() and whole.is_current():
            return
        if not whole.is_current():
            with step("Solr: jars from Maven Central"):
                self._fetch_jars()
            whole.write()
        with step("Solr: compiling the launcher"):
            classes = self.program / "classes"
            launcher = SOURCES / "SolrServer.java"
            console.run(
                ["javac", "-cp", f"{self.jars}/*", "-d", classes, launcher],
                log_file("solr-setup"),
            )
            shutil.copy(SOURCES / "log4j2.xml", classes)
        stamp.write()

    def _fetch_jars(self) -> None:
        # Maven's repository goes into the stack as well, and is removed again: ~/.m2 is not ours.
        repository = self.program / "m2"
        console.run(
            [
                *("mvn", "--batch-mode", "--no-transfer-progress", "--file", SOURCES / "pom.xml"),
                *(f"-Dmaven.repo.local={repository}", f"-DoutputDirectory={self.jars}"),
                "dependency:copy-dependencies",
            ],
            log_file("solr-setup"),
        )
        shutil.rmtree(repository)

    def spawn(self, port: int) -> None:
        user = self.own_folder()
        temporary = self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        give_to(user, temporary)
        for folder in (self.program, self.jars):
            give_to(user, folder)
        self.daemon.start(
            [
                *("java", "-Xmx512m", "-XX:-UsePerfData", f"-Dsolr.solr.home={self.home}"),
                # On two cores the optimising compiler and a collector with its own threads cost
                # more than they save: a start takes 10 s of CPU instead of 5.
                *("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", *self._in_memory(user)),
                *(f"-Djava.io.tmpdir={temporary}", "-Dsolr.jetty.host=127.0.0.1"),
                *("-cp", f"{self.program}/classes:{self.jars}/*", "SolrServer", str(port)),
            ],
            self.log,
            **as_user(user),
        )

    def _in_memory(self, user: pwd.struct_passwd | None) -> list[str]:
        """Keep the index of a test's only core in memory; tests begin with an empty one."""
        if not (self.is_for_tests and memory_has_room()):
            return []
        data = MEMORY / self.name
        data.mkdir(parents=True, exist_ok=True)
        give_to(user, data)
        return [f"-Dsolr.data.dir={data}"]

    def answers(self) -> bool:
        try:
            home = self._get("admin/info/system", seconds=5)["solr_home"]
        except (OSError, ValueError, KeyError):
            return False
        return Path(home) == self.home

    def ensure_core(self, core: str, schema: Path) -> None:
        """Make the core with CKAN's schema; make it again when CKAN's schema has changed."""
        known = self._get("admin/cores", action="STATUS", core=core)["status"].get(core)
        folder = self.home / core
        parts = [schema, *sorted((SOURCES / "conf").iterdir())]
        stamp = Stamp(folder / "stamp", digest(parts))
        if known and stamp.is_current():
            return
        with step(f"Solr: making the core {core}"):
            if known:
                self._get("admin/cores", action="UNLOAD", core=core, deleteIndex="true")
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(SOURCES / "conf", folder / "conf")
            write_schema(schema, folder / "conf" / "spatial.xml", folder / "conf" / "schema.xml")
            stamp.write()
            self.own_folder()
            self._get("admin/cores", action="CREATE", name=core, instanceDir=str(folder))

    def _get(self, path: str, *, seconds: float = 60, **query: str) -> dict[str, Any]:
        address = f"{self.url}/{path}?{urlencode({'wt': 'json', **query})}"
        try:
            with _direct.open(address, timeout=seconds) as answer:
                return dict(json.load(answer))
        except urllib.error.HTTPError as error:
            reason = error.read().decode(errors="replace")[:2000]
            raise StackError(f"Solr: {error} for {address}\n{reason}") from error


def write_schema(ckan_schema: Path, additions: Path, target: Path) -> None:
    """Write CKAN's schema with our additions, each in the section of the same name."""
    schema = ET.parse(ckan_schema)
    for section in ET.parse(additions).getroot():
        place = schema.find(section.tag)
        if place is None:
            raise StackError(f"{ckan_schema} has no <{section.tag}>; is it CKAN's schema?")
        place.extend(section)
    schema.write(target, encoding="utf-8", xml_declaration=True)
