"""Validation in batches: navl's answers with less work, and questions asked once."""

from __future__ import annotations

import contextlib
import copy
import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from ckan import model
from ckan.lib.navl import dictization_functions as navl
from ckan.logic import validators
from ckan.logic.schema import (
    default_create_package_schema,
    default_show_package_schema,
    default_update_package_schema,
)
from ckan.tests import factories

from ckanext.ukharvest import write_batch
from tests.ckan.harvesting import statements

WORDS = ("title", "notes", "name", "extras", "resources", "tags", "key", "value", "url", "id", "x")
SPECIAL = ("__before", "__after", "__extras", "__junk", "__other")
VALUES = (None, "", "text", 7, [], ["text"], [1, {}], {}, {"key": "value"}, True, navl.missing)


def odd_schema(chance: random.Random, calls: list[Any], depth: int = 0) -> dict[str, Any]:
    """Return a schema whose validators write down how they are called, change, refuse and stop."""

    def one(value: Any) -> Any:
        calls.append(("one", repr(value)))
        if value == "text":
            raise navl.Invalid("no text")
        return [value]

    def two(value: Any, context: Any) -> Any:
        calls.append(("two", repr(value), context["schema_keys"]))
        return value

    def four(key: Any, data: Any, errors: Any, _context: Any) -> None:
        calls.append(("four", key, sorted(map(repr, data)), sorted(map(repr, errors))))
        data[key] = "changed"
        if len(key) > 1 and key[1] == 1:
            data.pop((*key[:-1], "url"), None)
            errors[key].append("second")
        if len(calls) % 3 == 0:
            raise navl.StopOnError

    made: dict[str, Any] = {}
    for name in chance.sample(WORDS, 5) + chance.sample(SPECIAL, 3):
        if depth < 2 and not name.startswith("__") and chance.random() < 0.4:
            made[name] = odd_schema(chance, calls, depth + 1)
        else:
            made[name] = chance.choices((one, two, four), k=chance.randrange(3))
    return made


def odd_data(chance: random.Random, depth: int = 0) -> dict[str, Any]:
    """Return data with keys of each kind: known, unknown, nested, special."""
    made = {name: chance.choice(VALUES) for name in chance.sample((*WORDS, *SPECIAL), 6)}
    for name in chance.sample(WORDS, 3) if depth < 3 else ():
        made[name] = [odd_data(chance, depth + 1) for _ in range(chance.randrange(3))]
    return made


def validated(data: Any, schema: Any, calls: list[Any]) -> str:
    """Return what validation gives or raises, in its order, and how validators were called."""
    calls.clear()
    context = {"model": model, "session": model.Session, "user": "", "ignore_auth": True}
    try:
        result: Any = navl.validate(copy.deepcopy(data), schema, context)
    except Exception as exc:  # noqa: BLE001 - whatever it raises
        result = f"{type(exc).__name__}: {exc}"
        model.Session.rollback()
    # Without what is another each time: places in memory, and the present.
    return re.sub(r" at 0x\w+|datetime\([^)]*\)", "", repr((result, calls)))


def assert_same(data: Any, schema: Any, calls: list[Any]) -> str:
    """Compare what a batch makes of data with what CKAN does; return it."""
    stock = validated(data, schema, calls)
    with write_batch.use(write_batch.WriteBatch()):
        assert validated(data, schema, calls) == stock, data
    return stock


def test_batch_validates_as_ckan_does() -> None:
    chance = random.Random(70)
    calls: list[Any] = []
    results = [assert_same(odd_data(chance), odd_schema(chance, calls), calls) for _ in range(3000)]
    # Nothing is wrong, something is, and what navl does not take.
    counts = [sum(word in text for text in results) for word in ("}, {}), [", "}), [", "DataError")]
    assert min(counts) > 100, counts


@pytest.mark.parametrize(
    "schema",
    [default_create_package_schema, default_update_package_schema, default_show_package_schema],
)
def test_batch_validates_datasets_as_ckan_does(schema: Callable[[], Any]) -> None:
    chance = random.Random(71)
    sound: dict[str, Any] = {"title": "Parks", "name": "parks", "tags": [{"name": "parks"}]}
    sound["resources"] = [{"url": f"https://a.example/{number}.csv"} for number in range(2)]
    if schema is not default_create_package_schema:
        sound = factories.Dataset(**sound)
    refused = 0
    for _ in range(60):
        data = copy.deepcopy(sound)
        for _number in range(chance.randrange(4)):
            place = chance.choice([data, *data["resources"][:1], *data["tags"][:1]])
            place[chance.choice([*place, *WORDS, *SPECIAL[:3]])] = chance.choice(VALUES)
            if not isinstance(data.get("resources"), list) or not isinstance(data["tags"], list):
                break
        refused += "}, {}), []" not in assert_same(data, schema(), [])
    assert 5 < refused < 60


def test_organisation_is_asked_once_while_it_is_the_same(organization: dict[str, str]) -> None:
    with write_batch.collect() as batch:
        with statements('FROM "group"') as sent:
            found = {model.Group.get(organization[key]) for key in ("id", "name", "name", "id")}
        assert (len(found), len(sent)) == (1, 3)  # by the id; by the name, as an id and as a name
        found.pop().name = "renamed"
        model.Session.flush()
        assert model.Group.get(organization["name"]) is None
        with contextlib.suppress(ZeroDivisionError), batch.savepoint():
            model.Session.add(model.Group(name="made", title="Made"))
            model.Session.flush()
            assert model.Group.get("made").title == "Made"
            raise ZeroDivisionError
        assert model.Group.get("made") is None
        assert model.User.get(None) is None
    model.Session.rollback()


def test_name_is_asked_unless_it_is_known_to_be_free() -> None:
    taken = model.Package.get(factories.Dataset(name="taken")["id"])

    def errors_of(name: Any, **context: Any) -> list[str]:
        errors: dict[Any, list[str]] = {("name",): []}
        context |= {"model": model, "session": model.Session}
        validators.package_name_validator(("name",), {("name",): name}, errors, context)
        return errors["name",]

    with write_batch.collect() as batch:
        batch.free_names |= {"free", "x"}
        with statements("FROM package") as sent:
            assert errors_of("free") == errors_of("taken", package=taken) == []
        assert sent == []
        assert errors_of("taken") != []
        assert errors_of("taken", package=model.Package(id="other", name="other")) != []
        with pytest.raises(navl.Invalid, match="minimum"):
            errors_of("x")
    with pytest.raises(navl.Invalid, match="minimum"):
        errors_of("x")
