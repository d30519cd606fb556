"""Profiles in a source's options: effects of their findings, and their files."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import ConfigError, NotValid, ParseError
from ckanext.ukharvest.core.records import DatasetRecord, RawRecord
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers.gemini import parser as gemini
from ckanext.ukharvest.parsers.gemini.validation import profiles
from ckanext.ukharvest.source_types import find
from tests.iso_spelling import text
from tests.parsers.gemini.rules.documents import dataset

needs_files = pytest.mark.skipif(
    find_spec("ckanext.spatial") is None, reason="ckanext-spatial is not installed"
)
EDEN = "iso19139eden"


def parsed(document: str, **chosen: Any) -> DatasetRecord:
    declared = find("gemini-single").options  # type: ignore[union-attr]
    return gemini.parse(RawRecord("g", document), options.validate(chosen, declared))


@needs_files
def test_schema_faults_are_problems_or_reject_the_record() -> None:
    protocol = text("gmd:protocol", "OGC:WMS")
    document = dataset(link=f"\n{{linkage}}\n{{link_name}}\n{protocol}\n")
    assert not any("gmd:protocol" in each.message for each in parsed(document).problems)
    record = parsed(document, validation_profiles=[EDEN])
    assert [each.code for each in record.problems] == ["schema-fault"]
    with pytest.raises(NotValid) as caught:
        parsed(document, validation_profiles=[EDEN], validation="reject")
    assert [each.code for each in caught.value.problems] == ["schema-fault"]
    assert f"(1) line {record.problems[0].line}: gmd:protocol: This element" in caught.value.message
    assert parsed(document, validation_profiles=[EDEN], validation="off").problems == ()
    assert parsed(dataset(), validation_profiles=[EDEN], validation="reject").problems == ()


@needs_files
def test_profiles_of_ours_and_theirs_go_together() -> None:
    document = dataset(abstract=text("gmd:abstract", "Short."), date_type="")
    named = {"validation_profiles": "iso19139eden, gemini2-3"}
    codes = [each.code for each in parsed(document, **named).problems]
    assert {"schema-fault", "gemini-04-short"} <= set(codes)
    codes = [each.code for each in parsed(document, validation_profiles=EDEN).problems]
    assert codes == ["schema-fault"]


@needs_files
def test_the_message_of_a_rejected_record_fits_on_a_page() -> None:
    lost = ("abstract", "access", "use", "topic", "box", "quality", "keywords", "reference_system")
    broken = dataset(**dict.fromkeys(lost, ""))
    with pytest.raises(NotValid) as caught:
        parsed(broken, validation="reject", validation_profiles=[EDEN, "gemini2-3"])
    assert len(caught.value.problems) > 5
    assert len(caught.value.message) < 3000


# Configuration of sources that data.gov.uk's harvesters left.
OLD_CONFIGS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"validator_profiles": ["gemini2-3"]}, {"validation_profiles": ("gemini2-3",)}),
    (
        {"validator_profiles": ["iso19139eden", "constraints-1.4", "gemini2-1.3"]},
        {"validation_profiles": ("iso19139eden", "constraints-1.4", "gemini2-1.3")},
    ),
    ({"continue_on_validation_errors": True}, {"validation": "report"}),
    ({"continue_on_validation_errors": "false"}, {"validation": "reject"}),
]


@needs_files
@pytest.mark.parametrize("type_name", ["gemini-single", "gemini-waf", "gemini-csw"])
@pytest.mark.parametrize(("old", "ours"), OLD_CONFIGS)
def test_configurations_of_earlier_harvesters_are_understood(
    type_name: str, old: dict[str, Any], ours: dict[str, Any]
) -> None:
    found = options.validate(old, find(type_name).options)  # type: ignore[union-attr]
    assert ours.items() <= found.items()


def test_an_unknown_profile_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ConfigError, match="gemini2-3, gemini2-1, table-a1, iso19139"):
        options.validate({"validation_profiles": ["fgdc"]}, gemini.OPTIONS)


def test_without_ckanext_spatial_the_form_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(profiles, "_folder", lambda: None)
    with pytest.raises(ConfigError) as caught:
        options.validate({"validation_profiles": [EDEN, "gemini2-3"]}, gemini.OPTIONS)
    assert caught.value.field == "validation_profiles"
    assert "iso19139eden needs the files of ckanext-spatial" in caught.value.message
    assert "pip install ckanext-spatial" in caught.value.message
    assert options.validate({"validation_profiles": ["gemini2-3"]}, gemini.OPTIONS)


@needs_files
def test_ckanext_spatial_is_found_but_not_imported() -> None:
    script = (
        "import sys; from lxml import etree;"
        "from ckanext.ukharvest.parsers.gemini.validation import profiles;"
        "profiles.judge(('iso19139', 'gemini2'), etree.Element('a'), '');"
        "assert not {'ckan', 'ckanext.spatial'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_schemas_take_in_files_of_their_folder_alone(tmp_path: Path) -> None:
    place = tmp_path / "schemas"
    place.mkdir()
    xs = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"'
    (place / "part.xsd").write_text(f'<xs:schema {xs}><xs:element name="a"/></xs:schema>')
    (tmp_path / "outside.xsd").write_text(f'<xs:schema {xs}><xs:element name="a"/></xs:schema>')
    main = place / "main.xsd"
    for other, is_fine in (
        ("part.xsd", True),
        ("../outside.xsd", False),
        (f"file://{tmp_path}/outside.xsd", False),
        ("http://localhost:9/part.xsd", False),
    ):
        main.write_text(f'<xs:schema {xs}><xs:include schemaLocation="{other}"/></xs:schema>')
        try:
            schema = etree.XMLSchema(xml.parse_installed(main, place))
        except (ParseError, etree.XMLSchemaParseError):
            assert not is_fine
        else:
            assert is_fine
            assert schema.validate(etree.Element("a"))
