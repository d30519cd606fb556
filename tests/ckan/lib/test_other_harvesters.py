"""Hooks of other harvesters, which ours never call: found, and named with what to do instead."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.doctor import services
from ckanext.ukharvest.lib import other_harvesters
from tests.ckan.forms import portal_with

pytestmark = pytest.mark.in_process
HOOKS = {
    "changed_spatial": ("ISpatialHarvester",),
    "old_child_harvester": ("modify_package_dict",),
    "old_ckan_harvester": ("modify_package_dict",),
    "old_dcat": ("IDCATRDFHarvester",),
    "old_dcat_harvester": ("_get_content_and_type", "modify_package_dict"),
    "old_spatial": ("ISpatialHarvester", "transform_to_iso"),
    "old_spatial_harvester": ("get_package_dict", "transform_to_iso"),
    "old_waf_harvester": (
        *("_get_user_name", "_get_validator", "fetch_stage", "get_original_url", "import_stage"),
    ),
}
# Hook → what to do instead.
INSTEAD = {
    "get_package_dict": "write a plugin of IUkHarvest with before_dataset_save",
    "modify_package_dict": "name the class in ckanext.ukharvest.hooks",
    "ISpatialHarvester": "add the plugin to ckan.plugins",
    "after_download": "write a source type of your own",
    "import_stage": "write a plugin of IUkHarvest with before_dataset_save",
    "fetch_stage": "write a source type of your own",
    "transform_to_iso": "write a source type of your own",
    "_get_content_and_type": "write a source type of your own",
    "_get_validator": "choose the option validation of the source",
    "_get_user_name": "set ckanext.harvest.user_name",
    "get_original_url": "remove it: pages of records link to the URL",
}


@pytest.mark.parametrize(("hook", "way"), INSTEAD.items())
def test_each_uncalled_hook_has_what_to_do_instead(hook: str, way: str) -> None:
    text = other_harvesters.instead((hook,))
    assert text.startswith(f"Our harvesters do not call {hook}: {way}")


def test_hooks_with_different_ways_have_a_sentence_each() -> None:
    text = other_harvesters.instead(("get_package_dict", "import_stage", "transform_to_iso"))
    assert "do not call get_package_dict and import_stage: write a plugin" in text
    assert "do not call transform_to_iso: write a source type" in text


@pytest.mark.usefixtures("second")
def test_hooks_of_other_harvesters_are_found() -> None:
    found = other_harvesters.find_uncalled_hooks()
    assert {each.plugin: each.hooks for each in found} == HOOKS
    assert not any(each.is_on for each in found)
    with portal_with("", "old_spatial", "second_hook"):
        found = other_harvesters.find_uncalled_hooks()
        # The extension that has a hook of ours was changed already.
        assert {each.plugin for each in found} == HOOKS.keys() - {"changed_spatial"}
        on = {each.plugin: each.hooks for each in found if each.is_on}
        assert on == {"old_spatial": ("transform_to_iso",)}, "the other is called"


@pytest.mark.usefixtures("second")
def test_hooks_of_classes_that_the_setting_names_are_called() -> None:
    name = "second_old_hooks:OldCkanHarvester"
    with portal_with("", **{"ckanext.ukharvest.hooks": name}):
        found = {each.plugin: each.hooks for each in other_harvesters.find_uncalled_hooks()}
    assert found == {key: value for key, value in HOOKS.items() if key != "old_ckan_harvester"}


def test_portal_without_hooks_gets_no_warning(cli: Any) -> None:
    assert list(services.hooks()) == []
    assert "Plugin " not in cli.invoke(ukharvest, ["adopt", "--all", "--dry-run"]).output


@pytest.mark.usefixtures("second")
def test_doctor_and_dry_run_name_uncalled_hooks(cli: Any) -> None:
    with portal_with("", "old_spatial"):
        levels = {each.message.split()[2].strip(","): each.level for each in services.hooks()}
        assert levels == {**dict.fromkeys(HOOKS, "info"), "old_spatial": "warning"}
        shown = cli.invoke(ukharvest, ["adopt", "--all", "--dry-run"]).output
    for plugin, hooks in {**HOOKS, "old_spatial": ("transform_to_iso",)}.items():
        assert f"Plugin {plugin}: Our harvesters do not call {hooks[0]}" in shown
    assert "before_dataset_save" in shown
    assert f"“{other_harvesters.HEADING}”" in shown
    assert "Plugin " not in cli.invoke(ukharvest, ["adopt", "--all"]).output
