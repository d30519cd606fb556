"""Datasets in several languages: extras, pages in the reader's language, edits, later runs."""

from __future__ import annotations

import json
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from ckan.tests.helpers import CKANTestApp
from lxml import html

from tests.ckan.forms import SCHEMING, portal_with
from tests.ckan.harvesting import Portal, act, extras, figures
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

SECOND = Path(__file__).parents[1] / "second_package"
TURTLE = """\
@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dct: <http://purl.org/dc/terms/> .

<http://data.example/id/0> a dcat:Dataset ;
    dct:title "Bus stops"@en, "Safleoedd <bws>"@cy, "Arrêts de bus"@fr ;
    dct:description "All bus stops."@en, "Pob safle bws."@cy, "Tous les arrêts."@fr ;
    dcat:keyword "buses"@en, "bysiau"@cy, "bus"@fr ;
    dcat:distribution [ a dcat:Distribution ; dct:title "Stops"@en, "Safleoedd"@cy, "Arrêts"@fr ;
        dcat:downloadURL <http://data.example/0.csv> ] .
"""
UNTAGGED = """
<http://data.example/id/1> a dcat:Dataset ;
    dct:title "Llwybrau" ;
    dct:description "Pob llwybr cerdded yn y sir gyda'i hyd a'i gyflwr, wedi'i ddiweddaru gan y \
cyngor bob mis." .
"""
TITLES = {"cy": "Safleoedd <bws>", "fr": "Arrêts de bus"}


def served(publisher: Publisher, text: str = TURTLE) -> str:
    publisher.serve("/catalog.ttl", text, headers={"Content-Type": "text/turtle"})
    return publisher.url("/catalog.ttl")


def heading(page: str) -> str:
    return " ".join(html.fromstring(page).xpath("//h1")[0].text_content().split())


def test_dataset_is_shown_in_the_language_of_the_reader(
    portal: Portal, publisher: Publisher, app: CKANTestApp
) -> None:
    source = portal.source(served(publisher, TURTLE + UNTAGGED), "dcat_rdf")
    assert figures(portal.run(source)) == {"added": 2}
    dataset, _untagged = portal.datasets()
    assert json.loads(extras(dataset)["title_translated"]) == TITLES
    assert "title_translated" not in dataset  # the API shows what is stored
    [resource] = dataset["resources"]
    assert resource["name_translated"] == {"cy": "Safleoedd", "fr": "Arrêts"}
    path = f"/dataset/{dataset['name']}"
    english, french = app.get(path).body, app.get(f"/fr{path}").body
    assert (heading(english), heading(french)) == ("Bus stops", "Arrêts de bus")
    assert "Tous les arrêts." in french
    assert 'Welsh: <span lang="cy">Safleoedd &lt;bws&gt;</span>' in english
    found = app.get("/fr/dataset/").body
    assert "Arrêts de bus" in found
    assert "Tous les arrêts." in found
    page = app.get(f"/fr{path}/resource/{resource['id']}").body
    assert heading(page) == "Arrêts"
    assert '<span lang="cy">Safleoedd</span>' in page
    # A person's edit is shown beside the translations, and both stay with the next run.
    act("package_patch", id=dataset["id"], title="Bus stops and shelters")
    assert heading(app.get(path).body) == "Bus stops and shelters"
    assert heading(app.get(f"/fr{path}").body) == "Arrêts de bus"
    assert figures(portal.run(source)) == {"not modified": 2}
    dataset, _ = portal.datasets()
    assert dataset["title"] == "Bus stops and shelters"
    assert json.loads(extras(dataset)["title_translated"]) == TITLES


def test_ckanext_fluents_fields_are_filled(
    portal: Portal, publisher: Publisher, plugins: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(SECOND))
    fluent = entry_points(group="ckan.plugins", name="fluent") and "fluent"
    settings = {
        "scheming.dataset_schemas": "second_languages:fluent.yaml",
        "scheming.presets": "ckanext.scheming:presets.json",
    }
    with portal_with(SCHEMING, fluent or "like_fluent", **settings):
        source = portal.source(served(publisher, TURTLE + UNTAGGED), "dcat_rdf")
        assert figures(portal.run(source)) == {"added": 2}
        dataset, untagged = portal.datasets()
        assert dataset["title"] == "Bus stops"
        assert dataset["title_translated"] == {"en": "Bus stops", **TITLES}
        assert dataset["tags_translated"] == {"en": ["buses"], "cy": ["bysiau"], "fr": ["bus"]}
        assert not [key for key in extras(dataset) if key.endswith("_translated")]
        [resource] = dataset["resources"]
        assert resource["name_translated"] == {"en": "Stops", "cy": "Safleoedd", "fr": "Arrêts"}
        assert untagged["title_translated"] == {"en": "Llwybrau"}  # the portal's language
        assert figures(portal.run(source)) == {"not modified": 2}
        assert figures(portal.run(source, force=True)) == {"updated": 2}
        assert portal.search_names() == sorted([dataset["name"], untagged["name"]])


def test_failed_translation_plugin_fails_no_record(
    portal: Portal, publisher: Publisher, plugins: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(SECOND))
    with portal_with("", "faulty_translations", "second_translations"):
        source = portal.source(served(publisher), "dcat_rdf")
        assert figures(portal.run(source)) == {"added": 1}
    [dataset] = portal.datasets()
    # The source's own texts stay.
    assert json.loads(extras(dataset)["title_translated"]) == {**TITLES, "ga": "ga: Bus stops"}
    assert json.loads(extras(dataset)["tags_translated"])["cy"] == ["bysiau"]
    assert dataset["resources"][0]["name_translated"]["ga"] == "ga: Stops"
    shown = act("ukharvest_problem_list", source_id=source)
    problems = [each for each in json.dumps(shown).split('"') if each == "translation-failed"]
    assert problems
