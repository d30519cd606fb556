"""The presets for ckanext-scheming; what portals do with them is in test_dataset_schema."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest
import yaml

from ckanext.ukharvest import dataset_schema
from ckanext.ukharvest.fields import DATASET, FIELDS

pytestmark = pytest.mark.in_process
SCHEMING = files("ckanext.ukharvest").joinpath("scheming")


def preset(key: str) -> str:
    return "ukharvest_" + key.replace("-", "_")


def test_there_is_a_preset_for_each_field() -> None:
    text = SCHEMING.joinpath("presets.json").read_text("utf-8")
    found = {each["preset_name"]: each["values"] for each in json.loads(text)["presets"]}
    wanted = {
        preset(field.key): (field.key, f"{dataset_schema.validator_of(field)} ignore_missing")
        for field in FIELDS
    }
    assert wanted == {
        name: (values["ukharvest_field"], values["validators"]) for name, values in found.items()
    }


def test_the_example_has_each_field_in_our_words() -> None:
    example = yaml.safe_load(SCHEMING.joinpath("dataset.yaml").read_text("utf-8"))
    for field in FIELDS:
        fields = example["dataset_fields" if field.of == DATASET else "resource_fields"]
        (found,) = [each for each in fields if each["field_name"] == field.key]
        assert (found["label"], found.get("help_text", "")) == (field.label, field.help)
        assert found["preset"] == preset(field.key)
