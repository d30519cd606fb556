"""Virtual environments: one for each version of CKAN, with the extension in it."""

from __future__ import annotations

import ast
import configparser
import contextlib
import functools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from . import console, debian
from .console import StackError, say, step
from .paths import DEFAULT_CKAN, DEV, ROOT, STACK, Stamp, digest, log_file
from .state import locked

REQUIREMENTS = ("ckan[requirements]", "ckanext-harvest", "ckanext-spatial", "ckanext-dcat")
EXTRAS = "harvest,dcat,schema,spatial"
# Version of CKAN → the Python of its Docker images, which is used if it is found.
OF_IMAGES = {"2.11": "3.10"}
OWN = f"3.{sys.version_info.minor}"
# What a Python for environments must have: pip, and headers for packages in C.
CAPABLE = """
import ensurepip, pathlib, sys, sysconfig, venv
assert pathlib.Path(sysconfig.get_paths()["include"], "Python.h").is_file()
print(sys.executable, sys.version, sep="\\n")
"""
# The commands that make a portal's tables, in the order in which these depend on each other.
UPGRADES = tuple(
    f"db upgrade {which}" for which in ("--skip-plugins", "-p harvest", "-p ukharvest")
)
PACKAGE_FILES = tuple(ROOT / name for name in ("setup.py", "setup.cfg", "pyproject.toml"))
UV_VARIABLES = {
    "cert": "SSL_CERT_FILE",
    "find-links": "UV_FIND_LINKS",
    "index-url": "UV_DEFAULT_INDEX",
}
WHEEL_FILES = ("MANIFEST.in", "README.md", "LICENSE", "CHANGELOG.md")


def folder(ckan: str = DEFAULT_CKAN, version: str = "") -> Path:
    """Return the environment of a version of CKAN; the default's has the plain name.

    Args:
        version: another version of Python than the environment's usual one.
    """
    names = ["venv", *([ckan] if ckan != DEFAULT_CKAN else []), *([f"py{version}"] * bool(version))]
    return STACK / "-".join(names)


def program(name: str, ckan: str = DEFAULT_CKAN, version: str = "") -> Path:
    return folder(ckan, version) / "bin" / name


