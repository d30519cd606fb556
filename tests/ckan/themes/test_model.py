"""Themes of datasets: set by the harvest, chosen by people, shown with their reasons."""

from __future__ import annotations

from typing import Any

import pytest
from ckan import model
from ckan.tests import factories

from ckanext.ukharvest import themes as theming
from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.mapping.package_mapper import Defaults
from ckanext.ukharvest.themes.model import DatasetTheme
from tests.ckan import gemini_records
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.forms import SCHEMING, portal_with
from tests.ckan.harvesting import Portal, act, extras, figures, statements
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"
PARKS = {"title": "Country parks", "keyword": [], "description": "Where they are."}


class Catalogue:
    """A source with one dataset."""

    def __init__(self, portal: Portal, publisher: Publisher) -> None:
        self.portal = portal
        self.publisher = publisher
        self.source = ""

    def harvest(self, *, force: bool = False, config: Any = None, **fields: Any) -> dict[str, Any]:
        """Publish the dataset, run the source; return what package_show gives."""
        self.publisher.serve(PATH, catalogue([dataset(0, **{**PARKS, **fields})]))
        if not self.source:
            url = self.publisher.url(PATH)
            self.source = self.portal.source(url, config=config or {})
        job = self.portal.run(self.source, force=force)
        assert figures(job).keys() <= {"added", "updated", "not modified"}
        (found,) = self.portal.datasets()
        return found


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> Catalogue:
    return Catalogue(portal, publisher)


def themes(package: dict[str, Any]) -> tuple[str | None, str | None]:
    found = extras(package)
    return found.get("theme-primary"), found.get("theme-secondary")


def show_theme(package: dict[str, Any]) -> dict[str, Any]:
    return dict(act("ukharvest_dataset_show", id=package["id"])["theme"])


def choose(package: dict[str, Any], **chosen: str) -> dict[str, Any]:
    """Write other extras into a dataset, as a person does; "" removes one."""
    model.Session.remove()
    facts = {**extras(package), **{key.replace("_", "-"): text for key, text in chosen.items()}}
    kept = [{"key": key, "value": text} for key, text in facts.items() if text]
    return dict(act("package_patch", id=package["id"], extras=kept))


def test_theme_comes_from_the_source_else_from_words(source: Catalogue) -> None:
    found = source.harvest()
    assert themes(found) == ("Environment", None)
    shown = show_theme(found)
    assert (shown["theme"], shown["origin"], shown["suggested"]) == ("Environment", "words", True)
    assert shown["why"] == ["Title: “country park”"]
    assert shown["ranking"][0]["reasons"][0]["where"] == ["title"]
    act("package_patch", id=found["id"], notes="Somebody wrote this.")
    assert show_theme(found)["origin"] == "words", "another edit claims no theme"
    assert themes(source.harvest(title="Crime figures")) == ("Crime", None)
    found = source.harvest(theme=["crime-and-justice", "Towns & Cities"])
    assert themes(found) == ("Crime", '["Towns"]')
    shown = show_theme(found)
    assert (shown["origin"], shown["suggested"]) == ("source", False)
    assert shown["title"] == "Crime & Justice"
    assert shown["why"][0] == "Source: “crime-and-justice”"
    assert [each["theme"] for each in shown["ranking"]] == ["Crime", "Towns", "Environment"]


def test_a_persons_theme_stays_where_the_source_has_none(source: Catalogue) -> None:
    choose(source.harvest(), theme_primary="Society", theme_secondary='["Health"]')
    found = source.harvest(description="They are open all day.")
    assert "all day" in found["notes"]
    assert themes(found) == ("Society", '["Health"]')
    assert show_theme(found)["origin"] == "person"
    assert show_theme(found)["ranking"][0]["theme"] == "Environment"
    found = source.harvest(description="All year.", force=True)
    assert themes(found) == ("Society", '["Health"]')
    assert show_theme(found)["origin"] == "person"
    found = choose(found, theme_primary="", theme_secondary="")
    assert (show_theme(found)["theme"], show_theme(found)["origin"]) == ("", "")
    found = source.harvest(description="Other words.")
    assert themes(found) == ("Environment", None), "a cleared theme is chosen anew"


