"""The examples of hooks in docs/migrating.md work as they are printed."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import requests

from ckanext.ukharvest.core.errors import SkipRecord
from ckanext.ukharvest.core.records import Agent, DatasetRecord, Licence, ResourceRecord
from ckanext.ukharvest.interfaces import SourceFacts
from ckanext.ukharvest.lib.other_harvesters import HEADING
from ckanext.ukharvest.mapping.package_mapper import Defaults, to_package_dict
from docs import codes

PAGE = (codes.ROOT / "docs" / "migrating.md").read_text(encoding="utf-8")
CODE = dict(re.findall(r"<!-- (\S+) -->\n```python\n(.*?)```", PAGE, re.DOTALL))
FILE = ResourceRecord("http://data.somewhere.example/1.csv")
RECORD = DatasetRecord("g", "T", contact=Agent("Ann"), resources=(FILE,))
SOURCE = SourceFacts("1", "gemini-waf", "https://data.somewhere.example/waf/", "org", {})


def plugin_of(name: str) -> Any:
    """Return the plugin class of an example."""
    module: dict[str, Any] = {}
    exec(compile(CODE[name], name, "exec"), module)  # noqa: S102 - our own page
    [plugin] = [each for key, each in module.items() if key.startswith("Our")]
    return plugin


def changed(
    name: str, record: DatasetRecord = RECORD, source: SourceFacts = SOURCE
) -> dict[str, Any]:
    """Return the package dict of a record after an example has changed it."""
    plugin = plugin_of(name)
    package = to_package_dict(record, None, None, (), Defaults("org")).package
    assert plugin.before_dataset_save(plugin, record, source, package) is None
    return package


def test_messages_name_the_heading_of_the_examples() -> None:
    assert f"## {HEADING}\n" in PAGE
    assert set(CODE) == {"spatial", "dcat", "method", "own", "identity", "after"}


def test_the_spatial_example_adds_an_extra() -> None:
    assert {"key": "data-owner", "value": "Ann"} in changed("spatial")["extras"]


def test_the_dcat_example_skips_records_without_files() -> None:
    assert changed("dcat")["license_id"] == "notspecified"
    with pytest.raises(SkipRecord, match="no files"):
        changed("dcat", DatasetRecord("g", "T"))


def test_the_example_of_a_method_changes_tags_and_links() -> None:
    package = changed("method")
    assert package["tags"] == [{"name": "somewhere"}]
    assert package["resources"][0]["url"] == "https://data.somewhere.example/1.csv"


def test_the_example_of_own_types_leaves_out_a_licence() -> None:
    plugin = plugin_of("own")
    assert plugin.source_type_aliases(plugin) == {"dcat_ch_rdf": "dcat_rdf"}
    assert plugin.source_options(plugin, "dcat_rdf") == []
    (option,) = plugin.source_options(plugin, "dcat_ch_rdf")
    closed = replace(RECORD, licence=Licence("other-closed"))
    for value in ("", "other-closed"):
        options = {option.name: value}
        source = replace(SOURCE, type="dcat_rdf", own_type="dcat_ch_rdf", options=options)
        assert changed("own", source=source)["title"] == "T"
        if value:
            with pytest.raises(SkipRecord, match="licence"):
                changed("own", closed, source)
        else:
            assert changed("own", closed, source)["license_id"] == "other-closed"


def test_the_example_of_an_identity_names_the_source() -> None:
    plugin = plugin_of("identity")
    record = replace(RECORD, guid="https://data.somewhere.example/id/7")
    assert plugin.record_guid(plugin, record, replace(SOURCE, name="parks")) == "7@parks"


def test_the_example_after_a_run_sends_what_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    plugin, sent = plugin_of("after"), []
    answer = SimpleNamespace(raise_for_status=lambda: None)
    monkeypatch.setattr(requests, "post", lambda _url, **more: sent.append(more["json"]) or answer)
    plugin.after_run(plugin, SOURCE, "run", [], [])
    plugin.after_run(plugin, SOURCE, "run", ["a"], ["b"])
    assert sent == [{"source": "", "changed": ["a"], "deleted": ["b"]}]
