"""Virtual environments: one for each version of CKAN, with the extension in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from . import console, debian
from .console import StackError, step
from .paths import CKAN_VERSIONS, DEFAULT_CKAN, DEV, ROOT, STACK, Stamp, digest, log_file

REQUIREMENTS = ("ckan[requirements]", "ckanext-harvest", "ckanext-spatial", "ckanext-dcat")
EXTRAS = "harvest,dcat,schema,spatial"
PACKAGE_FILES = tuple(ROOT / name for name in ("setup.py", "setup.cfg", "pyproject.toml"))


def folder(ckan: str = DEFAULT_CKAN) -> Path:
    """Return that version's environment; the default's has the plain name."""
    return STACK / ("venv" if ckan == DEFAULT_CKAN else f"venv-{ckan}")


def program(name: str, ckan: str = DEFAULT_CKAN) -> Path:
    return folder(ckan) / "bin" / name


def ckan_schema(ckan: str) -> Path:
    """Return CKAN's own Solr schema, from the installed package."""
    found = list(folder(ckan).glob("lib/python3*/site-packages/ckan/config/solr/schema.xml"))
    if not found:
        raise StackError(f"no schema.xml in {folder(ckan)}; remove that folder and start again")
    return found[0]


def ensure(ckan: str = DEFAULT_CKAN) -> None:
    """Make the environment, or bring it up to date with the requirement files."""
    debian.ensure(debian.VENV)
    constraints = DEV / f"constraints-{ckan}.txt"
    requirements = ROOT / "dev-requirements.txt"
    place = folder(ckan)
    needed = Stamp(
        place / "stamp-requirements",
        digest(
            [DEV / "constraints.txt", constraints, requirements],
            *(str(place), sys.version, *REQUIREMENTS),
        ),
    )
    package = Stamp(place / "stamp-package", digest(PACKAGE_FILES, str(ROOT), needed.value))

    if not needed.is_current():
        with step(f"Python: virtual environment {place.name}"):
            _make(place)
            _pip(ckan, "pip")
        with step(f"Python: CKAN {ckan}, extensions, tools"):
            _pip(ckan, *REQUIREMENTS, "--requirement", requirements)
        needed.write()
    if not package.is_current():
        with step(f"Python: this extension in {place.name}"):
            _pip(ckan, "--editable", f"{ROOT}[{EXTRAS}]")
        package.write()


def copy_without_checkout(place: Path, ckan: str = DEFAULT_CKAN) -> Path:
    """Copy that version's environment without this extension; return the folder of programs.

    Hard links take no room and a moment; installing CKAN again takes minutes.
    """
    subprocess.run([sys.executable, "-m", "venv", "--clear", place], check=True)
    (packages,) = place.glob("lib/python3*/site-packages")
    (originals,) = folder(ckan).glob("lib/python3*/site-packages")
    subprocess.run(["cp", "--archive", "--link", "--force", f"{originals}/.", packages], check=True)
    for old in packages.glob("__editable__*ukharvest*"):
        old.unlink()
    for old in packages.glob("ckanext_ukharvest-*.dist-info"):
        shutil.rmtree(old)
    program = place / "bin" / "ckan"
    _, *script = (folder(ckan) / "bin" / "ckan").read_text().splitlines()
    program.write_text("\n".join([f"#!{place / 'bin' / 'python'}", *script, ""]))
    program.chmod(0o755)
    return place / "bin"


def ensure_tool(name: str, requirements: Path) -> Path:
    """Make the environment of a program whose libraries clash with CKAN's; return its Python."""
    debian.ensure(debian.VENV[:1])
    place = STACK / name
    python = place / "bin" / "python"
    stamp = Stamp(place / "stamp-requirements", digest([requirements], *(str(place), sys.version)))
    if not stamp.is_current():
        with step(f"Python: virtual environment {name}"):
            _make(place)
            _pip_at(python, log_file(name), "--requirement", requirements)
        stamp.write()
    return python


def _make(place: Path) -> None:
    # Installing does not repair an environment that was moved, or whose Python is gone.
    code = "import pip, sys; sys.exit(sys.prefix != sys.argv[1])"
    if not _succeeds([place / "bin" / "python", "-c", code, place]):
        console.run([sys.executable, "-m", "venv", "--clear", place], log_file(place.name))


def _succeeds(command: Sequence[str | Path]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _pip(ckan: str, *what: str | Path) -> None:
    """Install into that version's environment, with that version's constraints."""
    constraints = DEV / f"constraints-{ckan}.txt"
    log = log_file(folder(ckan).name)
    _pip_at(program("python", ckan), log, "--constraint", constraints, *what)


def _pip_at(python: Path, log: Path, *what: str | Path) -> None:
    # Variables of a surrounding environment about other Pythons are removed.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    # Only the stack's folder is changed, so pip's cache is in it too.
    environment["PIP_CACHE_DIR"] = str(STACK / "cache" / "pip")
    command: list[str | Path] = [python, "-m", "pip", "install", "--quiet"]
    console.run([*command, "--disable-pip-version-check", *what], log, env=environment)


def versions_made() -> list[str]:
    return [ckan for ckan in CKAN_VERSIONS if (folder(ckan) / "stamp-requirements").is_file()]
