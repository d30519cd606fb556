"""Each kind of value is read the same in every format that can carry it."""

from __future__ import annotations

import json
from html import escape

import pytest

from ckanext.ukharvest.core.records import Agent, DatasetRecord
from tests.parsers import carriers
from tests.parsers.carriers import CARRIERS, Carrier

BY = "https://creativecommons.org/licenses/by/4.0/"
NC = "https://creativecommons.org/licenses/by-nc/4.0/"
ODBL = "https://opendatacommons.org/licenses/odbl/1-0/"
RESERVATION = "Not for commercial use. Permission required."


HTML = (
    "<div><p><span>Collection sites</span></p><ul><li>one</li><li>two</li></ul>"
    '<p>See <a href="https://example.com/a">the page</a>.</p></div>'
)
MARKDOWN = "# Sites\n\nOne\nline\n\n- one\n- two"


@carriers.formats("title")
def test_title_is_one_line_without_markup(carrier: Carrier) -> None:
    assert carrier("<b>Cours d'eau</b>\n&amp;amp; &#201;tangs").title == "Cours d'eau & Étangs"


@carriers.formats("notes")
def test_html_in_notes_becomes_readable_text(carrier: Carrier) -> None:
    expected = "Collection sites\n\n- one\n- two\n\nSee [the page](https://example.com/a)."
    assert carrier(HTML).notes == expected
    assert carrier(escape(HTML)).notes == expected


@carriers.formats("notes")
def test_notes_keep_lines_and_urls(carrier: Carrier) -> None:
    assert carrier(MARKDOWN).notes == MARKDOWN
    assert carrier("https://a.example/?x=1&region=2").notes == "https://a.example/?x=1&region=2"


@carriers.formats("publisher")
def test_publisher_is_one_line_without_markup(carrier: Carrier) -> None:
    record = carrier("<i>Parks</i>\n&amp; Children's services")
    assert record.publisher is not None
    assert record.publisher.name == "Parks & Children's services"


@carriers.formats("file")
def test_name_of_file_is_one_line_without_markup(carrier: Carrier) -> None:
    assert carrier("<b>Children's</b>\nhomes &amp; more").resources[0].name == (
        "Children's homes & more"
    )


@carriers.formats("tag")
def test_apostrophe_in_tag_becomes_space(carrier: Carrier) -> None:
    assert carrier("cours d'eau").tags == ("cours d eau",)
    assert carrier("i’r").tags == ("i r",)
    assert carrier("<b>Health</b> &amp; safety").tags == ("Health and safety",)


@carriers.formats("file")
@pytest.mark.parametrize(
    ("given", "url", "codes"),
    [
        ("ftp://files.example/a.csv", "ftp://files.example/a.csv", []),
        ("//files.example/a.csv", "https://files.example/a.csv", ["bad-url"]),
        ("/files/a.csv", "https://data.example/files/a.csv", ["relative-url"]),
        ("../a.csv", "https://data.example/explore/dataset/a.csv", ["relative-url"]),
    ],
)
def test_url_of_file_is_completed(carrier: Carrier, given: str, url: str, codes: list[str]) -> None:
    record = carrier("A", given)
    assert [each.url for each in record.resources] == [url]
    assert [each.code for each in record.problems if each.code.endswith("-url")] == codes


@carriers.formats("file")
def test_address_in_a_store_is_told_by_its_scheme(carrier: Carrier) -> None:
    record = carrier("A", "s3://bucket/a.csv")
    (problem,) = (each for each in record.problems if each.code == "bad-url")
    assert "begins with s3:, which browsers cannot open" in problem.message
    kept = [each.url for each in record.resources]
    assert kept == ["s3://bucket/a.csv"] or "s3://bucket/a.csv" in str(record.extras)


@carriers.formats("file")
def test_url_that_runs_code_is_no_link(carrier: Carrier) -> None:
    assert carrier("A", "javascript:alert(1)").resources == ()


ENGLISH, WELSH = "Recycling sites", "Safleoedd ailgylchu"
IN_JSON = ("data_json", "dkan_2", "dkan_7", "ckan", "geojson", "ods")


def text_of(kind: str, record: DatasetRecord) -> str:
    """Return the value of a record's field for a kind of value."""
    return {
        "title": lambda: record.title,
        "notes": lambda: record.notes,
        "tag": lambda: record.tags[0],
        "publisher": lambda: record.publisher.name if record.publisher else "",
        "file": lambda: record.resources[0].name,
    }[kind]()


@pytest.mark.parametrize("kind", ["title", "notes", "tag", "publisher", "file"])
def test_english_of_language_map_is_read(kind: str) -> None:
    for name, carrier in CARRIERS[kind].items():
        assert text_of(kind, carrier(json.dumps({"cy": WELSH, "en-GB": ENGLISH}))) == ENGLISH
        if name in IN_JSON:
            assert text_of(kind, carrier({"cy": WELSH, "en": ENGLISH})) == ENGLISH
            assert text_of(kind, carrier({"en": "", "cy": WELSH})) == WELSH