def environment(*without: str) -> dict[str, str]:
    """Return this process's variables for a Python that keeps what it compiles.

    It is kept in the stack's folder, since no other is changed. Python may have been told not to
    keep it, and uv compiles nothing: compiling CKAN takes longer than running a short command of it
    (4.4 s of processor time, 1.9 without).

    Args:
        without: beginnings of the names of variables that are left out.
    """
    dropped = (*without, "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    return {**kept, "PYTHONPYCACHEPREFIX": str(STACK / "cache" / "python")}


def environment_of_ckan() -> dict[str, str]:
    """Return the environment without variables that CKAN or Python would read as settings."""
    return {**environment("CKAN_", "PYTHON", "BEAKER_"), "PYTHONNOUSERSITE": "1"}


def ckan_commands(ckan: str, ini: Path, *lines: str) -> list[str | Path]:
    """Return the command that runs lines such as "db upgrade" as commands of ``ckan``."""
    return [program("python", ckan), DEV / "stack" / "ckan_commands.py", ini, *lines]


def ckan_schema(ckan: str) -> Path:
    """Return CKAN's own Solr schema, from the installed package."""
    found = list(folder(ckan).glob("lib/python3*/site-packages/ckan/config/solr/schema.xml"))
    if not found:
        raise StackError(f"no schema.xml in {folder(ckan)}; remove that folder and start again")
    return found[0]


@functools.cache
def find_python(version: str) -> tuple[str, str] | None:
    """Find a Python that can make environments; return its path and its whole version.

    Debian's comes first. It is built with profiles of its use (PGO), which pyenv's are not: the
    tests take 15 % less time with it.
    """
    name = f"python{version}"
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    of_pyenv = [str(path) for path in sorted(pyenv.glob(f"{version}.*/bin/{name}"))]
    for place in (f"/usr/bin/{name}", shutil.which(name) or name, *of_pyenv):
        try:
            output = subprocess.check_output([place, "-c", CAPABLE], stderr=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError):
            continue  # not there, not whole, or pyenv's name for a version that is not chosen
        found, _, whole = output.decode().strip().partition("\n")
        return found, whole
    return None


def python(ckan: str = DEFAULT_CKAN, version: str = "") -> tuple[str, str]:
    """Return the Python for an environment, and its whole version.

    Raises:
        StackError: the version is not on this machine.
    """
    if version:
        if found := find_python(version):
            return found
        raise StackError(f"no Python {version} is found that can make virtual environments")
    of_image = find_python(OF_IMAGES[ckan]) if ckan in OF_IMAGES else None
    return of_image or find_python(OWN) or (sys.executable, sys.version)


def other_pythons() -> list[str]:
    """Return the versions of Python that setup.cfg promises, without the one that runs this."""
    text = (ROOT / "setup.cfg").read_text(encoding="utf-8")
    promised = re.findall(r"Programming Language :: Python :: (3\.\d+)$", text, re.MULTILINE)
    return [version for version in promised if version != OWN]


def ensure(ckan: str = DEFAULT_CKAN, version: str = "") -> None:
    """Make an environment, or bring it up to date with the requirement files.

    Two can be made at the same time, one of each version.
    """
    place = folder(ckan, version)
    with locked(place.name):
        _ensure(place, ckan, python(ckan, version))


def _ensure(place: Path, ckan: str, chosen: tuple[str, str]) -> None:
    debian.ensure(debian.VENV)
    constraints = DEV / f"constraints-{ckan}.txt"
    requirements = ROOT / "dev-requirements.txt"
    needed = Stamp(
        place / "stamp-requirements",
        digest(
            [DEV / "constraints.txt", constraints, requirements],
            *(str(place), *chosen, *REQUIREMENTS),
        ),
    )
    package = Stamp(place / "stamp-package", digest(PACKAGE_FILES, str(ROOT), needed.value))

    if not needed.is_current():
        with step(f"Python: virtual environment {place.name}"):
            _make(place, chosen)
            pinned = ("--constraint", constraints, "pip", "uv")
            _pip_at(place / "bin" / "python", log_file(place.name), *pinned)
        with step(f"Python: CKAN {ckan}, extensions, tools"):
            _install(place, constraints, *REQUIREMENTS, "--requirement", requirements)
        needed.write()
    if not package.is_current():
        with step(f"Python: this extension in {place.name}"):
            _install(place, constraints, "--editable", f"{ROOT}[{EXTRAS}]")
        package.write()


def copy_without_checkout(place: Path, ckan: str = DEFAULT_CKAN) -> Path:
    """Copy that version's environment without this extension; return the folder of programs.

    Hard links take no room and a moment; installing CKAN again takes minutes.
    """
    subprocess.run([python(ckan)[0], "-m", "venv", "--clear", place], check=True)
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


def copy_sources(place: Path) -> Path:
    """Copy what a wheel is built of, and return the folder.

    setuptools writes its folders beside the sources, and puts what it finds in them into the wheel:
    what an earlier build left there, or another that runs now.
    """
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for name in (*PACKAGE_FILES, *(ROOT / each for each in WHEEL_FILES)):
        if name.is_file():
            shutil.copy(name, place)
    shutil.copytree(ROOT / "ckanext", place / "ckanext", ignore=shutil.ignore_patterns("*.pyc"))
    return place


def ensure_tool(name: str) -> Path:
    """Make the environment of a program in dev/tools.ini; return its Python."""
    debian.ensure(debian.VENV[:1])
    place, pins = STACK / f"venv-{name}", tools()[name]
    program = place / "bin" / "python"
    chosen = _python_of_tools()
    stamp = Stamp(place / "stamp-requirements", digest([], *pins, str(place), *chosen))
    if not stamp.is_current():
        with step(f"Python: virtual environment {place.name}"):
            _make(place, chosen)
            _pip_at(program, log_file(place.name), *pins)
        stamp.write()
    return program


def tools() -> dict[str, list[str]]:
    """Return what is installed for each program of dev/tools.ini, as pip's requirements."""
    ini = configparser.RawConfigParser(delimiters=("==",))
    ini.read(DEV / "tools.ini", "utf-8")
    return {name: [f"{key}=={pin}" for key, pin in ini[name].items()] for name in ini.sections()}


def _python_of_tools() -> tuple[str, str]:
    """Return the Python of the usual environment: tests on an older one use the same programs."""
    settings = folder(DEFAULT_CKAN) / "pyvenv.cfg"
    made = settings.read_text(encoding="utf-8") if settings.exists() else ""
    version = re.search(r"^version = (3\.\d+)", made, re.MULTILINE)
    return python(version=version[1] if version else "")


def _make(place: Path, chosen: tuple[str, str]) -> None:
    # Installing does not repair an environment that was moved, or whose Python is gone.
    code = "import pip, sys; sys.exit([sys.prefix, sys.version] != sys.argv[1:])"
    found, version = chosen
    with contextlib.suppress(OSError, subprocess.CalledProcessError):
        command: list[str | Path] = [place / "bin" / "python", "-c", code, place, version]
        subprocess.run(command, capture_output=True, check=True)
        return
    console.run([found, "-m", "venv", "--clear", place], log_file(place.name))


def _install(place: Path, constraints: Path, *what: str | Path) -> None:
    """Install into an environment, with the constraints of its version of CKAN."""
    log = log_file(place.name)
    python = place / "bin" / "python"
    words: list[str | Path] = ["--constraint", constraints, *what]
    try:
        # uv needs a fourth of pip's processor time, and less for the second environment.
        command = [python, "-m", "uv", "pip", "install", "--quiet", "--python", python, *words]
        console.run(command, log, env=_without_pythonpath() | _uv_settings(python))
    except StackError:
        say(f"  uv could not do it ({log}); pip does")
        _pip_at(python, log, *words)


def _pip_at(python: Path, log: Path, *what: str | Path) -> None:
    command: list[str | Path] = [python, "-m", "pip", "install", "--quiet"]
    # Only the stack's folder is changed, so pip's cache is in it too.
    environment = _without_pythonpath() | {"PIP_CACHE_DIR": str(STACK / "cache" / "pip")}
    console.run([*command, "--disable-pip-version-check", *what], log, env=environment)


def _without_pythonpath() -> dict[str, str]:
    """Return the environment without a surrounding environment's modules for other Pythons."""
    return {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}


def _uv_settings(python: Path) -> dict[str, str]:
    """Return pip's settings of this machine as uv's variables, and a cache in the stack's folder.

    uv does not read pip's configuration, which may name another index and its certificate.
    """
    listed = subprocess.run(
        [python, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    ).stdout
    pairs = (line.partition("=") for line in listed.splitlines())
    pips = {key.rpartition(".")[2]: ast.literal_eval(value) for key, _, value in pairs}
    found = {uvs: pips[name] for name, uvs in UV_VARIABLES.items() if name in pips}
    # pip separates addresses with white space.
    found = {name: ",".join(value.split()) for name, value in found.items()}
    return {"UV_CACHE_DIR": str(STACK / "cache" / "uv"), **found}