def test_a_forced_run_writes_the_theme_of_the_source(source: Catalogue) -> None:
    found = choose(source.harvest(title="Libraries"), theme_primary="Crime")
    source.harvest(theme=["Crime"], force=True)
    assert show_theme(found)["origin"] == "source", "a person chose the same"
    choose(source.harvest(theme=["Crime"]), theme_primary="Society")
    assert themes(source.harvest(theme=["Crime"], title="Parks")) == ("Society", None)
    # Nothing else changes, so that CKAN 2.12 writes only the theme.
    forced = source.harvest(theme=["Crime"], title="Parks", force=True)
    assert themes(forced) == ("Crime", None)
    assert show_theme(found)["origin"] == "source"


def test_earlier_theme_gives_way_only_to_certainty(
    source: Catalogue,
) -> None:
    found = choose(source.harvest(), theme_primary="Society")
    for title, given, expected in [
        ("Country parks by name", [], ("Society", None)),
        ("Country parks by place", ["Health"], ("Health", None)),
    ]:
        model.Session.execute(model.meta.metadata.tables["ukharvest_theme"].delete())
        model.Session.commit()
        assert themes(source.harvest(title=title, theme=given)) == expected
    assert show_theme(found)["origin"] == "source"


def test_source_default_replaces_an_uncertain_value(source: Catalogue) -> None:
    config = {"default_extras": {"theme-primary": "Education"}}
    assert themes(source.harvest(config=config)) == ("Education", None)
    assert themes(source.harvest(theme=["Health"])) == ("Health", None)


def test_a_default_that_is_none_of_the_twelve_stays_what_it_is(source: Catalogue) -> None:
    default = {"theme-primary": "Fishing", "theme-secondary": '["Ships"]'}
    config = {"default_extras": default}
    for title in ("Country parks", "Parks in the country"):
        assert themes(source.harvest(config=config, title=title)) == ("Fishing", '["Ships"]')
    assert themes(source.harvest(theme=["Health"])) == ("Health", None)


def test_a_theme_that_the_source_must_not_overwrite(source: Catalogue) -> None:
    first = source.harvest(config={"not_overwrite": ["theme-primary", "theme-secondary"]})
    assert themes(first) == ("Environment", None)
    found = source.harvest(title="Crime figures", force=True)
    assert themes(found) == ("Environment", None)
    assert show_theme(found)["origin"] == "words"
    choose(found, theme_primary="Society", theme_secondary='["Health"]')
    found = source.harvest(title="Crime", force=True)
    assert themes(found) == ("Society", '["Health"]')
    assert show_theme(found)["origin"] == "person"
    assert [each["theme"] for each in show_theme(found)["ranking"]] == ["Crime"]


def test_a_schema_s_own_fields_have_the_themes() -> None:
    subjects = {"key": "dcat_subject", "value": '["Health", "Society"]'}
    package = {"title": "A list", "extras": [subjects]}
    schema = ("theme-primary", "theme-secondary")
    theming.set_themes(package, None, schema, Defaults(owner_org=""))
    assert (package["theme-primary"], package["theme-secondary"]) == ("Health", '["Society"]')
    assert package["extras"] == [subjects]
    assert theming.stored_themes(package) == ("Health", ("Society",))
    empty = {"title": "A list", "extras": []}
    theming.set_themes(empty, None, schema, Defaults(owner_org=""))
    assert empty == {"title": "A list", "extras": []}


def test_themes_of_a_portal_s_own_are_spelled_as_it_has_them(
    source: Catalogue, clean: None
) -> None:
    with portal_with(SCHEMING, **{"scheming.dataset_schemas": "tests.ckan:own_themes.yaml"}):
        found = source.harvest(theme=["Crime", "Health", "Transport"])
        assert found["theme-primary"] == "crime-and-justice"
        assert found["theme-secondary"] == ["health"]
        assert show_theme(found)["origin"] == "source"
        assert source.harvest(theme=["Transport"]).get("theme-primary") is None
        act("package_patch", id=found["id"], **{"theme-primary": "fishing"})
        assert source.harvest(theme=["Crime"])["theme-primary"] == "fishing"
        act("package_patch", id=found["id"], **{"theme-primary": "health"})
        assert source.harvest(theme=["Towns"])["theme-primary"] == "health"
        assert show_theme(found)["origin"] == "person"


