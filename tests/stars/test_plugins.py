"""Stars from other packages are used only if the table can hold them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ckanext.ukharvest.core.values.stars import DatasetStars, Stars
from ckanext.ukharvest.harvest import http_client
from ckanext.ukharvest.stars import plugins

FOUND = DatasetStars(Stars(3, "format", "CSV"), {"a": Stars(3, "format", "CSV")})


def answering(monkeypatch: pytest.MonkeyPatch, answer: Any) -> None:
    def method(*_args: Any) -> Any:
        return answer

    names = ("stars_of_formats", "stars_of_resource", "stars_of_dataset", "stars_reason")
    plugin = SimpleNamespace(name="theirs", **dict.fromkeys(names, method))
    monkeypatch.setattr(plugins, "_plugins", lambda: iter([plugin]))
    monkeypatch.setattr(http_client, "save_in_redis", lambda *_args: None)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(None, id="nothing"),
        pytest.param(Stars(6, "ours"), id="six"),
        pytest.param(Stars(True, "ours"), id="yes-is-no-number"),
        pytest.param(Stars(2, "ours", None), id="no-text"),  # type: ignore[arg-type]
        pytest.param(Stars(2, ["ours"]), id="a-list"),  # type: ignore[arg-type]
    ],
)
def test_of_a_resource(monkeypatch: pytest.MonkeyPatch, answer: Any) -> None:
    answering(monkeypatch, answer)
    assert plugins.apply_to_resource({}, {}, FOUND.best) == FOUND.best
    answering(monkeypatch, DatasetStars(answer, {}))
    assert plugins.apply_to_dataset({}, FOUND) == FOUND


@pytest.mark.parametrize("resources", [None, [FOUND.best], {("a", "b"): FOUND.best}, {"a": 3}])
def test_of_the_resources_of_a_dataset(monkeypatch: pytest.MonkeyPatch, resources: Any) -> None:
    answering(monkeypatch, DatasetStars(FOUND.best, resources))
    assert plugins.apply_to_dataset({}, FOUND) == FOUND


def test_of_formats(monkeypatch: pytest.MonkeyPatch) -> None:
    for answer in ({"CSV": True}, {3: 3}, ["CSV"], None):
        answering(monkeypatch, answer)
        assert plugins.formats() == {}
    answering(monkeypatch, {"CSV": 2})
    assert plugins.formats() == {"CSV": 2}