@pytest.mark.parametrize("name", ["data_json", "dkan_2", "ckan"])
def test_other_languages_of_language_map_are_translations(name: str) -> None:
    for kind, read in (("title", lambda text: text.title), ("notes", lambda text: text.notes)):
        record = CARRIERS[kind][name]({"en": ENGLISH, "cy": WELSH})
        assert {tag: read(text) for tag, text in record.translations.items()} == {
            "en": ENGLISH,
            "cy": WELSH,
        }
    file = CARRIERS["file"][name]({"en": ENGLISH, "cy": WELSH}).resources[0]
    assert {tag: text.name for tag, text in file.translations.items()} == {
        "en": ENGLISH,
        "cy": WELSH,
    }


def parties(record: DatasetRecord) -> list[tuple[str, str, str]]:
    """Return name, email and roles of the parties in the record's extra."""
    given = json.loads(record.extras.get("responsible-organisation") or "[]")
    return [(each["name"], each.get("email", ""), each["roles"]) for each in given]


# Formats that have a name in a field of its own.
NAMED_ONLY = {"data_json", "dkan_2", "dkan_7", "ckan", "ckan-extra", "dcat", "schema_org", "gemini"}


@pytest.mark.parametrize("name", sorted(CARRIERS["publisher"].keys() - NAMED_ONLY))
@pytest.mark.parametrize(
    ("text", "agent"),
    [
        ("Parks Trust", Agent("Parks Trust")),
        ("Parks Trust <parks@a.example>", Agent("Parks Trust", "parks@a.example")),
        ("parks@a.example", Agent("", "parks@a.example")),
        ("https://parks.example/", Agent("", "", "https://parks.example/")),
        ("Bob @ parks", Agent("Bob @ parks")),
    ],
)
def test_publisher_as_text_is_name_email_or_url(name: str, text: str, agent: Agent) -> None:
    assert CARRIERS["publisher"][name](text).publisher == agent


@carriers.formats("publishers")
def test_every_publisher_is_kept(carrier: Carrier) -> None:
    record = carrier("Anna", "Bert")
    assert record.publisher is not None
    assert record.publisher.name in ("Anna", "Bert")
    (other,) = {"Anna", "Bert"} - {record.publisher.name}
    assert [(name, roles) for name, _, roles in parties(record)] == [(other, "publisher")]


@carriers.formats("bodies")
def test_bodies_above_publisher_are_named_topmost_first(carrier: Carrier) -> None:
    record = carrier("Team", "Office", "Government")
    assert record.extras["publisher_hierarchy"] == "Government > Office > Team"
    assert "publisher_hierarchy" not in carrier("Team").extras


@carriers.formats("contacts")
def test_every_contact_is_kept(carrier: Carrier) -> None:
    record = carrier("Anna", "Bert")
    assert record.contact is not None
    assert record.contact.email == f"{record.contact.name}@a.example"
    (other,) = {"Anna", "Bert"} - {record.contact.name}
    assert (other, f"{other}@a.example", "pointOfContact") in parties(record)


@carriers.formats("authors")
def test_every_author_is_kept(carrier: Carrier) -> None:
    record = carrier("Anna", "Bert")
    assert record.author is not None
    (other,) = {"Anna", "Bert"} - {record.author.name}
    assert parties(record) == [(other, f"{other}@a.example", "author")]


@pytest.mark.parametrize("kind", ["publishers", "contacts", "authors"])
def test_one_body_in_role_makes_no_list_of_parties(kind: str) -> None:
    for name, carrier in CARRIERS[kind].items():
        if name not in ("gemini", "ods"):
            assert "responsible-organisation" not in carrier("Anna").extras


def licence_id(record: DatasetRecord) -> str:
    return record.licence.id if record.licence else "none"


@carriers.formats("licence")
def test_open_licence_is_read(carrier: Carrier) -> None:
    record = carrier(BY)
    assert licence_id(record) == "cc-by"
    assert "unknown-licence" not in [each.code for each in record.problems]


@carriers.formats("licence")
def test_closed_licence_beside_open_one_wins(carrier: Carrier) -> None:
    assert licence_id(carrier(BY, NC)) == "cc-nc"


@carriers.formats("licence")
def test_reserved_data_is_not_called_open(carrier: Carrier) -> None:
    record = carrier(BY, RESERVATION)
    assert licence_id(record) == ""
    assert record.licence is not None
    assert RESERVATION in record.licence.title


@carriers.formats("licence")
def test_licences_that_differ_are_kept_as_text(carrier: Carrier) -> None:
    record = carrier(BY, ODBL)
    assert licence_id(record) == ""
    assert record.licence is not None
    assert BY in record.licence.title
    assert ODBL in record.licence.title
