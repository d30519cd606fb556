"""Every attack of the table against every feature that reaches out: nothing inside is contacted."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

import ckanext.ukharvest
from ckanext.ukharvest.core.errors import UkharvestError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.source_types import TYPES
from tests.security.attacks import ATTACKS
from tests.security.canary import SECRET, Canary
from tests.security.features import DOORS, FEATURES, WITH_CKAN, WITHOUT_CKAN, Feature
from tests.security.stage import OPEN, PUBLISHER, Attack, Hostile, Stage

PACKAGE = Path(ckanext.ukharvest.__file__).parent
BY_FEATURE = pytest.mark.parametrize("feature", FEATURES, ids=lambda each: each.name)
CLIENTS = {
    "HttpClient",
    "TimedClient",
    "MeteredClient",
    "open_client",
    "open_metered_client",
    "Watched",
    "FileClient",
    "urlopen",
}
PASSWD = Path("/etc/passwd").read_text(encoding="utf-8").partition("\n")[0]


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[Hostile, Canary]]:
    with Canary() as canary, Hostile(canary.port) as publisher:
        yield publisher, canary


@pytest.fixture
def stage(servers: tuple[Hostile, Canary]) -> Stage:
    publisher, canary = servers
    publisher.routes.clear()
    publisher.requests.clear()
    publisher.change = None
    canary.hits = 0
    return Stage(publisher, canary)


def play(attack: Attack, feature: Feature, stage: Stage, *, is_open: bool = False) -> str:
    """Run a feature under an attack; return what came of it, an error's message too."""
    stage.answers = attack.answers
    path = feature.serve(stage.publisher)
    change = attack.change
    if change:
        stage.publisher.change = lambda *answer: change(stage, *answer)
    guard = stage.guard(OPEN) if is_open else stage.guard()
    try:
        return feature.run(attack.start(stage, path), guard)
    except UkharvestError as exc:
        return exc.message


@BY_FEATURE
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda each: each.name)
def test_nothing_inside_is_contacted(attack: Attack, feature: Feature, stage: Stage) -> None:
    found = play(attack, feature, stage)
    assert stage.canary.hits == 0
    assert SECRET.decode() not in found
    assert PASSWD not in found
    if attack.change:
        assert stage.publisher.requests


FOLLOWED = [(a, f) for a in ATTACKS for f in FEATURES if a.is_followed(f)]


@pytest.mark.parametrize(
    ("attack", "feature"), FOLLOWED, ids=[f"{a.name}-{f.name}" for a, f in FOLLOWED]
)
def test_the_guard_is_what_holds_them(attack: Attack, feature: Feature, stage: Stage) -> None:
    """With an open guard the same attack reaches the canary: the table tests something."""
    play(attack, feature, stage, is_open=True)
    assert stage.canary.hits > 0


@BY_FEATURE
def test_every_feature_works_when_nobody_attacks(feature: Feature, stage: Stage) -> None:
    found = play(Attack("none"), feature, stage)
    assert stage.publisher.requests
    assert "may not be read" not in found
    words = {
        "read": "Title 2",
        "preview": '"verdict": "',
        "check": "Title 2",
        "lookup": "data_json",
        "data": '"valid"',
        "link": "format='",
    }
    assert words[feature.kind] in found


PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


@BY_FEATURE
def test_the_environment_names_no_proxy_and_no_password(
    feature: Feature, stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in PROXIES:
        monkeypatch.setenv(name, stage.canary.url("/"))
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.delenv("no_proxy", raising=False)
    netrc = tmp_path / ".netrc"
    netrc.write_text(f"machine {PUBLISHER} login me password s3cret\ndefault login a password b\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(netrc))
    play(Attack("none"), feature, stage)
    assert stage.publisher.requests
    assert stage.canary.hits == 0
    sent = [each.headers for each in stage.publisher.requests]
    assert not [each for each in sent if each["Authorization"] or each["Proxy-Authorization"]]


def test_a_proxy_gets_no_url_inside(stage: Stage) -> None:
    """With a proxy, which resolves the names, literal addresses and local names are refused."""
    guard = stage.guard()
    guard.proxied = True
    with HttpClient(guard, proxy=stage.publisher.url("/")) as http:
        for host in ("127.0.0.1", "localhost", "localhost.", "[::1]", "2130706433", "intranet"):
            with contextlib.suppress(UkharvestError):
                http.get(stage.canary.url(host=host))
    assert not stage.publisher.requests
    assert stage.canary.hits == 0


# The list of features is whole


def _doors() -> set[str]:
    """Return the modules that make a client or send a request, but for the client itself.

    ``testing`` runs in tests alone.
    """
    found = set()
    for path in PACKAGE.rglob("*.py"):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        if not name.startswith(("core.http.", "testing.")) and _sends(
            ast.parse(path.read_text("utf-8"))
        ):
            found.add(name)
    return found


def _sends(tree: ast.Module) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in ("get", "post"):
            owner = _name(node.value)
            if owner.lstrip("_") in ("http", "client"):
                return True
        if isinstance(node, ast.Call) and _name(node.func) in CLIENTS:
            return True
    return False


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def test_every_module_that_reaches_out_has_its_feature() -> None:
    """A new module that sends requests has to be named with a feature that the table attacks."""
    assert _doors() == set(DOORS)
    assert {kind for kinds in DOORS.values() for kind in kinds} == {*WITHOUT_CKAN, *WITH_CKAN}


def test_every_source_type_is_attacked() -> None:
    for kind in ("read", "preview", "check"):
        assert {each.about for each in FEATURES if each.kind == kind} == set(TYPES)
    assert {each.kind for each in FEATURES} == set(WITHOUT_CKAN)


def test_names_are_unique() -> None:
    assert len({each.name for each in ATTACKS}) == len(ATTACKS)
