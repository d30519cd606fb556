"""Debian packages: listed with their sizes before apt installs them, or for a person to install."""

from __future__ import annotations

from pathlib import Path

import pytest
from stack import console, debian, paths

APT = """#!/bin/sh
echo "$@" >> {log}
case "$*" in *assume-no*)
    echo "Need to get 12.3 MB of archives."
    echo "After this operation, 45 MB of additional disk space will be used."
    exit 1
esac
"""


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder of the PATH, at first without programs."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(paths, "STACK", tmp_path / "stack")
    monkeypatch.setattr(debian.os, "geteuid", lambda: 0)
    return folder


def need(packages: tuple[str, ...], *, is_met: bool = False) -> debian.Need:
    return debian.Need("Redis", lambda: is_met, packages)


def test_packages_and_sizes_are_listed_before_apt_installs(
    programs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = programs.parent / "log"
    apt = programs / "apt-get"
    apt.write_text(APT.format(log=log))
    apt.chmod(0o755)

    debian.ensure([need(("redis-server", "redis-tools")), need(("gcc",), is_met=True)])

    calls = log.read_text().splitlines()
    assert [words.split("=300 ")[1] for words in calls] == [
        "update",
        "--assume-no install redis-server redis-tools",
        "install redis-server redis-tools",
    ]
    said = capsys.readouterr().err
    listed = said.index("Redis: redis-server redis-tools")
    sizes = said.index("Need to get 12.3 MB of archives.\n  After this operation, 45 MB")
    assert listed < sizes < said.index("Debian: redis-server redis-tools")
    assert "gcc" not in said


def test_without_apt_all_missing_packages_are_listed(programs: Path) -> None:
    both = [need(("redis-server",)), need(("postgresql",)), need(("gcc",), is_met=True)]

    with pytest.raises(console.StackError, match="has no apt-get") as caught:
        debian.ensure(both)

    assert "Redis: redis-server\n  Redis: postgresql" in str(caught.value)
    assert "gcc" not in str(caught.value)


def test_nginx_must_be_installed_only_if_apt_cannot_unpack_it(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (apt := programs / "apt-get").touch(0o755)
    debian.ensure(debian.NGINX)
    apt.unlink()
    monkeypatch.setattr(debian, "_NGINX", ("nginx", "apt-get"))

    with pytest.raises(console.StackError, match="nginx: nginx"):
        debian.ensure(debian.NGINX)


def test_without_root_and_sudo_packages_are_listed(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (programs / "apt-get").write_text("")
    (programs / "apt-get").chmod(0o755)
    monkeypatch.setattr(debian.os, "geteuid", lambda: 1000)

    with pytest.raises(console.StackError, match="(?s)no sudo.*redis-server"):
        debian.ensure([need(("redis-server",))])


def test_nothing_is_printed_if_nothing_is_missing(
    programs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    debian.ensure([need(("gcc",), is_met=True)])

    assert capsys.readouterr().err == ""
