"""Every attack of the table against every kind of feature: nothing inside is contacted."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Sequence
from pathlib import Path

import pytest

import ckanext.ukharvest
from ckanext.ukharvest.core.errors import UkharvestError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.source_types import TYPES
from tests.security.attacks import ATTACKS, SPELLINGS
from tests.security.canary import SECRET
from tests.security.features import DOORS, FEATURES, WITH_CKAN, WITHOUT_CKAN, Feature
from tests.security.stage import PUBLISHER, Attack, Stage, play

PACKAGE = Path(ckanext.ukharvest.__file__).parent
BY_KIND = pytest.mark.parametrize("kind", WITHOUT_CKAN)
CLIENTS = {
    "HttpClient",
    "MeteredClient",
    "open_client",
    "open_metered_client",
    "Watched",
    "FileClient",
    "urlopen",
}
PASSWD = Path("/etc/passwd").read_text(encoding="utf-8").partition("\n")[0]


def targets(attack: Attack, kind: str) -> Sequence[Feature]:
    """Return the features of a kind that an attack is played to.

    The spellings of a URL meet one guard in one client (``DOORS``, ``tests/test_layers.py``), so
    one feature is enough, each in its turn. An answer is read in its own way by each source type
    and service; previews and ``ukharvest check`` have the same readers.
    """
    features = [feature for feature in FEATURES if feature.kind == kind]
    if kind not in ("preview", "check") and attack not in SPELLINGS:
        return features
    return [features[ATTACKS.index(attack) % len(features)]]


@BY_KIND
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_attacks_contact_nothing_inside(attack: Attack, kind: str, stage: Stage) -> None:
    for feature in targets(attack, kind):
        result = play(attack, feature, stage)
        assert stage.canary.hits == 0, feature.name
        assert SECRET.decode() not in result, feature.name
        assert PASSWD not in result, feature.name
        if attack.change:
            assert stage.publisher.requests, feature.name


FOLLOWED = [attack for attack in ATTACKS if attack.followed]


@pytest.mark.parametrize("attack", FOLLOWED, ids=lambda attack: attack.name)
def test_attacks_reach_the_inside_without_the_guard(attack: Attack, stage: Stage) -> None:
    """Negative control: with an open guard the attack reaches the canary."""
    features = [feature for feature in FEATURES if attack.is_followed(feature)]
    play(attack, features[FOLLOWED.index(attack) % len(features)], stage, is_open=True)
    assert stage.canary.hits > 0


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.name)
def test_every_feature_works_without_an_attack(feature: Feature, stage: Stage) -> None:
    result = play(Attack("none"), feature, stage)
    assert stage.publisher.requests
    assert "may not be read" not in result
    expected = {
        "read": "Title 2",
        "preview": '"verdict": "',
        "check": "Title 2",
        "lookup": "data_json",
        "data": '"valid"',
        "link": "format='",
    }
    assert expected[feature.kind] in result


PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


@BY_KIND
def test_proxies_and_passwords_of_the_environment_are_ignored(
    kind: str, stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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
    play(Attack("none"), targets(ATTACKS[0], kind)[0], stage)
    assert stage.publisher.requests
    assert stage.canary.hits == 0
    for request in stage.publisher.requests:
        assert not request.headers["Authorization"]
        assert not request.headers["Proxy-Authorization"]


def test_a_proxy_gets_no_internal_url(stage: Stage) -> None:
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
    modules = set()
    for path in PACKAGE.rglob("*.py"):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        if not name.startswith(("core.http.", "testing.")) and _sends(
            ast.parse(path.read_text("utf-8"))
        ):
            modules.add(name)
    return modules


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


def test_every_module_that_sends_requests_is_in_the_table() -> None:
    """A new module that sends requests has to be named with a feature that the table attacks."""
    assert _doors() == set(DOORS)
    assert {kind for kinds in DOORS.values() for kind in kinds} == {*WITHOUT_CKAN, *WITH_CKAN}


def test_every_source_type_is_attacked() -> None:
    played = [targets(attack, kind) for attack in ATTACKS for kind in WITHOUT_CKAN]
    assert {feature for features in played for feature in features} == set(FEATURES)
    for kind in ("read", "preview", "check"):
        assert {each.about for each in FEATURES if each.kind == kind} == set(TYPES)
    assert {each.kind for each in FEATURES} == set(WITHOUT_CKAN)


def test_attacks_have_names_of_their_own() -> None:
    assert len({each.name for each in ATTACKS}) == len(ATTACKS)