def test_a_dataset_written_by_hand_has_the_theme_of_a_person(
    organization: dict[str, str],
) -> None:
    fields = {"owner_org": organization["id"], "title": "Country parks"}
    found, unknown = factories.Dataset(**fields, notes=""), factories.Dataset(**fields)
    model.Session.query(DatasetTheme).filter_by(package_id=unknown["id"]).delete()
    model.Session.commit()  # as if it had never been written here
    for each in (found, unknown):
        shown = show_theme(each)
        assert (shown["theme"], shown["origin"]) == ("", "")
        assert shown["ranking"][0]["theme"] == "Environment"
    choose(found, theme_primary="environment")
    shown = show_theme(found)
    assert (shown["theme"], shown["origin"]) == ("Environment", "person")


def test_theme_is_written_only_if_different(organization: dict[str, str]) -> None:
    ids = sorted(factories.Dataset(owner_org=organization["id"])["id"] for _ in range(2))

    def save_themes(*themes: str) -> list[tuple[Any, ...]]:
        rows = [{"package_id": ids[n], "theme": each} for n, each in enumerate(themes)]
        dataset_rows.save_own_rows(DatasetTheme, rows)
        model.Session.commit()
        table = DatasetTheme
        found = model.Session.query(table.theme, table.theme_origin, table.assessed)
        return [tuple(row) for row in found.order_by(table.package_id)]

    first, same = save_themes("Health", "Crime"), save_themes("Health", "Crime")
    other = save_themes("Health", "Society")
    assert [row[:2] for row in first] == [("Health", ""), ("Crime", "")]
    assert same == first
    assert other[0] == first[0]
    assert other[1][:2] == ("Society", "")
    assert other[1][2] > first[1][2]


def test_a_harvest_asks_once_which_theme_a_dataset_has(source: Catalogue) -> None:
    with statements("theme") as sent:
        source.harvest()
    # ckanext-harvest's own statements contain whole texts: only the table's count.
    own = [each for each in sent if "ukharvest_theme" in each]
    assert [each.split()[0] for each in own].count("SELECT") == 0
    with statements("ukharvest_theme.theme") as sent:
        source.harvest(description="Other words.")
    assert len([each for each in sent if each.startswith("SELECT")]) == 1


def test_a_gemini_record_s_topic_is_no_theme_of_its_source(
    portal: Portal, publisher: Publisher
) -> None:
    more = """<gmd:descriptiveKeywords><gmd:MD_Keywords>
      <gmd:keyword><gco:CharacterString>Transport networks</gco:CharacterString></gmd:keyword>
      <gmd:thesaurusName><gmd:CI_Citation><gmd:title>
        <gco:CharacterString>GEMET - INSPIRE themes, version 1.0</gco:CharacterString>
      </gmd:title></gmd:CI_Citation></gmd:thesaurusName>
    </gmd:MD_Keywords></gmd:descriptiveKeywords>
    <gmd:topicCategory>
      <gmd:MD_TopicCategoryCode>environment</gmd:MD_TopicCategoryCode>
    </gmd:topicCategory>"""
    publisher.serve("/record.xml", gemini_records.dataset(gemini_records.uuid(1), more=more))
    portal.run(portal.source(publisher.url("/record.xml"), "gemini-single"))
    (found,) = portal.datasets()
    # The title is "Rivers", but INSPIRE's theme is surer than topic and words together.
    assert themes(found) == ("Transport", '["Environment"]')
    shown = show_theme(found)
    assert (shown["origin"], shown["suggested"]) == ("inspire", False)
    assert [each["kind"] for each in shown["ranking"][1]["reasons"]] == ["topic", "words"]


def test_themes_leave_out_what_postgresql_cannot_store(organization: dict[str, str]) -> None:
    odd = {"dcat_subject": '["\\u0000Health", "\\ud800"]', "theme-secondary": '["\\u0000"]'}
    pairs = [{"key": key, "value": value} for key, value in odd.items()]
    found = factories.Dataset(owner_org=organization["id"], extras=pairs)
    assert show_theme(found)["ranking"][0]["reasons"][0]["text"] == "Health"
